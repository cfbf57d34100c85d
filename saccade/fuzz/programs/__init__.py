"""Random programs and moves, the oracle, and the smallest case of what failed."""
