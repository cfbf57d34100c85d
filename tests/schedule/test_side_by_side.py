"""Products that are padded to one result are stored side by side, each by a kernel of its own."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor, vjp
from tests.schedule.programs import scheduled

SHAPE = (2, 96, 3, 4, 32)  # batch, length, queries and keys and values, heads, width


def attention(qkv: Tensor) -> Tensor:
    q, k, v = (qkv[:, :, part].transpose(1, 2) for part in range(3))
    return q.scaled_dot_product_attention(k, v, is_causal=True)


def slopes(qkv: Tensor, slope: Tensor) -> Tensor:
    made: Tensor = vjp(attention, qkv)[1](slope)[0]
    return made


def test_slopes_of_queries_keys_and_values_go_to_their_places() -> None:
    """Three kernels write one result, and no map adds three paddings up."""
    made = scheduled(slopes, SHAPE, (2, 4, 96, 32))
    (result,) = {buffer for item in made.items for buffer in item.writes if buffer.name.startswith("out")}
    assert sum(result in item.writes for item in made.items) == 3


@pytest.mark.parametrize("length", [96, 101])
def test_they_are_what_they_are_one_by_one(length: int, rng: np.random.Generator) -> None:
    qkv = rng.standard_normal((2, length, 3, 4, 32)).astype("float32")
    slope = Tensor(rng.standard_normal((2, 4, length, 32)).astype("float32"))
    together = slopes(Tensor(qkv), slope).numpy()
    q, k, v = (Tensor(np.ascontiguousarray(qkv[:, :, part].swapaxes(1, 2))) for part in range(3))
    each = vjp(lambda q, k, v: q.scaled_dot_product_attention(k, v, is_causal=True), q, k, v)[1](slope)
    for part, single in enumerate(each):
        np.testing.assert_allclose(together[:, :, part].swapaxes(1, 2), single.numpy(), rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize(("first", "second"), [((0, 40), (60, 0)), ((0, 30), (60, 0)), ((10, 60), (60, 0))])
def test_paddings_that_leave_out_or_share_places_are_added_up(
    first: tuple[int, int], second: tuple[int, int], rng: np.random.Generator
) -> None:
    """Only those that cover the result, each place once, are stored side by side."""
    rows = [sum(amounts) for amounts in (first, second)]
    sizes = (100 - rows[0], 100 - rows[1])
    a, b = (rng.standard_normal((n, 128)).astype("float32") for n in sizes)
    w = rng.standard_normal((128, 128)).astype("float32")

    def program(a: Tensor, b: Tensor, w: Tensor) -> Tensor:
        return (a @ w).pad((0, 0, *first)) + (b @ w).pad((0, 0, *second))

    expected = np.pad(a @ w, (first, (0, 0))) + np.pad(b @ w, (second, (0, 0)))
    found = program(Tensor(a), Tensor(b), Tensor(w)).numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-3)
