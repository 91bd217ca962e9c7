"""Suasion: train language models to argue, and show how far the result can be trusted."""

__version__ = "0.1.0"
