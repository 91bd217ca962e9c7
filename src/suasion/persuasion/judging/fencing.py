"""Texts of strangers inside a prompt: fenced and quoted, so that a reply cannot pass for the instructions it stands in.

A fence carries a marker that no text can hold, since it is a digest of the texts themselves. Inside, each line begins with a bar, so no
line can look like a fence, a heading or a turn, and the signs that a verdict is written in are taken apart. What a model makes of a
request inside a fence is another matter: that is what the audit's injection tricks measure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from suasion.files import sha256_json

#: Invisible signs: they hide words from a person and join what stands apart (tags, zero-width and direction marks, controls).
_INVISIBLE = re.compile("[\x00-\x08\x0e-\x1b\x7f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")
_BRACKETS = re.compile(r"(?<=\[)(?=\[)|(?<=\])(?=\])")


def marker(texts: Sequence[str], seed: int) -> str:
    """Eight signs, the same for the same texts and seed, that stand in none of the texts."""
    for attempt in range(1000):
        found = sha256_json([seed, attempt, *texts])[:8].upper()
        if not any(found in text.upper() for text in texts):
            return found
    raise AssertionError("a text cannot hold a thousand digests of itself")


def fenced(name: str, text: str, mark: str) -> str:
    """A text between fences, each line behind a bar; invisible signs and double brackets are taken out or apart."""
    lines = _BRACKETS.sub(" ", _INVISIBLE.sub("", text)).splitlines() or ["(empty)"]
    return "\n".join([f"<<<{mark} {name}", *(f"| {line}" for line in lines), f"{mark}>>>"])
