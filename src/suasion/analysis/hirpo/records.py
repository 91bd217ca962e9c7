"""What a run of HIRPO wrote down of itself, epoch by epoch: for its results, its report and its cards."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from suasion.files import read_json
from suasion.statistics import Estimate

START_FILE, RECORD_FILE = "start.json", "epoch.json"


def read_records(folder: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What was measured of base and start, and the records of the epochs that are finished, in their order."""
    start = read_json(folder / START_FILE)
    epochs = [read_json(file) for file in sorted(folder.glob(f"epoch-*/{RECORD_FILE}"))]
    return start, epochs


def estimate(found: Mapping[str, Any]) -> Estimate:
    """An estimate as it was before it became JSON; what was not known is NaN or without an end."""
    value, low, high = (float("nan") if found[key] is None else float(found[key]) for key in ("value", "low", "high"))
    return Estimate(value, low, high, int(found["n"]), int(found["clusters"]))
