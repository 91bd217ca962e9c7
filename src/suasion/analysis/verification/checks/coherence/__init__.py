"""Artefacts that belong together must say the same, both ways."""
