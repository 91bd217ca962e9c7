"""Blocks while they are being read. Each knows where the next piece belongs and, at its end, what is missing."""

from __future__ import annotations

from typing import TypeAlias

from suasion.analysis.argdown.drafts import Draft, Report
from suasion.analysis.argdown.elements import Comment, Heading, Listing, Node, Paragraph
from suasion.analysis.argdown.places import Source, Span
from suasion.analysis.argdown.reconstructions import ReconstructionDraft
from suasion.analysis.argdown.trees import Tree


def span_of(source: Source, nodes: tuple[Node, ...]) -> Span:
    """From the first node's start to the last one's end."""
    return Span(source, nodes[0].span.start, nodes[-1].span.end)


class ParagraphDraft(Tree):
    """A claim or an argument with its relations."""

    __slots__ = ()

    def labelled(self, draft: Draft) -> None:
        """A draft has got its label: check that it may have it."""
        if draft.relation == "><" and draft.kind == "argument":
            self.report(draft.start, "contradiction")

    def block(self) -> Paragraph | Listing | None:
        """The block, or ``None`` where nothing is left of it."""
        nodes = self.seal()
        return Paragraph(nodes, span_of(self.source, nodes)) if nodes else None


class ListDraft(ParagraphDraft):
    """A list, ordered or not."""

    __slots__ = ("ordered",)

    def __init__(self, source: Source, report: Report, ordered: bool) -> None:
        super().__init__(source, report)
        self.ordered = ordered

    def block(self) -> Paragraph | Listing | None:
        """The block, or ``None`` where nothing is left of it."""
        nodes = self.seal()
        return Listing(self.ordered, nodes, span_of(self.source, nodes)) if nodes else None


class HeadingDraft:
    """A heading."""

    takes_label = False

    def __init__(self, source: Source, report: Report, level: int, start: int, end: int) -> None:
        self.source, self.report, self.level = source, report, level
        self.draft = Draft(source, start)
        self.draft.end = end

    def take(self, start: int) -> Draft:
        """The heading's own draft."""
        return self.draft

    def end_line(self) -> None:
        """The line ends; a heading may go on in the next."""
        self.draft.end_line()

    def add_comment(self, comment: Comment) -> None:
        """Keep a comment in the heading."""
        self.draft.add(comment, comment.span.start, comment.span.end)

    def labelled(self, draft: Draft) -> None:
        """No label ever comes here."""

    def block(self) -> Heading:
        """The heading."""
        content = self.draft.content(self.report)
        if not content:
            self.report(self.draft.start, "no-heading")
        return Heading(self.level, content, self.draft.data, Span(self.source, self.draft.start, self.draft.end))


Open: TypeAlias = ParagraphDraft | ListDraft | HeadingDraft | ReconstructionDraft
