"""UKPConvArg1 (Habernal & Gurevych 2016, "Which argument is more convincing?", ACL, CC BY 4.0): crowd verdicts on arguments of one side.

Two arguments of the same side of a debate stand against each other; a side (topic and stance, 32 of them) is what its papers call a fold.
Three forms are read, told apart by what lies in the folder:

* ``UKPConvArg1Strict-XML``: one ``*.xml`` a side, with topic, stance, texts and the gold label of each pair;
* ``UKPConvArg1Strict-CSV``: one tab-separated ``*.csv`` a side (``#id label a1 a2``); topic and stance only in the file's name;
* ``arguments.jsonl`` and ``pairs_strict.jsonl``: each argument once (``arg_id, fold, topic, stance, text``), pairs by ids (``fold, winner,
  loser``).

Pairs judged equal are left out. Line ends, ``<br/>`` in the CSV, are put back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from suasion.errors import SuasionError
from suasion.persuasion.dataset import Pair

ARGUMENTS, STRICT = "arguments.jsonl", "pairs_strict.jsonl"
_CSV_HEAD = "#id\tlabel\ta1\ta2"
_BREAK = re.compile(r" ?<br ?/> ?")
_XML_HEAD = re.compile(r"<annotatedArgumentPair[\s>]")

Reader = Callable[[Path], list[Pair]]


def reader_of(folder: Path) -> Reader | None:
    """What reads this folder, or ``None`` where it is not UKPConvArg1."""
    if not folder.is_dir():
        return None
    if (folder / ARGUMENTS).is_file() and (folder / STRICT).is_file():
        return _compact
    if any(_XML_HEAD.search(_head(file)) for file in sorted(folder.glob("*.xml"))[:1]):
        return lambda place: [pair for file in sorted(place.glob("*.xml")) for pair in _xml(file)]
    if any(_head(file).startswith(_CSV_HEAD) for file in sorted(folder.glob("*.csv"))[:1]):
        return lambda place: [pair for file in sorted(place.glob("*.csv")) for pair in _csv(file)]
    return None


def premise_of_side(topic: str, stance: str) -> str:
    """What both arguments are about, in the words of the source: the debate's title, and the side they take."""
    return f"{topic}\n\n{stance}".strip()


def _compact(folder: Path) -> list[Pair]:
    arguments = {str(row["arg_id"]): row for row in _rows(folder / ARGUMENTS, "arg_id", "fold", "topic", "stance", "text")}
    pairs = []
    for number, row in enumerate(_rows(folder / STRICT, "fold", "winner", "loser"), 1):
        winner, loser = arguments.get(row["winner"]), arguments.get(row["loser"])
        if winner is None or loser is None:
            raise SuasionError(f"The pair in line {number} names an argument that {ARGUMENTS} does not hold.", where=folder / STRICT)
        premise = premise_of_side(winner["topic"], winner["stance"])
        pairs.append(Pair(row["fold"], premise, row["winner"], winner["text"], row["loser"], loser["text"]))
    return pairs


def _rows(path: Path, *texts: str) -> Iterator[dict[str, str]]:
    for number, line in enumerate(_lines(path), 1):
        try:
            row = json.loads(line)
            wrong = [name for name in texts if not isinstance(row[name], str)]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise SuasionError(f"Line {number} is not a row with {', '.join(texts)}: {error!s:.100}", where=path) from error
        if wrong:
            raise SuasionError(f"Line {number} has no text in {', '.join(wrong)}.", where=path)
        yield row


def _csv(path: Path) -> Iterator[Pair]:
    """Rows as they are: the source quotes nothing, so a quotation mark is one."""
    topic, _, stance = path.stem.partition("_")
    premise = premise_of_side(topic.replace("-", " ").strip(), stance.replace("-", " ").strip())
    for number, line in enumerate(_lines(path)[1:], 2):
        fields = line.split("\t")
        if len(fields) != 4:
            raise SuasionError(f"Line {number} has {len(fields)} columns and not four: id, label, a1, a2.", where=path)
        names, label, first, second = fields
        yield from _pair(path.stem, premise, names, label, _BREAK.sub("\n", first), _BREAK.sub("\n", second), f"{path}, line {number}")


def _xml(path: Path) -> Iterator[Pair]:
    """Streamed. Expat (2.4.1 and later) refuses entities that blow up, and ElementTree fetches none from outside."""
    try:
        for number, (_, element) in enumerate(_elements(path), 1):
            first, second = _text(element, "arg1/text"), _text(element, "arg2/text")
            topic, stance = _text(element, "debateMetaData/title"), _text(element, "arg1/stance")
            names, label = _text(element, "id"), _text(element, "goldLabel")
            yield from _pair(path.stem, premise_of_side(topic, stance), names, label, first, second, f"{path}, pair {number}")
            element.clear()
    except (ElementTree.ParseError, OSError, ValueError) as error:
        raise SuasionError(f"This is not the XML of UKPConvArg1: {error!s:.200}", where=path) from error


def _elements(path: Path) -> Iterator[tuple[str, Any]]:
    events = ElementTree.iterparse(path, events=("end",))  # noqa: S314 - see _xml
    return ((event, element) for event, element in events if element.tag == "annotatedArgumentPair")


def _text(element: Any, place: str) -> str:
    found = element.findtext(place)
    if not isinstance(found, str):
        raise ValueError(f"a pair without {place}")
    return found.strip()


def _pair(fold: str, premise: str, names: str, label: str, first: str, second: str, where: str) -> Iterator[Pair]:
    """The pair with its winner first; nothing where the two were judged equal."""
    if label == "equal":
        return
    one, _, other = names.partition("_")
    if label not in ("a1", "a2") or not one or not other:
        raise SuasionError(f"A pair is named 'a_b' and labelled a1, a2 or equal, not '{names:.40}', '{label:.20}'.", where=where)
    sides = [(one.removeprefix("arg"), first), (other.removeprefix("arg"), second)]
    (winner_id, winner), (loser_id, loser) = sides if label == "a1" else sides[::-1]
    yield Pair(fold, premise, winner_id, winner, loser_id, loser)


def _lines(path: Path) -> list[str]:
    try:
        return [line for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise SuasionError(f"Cannot be read as text: {error!s:.200}", where=path) from error


def _head(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(2000).decode("utf-8", "replace")
    except OSError:
        return ""
