"""Layers as modules, a file for each family."""
