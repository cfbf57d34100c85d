"""Learning modules, their groups, votes, and the backend that dispatches and gathers them."""
