"""Reductions by the threads of a GPU."""
