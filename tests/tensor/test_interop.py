"""Reading values out, other libraries, Python's protocols, and changing in place."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, dtypes
from saccade.runtime.memory.dlpack import unpack
from saccade.tensor.jit.trace import buffer_of


@pytest.mark.host_memory
def test_numpy_is_a_view_of_the_memory() -> None:
    x = (Tensor([1.0, 2.0]) + 1).realize()
    assert np.shares_memory(x.numpy(), x.numpy())
    source = np.arange(3.0)
    assert np.shares_memory(Tensor.from_numpy(source).numpy(), source)


@pytest.mark.host_memory
def test_dlpack_shares_memory_both_ways() -> None:
    x = Tensor([1.0, 2.0]) * 3
    there = np.from_dlpack(x)
    assert np.shares_memory(there, x.numpy())
    back = Tensor.from_dlpack(there)
    assert np.shares_memory(back.numpy(), x.numpy())
    assert x.__dlpack_device__() == (1, 0)


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3", "float8_e5m2"])
@pytest.mark.parametrize("copy", [None, True])
def test_types_that_numpy_has_not_are_lent_too(dtype: str, copy: bool | None) -> None:
    x = Tensor([[1.0, -2.0, 0.5]], device="cpu").cast(dtype).realize()
    held = unpack(x.__dlpack__(copy=copy))
    assert (held.shape, held.dtype.name) == ((1, 3), dtype)
    assert (held.address == buffer_of(x.node).address) is (copy is None)
    held.release()


@pytest.mark.host_memory
def test_sharing_takes_transposed_arrays_and_refuses_gaps() -> None:
    array = np.arange(24.0).reshape(2, 3, 4)
    for shared in (array.T, array.transpose(1, 0, 2), np.asfortranarray(array), array[:1]):
        x = Tensor.from_numpy(shared)
        np.testing.assert_array_equal(x.numpy(), shared)
    tensor = Tensor.from_numpy(array.transpose(2, 0, 1))
    array[0, 0, 0] = 99
    assert tensor[0, 0, 0].item() == 99
    for gaps in (array[:, ::2], array[:, :, ::-1], np.broadcast_to(array, (2, 2, 3, 4))):
        with pytest.raises(ValueError, match="side by side"):
            Tensor.from_numpy(gaps)


def test_numpy_functions_take_tensors() -> None:
    x = Tensor([1.0, 4.0])
    np.testing.assert_array_equal(np.sqrt(x), [1.0, 2.0])
    np.testing.assert_array_equal(np.asarray(x, "float64"), [1.0, 4.0])
    assert isinstance(np.ones(2) + x, Tensor)
    with pytest.raises(ValueError, match="without a copy"):
        x.__array__("float64", copy=False)


def test_python_protocols() -> None:
    x = Tensor([[1, 2], [3, 4]])
    assert [row.tolist() for row in x] == [[1, 2], [3, 4]]
    assert (len(x), bool(x[0, 0]), int(x[1, 1]), float(x[0, 1])) == (2, True, 4, 2.0)
    assert [10, 20, 30][Tensor(1)] == 20
    assert 3 in x
    assert 9 not in x
    assert (x.tolist(), Tensor(1.5).tolist(), x.sum().item()) == ([[1, 2], [3, 4]], 1.5, 10)
    assert f"{Tensor(1.25):.1f}" == "1.2"
    assert f"{Tensor(3)} {Tensor([3])}" == "3 Tensor([3], dtype=int64)"
    assert Tensor([1.5], dtype="bfloat16").tolist() == [1.5]


def test_repr_shows_values() -> None:
    x = Tensor([1.0, 2.5])
    where = "" if x.device == "cpu" else f", device={x.device!r}"
    assert repr(x) == f"Tensor([1. , 2.5], dtype=float32{where})"
    assert repr(Tensor([True])) == f"Tensor([ True], dtype=bool{where})"
    assert "..." in repr(Tensor.arange(100000))
    assert "dtype=float8_e5m2" in repr(Tensor([0.5], dtype="float8_e5m2"))


def test_pickling_keeps_values_and_dtype() -> None:
    for dtype in ("float32", "bfloat16", "bool"):
        x = pickle.loads(pickle.dumps(Tensor([[1, 0]], dtype=dtype).flip(1).flip(1)))
        assert (x.dtype.name, x.shape, x.float().tolist()) == (dtype, (1, 2), [[1.0, 0.0]])


def test_realize_computes_several_at_once() -> None:
    x = Tensor([1.0, 2.0])
    y, z = x * 2, x * 3
    assert y.realize(z) is y
    assert (y.tolist(), z.tolist()) == ([2.0, 4.0], [3.0, 6.0])


@pytest.mark.parametrize(
    ("program", "error", "words"),
    [
        (lambda: bool(Tensor([1, 2])), ValueError, "ambiguous"),
        (lambda: Tensor([1, 2]).item(), ValueError, "one element"),
        (lambda: len(Tensor(1)), TypeError, "no length"),
        (lambda: list(Tensor(1)), TypeError, "0-dim"),
        (lambda: Tensor([1.0], dtype="bfloat16").numpy(), TypeError, "NumPy has no bfloat16"),
        (lambda: [1, 2][Tensor(1.0)], TypeError, "only an integer tensor"),
        (lambda: Tensor.from_numpy([1]), TypeError, "takes a NumPy array"),
    ],
)
def test_errors(program: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        program()


# --- in place


def test_in_place_names_change_this_tensor_only() -> None:
    x = Tensor([1.0, -2.0])
    y = x + 0
    assert x.add_(1) is x
    x.mul_(2).abs_().clamp_(max=3)
    assert (x.tolist(), y.tolist()) == ([3.0, 2.0], [1.0, -2.0])
    z = x
    z += 1
    assert z is x
    assert x.tolist() == [4.0, 3.0]


def test_copy_fill_and_assign() -> None:
    x = Tensor([[1, 2], [3, 4]], dtype="int32")
    x.copy_(Tensor([7.9, 8.9]))
    assert (x.tolist(), x.dtype) == ([[7, 8], [7, 8]], dtypes.int32)
    assert x.fill_(3).tolist() == [[3, 3], [3, 3]]
    assert x.zero_().sum().item() == 0
    assert x.assign([[1, 2], [3, 4]]).tolist() == [[1, 2], [3, 4]]
    x.scatter_(1, [[0], [1]], 9).masked_fill_(x.eq(2), 0)
    assert x.tolist() == [[9, 0], [3, 9]]


def test_in_place_keeps_shape_and_dtype() -> None:
    x = Tensor([1, 2])
    with pytest.raises(ValueError, match=r"add_ cannot change shape \(2,\) to \(3, 2\)"):
        x.add_(Tensor.zeros(3, 2, dtype="int64"))
    with pytest.raises(TypeError, match="div_ cannot put float32 into a tensor of int64"):
        x.div_(2)
    with pytest.raises(ValueError, match="use copy_ to broadcast"):
        x.assign(1)
    assert x.tolist() == [1, 2]


def test_a_clone_of_a_clone_is_another() -> None:
    x = (Tensor([1.0, 2.0]) + 1).clone()
    y = x.clone()
    y[0] = 5.0
    assert (x.tolist(), y.tolist()) == ([2.0, 3.0], [5.0, 3.0])
