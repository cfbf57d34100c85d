"""Laws of the rules, and their proofs by z3."""
