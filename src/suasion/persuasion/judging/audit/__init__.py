"""The attempt to fool a judge before a writer does: probes, tricks, a search, and the report."""
