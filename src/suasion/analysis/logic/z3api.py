"""The few functions of z3's C interface that are used, bound to the library that the package ``z3-solver`` ships.

z3's own Python layer wraps, checks and counts every term; for an ordinary question that costs several times what z3
needs, and importing it takes as long as a hundred questions. Pointers are plain integers here.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from suasion.errors import SuasionError

_TYPES: dict[str, Any] = {
    "p": ctypes.c_void_p,  # a pointer, as an integer
    "a": ctypes.POINTER(ctypes.c_void_p),  # an array of them
    "u": ctypes.c_uint,
    "i": ctypes.c_int,
    "l": ctypes.c_uint64,
    "b": ctypes.c_bool,
    "s": ctypes.c_char_p,
    "v": None,
}
_FUNCTIONS = {  # name: what it gives, what it takes; from https://z3prover.github.io/api/html/z3__api_8h.html
    "mk_config": "p",
    "del_config": "v p",
    "mk_context_rc": "p p",
    "del_context": "v p",
    "set_error_handler": "v p p",
    "inc_ref": "v p p",
    "dec_ref": "v p p",
    "global_param_set": "v s s",
    "mk_int_symbol": "p p i",
    "mk_string_symbol": "p p s",  # parameters of solvers only
    "mk_uninterpreted_sort": "p p p",
    "mk_bool_sort": "p p",
    "mk_func_decl": "p p p u a p",
    "mk_true": "p p",
    "mk_false": "p p",
    "mk_bound": "p p u p",
    "mk_app": "p p p u a",
    "mk_not": "p p p",
    "mk_and": "p p u a",
    "mk_or": "p p u a",
    "mk_eq": "p p p p",
    "mk_iff": "p p p p",
    "mk_implies": "p p p p",
    "mk_quantifier": "p p b u u a u a a p",
    "mk_simple_solver": "p p",
    "solver_inc_ref": "v p p",
    "solver_dec_ref": "v p p",
    "solver_set_params": "v p p p",
    "solver_push": "v p p",
    "solver_pop": "v p p u",
    "solver_assert": "v p p p",
    "solver_check": "i p p",
    "solver_check_assumptions": "i p p u a",
    "solver_get_reason_unknown": "s p p",
    "solver_get_model": "p p p",
    "model_inc_ref": "v p p",
    "model_dec_ref": "v p p",
    "model_get_const_interp": "p p p p",
    "get_bool_value": "i p p",
    "mk_params": "p p",
    "params_inc_ref": "v p p",
    "params_dec_ref": "v p p",
    "params_set_uint": "v p p p u",
    "get_estimated_alloc_size": "l",
}


class OutOfMemory(Exception):
    """z3 gave nothing back: it has no memory left."""


@cache
def library() -> Any:
    """z3's functions by their names without the prefix: ``library().mk_not(context, term)``.

    Raises:
        SuasionError: z3-solver is not installed, or not for this machine.
    """
    spec = find_spec("z3")
    places = (spec.submodule_search_locations or []) if spec else []
    # some releases ship the libraries of several systems
    pattern = "libz3*.dylib" if sys.platform == "darwin" else "libz3.so*"
    files = [file for place in places for file in sorted((Path(place) / "lib").glob(pattern))]
    if not files:
        raise SuasionError("The prover z3 is not installed.", hint="Install the package z3-solver.")
    loaded = ctypes.CDLL(str(files[0]))
    functions: dict[str, Any] = {}
    for name, types in _FUNCTIONS.items():
        function = getattr(loaded, f"Z3_{name}")
        function.restype, *function.argtypes = (_TYPES[kind] for kind in types.split())
        functions[name] = function
    return type("Z3", (), {"__slots__": (), **{name: staticmethod(function) for name, function in functions.items()}})


def array_of(pointers: list[int]) -> Any:
    """Pointers as the array that z3 takes."""
    return (ctypes.c_void_p * len(pointers))(*pointers)
