"""From dumps to debates to pairs: what was said, who changed whose view, and which replies may be compared."""
