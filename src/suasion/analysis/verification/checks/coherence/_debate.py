"""What reconstructed arguments say together: what they start from, what they conclude, and how that stands to other claims.

Claims that say the same are one here, unless only labels are to count (``grounded``).
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Container, Iterator, Mapping

from suasion.analysis.argdown import Document, End
from suasion.analysis.verification.checks.coherence._links import Valence, valence
from suasion.analysis.verification.references import sources
from suasion.analysis.verification.telling import same_words

_NOT = re.compile(r"(?:NOT|Not)(?::\s*|\s+)(?=\S)")


class Debate:
    """The claims and arguments of a reconstruction.

    Args:
        document: with reconstructed arguments.
        grounded: whether claims are one only where they share a label, and contradict each other only where a relation says so.
    """

    def __init__(self, document: Document, grounded: bool = False) -> None:
        self.document, self.grounded = document, grounded
        self._keys: dict[str, str] = {}
        self.premises: dict[str, set[str]] = {}
        self.conclusion: dict[str, str] = {}
        self.concluded_by: dict[str, list[str]] = defaultdict(list)
        self.premise_of: dict[str, list[str]] = defaultdict(list)
        self.relations: list[tuple[Valence, str, str, bool]] = []  # between claims; whether it holds both ways
        self.undercuts: set[tuple[str, str]] = set()  # key of a claim, or <argument>; argument
        self._next: dict[str, set[str]] = defaultdict(set)  # claims that are inferred from a claim, or supported by it
        self._against: dict[str, set[str]] = defaultdict(set)
        self._supporting: dict[str, set[str]] = defaultdict(set)
        self._reached: dict[str, set[str]] = {}
        self._labels: dict[str, list[End]] = defaultdict(list)
        self._read_arguments()
        self._read_relations()

    def key(self, label: str) -> str:
        """What stands for a claim: the same for claims that are one. A label that is no claim stands for itself."""
        if label not in self._keys:
            claim = self.document.claims.get(label)
            words = same_words(claim.text) if claim and not self.grounded else ""
            self._keys[label] = f"“{words}" if words else f"[{label}"
        return self._keys[label]

    def stands(self, kind: Valence, source: End, target: End) -> bool:
        """Whether the arguments bear out that one node of a map supports or attacks another."""
        starts, ends = self._starts(source), self._ends(target)
        if (
            kind == "attack"
            and target.kind != "claim"
            and any((start, target.label) in self.undercuts for start in (f"<{source.label}", *starts))
        ):
            return True
        if source.kind == target.kind == "claim":  # perhaps by way of arguments that the map leaves out
            reached = set().union(*(self._reach(start) for start in starts))
            if kind == "support" and not reached.isdisjoint(ends):
                return True
            starts = starts | reached if kind == "attack" else starts
        elif kind == "support" and not starts.isdisjoint(ends):
            return True
        against = self._against if kind == "attack" else self._supporting
        return any(not against[start].isdisjoint(ends) for start in starts if start in against) or (
            kind == "attack" and any(self._denies(start, ends) for start in starts)
        )

    def reaches(self, source: str, target: str) -> bool:
        """Whether a claim (its label) is inferred from another, directly or not."""
        return self.key(target) in self._reach(self.key(source))

    def _starts(self, source: End) -> set[str]:
        if source.kind == "claim":
            return {self.key(source.label)}
        return {self.conclusion[source.label]} if source.label in self.conclusion else set()

    def _ends(self, target: End) -> set[str]:
        return {self.key(target.label)} if target.kind == "claim" else self.premises.get(target.label, set())

    def _denies(self, start: str, ends: set[str]) -> bool:
        """Whether one text is that of the other with NOT before it."""
        if self.grounded or not start.startswith("“"):
            return False
        plain = _NOT.match(start, 1)
        if plain and f"“{start[plain.end() :]}" in ends:
            return True
        return any(f"“{prefix}{start[1:]}" in ends for prefix in ("NOT: ", "Not: ", "NOT ", "Not ", "NOT:", "Not:"))

    def _reach(self, start: str) -> set[str]:
        if start not in self._reached:
            found: set[str] = set()
            waiting = deque([start])
            while waiting:
                for key in self._next.get(waiting.popleft(), ()):
                    if key not in found:
                        found.add(key)
                        waiting.append(key)
            self._reached[start] = found
        return self._reached[start]

    def _read_arguments(self) -> None:
        for claim in self.document.claims.values():
            if claim.labelled:
                self._labels[self.key(claim.label)].append(End("claim", claim.label))
        for label, argument in self.document.arguments.items():
            if not argument.pcs:
                continue
            keys = [self.key(step.label) for step in argument.pcs]
            self.premises[label] = {key for key, step in zip(keys, argument.pcs, strict=True) if step.role == "premise"}
            self.conclusion[label] = keys[-1]
            self.concluded_by[keys[-1]].append(label)
            for premise in self.premises[label]:
                self.premise_of[premise].append(label)
            for place, named in sources(argument).items():
                for source in named:
                    self._next[keys[source]].add(keys[place])

    def _read_relations(self) -> None:
        for relation in self.document.sketched:
            source, target = relation.source, relation.target
            if relation.type == "undercut" and target.kind != "claim":
                self.undercuts.add((self.key(source.label) if source.kind == "claim" else f"<{source.label}", target.label))
            elif source.kind == target.kind == "claim":
                kind, first, second = valence(relation), self.key(source.label), self.key(target.label)
                self.relations.append((kind, first, second, relation.symmetric))
                related = self._supporting if kind == "support" else self._against
                related[first].add(second)
                if relation.symmetric:
                    related[second].add(first)
                if kind == "support":
                    self._next[first].add(second)

    def implied(self, shown: Container[End] | None = None) -> Iterator[tuple[Valence, End, End]]:
        """What holds between claims and arguments because of labels and relations between claims. Can be as many as the product of
        both, so they come one by one.

        Args:
            shown: nodes of a map. What concludes a claim that is shown, or starts from it, bears on others by way of that claim, and is not
                told again.
        """
        for label in self.premises:
            own = End("argument", label)
            for premise in self.premises[label]:
                yield from (("support", source, own) for source in self._at(premise, self.concluded_by, shown) if source != own)
            yield from (("support", own, claim) for claim in self._claims(self.conclusion[label]))
        for kind, first, second, symmetric in self.relations:
            for start, end in [(first, second), *([(second, first)] if symmetric else [])]:
                for source in self._at(start, self.concluded_by, shown):
                    yield from ((kind, source, target) for target in self._at(end, self.premise_of, shown) if source != target)

    def _at(self, key: str, users: Mapping[str, list[str]], shown: Container[End] | None) -> Iterator[End]:
        """The claims of a key and the arguments that conclude it, or start from it; of claims that are shown, these alone."""
        claims = self._claims(key)
        yield from claims
        if shown is None or not any(claim in shown for claim in claims):
            yield from (End("argument", label) for label in users.get(key, ()))

    def _claims(self, key: str) -> list[End]:
        """The labelled claims of a key."""
        return self._labels.get(key, [])
