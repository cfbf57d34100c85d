"""All templates, in the order in which a kernel is shown to them: the first that matches writes it."""

from __future__ import annotations

from typing import Any, Final

from .attention.source import ATTENTION
from .privatised import PRIVATISED
from .product.source import PRODUCT
from .product.unpacked import UNPACKING
from .recomputed.source import RECOMPUTED
from .scan import SCAN
from .sort.source import SORT
from .template import Template
from .transpose.source import TRANSPOSE

TEMPLATES: Final[tuple[Template[Any], ...]] = (
    SORT, ATTENTION, RECOMPUTED, UNPACKING, PRODUCT, SCAN, TRANSPOSE, PRIVATISED,
)  # fmt: skip
