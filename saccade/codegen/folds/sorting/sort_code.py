"""Which sorter a SORT gets: one word an element, or a word and a place."""

from __future__ import annotations

from ....graph.kernels.kernel import Kernel
from ...linear.code import Code
from .sort_pairs import PairSorter
from .sort_words import WordSorter, fits_words


def sort_code(kernel: Kernel, name: str) -> Code:
    """Linear code of a kernel that is one SORT."""
    node = kernel.sink.src[0]
    in_words = fits_words(node.src[0].dtype, node.arg.length)
    return (WordSorter(node) if in_words else PairSorter(node)).code(name)
