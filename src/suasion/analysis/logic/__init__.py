"""Formulas: parse, type, read aloud, prove. Nothing here imports a solver before it is asked."""

from suasion.analysis.logic.parser import Parsed, parse
from suasion.analysis.logic.writing import to_text

__all__ = ["Parsed", "parse", "to_text"]
