"""Pairs in hindsight: what is learned from answers and their verdicts. One file a kind of pair, one pure seeded function for all."""

from suasion.analysis.hirpo.pairs.build import build
from suasion.analysis.hirpo.pairs.caps import PairsConfig, kept, mix
from suasion.analysis.hirpo.pairs.draws import generator_for
from suasion.analysis.hirpo.pairs.pair import KINDS, Kind, PreferencePair

__all__ = ["KINDS", "Kind", "PairsConfig", "PreferencePair", "build", "generator_for", "kept", "mix"]
