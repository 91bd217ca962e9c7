"""Every symbol is given a meaning, once, where it is used."""

from __future__ import annotations

from collections.abc import Iterator

from suasion.analysis.logic.issues import shown
from suasion.analysis.logic.prover import Prover
from suasion.analysis.logic.syntax import Formula, walk
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.checks.logic._order import FORMULAS, STRUCTURE
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.formal import Writing
from suasion.analysis.verification.telling import same_words, tell

KIND, UNDECLARED, TWICE, UNUSED = "logic.declarations", "logic.undeclared", "logic.declared-twice", "logic.unused-declaration"


def find_kind(case: Case, prover: Prover) -> Iterator[Finding]:
    """Declarations that are no mapping from symbols to meanings."""
    for writing in case.formal.writings:
        for fault in writing.faults:
            if fault.key == "declarations":
                yield _about(case, KIND, writing, f"In {case.formal.name(writing)}: {fault.message}")


def find_undeclared(case: Case, prover: Prover) -> Iterator[Finding]:
    """Symbols without a meaning."""
    formal = case.formal
    spelt = {symbol.casefold(): symbol for symbol in formal.declarations}
    for symbol in formal.signature.symbols.values():
        if symbol.kind != "variable" and symbol.name not in formal.declarations:
            writing = formal.writings[symbol.formula]
            other = spelt.get(symbol.name.casefold())
            mend = (
                f"'{shown(other)}' is declared: spell it alike"
                if other
                else f"Say what it means: declarations: {{{shown(symbol.name)}: '…'}}"
            )
            yield _about(case, UNDECLARED, writing, f"The symbol '{shown(symbol.name)}' in {formal.name(writing)} is not declared. {mend}.")


def find_twice(case: Case, prover: Prover) -> Iterator[Finding]:
    """Symbols with two meanings."""
    first: dict[str, tuple[str, Writing]] = {}
    for writing in case.formal.writings:
        for symbol, meaning in writing.declarations.items():
            before, where = first.setdefault(symbol, (meaning, writing))
            if same_words(before) != same_words(meaning):
                message = (
                    f"'{shown(symbol)}' means “{shown(before)}” in {case.formal.name(where)} and “{shown(meaning)}” in "
                    f"{case.formal.name(writing)}. Give the second meaning a symbol of its own."
                )
                yield _about(case, TWICE, writing, message)


def find_unused(case: Case, prover: Prover) -> Iterator[Finding]:
    """Declarations of symbols that do not occur in the formula they stand with."""
    for writing in case.formal.writings:
        if not writing.declarations:
            continue
        used = _names(writing.parsed.formula) if writing.parsed and writing.parsed.formula else set()
        name = case.formal.name(writing)
        for symbol in writing.declarations:
            if symbol not in used:
                message = f"'{shown(symbol)}' is declared in {name}, but does not occur free in its formula."
                yield _about(
                    case, UNUSED, writing, f"{message} Declare a symbol where it is first used, as it is spelt there, or take this away."
                )


def _names(formula: Formula) -> set[str]:
    """The names that no quantifier binds."""
    return {node.name for node, bound in walk(formula) if hasattr(node, "name") and node.name not in bound}


def _about(case: Case, code: str, writing: Writing, message: str) -> Finding:
    return tell(case, "reconstruction", code, message, writing.node.data.span if writing.node.data else writing.node.span)


_AFTER = (*STRUCTURE, *FORMULAS, KIND)
CHECKS = (
    Check(
        KIND,
        "Declare symbols as a mapping from each symbol to what it means, in words: declarations: {p: 'it rains'}.",
        find_kind,
        after=STRUCTURE,
    ),
    Check(UNDECLARED, "Declare every symbol that you use.", find_undeclared, after=(*_AFTER, "logic.symbol-use")),
    Check(TWICE, "Give no symbol two meanings.", find_twice, after=_AFTER),
    Check(UNUSED, "Declare a symbol only behind a formula in which it occurs, where it is first used.", find_unused, after=_AFTER),
)
