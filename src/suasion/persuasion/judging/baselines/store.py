"""How a learned baseline lies on disk: ``baseline.json`` says what it is, ``baseline.safetensors`` holds its numbers. No pickle.

Both are written atomically, the JSON last: a folder with it is whole. Numbers are float64 and come back to the last bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from suasion.errors import SuasionError
from suasion.files import atomic_path, read_json, write_json
from suasion.statistics import Floats

ABOUT, NUMBERS = "baseline.json", "baseline.safetensors"


def write_baseline(folder: Path, about: Mapping[str, Any], numbers: Mapping[str, Floats]) -> Path:
    """Write both files; return the folder.

    Raises:
        SuasionError: they cannot be written.
    """
    from safetensors.numpy import save

    content = save({name: np.ascontiguousarray(values, dtype=np.float64) for name, values in numbers.items()})
    with atomic_path(folder / NUMBERS) as temporary:
        temporary.write_bytes(content)
    write_json(folder / ABOUT, dict(about))
    return folder


def read_baseline(folder: Path) -> tuple[dict[str, Any], dict[str, Floats]]:
    """Read both files.

    Raises:
        SuasionError: one is absent, torn or holds something else.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    about = read_json(folder / ABOUT)
    if not isinstance(about, dict):
        raise SuasionError("This does not describe a baseline.", where=folder / ABOUT)
    try:
        numbers = load_file(folder / NUMBERS)
    except (OSError, SafetensorError, ValueError, KeyError, TypeError) as error:
        raise SuasionError(f"The baseline's numbers cannot be read: {error!s:.200}", where=folder / NUMBERS) from error
    strange = [name for name, values in numbers.items() if values.dtype != np.float64 or values.ndim != 1 or not np.isfinite(values).all()]
    if strange:
        raise SuasionError(f"The baseline's numbers are not finite float64 vectors: {', '.join(strange):.200}", where=folder / NUMBERS)
    return about, numbers


def vector(numbers: Mapping[str, Floats], name: str, size: int, folder: Path) -> Floats:
    """One vector of a read baseline.

    Raises:
        SuasionError: it is not there, or has another length than ``size``.
    """
    found = numbers.get(name)
    if found is None or found.size != size:
        raise SuasionError(
            f"The baseline's '{name}' should have {size} numbers, and {'is absent' if found is None else f'has {found.size}'}.",
            where=folder / NUMBERS,
            hint="It was made by another version, or its files are mixed up: train it again.",
        )
    return found
