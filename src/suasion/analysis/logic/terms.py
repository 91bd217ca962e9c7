"""Numbers into z3's terms, through z3's C interface: no text reaches the solver, symbols are numbers there too."""

from __future__ import annotations

from array import array
from typing import Any

from suasion.analysis.logic.encoding import ALL, AND, APPLY, BOUND, DONE, EQUAL, HOLDS, IFF, IMPLIES, NOT, OR
from suasion.analysis.logic.z3api import OutOfMemory, array_of, library


class Terms:
    """One z3 context with its symbols (numbered, made once), and the terms made since the last :meth:`forget`.

    A context belongs to one thread.
    """

    def __init__(self) -> None:
        self.z3: Any = library()
        config = self.z3.mk_config()
        self.context: int = self.z3.mk_context_rc(config)
        self.z3.del_config(config)
        # z3's own handler ends the process; without one, a call that failed gives a null pointer
        self.z3.set_error_handler(self.context, None)
        self._symbols: dict[tuple[int, int, int], int] = {}
        self._made: list[int] = []
        self._nothing = array_of([])
        self._things = self._keep(self.z3.mk_uninterpreted_sort(self.context, self.z3.mk_int_symbol(self.context, 0)))
        self._truth = self._keep(self.z3.mk_bool_sort(self.context))

    def close(self) -> None:
        """Free everything; nothing of this context may be used afterwards."""
        self.z3.del_context(self.context)

    def formulas(self, triples: array[int]) -> list[int]:
        """The formulas of an encoded question as z3 terms, alive until :meth:`forget`."""
        z3, context = self.z3, self.context
        stack: list[int] = []
        done: list[int] = []
        held = self._made.append
        inc_ref, mk_app, mk_bound = z3.inc_ref, z3.mk_app, z3.mk_bound
        numbers = iter(triples)
        for operation, first, second in zip(numbers, numbers, numbers, strict=True):
            if operation == BOUND:
                term = mk_bound(context, first, self._things)
            elif operation in (APPLY, HOLDS):
                symbol = self.symbol(operation, first, second)
                term = mk_app(context, symbol, second, self._take(stack, second) if second else self._nothing)
            elif operation == DONE:
                done.append(stack.pop())
                continue
            elif operation == NOT:
                term = z3.mk_not(context, stack.pop())
            elif operation in (AND, OR):
                term = (z3.mk_and if operation == AND else z3.mk_or)(context, first, self._take(stack, first))
            elif operation in (EQUAL, IMPLIES, IFF):
                right, left = stack.pop(), stack.pop()
                term = (z3.mk_eq if operation == EQUAL else z3.mk_implies if operation == IMPLIES else z3.mk_iff)(context, left, right)
            else:
                sorts = array_of([self._things] * first)
                names = array_of([z3.mk_int_symbol(context, number) for number in range(first)])
                term = z3.mk_quantifier(context, operation == ALL, 0, 0, self._nothing, first, sorts, names, stack.pop())
            if not term:
                raise OutOfMemory
            inc_ref(context, term)
            held(term)
            stack.append(term)
        return done

    def hold(self, term: int | None) -> int:
        """Keep a new term alive until :meth:`forget`."""
        if not term:
            raise OutOfMemory
        self.z3.inc_ref(self.context, term)
        self._made.append(term)
        return term

    def forget(self) -> None:
        """Let go of all terms held."""
        for term in self._made:
            self.z3.dec_ref(self.context, term)
        self._made.clear()

    def symbol(self, operation: int, number: int, arity: int) -> int:
        """The function (``APPLY``; a constant has arity 0) or predicate (``HOLDS``; a sentence letter has arity 0) of
        that number."""
        key = (operation, number, arity)
        symbol = self._symbols.get(key)
        if symbol is None:
            name = self.z3.mk_int_symbol(self.context, 2 * number + (operation == HOLDS))
            result = self._truth if operation == HOLDS else self._things
            symbol = self._keep(self.z3.mk_func_decl(self.context, name, arity, array_of([self._things] * arity), result))
            self._symbols[key] = symbol
        return symbol

    def letter(self, number: int) -> tuple[int, int]:
        """A sentence letter of the context's own, from its number: its symbol and itself as a formula, alive until
        :meth:`forget`."""
        symbol = self.symbol(HOLDS, number, 0)
        return symbol, self.hold(self.z3.mk_app(self.context, symbol, 0, self._nothing))

    def _keep(self, pointer: int | None) -> int:
        """Keep alive as long as the context."""
        if not pointer:
            raise OutOfMemory
        self.z3.inc_ref(self.context, pointer)
        return pointer

    @staticmethod
    def _take(stack: list[int], count: int) -> Any:
        taken = array_of(stack[-count:])
        del stack[-count:]
        return taken
