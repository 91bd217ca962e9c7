"""Argdown texts from hypothesis: sound documents built from the grammar, and a soup of the language's signs."""

from __future__ import annotations

from hypothesis import strategies as st

_WORDS = st.sampled_from(
    [
        *["dogs", "bark,", "because:", "they", "are", "loyal;", "so-called", "(really)", "1.", "5>3", "C#5", "http://a.org/b?c=1"],
        *["z.B.", "e.g.", "no!", "'quoted'", "it's", "ü", "∀x", "🙂", "--", "-", "+", "=", "//", "/"],
    ]
)
_LABEL = st.sampled_from(["A", "B", "Loyal dogs", 'q"uo:te', "ünï", "Untitled 1", "a/b & c", "(1)", "C)"])
_DATA = st.sampled_from(["{a: 1}", "{from: ['1', '2']}", "{a: {b: [c, 'd}']}}", "{\na: b\n}", '{x: "it\'s"}', "{}"])
_PIECES = st.one_of(
    _WORDS,
    st.sampled_from(["**bold words**", "_so_", "[a link](http://a.org)", "@[A]", "@<B>", "#tag", "#(two words)", ":A:", ".->."]),
    st.sampled_from(["/* note */", "<!-- note -->", r"\[x\]", r"\{", r"\#", r"\\", r"\*", ". :", ":: "]),
)
_TEXT = st.lists(_PIECES, max_size=6).map(lambda pieces: " ".join(["Dogs", *pieces]))
_SIGNS = ["+", "-", "<+", "<-", "+>", "->", "><", "_", "<_", "_>"]


@st.composite
def _node(draw: st.DrawFn, *, claims_only: bool = False) -> str:
    kind = draw(st.sampled_from(["text", "claim", "claim reference"] + ([] if claims_only else ["argument", "argument reference"])))
    data = draw(st.one_of(st.just(""), _DATA.map(lambda raw: f" {raw}")))
    if kind == "text":
        return draw(_TEXT) + data
    label = draw(_LABEL)
    named = f"[{label}]" if kind.startswith("claim") else f"<{label}>"
    return f"{named}{data}" if kind.endswith("reference") else f"{named}: {draw(_TEXT)}{data}"


@st.composite
def _relations(draw: st.DrawFn, signs: list[str], indent: int = 1) -> list[str]:
    lines: list[str] = []
    for _ in range(draw(st.integers(0, 2))):
        sign = draw(st.sampled_from(signs))
        gap = draw(st.sampled_from([" ", "", "  "])) if sign not in ("_",) else " "
        lines.append("  " * indent + sign + gap + draw(_node(claims_only=sign == "><")))
        if indent < 4:
            lines += draw(_relations(_SIGNS, indent + 1))
    return lines


@st.composite
def _paragraph(draw: st.DrawFn) -> str:
    return "\n".join([draw(_node()), *draw(_relations(_SIGNS))])


@st.composite
def _reconstruction(draw: st.DrawFn) -> str:
    lines = [f"<{draw(_LABEL)} {draw(st.integers(0, 10**6))}>: {draw(_TEXT)}", ""] if draw(st.booleans()) else []
    number = 0
    for _ in range(draw(st.integers(1, 2))):
        for _ in range(draw(st.integers(1, 2))):
            number += 1
            lines += [f"({number}) {draw(_node(claims_only=True))}", *draw(_relations(_SIGNS))]
        rules = draw(st.sampled_from(["----", "------", "-- modus ponens --", "--\nr1, r 2 {uses: [1]}\n--", "-- {from: ['1']} --"]))
        lines += [rules, *draw(_relations(["_", "<_"]))]
        number += 1
        lines += [f"({number}) {draw(_node(claims_only=True))}", *draw(_relations(_SIGNS))]
    return "\n".join(lines)


@st.composite
def _listing(draw: st.DrawFn) -> str:
    sign = draw(st.sampled_from(["*", "1."]))
    return "\n".join(f"{sign} {draw(_node())}" for _ in range(draw(st.integers(1, 3))))


_HEADING = st.tuples(st.integers(1, 4), _TEXT).map(lambda pair: f"{'#' * pair[0]} Part {pair[1]}")
_COMMENT = st.sampled_from(["// a comment", "/* one\n\ntwo */", "<!-- three -->"])
_BLOCK = st.one_of(_paragraph(), _paragraph(), _reconstruction(), _listing(), _HEADING, _COMMENT)
_FRONT = st.sampled_from(["", "===\ntitle: Dogs\nmodel:\n    mode: strict\n===\n\n", "===\n===\n\n"])

documents = st.tuples(_FRONT, st.lists(_BLOCK, min_size=1, max_size=5), st.sampled_from(["\n", "\r\n"])).map(
    lambda parts: (parts[0] + "\n\n".join(parts[1])).replace("\n", parts[2])
)
"""Texts of the shape that the published grammar describes (nearly always without errors)."""

_SOUP = [
    *["[A]", "[A]:", "<A>", "<A>:", "[", "]", "<", ">", "@[A]", "@<A>", "#t", "#(t u)", "{a: 1}", "{", "}", "{\n", "'", '"'],
    *["\n", "\n", "\n\n", "\r\n", "  ", "    ", "\t", " ", " \n", "(1)", "(2)", "(1) ", "----", "--", "-- x --", "===", "# ", "* ", "1. "],
    *["+ ", "- ", "<+ ", "<- ", "+> ", "-> ", ">< ", "_ ", "<_ ", "_> ", "*", "**", "_", "__", ":A:", ".A.", ":", ".", ",", "\\", "//"],
    *["/*", "*/", "<!--", "-->", "[x](y)", "<b>", "</b>", "word", "more words", "\u00a0", "\u2003", "\ufeff", "ß", "\x00"],
    *["&", "|", "=", "- ["],
]
soup = st.one_of(st.lists(st.sampled_from(_SOUP), max_size=25).map("".join), st.text(max_size=40))
"""Anything at all, mostly made of what means something in Argdown."""
