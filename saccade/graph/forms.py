"""The forms in which a kernel's products are written, from the slowest to the fastest: the scheduler asks for
them, codegen answers, and a machine has the time of a multiplication in each.

    plain loops      no registers or shared memory between a multiplication and its factors
    register tiles   a tile of results in registers, factors packed or in shared memory
    thin             few rows or columns: the large factor is read once
    matrix units     tensor cores
    attention        two products and the softmax between them, in one pass
"""

from __future__ import annotations

from typing import Final

NO_PRODUCT: Final = "no product"
PLAIN: Final = "plain loops"
TILED: Final = "register tiles"
THIN: Final = "thin"
MATRIX: Final = "matrix units"
ATTENTION: Final = "attention"

#: a product with fewer multiplications, or with a shorter sum, is as fast in plain loops
LEAST_WORK: Final = 1 << 20
LEAST_SUM: Final = 12
