"""Checkpoints that are whole or are not used.

The trainers write a checkpoint file by file, without a temporary name; a kill in between leaves a folder that looks like one. So each
is sealed when it is finished: everything is forced onto the disk, and ``complete.json`` (name to size) is written last, atomically.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from suasion.errors import SuasionError
from suasion.files import fsync_tree, read_json, write_json

SEAL = "complete.json"
_CHECKPOINT = re.compile(r"checkpoint-(\d+)")


def seal(folder: Path) -> Path:
    """Mark a checkpoint as whole; return the seal's path.

    Raises:
        SuasionError: a file cannot be read or forced onto the disk, or the seal cannot be written.
    """
    try:
        fsync_tree(folder)
        sizes = {path.relative_to(folder).as_posix(): path.stat().st_size for path in sorted(folder.rglob("*")) if path.is_file()}
    except OSError as error:
        raise SuasionError(f"The checkpoint could not be written out: {error.strerror or error}", where=folder) from error
    sizes.pop(SEAL, None)
    if not sizes:
        raise SuasionError("This checkpoint is empty.", where=folder)
    return write_json(folder / SEAL, sizes)


def is_complete(folder: Path) -> bool:
    """Whether the checkpoint is sealed and every file has the size it was sealed with."""
    try:
        sizes = read_json(folder / SEAL)
        return isinstance(sizes, dict) and bool(sizes) and all((folder / name).stat().st_size == size for name, size in sizes.items())
    except (SuasionError, OSError):
        return False


def newest_complete(checkpoints: Path) -> Path | None:
    """The whole checkpoint with the highest step, or None."""
    return max(filter(is_complete, _numbered(checkpoints)), key=_step, default=None)


def discard_incomplete(checkpoints: Path) -> list[str]:
    """Remove the half-written checkpoints; return their names, lowest step first.

    Raises:
        SuasionError: one cannot be removed.
    """
    broken = [folder for folder in _numbered(checkpoints) if not is_complete(folder)]
    for folder in broken:
        (folder / SEAL).unlink(missing_ok=True)  # first, so that a kill in the middle of the removal cannot leave a sealed half
        try:
            shutil.rmtree(folder)
        except OSError as error:
            raise SuasionError(f"A half-written checkpoint cannot be removed: {error.strerror or error}", where=folder) from error
    return [folder.name for folder in broken]


def _numbered(checkpoints: Path) -> list[Path]:
    if not checkpoints.is_dir():
        return []
    found = [path for path in checkpoints.iterdir() if _CHECKPOINT.fullmatch(path.name) and path.is_dir() and not path.is_symlink()]
    return sorted(found, key=_step)


def _step(folder: Path) -> int:
    match = _CHECKPOINT.fullmatch(folder.name)
    return int(match[1]) if match else -1
