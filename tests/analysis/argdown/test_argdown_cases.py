"""The small texts that were written to trip a parser: those whose right answer the language alone decides."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from suasion.analysis.argdown import Document, parse

# case: (claims, arguments, relations, codes of errors)
RIGHT: dict[str, tuple[int, int, int, list[str]]] = {
    "m02-tabs": (1, 2, 2, []),
    "m03-mixed-tabs-spaces": (3, 0, 2, []),
    "m05-nested5": (6, 0, 5, []),
    "m07-undercut": (1, 2, 2, []),
    "m09-same-label-same-text": (1, 2, 2, []),
    "m10-ref-before-def": (1, 1, 1, []),
    "m11-cycle": (2, 0, 2, []),
    "m13-heading": (1, 2, 2, []),
    "m14-frontmatter": (1, 2, 2, []),
    "m17-mention": (1, 1, 1, []),
    "m19-url-in-text": (1, 1, 1, []),
    "m20-empty-block": (0, 0, 0, ["empty"]),
    "m21-only-comment": (0, 0, 0, ["empty"]),
    "m23-label-chars": (1, 1, 1, []),
    "m24-wrapped-text": (1, 1, 1, []),
    "m26-same-name-claim-arg": (2, 2, 2, []),
    "m31-dup-relation": (1, 1, 1, []),
    "m32-yaml-colon-quote": (1, 1, 1, []),
    "m33-braces-in-text": (1, 1, 1, ["data"]),
    "m41-endash-arrow": (1, 1, 0, ["no-empty-line"]),
    "m43-blank-line-in-children": (1, 2, 2, ["relation-after-empty-line"]),
    "m45-map-arg-root-multi-parent": (2, 1, 2, []),
    "m46-close-bracket-in-label": (1, 1, 1, []),
    "m47-bom": (1, 2, 2, []),
    "m48-nbsp-indent": (1, 2, 2, ["odd-blanks", "odd-blanks"]),
    "m50-huge-many-blocks": (60, 60, 60, []),
    "m51-data-on-reference": (1, 2, 2, []),
    "m57-special-char-code": (1, 1, 1, []),
    "m58-strict-mode-contrary": (2, 0, 1, []),
    "i01-baseline": (3, 1, 0, []),
    "i08-P1-C1": (1, 1, 0, ["inference-in-text"]),
    "i11-no-blank-after-title": (3, 1, 0, ["no-empty-line"]),
    "i14-labelled-premise": (3, 1, 0, []),
    "i17-crlf": (3, 1, 0, []),
    "i22-starts-with-conclusion": (2, 1, 0, ["starts-with-inference"]),
    "i23-blank-between-premises": (3, 1, 0, ["empty-line-in-reconstruction"]),
    "i24-numbers-gap": (3, 1, 0, []),
    "i25-wrapped-premise": (3, 1, 0, []),
    "i27-empty-premise": (3, 1, 0, ["no-claim"]),
    "i32-url-premise": (3, 1, 0, []),
    "i33-premise-lt": (3, 1, 0, []),
    "i34-title-same-as-claim": (3, 1, 0, []),
    "i41-ref-after-pcs": (3, 1, 0, []),
    "i42-two-pcs-same-title": (5, 1, 0, ["second-reconstruction"]),
    "i45-expanded-rules-only": (3, 1, 0, []),
    "i47-gist-next-line": (3, 1, 0, []),
}


@pytest.fixture
def cases(shared_data: Path) -> Path:
    return shared_data / "argdown-cases"


def block(cases: Path, name: str) -> Document:
    """The last fenced block of an answer, read."""
    answer = (cases / f"{name}.txt").read_bytes().decode("utf-8")
    blocks = re.findall(r"```argdown[^\r\n]*\r?\n(.*?)\r?\n?```", answer, re.DOTALL)
    return parse(blocks[-1])


@pytest.mark.parametrize("name", RIGHT)
def test_a_case_gets_its_right_answer(cases: Path, name: str) -> None:
    document = block(cases, name)
    codes = [error.code for error in document.errors]
    assert (len(document.claims), len(document.arguments), len(document.relations), codes) == RIGHT[name]


def test_texts_that_look_like_markup_are_kept(cases: Path) -> None:
    assert block(cases, "m19-url-in-text").claims["A"].text == "See https://example.org/x for data."
    assert "https://example.org/dogs" in (block(cases, "i32-url-premise").claims["Untitled 1"].text or "")
    assert block(cases, "i33-premise-lt").claims["Untitled 1"].text == "<b>Dogs</b> are loyal & x < y."
    assert [one.type for one in block(cases, "m58-strict-mode-contrary").relations] == ["contrary"]


def test_a_later_reference_wipes_nothing(cases: Path) -> None:
    (argument,) = block(cases, "i41-ref-after-pcs").arguments.values()
    assert [step.role for step in argument.pcs] == ["premise", "premise", "main-conclusion"]
