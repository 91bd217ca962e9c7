"""Small mined folders for the tests of the pairs."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

TEXT, NUMBER, BOOL = pa.string(), pa.int64(), pa.bool_()
POSTS = pa.schema([(name, TEXT) for name in ("debate_id", "author", "title", "text")] + [("created_utc", NUMBER), ("score", NUMBER)])
COMMENTS = pa.schema(
    [(name, TEXT) for name in ("comment_id", "debate_id", "parent_id")]
    + [("parent_is_post", BOOL), ("depth", pa.int32()), ("author", TEXT), ("text", TEXT), ("created_utc", NUMBER), ("score", NUMBER)]
    + [("edited", BOOL), ("distinguished", TEXT)]
)
AWARDS = pa.schema(
    [(name, TEXT) for name in ("debate_id", "award_id", "winner_id", "giver", "winner")]
    + [("by_author", BOOL), ("source", TEXT), ("revoked", BOOL)]
)
Rows = dict[str, list[dict[str, Any]]]


def words(seed: object, n: int) -> str:
    """``n`` made-up words that no other seed gives in this order."""
    generator = random.Random(str(seed))
    return " ".join("".join(generator.choices("abcdefghiklmnoprstuvw", k=generator.randint(3, 8))) for _ in range(n))


def post(debate: str, author: str = "op", **more: Any) -> dict[str, Any]:
    row = {"debate_id": debate, "author": author, "title": f"CMV: {words((debate, 'title'), 8)}", "text": words((debate, "text"), 40)}
    return row | {"created_utc": None, "score": None} | more


def comment(
    debate: str, comment_id: str, author: str, parent: str | None = None, n: int = 60, depth: int = 0, **more: Any
) -> dict[str, Any]:
    row = {"comment_id": comment_id, "debate_id": debate, "parent_id": parent or debate, "parent_is_post": parent is None}
    row |= {"depth": depth if parent is None else depth or 1, "author": author, "text": words((debate, comment_id), n)}
    return row | {"created_utc": None, "score": None, "edited": False, "distinguished": None} | more


def award(debate: str, award_id: str, winner_id: str, by_author: bool = True, **more: Any) -> dict[str, Any]:
    row = {"debate_id": debate, "award_id": award_id, "winner_id": winner_id, "giver": "op", "winner": "w", "by_author": by_author}
    return row | {"source": "deltabot", "revoked": False} | more


def debate(name: str, winners: list[int], losers: list[int], author_of: str = "") -> Rows:
    """One debate with root replies of the given lengths; reply authors are new unless ``author_of`` names them all."""
    rows: Rows = {"posts": [post(name, f"{name}-op")], "comments": [], "awards": []}
    for number, n in enumerate(winners):
        rows["comments"].append(comment(name, f"{name}w{number}", author_of or f"{name}-w{number}", n=n))
        text = f"!delta {words((name, number, 'award'), 30)}"
        rows["comments"].append(comment(name, f"{name}a{number}", f"{name}-op", f"{name}w{number}", text=text))
        rows["awards"].append(award(name, f"{name}a{number}", f"{name}w{number}", giver=f"{name}-op"))
    rows["comments"] += [comment(name, f"{name}l{number}", author_of or f"{name}-l{number}", n=n) for number, n in enumerate(losers)]
    return rows


def together(*parts: Rows) -> Rows:
    return {table: [row for part in parts for row in part[table]] for table in ("posts", "comments", "awards")}


def write(folder: Path, rows: Rows) -> Path:
    """A mined folder with these rows."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, schema in (("posts", POSTS), ("comments", COMMENTS), ("awards", AWARDS)):
        pq.write_table(pa.Table.from_pylist(rows[name], schema=schema), folder / f"{name}.parquet")
    return folder
