"""From tokens to blocks. After an error it goes on at once, with the reading that loses least; what it drops, an error names."""

from __future__ import annotations

from collections.abc import Callable

from suasion.analysis.argdown.blocks import HeadingDraft, ListDraft, Open, ParagraphDraft
from suasion.analysis.argdown.data import read_yaml
from suasion.analysis.argdown.drafts import Draft, make_data
from suasion.analysis.argdown.elements import Block, Comment, FrontMatter, Inline, Link, Mention, Symbol, Tag
from suasion.analysis.argdown.messages import MESSAGES
from suasion.analysis.argdown.places import ArgdownError, Source, Span
from suasion.analysis.argdown.reconstructions import ReconstructionDraft
from suasion.analysis.argdown.scanner import scan
from suasion.analysis.argdown.tokens import T, Token


class Parser:
    """Reads one text. ``blocks``, ``front_matter`` and ``errors`` are its results."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.blocks: list[Block] = []
        self.front_matter: FrontMatter | None = None
        self.errors: list[ArgdownError] = []
        self.open: Open | None = None  # the block that is being read, or that has just ended and may yet be taken up again
        self.ended = True  # an empty line has ended it
        self.fresh = True  # at the start of a line
        self.odd = -1  # where blanks stand that are not ordinary ones
        self.front_open = False  # front matter, and no empty line yet
        self.waiting: list[Comment] = []  # comments since the last block
        self._readers: dict[T, Callable[[Token], None]] = {
            T.TEXT: self._text,
            T.BREAK: self._break,
            T.EMPTY: self._empty,
            T.RELATION: self._relation,
            T.LABEL: self._label,
            T.NUMBER: self._number,
            T.INFERENCE: self._inference,
            T.DATA: self._data,
            T.TAG: self._inline,
            T.MARK: self._inline,
            T.LINK: self._inline,
            T.MENTION: self._inline,
            T.SYMBOL: self._inline,
            T.COMMENT: self._comment,
            T.HEADING: self._heading,
            T.ITEM: self._item,
            T.FRONT: self._front,
            T.FAULT: self._fault,
        }

    def run(self) -> None:
        """Read it all."""
        readers = self._readers
        for token in scan(self.source.text):
            readers[token[0]](token)
        self._close()
        self._flush_comments()
        if all(isinstance(block, Comment) for block in self.blocks):
            self.report(0, "empty")

    def report(self, offset: int, code: str, message: str | None = None) -> None:
        """Note an error; its sentence is looked up unless given."""
        line, column = self.source.place(offset)
        self.errors.append(ArgdownError(line, column, code, message or MESSAGES[code], offset))

    # the block that is open

    def _close(self) -> None:
        """End the open block for good."""
        if self.open:
            block = self.open.block()
            if block is not None:
                self.blocks.append(block)
            self.open = None
        self.ended = True

    def _flush_comments(self) -> None:
        self.blocks.extend(self.waiting)
        self.waiting.clear()

    def _start(self, block: Open, start: int) -> None:
        """Begin a block; where none has been ended by an empty line, say that one is missing."""
        if self.open and not self.ended:
            self.report(start, "no-empty-line")
        if self.front_open:
            self.report(start, "front-matter-end")
            self.front_open = False
        self._close()
        self._flush_comments()
        self.open, self.ended = block, False

    def _resume(self, start: int, code: str) -> None:
        """Take up the block that an empty line had ended, and say so."""
        self.report(start, code)
        self.ended = False
        assert self.open is not None  # noqa: S101
        self.open.end_line()
        for comment in self.waiting:
            self.open.add_comment(comment)
        self.waiting.clear()

    def _draft(self, start: int) -> Draft:
        """The node that the next piece belongs to; begun here where none is open."""
        block = self.open
        if block is None or self.ended:
            block = ParagraphDraft(self.source, self.report)
            self._start(block, start)
        return block.take(start)

    # readers of tokens

    def _text(self, token: Token) -> None:
        _, start, end, words = token
        if words.isspace() and (self.open is None or self.ended or self.open.takes_label):
            if words.strip(" \t") or self.source.text[start] == "\\":
                self.odd = start
            return
        draft = self._draft(start)
        if (draft.data or not draft.defines) and not words.isspace():
            self._late(draft, start)
        draft.add_words(words, start, end)
        self.fresh = False

    def _late(self, draft: Draft, start: int) -> None:
        """Something stands where nothing may: behind data, or behind a reference."""
        if not draft.complained:
            self.report(start, "text-after-data" if draft.data else "text-after-reference")
            draft.complained = True

    def _inline(self, token: Token) -> None:
        kind, start, end, value = token
        draft = self._draft(start)
        if draft.data or (not draft.defines and (kind is not T.TAG or draft.broken)):
            self._late(draft, start)
        span = Span(self.source, start, end)
        piece: Inline
        if kind is T.MARK:
            if self.odd >= 0 and self.fresh and self.source.text.startswith("_>", start):
                self.report(self.odd, "odd-blanks")  # a relation's sign, but for the blanks before it
            draft.add_mark(value[0], value[1], start, end)
            return
        if kind is T.TAG:
            piece = Tag(value, span)
        elif kind is T.LINK:
            piece = Link(value[0], value[1], span)
        elif kind is T.MENTION:
            piece = Mention(value[0], value[1], span)
        else:
            piece = Symbol(value, span)
        draft.add(piece, start, end)
        self.fresh = False

    def _break(self, token: Token) -> None:
        self.fresh, self.odd = True, -1
        if self.open and not self.ended:
            self.open.end_line()

    def _empty(self, token: Token) -> None:
        self.fresh, self.odd, self.ended, self.front_open = True, -1, True, False

    def _label(self, token: Token) -> None:
        _, start, end, (kind, label, defines) = token
        if self.fresh and self.odd >= 0:
            self.report(self.odd, "odd-blanks")
        if self.open and not self.ended and not self.open.takes_label:
            if not self.fresh:  # in the middle of a text: it is no more than words
                draft = self._draft(start)
                self.report(start, "label-in-text")
                draft.complained = True
                draft.add_words(self.source.text[start:end], start, end)
                return
            self._start(ParagraphDraft(self.source, self.report), start)
        draft = self._draft(start)
        draft.kind, draft.label, draft.defines = kind, label, defines
        draft.label_end, draft.end = (start, start + len(label) + 2), end
        self.open.labelled(draft)  # type: ignore[union-attr]
        self.fresh = False

    def _relation(self, token: Token) -> None:
        _, start, _, (indent, sign) = token
        self.fresh = False
        block = self.open
        if block is None or isinstance(block, HeadingDraft):
            self.report(start, "relation-under-heading" if block else "relation-first")
            self.ended = True
            block = ParagraphDraft(self.source, self.report)
            self._start(block, start)
        elif self.ended:
            self._resume(start, "relation-after-empty-line")
        block.relation(indent, sign, start)

    def _number(self, token: Token) -> None:
        _, start, _, number = token
        self.fresh = False
        block = self.open
        if isinstance(block, ReconstructionDraft) and self.ended and block.unfinished:
            self._resume(start, "empty-line-in-reconstruction")
        elif not isinstance(block, ReconstructionDraft) or self.ended:
            block = ReconstructionDraft(self.source, self.report)
            self._start(block, start)
        assert isinstance(block, ReconstructionDraft)  # noqa: S101
        block.number(number, start)

    def _inference(self, token: Token) -> None:
        _, start, end, line = token
        self.fresh = False
        block = self.open
        if isinstance(block, ReconstructionDraft) and (block.unfinished or not self.ended):
            if self.ended:
                self._resume(start, "empty-line-in-reconstruction")
        elif block is None or self.ended:
            block = ReconstructionDraft(self.source, self.report)
            self._start(block, start)
        else:
            self.report(start, "inference-in-text")
            return
        block.inference(line, start, end)

    def _data(self, token: Token) -> None:
        _, start, end, raw = token
        block = self.open
        if block is None or self.ended:
            self.report(start, "data-alone")
            return
        draft = self._draft(start)
        data = make_data(raw, start, end, self.source, self.report)
        if draft.data:
            self.report(start, "second-data")
            return
        draft.data, draft.end = data, end
        self.fresh = False

    def _heading(self, token: Token) -> None:
        _, start, end, level = token
        self._start(HeadingDraft(self.source, self.report, level, start, end), start)
        self.fresh = False

    def _item(self, token: Token) -> None:
        _, start, _, (indent, ordered) = token
        self.fresh = False
        block = self.open
        if not isinstance(block, ListDraft) or self.ended or block.ordered != ordered:
            block = ListDraft(self.source, self.report, ordered)
            self._start(block, start)
        block.item(indent, start)

    def _front(self, token: Token) -> None:
        _, start, end, raw = token
        if self.blocks or self.open or self.front_matter:
            self.report(start, "front-matter-place")
            self._start_text(start, end)
            return
        whole = raw.replace("\r\n", "\n").replace("\r", "\n")
        raw = whole.strip("\n")
        value, trouble = read_yaml(raw)
        if trouble:
            signs = len(self.source.text[start:end]) - len(self.source.text[start:end].lstrip("="))
            above = len(whole) - len(whole.lstrip("\n"))
            self.report(self.source.further(start + signs, above + trouble.offset), "front-matter", trouble.message)
        self.front_matter = FrontMatter(raw, value, Span(self.source, start, end))
        self._flush_comments()
        self.front_open, self.fresh = True, False

    def _start_text(self, start: int, end: int) -> None:
        draft = self._draft(start)
        draft.add_words(" ".join(self.source.text[start:end].split()), start, end)

    def _comment(self, token: Token) -> None:
        _, start, end, raw = token
        comment = Comment(raw, Span(self.source, start, start + len(raw)))
        if self.open is None or self.ended:
            self.waiting.append(comment)
            return
        self.open.add_comment(comment)
        if end > start + len(raw):
            self.open.end_line()

    def _fault(self, token: Token) -> None:
        _, start, _, (code, message) = token
        self.report(start, code, message)
