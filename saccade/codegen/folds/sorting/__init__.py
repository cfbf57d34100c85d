"""Sorting networks and merges in linear code."""
