"""Memory that is kept once it was had, for work that takes and gives back the same amounts thousands of times.

The kernel clears every page that it hands out, at less than two gigabytes a second on many virtual machines: giving memory back after
each block of a dump, to ask for it again at the next, took a fifth of the whole time.
"""

from __future__ import annotations

import ctypes
import gc
import sys

import pyarrow as pa

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8  # of mallopt(3)


def keep_freed_memory() -> None:
    """Let this process's allocators keep up to a gigabyte of what is freed (with glibc; elsewhere nothing changes).

    And let Python's collector pass over what is there by now: modules are never garbage, and it would look through them again and again.
    """
    gc.freeze()
    if sys.platform != "linux":
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return
    for option, value in ((_ARENA_MAX, 1), (_MMAP_THRESHOLD, 32 << 20), (_TRIM_THRESHOLD, 1 << 30)):
        mallopt(option, value)
    pa.set_memory_pool(pa.system_memory_pool())
    pa.array([""])  # the first array that Python makes of a list costs a tenth of a second: before there are threads that it keeps waiting
