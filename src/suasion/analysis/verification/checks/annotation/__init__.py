"""Rules for annotated texts."""
