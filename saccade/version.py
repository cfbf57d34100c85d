"""Which saccade this is, for `saccade --version`, run folders and workers on other machines.

saccade_version()       # "0.1.0"
"""

from __future__ import annotations

from importlib import metadata


def saccade_version() -> str:
    """The version that is installed, or "source" where the package runs from a folder alone."""
    try:
        return metadata.version("saccade")
    except metadata.PackageNotFoundError:
        return "source"
