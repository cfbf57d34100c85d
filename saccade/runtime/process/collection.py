"""Python's garbage collector waits while a graph is worked on.

    with collection_paused():
        ...                       # thousands of small objects are made, nearly all of which stay

The collector looks at all objects of the process each time some number of new ones has come: 8 % of
scheduling ResNet-18. It goes on after the block; several threads may be inside at once.
"""

from __future__ import annotations

import gc
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
