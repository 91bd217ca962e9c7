"""Lines of dumps, as bytes, for the tests of what reads them."""

from __future__ import annotations

import json
from typing import Any

POST = {"id": "p1", "author": "ann", "title": "CMV: tea", "selftext": "Tea &gt; coffee &amp; milk", "created_utc": 1400000000, "score": 3}
COMMENT = {
    "id": "c1",
    "author": "bob",
    "body": "No &amp;#8710;",
    "link_id": "t3_p1",
    "parent_id": "t3_p1",
    "created_utc": 1400000001,
    "score": 1,
    "edited": False,
}
THANKS = "You are right about the price of tea, and I had never thought of it that way. "


def line(value: dict[str, Any], **changes: Any) -> bytes:
    """A line of a dump; a change to ``absent`` takes the key out."""
    return json.dumps({key: one for key, one in {**value, **changes}.items() if one != "absent"}).encode() + b"\n"


def many(count: int, text: str = "reply {} ") -> bytes:
    """A post and so many replies to it."""
    return line(POST) + b"".join(line(COMMENT, id=f"c{index}", body=text.format(index) * 20) for index in range(count))


def thread(debate: str = "p1", bot: bool = True) -> list[dict[str, Any]]:
    """A debate whose author awards bob, and gives another delta that DeltaBot does not confirm."""

    def comment(name: str, parent: str, author: str, body: str, **more: Any) -> dict[str, Any]:
        above = f"t3_{debate}" if parent == "post" else f"t1_{debate}{parent}"
        return {"id": f"{debate}{name}", "author": author, "body": body, "link_id": f"t3_{debate}", "parent_id": above, **more}

    rows = [
        {**POST, "id": debate},
        comment("a", "post", "bob", "A reply &amp; more"),
        comment("b", "a", "ann", THANKS + "!delta", edited=1400000009.0),
        comment("c", "post", "eve", "Another reply"),
        comment("d", "c", "ann", THANKS + "∆ again"),
    ]
    return rows + [comment("e", "b", "DeltaBot", "Confirmed: 1 delta awarded to /u/bob", distinguished="moderator")] * bot


def as_lines(rows: list[dict[str, Any]]) -> bytes:
    """A dump of these rows."""
    return b"".join(line(row) for row in rows)
