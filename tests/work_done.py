"""How much Python a call runs, counted and not timed: the same on a busy machine."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def lines_run(work: Callable[[], object]) -> int:
    """Lines of Python that ``work`` runs. What C does within a line is not seen: pair it with a text that would hang."""
    count = 0

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before, collected = sys.gettrace(), gc.isenabled()
    gc.disable()  # finalizers of what other tests left are no work of this one
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
        if collected:
            gc.enable()
    return count
