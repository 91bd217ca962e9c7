"""One file a method over TRL, and what they share. No trainer of our own."""
