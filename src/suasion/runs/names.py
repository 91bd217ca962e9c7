"""Names that nobody else can take: ``2026-11-30_SFT_Run1`` is a folder, and making it is what claims it.

``mkdir`` either makes the folder or fails, on shared file systems too, so two processes that ask at the same instant get two names.
"""

from __future__ import annotations

import datetime
import re
from pathlib import Path

from suasion.errors import SuasionError

_NAME = re.compile(r"(\d{4}-\d{2}-\d{2})_([A-Za-z0-9]+)_Run([1-9]\d*)")
_KIND = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_ATTEMPTS = 10_000


def claim(root: Path, kind: str, today: datetime.date | None = None) -> Path:
    """Make the folder of a new run below ``root`` and return it. Its number is one more than the highest taken of that date and kind.

    Args:
        kind: what the run does (SFT, Judge, GRPO, …): letters and digits.
        today: the date of the name; the local one if not given.

    Raises:
        SuasionError: a kind that is no plain word, or a folder that cannot be made.
    """
    if not _KIND.fullmatch(kind):
        raise SuasionError(f"'{kind}' cannot be the kind of a run.", hint="Use letters and digits only, for example SFT.")
    date = (today or datetime.date.today()).isoformat()
    try:
        root.mkdir(parents=True, exist_ok=True)
        number = 1 + max((_number_of(path.name, date, kind) for path in root.iterdir()), default=0)
        for candidate in range(number, number + _ATTEMPTS):
            path = root / f"{date}_{kind}_Run{candidate}"
            try:
                path.mkdir()
            except FileExistsError:
                continue  # somebody was quicker; the next number is as good
            return path
    except OSError as error:
        raise SuasionError(f"Cannot make a folder for the run: {error.strerror or error}", where=root) from error
    raise SuasionError(f"{_ATTEMPTS} run names in a row were taken by others.", where=root)


def is_run_name(name: str) -> bool:
    """Whether ``name`` has the form that :func:`claim` gives."""
    return _NAME.fullmatch(name) is not None


def _number_of(name: str, date: str, kind: str) -> int:
    """The number in a name of this date and kind; 0 for any other name."""
    match = _NAME.fullmatch(name)
    # Kinds are compared without case: on some file systems SFT and sft are the same folder.
    return int(match[3]) if match and match[1] == date and match[2].lower() == kind.lower() else 0
