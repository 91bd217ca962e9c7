"""Argument maps: their shape, their labels, their wording."""

from __future__ import annotations

from suasion.analysis.tasks.measures import graph, wording
from suasion.analysis.tasks.measures.graph import edges, graph_of
from suasion.analysis.tasks.measures.structure import first_texts, said
from suasion.analysis.tasks.task import Virtue
from suasion.analysis.verification.case import Case

_WITH_ARGANNO = ("argmap_plus_arganno",)


def supports(case: Case) -> int:
    """The number of supports in the map."""
    return len(edges(case.map, support=True))


def attacks(case: Case) -> int:
    """The number of attacks in the map."""
    return len(edges(case.map, support=False))


def arguments(case: Case) -> int:
    """The number of arguments in the map."""
    return len(case.map.arguments) if case.map else 0


def connectedness(case: Case) -> float:
    """One over the number of parts that nothing joins; 0 for an empty map."""
    parts = graph.components(graph_of(case.map))
    return 1 / parts if parts else 0.0


def source_text_proximity(case: Case) -> float:
    """The share of the map's words that stand in the source in the same order."""
    return wording.copied(said(case.map), case.source)


def _balance(case: Case) -> float:
    most, all_ = abs(supports(case) - attacks(case)), supports(case) + attacks(case)
    return 1 - most / all_ if all_ else 0.0


def _depth(case: Case) -> int:
    return graph.depth(graph_of(case.map))


def _labels(case: Case) -> list[str]:
    return [*case.map.claims, *case.map.arguments] if case.map else []


def _claim_size(case: Case) -> float:
    return wording.mean_length(first_texts(case.map.claims)) if case.map else 0.0


def _short_claims(case: Case) -> float:
    size = _claim_size(case)
    return 1 / (1 + size) if size else 0.0


def _argument_size(case: Case) -> float:
    size, gists = _claim_size(case), first_texts(case.map.arguments) if case.map else []
    return sum(2 * size <= len(gist) <= 3 * size for gist in gists) / arguments(case) if size and gists else 0.0


VIRTUES = (
    Virtue(
        "ConnectednessPreferencePairGenerator",
        "Join all claims and arguments in one map: nothing should stand apart.",
        connectedness,
        _WITH_ARGANNO,
    ),
    Virtue("MaxArgsPreferencePairGenerator", "Show as many different arguments as there are in the text.", arguments),
    Virtue("BalancePreferencePairGenerator", "Let supports and attacks be about equally many.", _balance),
    Virtue("MaxSupportsPreferencePairGenerator", "Show as many supports as there are.", supports, _WITH_ARGANNO),
    Virtue("MaxAttacksPreferencePairGenerator", "Show as many attacks as there are.", attacks, _WITH_ARGANNO),
    Virtue("MaxDiameterPreferencePairGenerator", "Make the map deep: long chains, in which reasons have reasons of their own.", _depth),
    Virtue(
        "MinDiameterPreferencePairGenerator",
        "Make the map shallow: reasons stand directly at what they are about.",
        lambda case: 1 / (1 + _depth(case)) if _labels(case) else 0.0,
    ),
    Virtue(
        "DensityPreferencePairGenerator",
        "Make the map dense: show every relation that holds between its claims and arguments.",
        lambda case: graph.density(graph_of(case.map)),
        _WITH_ARGANNO,
    ),
    Virtue(
        "MaxInDegreePreferencePairGenerator",
        "Let one central claim or argument be what as many others as possible support or attack.",
        lambda case: max((degree for _, degree in graph_of(case.map).in_degree()), default=0),
    ),
    Virtue(
        "MaxOutDegreePreferencePairGenerator",
        "Let one central claim or argument be what supports or attacks as many others as possible.",
        lambda case: max((degree for _, degree in graph_of(case.map).out_degree()), default=0),
    ),
    Virtue(
        "MinLeafsPreferencePairGenerator",
        "Keep the share of claims and arguments small that nothing supports or attacks.",
        lambda case: 1 - graph.leaves(graph_of(case.map)),
    ),
    Virtue(
        "ShortLabelsPreferencePairGenerator",
        "Keep the labels of claims and arguments short.",
        lambda case: 1 / (1 + wording.mean_length(_labels(case))) if _labels(case) else 0.0,
    ),
    Virtue(
        "DiverseLabelsPreferencePairGenerator",
        "Choose labels that cannot be mistaken for one another: no two should look alike.",
        lambda case: wording.least_distance(_labels(case)),
    ),
    Virtue("ShortClaimsPreferencePairGenerator", "Keep the texts of the claims short.", _short_claims),
    Virtue("LongClaimsPreferencePairGenerator", "Write the claims out at length.", _claim_size),
    Virtue(
        "ArgumentClaimSizePreferencePairGenerator",
        "Make the gists of the arguments two to three times as long as the claims.",
        _argument_size,
    ),
    Virtue(
        "IndependentWordingPreferencePairGenerator",
        "Say claims and gists in your own words, not in those of the text.",
        lambda case: 1 - source_text_proximity(case) if said(case.map) else 0.0,
    ),
    Virtue("SourceTextProximityPreferencePairGenerator", "Stay close to the words of the text in claims and gists.", source_text_proximity),
)
