"""The search on a real card."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, jit
from saccade.codegen.cuda.search.search import SearchWarning
from saccade.runtime.cache import searched
from saccade.tensor.programs.searching import searching

pytestmark = pytest.mark.gpu


def floats(*shape: int, dtype: str = "float32") -> np.ndarray[Any, Any]:
    return np.random.default_rng(0).standard_normal(shape).astype(dtype)


def attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return ((q @ k.mT) * 0.125).softmax(-1) @ v


PROGRAMS: dict[str, tuple[Callable[..., Tensor], list[np.ndarray[Any, Any]]]] = {
    "map": (lambda x: (x * 2).exp(), [floats(1000, 333)]),
    "rows": (lambda x: x.softmax(1), [floats(700, 1001)]),
    "columns": (lambda x: x.sum(0), [floats(3000, 700)]),
    "product": (lambda a, b: a @ b, [floats(513, 264, dtype="float16"), floats(264, 1000, dtype="float16")]),
    "single": (lambda a, b: a @ b, [floats(300, 200), floats(200, 300)]),
    "attention": (attention, [floats(3, 200, 64, dtype="float16")] * 3),
    "turned": (lambda x: x.permute(0, 2, 1).contiguous(), [floats(7, 500, 300)]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_searched_kernels_compute_the_same(name: str) -> None:
    program, arrays = PROGRAMS[name]
    plain = program(*[Tensor(a, device="cuda") for a in arrays]).numpy()
    with warnings.catch_warnings():
        warnings.simplefilter("error", SearchWarning)  # no candidate may fail
        with searching(3.0) as report:
            found = program(*[Tensor(a, device="cuda") for a in arrays]).numpy()
    assert sum(each.tried for each in report.found) > 3
    scale = np.abs(plain.astype(np.float64)).max()
    np.testing.assert_allclose(found, plain, rtol=0, atol=float(scale) * 2e-3)


def test_a_searched_function_replays_what_was_found(tmp_path: Path) -> None:
    def step(x: Tensor) -> Tensor:
        for _ in range(3):
            x = (x @ x).softmax(1) * 4
        return x

    x = Tensor(floats(512, 512, dtype="float16"), device="cuda")
    plain, better = jit(step), jit(step, search=4.0)
    wanted = plain(x).numpy()
    for _ in range(4):  # launched, captured, replayed
        np.testing.assert_allclose(better(x).numpy(), wanted, rtol=0, atol=2e-2)
    target = searched.target_of("cuda:0")
    searched.write_file(tmp_path / "results.json", target)
    assert searched.import_file(tmp_path / "results.json", [target])[0] == target
