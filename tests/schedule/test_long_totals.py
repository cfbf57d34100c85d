"""Totals of exponentials along long rows: parts that are read once, and the same values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, vjp
from saccade.codegen.cuda.templates.attention.match import attention_of
from saccade.schedule.cost import GPU
from saccade.schedule.kernel_graph import KernelGraph
from saccade.schedule.schedule import schedule
from saccade.tensor.programs.form import canonical, graph_of
from saccade.transform.parallel import long_totals
from tests.schedule.test_online import run

Array = np.ndarray[Any, Any]
INF = float("inf")


def planned(*made: Tensor) -> tuple[KernelGraph, list[Any]]:
    form, buffers = canonical([t.node for t in made])
    given = [] if made[0].device.startswith("null") else [b.numpy() for b in buffers]
    return schedule(*graph_of(form), GPU), given


def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of more than 64 elements are long."""
    for name, size in (("HELD", 64), ("MOST", 24), ("LARGE", 1)):
        monkeypatch.setattr(long_totals, name, size)


PROGRAMS: dict[str, Callable[[Tensor], Tensor]] = {
    "logsumexp": lambda x: x.logsumexp(1),
    "log softmax": lambda x: x.log_softmax(1),
    "softmax": lambda x: x.softmax(1),
}


@pytest.mark.parametrize("length", [96, 1024, 100])
@pytest.mark.parametrize("name", PROGRAMS)
def test_values_are_those_of_whole_rows(name: str, length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(length)
    x = (rng.standard_normal((7, length)) * 30).astype("float32")
    x[1, :] = -INF
    x[2, : length // 2] = -INF
    x[3, 5] = INF
    x[4, 7] = np.nan
    x[5, :40] = -INF
    x[5] -= 500
    before, given = planned(PROGRAMS[name](Tensor(x, device="cpu")))
    short(monkeypatch)
    made, _ = planned(PROGRAMS[name](Tensor(x, device="cpu")))
    assert (made != before) == (length % 8 == 0)
    np.testing.assert_allclose(run(made, given)[0], run(before, given)[0], rtol=3e-6, atol=3e-7)


def test_slopes_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    short(monkeypatch)
    rng = np.random.default_rng(0)
    x, slope = rng.standard_normal((6, 128)).astype("float32"), rng.standard_normal(6).astype("float32")
    given = Tensor(x, device="cpu"), Tensor(slope, device="cpu")
    total, back = vjp(lambda t: t.logsumexp(1), given[0])
    made, buffers = planned(total, *back(given[1]))
    weights = np.exp(x - x.max(1, keepdims=True))
    weights /= weights.sum(1, keepdims=True)
    np.testing.assert_allclose(run(made, buffers)[1].reshape(6, 128), weights * slope[:, None], rtol=1e-5)


def test_logits_of_a_language_model_are_read_once() -> None:
    logits = Tensor.empty(16384, 50304, dtype="bfloat16", device="null:cuda").realize()
    made, _ = planned(logits.float().logsumexp(1))
    kernels = [item.kernel for item in made.items]
    assert len(kernels[0].order) == 2
    assert sum(item.nbytes for item in made.items) < 1.01 * 2 * 16384 * 50304


def test_attention_to_many_keys_stays_attention(monkeypatch: pytest.MonkeyPatch) -> None:
    short(monkeypatch)
    q, k, v = (Tensor.zeros(2, n, 32, dtype="float16").realize() for n in (64, 512, 512))
    made, _ = planned(((q @ k.mT) * 0.2).softmax(-1) @ v)
    assert [attention_of(item.kernel) is not None for item in made.items] == [True]
