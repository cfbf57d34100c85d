"""Random numbers: the published test vectors, reproducibility, and the distributions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Key, Tensor
from saccade.graph.ops import Op
from saccade.tensor.functional.random import PythonWords, threefry

#: known answers of Threefry-2x32 with 20 rounds: key, counter, result
VECTORS = [
    ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
    ((0xFFFFFFFF, 0xFFFFFFFF), (0xFFFFFFFF, 0xFFFFFFFF), (0x1CB996FC, 0xBB002BE7)),
    ((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0)),
]


@pytest.mark.parametrize(("key", "counter", "result"), VECTORS)
def test_known_answers(key: tuple[int, int], counter: tuple[int, int], result: tuple[int, int]) -> None:
    assert threefry(key, counter, PythonWords) == result


def test_the_graph_computes_the_same_words() -> None:
    words = Key(0x0370734413198A2E).words_at((5,), stream=3)
    expected = [threefry((0x13198A2E, 0x03707344), (i, 3), PythonWords) for i in range(5)]
    assert [Tensor(w).tolist() for w in words] == [list(column) for column in zip(*expected, strict=True)]


def test_a_seed_gives_one_stream() -> None:
    Tensor.manual_seed(7)
    first = [Tensor.rand(4).tolist(), Tensor.randn(4).tolist(), Tensor.randint(0, 99, (4,)).tolist()]
    Tensor.manual_seed(7)
    again = [Tensor.rand(4).tolist(), Tensor.randn(4).tolist(), Tensor.randint(0, 99, (4,)).tolist()]
    assert first == again
    assert Tensor.rand(4).tolist() != Tensor.rand(4).tolist()


def test_keys_are_explicit_and_independent() -> None:
    a, b = Key(1).split()
    assert Tensor.rand(3, key=a).tolist() == Tensor.rand(3, key=a).tolist()
    draws = [
        Tensor.rand(3, key=k).tolist() for k in (Key(1), a, b, Key(1).fold_in(0), Key(1).fold_in(1), Key(2))
    ]
    assert len({tuple(d) for d in draws}) == len(draws) - 2  # fold_in(i) is the i-th of split
    assert draws[1] == draws[3]
    assert draws[2] == draws[4]


def test_an_element_depends_on_its_place_only() -> None:
    key = Key(3)
    assert Tensor.rand(10, key=key).tolist()[:4] == Tensor.rand(4, key=key).tolist()
    assert Tensor.rand(2, 5, key=key).reshape(10).tolist() == Tensor.rand(10, key=key).tolist()


def test_drawing_again_is_the_same_program() -> None:
    """Keys are data: two draws differ in buffers, not in constants."""

    def constants(x: Tensor) -> set[Any]:
        return {n.arg for n in x.node.toposort() if n.op is Op.CONST}

    assert constants(Tensor.rand(5)) == constants(Tensor.rand(5))


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_uniform(dtype: str) -> None:
    x = Tensor.rand(4000, dtype=dtype, key=Key(5))
    assert x.dtype.name == dtype
    values = x.float().numpy()
    assert values.min() >= 0
    assert values.max() < 1
    assert abs(values.mean() - 0.5) < 0.02
    assert abs(values.var() - 1 / 12) < 0.005
    assert np.abs(np.histogram(values, 10, (0, 1))[0] - 400).max() < 100


def test_normal() -> None:
    x = Tensor.randn(8000, key=Key(6)).numpy()
    assert abs(x.mean()) < 0.05
    assert abs(x.std() - 1) < 0.03
    assert abs((np.abs(x) < 1.0).mean() - 0.6827) < 0.02
    assert np.isfinite(x).all()
    assert Tensor.randn(2, dtype="float64", key=Key(6)).dtype.name == "float64"


def test_integers() -> None:
    x = Tensor.randint(-3, 4, (5000,), key=Key(8)).numpy()
    assert sorted(set(x.tolist())) == list(range(-3, 4))
    assert np.abs(np.bincount(x + 3) - 5000 / 7).max() < 120
    wide = Tensor.randint(0, 1 << 50, (100,), key=Key(8)).numpy()
    assert wide.max() > 1 << 48
    assert Tensor.randint(5, (2, 3)).shape == (2, 3)


def test_permutations_and_samples() -> None:
    assert sorted(Tensor.randperm(50, key=Key(9)).tolist()) == list(range(50))
    weights = Tensor([0.0, 1.0, 3.0, 0.0])
    drawn = weights.multinomial(2000, replacement=True, key=Key(4)).numpy()
    assert set(drawn.tolist()) == {1, 2}
    assert abs((drawn == 2).mean() - 0.75) < 0.04
    assert sorted(weights.multinomial(2, key=Key(4)).tolist()) == [1, 2]


def test_dropout_and_bernoulli() -> None:
    x = Tensor.ones(4000).dropout(0.25, key=Key(2)).numpy()
    assert set(np.unique(x).tolist()) == {0.0, np.float32(1 / 0.75)}
    assert abs((x == 0).mean() - 0.25) < 0.03
    assert Tensor.ones(3).dropout(0.5, training=False).tolist() == [1, 1, 1]
    assert abs(Tensor.full((4000,), 0.3).bernoulli(key=Key(1)).mean().item() - 0.3) < 0.03


@pytest.mark.parametrize(
    ("program", "error", "words"),
    [
        (lambda: Key(-1), ValueError, "between 0 and"),
        (lambda: Tensor.manual_seed(1 << 64), ValueError, "between 0 and"),
        (lambda: Tensor.rand(3, dtype="int32"), TypeError, "makes floats, not int32"),
        (lambda: Tensor.randint(5, 5, (2,)), ValueError, "low < high"),
        (lambda: Tensor.randint(5), TypeError, "needs a size"),
        (lambda: Tensor.ones(2).dropout(1.5), ValueError, "between 0 and 1"),
        (lambda: Tensor.ones(2).multinomial(3), ValueError, "without replacement"),
        (lambda: Tensor.rand(-1), ValueError, "at least 0"),
    ],
)
def test_errors(program: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        program()
