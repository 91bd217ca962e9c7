"""The analysis wing: arguments checked by a parser, a prover and rules of coherence."""
