"""The Python array API standard, revision 2025.12, for Tensor: `import saccade.array_api as xp`.

Plain functions by the standard's names, signatures and rules of promotion. Each is a line or two: it checks
what the standard allows and calls the method of Tensor that computes.

constants, creation, dtype_functions, elementwise, indexing, inspection, manipulation, searching, sets,
sorting, statistical, utility    the chapters of the standard, a file each
linalg, fft                      the extensions of those names
promotion                        which dtypes combine, and to what

    >>> x = asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> sum(x, axis=0).tolist()
    [4.0, 6.0]
"""

from . import constants, fft, inspection, linalg
from .constants import *
from .functions import (
    creation,
    dtype_functions,
    elementwise,
    indexing,
    manipulation,
    searching,
    sets,
    sorting,
    statistical,
    utility,
)
from .functions.creation import *
from .functions.dtype_functions import *
from .functions.elementwise import *
from .functions.indexing import *
from .functions.manipulation import *
from .functions.searching import *
from .functions.sets import *
from .functions.sorting import *
from .functions.statistical import *
from .functions.utility import *
from .inspection import *
from .linalg import matmul, matrix_transpose, tensordot, vecdot

__array_api_version__ = "2025.12"
#: the revisions that `Tensor.__array_namespace__` answers to: each has the names of those before
VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")

#: for jit: functions without state
__jit_library__ = True

__all__ = ["__array_api_version__", "fft", "linalg", "matmul", "matrix_transpose", "tensordot", "vecdot"]
__all__ += constants.__all__
__all__ += creation.__all__
__all__ += dtype_functions.__all__
__all__ += elementwise.__all__
__all__ += indexing.__all__
__all__ += inspection.__all__
__all__ += manipulation.__all__
__all__ += searching.__all__
__all__ += sets.__all__
__all__ += sorting.__all__
__all__ += statistical.__all__
__all__ += utility.__all__
