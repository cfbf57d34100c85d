"""Values as JSON that every reader takes."""

from __future__ import annotations

import json
import math
from typing import Any


def to_json(value: object) -> str:
    """JSON text; NaN and infinities, which JSON lacks, become null."""

    def plain(item: Any) -> Any:
        if isinstance(item, dict):
            return {str(key): plain(member) for key, member in item.items()}
        if isinstance(item, (list, tuple)):
            return [plain(member) for member in item]
        if isinstance(item, float) and not math.isfinite(item):
            return None
        return item

    return json.dumps(plain(value), indent=2) + "\n"
