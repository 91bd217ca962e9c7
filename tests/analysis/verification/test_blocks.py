"""Blocks are found in whatever an answer wraps them in, and what hides one is told."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suasion.analysis.verification.blocks import MOST_BLOCKS, MOST_CHARACTERS, ArtefactName, Block, read_blocks
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.metadata import read_info

TWO: tuple[ArtefactName, ...] = ("map", "reconstruction")


def one(answer: str, name: ArtefactName = "map") -> tuple[Block | None, list[Finding]]:
    blocks, findings = read_blocks(answer, (name,))
    return blocks.get(name), list(findings)


@pytest.mark.parametrize(
    "answer",
    [
        "```argdown\n[A]: a\n```",
        "````argdown\n[A]: a\n````",
        "~~~argdown\n[A]: a\n~~~",
        "~~~~ argdown title\n[A]: a\n~~~~~",
        "1. My map:\n\n   ```argdown\n   [A]: a\n   ```\n",
        "\t```argdown\n\t[A]: a\n\t```",
        "- ```argdown\n  [A]: a\n  ```",
        "```Argdown\n[A]: a\n```",
        "```ad\n[A]: a\n```",
        "``` {.argdown .numberLines}\n[A]: a\n```",
        "```{argdown}\n[A]: a\n```",
        "```argdown my map\n[A]: a\n```",
        '```argdown {filename="map.ad"}\'\n[A]: a\n```',
        "\ufeff```argdown\n[A]: a\n```",
        "```argdown\r\n[A]: a\r\n```\r\n",
        "```argdown\n[A]: a\n``` and that is my map.",
        "```argdown\nfirst\n```\n```argdown\n[A]: a\n```",
        "```argdown\nforgotten to close\n\n```argdown\n[A]: a\n```",
        "```\nplain\n\n```argdown\n[A]: a\n```",
        "```markdown\nMy map:\n```argdown\n[A]: a\n```\n```",
        "The map is ```argdown too.\n\n```argdown\n[A]: a\n```",
    ],
)
def test_a_block_is_found(answer: str) -> None:
    block, findings = one(answer)
    assert not findings and block and block.text == "[A]: a" and block.closed


@pytest.mark.parametrize(
    ("answer", "code", "place"),
    [
        ("", "map.missing", (None, None)),
        ("[A]: a", "map.missing", (None, None)),
        ("```xml\n<proposition/>\n```", "map.missing", (None, None)),
        ("```\n[A]: a\n```", "map.missing", (None, None)),
        ("Here: ```argdown\n[A]: a\n```", "map.missing", (1, 7)),
        ("````text\n```argdown\n[A]: a\n```\n````", "map.missing", (None, None)),
        ("~~~text\n```argdown\n[A]: a\n```\n~~~", "map.missing", (None, None)),
        ("```argdown\n[A]: a", "map.unclosed-block", (1, 1)),
        ("```argdown\n[A]: a```", "map.unclosed-block", (1, 1)),
        ("````argdown\n[A]: a\n```", "map.unclosed-block", (1, 1)),
        ("text\n```argdown\n[A]: a\n``", "map.unclosed-block", (2, 1)),
    ],
)
def test_what_hides_a_block_is_told(answer: str, code: str, place: tuple[int | None, int | None]) -> None:
    _, findings = one(answer)
    assert [(found.code, (found.line, found.column)) for found in findings] == [(code, place)]


@pytest.mark.parametrize(
    ("info", "name"),
    [
        ('argdown {filename="map.ad"}', "map.ad"),
        ("argdown {filename='map.ad'}", "map.ad"),
        ('argdown {filename: "map.ad"}', "map.ad"),
        ('argdown {"filename": "map.ad", "lines": 3}', "map.ad"),
        ("argdown filename=map.ad", "map.ad"),
        ('argdown title="map.ad" linenums="1"', "map.ad"),
        ("argdown {file = map.ad}", "map.ad"),
        ("argdown:map.ad", "map.ad"),
        ("argdown map.ad", "map.ad"),
        ("argdown (file ./out/map.ad)", "./out/map.ad"),
        ("argdown{filename=map.ad}", "map.ad"),
        ('{.argdown filename="map.ad"}', "map.ad"),
        ("argdown", None),
        ("argdown {filename=}", None),
        ("argdown {{{", None),
        ("argdown " + "=" * 5_000, None),
    ],
)
def test_metadata_in_any_spelling(info: str, name: str | None) -> None:
    kind, metadata = read_info(info)
    assert kind == "argdown" and metadata.get("filename") == name


def test_two_argdown_artefacts_are_told_apart_by_file_name() -> None:
    answer = (
        "```argdown {filename=reconstructions.ad}\ndraft\n```\n```argdown {filename: 'Map.ad'}\nmap\n```\n"
        "```argdown\nwithout a name\n```\n```argdown reconstructions.ad\nlast\n```\n"
    )
    blocks, findings = read_blocks(answer, TWO)
    assert {name: block.text for name, block in blocks.items()} == {"map": "map", "reconstruction": "last"} and not findings


def test_a_name_that_is_missing_or_wrong_is_told() -> None:
    _, findings = read_blocks("```argdown\nmap\n```\n```argdown {filename=recos.ad}\nreco\n```", TWO)
    assert [found.code for found in findings] == ["map.missing", "reconstruction.missing"]
    assert "recos.ad" in findings[0].message and 'filename="map.ad"' in findings[0].message
    _, findings = read_blocks("```argdown\nmap\n```", TWO)
    assert "No argdown block has a file name" in findings[0].message


def test_places_are_those_of_the_answer() -> None:
    block, _ = one("1. Map:\n\n   ```argdown\n   [A]: a\n     + x\n   ```")
    assert block and block.text == "[A]: a\n  + x" and block.line == 4 and block.last == 6
    assert block.place(2, 3) == (5, 6)


def test_limits_are_told() -> None:
    block, findings = one("a" * (MOST_CHARACTERS + 1))
    assert block is None and [(found.code, found.undecided) for found in findings] == [("answer.too-long", True)]
    assert f"{MOST_CHARACTERS:,}" in findings[0].message
    _, findings = one("```argdown\n[A]: a\n```\n" * (MOST_BLOCKS + 1))
    assert [found.code for found in findings] == ["answer.too-many-blocks"] and not findings[0].undecided
    assert not one("```argdown\n[A]: a\n```\n" * MOST_BLOCKS)[1]


_PIECES = st.sampled_from(
    ["```", "````", "~~~", "argdown", "xml", "\n", "\r\n", " ", "\t", "{", "filename=map.ad", "}", "`", "a", "\x00", "- "]
)


@given(st.lists(_PIECES | st.text(max_size=3), max_size=60).map("".join))
@settings(max_examples=300, deadline=None)
def test_nothing_raises_and_blocks_are_pieces_of_the_answer(answer: str) -> None:
    blocks, findings = read_blocks(answer, ("annotation", "map", "reconstruction"))
    assert {"annotation", "map", "reconstruction"} == {*blocks} | {
        f.code.partition(".")[0] for f in findings if f.code.endswith(".missing")
    }
    flat = answer.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff").split("\n")
    for block in blocks.values():
        for number, line in enumerate(block.text.split("\n") if block.last > block.line or block.text else []):
            assert flat[block.line - 1 + number].endswith(line)


@given(st.text(st.characters(blacklist_characters="`~\r\n\ufeff"), max_size=40), st.sampled_from(["```", "````", "~~~"]))
@settings(max_examples=100, deadline=None)
def test_what_is_fenced_is_read_back(line: str, fence: str) -> None:
    block, findings = one(f"Before.\n{fence}argdown\n{line}\n{fence}\nBehind.")
    assert block and block.text == line and not findings
