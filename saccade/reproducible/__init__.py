"""Arithmetic on NumPy arrays whose last bit is the same in every release, on every machine.

What decides a result of an experiment may not depend on which NumPy is installed. IEEE 754 fixes the bits of
`+ - * /`, `sqrt`, comparisons, rounding and casts, and NumPy's elementwise loops do just that. It fixes
nothing else: `np.sin` and `np.exp` change their last bits between releases and processors, `@`, `einsum` and
`np.linalg` those of the BLAS they are linked with, `sum` and `mean` may add in any order, and `np.random`
promises no stream. Here is the rest, built from what is fixed, in a stated order:

| file | what |
|---|---|
| `functions.py` | sin, cos, tan, arctan2, exp, log, ... of float64 arrays |
| `vectors.py` | dot, cross, norm, small matrix products, sums in a fixed order, interpolation |
| `linear.py` | small linear systems, eigenvectors of small symmetric matrices, least squares |
| `random.py` | random numbers that are functions of a seed and a counter |

    >>> from saccade.reproducible import norm, sin
    >>> float(sin(1.0)).hex()
    '0x1.aed548f090ceep-1'
    >>> float(norm([3.0, 4.0]))
    5.0
"""

from .functions import (
    arctan,
    arctan2,
    cos,
    cos_sin,
    cosine_of,
    degrees,
    exp,
    hypot,
    log,
    log1p,
    power,
    radians,
    sin,
    sine_of,
    tan,
)
from .linear import eigen_symmetric, half_angle, least_squares, solve_positive
from .random import Draws
from .vectors import (
    apply,
    columns,
    cross,
    dot,
    interpolate,
    linspace,
    matmul,
    mean,
    median,
    norm,
    total,
    unit,
)

__all__ = [
    "Draws",
    "apply",
    "arctan",
    "arctan2",
    "columns",
    "cos",
    "cos_sin",
    "cosine_of",
    "cross",
    "degrees",
    "dot",
    "eigen_symmetric",
    "exp",
    "half_angle",
    "hypot",
    "interpolate",
    "least_squares",
    "linspace",
    "log",
    "log1p",
    "matmul",
    "mean",
    "median",
    "norm",
    "power",
    "radians",
    "sin",
    "sine_of",
    "solve_positive",
    "tan",
    "total",
    "unit",
]
