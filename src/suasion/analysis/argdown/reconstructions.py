"""A premise-conclusion structure while it is being read."""

from __future__ import annotations

from suasion.analysis.argdown.drafts import Draft, Report, make_data
from suasion.analysis.argdown.elements import Comment, Inference, Item, Reconstruction
from suasion.analysis.argdown.places import Source, Span
from suasion.analysis.argdown.tokens import InferenceLine
from suasion.analysis.argdown.trees import Tree


class _InferenceDraft:
    def __init__(self, line: InferenceLine, start: int, end: int, source: Source, report: Report) -> None:
        self.line, self.span, self.source, self.report = line, Span(source, start, end), source, report
        self.comments = list(line.comments)
        self.tree = Tree(source, report, rooted=False)
        self.line_open = True  # its line has not ended yet

    def seal(self) -> Inference:
        data = make_data(*self.line.data, self.source, self.report) if self.line.data else None
        return Inference(self.line.rules, data, self.tree.seal(), tuple(self.comments), self.span)


class _ItemDraft:
    def __init__(self, number: str, start: int, inference: _InferenceDraft | None, source: Source, report: Report) -> None:
        self.number, self.start, self.inference = number, start, inference
        self.tree = Tree(source, report)
        self.tree.slot = (start, None, None)

    def seal(self) -> Item:
        tree = self.tree
        inference = self.inference.seal() if self.inference else None
        nodes = tree.seal()
        return Item(self.number, nodes, inference, Span(tree.source, self.start, nodes[-1].span.end))


class ReconstructionDraft:
    """Numbered claims with inferences between them."""

    def __init__(self, source: Source, report: Report) -> None:
        self.source, self.report = source, report
        self.items: list[_ItemDraft] = []
        self.pending: _InferenceDraft | None = None  # an inference whose conclusion is still to come

    @property
    def unfinished(self) -> bool:
        """Whether it cannot end here, because no conclusion stands at its end."""
        return self.pending is not None or not self.items or self.items[-1].inference is None

    @property
    def _tree(self) -> Tree:
        return self.pending.tree if self.pending else self.items[-1].tree

    @property
    def takes_label(self) -> bool:
        """Whether a label may come next."""
        return self._tree.takes_label or (self.pending is not None and not self.pending.tree.drafts)

    def number(self, number: str, start: int) -> None:
        """``(1)`` was read."""
        self.items.append(_ItemDraft(number, start, self.pending, self.source, self.report))
        self.pending = None

    def inference(self, line: InferenceLine, start: int, end: int) -> None:
        """An inference was read."""
        if self.pending:
            self.report(start, "two-inferences")
        elif not self.items:
            self.report(start, "starts-with-inference")
        for offset, code, message in line.faults:
            self.report(offset, code, message)
        self.pending = _InferenceDraft(line, start, end, self.source, self.report)

    def relation(self, indent: int, sign: str, start: int) -> None:
        """A relation sign was read, below an inference or a numbered claim."""
        tree = self._tree
        tree.relation(indent, sign, start)
        if self.pending and tree.slot and tree.slot[2] is None and sign not in ("_", "<_"):
            self.report(start, "inference-relation")

    def take(self, start: int) -> Draft:
        """The draft that the next piece belongs to. Where only a number may come, this says so and begins a claim all the same."""
        if self.pending and not self.pending.tree.drafts and not self.pending.tree.slot:
            self.report(start, "inference-form" if self.pending.line_open else "conclusion-number")
            self.number(str(len(self.items) + 1), start)
        return self._tree.take(start)

    def end_line(self) -> None:
        """The line ends."""
        if self.pending:
            self.pending.line_open = False
        self._tree.end_line()

    def add_comment(self, comment: Comment) -> None:
        """Keep a comment with what it stands in."""
        if self.pending and not self.pending.tree.drafts:
            self.pending.comments.append(comment)
        else:
            self._tree.add_comment(comment)

    def labelled(self, draft: Draft) -> None:
        """A draft has got its label: check that it may have it."""
        if draft.kind == "argument" and draft.relation in (None, "><"):
            self.report(draft.start, "contradiction" if draft.relation else "argument-in-reconstruction")

    def block(self) -> Reconstruction | None:
        """The block, or ``None`` where nothing is left of it."""
        if self.pending:
            self.report(self.pending.span.start, "no-conclusion")
        elif not any(item.inference for item in self.items):
            self.report(self.items[0].start, "no-inference")
        elif not self.items[-1].inference:
            self.report(self.items[-1].start, "ends-with-premise")
        items = tuple([item.seal() for item in self.items])
        return Reconstruction(items, Span(self.source, items[0].span.start, items[-1].span.end)) if items else None
