"""Seeing what runs: listeners and timelines."""
