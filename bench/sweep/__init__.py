"""Programs of real models beside torch: `python -m bench.sweep`, in `__main__.py`."""

from __future__ import annotations

from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """`saccade bench sweep`."""
    from bench.sweep.__main__ import main as run

    return run(arguments)
