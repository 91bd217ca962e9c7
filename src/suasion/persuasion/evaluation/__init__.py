"""The writer against the base on held-out premises, and the report."""
