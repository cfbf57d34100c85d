"""Learning: with names, by exploring, and without names."""
