"""Getting data in: anything array-like, its dtype, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Device, Tensor, dtypes


@pytest.mark.parametrize(
    ("data", "dtype", "shape"),
    [
        ([1.0, 2.0], dtypes.float32, (2,)),
        ([[1, 2], [3, 4]], dtypes.int64, (2, 2)),
        ([True, False], dtypes.bool_, (2,)),
        (2.5, dtypes.float32, ()),
        (7, dtypes.int64, ()),
        (True, dtypes.bool_, ()),
        ([], dtypes.float32, (0,)),
        (np.float64(2.5), dtypes.float64, ()),
        (np.arange(3, dtype="uint16"), dtypes.uint16, (3,)),
        (np.zeros((0, 4), "float16"), dtypes.float16, (0, 4)),
        ([np.float64(1.0), np.float64(2.0)], dtypes.float64, (2,)),
        (range(3), dtypes.int64, (3,)),
    ],
)
def test_dtype_and_shape_follow_the_data(data: Any, dtype: dtypes.DType, shape: tuple[int, ...]) -> None:
    x = Tensor(data)
    assert (x.dtype, x.shape, x.ndim, x.numel()) == (dtype, shape, len(shape), int(np.prod(shape)))
    np.testing.assert_array_equal(x.numpy(), np.asarray(data))


@pytest.mark.parametrize(
    "array",
    [
        np.arange(12.0).reshape(3, 4).T,
        np.arange(12.0).reshape(3, 4)[::2, ::-1],
        np.broadcast_to(np.arange(3.0), (2, 3)),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.arange(4.0).astype(">f4"),
    ],
    ids=["transposed", "strided", "broadcast", "fortran", "big-endian"],
)
def test_arrays_of_any_layout(array: np.ndarray[Any, Any]) -> None:
    np.testing.assert_array_equal((Tensor(array) * 2).numpy(), array * 2)


@pytest.mark.host_memory
def test_construction_copies_and_from_numpy_shares() -> None:
    array = np.arange(3.0, dtype="float32")
    copied, shared = Tensor(array), Tensor.from_numpy(array)
    array[0] = 9
    assert copied.tolist() == [0.0, 1.0, 2.0]
    assert shared.tolist() == [9.0, 1.0, 2.0]


def test_a_dtype_is_honoured() -> None:
    for name in ("bool", "uint8", "int16", "float16", "bfloat16", "float8_e4m3", "float64"):
        x = Tensor([0.0, 1.0, 2.0], dtype=name)
        assert x.dtype.name == name
        assert x.float().tolist() == ([0.0, 1.0, 1.0] if name == "bool" else [0.0, 1.0, 2.0])
    assert Tensor([1, 2], dtype=np.float32).dtype is dtypes.float32
    assert Tensor(Tensor([1, 2]), dtype=float).dtype is dtypes.float32


@pytest.mark.parametrize(
    ("data", "error", "words"),
    [
        ("text", TypeError, "parse the text"),
        (["a", "b"], TypeError, "text such as 'a'"),
        ([1, None], TypeError, "Python objects"),
        (np.zeros(2, np.clongdouble), TypeError, "convert it to float64"),
        (np.array(["2020-01-01"], "datetime64[D]"), TypeError, "dates"),
        ([[1, 2], [3]], ValueError, "ragged"),
        ([2**70], TypeError, "Python objects"),
        (np.zeros(2, np.longdouble), TypeError, "convert it to float64"),
        (None, TypeError, "Python objects"),
    ],
)
def test_what_is_no_array_of_numbers_is_refused(data: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        Tensor(data)


def test_values_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="does not fit uint8"):
        Tensor([1, 300], dtype="uint8")
    with pytest.raises(OverflowError, match="300 does not fit uint8"):
        Tensor([1], dtype="uint8") + 300
    with pytest.raises(TypeError, match="unknown dtype 'float31'"):
        Tensor([1.0], dtype="float31")
    with pytest.raises(TypeError, match="dtype"):
        Tensor([1.0]).cast(object())


def test_devices() -> None:
    x = Tensor([1.0, 2.0], device="CPU")
    assert x.device == "cpu"
    assert x.to("cpu") is x
    assert Tensor.zeros(2).device == Device.default
    with pytest.raises(ValueError, match="unknown device 'tpu'"):
        Tensor([1.0], device="tpu")
    with pytest.raises(ValueError, match="unknown device 'tpu'"):
        x.to("tpu")


def test_operands_on_different_devices_are_refused() -> None:
    here, there = Tensor([1.0]), Tensor([1.0]).to("interpreter")
    assert there.device == "interpreter"
    for program in (lambda: here + there, lambda: here @ there, lambda: Tensor.cat([here, there])):
        with pytest.raises(ValueError, match=f"{here.device} and interpreter"):
            program()


def test_casts() -> None:
    x = Tensor([0.0, 1.7, -2.5])
    assert x.int().tolist() == [0, 1, -2]
    assert x.bool().tolist() == [False, True, True]
    assert x.to("int64").dtype is dtypes.int64
    assert x.to(Tensor([1], dtype="int8")).dtype is dtypes.int8
    assert (x.half().dtype, x.double().dtype, x.bfloat16().dtype) == (
        dtypes.float16,
        dtypes.float64,
        dtypes.bfloat16,
    )
    assert x.cast("float32") is x
    np.testing.assert_array_equal(x.bitcast("int32").numpy(), x.numpy().view("int32"))
    np.testing.assert_array_equal(x.view(dtypes.uint32).numpy(), x.numpy().view("uint32"))
    with pytest.raises(ValueError, match="2 elements make one, and the last axis has 3"):
        x.bitcast("int64")


@pytest.mark.parametrize("source", ["bool", "uint8", "int64", "bfloat16", "float16", "float32"])
def test_small_numbers_survive_every_cast(source: str) -> None:
    values = [0, 1] if source == "bool" else [0, 1, 2, 3, 96]
    x = Tensor(values, dtype=source)
    made = [x.cast(target) for target in dtypes.ALL]
    for target, y in zip(dtypes.ALL, made, strict=True):
        assert y.dtype is target
        assert y.tolist() == ([bool(v) for v in values] if target.is_bool else values)


def test_size_and_bytes() -> None:
    x = Tensor.zeros(2, 3, dtype="float16")
    assert (x.size(), x.size(-1), x.nbytes, x.itemsize, len(x)) == ((2, 3), 3, 12, 2, 2)
    with pytest.raises(IndexError, match="axis 2 is out of range for shape"):
        x.size(2)


def test_huge_tensors_cost_nothing_until_they_are_stored() -> None:
    x = Tensor.zeros(1 << 40, 1 << 10)
    assert x.shape == (1 << 40, 1 << 10)
    assert x[3, 4].item() == 0
    with pytest.raises(ValueError, match="more than any memory"):
        Tensor.zeros(1 << 40, 1 << 40)
    with pytest.raises(ValueError, match="at least 0"):
        Tensor.zeros(-1)
    with pytest.raises(MemoryError):
        (x + 1).realize()
    assert Tensor([1.0]).item() == 1.0


def test_a_method_belongs_to_one_family() -> None:
    """Families do not see each other's names unless they build on each other: a name taken twice would be
    lost without a word. `Backward` continues two methods of `Core`."""
    owners: dict[str, list[str]] = {}
    for family in Tensor.__bases__:
        for name in vars(family):
            if name not in {"__module__", "__doc__", "__slots__", "__annotations__"}:
                owners.setdefault(name, []).append(family.__name__)
    twice = {name: families for name, families in owners.items() if len(families) > 1}
    assert twice == {"__init__": ["Backward", "Core"], "requires_grad_": ["Backward", "Core"]}
