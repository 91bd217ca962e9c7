"""Rules for argument maps."""
