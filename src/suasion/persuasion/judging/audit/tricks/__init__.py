"""Tricks: edits of a reply that make it no better, by which a judge can be fooled."""
