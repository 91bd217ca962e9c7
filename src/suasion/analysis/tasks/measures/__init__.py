"""What virtues and scores measure: wording, graphs, structures. Pure functions that never raise, and are linear or bounded."""
