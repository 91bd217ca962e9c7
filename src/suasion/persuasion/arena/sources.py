"""Where replies come from: the samples of evaluation runs, people's winning replies beside them, or any JSONL of premises and replies."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from suasion.errors import SuasionError
from suasion.files import sha256_file
from suasion.persuasion.arena.tidy import tidy, whole_sentences
from suasion.persuasion.dataset import load_premises
from suasion.runs.lineage import parent_folder
from suasion.runs.manifest import MANIFEST_FILE
from suasion.runs.run import Run, find_runs, open_run

HUMANS = "human"
LATEST = "latest"
FORMS = (
    'A row is {"premise": TEXT, "replies": {SYSTEM: TEXT}} or {"premise": TEXT, "system": SYSTEM, "reply": TEXT}; in a file '
    'replies-SYSTEM.jsonl also {"premise": TEXT, "replies": [{"text": TEXT}]}.'
)


@dataclass(frozen=True)
class Written:
    """A reply as it came, and as it is shown."""

    original: str
    shown: str


@dataclass
class Source:
    """Replies of one run or file: system to premise (as shown) to the replies there are."""

    name: str
    replies: dict[str, dict[str, list[Written]]] = field(default_factory=dict)
    debates: dict[str, str] = field(default_factory=dict)
    """Premise to its debate's id, where the source tells it."""
    hashes: dict[str, str] = field(default_factory=dict)
    """File to SHA-256."""

    def add(self, system: str, premise: str, reply: str, *, ended: bool = True) -> None:
        """Take a reply in; one that was cut off loses its unfinished sentence."""
        shown = tidy(reply)
        written = Written(reply, shown if ended else whole_sentences(shown))
        self.replies.setdefault(system, {}).setdefault(tidy(premise), []).append(written)


def read_sources(names: Sequence[str], root: Path, *, humans: bool) -> list[Source]:
    """Read every run (by name or folder; ``latest`` is the newest finished evaluation) and file.

    Raises:
        SuasionError: one is neither, or holds no replies, or a row is wrong; with file and line.
    """
    found = []
    for name in names:
        path = Path(name)
        if path.is_file():
            found.append(_read_file(path))
        else:
            found.append(_read_run(_latest(root) if name == LATEST else open_run(name, root), root, humans=humans))
    return found


def _latest(root: Path) -> Run:
    """The newest finished run that holds samples to be judged."""
    for run in reversed(find_runs(root)):
        if run.manifest.status == "done" and any(run.path.glob("replies-*.jsonl")):
            return run
    raise SuasionError(
        "No finished evaluation lies among the runs.", where=root, hint="Make one with `suasion evaluate` or `suasion run`, or name files."
    )


def merged(sources: Sequence[Source]) -> dict[str, dict[str, list[Written]]]:
    """System to premise to replies, over all sources. A name that stands in several for different replies gets its source's name added;
    where they are the same replies (two evaluations of one base, the same people), it stays one system."""
    systems: dict[str, dict[str, list[Written]]] = {}
    names = sorted({system for source in sources for system in source.replies})
    for name in names:
        holders = [source for source in sources if name in source.replies]
        if name == HUMANS or all(_agree(holders[0].replies[name], other.replies[name]) for other in holders):
            systems[name] = {premise: replies for source in holders for premise, replies in source.replies[name].items()}
            continue
        for source in holders:
            label = f"{name} ({source.name})"
            if label in systems:
                raise SuasionError(
                    f"Two sources are called '{source.name}' and both have a system '{name}'.", hint="Rename one of the files."
                )
            systems[label] = source.replies[name]
    return systems


def _agree(one: Mapping[str, list[Written]], other: Mapping[str, list[Written]]) -> bool:
    return all(one[premise] == other[premise] for premise in one.keys() & other.keys())


def _read_run(run: Run, root: Path, *, humans: bool) -> Source:
    files = sorted(run.path.glob("replies-*.jsonl"))
    if run.manifest.status != "done" or not files:
        why = f"it is {run.state}" if run.manifest.status != "done" else "it holds no replies-SYSTEM.jsonl"
        raise SuasionError(
            f"{run.name} has no samples to be judged: {why}.", where=run.path, hint="Give a finished `suasion evaluate` run."
        )
    source = Source(run.name)
    for file in files:
        _read_rows(file, source)
    if humans:
        _add_winners(source, run, root)
    return source


def _add_winners(source: Source, run: Run, root: Path) -> None:
    """Replies that earned an award under these premises, where the pairs that the run was evaluated on are still there."""
    pairs = run.manifest.parents.get("pairs")
    folder = None if pairs is None else parent_folder(pairs, run.manifest.parent_records.get("pairs"), root)
    if folder is None or not (folder / "premises.parquet").is_file():
        return
    known = {debate: premise for premise, debate in source.debates.items()}
    for premise in load_premises(folder, "test"):
        if premise.debate_id in known:
            for winner in premise.winners:
                source.add(HUMANS, known[premise.debate_id], winner)
    source.hashes["premises.parquet"] = sha256_file(folder / "premises.parquet")


def _read_file(path: Path) -> Source:
    if path.name == MANIFEST_FILE:
        raise SuasionError("This is a run's manifest.", where=path, hint="Give the run's folder.")
    source = Source(path.stem)
    _read_rows(path, source)
    return source


def _read_rows(path: Path, source: Source) -> None:
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise SuasionError(f"Cannot read the replies: {error}", where=path) from error
    system = path.stem.removeprefix("replies-")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise SuasionError(f"This line is not JSON: {error}", where=where, hint=FORMS) from error
        premise = row.get("premise") if isinstance(row, dict) else None
        if not isinstance(premise, str) or not tidy(premise):
            raise SuasionError("This row has no premise.", where=where, hint=FORMS)
        for name, text, ended in _replies_in(row, system, where):
            source.add(name, premise, text, ended=ended)
        if isinstance(row.get("debate_id"), str):
            source.debates[tidy(premise)] = _clean(row["debate_id"])
    if not source.replies:
        raise SuasionError("This file holds no replies.", where=path, hint=FORMS)
    source.hashes[path.name] = sha256_file(path)


def _replies_in(row: Mapping[str, Any], file_system: str, where: str) -> Iterator[tuple[str, str, bool]]:
    """(system, text, whether it ended by itself) of a row in any of the forms."""
    replies = row.get("replies")
    if isinstance(replies, dict) and replies:
        given = [(name, text) for name, texts in replies.items() for text in (texts if isinstance(texts, list) else [texts])]
    elif isinstance(replies, list):
        given = [(file_system, text) for text in replies]
    else:
        given = [(row.get("system"), row.get("reply"))]
    for name, reply in given:
        text, ended = (reply.get("text"), reply.get("ended", True)) if isinstance(reply, dict) else (reply, True)
        if not isinstance(name, str) or not name.strip() or not isinstance(text, str):
            raise SuasionError("This row has no system or no text of a reply.", where=where, hint=FORMS)
        yield _clean(name.strip()), text, ended is not False


def _clean(name: str) -> str:
    """Without what UTF-8 cannot hold, which a database cannot either."""
    return name.encode("utf-8", "replace").decode()
