"""What the parser finds wrong with the form of an argument, and which check tells it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from suasion.analysis.verification.case import Case
from suasion.analysis.verification.findings import Finding

EMPTY = ("empty",)
START = ("starts-with-inference",)
END = ("ends-with-premise", "no-inference", "no-conclusion")
TWICE = ("second-reconstruction",)
FORM = (*EMPTY, *START, *END, *TWICE)
READABLE = ("reconstruction.syntax", "reconstruction.no-argument")
SHAPED = (*READABLE, "reconstruction.starts-with-conclusion", "reconstruction.ends-with-premise")


def told_by_parser(case: Case, code: str, kinds: Sequence[str]) -> Iterator[Finding]:
    """Errors of these kinds as findings of another check."""
    block = case.blocks.get("reconstruction")
    for error in case.reconstruction.errors if block and case.reconstruction else ():
        if error.code in kinds and block:
            yield Finding(code, error.message, *block.place(error.line, error.column))
