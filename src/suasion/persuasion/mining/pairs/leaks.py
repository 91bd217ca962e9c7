"""Proof that the splits of a folder of pairs share nothing. Reads nothing but the written files, whoever made them.

A leak is a fact about single rows: a debate, an author or a text (or near-copy of one) on two sides, a winner by the post's own author,
a pair of one text with itself. Whether length tells the winner is a matter of degree, and is shown beside.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from suasion.errors import SuasionError
from suasion.files import read_json
from suasion.persuasion.mining.pairs.copies import near_duplicates
from suasion.persuasion.mining.pairs.splits import SPLITS
from suasion.persuasion.mining.pairs.tables import texts_of_prompt
from suasion.statistics import Estimate, clustered_auc

NEAR_DUPLICATE = 0.8
_OPTIONAL = {
    "prompt": "no premise is compared",
    "debate_id": "a debate in two splits can only be told by its texts",
    "winner_author_hash": "authors are not compared",
    "loser_author_hash": "authors are not compared",
    "post_author_hash": "whether a winner is the post's author cannot be seen",
}
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Leak:
    """Something that stands where it must not."""

    kind: str
    """debate, author, text, near-copy, same text, post's author"""
    where: tuple[str, ...]
    """Splits, in their order."""
    told: str

    def __str__(self) -> str:
        return self.told


@dataclass(frozen=True)
class Verified:
    """What was found in a folder of pairs."""

    rows: dict[str, int]
    """By file."""
    leaks: tuple[Leak, ...]
    notes: tuple[str, ...]
    """What could not be checked, and why."""
    near_duplicate: float
    length_auc: dict[str, dict[str, Estimate]]
    """By split and measure: the chance that a random winner is longer than a random loser; 0.5 where length says nothing."""

    def as_dict(self) -> dict[str, Any]:
        """A JSON-able copy."""
        return {
            "clean": not self.leaks,
            "leaks": [{"kind": leak.kind, "where": list(leak.where), "told": leak.told} for leak in self.leaks],
            "notes": list(self.notes),
            "rows": self.rows,
            "near_duplicate": self.near_duplicate,
            "length_auc": {split: {name: one.as_dict() for name, one in found.items()} for split, found in self.length_auc.items()},
        }


@dataclass
class _Seen:
    """Where everything stands."""

    debates: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    authors: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    texts: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    leaks: list[Leak] = field(default_factory=list)
    notes: dict[str, None] = field(default_factory=dict)
    """In order, each once."""
    rows: dict[str, int] = field(default_factory=dict)
    post_authors: int = 0

    def take(self, split: str, row: Row, texts: Iterable[str], authors: Iterable[str | None]) -> None:
        """Note everything of a row as standing in ``split``."""
        if row.get("debate_id"):
            self.debates[str(row["debate_id"])].add(split)
        for author in authors:
            if author:
                self.authors[author].add(split)
        for text in (*_prompt_texts(row.get("prompt")), *texts):
            self.texts[text].add(split)


def find_leaks(folder: Path, near_duplicate: float = NEAR_DUPLICATE) -> list[str]:
    """What stands where it must not in a folder of pairs, a line each; empty when all is well. Raises as :func:`verify`."""
    return [leak.told for leak in verify(folder, near_duplicate).leaks]


def verify(folder: Path, near_duplicate: float | None = None) -> Verified:
    """Look through all tables of a folder that ``make_pairs`` wrote, or through pair tables that somebody else made.

    Args:
        folder: with ``train.parquet``, ``validation.parquet`` and ``test.parquet`` (one may be missing), and, if they are there,
            ``premises.parquet``, ``best-of-four.parquet`` and ``labelled.parquet``.
        near_duplicate: how much of their word 5-grams two texts must share to count as one; ``None``: as the folder's
            ``datacard.json`` says, else 0.8.

    Raises:
        SuasionError: there are no tables of pairs, or one is unreadable or lacks the replies.
    """
    if not folder.is_dir():
        raise SuasionError("There is no such folder of pairs.", where=folder, hint="Name the folder that `suasion pairs` wrote into.")
    seen = _Seen()
    auc = {split: _pairs(folder / f"{split}.parquet", split, seen) for split in SPLITS if (folder / f"{split}.parquet").exists()}
    if not auc:
        raise SuasionError(
            "Cannot read the tables of pairs: there is no train.parquet, validation.parquet or test.parquet.",
            where=folder,
            hint="Make the pairs with: suasion pairs MINED -o DIR",
        )
    for split in SPLITS:
        if split not in auc:
            seen.notes[f"{split}.parquet is not there"] = None
    if not seen.post_authors:
        seen.notes[f"no row tells its post's author: {_OPTIONAL['post_author_hash']}"] = None
    for name, look in (("premises", _premise), ("best-of-four", _four), ("labelled", _single)):
        path = folder / f"{name}.parquet"
        if path.exists():
            for row in _rows(path, ("split", "prompt"), seen):
                if row["split"] not in SPLITS:
                    raise SuasionError(f"There is no split '{row['split']!s:.40}'.", where=path)
                look(row, seen, path)
        else:
            seen.notes[f"{name}.parquet is not there"] = None
    threshold = near_duplicate if near_duplicate is not None else _threshold(folder, seen)
    return Verified(seen.rows, (*seen.leaks, *_crossing(seen, threshold)), tuple(seen.notes), threshold, auc)


def _pairs(path: Path, split: str, seen: _Seen) -> dict[str, Estimate]:
    sizes: dict[str, list[tuple[Any, Any]]] = {"words": [], "tokens": []}
    debates: list[str] = []
    for row in _rows(path, ("chosen", "rejected"), seen, _OPTIONAL):
        chosen, rejected = _reply(row["chosen"], path), _reply(row["rejected"], path)
        winner_author, post_author = row.get("winner_author_hash"), row.get("post_author_hash")
        seen.take(split, row, (chosen, rejected), (winner_author, row.get("loser_author_hash")))
        seen.post_authors += post_author is not None
        if chosen == rejected:
            seen.leaks.append(Leak("same text", (split,), f"a pair in {split} has one text on both sides: {_shown(chosen)}"))
        if post_author is not None and winner_author == post_author:
            seen.leaks.append(Leak("post's author", (split,), f"a winner in {split} is the post's author: {_shown(chosen)}"))
        debates.append(str(row.get("debate_id") or _joined(row.get("prompt"))))
        sizes["words"].append((len(chosen.split()), len(rejected.split())))
        sizes["tokens"].append((row.get("winner_tokens"), row.get("loser_tokens")))
    known = {name: both for name, both in sizes.items() if both and all(isinstance(size, int) for pair in both for size in pair)}
    return {name: clustered_auc([one for one, _ in both], [other for _, other in both], debates, seed=0) for name, both in known.items()}


def _premise(row: Row, seen: _Seen, path: Path) -> None:
    seen.take(row["split"], row, row.get("winners") or (), row.get("winner_author_hashes") or ())


def _four(row: Row, seen: _Seen, path: Path) -> None:
    texts = row.get("replies")
    if not isinstance(texts, list) or not isinstance(row.get("winner"), int) or not 0 <= row["winner"] < len(texts):
        raise SuasionError("A row does not say which of its replies is the winner.", where=path)
    if len(set(texts)) < len(texts):
        told = f"a row of {path.name} in {row['split']} holds one text twice: {_shown(texts[0])}"
        seen.leaks.append(Leak("same text", (row["split"],), told))
    seen.take(row["split"], row, texts, row.get("reply_author_hashes") or ())


def _single(row: Row, seen: _Seen, path: Path) -> None:
    seen.take(row["split"], row, (_reply(row.get("reply"), path),), (row.get("author_hash"),))


def _crossing(seen: _Seen, threshold: float) -> Iterator[Leak]:
    kinds = (("debate", "debate {}", seen.debates), ("author", "the reply author {:.12}", seen.authors))
    for kind, words, places in kinds:
        for name in sorted(places):
            if len(sides := places[name]) > 1:
                yield Leak(kind, _ordered(sides), f"{words.format(name)} is in {_names(sides)}")
    for text in sorted(seen.texts):
        if len(sides := seen.texts[text]) > 1:
            yield Leak("text", _ordered(sides), f"a text is in {_names(sides)}: {_shown(text)}")
    for one, other in near_duplicates({text: text for text in seen.texts}, threshold):
        if len(sides := seen.texts[one] | seen.texts[other]) > 1 and (seen.texts[one] != sides or seen.texts[other] != sides):
            yield Leak("near-copy", _ordered(sides), f"a text has a near-copy across {_names(sides)}: {_shown(one)}")


def _rows(path: Path, needed: Sequence[str], seen: _Seen, optional: Mapping[str, str] | None = None) -> Iterator[Row]:
    """Rows a block at a time; absent columns are an error or a note."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    seen.rows[path.name] = 0
    try:
        with pq.ParquetFile(path) as file:
            there = file.schema_arrow.names
            if missing := [name for name in needed if name not in there]:
                raise SuasionError(
                    f"The table lacks {', '.join(missing)}.", where=path, hint="Known are tables as `suasion pairs` writes them."
                )
            for name, meaning in (optional or {}).items():
                if name not in there:
                    seen.notes[f"{path.name} has no {name}: {meaning}"] = None
            for batch in file.iter_batches(2000):
                seen.rows[path.name] += len(batch)
                yield from batch.to_pylist()
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise SuasionError(
            f"Cannot read the table: {error!s:.300}", where=path, hint="Make the pairs with: suasion pairs MINED -o DIR"
        ) from error


def _threshold(folder: Path, seen: _Seen) -> float:
    path = folder / "datacard.json"
    if not path.is_file():
        return NEAR_DUPLICATE
    try:
        told = float(read_json(path)["config"]["near_duplicate"])
    except (SuasionError, KeyError, TypeError, ValueError):
        told = 0.0
    if 0 < told <= 1:
        return told
    seen.notes[f"datacard.json does not tell what a near-copy is: {NEAR_DUPLICATE} is taken"] = None
    return NEAR_DUPLICATE


def _prompt_texts(prompt: Any) -> list[str]:
    if isinstance(prompt, str):
        return [prompt]
    messages = [one for one in prompt if isinstance(one, dict) and isinstance(one.get("content"), str)] if isinstance(prompt, list) else []
    return texts_of_prompt(messages)


def _joined(prompt: Any) -> str:
    return "\n\n".join(_prompt_texts(prompt))


def _reply(value: Any, path: Path) -> str:
    """A text, or the last message of a conversation."""
    content = value[-1].get("content") if isinstance(value, list) and value and isinstance(value[-1], dict) else value
    if not isinstance(content, str):
        raise SuasionError(f"A reply is neither a text nor a list of messages: {value!s:.80}", where=path)
    return content


def _ordered(sides: Collection[str]) -> tuple[str, ...]:
    return tuple(sorted(sides, key=SPLITS.index))


def _names(sides: Collection[str]) -> str:
    return " and ".join(_ordered(sides))


def _shown(text: str) -> str:
    return repr(text[:60])
