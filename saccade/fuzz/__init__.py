"""Attack: random programs and random legal moves, compared with an oracle that knows nothing of kernels."""

from .programs.fuzz import Report, fuzz, main

__all__ = ["Report", "fuzz", "main"]
