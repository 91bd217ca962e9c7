"""Small tables on the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def print_steps(title: str, steps: Mapping[str, Mapping[str, Any]]) -> None:
    """Counts step by step: ``{step: {"read": n, "kept": n, reason: n…}}``; steps without ``kept`` are remarks."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(title), title_justify="left")
    table.add_column("step")
    table.add_column("read", justify="right")
    table.add_column("kept", justify="right")
    table.add_column("not kept, and why")
    for step, numbers in steps.items():
        reasons = ", ".join(f"{reason} {number:,}" for reason, number in numbers.items() if reason not in ("read", "kept"))
        if "kept" in numbers:
            table.add_row(Text(step), f"{numbers['read']:,}", f"{numbers['kept']:,}", Text(reasons))
        else:
            table.add_row(Text(step), "", "", Text(reasons), style="yellow")
    Console().print(table)


def print_splits(results: Mapping[str, Any]) -> None:
    """Pairs and premises a split, and how often the longer reply wins."""
    from rich.console import Console
    from rich.table import Table

    table = Table("split", "pairs", "premises", "the longer reply wins", "95 % interval")
    for split, number in results["pairs"].items():
        longer = results["longer_wins"].get(split) or {}
        known = longer.get("value") is not None
        ends = f"{longer['low']:.3f} to {longer['high']:.3f}" if known and longer.get("low") is not None else "–"
        table.add_row(split, f"{number:,}", f"{results['premises'][split]:,}", f"{longer['value']:.3f}" if known else "–", ends)
    Console().print(table)
