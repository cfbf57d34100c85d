"""Kernels that are texts with holes: one folder each, from recognising it to its text."""
