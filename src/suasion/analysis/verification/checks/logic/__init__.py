"""Formalised reconstructions: formulas and what their symbols mean, validity, and arguments that are "
"valid for the wrong reasons."""
