"""The tasks inside other people's frameworks. Each module needs its framework (extras verifiers, lm-eval), imported at once."""
