"""Damaged files of every kind that is read."""
