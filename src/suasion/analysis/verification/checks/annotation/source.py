"""The annotated text is the source: nothing added, nothing altered, nothing left out but what may be."""

from __future__ import annotations

from collections.abc import Iterator

from suasion.analysis.logic.prover import Prover
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.check import Check
from suasion.analysis.verification.differences import difference
from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.shortened import first_unreal
from suasion.analysis.verification.source_text import read_source, squeezed


def _altered(case: Case, prover: Prover) -> Iterator[Finding]:
    annotation, source = case.annotation, read_source(case.source)
    if not annotation or squeezed(annotation.text) in source.readings:
        return
    if source.is_long:
        unreal = first_unreal(annotation, source)
        if unreal:
            yield Finding(f"annotation.source.{unreal.what}", unreal.message, *annotation.place(unreal.at))
    else:
        found = difference(annotation.text, source.text)
        yield Finding(f"annotation.source.{found.what}", found.message, *annotation.place(found.at))


CHECK = Check(
    "annotation.source",
    "Change nothing in the text but for the tags; only in a text of more than 200 words may you shorten what you do not mark.",
    _altered,
    after=("annotation.markup", "annotation.element", "annotation.empty"),
)
