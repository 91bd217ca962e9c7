"""Mining: from dumps and corpora to the tables of posts, comments and awards, with every drop counted.

Two passes. The first reads the sources and lays what they hold on disk, dealt by debate into parts (:mod:`chunks`). The second takes one
part after another, puts its comments into trees, finds the awards and appends to the tables. Neither holds more than a few parts.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from suasion import __version__
from suasion.errors import SuasionError
from suasion.files import atomic_path, read_json, write_json
from suasion.persuasion.mining.awards import Award
from suasion.persuasion.mining.chunks import Chunks, PartReader, Totals, parts_for
from suasion.persuasion.mining.debates import COMMENTS, POSTS
from suasion.persuasion.mining.harvest import STEPS, Harvest, harvest
from suasion.persuasion.mining.memory import keep_freed_memory
from suasion.persuasion.mining.sources.forms import KNOWN, Source, find_sources, things_of
from suasion.persuasion.mining.sources.lines import Reading
from suasion.persuasion.mining.workers import BLOCK, Readers
from suasion.progress import Progress, say, track

SUBREDDIT = "changemyview"
Counts = dict[str, dict[str, int]]
"""step -> reason -> number. In every step ``read`` = ``kept`` + all the others.

Outside the steps stand ``mended`` (reason -> lines) and ``truncated`` (file -> bytes that could be used), where there is any.
"""

AWARDS = pa.schema(
    [(name, pa.string()) for name in ("debate_id", "award_id", "winner_id", "giver", "winner")]
    + [("by_author", pa.bool_()), ("source", pa.string()), ("revoked", pa.bool_())]
)
_WORK = ".mining"
_PART = 96 << 20  # bytes of input: what a part holds of them is a third, and three parts are in memory at once
_MOST_PARTS = 256
_AT_ONCE = 1 << 15  # comments whose trees are built together, or more
_ROW_GROUP = 1 << 17


class NoDebates(SuasionError):
    """The sources were read, and there is no debate in them: going on will not help."""


@dataclass(frozen=True)
class MineResult:
    """Mined: ``awards`` that stand, those ``by_author`` of the post, the distinct ``winners`` of these, and the files ``truncated``."""

    posts: int
    comments: int
    awards: int
    by_author: int
    winners: int
    truncated: tuple[str, ...]
    counts: Counts


def mine(
    sources: Sequence[Path], out: Path, *, form: str | None = None, subreddit: str | None = SUBREDDIT, workers: int | None = None
) -> MineResult:
    """Read sources and write ``posts``, ``comments``, ``awards.parquet`` and ``counts.json`` (last) into the folder ``out``.

    Args:
        sources: dump files, folders of them, ConvoKit's corpus, Tan et al.'s discussions, in any order.
        out: an existing folder. One in which mining the same sources was killed goes on where it was.
        form: of the sources, where their content leaves it open.
        subreddit: whose lines are wanted; ``None`` takes all. Lines that name none are taken.
        workers: processes that parse beside the one that reads; by default as many as there are processors, at most three, and none
            for a small dump.

    Raises:
        SuasionError: a source is absent, unreadable or of an unknown kind; there are no submissions, no comments, or none that belong
            together; the folder cannot be written.
    """
    found = find_sources(sources, form)
    keep_freed_memory()
    plain_size = sum(source.plain_size for source in found)
    chunks, reading = _read(found, out / _WORK, plain_size, subreddit, workers)
    for name, size in reading.damaged.items():
        say(f"WARNING: {name} is damaged or breaks off at byte {size:,}; all that can be read is used, the rest is lost.")
    totals = chunks.totals()
    totals.reading.lines.update(reading.lines)
    try:
        _refuse_half(found, totals)
        harvested = _write_tables(out, chunks, totals, _names(found))
    except NoDebates:
        shutil.rmtree(out / _WORK, ignore_errors=True)
        raise
    lines = Counter(totals.reading.lines)
    del lines["read"]
    counts: Counts = {"lines": _step(lines, totals.reading.lines["read"] - lines.total())} | harvested
    counts |= {"mended": dict(totals.reading.mended)} if totals.reading.mended else {}
    counts |= {"truncated": dict(reading.damaged)} if reading.damaged else {}
    winners = _winners(out / "awards.parquet")
    write_json(out / "counts.json", counts)
    shutil.rmtree(out / _WORK, ignore_errors=True)
    return MineResult(
        posts=counts["submissions"]["kept"],
        comments=counts["comments"]["kept"],
        awards=counts["awards that stand"]["kept"],
        by_author=counts["awards by the post's author"]["kept"],
        winners=len(winners),
        truncated=tuple(reading.damaged),
        counts=counts,
    )


def _read(found: Sequence[Source], folder: Path, plain_size: int, subreddit: str | None, workers: int | None) -> tuple[Chunks, Reading]:
    """The first pass: everything on disk, and what the reading process itself saw of the lines."""
    if workers is None:
        workers = min(3, os.cpu_count() or 1) if plain_size > 4 * BLOCK else 0
    parts = min(_MOST_PARTS, 1 << max(0, plain_size // _PART).bit_length())
    plan = {
        "version": __version__,
        "parts": parts,
        "block": BLOCK,
        "subreddit": subreddit,
        "sources": [[str(source.path), source.form, source.size] for source in found],
    }
    _prepare(folder, plan)
    chunks, total = Chunks(folder, parts), Reading()
    size = sum(source.size for source in found)
    with ExitStack() as stack:
        readers = Readers(chunks, workers if any(source.form == "dump" for source in found) else 0)
        stack.callback(readers.close)
        advance = _in_megabytes(stack.enter_context(track("mining", *_scaled(size))), size)
        marks = [folder / f"{number:03}.source" for number in range(len(found))]
        unmarked: deque[tuple[Path, Reading, Sequence[Future[None]]]] = deque()

        def mark_what_is_done() -> None:
            while unmarked and all(future.done() and future.exception() is None for future in unmarked[0][2]):
                mark, read, _ = unmarked.popleft()
                write_json(mark, {"lines": read.lines, "damaged": read.damaged})

        # The smallest first: a dump's submissions, which take longer to parse, are parsed while its comments are decompressed.
        for number in sorted(range(len(found)), key=lambda number: found[number].size):
            if marks[number].is_file():
                advance(found[number].size)
            else:
                unmarked.append((marks[number], *_read_one(found[number], f"{number:03}", chunks, readers, subreddit, advance)))
                mark_what_is_done()
        readers.finish()
        mark_what_is_done()
    for source, mark in zip(found, marks, strict=True):
        said = read_json(mark)
        total.lines.update(said["lines"])
        total.damaged |= {name if name not in total.damaged else str(source.path): size for name, size in said["damaged"].items()}
    return chunks, total


def _read_one(
    source: Source, prefix: str, chunks: Chunks, readers: Readers, subreddit: str | None, advance: Callable[[int], None]
) -> tuple[Reading, Sequence[Future[None]]]:
    """Write the chunks of one source; returns the counts that stand in none of them, and the chunks that are still being written."""
    if source.form == "dump":
        return readers.read(source.path, prefix, subreddit, advance)
    reading = Reading()
    chunks.write_things(prefix, things_of(source, reading, advance), reading)
    return Reading(damaged=reading.damaged), ()


def _prepare(folder: Path, plan: dict[str, object]) -> None:
    """The work folder of this very plan; one left by another is emptied."""
    try:
        if (folder / "plan").is_file() and read_json(folder / "plan") == plan:
            say("Mining goes on where it was stopped.")
            return
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    except OSError as error:
        raise SuasionError(f"Cannot be written: {error.strerror or error}", where=folder) from error
    write_json(folder / "plan", plan)


def _write_tables(out: Path, chunks: Chunks, totals: Totals, names: str) -> Counts:
    """The second pass: part by part into the three tables; returns the counts of its steps. Without comments nothing is written."""
    steps = {step: Counter[str]() for step in STEPS}
    with ExitStack() as stack:
        behind = stack.enter_context(ThreadPoolExecutor(1))
        to_disk: Future[None] | None = None
        schemas = {"posts": POSTS, "comments": COMMENTS, "awards": AWARDS}
        paths = {name: stack.enter_context(atomic_path(out / f"{name}.parquet")) for name in schemas}
        writers = {
            name: stack.enter_context(
                pq.ParquetWriter(
                    paths[name],
                    schema,
                    # Compressing the comments would take longer than all the rest.
                    compression="none" if name == "comments" else "snappy",
                    use_dictionary=name != "comments",
                    write_statistics=name != "comments",
                )
            )
            for name, schema in schemas.items()
        }
        progress = stack.enter_context(track("building trees", chunks.parts, unit="parts"))
        for one, parts in _harvests(chunks, totals):
            tables = {"posts": one.posts, "comments": one.comments, "awards": _as_table(one.awards)}
            for name, table in tables.items():
                if len(table):
                    writers[name].write_table(table, row_group_size=_ROW_GROUP)
            for step, reasons in one.steps.items():
                steps[step].update(reasons)
            progress.advance(parts)
            if to_disk is None or to_disk.done():  # so that little is left to be written out at the end
                to_disk = behind.submit(_to_disk, paths["comments"])
        if not steps["comments"][""]:
            raise NoDebates(
                f"None of {totals.comments:,} comments can be put under one of {totals.posts:,} submissions.",
                where=names,
                hint="Give submissions and comments of the same time.",
            )
    return {step: _step(Counter({reason: n for reason, n in reasons.items() if reason}), reasons[""]) for step, reasons in steps.items()}


def _to_disk(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())
        if hasattr(os, "posix_fadvise"):  # what is on disk need not be in memory: the next part is written into the same pages
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _harvests(chunks: Chunks, totals: Totals) -> Iterator[tuple[Harvest, int]]:
    """The harvests in order, each of some parts, whose number is told; two are worked on while one is written."""
    labels = parts_for(totals.labels, chunks.parts)
    # A part of a file of all of Reddit may hold next to nothing: then many are taken at once.
    size = min(chunks.parts, max(1, _AT_ONCE * chunks.parts // max(1, totals.comments)))
    runs = [range(first, min(first + size, chunks.parts)) for first in range(0, chunks.parts, size)]
    own = threading.local()

    def work(run: range) -> Harvest:
        if not hasattr(own, "reader"):
            own.reader = PartReader(chunks)
        posts, comments = own.reader.read(run)
        return harvest(posts, comments, [label for part in run for label in labels[part]], has_bot=totals.bot > 0)

    with ThreadPoolExecutor(2) as pool:
        waiting = deque(pool.submit(work, run) for run in runs[:2])
        for place in range(len(runs)):
            one = waiting.popleft().result()
            if place + 2 < len(runs):
                waiting.append(pool.submit(work, runs[place + 2]))
            yield one, len(runs[place])


def _as_table(awards: Sequence[Award]) -> pa.Table:
    return pa.table([[getattr(award, name) for award in awards] for name in AWARDS.names], schema=AWARDS)


def _winners(awards: Path) -> set[str]:
    table = pq.read_table(awards, columns=["winner_id", "by_author", "revoked"])
    return {row["winner_id"] for row in table.to_pylist() if row["by_author"] and not row["revoked"]}


def _scaled(size: int) -> tuple[int, str]:
    return (size // 10**6, "MB") if size >= 10**7 else (size // 10**3, "kB")


def _in_megabytes(progress: Progress, size: int) -> Callable[[int], None]:
    scale, done = (10**6 if size >= 10**7 else 10**3), 0

    def advance(read: int) -> None:
        nonlocal done
        done += read
        if done // scale > progress.done:
            progress.advance(done // scale - progress.done)

    return advance


def _refuse_half(found: Sequence[Source], totals: Totals) -> None:
    """Debates need both halves."""
    if totals.posts and totals.comments:
        return
    missing = "comments" if totals.posts else "submissions"
    there = f"{totals.posts:,} submissions" if totals.posts else f"{totals.comments:,} comments"
    unused = [(reason, number) for reason, number in totals.reading.lines.most_common() if reason != "read"]
    reasons = ", ".join(f"{reason} {number:,}" for reason, number in unused)
    raise NoDebates(
        f"There are no {missing} in the source, and {there}." + (f" Lines that were no use: {reasons}." if reasons else ""),
        where=_names(found),
        hint=f"Give both files of a dump. Known are {KNOWN}.",
    )


def _names(found: Sequence[Source]) -> str:
    return ", ".join(str(source.path) for source in found)


def _step(dropped: Counter[str], kept: int) -> dict[str, int]:
    reasons = {reason: number for reason, number in sorted(dropped.items()) if number}
    return {"read": kept + sum(reasons.values()), **reasons, "kept": kept}
