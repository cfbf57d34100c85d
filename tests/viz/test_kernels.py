"""What a kernel is told of beside its time: forward or backward, the scheduler's estimate, machine code."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import saccade
from saccade import Tensor
from saccade.graph.node import walk
from saccade.graph.origin import Origin, line_of, origin_of, tracking
from saccade.viz.machine_code import machine_code
from saccade.viz.views.memory import memory
from saccade.viz.views.phases import phases_of
from saccade.viz.views.recording import Recording

LAYERS, WIDE = 3, 128


def train() -> None:
    rng = np.random.default_rng(0)
    weights = [
        Tensor(rng.standard_normal((WIDE, WIDE), dtype=np.float32)).requires_grad_() for _ in range(LAYERS)
    ]
    hidden = Tensor(rng.standard_normal((64, WIDE), dtype=np.float32))
    for weight in weights:
        hidden = (hidden @ weight).tanh()
    (hidden * hidden).mean().backward()
    first, *others = [weight.grad for weight in weights if weight.grad is not None]
    first.realize(*others)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    path = tmp_path_factory.mktemp("viz") / "trained.saccade"
    with saccade.record(path):
        train()
    return Recording(path)


def test_forward_keeps_what_backward_reads(trained: Recording) -> None:
    data = trained.kernels(0)
    assert data["backward"]
    phases = [kernel["phase"] for kernel in data["kernels"]]
    assert phases[0] == "forward"
    assert phases.count("backward") >= 2 * LAYERS - 1
    assert "forward" not in phases[phases.index("backward") :]  # everything after the loss
    kept = [buffer for buffer in data["buffers"] if buffer["kept"]]
    assert len(kept) == LAYERS  # a value of each, from which its slope is made
    for buffer in kept:
        assert phases[buffer["writers"][0]] == "forward"
        assert "backward" in {phases[reader] for reader in buffer["readers"]}
    (arena,) = [each for each in memory(trained)["buffers"] if each["kind"] == "arena"]
    assert arena["kept"] == sum(buffer["bytes"] for buffer in kept)


def test_a_gradient_has_the_line_of_what_is_differentiated() -> None:
    x, lines = Tensor(np.ones((4, 4), "float32")), []

    def loss(x: Tensor) -> Tensor:
        y = (x * 3.5).sin()
        lines.append(line_of(y.node))
        return y.sum()

    with tracking():
        made = [origin_of(node) for node in walk((saccade.grad(loss)(x).node,))]
    assert Origin(lines[0], backward=True) in made
    assert Origin(lines[0], backward=False) in made  # the sine's argument, which its slope needs


def test_a_program_without_gradients_has_no_backward(recorded: Path) -> None:
    data = Recording(recorded).kernels(0)
    assert not data["backward"]
    assert {kernel["phase"] for kernel in data["kernels"]} == {"forward"}
    assert phases_of({"kernels": [], "buffers": []}).kept == frozenset()


def test_the_standard_library_asks_for_nothing() -> None:
    @contextlib.contextmanager
    def block(x: Tensor) -> Iterator[Tensor]:
        yield x * 12345.0

    with tracking():
        with block(Tensor(np.ones(4, "float32"))) as inside:
            made = inside
        mapped = list(map(lambda x: x + 54321.0, [made]))[0]  # noqa: C417, RUF015 - called from C
        reduced = contextlib.ExitStack()
        with reduced:
            late: list[Tensor] = []
            reduced.callback(lambda: late.append(made * 777.0))
    for node in (made.node, mapped.node, late[0].node):
        assert line_of(node).startswith("test_kernels.py:")


def test_kernels_have_an_estimate(trained: Recording) -> None:
    kernels = trained.kernels(0)["kernels"]
    assert all(1e-7 < kernel["estimate"] < 1 for kernel in kernels)
    product = max(kernels, key=lambda kernel: kernel["flops"])
    smallest = min(kernels, key=lambda kernel: kernel["bytes"])
    assert product["estimate"] > 2 * smallest["estimate"]


def test_machine_code_of_the_processor(trained: Recording) -> None:
    found = trained.machine(0, 0)
    assert found["kind"] == "assembly"
    assert f"{trained.kernels(0)['kernels'][0]['name']}:" in found["text"]
    assert "ret" in found["text"]


def test_a_source_that_is_none_is_told_and_ends_nothing() -> None:
    found = machine_code("f", "define nonsense", False, "")
    assert found["kind"] == ""
    assert "no machine code" in found["text"]
    assert "without compiling" in machine_code("f", "(a kernel)", False, "")["text"]


def test_machine_code_of_a_card() -> None:
    pytest.importorskip("cuda.bindings.nvrtc", reason="the extra cuda is not installed")
    text = 'extern "C" __global__ void twice(float *x) { x[threadIdx.x] *= 2.0f; }'
    found = machine_code("twice", text, False, "sm_90a")
    assert found["kind"].startswith("PTX")
    assert ".visible .entry twice" in found["text"]
