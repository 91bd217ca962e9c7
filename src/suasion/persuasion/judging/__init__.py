"""Judges, and the audit that tries to fool them."""
