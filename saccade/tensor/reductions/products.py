"""Products of matrices and their generalisation, einsum: broadcast multiplication, then a sum.

A matrix product is (..., m, 1, k) * (..., 1, n, k) summed over the last axis; nothing is stored between, and
the compiler sees an ordinary expression. Products of half types are taken and summed in float32.

    >>> a, b = Tensor.ones(2, 3), Tensor.ones(3, 4)
    >>> Tensor.einsum("ij,jk->ik", a, b).node is (a @ b).node
    True
"""

from __future__ import annotations

import string
from itertools import combinations
from math import prod
from typing import Any, Final, Self

from ...graph import dtypes, monoid
from ...graph.dtypes import DType
from ...graph.node import Shape
from ...graph.ops import Op
from .. import build
from ..core import Core, Operand
from ..operands import same_device
from ..shapes.creation import Creation

#: terms of an einsum of which all paths are compared: 18 of four
MOST_SEARCHED: Final = 4


class Products(Creation):
    __slots__ = ()

    def _dot_pair(self, other: Self, verb: str) -> tuple[Self, Self]:
        """Both operands of a product in one dtype; torch would refuse to mix, we promote."""
        same_device(self.node, other.node)
        dtype = dtypes.promote(self.dtype, other.dtype)
        if dtype.is_bool:
            raise TypeError(f"{verb} of bool tensors: cast them to an integer or a float first")
        return self.cast(dtype), other.cast(dtype)

    def _summed_product(self, other: Self, axes: tuple[int, ...], dtype: DType | None = None) -> Self:
        """The product of two tensors of one rank, broadcast, summed over axes; half types in float32. With a
        dtype, the result has it, and the sum is no narrower."""
        if self.dtype.is_complex:
            return self._summed_complex_product(other, axes, dtype)
        shape = build.broadcast_shapes(self.shape, other.shape)
        mine = self.dtype
        wide = mine.accumulator if mine.is_float else mine
        dtype, wide = (mine, wide) if dtype is None else (dtype, dtypes.promote(wide, dtype))
        left, right = (build.broadcast(build.cast(t.node, wide), shape) for t in (self, other))
        total = build.reduce(build.binary(Op.MUL, left, right), monoid.ADD, axes)
        return self._new(build.cast(total, dtype))

    def _summed_complex_product(self, other: Self, axes: tuple[int, ...], dtype: DType | None) -> Self:
        """Four real ones: each is a product of matrices where the whole is."""
        (a, b), (c, d) = (
            (self._new(build.real(t.node)), self._new(build.imag(t.node))) for t in (self, other)
        )
        re = a._summed_product(c, axes) - b._summed_product(d, axes)
        im = a._summed_product(d, axes) + b._summed_product(c, axes)
        return self._new(build.complex_(re.node, im.node)).cast(dtype or self.dtype)

    def matmul(self, other: Operand, dtype: object = None) -> Self:
        """Matrix product of the last two axes; the others broadcast; 1-dim operands are a row or a column.

        `dtype` is that of the result, where it is not the operands': `a.matmul(b, dtype="int32")` of int8
        matrices sums without overflow, `dtype="float32"` leaves a sum of 8-bit floats as it is."""
        mine, theirs = self._dot_pair(self._coerce(other), "matmul")
        if mine.ndim == 0 or theirs.ndim == 0:
            raise ValueError(
                f"matmul needs at least 1 axis on both sides, not {mine.shape} and "
                f"{theirs.shape}: use * for scalars"
            )
        inner = theirs.shape[-2] if theirs.ndim > 1 else theirs.shape[-1]
        if mine.shape[-1] != inner:
            raise ValueError(
                f"cannot multiply matrices of shapes {mine.shape} and {theirs.shape}: "
                f"{mine.shape[-1]} != {inner}"
            )
        row, column = mine.ndim == 1, theirs.ndim == 1
        left = mine.reshape(1, -1) if row and inner else mine.reshape(1, 0) if row else mine
        right = theirs.reshape(1, inner) if column else theirs.mT
        wanted = None if dtype is None else dtypes.of(dtype)
        product = left.unsqueeze(-2)._summed_product_aligned(right.unsqueeze(-3), wanted)
        shape = product.shape
        drop = (
            (shape[:-2] if row and column else (*shape[:-2], shape[-1]))
            if row
            else (shape[:-1] if column else shape)
        )
        return product.reshape(drop)

    def _summed_product_aligned(self, other: Self, dtype: DType | None = None) -> Self:
        """Sum over the last axis after the leading axes are made equally many."""
        rank = max(self.ndim, other.ndim)
        left, right = (t.reshape(*(1,) * (rank - t.ndim), *t.shape) for t in (self, other))
        return left._summed_product(right, (rank - 1,), dtype)

    __matmul__ = matmul

    def __rmatmul__(self, other: Operand) -> Self:
        return self._coerce(other).matmul(self)

    def _ranked(self, other: Operand, mine: int, theirs: int, verb: str) -> Self:
        right = self._coerce(other)
        if self.ndim != mine or right.ndim != theirs:
            raise ValueError(
                f"{verb} takes {mine} and {theirs} axes, not shapes {self.shape} and "
                f"{right.shape}: use matmul"
            )
        return self.matmul(right)

    def dot(self, other: Operand) -> Self:
        return self._ranked(other, 1, 1, "dot")

    inner_product = dot

    def mm(self, mat2: Operand) -> Self:
        return self._ranked(mat2, 2, 2, "mm")

    def mv(self, vec: Operand) -> Self:
        return self._ranked(vec, 2, 1, "mv")

    def bmm(self, mat2: Operand) -> Self:
        return self._ranked(mat2, 3, 3, "bmm")

    def outer(self, vec2: Operand) -> Self:
        other = self._coerce(vec2)
        if self.ndim != 1 or other.ndim != 1:
            raise ValueError(f"outer takes two 1-dim tensors, not shapes {self.shape} and {other.shape}")
        return self.unsqueeze(1) * other.unsqueeze(0)

    def addmm(self, mat1: Operand, mat2: Operand, *, beta: float = 1, alpha: float = 1) -> Self:
        product = self._coerce(mat1).mm(mat2)
        return self * beta + product * alpha if (alpha, beta) != (1, 1) else self + product

    def baddbmm(self, batch1: Operand, batch2: Operand, *, beta: float = 1, alpha: float = 1) -> Self:
        product = self._coerce(batch1).bmm(batch2)
        return self * beta + product * alpha if (alpha, beta) != (1, 1) else self + product

    def linear(self, weight: Operand, bias: Operand | None = None) -> Self:
        """x @ weight.T + bias: (..., in), (out, in), (out,) -> (..., out)."""
        matrix = self._coerce(weight)
        product = self.matmul(matrix if matrix.ndim < 2 else matrix.mT)
        return product if bias is None else product + bias

    def bilinear(self, other: Operand, weight: Operand, bias: Operand | None = None) -> Self:
        result = self.einsum("...i,oij,...j->...o", self, weight, other)
        return result if bias is None else result + bias

    def cross(self, other: Operand, dim: int = -1) -> Self:
        """The vector product along an axis of size 3."""
        left, right = self.broadcast_tensors(*self._dot_pair(self._coerce(other), "cross"))
        if left.ndim == 0 or left.shape[left._axis(dim)] != 3:
            raise ValueError(f"cross needs an axis of size 3, not axis {dim} of shape {left.shape}")
        return left.roll(-1, dim) * right.roll(-2, dim) - left.roll(-2, dim) * right.roll(-1, dim)

    def kron(self, other: Operand) -> Self:
        right = self._coerce(other)
        rank = max(self.ndim, right.ndim)
        a, b = (t.reshape(*(1,) * (rank - t.ndim), *t.shape) for t in (self, right))
        spread = a.reshape(*[s for n in a.shape for s in (n, 1)]) * b.reshape(
            *[s for n in b.shape for s in (1, n)]
        )
        return spread.reshape(*[n * m for n, m in zip(a.shape, b.shape, strict=True)])

    def tensordot(self, other: Operand, dims: Any = 2) -> Self:
        """Sum over the last `dims` axes here and the first there, or over two lists of axes."""
        right = self._coerce(other)
        if isinstance(dims, int):
            mine, theirs = list(range(self.ndim - dims, self.ndim)), list(range(dims))
        else:
            mine, theirs = ([a] if isinstance(a, int) else list(a) for a in dims)
        letters = string.ascii_letters
        left = list(letters[: self.ndim])
        labels = list(letters[self.ndim : self.ndim + right.ndim])
        for a, b in zip(mine, theirs, strict=True):
            labels[right._axis(b)] = left[self._axis(a)]
        kept = [c for c in left if c not in labels] + [c for c in labels if c not in left]
        return self.einsum(f"{''.join(left)},{''.join(labels)}->{''.join(kept)}", self, right)

    @classmethod
    def einsum(cls, equation: str, *operands: Any) -> Self:
        """Sums of products by labelled axes: `einsum("bij,bjk->bik", a, b)`; any number of operands, `...`
        allowed."""
        given = operands[0] if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else operands
        tensors = [cls._of(t.node) if isinstance(t, Core) else cls(t) for t in given]
        inputs, output = _parse(equation, [t.shape for t in tensors])
        sizes = _label_sizes(equation, inputs, [t.shape for t in tensors], output)
        terms = [_diagonals(t, labels) for t, labels in zip(tensors, inputs, strict=True)]
        while len(terms) > 1:
            _, (i, j) = _cheapest_path([labels for _, labels in terms], output, sizes)
            right, left = terms.pop(j), terms.pop(i)
            needed = set(output).union(*[labels for _, labels in terms])
            terms.append(_contract(left, right, needed, sizes))
        tensor, labels = terms[0]
        result: Self = _summed_to(tensor, labels, output, sizes)
        return result


# --- einsum


def _parse(equation: str, shapes: list[Shape]) -> tuple[list[str], str]:
    """The labels of every operand and of the result; the axes of `...` get labels of their own."""
    text = equation.replace(" ", "")
    left, arrow, output = text.partition("->")
    inputs = left.split(",")
    if len(inputs) != len(shapes):
        raise ValueError(f"einsum {equation!r} names {len(inputs)} operands and got {len(shapes)}")
    spare = [c for c in string.ascii_letters if c not in text]
    extra = max(
        [len(shape) - len(term) + 3 for term, shape in zip(inputs, shapes, strict=True) if "..." in term],
        default=0,
    )
    if extra < 0 or extra > len(spare):
        raise ValueError(f"einsum {equation!r} does not fit shapes {shapes}")
    dots = "".join(spare[:extra])
    spelled = []
    for term, shape in zip(inputs, shapes, strict=True):
        own = len(shape) - len(term.replace("...", ""))
        labels = term.replace("...", dots[extra - own :] if own > 0 else "")
        if len(labels) != len(shape) or not all(c in string.ascii_letters for c in labels):
            raise ValueError(f"einsum term {term!r} does not describe an operand of shape {shape}")
        spelled.append(labels)
    if not arrow:
        every = "".join(spelled)
        output = "..." + "".join(sorted(c for c in set(every) if every.count(c) == 1 and c not in dots))
    result = output.replace("...", dots)
    if len(set(result)) != len(result) or not set(result) <= set("".join(spelled)):
        raise ValueError(
            f"einsum result {output!r} must use each label once, and only labels of the operands "
            f"in {equation!r}"
        )
    return spelled, result


def _label_sizes(equation: str, inputs: list[str], shapes: list[Shape], output: str) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for labels, shape in zip(inputs, shapes, strict=True):
        for label, n in zip(labels, shape, strict=True):
            if sizes.get(label, 1) != 1 and n not in (1, sizes[label]):
                raise ValueError(
                    f"einsum {equation!r}: label {label!r} is {sizes[label]} in one operand and "
                    f"{n} in another"
                )
            sizes[label] = max(sizes.get(label, 1), n) if n else 0
    return sizes


def _diagonals(tensor: Any, labels: str) -> tuple[Any, str]:
    """A label that occurs twice in one operand takes its diagonal."""
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            tensor = tensor.diagonal(0, first, second)
            labels = labels[:first] + labels[first + 1 : second] + labels[second + 1 :] + label
    return tensor, labels


def _cheapest_path(terms: list[str], output: str, sizes: dict[str, int]) -> tuple[int, tuple[int, int]]:
    """The points of the products that contract all terms, and the pair that comes first: `bi,oij,bj` begins
    with the weights, as the product of both inputs would be as large as they are for each b. Of many terms
    only the first product counts: greedy, and right for the chains people write."""
    paths = []
    for pair in combinations(range(len(terms)), 2):
        both = {label for number in pair for label in terms[number]}
        points = prod(sizes[label] for label in both)
        rest = [labels for number, labels in enumerate(terms) if number not in pair]
        if rest and len(terms) <= MOST_SEARCHED:
            kept = "".join(sorted(both & set(output).union(*rest)))
            points += _cheapest_path([*rest, kept], output, sizes)[0]
        paths.append((points, pair))
    return min(paths)


def _contract(
    left: tuple[Any, str], right: tuple[Any, str], needed: set[str], sizes: dict[str, int]
) -> tuple[Any, str]:
    """One product; labels nobody needs later are summed, as the last axes."""
    (a, a_labels), (b, b_labels) = left, right
    a, a_labels = _summed_alone(a, a_labels, needed | set(b_labels))
    b, b_labels = _summed_alone(b, b_labels, needed | set(a_labels))
    both = list(dict.fromkeys(a_labels + b_labels))
    kept = [c for c in both if c in needed]
    kept.sort(key=lambda c: (c not in a_labels or c not in b_labels, c not in a_labels))  # batch, left, right
    order = "".join(kept + [c for c in both if c not in needed])
    x, y = (_arranged(t, labels, order) for t, labels in ((a, a_labels), (b, b_labels)))
    x, y = x._dot_pair(y, "einsum")
    return x._summed_product(y, tuple(range(len(kept), len(order)))), "".join(kept)


def _summed_alone(tensor: Any, labels: str, needed: set[str]) -> tuple[Any, str]:
    """Labels that occur only here and are not needed are summed before the product."""
    axes = [i for i, c in enumerate(labels) if c not in needed]
    if not axes:
        return tensor, labels
    return tensor.sum(axes, dtype=tensor.dtype), "".join(c for c in labels if c in needed)


def _arranged(tensor: Any, labels: str, order: str) -> Any:
    """The tensor with its axes in `order`, size one where it lacks a label."""
    present = [c for c in order if c in labels]
    moved = tensor.permute(*[labels.index(c) for c in present])
    sizes = dict(zip(present, moved.shape, strict=True))
    return moved.reshape(*[sizes.get(c, 1) for c in order])


def _summed_to(tensor: Any, labels: str, output: str, sizes: dict[str, int]) -> Any:
    tensor, labels = _summed_alone(tensor, labels, set(output))
    return tensor.permute(*[labels.index(c) for c in output]).expand(*[sizes[c] for c in output])
