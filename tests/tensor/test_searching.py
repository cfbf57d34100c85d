"""jit(search=...): the same results, and a budget that has to make sense."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import Tensor, jit
from saccade.graph.kernels.kernel import Kernel
from saccade.tensor.programs import searching


def test_a_searched_function_gives_the_same_results() -> None:
    x = np.random.default_rng(0).standard_normal((64, 48), dtype=np.float32)
    y = np.random.default_rng(1).standard_normal((48, 40), dtype=np.float32)
    searched = jit(lambda a, b: (a @ b).relu(), search=0.2)
    found = searched(Tensor(x), Tensor(y)).numpy()
    np.testing.assert_allclose(found, np.maximum(x @ y, 0), rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(searched(Tensor(x), Tensor(y)).numpy(), found)


def test_every_costly_kernel_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[float] = []
    from saccade.codegen.search import search as module

    def search(kernel: Kernel, seconds: float) -> module.Found:
        seen.append(seconds)
        return module.Found("a kernel", [])

    monkeypatch.setattr(module, "search", search)
    with searching.searching(3.0):
        (Tensor.rand(31, 57, device="cpu").exp().sort(1).values + 1).realize()
    assert seen
    assert sum(seen) <= 3.0 * (1 + 1e-9)


@pytest.mark.parametrize("seconds", [0, -1.0])
def test_a_budget_is_positive(seconds: float) -> None:
    with pytest.raises(ValueError, match="seconds above 0"):
        jit(lambda x: x, search=seconds)
