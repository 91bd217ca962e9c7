"""The language, construct by construct."""

from __future__ import annotations

import pytest

from suasion.analysis.argdown import Document, parse

NL = "\n"


def sound(text: str) -> Document:
    document = parse(text)
    assert document.errors == ()
    return document


def relations(document: Document) -> list[tuple[str, str, str]]:
    return [(relation.type, relation.source.label, relation.target.label) for relation in document.relations]


def test_claims_and_arguments_with_their_members() -> None:
    document = sound("[A]: one\n\n[A]: two\n\n<A>: gist\n\n[A]\n\nthree")
    assert document.claims["A"].texts == ["one", "two"]
    assert [node.defines for node in document.claims["A"].members] == [True, True, False]
    assert document.arguments["A"].gists == ["gist"]
    assert (document.claims["Untitled 1"].texts, document.claims["Untitled 1"].labelled) == (["three"], False)
    assert document.claims["A"].text == "two"


def test_data_can_choose_the_text_that_is_shown() -> None:
    assert sound("[A]: one {isCanonical: true}\n\n[A]: two").claims["A"].text == "one"


@pytest.mark.parametrize(
    ("sign", "expected"),
    [
        ("+", ("support", "B", "A")),
        ("<+", ("support", "B", "A")),
        ("+>", ("support", "A", "B")),
        ("-", ("attack", "B", "A")),
        ("<-", ("attack", "B", "A")),
        ("->", ("attack", "A", "B")),
        ("><", ("contradictory", "A", "B")),
        ("_", ("undercut", "B", "A")),
        ("<_", ("undercut", "B", "A")),
        ("_>", ("undercut", "A", "B")),
    ],
)
@pytest.mark.parametrize("gap", [" ", "\t", ""])
def test_every_relation(sign: str, expected: tuple[str, str, str], gap: str) -> None:
    gap = gap or (" " if sign == "_" else "")  # a lone _ needs a blank behind it
    assert relations(sound(f"[A]: a{NL}    {sign}{gap}[B]: b")) == [expected]


def test_relations_nest_by_indentation_of_blanks_or_tabs() -> None:
    text = "[A]: a\n\t+ [B]\n\t\t- [C]\n\t\t\t+ [D]\n\t- [E]"
    expected = [("support", "B", "A"), ("attack", "C", "B"), ("support", "D", "C"), ("attack", "E", "A")]
    assert relations(sound(text)) == relations(sound(text.replace("\t", "   "))) == expected


def test_the_same_relation_twice_counts_once() -> None:
    assert relations(sound("[A]\n  + [B]\n\n[B]\n  +> [A]\n\n[A]\n  >< [C]\n\n[C]\n  >< [A]")) == [
        ("support", "B", "A"),
        ("contradictory", "A", "C"),
    ]


def test_a_reconstruction() -> None:
    document = sound(
        "<A>: gist\n\n(1) [P]: one #x {a: 1}\n(2) two\n  - [Q]: no\n----\n(3) three\n"
        "-- modus ponens, rule 2 {uses: [1, 3]} --\n(4) [C]: four\n  +> [D]"
    )
    steps = document.arguments["A"].pcs
    assert [(step.role, step.number, step.label) for step in steps] == [
        ("premise", "1", "P"),
        ("premise", "2", "Untitled 1"),
        ("intermediary-conclusion", "3", "Untitled 2"),
        ("main-conclusion", "4", "C"),
    ]
    assert steps[2].inference is not None and steps[2].inference.rules == ()
    last = steps[3].inference
    assert last is not None and last.rules == ("modus ponens", "rule 2") and last.data is not None
    assert last.data.value == {"uses": [1, 3]}
    assert steps[0].data is not None and steps[0].data.value == {"a": 1}
    assert relations(document) == [("attack", "Q", "Untitled 1"), ("support", "C", "D")]


@pytest.mark.parametrize("inference", ["--\nr1, r2 {a: 1}\n--", "-- r1, r2 {a: 1} --", "--\nr1, r2\n{a: 1}\n--", "--  r1 ,\tr2 {a: 1}--"])
def test_expanded_inferences_on_one_line_or_several(inference: str) -> None:
    step = sound(f"(1) a\n{inference}\n(2) b").arguments["Untitled 1"].pcs[1]
    assert step.inference is not None and step.inference.data is not None
    assert (step.inference.rules, step.inference.data.value) == (("r1", "r2"), {"a": 1})


def test_rules_have_shortcodes_and_escapes_resolved() -> None:
    step = sound(r"(1) a" + NL + r"-- p .^. (p .->. q), a\, b \-- c --" + NL + "(2) b").arguments["Untitled 1"].pcs[1]
    assert step.inference is not None and step.inference.rules == ("p ∧ (p → q)", "a, b -- c")


def test_undercuts_of_inferences() -> None:
    document = sound("<A>\n\n(1) a\n----\n  <_ <U>\n    - [V]\n(2) b\n-- r --\n(3) c\n  _ <W>")
    ends = [(one.type, one.source.label, one.target.kind, one.target.label, one.target.conclusion) for one in document.relations]
    assert ends == [
        ("undercut", "U", "inference", "A", 1),
        ("attack", "V", "argument", "U", None),
        ("undercut", "W", "inference", "A", 2),
    ]


def test_a_reconstruction_without_a_title_belongs_to_an_argument_without_one() -> None:
    document = sound("[A]: x\n\n(1) a\n----\n(2) b")
    assert [(one.label, one.labelled) for one in document.arguments.values()] == [("Untitled 1", False)]


def test_a_later_reference_leaves_a_reconstruction_alone() -> None:
    assert len(sound("<A>: g\n\n(1) a\n----\n(2) b\n\n<A>\n\n[B]\n  + <A>").arguments["A"].pcs) == 2


def test_relations_of_a_reconstructed_argument_start_at_its_conclusion() -> None:
    document = sound("<A>: g\n  +> [D]\n  <_ <U>\n  +> [C]\n\n(1) a\n----\n(2) [C]: c")
    assert relations(document) == [("support", "C", "D"), ("undercut", "U", "A")]
    assert [relation.source.kind for relation in document.sketched] == ["argument", "argument", "argument"]


def test_strict_mode() -> None:
    document = sound("===\nmodel:\n    mode: strict\n===\n\n[A]: a\n  + [B]\n  - [C]\n  >< [D]\n  + <E>\n\n[C]\n  - [A]")
    assert document.strict
    assert relations(document) == [
        ("entails", "B", "A"),
        ("contrary", "C", "A"),
        ("contradictory", "A", "D"),
        ("support", "E", "A"),
    ]


def test_tags_mentions_links_emphasis_and_shortcodes() -> None:
    claim = sound("[A]: **Dogs** _bark_ at @[B], see [this](http://x.org/a//b) :A: #one #(two words)").claims["A"]
    assert claim.text == "Dogs bark at @[B], see this ∀"
    assert claim.tags == ("one", "two words")
    assert [type(piece).__name__ for piece in claim.members[0].content if type(piece).__name__ != "Text"] == (
        ["Mark", "Mark", "Mark", "Mark", "Mention", "Link", "Symbol", "Tag", "Tag"]
    )


def test_mentions_are_no_members() -> None:
    assert set(sound("[A]: see @[B] and @<C>").claims) == {"A"}


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (r"\[A\] \<b\> \{c\} \# \* \_ \\ \@", r"[A] <b> {c} # * _ \ @"),
        ("see https://example.org/x and http://b.org.", "see https://example.org/x and http://b.org."),
        ("7 > 3 & so", "7 > 3 & so"),
        ("a -- b - c + d", "a -- b - c + d"),
        ("the options {a, b}, or none", "the options {a, b}, or none"),
        ("the sets {a, {b}}, and {c}, or none", "the sets {a, {b}}, and {c}, or none"),
        ("z.B. dies: so", "z.B. dies: so"),
        ('it\'s "so"', 'it\'s "so"'),
        ("one /* gone */ two // gone", "one two"),
        ("one\n  two\n\tthree", "one two three"),
    ],
)
def test_texts_are_read_as_they_are_meant(written: str, read: str) -> None:
    assert sound(f"[A]: {written}\n").claims["A"].text == read


def test_a_definition_may_have_brackets_in_its_label() -> None:
    assert sound("[A [x]]: y\n\n<A <x>>: z").claims["A [x]"].texts == ["y"]


@pytest.mark.parametrize("label", ["a: b", 'q"t', "a/b & c", "A (1)", "ünï – ∀", "(1)", "a#b"])
def test_labels_may_hold_signs(label: str) -> None:
    assert sound(f"[{label}]: x\n\n[{label}]").claims[label].texts == ["x"]


def test_data_on_definitions_and_references_is_laid_over_what_was_there() -> None:
    document = sound("[A]: x {a: 1, b: {c: 2}}\n\n[A] {b: {d: 3}}\n\n<B> {\n  e: no\n}\n\n# H {isGroup: false}\n\n[A]")
    assert document.claims["A"].data == {"a": 1, "b": {"c": 2, "d": 3}}
    assert document.arguments["B"].data == {"e": "no"}
    assert document.sections[0].data == {"isGroup": False}
    assert document.claims["A"].members[0].data.value == {"a": 1, "b": {"c": 2}}  # type: ignore[union-attr]


def test_headings_make_sections() -> None:
    document = sound(
        "[A]: x\n\n# One #t\n\n[B]: y\n  + [A]\n\n## Two\n\n<C>\n\n(1) a\n----\n(2) b\n\n"
        "# Three\n\n[D]: d\n\n[B]: z\n\n[A] {isInGroup: true}"
    )
    assert [(one.level, one.title, one.parent, one.tags) for one in document.sections] == [
        (1, "One", None, ("t",)),
        (2, "Two", 0, ()),
        (1, "Three", None, ()),
    ]
    assert [document.claims[label].section for label in "ABD"] == [2, 0, 2]
    assert document.arguments["C"].section == 1


def test_lists() -> None:
    document = sound("* [A]: x\n  + [B]\n* <C>\n\n1. one\n2. two")
    assert list(document.claims) == ["A", "B", "Untitled 1", "Untitled 2"]
    assert relations(document) == [("support", "B", "A")]


def test_front_matter() -> None:
    document = sound("===\ntitle: Dogs\nauthor: [A, B]\n===\n\n[A]: x")
    assert document.setting("title") == "Dogs"
    assert document.setting("author", "name") is None


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff[A]: a b\n    + [B]\n\n<C>\n\n(1) x\n----\n(2) y",
        "[A]: a b\r\n    + [B]\r\n\r\n<C>\r\n\r\n(1) x\r\n----\r\n(2) y\r\n",
        "[A]: a b\n    + [B]\n  \t \n<C>\n   \n(1) x\n----\n(2) y\n\n  \n",
        "[A]:\ta\tb\n\t+\t[B]\n\n<C>\n\n(1)\tx\n----\n(2)\ty",
        "// note\n[A]: a b // note\n    // note\n    + [B] /* note */\n\n<C> <!-- note -->\n\n(1) x\n// note\n----\n(2) y",
    ],
    ids=["byte order mark", "Windows", "blank lines with blanks", "tabs", "comments"],
)
def test_what_is_not_seen_changes_nothing(text: str) -> None:
    document = sound(text)
    assert document.claims["A"].text == "a b"
    assert relations(document) == [("support", "B", "A")]
    assert [step.role for step in document.arguments["C"].pcs] == ["premise", "main-conclusion"]


def test_members_keep_the_order_of_the_text() -> None:
    document = sound("[A]: one\n  + [A]: two\n    - [A]: three\n\n[A]: four")
    assert document.claims["A"].texts == ["one", "two", "three", "four"]
