"""A map laid out in layers, for a page to draw: what is argued for on top, what argues below it.

The classic steps (Sugiyama, Tagawa and Toda 1981, https://doi.org/10.1109/TSMC.1981.4308636): turn round the arrows that close cycles, put
each node below all that it points to, order the layers by the mean place of neighbours, and place them. No program is started, so nothing
that a text holds can make it slow.
"""

from __future__ import annotations

import textwrap
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from suasion.analysis.argdown import Document
from suasion.analysis.argdown.maps import ArgumentMap, MapNode, build_map
from suasion.errors import SuasionError

MOST_NODES, MOST_EDGES = 200, 600
_LETTERS, _LINES = 30, 7  # of text in a box
_WIDTH, _LINE, _PADDING = 220, 16, 10  # pixels
_ACROSS, _DOWN = 24, 56  # pixels between boxes
_SWEEPS = 6


@dataclass(frozen=True, slots=True)
class Box:
    """A node: its place (top left), size in pixels, and text, whose first ``titles`` lines are its label."""

    kind: str
    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...]
    titles: int


@dataclass(frozen=True, slots=True)
class Arrow:
    """An edge: its type, and a path in SVG's language."""

    type: str
    path: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """All boxes and arrows, and the size of the whole in pixels."""

    width: float
    height: float
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]


def draw(document: Document) -> Drawing:
    """Lay out the map of a document; an empty drawing where there is nothing to show.

    Raises:
        SuasionError: the map is too large to be looked at.
    """
    drawn = build_map(document)
    if len(drawn.nodes) > MOST_NODES or len(drawn.edges) > MOST_EDGES:
        raise SuasionError(
            f"The map has {len(drawn.nodes):,} nodes and {len(drawn.edges):,} arrows; up to {MOST_NODES} and {MOST_EDGES} are drawn."
        )
    layers = _ordered(_layers(drawn), _neighbours(drawn))
    boxes: dict[str, Box] = {}
    wide = max((len(layer) for layer in layers), default=0) * (_WIDTH + _ACROSS) + _ACROSS
    y = float(_ACROSS)
    for layer in layers:
        start = (wide - len(layer) * (_WIDTH + _ACROSS) + _ACROSS) / 2
        row = [_box(node, start + place * (_WIDTH + _ACROSS), y) for place, node in enumerate(layer)]
        boxes |= {node.id: box for node, box in zip(layer, row, strict=True)}
        y += max(box.height for box in row) + _DOWN
    arrows = tuple(Arrow(edge.type, _path(boxes[edge.source.id], boxes[edge.target.id])) for edge in drawn.edges)
    return Drawing(wide, y - _DOWN + _ACROSS if layers else 0, tuple(boxes.values()), arrows)


def _layers(drawn: ArgumentMap) -> list[list[MapNode]]:
    """Nodes by how far below the top they stand."""
    targets: dict[str, list[str]] = defaultdict(list)
    for edge in drawn.edges:
        targets[edge.source.id].append(edge.target.id)
    depth: dict[str, int] = {}
    for node in drawn.nodes:  # depth first; an arrow to a node that is not done yet closes a cycle and does not count
        work = [(node.id, False)] if node.id not in depth else []
        open_: set[str] = set()
        while work:
            name, done = work.pop()
            if done:
                depth[name] = 1 + max((depth[target] for target in targets[name] if target in depth), default=-1)
            elif name not in open_ and name not in depth:
                open_.add(name)
                work.append((name, True))
                work += [(target, False) for target in targets[name] if target not in open_]
    layers: list[list[MapNode]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for node in drawn.nodes:
        layers[depth[node.id]].append(node)
    return layers


def _neighbours(drawn: ArgumentMap) -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for edge in drawn.edges:
        found[edge.source.id].append(edge.target.id)
        found[edge.target.id].append(edge.source.id)
    return found


def _ordered(layers: list[list[MapNode]], neighbours: Mapping[str, Sequence[str]]) -> list[list[MapNode]]:
    """Each layer by the mean place of its neighbours, down and up again, so that few arrows cross."""
    places = {node.id: (place + 0.5) / len(layer) for layer in layers for place, node in enumerate(layer)}
    for sweep in range(_SWEEPS):
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            means = {}
            for node in layer:
                around = neighbours.get(node.id, ())
                means[node.id] = sum(places[other] for other in around) / len(around) if around else places[node.id]
            layer.sort(key=lambda node: means[node.id])
            places |= {node.id: (place + 0.5) / len(layer) for place, node in enumerate(layer)}
    return layers


def _box(node: MapNode, x: float, y: float) -> Box:
    title = textwrap.wrap(node.label, _LETTERS) if node.titled or not node.text else []
    lines = [*title, *textwrap.wrap(node.text or "", _LETTERS)]
    if len(lines) > _LINES:
        lines = [*lines[: _LINES - 1], lines[_LINES - 1][: _LETTERS - 1] + "…"]
    return Box(node.kind, x, y, _WIDTH, len(lines) * _LINE + 2 * _PADDING, tuple(lines), min(len(title), len(lines)))


def _path(source: Box, target: Box) -> str:
    """From the top of what argues to the bottom of what it argues for; sideways where it is not above."""
    if target.y < source.y:
        x1, y1 = source.x + source.width / 2, source.y
        x2, y2 = target.x + target.width / 2, target.y + target.height
        middle = (y1 + y2) / 2
        return f"M {x1:.0f} {y1:.0f} C {x1:.0f} {middle:.0f} {x2:.0f} {middle:.0f} {x2:.0f} {y2:.0f}"
    x1, y1 = source.x + source.width, source.y + source.height / 2 - 6
    x2, y2 = target.x + target.width, target.y + target.height / 2 + 6
    bulge = max(x1, x2) + _ACROSS
    return f"M {x1:.0f} {y1:.0f} C {bulge:.0f} {y1:.0f} {bulge:.0f} {y2:.0f} {x2:.0f} {y2:.0f}"
