"""Without which other checks those of logic make no sense."""

from __future__ import annotations

STRUCTURE = (
    "reconstruction.syntax",
    "reconstruction.no-argument",
    "reconstruction.no-structure",
    "reconstruction.starts-with-conclusion",
    "reconstruction.ends-with-premise",
)
INFERENCES = (
    *STRUCTURE,
    "reconstruction.second-structure",
    "reconstruction.repeated-number",
    "reconstruction.inference-data",
    "reconstruction.reference",
)
FORMULAS = ("logic.formula-missing", "logic.formula")
SYMBOLS = (*FORMULAS, "logic.symbol-use", "logic.open-formula", "logic.declarations", "logic.undeclared", "logic.declared-twice")
TRIVIAL = ("logic.tautology", "logic.petitio", "logic.trivial-conjunction")
PROVABLE = (*INFERENCES, *SYMBOLS, "logic.formalised-twice", "logic.too-large")
