"""Documents as Argdown text: one form for all, with everything that was said in it, comments too.

``parse(to_text(document)) == document`` for every document that was read without an error. Where there were errors, what was kept
prints as text, and may read otherwise than it did in the wreckage.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from suasion.analysis.argdown.document import Document
from suasion.analysis.argdown.elements import (
    Block,
    Break,
    Comment,
    Data,
    Heading,
    Inference,
    Inline,
    Link,
    Listing,
    Mark,
    Mention,
    Node,
    Paragraph,
    Reconstruction,
    Symbol,
    Tag,
    Text,
)
from suasion.analysis.argdown.escape import escaped

_STEP, _WIDE = 4, 25  # spaces a level, and the levels that get so many; deeper ones get one each
_TAG_SIGN = re.compile(r"[a-zA-z0-9\u00A0-\uD7FF\uF900-\uFDCF\uFDF0-\uFFEF-]")


def to_text(document: Document) -> str:
    """The document as Argdown. Ends with a line break; relations are indented by four spaces a level."""
    parts = [_block(block) for block in document.blocks]
    if document.front_matter is not None:
        raw = document.front_matter.raw
        parts.insert(0, f"===\n{raw}\n===" if raw else "===\n===")
    return "\n\n".join(parts) + "\n"


def _block(block: Block) -> str:
    if isinstance(block, Comment):
        return block.raw
    if isinstance(block, Heading):
        return f"{'#' * block.level} {_content(block.content, '', line_start=False)}{_data(block.data, block.content)}"
    if isinstance(block, Paragraph):
        return "\n".join(_nodes(block.nodes, ""))
    if isinstance(block, Listing):
        signs = (f"{number}. " if block.ordered else "* " for number in range(1, len(block.nodes) + 1))
        return "\n".join(_nodes(block.nodes, signs))
    return "\n".join(_reconstruction(block))


def _reconstruction(block: Reconstruction) -> Iterable[str]:
    for item in block.items:
        if item.inference:
            yield _inference(item.inference)
            yield from _nodes(item.inference.undercuts, "", above=1)
        yield from _nodes(item.nodes, f"({item.number}) ")


def _inference(inference: Inference) -> str:
    inner = [", ".join(re.sub(r"[\\,{<.:]|/(?=[/*])|-(?=-|\Z)", r"\\\g<0>", rule) for rule in inference.rules)] if inference.rules else []
    if inference.data:
        inner.append(inference.data.raw)
    line = f"-- {' '.join(inner)} --" if inner else "----"
    return " ".join([line, *(comment.raw for comment in inference.comments)])


def _nodes(nodes: Sequence[Node], sign: str | Iterable[str], above: int = 0) -> Iterable[str]:
    """The lines of nodes: those without a relation begin with ``sign`` (or with one sign each), the others are indented below them."""
    signs = iter(sign) if not isinstance(sign, str) else None
    depths: list[int] = []
    for node in nodes:
        if node.relation is None:
            depth, lead = 0, sign if isinstance(sign, str) else next(signs)  # type: ignore[arg-type]
        else:
            depth = above if node.parent is None else depths[node.parent] + 1
            lead = f"{node.relation} "
        depths.append(depth)
        yield _indent(depth) + lead + _node(node, _indent(depth + 1), line_start=not lead)


def _indent(depth: int) -> str:
    return " " * (_STEP * min(depth, _WIDE) + max(0, depth - _WIDE))


def _node(node: Node, indent: str, *, line_start: bool) -> str:
    if node.label is None:
        return _content(node.content, indent, line_start=line_start) + _data(node.data, node.content)
    opening, close = "[]" if node.kind == "claim" else "<>"
    label = f"{opening}{node.label}{close}" + (":" if node.defines else "")
    rest = _content(node.content, indent, line_start=False)
    if not node.content:
        rest = node.data.raw if node.data else ""
    else:
        rest += _data(node.data, node.content)
    if not rest:
        return label
    if node.defines:  # a definition needs a text, or a line's end
        own_line = bool(node.content) and all(isinstance(piece, Comment | Break) for piece in node.content)
    else:  # the label of a reference would go on to a sign of definition further on
        own_line = f"{close}:" in rest
    return label + (f"\n{indent}" if own_line else " ") + rest


def _data(data: Data | None, content: Sequence[Inline]) -> str:
    if not data:
        return ""
    open_comment = content and isinstance(content[-1], Comment) and content[-1].raw.startswith("//")
    return ("\n" if open_comment else " ") + data.raw


def _content(content: Sequence[Inline], indent: str, *, line_start: bool) -> str:
    parts: list[str] = []
    last = len(content) - 1
    for number, piece in enumerate(content):
        following = content[number + 1] if number < last else None
        if isinstance(piece, Text):
            touches = following is not None and not isinstance(following, Break) and not piece.value.endswith(" ")
            words = escaped(piece.value, line_start=line_start, before_piece=touches)
            before = content[number - 1] if number else None
            opened = isinstance(before, Mark) and before.opens
            parts.append(f"\\{words}" if opened and words[0].isspace() else words)  # a bare blank would unmake the mark
        elif isinstance(piece, Break):
            parts.append(f"\n{indent}")
        elif isinstance(piece, Comment) and piece.raw.startswith("//") and following is not None and not isinstance(following, Break):
            parts.append(f"{piece.raw}\n{indent}")
        else:
            parts.append(_piece(piece))
        line_start = isinstance(piece, Break) or (line_start and isinstance(piece, Comment))
    for number, piece in enumerate(content):
        if isinstance(piece, Tag) and number < last and _TAG_SIGN.match(parts[number + 1]):
            parts[number] = f"#({piece.name})"  # what follows would be read as part of the name
    return "".join(parts)


def _piece(piece: Link | Mention | Tag | Symbol | Comment | Mark) -> str:
    match piece:
        case Mark(sign):
            return sign
        case Link(text, url):
            return f"[{text}]({url})"
        case Mention(kind, label):
            return f"@[{label}]" if kind == "claim" else f"@<{label}>"
        case Symbol(code):
            return code
        case Comment(raw):
            return raw
        case Tag(name):
            return f"#{name}" if all(map(_TAG_SIGN.match, name)) else f"#({name})"
