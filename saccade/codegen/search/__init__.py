"""Search for moves: candidates, trials, and what was found."""
