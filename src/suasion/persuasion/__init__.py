"""Convincing, by people's verdicts: debates are mined, a judge learns from them and is audited, a writer practices against it."""
