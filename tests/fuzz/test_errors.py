"""Errors of results: bounded, measured, blamed on ops; and the command around it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from saccade import Tensor, jit
from saccade.cli import app as cli
from saccade.fuzz import errors
from saccade.fuzz.errors import ComputationError, OutputError, Recorder
from saccade.fuzz.programs import contraction
from saccade.fuzz.programs.reference import TooLarge, evaluate
from saccade.graph.node import walk
from saccade.runtime.watch.debug import observing, watching
from saccade.tensor.programs.form import canonical, graph_of

Array = np.ndarray[Any, Any]


def measured(run: Callable[[], object]) -> list[ComputationError]:
    recorder = Recorder()
    with observing(recorder):
        run()
    return list(recorder.measured())


def result(run: Callable[[], object]) -> OutputError:
    (computation,) = measured(run)
    (output,) = computation.outputs
    return output


def floats(*shape: int, dtype: str = "float32", seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def on_cpu(array: Array) -> Tensor:
    return Tensor(array, device="cpu")


def test_the_error_is_the_distance_from_float64_and_below_the_bound() -> None:
    x = floats(64, 300)
    made = on_cpu(x).exp().sum(1)
    found = result(lambda: made.realize())
    exact = np.exp(x.astype(np.float64)).sum(1)
    assert found.measured == pytest.approx(float(np.abs(made.numpy() - exact).max()), rel=1e-6)
    assert 0 < found.measured < found.bound < 0.1
    assert found.largest == pytest.approx(float(exact.max()))
    assert (found.wrong, found.unknown) == (0, 0)


def test_long_sums_are_blamed_for_themselves() -> None:
    x = on_cpu(floats(4, 2000))
    found = result(lambda: (x * 1.1).sum(1).realize())
    (first, share), *_ = found.blame
    assert first == "REDUCE add float32 [4]"
    assert share > 0.9


def test_half_precision_is_blamed_where_it_is_used() -> None:
    x = on_cpu(floats(100))
    found = result(lambda: ((x * 3).half() + 1).float().exp().realize())
    assert found.dtype.name == "float32"
    blamed = dict(found.blame)
    assert blamed["CAST float16 [100]"] + blamed["ADD float16 [100]"] > 0.9


def test_exact_arithmetic_has_no_error_and_nobody_to_blame() -> None:
    x = on_cpu(np.arange(64, dtype=np.float32))
    found = result(lambda: (x * 2 + 1).realize())
    assert (found.bound, found.measured, found.ulps, found.blame) == (0, 0, 0, ())


def test_integers_are_exact() -> None:
    x = on_cpu(np.arange(100))
    found = result(lambda: (x * x).sum().realize())
    assert (found.bound, found.measured, found.wrong, found.unknown) == (0, 0, 0, 0)


def test_what_rounding_decides_is_unknown_and_the_op_is_named() -> None:
    x = on_cpu(np.full(8, 0.1, np.float32))
    found = result(lambda: ((x * 3).exp() > (x + x + x).exp()).realize())
    assert found.unknown == 8
    assert found.undecided == ("LT bool",)


def test_computations_are_measured_once_each() -> None:
    double = jit(lambda x: x * 1.1)
    x = on_cpu(floats(50))
    (computation,) = measured(lambda: [double(x) for _ in range(3)])
    assert (computation.runs, len(computation.outputs)) == (3, 1)
    assert watching.observer is None


@pytest.mark.host_memory
def test_inputs_are_those_the_run_had() -> None:
    """Memory may be written to again before anybody asks."""
    array = floats(20)
    recorder = Recorder()
    with observing(recorder):
        (Tensor.from_numpy(array) * 1.5).realize()
    array[:] = 7
    (computation,) = recorder.measured()
    assert [output.wrong for output in computation.outputs] == [0]
    assert computation.outputs[0].largest < 7


def test_what_is_stored_in_place_is_measured_where_it_was_stored() -> None:
    array = floats(6, 8)
    x = on_cpu(array)
    x *= 1.1
    x[2:4] = x[2:4].exp()
    total = x.sum()
    (computation,) = measured(lambda: x.realize(total))
    stored = next(output for output in computation.outputs if output.shape == (6, 8))
    exact = array.astype(np.float64) * float(np.float32(1.1))
    exact[2:4] = np.exp(exact[2:4])
    assert [output.wrong for output in computation.outputs] == [0, 0]
    assert stored.measured == pytest.approx(float(np.abs(x.numpy() - exact).max()), rel=1e-6)


def test_a_wrong_result_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    copy = errors._copy

    def spoiled(device: str, address: int, dtype: Any, size: int) -> Array:
        memory = copy(device, address, dtype, size)
        if size == 33:
            memory[7] += 1
        return memory

    monkeypatch.setattr(errors, "_copy", spoiled)
    x = on_cpu(floats(33, 2))
    found = result(lambda: x.sum(1).realize())
    assert found.wrong == 1
    assert found.measured == pytest.approx(1, rel=1e-3)


def test_a_value_that_is_too_large_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errors, "MOST_ELEMENTS", 1000)
    x = on_cpu(floats(40, 40))
    (computation,) = measured(lambda: (x * 2).realize())
    assert computation.outputs == ()
    assert "has 1600 elements: more than 1000" in computation.problem


def test_no_more_memory_is_held_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errors, "MOST_BYTES", 1000)
    x = on_cpu(floats(10, 10))
    small, large = measured(lambda: ((x.sum()).realize(), (x * 2).realize()))
    assert small.outputs
    assert large.outputs == ()
    assert "that are held already" in large.problem


# --- large sums of products


@pytest.mark.parametrize(
    ("program", "shapes"),
    [
        (lambda a, b: a @ b, [(30, 40), (40, 20)]),
        (lambda a, b: a @ b.mT, [(3, 30, 40), (3, 20, 40)]),
        (lambda a, b: a @ b, [(5, 1, 12, 9), (7, 9, 8)]),
        (lambda a, b: a.conv2d(b, padding=1), [(2, 3, 9, 8), (4, 3, 3, 3)]),
        (lambda a, b: (a.reshape(6, 1, 5) * b.reshape(1, 7, 1)).sum((1, 2)), [(6, 5), (7,)]),
        (lambda a, b: (a * b.reshape(1, 5).expand(6, 5)).sum((0, 1)), [(6, 5), (5,)]),
    ],
)
def test_large_products_are_evaluated_as_small_ones(
    program: Callable[[Tensor, Tensor], Tensor],
    shapes: list[tuple[int, ...]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    arrays = [floats(*shape, seed=number) for number, shape in enumerate(shapes)]
    form, buffers = canonical([program(*map(on_cpu, arrays)).node])
    roots, _ = graph_of(form)
    flat = [buffer.numpy() for buffer in buffers]
    (plain,) = evaluate(roots, flat)
    monkeypatch.setattr(contraction, "LARGE", 1)
    order = list(walk(roots))
    assert contraction.contractions(order, set(roots))
    (quick,) = evaluate(roots, flat)
    np.testing.assert_allclose(quick.value, plain.value, rtol=1e-12, atol=1e-12)
    assert (quick.radius >= plain.radius * (1 - 1e-9)).all()
    assert (quick.radius <= plain.radius * 1.5 + 1e-30).all()


def test_radii_of_factors_reach_the_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = floats(20, 30), floats(30, 10, seed=1)
    made = on_cpu(a).exp() @ on_cpu(b).sin()
    roots, _ = graph_of(canonical([made.node])[0])
    flat = [a.reshape(-1), b.reshape(-1)]
    (plain,) = evaluate(roots, flat)
    monkeypatch.setattr(contraction, "LARGE", 1)
    (quick,) = evaluate(roots, flat)
    np.testing.assert_allclose(quick.radius, plain.radius, rtol=0.2)


def test_a_product_of_millions_needs_no_such_memory() -> None:
    a = on_cpu(floats(300, 300))
    roots, _ = graph_of(canonical([(a @ a).node])[0])
    flat = [a.numpy().reshape(-1)]
    (made,) = evaluate(roots, flat, most=100_000)
    assert np.isfinite(made.radius).all()
    with pytest.raises(TooLarge, match="90000 elements: more than 80000"):
        evaluate(roots, flat, most=80_000)


# --- the command

SCRIPT = """
import sys
import numpy as np
from saccade import Tensor
print("hello", sys.argv[1:])
x = Tensor(np.linspace(0, 1, 600, dtype=np.float32).reshape(20, 30), device="cpu")
x.softmax(1).realize()
(x.half() * 1.7).realize()
"""


def command(script: Path, *arguments: str) -> tuple[int, str, str]:
    ran = CliRunner().invoke(cli.app, ["check", "precision", str(script), *arguments])
    return ran.exit_code, ran.stdout, " ".join(ran.stderr.split())


def test_a_script_is_told_in_tables(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    code, told, _ = command(script, "a", "--b")
    assert code == 0
    assert "hello ['a', '--b']" in told
    assert "computation 2 on cpu, run once" in told
    assert "float32[20, 30]" in told
    assert "blamed on" in told
    assert "worst of each dtype" in told


def test_the_same_for_machines(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    code, told, _ = command(script, "--json")
    assert code == 0
    found = json.loads(told)
    assert [c["outputs"][0]["dtype"] for c in found["computations"]] == ["float32", "float16"]
    (output,) = found["computations"][0]["outputs"]
    assert 0 < output["measured"] <= output["bound"]
    assert output["blame"][0]["share"] > 0
    assert set(found["dtypes"]) == {"float32", "float16"}


def test_help_says_what_the_figures_are() -> None:
    ran = CliRunner().invoke(cli.app, ["check", "precision", "--help"])
    assert ran.exit_code == 0
    assert all(word in ran.output for word in ("bound:", "measured:", "blamed on:", "ulp"))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (None, "there is no script"),
        ("raise KeyError('x')", "raised KeyError"),
        ("x = 1", "nothing was computed"),
        ("from saccade import Tensor\n(Tensor.ones(4, device='null') + 1).realize()", "null device"),
    ],
)
def test_bad_input_is_told(text: str | None, problem: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    if text is not None:
        script.write_text(text)
    code, _, told = command(script)
    assert code == 1
    assert problem in told


def test_results_without_floats_are_told_to_be_exact(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("from saccade import Tensor\n(Tensor([1, 2, 3], device='cpu') * 2).realize()\n")
    code, told, _ = command(script)
    assert code == 0
    assert "exact" in told


def test_an_error_beyond_its_bound_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errors, "mismatches", lambda want, got, dtype: np.ones(got.shape, bool))
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    code, told, problem = command(script)
    assert code == 1
    assert "OUTSIDE" in told
    assert "1200 elements are outside their bounds" in problem
