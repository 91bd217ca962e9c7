"""Mining: from dumps to the tables of posts, comments and awards, with every drop counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from suasion.errors import SuasionError
from suasion.files import atomic_path, write_json
from suasion.persuasion.mining.awards import Award, bot_awards, once_each, token_awards, unconfirmed_tokens
from suasion.persuasion.mining.debates import Gathering, each_debate, place, without_duplicates
from suasion.persuasion.mining.sources import KNOWN, Reading, find_files, read_things
from suasion.progress import say, track

Counts = dict[str, dict[str, int]]
"""step -> reason -> number. In every step ``read`` = ``kept`` + all the others.

Outside the steps stand ``mended`` (reason -> lines) and ``truncated`` (file -> bytes that could be used), where there is any.
"""

AWARDS = pa.schema(
    [(name, pa.string()) for name in ("debate_id", "award_id", "winner_id", "giver", "winner")]
    + [("by_author", pa.bool_()), ("source", pa.string()), ("revoked", pa.bool_())]
)


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


def mine(sources: Sequence[Path], out: Path) -> MineResult:
    """Read dumps and write ``posts``, ``comments``, ``awards.parquet`` and ``counts.json`` (last) into the folder ``out``.

    Args:
        sources: dump files or folders of them, submissions and comments in any order.
        out: an existing folder.

    Raises:
        SuasionError: a source is absent, unreadable or of an unknown kind; there are no submissions, no comments, or none that belong
            together; the folder cannot be written.
    """
    posts, comments, counts, truncated = _read(find_files(sources))
    awards, award_counts = find_awards(posts, comments)
    counts |= award_counts
    with atomic_path(out / "posts.parquet") as path:
        pq.write_table(posts, path, compression="zstd")
    with atomic_path(out / "comments.parquet") as path:
        pq.write_table(comments, path, compression="zstd")
    with atomic_path(out / "awards.parquet") as path:
        pq.write_table(pa.Table.from_pylist([asdict(award) for award in awards], AWARDS), path, compression="zstd")
    write_json(out / "counts.json", counts)
    by_author = [award for award in awards if award.by_author and not award.revoked]
    return MineResult(
        posts=len(posts),
        comments=len(comments),
        awards=sum(not award.revoked for award in awards),
        by_author=len(by_author),
        winners=len({award.winner_id for award in by_author}),
        truncated=truncated,
        counts=counts,
    )


def find_awards(posts: pa.Table, comments: pa.Table) -> tuple[list[Award], Counts]:
    """Every award in the tables, once for each giver and winner, and the counts of the steps that led there.

    Tokens speak only where the whole source holds no comment of DeltaBot: beside the bot, a token that it did not confirm was
    rejected, taken back or missed, and cannot be told from a joke.
    """
    has_bot = bool(pc.any(pc.equal(pc.utf8_lower(comments["author"]), "deltabot")).as_py())
    said: Counter[str] = Counter()
    tokens: Counter[str] = Counter()
    found: list[Award] = []
    kept: list[Award] = []
    for debate in each_debate(posts, comments):
        if has_bot:
            awards, dropped = bot_awards(debate)
            said += dropped
            tokens += unconfirmed_tokens(debate, awards)
        else:
            awards, dropped = token_awards(debate)
            tokens += dropped
        found += awards
        kept += once_each(debate, awards)
    standing = [award for award in kept if not award.revoked]
    by_author = sum(award.by_author for award in standing)
    counts: Counts = {
        "DeltaBot's comments": _step(said, len(found) if has_bot else 0),
        "comments with a token": _step(tokens, 0 if has_bot else len(found)),
        "awards": _step(Counter({"same giver and winner": len(found) - len(kept)}), len(kept)),
        "awards that stand": _step(Counter({"revoked by moderators": len(kept) - len(standing)}), len(standing)),
        "awards by the post's author": _step(Counter({"by somebody else": len(standing) - by_author}), by_author),
    }
    return kept, counts


def _read(files: Sequence[Path]) -> tuple[pa.Table, pa.Table, Counts, tuple[str, ...]]:
    """Posts and placed comments of all files, the counts so far, and the names of files that broke off."""
    reading, gathering = Reading(), Gathering()
    size = sum(path.stat().st_size for path in files)
    scale, unit = (10**6, "MB") if size >= 10**7 else (10**3, "kB")
    done = 0
    with track("mining", size // scale, unit=unit) as progress:

        def advance(read: int) -> None:
            nonlocal done
            done += read
            if done // scale > progress.done:
                progress.advance(done // scale - progress.done)

        for path in files:
            for thing in read_things(path, reading, advance):
                gathering.add(thing)
    for name, size in reading.damaged.items():
        say(f"WARNING: {name} breaks off or is damaged after {size:,} bytes; what stands before is used, the rest is lost.")
    unused = Counter({reason: number for reason, number in reading.lines.items() if reason != "read"})
    read_posts, read_comments = gathering.tables()
    _refuse_half(files, len(read_posts), len(read_comments), unused)
    posts, comments = without_duplicates(read_posts, "debate_id"), without_duplicates(read_comments, "comment_id")
    distinct = len(comments)
    posts, comments, dropped, outside = place(posts, comments)
    if not len(comments):
        raise SuasionError(
            f"None of {distinct:,} comments can be put under one of {len(posts):,} submissions.",
            where=", ".join(map(str, files)),
            hint="Give submissions and comments of the same time.",
        )
    copies = Counter({"copy of another": len(read_comments) - distinct})
    counts: Counts = {
        "lines": _step(unused, len(read_posts) + len(read_comments)),
        "submissions": _step(Counter({"copy of another": len(read_posts) - len(posts)}), len(posts)),
        "comments": _step(copies + dropped, len(comments)),
        "comments in trees": _step(outside, len(comments) - outside.total()),
    }
    counts |= {"mended": dict(reading.mended)} if reading.mended else {}
    counts |= {"truncated": dict(reading.damaged)} if reading.damaged else {}
    return posts, comments, counts, tuple(reading.damaged)


def _refuse_half(files: Sequence[Path], posts: int, comments: int, unused: Counter[str]) -> None:
    """Debates need both halves."""
    if posts and comments:
        return
    missing = "comments" if posts else "submissions"
    there = f"{posts:,} submissions" if posts else f"{comments:,} comments"
    reasons = ", ".join(f"{reason} {number:,}" for reason, number in unused.most_common())
    raise SuasionError(
        f"There are no {missing} in the source, and {there}." + (f" Lines that were no use: {reasons}." if reasons else ""),
        where=", ".join(map(str, files)),
        hint=f"Give both files of a dump. Known are {KNOWN}.",
    )


def _step(dropped: Counter[str], kept: int) -> dict[str, int]:
    reasons = {reason: number for reason, number in sorted(dropped.items()) if number}
    return {"read": kept + sum(reasons.values()), **reasons, "kept": kept}
