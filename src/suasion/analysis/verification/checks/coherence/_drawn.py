"""What a map shows, directly or by way of claims: who attacks a supporter attacks, who attacks an attacker supports."""

from __future__ import annotations

from collections import defaultdict, deque

from suasion.analysis.argdown import Document, End
from suasion.analysis.verification.checks.coherence._links import Valence, valence


class Drawn:
    """The relations of a map."""

    def __init__(self, document: Document) -> None:
        self.nodes = {End("claim", label) for label in document.claims} | {End("argument", label) for label in document.arguments}
        self._next: dict[End, set[tuple[End, bool]]] = defaultdict(set)  # to whom, and whether it speaks for it
        self._reached: dict[End, set[tuple[End, bool]]] = {}
        for relation in document.sketched:
            speaks_for = valence(relation) == "support"
            self._next[relation.source].add((_node(relation.target), speaks_for))
            if relation.symmetric:
                self._next[relation.target].add((relation.source, speaks_for))

    def __contains__(self, end: object) -> bool:
        return end in self.nodes

    def has(self, kind: Valence, source: End, target: End) -> bool:
        """Whether one node supports (attacks) another, perhaps by way of claims."""
        if source not in self._reached:
            self._reached[source] = self._from(source)
        return (target, kind == "support") in self._reached[source]

    def _from(self, source: End) -> set[tuple[End, bool]]:
        found: set[tuple[End, bool]] = set()
        waiting = deque([(source, True)])
        while waiting:
            end, speaks_for = waiting.popleft()
            for further, kind in self._next.get(end, ()):
                reached = (further, kind == speaks_for)
                if reached not in found:
                    found.add(reached)
                    if further.kind == "claim":
                        waiting.append(reached)
        return found


def _node(end: End) -> End:
    """An inference stands for its argument."""
    return End("argument", end.label) if end.kind == "inference" else end
