"""JSON objects from files of others: one a line or one an element of a list; plain, gzip or bzip2, told apart by content.

Everything streams. A line or element that is no object is counted by reason; a packed file that breaks off gives all before the damage.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

import msgspec

from suasion.errors import SuasionError
from suasion.persuasion.mining.sources.lines import Reading
from suasion.persuasion.mining.sources.packed import BLOCK, Advance, blocks, lines

MAX_LINE = 8 << 20
"""Bytes of a line unless the caller says otherwise. A longer one is skipped without being held in memory."""

_BOM = b"\xef\xbb\xbf"
_BETWEEN = re.compile(r"[\s,]*")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_decode = msgspec.json.Decoder().decode


def objects(path: Path, reading: Reading, advance: Advance, limit: int = MAX_LINE) -> Iterator[dict[str, Any]]:
    """Every JSON object of a file, in order.

    Args:
        path: lines of JSON or one JSON list.
        reading: a line that is no object counts as read and by its reason; objects are left for the caller to count.
        advance: told of the bytes taken from the file.
        limit: bytes of one line or list element.

    Raises:
        SuasionError: the file cannot be opened, is packed in a way that is not known, or nothing of a packed file can be read.
    """
    count = taken = 0

    def took(size: int) -> None:
        nonlocal taken
        taken += size
        advance(size)

    for one in _found(blocks(path, reading, took), path, reading, lambda: taken, limit):
        if one is not None:
            count += 1
            yield one
    if path.name in reading.damaged and not count:
        raise SuasionError("Nothing of this file can be read: it is damaged or cut off.", where=path, hint="Download it again.")


def peek(path: Path, count: int = 8, limit: int = MAX_LINE) -> list[dict[str, Any]]:
    """The first JSON objects of a file (among its first hundred lines), to tell what it is; none where it cannot be read."""
    reading = Reading()
    first: list[dict[str, Any]] = []
    try:
        beginning = _beginning(blocks(path, reading, lambda size: None), limit + BLOCK)
        for one in islice(_found(beginning, path, reading, lambda: 0, limit), 100):
            first += [one] if one is not None else []
            if len(first) == count:
                break
    except SuasionError:
        pass
    return first


def _found(content: Iterator[bytes], path: Path, reading: Reading, taken: Callable[[], int], limit: int) -> Iterator[dict[str, Any] | None]:
    """The objects of unpacked content; ``None`` for what is none."""
    head = b""
    for head in content:
        head = head.removeprefix(_BOM)
        if head.strip():
            break
    if head.lstrip().startswith(b"["):
        return _elements(chain([head.lstrip()[1:]], content), path, reading, taken, limit)
    return (_object(line, reading) for line in lines(chain([head], content), limit))


def _beginning(content: Iterator[bytes], size: int) -> Iterator[bytes]:
    for block in content:
        yield block
        size -= len(block)
        if size < 0:
            return


def _elements(
    content: Iterator[bytes], path: Path, reading: Reading, taken: Callable[[], int], limit: int
) -> Iterator[dict[str, Any] | None]:
    """The elements of a JSON list whose bracket has been taken. A list cannot be read on behind an element that is no JSON."""
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    scan = json.JSONDecoder(strict=False, parse_constant=lambda _: None).raw_decode
    text, wanted, replaced = "", 0, False
    for block in chain(content, [None]):
        text += (more := decode(block or b"", block is None))
        replaced = replaced or "\ufffd" in more
        if len(text) < wanted and block is not None:
            continue  # twice as much as last time, so that a long element is not scanned anew with every block
        position = 0
        while (position := _BETWEEN.match(text, position).end()) < len(text) and text[position] != "]":  # type: ignore[union-attr]
            try:
                value, end = scan(text, position)
            except (ValueError, RecursionError):
                break
            raw = text[position:end]
            if replaced or "\\u" in raw or _CONTROL.search(raw):
                value = _mended(value, "\ufffd" in raw or _CONTROL.search(raw) is not None, reading)
            yield _checked(value, reading)
            position = end
        text = text[position:]
        wanted = 2 * len(text)
        if len(text) > limit or text.startswith("]"):
            break
    rest = text.removeprefix("]").strip() if text.startswith("]") else text
    if rest or not text.startswith("]") or any(block and block.strip() for block in content):
        reading.lines["read"] += bool(rest)
        reading.lines["not JSON"] += bool(rest)
        reading.damaged.setdefault(path.name, max(taken() - len(text.encode("utf-8", "replace")), 0))


def _object(line: bytes | None, reading: Reading) -> dict[str, Any] | None:
    if line is None:
        return _refused("line too long", reading)
    if not line.strip():
        return None
    try:
        return _checked(_decode(line), reading)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        pass
    # A second, lenient look: invalid UTF-8, half emojis, raw control characters, the NaN that Python writes
    text = line.decode("utf-8", "replace")
    try:
        value = json.loads(text, strict=False, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return _refused("not JSON", reading)
    return _checked(_mended(value, "\ufffd" in text or _CONTROL.search(text) is not None, reading), reading)


def _checked(value: Any, reading: Reading) -> dict[str, Any] | None:
    return value if isinstance(value, dict) else _refused("not an object", reading)


def _refused(reason: str, reading: Reading) -> dict[str, Any] | None:
    reading.lines["read"] += 1
    reading.lines[reason] += 1
    return None


def _mended(value: Any, changed: bool, reading: Reading) -> Any:
    """``value`` without half emojis, which no UTF-8 file can hold; counted where something was replaced."""

    def encodable(one: Any) -> Any:
        nonlocal changed
        if isinstance(one, str):
            text = one.encode("utf-8", "replace").decode("utf-8")
            changed = changed or text != one
            return text
        if isinstance(one, dict):
            return {encodable(key): encodable(item) for key, item in one.items()}
        return [encodable(item) for item in one] if isinstance(one, list) else one

    try:
        value = encodable(value)
    except RecursionError:
        return None
    reading.mended["invalid characters replaced"] += changed
    return value
