"""The length trap: what becomes of a writer whose judge learned that longer is better, and whether the judge's audit had said so."""
