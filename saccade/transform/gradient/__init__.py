"""Reverse-mode gradients as a rewrite of the graph: a value and its cotangent in, graphs of gradients out.

    gradients((loss,), (one,), (weight, bias)) -> [d loss / d weight, d loss / d bias]

`reverse.py` walks, `elementwise.py`, `movement.py` and `collective.py` have a derivative for each op.
"""

from .reverse import NoGradient, gradients

__all__ = ["NoGradient", "gradients"]
