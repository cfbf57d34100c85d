"""How long a test waits for what is sure to come: longer than the slowest machine takes."""

from __future__ import annotations

from typing import Final

#: seconds that only something that hangs takes
HANG: Final = 300
