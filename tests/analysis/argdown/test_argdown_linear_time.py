"""Eight times the text takes about eight times the work, whatever the text is made of."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from suasion.analysis.argdown import parse, to_text
from suasion.analysis.argdown.maps import build_map
from suasion.analysis.argdown.relations import implied_relations
from tests.work_done import lines_run

SHAPES: dict[str, Callable[[int], str]] = {
    "nodes in one block": lambda n: "[T]: t\n" + "\n".join(f"    + <A{i}>: because {i}" for i in range(n)),
    "nodes in many blocks": lambda n: "\n\n".join(f"[C{i}]: c\n    - <A{i}>: a" for i in range(n // 2)),
    "relations between the same nodes": lambda n: "[A]\n" + "  + [B]\n" * n,
    "members of one claim": lambda n: "[A]: x #t{a: 1}\n\n" * n,
    "different tags of one claim": lambda n: "\n\n".join(f"[A] #t{i}" for i in range(n)),
    "different keys of one claim": lambda n: "\n\n".join(f"[A] {{k{i}: 1}}" for i in range(n)),
    "premises": lambda n: "\n".join(f"({i}) p" for i in range(n)) + "\n----\n(1) c",
    "reconstructions": lambda n: "\n\n".join(f"<A{i}>\n\n(1) [P{i}]: p\n-- r {{from: ['1']}} --\n(2) [P{i + 1}]: c" for i in range(n // 4)),
    "ever deeper relations": lambda n: "[A]\n" + "\n".join(" " * (i % 300 + 1) + "+ [B]" for i in range(n)),
    "headings": lambda n: "\n\n".join(f"{'#' * (i % 6 + 1)} H{i}" for i in range(n)),
    "list items": lambda n: "* a\n" * n,
    "a long line": lambda n: "word " * n * 4,
    "a long text": lambda n: "a line of words\n" * n,
    "open brackets": lambda n: "[" * n,
    "open and closed brackets": lambda n: "[" * n + "]" * n,
    "open braces": lambda n: "{" * n,
    "open braces, a line each": lambda n: "x {\n" * n,
    "nested braces": lambda n: "x " + "{" * n + "}" * n,
    "open angles": lambda n: "<" * n,
    "open HTML tags": lambda n: "x <b>" * n,
    "open comments": lambda n: "x /* <!-- " * n,
    "closed comments": lambda n: "x /* y */ <!-- z -->" * n,
    "comment lines": lambda n: "// c\n" * n,
    "quotes": lambda n: "{a: '" * n,
    "double quotes": lambda n: '{a: "' * n + "}" * n,
    "bold and italic": lambda n: "**a _b " * n,
    "closed bold": lambda n: "**a** " * n,
    "mentions": lambda n: "@[a" * n,
    "backslashes": lambda n: "\\" * n,
    "dots and colons": lambda n: ".:" * n,
    "front matter signs": lambda n: "x\n\n===\n" * n,
    "equals signs": lambda n: "=" * n,
    "hyphens": lambda n: "(1) a\n" + "-" * n + "x\n(2) b",
    "open inferences": lambda n: "(1) a\n-- x\n" * n,
    "rules": lambda n: "(1) a\n-- " + "r, " * n + "r --\n(2) b",
    "empty lines": lambda n: " \n" * n + "a",
    "carriage returns": lambda n: "\r\n" * n,
    "blanks": lambda n: " " * n + "x" + "\u00a0" * n,
    "signs": lambda n: "+ - <+ " * n,
    "URLs": lambda n: "http://a.b/c " * n,
    "hashes": lambda n: "#(" * n,
    "links": lambda n: "[a](" * n,
    "errors": lambda n: "+ [A] x\n\n" * n,
}
SMALL, TIMES, ALLOWED = 100, 8, 12  # quadratic would be 64


def both(text: str) -> None:
    to_text(parse(text))


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_reading_and_printing_take_work_in_proportion(shape: Callable[[int], str]) -> None:
    small, large = shape(SMALL), shape(SMALL * TIMES)
    both(small)  # what is made once is made here
    assert lines_run(lambda: both(large)) < ALLOWED * max(200, lines_run(lambda: both(small)))


@pytest.mark.timeout(60)  # about a second each; what is quadratic within C, or in a regular expression, takes minutes
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_long_text_does_not_hang(shape: Callable[[int], str]) -> None:
    both(shape(16_000))


def test_a_hundred_thousand_relations() -> None:
    text = "[T]: t\n" + "".join(f"  {'+-'[i % 2]} <A{i}>\n" for i in range(100_000))
    document = parse(text)
    assert len(document.relations) == 100_000 and not document.errors


def test_the_same_claims_in_many_arguments_do_not_blow_up() -> None:
    """n arguments for a claim that n arguments presuppose imply n² relations: they are made one by one, and a map says that it is too
    large."""
    count = 600
    text = "\n\n".join(f"<F{i}>\n\n(1) p\n----\n(2) [C]\n\n<U{i}>\n\n(1) [C]\n----\n(2) q" for i in range(count))
    document = parse(text)
    first = [relation for relation, _ in zip(implied_relations(document), range(10), strict=False)]
    assert len(first) == 10
    assert len(build_map(document).edges) < 10 * count
