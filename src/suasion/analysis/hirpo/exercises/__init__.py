"""Exercises: texts to be analysed, for training and for evaluation, from the hub, from files, from mined posts."""

from suasion.analysis.hirpo.exercises.exercises import Exercise, Exercises, Split, read_exercises
from suasion.analysis.hirpo.exercises.settings import ProfileConfig, SourceConfig

__all__ = ["Exercise", "Exercises", "ProfileConfig", "SourceConfig", "Split", "read_exercises"]
