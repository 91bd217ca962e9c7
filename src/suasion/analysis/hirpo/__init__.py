"""Learning from verifiers: answers are judged, paired in hindsight, and trained on, epoch by epoch."""
