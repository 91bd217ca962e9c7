"""Files that are either whole or absent: write to a temporary name, fsync, rename.

Logs are appended a line at a time; a reader forgives a torn last line, because that is what a killed writer leaves behind.
"""

from __future__ import annotations

import errno
import hashlib
import json
import math
import os
import secrets
from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from suasion.errors import SuasionError

_BLOCK = 1 << 20
_FULL = (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def atomic_path(path: Path) -> Iterator[Path]:
    """Give a temporary path beside ``path``; when the block ends well, fsync it and rename it to ``path``.

    When the block fails, the temporary file is removed and ``path`` is left as it was. A kill leaves the temporary file
    (``.name.<hex>.tmp``) and never half a ``path``.

    Raises:
        SuasionError: the file system says no (full, read-only, a file where a folder should be).
    """
    temporary = path.parent / f".{path.name[:100]}.{secrets.token_hex(6)}.tmp"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Opened by us and not by tempfile: the kernel then applies the umask, so that the file is as shareable as any other.
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        yield temporary
        _fsync(temporary)
        os.replace(temporary, path)
        _fsync_folder(path.parent)
    except OSError as error:
        _discard(temporary)
        raise _not_written(path, error, temporary) from error
    except BaseException:
        _discard(temporary)
        raise


def write_text(path: Path, text: str) -> Path:
    """Write a whole text file atomically; return its path. Lone surrogates, which UTF-8 cannot hold, are written as ``\\udcxx``."""
    with atomic_path(path) as temporary:
        temporary.write_bytes(text.encode("utf-8", "backslashreplace"))
    return path


def write_json(path: Path, value: Any) -> Path:
    """Write ``value`` as indented JSON, atomically; return its path.

    Raises:
        SuasionError: the value is not JSON (NaN and infinity are not), or the file cannot be written.
    """
    try:
        text = _dumps(value, indent=2)
    except (ValueError, TypeError, RecursionError) as error:
        raise SuasionError(f"This cannot be written as JSON: {error}", where=path) from error
    return write_text(path, text + "\n")


def read_json(path: Path) -> Any:
    """Read a JSON file.

    Raises:
        SuasionError: the file is absent, unreadable or not JSON.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise SuasionError(f"Cannot read JSON: {error}", where=path) from error


def append_jsonl(path: Path, row: Mapping[str, Any]) -> None:
    """Append one JSON line and fsync it; NaN and infinity become null (a log must survive a loss that explodes).

    A torn last line left by a killed writer is closed off first, so it stays a single bad line. The line goes out in one write.

    Raises:
        SuasionError: the file cannot be written.
    """
    line = _dumps(jsonable(row)).encode() + b"\n"
    try:
        with path.open("ab+", buffering=0) as file:
            size = file.seek(0, os.SEEK_END)
            if size > 0:
                file.seek(size - 1)
                line = line if file.read(1) == b"\n" else b"\n" + line
            while line:
                line = line[file.write(line) :]
            os.fsync(file.fileno())
    except OSError as error:
        raise _not_written(path, error) from error


def read_jsonl(path: Path) -> list[dict[str, Any]]:
    """Read an appended log: rows in order, lines torn by a kill left out. An absent file is an empty log.

    Raises:
        SuasionError: the file is there but cannot be read.
    """
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise SuasionError(f"Cannot read the log: {error.strerror or error}", where=path) from error
    rows = []
    for line in lines:
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue  # torn by a kill; the writer resumes behind it
        if isinstance(row, dict):
            rows.append(row)
    return rows


def jsonable(value: Any) -> Any:
    """A copy that is plain JSON: string keys, lists, numbers out of NumPy and torch; sets sorted; NaN and infinity become None.

    Raises:
        TypeError: something in it has no place in JSON.
    """
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, Set):
        return sorted((jsonable(item) for item in value), key=lambda item: json.dumps(item, sort_keys=True))
    if isinstance(value, list | tuple):
        return [jsonable(item) for item in value]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):  # NumPy arrays and scalars, torch tensors
        return jsonable(value.tolist())
    raise TypeError(f"{type(value).__name__} is not JSON")


def sha256_file(path: Path) -> str:
    """Hex SHA-256 of a file's bytes.

    Raises:
        SuasionError: it cannot be read.
    """
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    except OSError as error:
        raise SuasionError(f"Cannot read the file: {error.strerror or error}", where=path) from error
    return digest.hexdigest()


def sha256_json(value: Any) -> str:
    """Hex SHA-256 of a value's canonical JSON (sorted keys, no spaces): equal values, equal digest, in every process.

    Raises:
        TypeError: the value has no place in JSON; a digest of an object's address would differ from run to run.
    """
    return hashlib.sha256(json.dumps(jsonable(value), sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def fsync_tree(folder: Path) -> None:
    """Force every file of a folder, and the folders themselves, onto the disk. Raises OSError."""
    for place, _, names in os.walk(folder):
        for name in names:
            _fsync(Path(place, name))
        _fsync_folder(Path(place))


def _dumps(value: Any, indent: int | None = None) -> str:
    text = json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # half an emoji, as old dumps have them: only the escaped form can hold it
        return json.dumps(value, indent=indent, ensure_ascii=True, allow_nan=False)
    return text


def _not_written(path: Path, error: OSError, temporary: Path | None = None) -> SuasionError:
    ours = error.filename is None or str(error.filename) in (str(path), str(temporary))
    hint = "Free some space or choose another folder." if error.errno in _FULL else "Check the folder and the right to write there."
    return SuasionError(f"Could not write: {error.strerror if ours and error.strerror else error}", where=path, hint=hint)


def _discard(temporary: Path) -> None:
    with suppress(OSError):  # never there, or in a place that cannot be reached: the error on its way already says so
        temporary.unlink()


def _fsync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _fsync_folder(path: Path) -> None:
    try:
        _fsync(path)
    except OSError as error:  # some network file systems cannot fsync a folder; the files themselves are safe
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EACCES):
            raise
