"""A node and all that is related to it, while they are being read: indentation tells what belongs to what."""

from __future__ import annotations

from suasion.analysis.argdown.drafts import Draft, Report
from suasion.analysis.argdown.elements import Break, Comment, Node
from suasion.analysis.argdown.places import Source


class Tree:
    """``drafts[0]`` and its relations. Below an inference (``rooted`` false) there is no first node: relations have no parent there.

    ``levels`` are the indentations that are open, outermost first, each with the number of the node that its relations belong to.
    """

    __slots__ = ("base", "drafts", "floor", "held", "levels", "report", "rooted", "slot", "source")

    def __init__(self, source: Source, report: Report, *, rooted: bool = True) -> None:
        self.source, self.report, self.rooted = source, report, rooted
        self.drafts: list[Draft] = []
        self.levels: list[tuple[int, int | None]] = []
        self.floor = 0
        self.base: int | None = 0 if rooted else None
        self.slot: tuple[int, str | None, int | None] | None = None  # a sign was read; what it stands for is still to come
        self.held: list[Comment] = []  # comments between the sign and that

    @property
    def takes_label(self) -> bool:
        """Whether a label may come next."""
        return self.slot is not None or (self.rooted and not self.drafts)

    def take(self, start: int) -> Draft:
        """The draft that the next piece belongs to."""
        if self.slot:
            draft = Draft(self.source, *self.slot)
            self.slot = None
            for comment in self.held:
                draft.add(comment, comment.span.start, comment.span.end)
            self.held.clear()
            self.drafts.append(draft)
        elif not self.drafts:
            self.drafts.append(Draft(self.source, start))
        return self.drafts[-1]

    def relation(self, indent: int, sign: str, start: int) -> None:
        """A relation sign was read: find what it belongs to."""
        self.close_slot()
        if self.rooted and not self.drafts:
            return  # there is nothing that it could belong to: what follows begins the tree
        levels = self.levels
        top = levels[-1][0] if levels else self.floor
        if indent > top:
            levels.append((indent, len(self.drafts) - 1 if self.drafts else None))
        elif indent < top:
            while levels and indent < levels[-1][0]:
                levels.pop()
        if not levels:
            self.report(start, "relation-indent" if indent > self.floor else "relation-not-indented")
            levels.append((indent, self.base))
        self.slot = (start, sign, levels[-1][1])

    def item(self, indent: int, start: int) -> None:
        """A list's sign was read."""
        self.close_slot()
        if not self.drafts:
            self.floor = indent
        elif indent != self.floor:
            self.report(start, "nested-list" if indent > self.floor else "list-indent")
        self.levels.clear()
        self.base = len(self.drafts)
        self.slot = (start, None, None)

    def close_slot(self) -> None:
        """Nothing came behind the last sign: what it ties is an empty claim, which is reported in the end."""
        if self.slot:
            self.take(self.slot[0])

    def end_line(self) -> None:
        """The line ends."""
        if self.slot:
            self.take(self.slot[0])
        if self.drafts:
            self.drafts[-1].end_line()

    def add_comment(self, comment: Comment) -> None:
        """Keep a comment with the node that it stands in."""
        if self.slot:
            self.held.append(comment)
        elif self.drafts:
            self.drafts[-1].add(comment, comment.span.start, comment.span.end)

    def seal(self) -> tuple[Node, ...]:
        """The nodes, complete."""
        self.close_slot()
        return tuple([self._sealed(draft) for draft in self.drafts])

    def _sealed(self, draft: Draft) -> Node:
        node = draft.seal(self.report)
        if not node.content or (type(node.content[0]) is Comment and all(isinstance(piece, Comment | Break) for piece in node.content)):
            if node.label is None and not (node.content and draft.lined):  # a comment may hold the place of a text still to be written
                self.report(draft.start, "no-claim")
            elif node.label is not None and node.defines and not draft.lined:
                self.report(draft.end, "no-text")
        return node
