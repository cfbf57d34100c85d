"""The vocabulary: every operation a node can be, from the first Tensor call to the last loop.

One enum serves all stages; the verifier says which ops may appear after which stage.

Tensor terms (a node has a shape; `schedule` turns these into kernel terms):

    BUFFER   arg=Buffer identity, shape (n,)         memory that exists
    PARAM    arg=Param(slot, ...)                    memory named later: an input of a function or a kernel
    CONST    arg=Python value, shape ()
    VALUE    arg=Word, shape ()                      a number that each call gives; see value.py
    IOTA     arg=n, shape (n,)                       0, 1, ..., n-1 as int64
    RESHAPE  arg=new shape                           PERMUTE  arg=axes     EXPAND  arg=new shape
    PAD      arg=((before, after), ...), zeros       SLICE    arg=((start, length, step), ...) one per axis;
                                                     a start may be a VALUE
    WINDOW   arg=(axis, count, size, stride, dilation): the axis becomes two,
             out[.., o, k, ..] = in[.., o*stride + k*dilation, ..]
    REDUCE   arg=(Monoid, axes)                      the axes go away; of (scores, values) with the softmax
             monoid, the mean of the values
    SCAN     arg=(Monoid, axis)                      inclusive running reduction, shape kept
    TOPK     arg=(k, axis, largest, want)            axis becomes k, best first; want is "values" or "indices"
    GATHER   src=(x, index), arg=axis                out[.., i, ..] = x[.., index[.., i, ..], ..]
    SCATTER  src=(x, index, updates), arg=(axis, mode)  x with updates written ("set") or combined at index
    UPDATE   src=(x, part), arg=slices as of SLICE   x with that part replaced
    ASSIGN   src=(value, target)                     the value, stored in the memory of a BUFFER or PARAM
    SORT     arg=(axis, descending, want)            stable; want is "values" or "indices"
    CAT      src=parts, arg=axis                     side by side along an axis; `transform.cat` resolves it
    COMPLEX  src=(real part, imaginary part)         REAL, IMAG  src=(x,): the parts of a complex value.
             Nothing else is computed with complex numbers: they are moved, chosen and added up
    CONTIGUOUS  the value stored, arg=None, why, or a tuple of moves for its kernel, in words; or the
             Rows it is stored as
    COPY     arg=device name: the value, on another device
    plus every elementwise op below, on equal shapes.

Kernel terms (a node is a scalar that depends on ranges):

    RANGE    src=(size,), arg=Axis(number, kind)     a loop variable, 0 <= r < size
    VALUE    src=(memory,), arg=Word                 a number that each call gives, among its words
    LOAD     src=(memory, index[, valid])            0 where not valid; memory is a PARAM or a STAGE; arg is
             None, or (low, high) where the value is known to lie between them
    STORE    src=(memory, index, value[, valid]), arg=None, APART, or the mode of a combining store
    FOLD     src=(*bodies, *ranges), arg=Monoid      reduction over its own ranges; see PROJECT
    PREFIX   src=(*bodies, range), arg=Monoid        running reduction along a loop that stays open
    PROJECT  src=(fold,), arg=i                      component i of a FOLD or PREFIX
    STAGE    src=(value, index, *ranges), arg=Staging  a tile of fast memory, filled over its own ranges
    SORT     src=(source, *targets), arg=Sorting     rows of one memory, sorted into others
    SINK     src=stores, or one SORT                 the kernel
"""

from __future__ import annotations

from enum import IntEnum, auto


class Op(IntEnum):
    # leaves
    BUFFER = auto()
    PARAM = auto()
    CONST = auto()
    IOTA = auto()
    # movement
    RESHAPE = auto()
    PERMUTE = auto()
    EXPAND = auto()
    PAD = auto()
    SLICE = auto()
    WINDOW = auto()
    # collective
    REDUCE = auto()
    SCAN = auto()
    TOPK = auto()
    GATHER = auto()
    SCATTER = auto()
    UPDATE = auto()
    ASSIGN = auto()
    SORT = auto()
    CONTIGUOUS = auto()
    COPY = auto()
    # elementwise, one operand
    NEG = auto()
    NOT = auto()  # logical on bool, bitwise on integers
    ABS = auto()
    SQRT = auto()
    RECIP = auto()
    EXP = auto()
    EXP2 = auto()
    LOG = auto()
    LOG2 = auto()
    SIN = auto()
    COS = auto()
    TAN = auto()
    ASIN = auto()
    ACOS = auto()
    ATAN = auto()
    SINH = auto()
    COSH = auto()
    TANH = auto()
    ERF = auto()
    FLOOR = auto()
    CEIL = auto()
    TRUNC = auto()
    ROUND = auto()  # half to even
    ISNAN = auto()
    CAST = auto()
    BITCAST = auto()
    # elementwise, two operands
    ADD = auto()
    SUB = auto()
    MUL = auto()
    DIV = auto()  # floats: true division
    IDIV = auto()  # integers: floor division; x // 0 is 0
    MOD = auto()  # integers: x - (x // y) * y; x % 0 is x; floats: the same with floor
    TDIV = auto()  # integers: division truncated towards zero; x / 0 is 0
    POW = auto()  # floats
    IPOW = auto()  # integers: repeated product, which wraps; a negative power is 0 but of 1 and -1
    ATAN2 = auto()
    MAX = auto()  # NaN wins
    MIN = auto()
    LT = auto()
    LE = auto()
    EQ = auto()
    NE = auto()
    AND = auto()  # logical on bool, bitwise on integers
    OR = auto()
    XOR = auto()
    SHL = auto()
    SHR = auto()  # arithmetic on signed integers
    # elementwise, three operands
    WHERE = auto()
    FMA = auto()  # floats: a * b + c, rounded once
    # kernel terms
    RANGE = auto()
    LOAD = auto()
    STORE = auto()
    FOLD = auto()
    PREFIX = auto()
    PROJECT = auto()
    STAGE = auto()
    SINK = auto()
    # in both terms
    VALUE = auto()
    # tensor terms again: the numbers above are part of the order of sums, which saved searches know
    CAT = auto()
    COMPLEX = auto()
    REAL = auto()
    IMAG = auto()
    # elementwise again
    EXPM1 = auto()  # exp(x) - 1 and log(1 + x), exact near 0
    LOG1P = auto()
    # of kernels
    PICK = auto()  # one of the sixteen numbers of `arg`, by the low four bits of an integer
    LOOKUP = auto()  # (code, memory): one of the sixteen bytes of a memory, by a byte from 0 to 15

    def __repr__(self) -> str:
        return self.name

    __str__ = __repr__
    __hash__ = int.__hash__  # Enum's own hashes the name, in Python, at every lookup of a node


UNARY = frozenset(Op(i) for i in range(Op.NEG, Op.BITCAST + 1)) | {Op.EXPM1, Op.LOG1P}
BINARY = frozenset(Op(i) for i in range(Op.ADD, Op.SHR + 1))
ELEMENTWISE = UNARY | BINARY | {Op.WHERE, Op.FMA}
#: what the machine computes element by element
COMPUTED = ELEMENTWISE | {Op.PICK, Op.LOOKUP}
COMPARE = frozenset({Op.LT, Op.LE, Op.EQ, Op.NE, Op.ISNAN})
COMMUTATIVE = frozenset({Op.ADD, Op.MUL, Op.MAX, Op.MIN, Op.AND, Op.OR, Op.XOR, Op.EQ, Op.NE})
MOVEMENT = frozenset({Op.RESHAPE, Op.PERMUTE, Op.EXPAND, Op.PAD, Op.SLICE, Op.WINDOW})
#: what leads to complex numbers and back
PARTS = frozenset({Op.COMPLEX, Op.REAL, Op.IMAG})
#: loops inside of a kernel's own
NESTS = frozenset({Op.FOLD, Op.STAGE, Op.PREFIX})
#: float functions computed by series on devices without them
TRANSCENDENTAL = frozenset(Op(i) for i in range(Op.EXP, Op.ERF + 1)) | frozenset(
    {Op.POW, Op.ATAN2, Op.EXPM1, Op.LOG1P}
)
#: mode of a masked store whose iterations write to places of their own: they come in any order, many at once
APART = "apart"
