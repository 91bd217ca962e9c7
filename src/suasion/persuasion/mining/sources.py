"""Where debates come from: Reddit dumps, plain or zstd-compressed, read as a stream of posts and comments.

What a line is gets decided by its content, never by a file's name. A line that cannot be used is counted by reason; a compressed file that
breaks off gives everything before the damage.
"""

from __future__ import annotations

import html
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from suasion.errors import SuasionError
from suasion.persuasion.mining.debates import DELETED, Comment, Post

KNOWN = "Reddit dumps: NDJSON with one submission or comment a line, plain or zstd-compressed"
MAX_LINE = 8 << 20
"""Bytes. Reddit allows 40,000 characters; a line beyond this is not a comment, and is skipped without being held in memory."""

_SUFFIXES = (".ndjson", ".jsonl", ".json", ".zst")
_NAMES = re.compile(r"submission|comment|posts|^R[SC]_", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z]\w{1,31});")
_ZSTD = re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18")
_FOREIGN = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"PK\x03\x04": "zip", b"PAR1": "Parquet"}
_PLAIN_BLOCK = 1 << 20
_ZSTD_BLOCK = 1 << 13  # small, because a block is decompressed whole: one of zeros grows thirty-thousandfold


@dataclass
class Reading:
    """What happened while the sources were read.

    Attributes:
        lines: lines by fate: ``read``, and every reason why one was not used.
        mended: lines kept after repair, by what was wrong.
        damaged: file name -> bytes of it that could be read, for compressed files that broke off.
    """

    lines: Counter[str] = field(default_factory=Counter)
    mended: Counter[str] = field(default_factory=Counter)
    damaged: dict[str, int] = field(default_factory=dict)


class _Line(msgspec.Struct):
    """The fields of a dump's line that matter. Types changed from year to year, so none is required here."""

    id: Any = None
    name: Any = None
    author: Any = None
    title: Any = None
    selftext: Any = None
    body: Any = None
    link_id: Any = None
    parent_id: Any = None
    created_utc: Any = None
    score: Any = None
    edited: Any = None
    distinguished: Any = None
    is_submitter: Any = None
    children: Any = None
    kind: Any = None


_decoder = msgspec.json.Decoder(_Line)


def sample_folder() -> Path:
    """The folder of the debates that ship with the package, in the form of a Reddit dump."""
    return Path(str(resources.files("suasion") / "samples"))


def find_files(sources: Sequence[Path]) -> list[Path]:
    """The dump files that ``sources`` (files and folders) stand for, each once.

    Raises:
        SuasionError: a source is absent or may not be read, or a folder holds no dump.
    """
    if not sources:
        raise SuasionError("There is no source to mine.", hint=f"Name files or folders with {KNOWN}, or the word 'sample'.")
    found: dict[Path, Path] = {}
    for source in sources:
        for path in _files_of(source):
            found.setdefault(path.resolve(), path)
    for path in found.values():
        try:
            path.open("rb").close()
        except OSError as error:
            raise _unreadable(path, error) from error
    return list(found.values())


def read_things(path: Path, reading: Reading, advance: Callable[[int], None]) -> Iterator[Post | Comment]:
    """Every post and comment of one dump file, in order; ``reading`` is kept up to date, ``advance`` told of the bytes taken from the file.

    Raises:
        SuasionError: the file cannot be opened, is of a kind that is not known, or nothing at all of it can be decompressed.
    """
    before = reading.lines["read"]
    try:
        with path.open("rb") as file:
            magic = file.read(8)
            file.seek(0)
            foreign = next((kind for start, kind in _FOREIGN.items() if magic.startswith(start)), None)
            if foreign:
                raise SuasionError(f"This is a {foreign} file, which is not read here.", where=path, hint=f"Known are {KNOWN}.")
            blocks = _zstd_blocks(file, path, reading, advance) if _ZSTD.match(magic) else _plain_blocks(file, advance)
            for line in _lines(blocks):
                thing = _thing(line, reading)
                if thing is not None:
                    yield thing
    except OSError as error:
        raise _unreadable(path, error) from error
    if path.name in reading.damaged and reading.lines["read"] == before:
        raise SuasionError("Nothing of this zstd file can be read.", where=path, hint="Download it again; `zstd -t --long=31` tests it.")


def unescape_once(text: str) -> str:
    """Undo one level of HTML escaping: ``&amp;#8710;`` becomes ``&#8710;``. Only entities closed by ``;``: links are full of bare ``&``."""
    return _ENTITY.sub(lambda match: html.unescape(match[0]), text) if "&" in text else text


def _files_of(source: Path) -> list[Path]:
    if source.is_file():
        return [source]
    if not source.is_dir():
        raise SuasionError(
            "There is no such file or folder.", where=source, hint="Check the path; the word 'sample' means the shipped debates."
        )
    try:
        files = sorted(path for path in source.iterdir() if path.is_file() and not path.name.startswith("."))
    except OSError as error:
        raise _unreadable(source, error) from error
    dumps = [path for path in files if path.suffix.lower() in _SUFFIXES and _NAMES.search(path.name)]
    if dumps:
        return dumps
    names = {path.name for path in files}
    looks = " It looks like a ConvoKit corpus." if {"utterances.jsonl", "conversations.json"} & names else ""
    raise SuasionError(
        f"This folder holds no dump that is known here.{looks}",
        where=source,
        hint=f"Known are {KNOWN}, in files named *submissions* and *comments* ({', '.join(_SUFFIXES)}). Name others file by file.",
    )


def _unreadable(path: Path, error: OSError) -> SuasionError:
    return SuasionError(f"Cannot be read: {error.strerror or error}", where=path)


def _plain_blocks(file: BinaryIO, advance: Callable[[int], None]) -> Iterator[bytes]:
    while block := file.read(_PLAIN_BLOCK):
        advance(len(block))
        yield block


def _zstd_blocks(file: BinaryIO, path: Path, reading: Reading, advance: Callable[[int], None]) -> Iterator[bytes]:
    """Decompressed blocks of all frames. At damage the rest is given up, and noted in ``reading.damaged``.

    ``stream_reader`` would be shorter, but takes a file cut off in mid-frame for a whole one.
    """
    import zstandard

    decompressor = zstandard.ZstdDecompressor(max_window_size=2**31)  # dumps are written with --long=31
    frame, position = decompressor.decompressobj(), 0
    frame_start = 0
    while block := file.read(_ZSTD_BLOCK):
        advance(len(block))
        while block:
            try:
                data = frame.decompress(block)
            except zstandard.ZstdError:
                yield from _just_before_damage(decompressor.decompressobj(), file, frame_start, position, block)
                reading.damaged[path.name] = position
                return
            yield data
            position += len(block)
            block = b""
            if frame.eof:
                block = frame.unused_data
                position -= len(block)
                frame, frame_start = decompressor.decompressobj(), position
    if position > frame_start:
        reading.damaged[path.name] = position


def _just_before_damage(frame: Any, file: BinaryIO, frame_start: int, position: int, block: bytes) -> Iterator[bytes]:
    """What ``block`` gives before its damage: zstandard throws that away, so the frame is read again, and its last block byte by byte."""
    import zstandard

    file.seek(frame_start)
    while file.tell() < position:
        frame.decompress(file.read(min(_ZSTD_BLOCK, position - file.tell())))
    for index in range(len(block)):
        try:
            yield frame.decompress(block[index : index + 1])
        except zstandard.ZstdError:
            return


def _lines(blocks: Iterator[bytes]) -> Iterator[bytes | None]:
    """Lines without their ends; ``None`` for one that is too long."""
    rest: list[bytes] = []
    length = 0
    for block in blocks:
        *ended, unended = block.split(b"\n")
        for piece in ended:
            yield b"".join([*rest, piece]) if length + len(piece) <= MAX_LINE else None
            rest, length = [], 0
        length += len(unended)
        rest = [*rest, unended] if length <= MAX_LINE else []
    if length:
        yield b"".join(rest) if length <= MAX_LINE else None


def _thing(line: bytes | None, reading: Reading) -> Post | Comment | None:
    """The post or comment of a line, or None with the reason counted."""
    if line is None:
        reading.lines["read"] += 1
        reading.lines["line too long"] += 1
        return None
    line = line.removeprefix(b"\xef\xbb\xbf")
    if not line.strip():
        return None
    reading.lines["read"] += 1
    try:
        raw = _decoder.decode(line)
    except (msgspec.DecodeError, RecursionError):
        mended = _mend(line)
        if isinstance(mended, str):
            reading.lines[mended] += 1
            return None
        raw = mended
        reading.mended["invalid characters replaced"] += 1
    thing = _comment(raw) if raw.body is not None or raw.link_id is not None else _post(raw)
    if isinstance(thing, str):
        reading.lines[thing] += 1
        return None
    return thing


def _mend(line: bytes) -> _Line | str:
    """A second, lenient look: invalid UTF-8, lone surrogates and raw control characters are replaced; else the reason why it is no use."""
    try:
        value = json.loads(line.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return "not JSON"
    if not isinstance(value, dict):
        return "not an object"
    return msgspec.convert({key: _encodable(value.get(key)) for key in _Line.__struct_fields__}, _Line)


def _encodable(value: Any) -> Any:
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else value


def _post(raw: _Line) -> Post | str:
    if isinstance(raw.children, list) or raw.kind == "more":
        return "a stub for more comments"
    if not isinstance(raw.title, str) and not isinstance(raw.selftext, str):
        return "neither submission nor comment"
    debate_id = _bare(raw.id) or _bare(raw.name)
    if not debate_id:
        return "no id"
    return Post(debate_id, _author(raw.author), _text(raw.title), _text(raw.selftext), _time(raw.created_utc), _whole(raw.score))


def _comment(raw: _Line) -> Comment | str:
    comment_id, debate_id, parent_id = _bare(raw.id) or _bare(raw.name), _bare(raw.link_id), _bare(raw.parent_id)
    if not comment_id:
        return "no id"
    if not debate_id or not parent_id:
        return "no link_id or parent_id"
    return Comment(
        comment_id,
        debate_id,
        parent_id,
        parent_is_post=raw.parent_id.startswith("t3_") or (parent_id == debate_id and not raw.parent_id.startswith("t1_")),
        author=_author(raw.author),
        text=_text(raw.body),
        created_utc=_time(raw.created_utc),
        score=_whole(raw.score),
        edited=raw.edited not in (None, False, 0, "", "false", "False"),
        distinguished=raw.distinguished if isinstance(raw.distinguished, str) and raw.distinguished else None,
        by_submitter=raw.is_submitter is True,
    )


def _bare(fullname: Any) -> str | None:
    """An id without its kind: ``t1_c0abc`` and ``c0abc`` are the same comment."""
    return re.sub(r"^t[13]_", "", fullname) if isinstance(fullname, str) else None


def _author(value: Any) -> str:
    return value if isinstance(value, str) and value else DELETED


def _text(value: Any) -> str:
    return unescape_once(value) if isinstance(value, str) else ""


def _time(value: Any) -> int | None:
    """Seconds since 1970; zero and less are a lost time, not a time."""
    seconds = _whole(value)
    return seconds if seconds is not None and seconds > 0 else None


def _whole(value: Any) -> int | None:
    """A number of any era (int, float, text) as a 64-bit int."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = value if isinstance(value, int) else float(value)
    except ValueError:
        return None
    return int(number) if math.isfinite(number) and abs(number) < 2**63 else None
