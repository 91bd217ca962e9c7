"""Maps as pictures: Graphviz DOT, Mermaid, and SVG where Graphviz is installed. Text from a document can never become code there."""

from __future__ import annotations

import shutil
import subprocess
import textwrap
from collections import defaultdict
from collections.abc import Callable, Iterator

from suasion.analysis.argdown.document import Document
from suasion.analysis.argdown.maps import ArgumentMap, MapEdge, MapNode, build_map
from suasion.errors import SuasionError

_COLOURS = {"support": "#2e7d32", "entails": "#2e7d32", "attack": "#c62828", "contrary": "#c62828", "contradictory": "#c62828"}
_UNDERCUT = "#6a1b9a"
_WIDTH = 32
_SVG_SECONDS = 120


def to_dot(document: Document) -> str:
    """The map in Graphviz's language: arguments filled, claims framed; support green, attack red, undercut purple and dashed."""
    drawn = build_map(document)
    lines = ["digraph map {", '  rankdir="BT";', '  node [shape="box", fontname="sans-serif", fontsize="11"];']
    lines += _nested(document, drawn, _dot_node, _dot_open)
    lines += [f"  {edge.source.id} -> {edge.target.id} [{_dot_edge(edge)}];" for edge in drawn.edges]
    return "\n".join([*lines, "}"]) + "\n"


def to_mermaid(document: Document) -> str:
    """The map as a Mermaid flow chart, which many Markdown viewers draw."""
    drawn = build_map(document)
    lines = ["flowchart BT", *_nested(document, drawn, _mermaid_node, _mermaid_open)]
    arrows = {"support": "-->", "entails": "-->", "attack": "--x", "contrary": "x--x", "contradictory": "x--x", "undercut": "-.-x"}
    lines += [f"  {edge.source.id} {arrows[edge.type]}|{edge.type}| {edge.target.id}" for edge in drawn.edges]
    return "\n".join(lines) + "\n"


def to_svg(document: Document) -> str:
    """The map as a picture.

    Raises:
        SuasionError: Graphviz is not installed, fails, or takes too long.
    """
    program = shutil.which("dot")
    if program is None:
        raise SuasionError(
            "Graphviz is not installed, and SVG is drawn with it.",
            hint="Install it ('apt install graphviz', 'brew install graphviz'), or use --to dot or --to mermaid.",
        )
    try:
        done = subprocess.run(  # noqa: S603 - fixed arguments; the text goes in on standard input
            [program, "-Tsvg"], input=to_dot(document), capture_output=True, text=True, encoding="utf-8", timeout=_SVG_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise SuasionError(
            f"Graphviz took more than {_SVG_SECONDS} s.", hint="The map is too large for a picture: use --to dot."
        ) from error
    if done.returncode or not done.stdout:
        raise SuasionError(f"Graphviz failed: {done.stderr.strip()[:300]}", hint="Use --to dot, and look at what it makes of that.")
    return done.stdout


def _nested(
    document: Document, drawn: ArgumentMap, show: Callable[[MapNode], str], opening: Callable[[int, str], tuple[str, str]]
) -> Iterator[str]:
    """The nodes, each inside its group. Groups without nodes are left out."""
    nodes: dict[int | None, list[MapNode]] = defaultdict(list)
    inner: dict[int | None, list[int]] = defaultdict(list)
    for node in drawn.nodes:
        nodes[node.group].append(node)
    full = {group for group in nodes if group is not None}
    for group in reversed(drawn.groups):  # inner groups come behind outer ones
        around = drawn.groups[group]
        if group in full and around is not None:
            full.add(around)
    for group, around in drawn.groups.items():
        if group in full:
            inner[around].append(group)
    work: list[tuple[int, int | None, str | None]] = [(1, None, None)]  # (depth, group, or a closing line)
    while work:
        depth, number, closing = work.pop()
        if closing is not None:
            yield "  " * depth + closing
            continue
        if number is not None:
            begin, end = opening(number, document.sections[number].title)
            yield "  " * (depth - 1) + begin
            work.append((depth - 1, None, end))
        work.extend((depth + 1, one, None) for one in reversed(inner[number]))
        yield from ("  " * depth + show(node) for node in nodes[number])


def _words(node: MapNode) -> list[str]:
    title = node.label if node.titled or not node.text else ""
    return [*textwrap.wrap(title, _WIDTH), *textwrap.wrap(node.text or "", _WIDTH)] or [node.label]


def _visible(line: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in line)


def _dot_text(lines: list[str]) -> str:
    # A quoted string of DOT: only " ends it; backslashes would begin its escapes.
    return '"' + "\\n".join(_visible(line).replace("\\", "\\\\").replace('"', '\\"') for line in lines) + '"'


def _dot_node(node: MapNode) -> str:
    style = 'style="filled,rounded", fillcolor="#e3e8f0"' if node.kind == "argument" else 'style="bold"'
    return f"{node.id} [label={_dot_text(_words(node))}, {style}];"


def _dot_open(number: int, title: str) -> tuple[str, str]:
    return f"subgraph cluster_{number} {{ label={_dot_text([title])};", "}"


def _dot_edge(edge: MapEdge) -> str:
    shape = ', style="dashed"' if edge.type == "undercut" else ', dir="both"' if edge.type in ("contrary", "contradictory") else ""
    return f'color="{_COLOURS.get(edge.type, _UNDERCUT)}", tooltip="{edge.type}"{shape}'


def _mermaid_text(lines: list[str]) -> str:
    safe = ("".join(sign if sign.isalnum() or sign in " .,;:!?'()-" else f"#{ord(sign)};" for sign in _visible(line)) for line in lines)
    return '"' + "<br/>".join(safe) + '"'


def _mermaid_node(node: MapNode) -> str:
    words = _mermaid_text(_words(node))
    return f"{node.id}({words})" if node.kind == "argument" else f"{node.id}[{words}]"


def _mermaid_open(number: int, title: str) -> tuple[str, str]:
    return f"subgraph s{number} [{_mermaid_text([title])}]", "end"
