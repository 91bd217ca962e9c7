"""Fuzzing by coverage, for as long as you like; not part of the tests (pip install atheris first).

    python -m tests.analysis.fuzz argdown -max_total_time=600
    python -m tests.analysis.fuzz logic -max_total_time=600

What breaks is written into a file; put its text into ``broke.json`` beside the language's tests, which keeps it mended.
"""

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["suasion.analysis"]):
    from suasion.analysis import argdown, logic
    from suasion.analysis.logic.reading import read_aloud


def read_argdown(data: bytes) -> None:
    """Never raises; what is sound survives printing."""
    document = argdown.parse(data.decode("utf-8", "replace"))
    for error in document.errors:
        assert error.line >= 1 and error.column >= 1 and error.message
    if not document.errors:
        assert argdown.parse(argdown.to_text(document)) == document


def read_logic(data: bytes) -> None:
    """Never raises; what was read is the same when it is written and read again."""
    parsed = logic.parse(data.decode("utf-8", "replace"))
    assert (parsed.formula is None) == bool(parsed.errors)
    if parsed.formula is not None:
        assert logic.parse(logic.to_text(parsed.formula)).formula == parsed.formula
        read_aloud(parsed.formula, {})


if __name__ == "__main__":
    language, *options = sys.argv[1:] or ["argdown"]
    atheris.Setup([sys.argv[0], *options], {"argdown": read_argdown, "logic": read_logic}[language])
    atheris.Fuzz()
