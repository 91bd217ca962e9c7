"""What the Argdown parser says, as findings about the answer."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from suasion.analysis.argdown import Document
from suasion.analysis.verification.blocks import Block
from suasion.analysis.verification.findings import Finding


def syntax_findings(code: str, block: Block, document: Document, skip: Collection[str] = ()) -> Iterator[Finding]:
    """Each error of a document with its place in the answer and the parser's own code behind ``code``; those in ``skip`` are left out."""
    for error in document.errors:
        if error.code not in skip:
            line, column = block.place(error.line, error.column)
            yield Finding(f"{code}.{error.code}", error.message, line, column)
