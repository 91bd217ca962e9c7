"""The Argdown language: a text becomes a document in which everything has its place, and a document becomes a text again.

``parse`` takes any text and never fails: what is wrong stands in ``Document.errors``. ``to_text`` gives Argdown back.
"""

from __future__ import annotations

from suasion.analysis.argdown.document import Argument, Claim, Document, End, Relation, Section, Step
from suasion.analysis.argdown.parse import parse
from suasion.analysis.argdown.places import ArgdownError, Span
from suasion.analysis.argdown.printer import to_text
from suasion.analysis.argdown.relations import implied_relations

__all__ = [
    "ArgdownError",
    "Argument",
    "Claim",
    "Document",
    "End",
    "Relation",
    "Section",
    "Span",
    "Step",
    "implied_relations",
    "parse",
    "to_text",
]
