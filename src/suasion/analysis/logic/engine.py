"""One question to z3: can these formulas be true together? Quick first; then once more, alone and for longer; small
models last.

Ordinary questions share one solver with push and pop, on a small allowance. What that does not decide goes to a fresh
context, whose course does not depend on earlier questions, with the whole allowance. Allowances are z3's own resource
units, which do not depend on the machine or its load: about three million a second.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from suasion.analysis.logic.finite import FiniteModel, find_model
from suasion.analysis.logic.terms import Terms
from suasion.analysis.logic.z3api import OutOfMemory, library

Reason: TypeAlias = Literal["steps", "time", "memory", "incomplete", "crash", "size"]

QUICK = 100_000  # units of the first try: two hundred ordinary questions' worth
RENEWED = 2_000  # questions after which the shared context is made anew, so that it cannot grow
LARGEST = 600_000  # numbers in a question; 100 kB of formulas have fewer
_UNSAT, _SAT = -1, 1


@dataclass(frozen=True, slots=True)
class Found:
    """Whether the formulas can be true together; ``None`` is undecided, for a reason. A model only where one was asked
    for and is small."""

    possible: bool | None
    reason: Reason | None = None
    model: FiniteModel | None = None


class Engine:
    """z3 for one thread of one process.

    Args:
        steps: z3's resource units for one question.
        seconds: what a question may take by the wall clock, at which z3 looks now and then; ``None`` where an alarm is
            set.
        second: another prover, asked for what z3 leaves undecided.
        megabytes: z3's memory, for all of this process together; unlimited where the process is not the engine's own.
    """

    def __init__(
        self,
        steps: int,
        seconds: float | None,
        second: Callable[[array[int]], bool | None] | None = None,
        megabytes: int | None = None,
    ) -> None:
        self.steps, self.seconds, self.second, self.megabytes = steps, seconds, second, megabytes
        if megabytes:
            library().global_param_set(b"memory_max_size", str(megabytes).encode())
        self._shared: _Solver | None = None
        self._asked = 0

    def ask(self, triples: array[int], want_model: bool) -> Found:
        """Decide one encoded question."""
        if len(triples) > LARGEST:
            return Found(None, "size")
        try:
            return self._ask(triples, want_model)
        except OutOfMemory:
            self.close()
            return Found(None, "memory")

    def close(self) -> None:
        """Free z3's memory."""
        if self._shared:
            self._shared.close()
            self._shared = None

    def _ask(self, triples: array[int], want_model: bool) -> Found:
        self._asked += 1
        if self._asked % RENEWED == 0:
            self.close()
        if self._shared is None:
            self._shared = _Solver(QUICK, None, self.megabytes)
        shared = self._shared
        possible, reason = shared.check(triples)
        if possible is False or (possible and not want_model):
            return Found(possible)
        model = find_model(shared.terms, shared.solver, triples)
        if possible or model:
            return Found(True, None, model if want_model else None)
        alone = _Solver(self.steps, int(1000 * self.seconds) if self.seconds else None, self.megabytes)
        try:
            possible, reason = alone.check(triples)
        finally:
            alone.close()
        if possible is None and self.second:
            possible = self.second(triples)
        if possible is None and reason == "memory":
            self.close()
        return Found(possible, reason if possible is None else None)


class _Solver:
    """A context with one solver in it."""

    def __init__(self, steps: int, milliseconds: int | None, megabytes: int | None) -> None:
        self.terms, self.milliseconds, self.megabytes = Terms(), milliseconds, megabytes
        z3, context = library(), self.terms.context
        self.solver: int = z3.mk_simple_solver(context)
        z3.solver_inc_ref(context, self.solver)
        limits = z3.mk_params(context)
        z3.params_inc_ref(context, limits)
        for name, value in ((b"rlimit", steps), (b"timeout", milliseconds)):
            if value is not None:
                z3.params_set_uint(context, limits, z3.mk_string_symbol(context, name), value)
        z3.solver_set_params(context, self.solver, limits)
        z3.params_dec_ref(context, limits)

    def check(self, triples: array[int]) -> tuple[bool | None, Reason | None]:
        z3, context, solver = self.terms.z3, self.terms.context, self.solver
        z3.solver_push(context, solver)
        try:
            for formula in self.terms.formulas(triples):
                z3.solver_assert(context, solver, formula)
            started = time.monotonic()
            answer = z3.solver_check(context, solver)
            if answer in (_SAT, _UNSAT):
                return answer == _SAT, None
            return None, self._reason(time.monotonic() - started)
        finally:
            z3.solver_pop(context, solver, 1)
            self.terms.forget()

    def close(self) -> None:
        self.terms.z3.solver_dec_ref(self.terms.context, self.solver)
        self.terms.close()

    def _reason(self, seconds: float) -> Reason:
        """z3 calls every limit "canceled", so what it ran into is told by what is used up."""
        if self.megabytes and self.terms.z3.get_estimated_alloc_size() >= 0.95 * self.megabytes * 2**20:
            return "memory"
        if self.milliseconds is not None and 1000 * seconds >= self.milliseconds:
            return "time"
        told = self.terms.z3.solver_get_reason_unknown(self.terms.context, self.solver) or b""
        return "incomplete" if b"incomplete" in told else "steps"
