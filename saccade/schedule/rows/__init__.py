"""Kernels over whole rows, joined: sums of rows, maps whose rows are summed, parts of rows side by side."""
