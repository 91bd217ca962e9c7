"""What the checks of maps look at: nodes, and how their author calls them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from suasion.analysis.argdown import Argument, Claim
from suasion.analysis.verification.case import Case
from suasion.analysis.verification.telling import argument_name, claim_name


def nodes(case: Case) -> Iterator[Claim]:
    """All claims, then all arguments of the map."""
    return chain(case.map.claims.values(), case.map.arguments.values()) if case.map else iter(())


def name_of(node: Claim) -> str:
    """``[Label]`` or ``<Label>``, or what it says where it has none."""
    return argument_name(node) if isinstance(node, Argument) else claim_name(node)
