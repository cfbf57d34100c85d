"""The threads that compiled loops run on, side by side: they run without the GIL."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from saccade.runtime.config import settings


@cache
def threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(settings.threads, thread_name_prefix="saccade-loops")


if hasattr(os, "register_at_fork"):
    # a forked child has the parent's memory and not its threads
    os.register_at_fork(after_in_child=threads.cache_clear)
