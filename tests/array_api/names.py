"""The names of the standard, revision 2025.12, and the parameters of their functions.

A line is `name parameters`, as Python writes them: `/` ends those by position, `*` starts those by keyword.
"""

from __future__ import annotations

CONSTANTS = "e inf nan newaxis pi"
DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128"

UNARY = """
abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor imag isfinite isinf
isnan log log10 log1p log2 logical_not negative positive real reciprocal round sign signbit sin sinh sqrt
square tan tanh trunc
"""
BINARY = """
add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign divide equal
floor_divide greater greater_equal hypot less less_equal logaddexp logical_and logical_or logical_xor
maximum minimum multiply nextafter not_equal pow remainder subtract
"""

FUNCTIONS = """
__array_namespace_info__
all x / * axis keepdims
any x / * axis keepdims
arange start / stop step * dtype device
argmax x / * axis keepdims
argmin x / * axis keepdims
argsort x / * axis descending stable
asarray obj / * dtype device copy
astype x dtype / * copy device
broadcast_arrays *arrays
broadcast_shapes *shapes
broadcast_to x / shape
can_cast from_ to /
clip x / min max
concat arrays / * axis
count_nonzero x / * axis keepdims
cumulative_prod x / * axis dtype include_initial
cumulative_sum x / * axis dtype include_initial
diff x / * axis n prepend append
empty shape * dtype device
empty_like x / * dtype device
expand_dims x / axis
eye n_rows n_cols / * k dtype device
finfo type /
flip x / * axis
from_dlpack x / * device copy
full shape fill_value * dtype device
full_like x / fill_value * dtype device
iinfo type /
isdtype dtype kind
isin x1 x2 / * invert
linspace start stop / num * dtype device endpoint
matmul x1 x2 /
matrix_transpose x /
max x / * axis keepdims
mean x / * axis keepdims
meshgrid *arrays indexing
min x / * axis keepdims
moveaxis x source destination /
nonzero x /
ones shape * dtype device
ones_like x / * dtype device
permute_dims x / axes
prod x / * axis dtype keepdims
repeat x repeats / * axis
reshape x / shape * copy
result_type *arrays_and_dtypes
roll x / shift * axis
searchsorted x1 x2 / * side sorter
sort x / * axis descending stable
squeeze x / axis
stack arrays / * axis
std x / * axis correction keepdims
sum x / * axis dtype keepdims
take x indices / * axis
take_along_axis x indices / * axis
tensordot x1 x2 / * axes
tile x repetitions /
tril x / * k
triu x / * k
unique_all x /
unique_counts x /
unique_inverse x /
unique_values x /
unstack x / * axis
var x / * axis correction keepdims
vecdot x1 x2 / * axis
where condition x1 x2 /
zeros shape * dtype device
zeros_like x / * dtype device
"""

FFT = """
fft x / * n axis norm
fftfreq n / * d dtype device
fftn x / * s axes norm
fftshift x / * axes
hfft x / * n axis norm
ifft x / * n axis norm
ifftn x / * s axes norm
ifftshift x / * axes
ihfft x / * n axis norm
irfft x / * n axis norm
irfftn x / * s axes norm
rfft x / * n axis norm
rfftfreq n / * d dtype device
rfftn x / * s axes norm
"""

LINALG = """
cholesky x / * upper
cross x1 x2 / * axis
det x /
diagonal x / * offset
eig x /
eigh x /
eigvals x /
eigvalsh x /
inv x /
matmul x1 x2 /
matrix_norm x / * keepdims ord
matrix_power x n /
matrix_rank x / * rtol
matrix_transpose x /
outer x1 x2 /
pinv x / * rtol
qr x / * mode
slogdet x /
solve x1 x2 /
svd x / * full_matrices
svdvals x /
tensordot x1 x2 / * axes
trace x / * offset dtype
vecdot x1 x2 / * axis
vector_norm x / * axis keepdims ord
"""

ATTRIBUTES = """
T device dtype mT ndim shape size to_device __abs__ __add__ __and__ __array_namespace__ __bool__ __complex__
__dlpack__ __dlpack_device__ __eq__ __float__ __floordiv__ __ge__ __getitem__ __gt__ __index__ __int__
__invert__ __le__ __lshift__ __lt__ __matmul__ __mod__ __mul__ __ne__ __neg__ __or__ __pos__ __pow__
__rshift__ __setitem__ __sub__ __truediv__ __xor__
"""


def table(lines: str) -> dict[str, list[str]]:
    """Names and parameters of some lines."""
    return {name: rest for name, *rest in map(str.split, filter(None, lines.splitlines()))}


def functions() -> dict[str, list[str]]:
    """Those of the namespace itself."""
    one = {name: ["x", "/"] for name in UNARY.split()}
    two = {name: ["x1", "x2", "/"] for name in BINARY.split()}
    return table(FUNCTIONS) | one | two
