"""Fenced blocks of an answer, addressed by file name or kind; the last of a kind counts.

A fence is three or more backticks or tildes at the start of a line, indented or behind the sign of a list item too. As in CommonMark it is
closed by a line of at least as many of the same sign, and a shorter fence inside a longer one is text. Three things are read more kindly
than there: words behind a closing fence do not keep it open; an opening fence of an artefact ends an open block of the same fence, whose
closing fence was forgotten; and blanks before a fence do not count. A fence in the middle of a line opens nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from suasion.analysis.verification.findings import Finding
from suasion.analysis.verification.metadata import read_info

ArtefactName: TypeAlias = Literal["annotation", "map", "reconstruction"]

MOST_CHARACTERS = 2_000_000
"""Of an answer. Beyond, nothing is read."""
MOST_BLOCKS = 50
"""Of one kind in one answer: more are no drafts but a loop."""

KINDS: Mapping[ArtefactName, str] = {"annotation": "xml", "map": "argdown", "reconstruction": "argdown"}
FILES: Mapping[ArtefactName, str] = {"annotation": "annotation.txt", "map": "map.ad", "reconstruction": "reconstructions.ad"}
_NAMED = {"map": "map", "reconstruction": "reconstruction", "reconstructions": "reconstruction"}
_FENCE = re.compile(r"(?P<before>[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(?P<fence>`{3,}|~{3,})(?P<info>.*)", re.DOTALL)
_IN_LINE = re.compile(r"\S[^`~]{0,500}(?P<fence>`{3,}|~{3,})(?P<info>.*)", re.DOTALL)
_INDENT = re.compile(r"[ \t]*")


@dataclass(frozen=True, slots=True)
class Block:
    """What stands between two fences.

    Attributes:
        kind: the first word after the opening fence, in small letters: ``argdown``, ``xml``.
        text: the lines between the fences.
        line: of the answer in which ``text`` begins, from 1. ``indent`` columns were taken from the start of each line.
        metadata: what else stands after the opening fence, ``filename`` say.
        last: the line of the closing fence; of the answer's last line where it is missing.
        closed: whether the closing fence is there.
    """

    kind: str
    text: str
    line: int
    indent: int = 0
    metadata: Mapping[str, str] = field(default_factory=dict)
    last: int = 0
    closed: bool = True

    def place(self, line: int, column: int) -> tuple[int, int]:
        """Where in the answer a place of ``text`` is."""
        return self.line + line - 1, column + self.indent


def read_blocks(answer: str, artefacts: Sequence[ArtefactName]) -> tuple[dict[ArtefactName, Block], Sequence[Finding]]:
    """The block of each artefact, and what is wrong with the fences.

    Two artefacts that are both Argdown are told apart by the file names of :data:`FILES`. Where there is but one artefact of a kind, the
    last block of that kind is it, whatever its name.

    Returns:
        Blocks by artefact; one that is not there has a finding ``<artefact>.missing``.
    """
    if len(answer) > MOST_CHARACTERS:
        message = f"The answer has {len(answer):,} characters; no more than {MOST_CHARACTERS:,} are read. Give a shorter answer."
        return {}, [Finding("answer.too-long", message, undecided=True)]
    blocks = [block for block in _scan(answer) if block.kind in KINDS.values()]
    found: dict[ArtefactName, Block] = {}
    findings: list[Finding] = []
    for kind in dict.fromkeys(KINDS[name] for name in artefacts):
        of_kind = [block for block in blocks if block.kind == kind]
        if len(of_kind) > MOST_BLOCKS:
            message = f"There are {len(of_kind):,} {kind} blocks; no more than {MOST_BLOCKS} are read. Give each artefact once."
            findings.append(Finding("answer.too-many-blocks", message, of_kind[MOST_BLOCKS].line - 1, 1))
        wanted = [name for name in artefacts if KINDS[name] == kind]
        for name in wanted:
            fitting = of_kind if len(wanted) == 1 else [block for block in of_kind if _named(block) == name]
            if fitting:
                found[name] = fitting[-1]
            else:
                findings.append(_missing(name, len(wanted) > 1, of_kind, answer))
    findings += [_unclosed(name, block) for name, block in found.items() if not block.closed]
    return found, findings


def _scan(answer: str) -> Iterator[Block]:
    """All blocks, of whatever kind, in their order."""
    lines = split_lines(answer.removeprefix("\ufeff"))
    open_fence, kind, indent, first = "", "", 0, 0
    metadata: Mapping[str, str] = {}

    def block(end: int, closed: bool) -> Block:
        text = "\n".join(_without(line, indent) for line in lines[first:end])
        return Block(kind, text, first + 1, indent, metadata, min(end + 1, len(lines)), closed)

    for number, line in enumerate(lines):
        if "```" not in line and "~~~" not in line:
            continue
        match = _FENCE.match(line)
        if not match or (match["fence"][0] == "`" and "`" in match["info"]):  # a code span
            continue
        fence, info = match["fence"], match["info"].strip()
        if open_fence:
            if fence[0] != open_fence[0] or len(fence) < len(open_fence):
                continue
            is_artefact = kind in KINDS.values()
            new_kind, new_metadata = read_info(info)
            begins_anew = new_kind in KINDS.values() and (len(fence) == len(open_fence) or is_artefact)
            if info and not begins_anew and not is_artefact:
                continue
            yield block(number, closed=not begins_anew)
            open_fence = ""
            if not begins_anew:
                continue
        else:
            new_kind, new_metadata = read_info(info)
        open_fence, kind, metadata, first = fence, new_kind, new_metadata, number + 1
        indent = len(match["before"])
    if open_fence:
        yield block(len(lines), closed=False)


def split_lines(text: str) -> list[str]:
    """The lines, without their ends: those of Unix, Windows and old Macs."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _without(line: str, indent: int) -> str:
    """The line without as many blanks as the fence has before it, or as many as there are."""
    if not indent:
        return line
    blanks = _INDENT.match(line)
    return line[min(indent, blanks.end() if blanks else 0) :]


def _named(block: Block) -> str | None:
    """Which artefact a block says that it is."""
    name = re.split(r"[/\\]", block.metadata.get("filename", ""))[-1].strip().lower()
    return _NAMED.get(name.partition(".")[0])


def _missing(name: ArtefactName, by_file: bool, of_kind: Sequence[Block], answer: str) -> Finding:
    kind, file = KINDS[name], FILES[name]
    opening = f'```{kind} {{filename="{file}"}}' if by_file else f"```{kind}"
    if by_file and of_kind:
        others = sorted({block.metadata["filename"] for block in of_kind if "filename" in block.metadata})
        seen = f"The {kind} blocks are named {', '.join(others)[:200]}" if others else f"No {kind} block has a file name"
        return Finding(f"{name}.missing", f"{seen}: the {name} is missing. Begin its block with {opening}.", of_kind[-1].line - 1, 1)
    for number, line in enumerate(split_lines(answer), start=1):
        match = _IN_LINE.match(line) if "```" in line or "~~~" in line else None
        if match and read_info(match["info"].strip())[0] == kind:
            message = f"The {name} is hidden: its opening fence stands in the middle of a line. Put {opening} on a line of its own."
            return Finding(f"{name}.missing", message, number, match.start("fence") + 1)
    message = f"There is no {name}: the answer has no {kind} block. Put it between a line {opening} and a line ```."
    return Finding(f"{name}.missing", message)


def _unclosed(name: str, block: Block) -> Finding:
    message = f"The block of the {name} is never closed. Put a line with nothing but the closing fence behind it."
    return Finding(f"{name}.unclosed-block", message, block.line - 1, 1)
