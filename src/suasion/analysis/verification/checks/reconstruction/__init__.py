"""Reconstructed arguments: premise-conclusion structures with inferences that say what they start from."""
