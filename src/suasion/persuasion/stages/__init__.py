"""One file a stage of the journey: each makes a run from its parents' runs."""
