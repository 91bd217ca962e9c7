"""The script that people write: zstandard, ``json.loads`` line by line, dictionaries. Benchmarks use it as the rival of ``suasion mine``.

It gives the same posts, comments and awards for a clean dump of one subreddit with DeltaBot in it, and holds everything in memory.
"""

from __future__ import annotations

import html
import io
import json
import re
import sys
from collections import defaultdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

CONFIRMED = re.compile(r"(?i)\b\d+\s+(?:delta|point)s?\s+awarded\s+to\s+/?u/([\w-]+)")


def read(path: Path):
    with path.open("rb") as file:
        reader = zstandard.ZstdDecompressor(max_window_size=2**31).stream_reader(file)
        for line in io.TextIOWrapper(reader, encoding="utf-8"):
            yield json.loads(line)


def main(folder: Path, out: Path) -> None:
    posts, comments, replies = {}, {}, defaultdict(list)
    for row in read(next(folder.glob("*submissions.zst"))):
        posts[row["id"]] = {
            "debate_id": row["id"],
            "author": row["author"],
            "title": html.unescape(row["title"]),
            "text": html.unescape(row["selftext"]),
            "created_utc": int(row["created_utc"]),
            "score": row["score"],
        }
    for row in read(next(folder.glob("*comments.zst"))):
        comments[row["id"]] = {
            "comment_id": row["id"],
            "debate_id": row["link_id"][3:],
            "parent_id": row["parent_id"][3:],
            "parent_is_post": row["parent_id"].startswith("t3_"),
            "author": row["author"],
            "text": html.unescape(row["body"]),
            "created_utc": int(row["created_utc"]),
            "score": row["score"],
            "edited": bool(row["edited"]),
            "distinguished": row["distinguished"],
        }
        replies[row["parent_id"][3:]].append(row["id"])
    for debate_id in posts:
        waiting = [(comment_id, 0) for comment_id in replies[debate_id]]
        while waiting:
            comment_id, depth = waiting.pop()
            comments[comment_id]["depth"] = depth
            waiting += [(one, depth + 1) for one in replies[comment_id]]
    awards = []
    for comment in comments.values():
        match = CONFIRMED.search(comment["text"]) if comment["author"] == "DeltaBot" else None
        award = comments.get(comment["parent_id"]) if match else None
        winner = comments.get(award["parent_id"]) if award else None
        post = posts.get(comment["debate_id"])
        if match is None or award is None or winner is None or post is None:
            continue
        if winner["author"] in (post["author"], award["author"], "DeltaBot") or award["author"] == "DeltaBot":
            continue
        if winner["author"] not in ("[deleted]", match[1]):
            continue
        awards.append({"award_id": award["comment_id"], "winner_id": winner["comment_id"], "by_author": award["author"] == post["author"]})
    for name, rows in (("posts", list(posts.values())), ("comments", list(comments.values())), ("awards", awards)):
        pq.write_table(pa.Table.from_pylist(rows), out / f"{name}.parquet")
    print(len(awards))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
