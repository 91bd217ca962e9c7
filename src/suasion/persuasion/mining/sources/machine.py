"""The scanner's machine code: compiled by Numba once, kept in the user's cache folder, and called without Numba from then on.

Loading Numba takes half a second each time, as long as scanning a gigabyte. What is kept goes by a digest of everything that it was made
from and for. It is called with Python's lock let go.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from suasion.errors import SuasionError
from suasion.files import atomic_path
from suasion.progress import say

_SOURCES = ("scan", "pick", "rawjson", "simd", "rows", "machine")
_ARGUMENTS = {"scan": 8, "gather": 7, "pick": 5}
"""Functions of :mod:`scan` and :mod:`pick`, and how many arguments each takes; all are 64-bit numbers, addresses among them."""


Functions = Mapping[str, Callable[..., None]]


@cache
def functions() -> Functions | None:
    """The functions by name; ``None`` where the extra ``fast`` is not installed or does not work here."""
    try:
        from llvmlite import __version__, binding
    except ImportError:
        return None
    if sys.byteorder != "little":
        return None
    try:
        binding.initialize_native_target()
        binding.initialize_native_asmprinter()
        cpu, features = binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()
        target = binding.Target.from_default_triple().create_target_machine(cpu, features, opt=3, codemodel="jitdefault", jit=True)
        made_from = [Path(__file__).with_name(f"{name}.py").read_bytes() for name in _SOURCES]
        made_from += [part.encode() for part in (__version__, binding.get_default_triple(), cpu, features)]
        kept = _folder() / f"scanner-{hashlib.sha256(b''.join(made_from)).hexdigest()[:20]}.o"
        code = _kept(kept)
        if code is None:
            say("Compiling the scanner once.")
            code = _compiled(binding, target)
            _keep(kept, code)
        engine = binding.create_mcjit_compiler(binding.parse_assembly(""), target)
        engine.add_object_file(binding.ObjectFileRef.from_data(code))
        engine.finalize_object()
        functions.engine = engine  # type: ignore[attr-defined]  # the code lives as long as it does
        return {
            name: ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * count)(engine.get_function_address(name)) for name, count in _ARGUMENTS.items()
        }
    except ImportError:
        return None
    except Exception as error:  # whatever LLVM and Numba do not support on this machine: there is a slower way
        say(f"The fast scanner does not work here ({error!s:.200}): going on without it.")
        return None


def _compiled(binding: Any, target: Any) -> bytes:
    """Machine code by Numba."""
    from suasion.persuasion.mining.sources import pick, scan

    whole = binding.parse_assembly("")
    functions: dict[str, Any] = {"scan": scan.scan, "gather": scan.gather, "pick": pick.pick}
    for name, function in functions.items():
        module = binding.parse_assembly(function.inspect_llvm())
        module.get_function(function.native_name).name = name
        whole.link_in(module)
    # Numba's functions can raise exceptions, and ask its runtime for that; ours raise none, so none of these is ever called.
    absent = [one.name for one in whole.functions if one.is_declaration and not one.name.startswith("llvm.")]
    unset = [one.name for one in whole.global_variables if one.is_declaration]
    stubs = [f'define void @"{name}"() {{ unreachable }}' for name in absent] + [f'@"{name}" = global i8 0' for name in unset]
    whole.link_in(binding.parse_assembly("\n".join(stubs)))
    code: bytes = target.emit_object(whole)
    return code


def _kept(path: Path) -> bytes | None:
    """What was kept, if it is sound: LLVM would crash on anything else."""
    data = path.read_bytes() if path.is_file() else b""
    digest, code = data[:32], data[32:]
    return code if code and hashlib.sha256(code).digest() == digest else None


def _keep(path: Path, code: bytes) -> None:
    """For the next time, where the folder can be written."""
    with suppress(SuasionError), atomic_path(path) as temporary:
        temporary.write_bytes(hashlib.sha256(code).digest() + code)


def _folder() -> Path:
    """As :func:`suasion.models.base.cache_folder`, which takes seconds to import."""
    if configured := os.environ.get("SUASION_CACHE"):
        return Path(configured)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "suasion"
