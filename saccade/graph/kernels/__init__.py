"""Kernels and buffers as a graph, and as text."""
