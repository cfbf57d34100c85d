"""Products against NumPy, and the graph they make."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.graph import dtypes
from saccade.graph.ops import Op

from .compare import agree

rng = np.random.default_rng(4)


def normal(*shape: int) -> np.ndarray[Any, Any]:
    return rng.standard_normal(shape)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((3, 4), (4, 5)),
        ((4,), (4,)),
        ((3, 4), (4,)),
        ((4,), (4, 5)),
        ((2, 1, 3, 4), (5, 4, 2)),
        ((3, 0), (0, 5)),
        ((0, 2), (2, 3)),
    ],
)
def test_matmul(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    a, b = normal(*left), normal(*right)
    agree(Tensor(a) @ Tensor(b), a @ b, rtol=1e-12)
    agree(a @ Tensor(b), a @ b, rtol=1e-12)


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ij,jk->ik", [(3, 4), (4, 5)]),
        ("ii->i", [(4, 4)]),
        ("iji->j", [(4, 3, 4)]),
        ("ij->", [(3, 4)]),
        ("ij,ij,ij->i", [(3, 4)] * 3),
        ("ij,jk,kl,lm->im", [(2, 3), (3, 4), (4, 5), (5, 2)]),
        ("...ij,...jk->...ik", [(2, 3, 4), (5, 1, 4, 2)]),
        ("i...->...i", [(2, 3, 4)]),
        ("ab,cd->dacb", [(2, 3), (4, 5)]),
        ("ba", [(2, 3)]),
    ],
)
def test_einsum(equation: str, shapes: list[tuple[int, ...]]) -> None:
    arrays = [normal(*shape) for shape in shapes]
    agree(Tensor.einsum(equation, *[Tensor(a) for a in arrays]), np.einsum(equation, *arrays), rtol=1e-12)


def test_the_graph_of_a_product() -> None:
    product = (Tensor(normal(3, 4)) @ Tensor(normal(4, 5))).node
    assert product.op is Op.REDUCE
    assert product.src[0].op is Op.MUL
    assert (product.src[0].shape, product.arg[1]) == ((3, 5, 4), (2,))
    a, b = Tensor(normal(3, 4)), Tensor(normal(4, 5))
    assert Tensor.einsum("ij,jk->ik", a, b).node is (a @ b).node


def test_einsum_takes_the_path_with_the_fewest_points() -> None:
    """Not the cheapest first step: x and y, whose product is as large as both of them for each b."""
    x, w, y = Tensor(normal(6, 8)), Tensor(normal(2, 8, 8)), Tensor(normal(6, 8))
    best = Tensor.einsum("bj,boj->bo", y, Tensor.einsum("bi,oij->boj", x, w))
    assert Tensor.einsum("bi,oij,bj->bo", x, w, y).node is best.node


def test_half_products_are_summed_in_float32() -> None:
    a, b = normal(4, 300).astype("float16"), normal(300, 3).astype("float16")
    agree(Tensor(a) @ Tensor(b), (a.astype("float32") @ b.astype("float32")).astype("float16"), rtol=1e-3)
    reduce = (Tensor(a) @ Tensor(b)).node.src[0]
    assert (reduce.op, reduce.dtype.name) == (Op.REDUCE, "float32")


def test_integer_products() -> None:
    a, b = rng.integers(-9, 9, (3, 4)).astype("int32"), rng.integers(-9, 9, (4, 2)).astype("int32")
    agree(Tensor(a) @ Tensor(b), a @ b)


def test_the_dtype_of_a_product_can_be_wider() -> None:
    a, b = (rng.integers(-128, 128, shape).astype("int8") for shape in ((20, 300), (300, 30)))
    agree(Tensor(a).matmul(Tensor(b), dtype="int32"), a.astype("int32") @ b.astype("int32"))
    x, y = (normal(*shape).astype("float16") for shape in ((20, 300), (300, 30)))
    wide = Tensor(x).matmul(Tensor(y), dtype="float32")
    assert wide.dtype is dtypes.float32
    agree(wide, x.astype("float32") @ y.astype("float32"), rtol=1e-4, atol=1e-4)
    small = Tensor(x).cast("float8_e4m3").matmul(Tensor(y).cast("float8_e4m3"), dtype="bfloat16")
    assert small.dtype is dtypes.bfloat16


def test_the_dtype_of_a_product_can_be_narrower_than_its_sum() -> None:
    a, b = normal(20, 300).astype("float32"), normal(300, 30).astype("float32")
    narrow = Tensor(a).matmul(Tensor(b), dtype="float16")
    assert narrow.dtype is dtypes.float16
    agree(narrow, (a.astype("float64") @ b.astype("float64")).astype("float16"), rtol=2e-3)


def test_others() -> None:
    a, b = normal(3, 4), normal(3, 4)
    agree(Tensor(a[0]).outer(Tensor(b[0])), np.outer(a[0], b[0]))
    agree(Tensor(a).tensordot(Tensor(b), dims=([0, 1], [0, 1])), np.tensordot(a, b, ([0, 1], [0, 1])))
    agree(Tensor(a[:, :3]).cross(Tensor(b[:, :3])), np.cross(a[:, :3], b[:, :3]))
    agree(Tensor(a).kron(Tensor(b)), np.kron(a, b))
    agree(Tensor(a).linear(Tensor(b), Tensor(b[:, 0])), a @ b.T + b[:, 0])
    agree(Tensor(a).cdist(Tensor(b)), np.linalg.norm(a[:, None] - b, axis=-1))


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (lambda a: a @ a, r"cannot multiply matrices of shapes \(3, 4\) and \(3, 4\): 4 != 3"),
        (lambda a: a @ Tensor(2.0), "use \\* for scalars"),
        (lambda a: a.mm(a[0]), "mm takes 2 and 2 axes"),
        (lambda a: Tensor.einsum("ij,jk->ik", a), "names 2 operands and got 1"),
        (lambda a: Tensor.einsum("ijk->i", a), "does not describe an operand"),
        (lambda a: Tensor.einsum("ij,ij->ij", a, a.T), "label 'i' is 3 in one operand and 4"),
        (lambda a: Tensor.einsum("ij->k", a), "only labels of the operands"),
    ],
)
def test_errors(program: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        program(Tensor(normal(3, 4)))
