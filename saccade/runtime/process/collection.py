"""Python's garbage collector waits while a graph is worked on.

    with collection_paused():
        ...                       # thousands of small objects are made, nearly all of which stay

The collector looks at all objects of the process each time some number of new ones has come: 8 % of
scheduling ResNet-18. It goes on after the block; several threads may be inside at once.

    with made_to_stay():
        ...                       # a model is loaded, which stays as long as the process

    give_back()                   # what was freed goes to the system
"""

from __future__ import annotations

import ctypes
import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collection_paused() -> Iterator[None]:
    """No collection of cycles inside, unless somebody else asks for it."""
    if not gc.isenabled():  # another thread paused it, or the user
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@contextmanager
def made_to_stay() -> Iterator[None]:
    """No collection inside, and later ones do not look at what is there by the end: a pass over all modules
    and a model with its vocabulary took 17 ms."""
    with collection_paused():
        yield
        gc.freeze()


def give_back() -> None:
    """Give the system what was freed. The C library keeps pages between things that are still there: 8 MB
    after the vocabulary of a small model was read, 10 MB after a training step was compiled."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None
    if trim is not None:  # glibc has it
        trim(0)
