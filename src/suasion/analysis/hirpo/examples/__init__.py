"""Worked examples made by rule from texts: enough to show a small model the form of an answer, and no more than that."""
