"""The writer against the judge: which method, told how."""
