"""The one way in: text to document."""

from __future__ import annotations

from dataclasses import replace

from suasion.analysis.argdown.document import Document
from suasion.analysis.argdown.parser import Parser
from suasion.analysis.argdown.places import Source
from suasion.analysis.argdown.relations import resolved
from suasion.analysis.argdown.resolve import resolve


def parse(text: str) -> Document:
    """Read an Argdown text, in time that grows with its length and no faster.

    Never raises, whatever the text. Errors are in ``Document.errors``, in the text's order; after each, reading goes on.
    """
    source = Source(text)
    parser = Parser(source)
    parser.run()
    said = resolve(parser.blocks, parser.report)
    document = Document(tuple(parser.blocks), parser.front_matter, source=source, **said._asdict())
    errors = tuple(sorted(parser.errors, key=lambda error: error.offset))
    return replace(document, relations=resolved(document), errors=errors)
