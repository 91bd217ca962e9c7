"""The 395 short debates with gold argument graphs: maps and annotations made of them are valid; spoilt copies are not."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator
from html import escape
from pathlib import Path
from typing import Any

import pytest

from suasion.analysis.logic.prover import Prover
from suasion.analysis.tasks import get_task
from suasion.analysis.verification.verify import verify

FILE = Path(__file__).resolve().parents[4] / "shared" / "data" / "debate-texts" / "arg-microtexts" / "microtexts.jsonl"
TEXTS = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()] if FILE.is_file() else []
pytestmark = pytest.mark.skipif(not TEXTS, reason="needs ../shared/data beside the repository")
Row = dict[str, Any]


@pytest.fixture(scope="module")
def prover() -> Iterator[Prover]:
    with Prover(workers=0) as prover:
        yield prover


def map_of(row: Row) -> str:
    return f"The map:\n\n```argdown\n{row['argdown']}```\n"


def annotation_of(row: Row) -> str:
    """The text with its gold segments marked. A segment that was pieced together is marked in its pieces; each says the same."""
    places: list[tuple[int, int, str, str]] = []
    taken = [False] * len(row["text"])
    for adu in sorted(row["adus"], key=lambda adu: -len(adu["text"])):
        for number, (start, end) in enumerate(pieces(adu["text"], row["text"], taken)):
            places.append((start, end, adu["id"] if number == 0 else f"{adu['id']}.{number}", adu["id"]))
            taken[start:end] = [True] * (end - start)
    known = {name for _, _, name, _ in places}
    says = relations(row)
    out, at = [], 0
    for start, end, name, adu in sorted(places):
        attributes = "".join(
            f' {verb}="{" ".join(sorted(says[verb, adu] & known))}"'
            for verb in ("supports", "attacks")
            if says.get((verb, adu), set()) & known
        )
        out += [escape(row["text"][at:start]), f'<proposition id="{name}"{attributes}>', escape(row["text"][start:end]), "</proposition>"]
        at = end
    return f"```xml\n{''.join(out)}{escape(row['text'][at:])}\n```"


def pieces(segment: str, text: str, taken: list[bool]) -> list[tuple[int, int]]:
    """Where a segment stands in its text: in one piece, or sentence by sentence; capitals aside."""
    found = []
    for part in [segment] if segment.lower() in text.lower() else re.split(r"(?<=[.!?])\s+", segment):
        start = text.lower().find(part.lower())
        while start >= 0 and any(taken[start : start + len(part)]):
            start = text.lower().find(part.lower(), start + 1)
        if start >= 0:
            found.append((start, start + len(part)))
    return found


def relations(row: Row) -> dict[tuple[str, str], set[str]]:
    """What each segment supports and attacks. An undercut attacks the segment whose relation it questions.

    A linked segment says what its partner says.
    """
    by_id = {relation["id"]: relation for relation in row["relations"]}
    said: dict[tuple[str, str], set[str]] = {}
    for relation in row["relations"]:
        chain, source = relation, relation["src"]
        while chain["type"] == "add":
            chain = by_id[chain["trg"]]
        verb = "attacks" if chain["type"] in ("reb", "und") else "supports"
        target = by_id[chain["trg"]]["src"] if chain["trg"] in by_id else chain["trg"]
        said.setdefault((verb, source), set()).add(target)
    return said


def verdicts(task: str, make: Callable[[Row], str], prover: Prover) -> dict[str, str]:
    return {f"{row['id']}.{row['lang']}": verify(get_task(task), row["text"], [make(row)], prover=prover)[0].name for row in TEXTS}


def spoilt_map(row: Row) -> str:
    """The map with one thing wrong with it, one of several by the text's number."""
    text: str = row["argdown"]
    ways = [
        re.sub(r"^\[(\w+)\]: ", "", text, count=1),  # the label of a claim
        text + "\n[a1]: one text\n\n[a1]: another text\n",
        re.sub(r"^<(\w+)>: .*", r"<\1>\n\n(1) One.\n----\n(2) Two.\n", text, count=1, flags=re.MULTILINE),
        text.replace("    ", "", 1),  # the indent of a relation
        text + "\n[self]: a claim\n    +> [self]\n",
        re.sub(r"^    [-+_]> (.*)", r"    +> \1\n    -> \1", text, count=1, flags=re.MULTILINE) + "\n<never>: said\n    +> [missing]\n",
        "// " + text.replace("\n", "\n// "),
    ]
    return f"```argdown\n{ways[random.Random(row['id']).randrange(len(ways))]}```"


def spoilt_annotation(row: Row) -> str:
    """The annotation with one thing wrong with it."""
    text = annotation_of(row)
    draw = random.Random(row["id"])
    words = [
        found
        for found in re.finditer(r"(?<=[ >])[\w']+(?=[ <.,])", text)
        if "<" not in text[found.start() - 1] or text[found.start() - 1] == ">"
    ]
    words = [found for found in words if text.rfind("<", 0, found.start()) <= text.rfind(">", 0, found.start())]
    word = draw.choice(words)
    ways = [
        text[: word.start()] + text[word.end() :],
        text[: word.start()] + "surely " + text[word.start() :],
        text[: word.start()] + word.group()[::-1] + "x" + text[word.end() :],
        text.replace("</proposition>", "", 1),
        text.replace(' id="', ' name="', 1),
        text.replace('<proposition id="', '<proposition supports="nobody" id="', 1),
        re.sub(r"</?proposition[^>]*>", "", text),
    ]
    return ways[draw.randrange(len(ways))]


def test_gold_maps_are_valid(prover: Prover) -> None:
    assert len(TEXTS) == 395
    assert {name for name, verdict in verdicts("argmap", map_of, prover).items() if verdict != "valid"} == set()


def test_annotations_made_of_gold_segments_are_valid(prover: Prover) -> None:
    assert sum(annotation_of(row).count("<proposition") >= len(row["adus"]) - 1 for row in TEXTS) > 380
    assert {name for name, verdict in verdicts("arganno", annotation_of, prover).items() if verdict != "valid"} == set()


def test_spoilt_maps_are_not(prover: Prover) -> None:
    assert {name for name, verdict in verdicts("argmap", spoilt_map, prover).items() if verdict != "invalid"} == set()


def test_spoilt_annotations_are_not(prover: Prover) -> None:
    assert {name for name, verdict in verdicts("arganno", spoilt_annotation, prover).items() if verdict != "invalid"} == set()
