"""No endless repetition: what models write when they get stuck. The parser counts what is said twice only once, so it would pass."""

from __future__ import annotations

from collections.abc import Iterator

from suasion.analysis.argdown import Argument
from suasion.analysis.logic.issues import shown
from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.telling import argument_name, claim_name, sentence, tell

CODE = "reconstruction.repetition"
OFTEN = 10  # times in a row, or for one text


def find(case: Case, prover: Prover) -> Iterator[Finding]:
    """Lines that stand many times in a row (but for empty ones between), and claims that are given their text many times."""
    block, document = case.blocks.get("reconstruction"), case.reconstruction
    if not block or not document:
        return
    last, times, start = "", 0, 0
    for number, line in enumerate([*block.text.split("\n"), "\0"], 1):
        words = line.strip()
        if words == last:
            times += 1
        elif words:
            if times > OFTEN:
                message = f"The line “{shown(last)}” is repeated {times:,} times. Write it once."
                yield Finding(CODE, message, *block.place(start, 1))
            last, times, start = words, 1, number
    for one in (*document.arguments.values(), *document.claims.values()):
        texts = one.texts if len(one.members) > OFTEN else []
        if len(texts) > OFTEN and len(set(texts)) == 1:
            name = argument_name(one) if isinstance(one, Argument) else claim_name(one)
            message = f"{sentence(name)} is given the same text {len(texts):,} times. Write it once, and refer to it by its label."
            yield tell(case, "reconstruction", CODE, message, one.members[0].span)


CHECK = Check(CODE, "Write nothing over and over.", find, after=("reconstruction.syntax",))
