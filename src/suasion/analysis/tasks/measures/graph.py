"""An argument map as a graph: nodes are claims and arguments, arrows go from what supports or attacks to what is supported or attacked."""

from __future__ import annotations

from typing import TypeAlias

import networkx as nx

from suasion.analysis.argdown import Document, End

Edge: TypeAlias = tuple[tuple[str, str], tuple[str, str]]  # kind and label of the source, and of the target

_SUPPORTS = ("support", "entails")


def edges(document: Document | None, *, support: bool) -> set[Edge]:
    """The supports (or the attacks: undercuts, contraries and contradictions too) of a map, each once."""
    relations = document.relations if document else ()
    return {(_node(one.source), _node(one.target)) for one in relations if (one.type in _SUPPORTS) == support}


def graph_of(document: Document | None) -> nx.DiGraph:
    """All nodes, joined or not, with one arrow for all that holds from one to another."""
    graph: nx.DiGraph = nx.DiGraph()
    if document:
        graph.add_nodes_from(("claim", label) for label in document.claims)
        graph.add_nodes_from(("argument", label) for label in document.arguments)
        graph.add_edges_from(edges(document, support=True) | edges(document, support=False))
    return graph


def components(graph: nx.DiGraph) -> int:
    """Parts that nothing joins."""
    return nx.number_weakly_connected_components(graph) if graph else 0


def depth(graph: nx.DiGraph) -> int:
    """Arrows on the longest way along arrows. Where they go in a circle, the way goes once past each node of the circle."""
    rings = nx.condensation(graph) if graph else nx.DiGraph()
    longest: dict[int, int] = {}
    for ring in nx.topological_sort(rings):
        before = max((longest[other] + 1 for other in rings.predecessors(ring)), default=0)
        longest[ring] = before + len(rings.nodes[ring]["members"]) - 1
    return max(longest.values(), default=0)


def density(graph: nx.DiGraph) -> float:
    """The mean degree centrality, at most 1: each node's arrows, in and out, as a share of the other nodes; 0 for less than two nodes."""
    nodes = len(graph)
    return min(1.0, 2 * graph.number_of_edges() / (nodes * (nodes - 1))) if nodes > 1 else 0.0


def leaves(graph: nx.DiGraph) -> float:
    """The share of nodes that no arrow leads to; 1 for no node."""
    return sum(not degree for _, degree in graph.in_degree()) / len(graph) if graph else 1.0


def _node(end: End) -> tuple[str, str]:
    return ("claim" if end.kind == "claim" else "argument", end.label)
