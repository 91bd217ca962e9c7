"""From an answer to a verdict: fenced blocks, what was read out of them, and what is wrong with it."""
