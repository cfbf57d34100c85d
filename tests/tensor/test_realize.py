"""Realising: a computation is prepared once, in a process and on disk, and none is mistaken for another."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import textwrap
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.runtime.cache.cache import Cache
from saccade.runtime.cache.folder import MARKER
from saccade.runtime.cpu.build import CpuProgram
from saccade.runtime.executable import Executable
from saccade.runtime.recipe import Recipe
from saccade.tensor.programs import realize as module
from saccade.tensor.programs.form import canonical, graph_of
from saccade.tensor.programs.prepare import prepare

from ..patience import HANG

ROOT = Path(__file__).resolve().parents[2]


def form_of(*tensors: Tensor) -> Any:
    return canonical([t.node for t in tensors])[0]


def fresh(*shape: int) -> Tensor:
    return Tensor(np.ones(shape, np.float32))


def test_other_buffers_are_the_same_computation() -> None:
    a, b = fresh(4, 3), fresh(4, 3)
    assert form_of(a.softmax(1) + b) == form_of(fresh(4, 3).softmax(1) + fresh(4, 3))
    assert form_of(a + b) != form_of(a + a)  # one buffer twice is not two buffers
    assert form_of(a - b) == form_of(b - a)  # numbered as they are met


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda: fresh(4) + 1, lambda: fresh(4) + 2),
        (lambda: fresh(4) * 0.0, lambda: fresh(4) * -0.0),
        (lambda: fresh(4), lambda: fresh(5)),
        (lambda: fresh(4, 4).sum(0), lambda: fresh(4, 4).sum(1)),
        (lambda: fresh(4).sum(), lambda: fresh(4).max()),
        (lambda: fresh(4).cast("int32"), lambda: fresh(4).cast("int64")),
    ],
)
def test_different_computations_have_different_forms(one: Any, other: Any) -> None:
    assert form_of(one()) != form_of(other())
    assert repr(form_of(one())) != repr(form_of(other()))
    assert form_of(one()) == form_of(one())


def test_a_nan_constant_is_one_constant() -> None:
    assert form_of(fresh(4) + float("nan")) == form_of(fresh(4) + float("nan"))


def test_a_form_gives_its_graph_back() -> None:
    x = fresh(4, 3)
    out = (x.exp() @ fresh(3, 2)).relu() - float("inf")
    roots, inputs = graph_of(form_of(out, x.sum()))
    assert inputs == 2
    assert [(r.shape, r.dtype) for r in roots] == [(out.shape, out.dtype), ((), x.dtype)]


def test_a_recipe_survives_being_written() -> None:
    recipe, programs = prepare(form_of((fresh(40, 30) @ fresh(30, 20)).softmax(1)), "cpu")
    assert [program.source for program in programs] == list(recipe.sources)
    assert Recipe.from_bytes(recipe.to_bytes()) == recipe
    assert sum(step.notes.nbytes for step in recipe.steps) >= recipe.floor.nbytes > 0
    for garbage in (b"", b"{}", b"[1]", b"\xff\xfe", b'{"sources": 3}'):
        with pytest.raises(ValueError, match=r"recipe|JSON|Expecting|codec"):
            Recipe.from_bytes(garbage)
    for source in (-1, len(recipe.sources), 0.5, "0", None):
        steps = (*recipe.steps, recipe.steps[0]._replace(source=source))
        with pytest.raises(ValueError, match="a step of source"):
            Recipe.from_bytes(replace(recipe, steps=steps).to_bytes())


def test_equal_kernels_of_recipes_have_one_text() -> None:
    recipe, _ = prepare(form_of((fresh(40, 30) @ fresh(30, 20)).softmax(1)), "cpu")
    first, second = (Recipe.from_bytes(recipe.to_bytes()).sources for _ in range(2))
    assert all(a.text is b.text for a, b in zip(first, second, strict=True))


def _counted(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The forms that are prepared from now on."""
    prepared: list[object] = []
    original = module.make_executable

    def counting(form: Any, device: str) -> Executable:
        prepared.append(form)
        return original(form, device)

    monkeypatch.setattr(module, "make_executable", counting)
    return prepared


def test_a_computation_is_prepared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = _counted(monkeypatch)
    for n in range(3):
        x = Tensor(np.full((7, 5), n, np.float32))
        assert ((x * 3).sum() - 12.34567).item() == pytest.approx(105 * n - 12.34567)
    assert len(prepared) == 1


def test_kept_executables_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ready_at_any_length", lambda *_: None)  # each length for itself
    monkeypatch.setattr(module, "_MOST_FAMILIES", 3)
    monkeypatch.setattr(module, "_executables", module.Families())
    for n in range(6):
        assert (fresh(2 + n) + n).tolist() == [1 + n] * (2 + n)
    assert len(module._executables) == 3
    for n in range(6):
        assert (fresh(2) + n).tolist() == [1 + n, 1 + n]
    assert sum(len(family.forms()) for family in module._executables.values()) <= 3 * 3


def test_sources_count_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ready_at_any_length", lambda *_: None)  # each length for itself
    monkeypatch.setattr(module, "_executables", module.Families())
    (fresh(99) * 2).exp().realize()
    (one,) = module._executables.values()
    most = 5 * one.nbytes  # a GPU's source is longer than a CPU's
    monkeypatch.setattr(module, "_MOST_BYTES", most)
    for n in range(12):
        (fresh(100 + n) * 2).exp().realize()
    kept = list(module._executables.values())
    assert 1 < len(kept) < 12
    assert sum(family.nbytes for family in kept) <= most
    monkeypatch.setattr(module, "_MOST_BYTES", 10)
    fresh(200).exp().realize()
    assert len(module._executables) == 1  # the one that was just made


def test_programs_that_are_dropped_are_unloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    def loaded() -> int:
        gc.collect()
        return sum(isinstance(each, CpuProgram) for each in gc.get_objects())

    monkeypatch.setattr(module, "_MOST_FAMILIES", 4)
    monkeypatch.setattr(module, "_executables", module.Families())
    before = loaded()
    for n in range(30):
        assert (fresh(3 + n) * 2).sum().item() == 2 * (3 + n)
    assert loaded() <= before + 4


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_loop_over_many_shapes_takes_bounded_memory(tmp_path: Path) -> None:
    code = """
        import numpy as np
        from pathlib import Path
        from saccade import Tensor
        from saccade.tensor.programs import realize

        realize._MOST_FAMILIES = 128

        def resident():
            lines = Path("/proc/self/status").read_text().splitlines()
            return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) // 1024

        for number in range(2400):
            size = 1 + number * 7919 % 1200
            assert (Tensor(np.ones(size, np.float32)) * 2).sum().item() == 2 * size
            if number in (600, 2399):
                print(resident())
    """
    done = python(code, tmp_path)
    assert done.returncode == 0, done.stderr
    first, last = map(int, done.stdout.split())
    assert last - first < 16  # MB


def test_what_is_used_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ready_at_any_length", lambda *_: None)  # each length for itself
    monkeypatch.setattr(module, "_MOST_FAMILIES", 3)
    monkeypatch.setattr(module, "_executables", module.Families())
    made = _counted(monkeypatch)
    for n in range(8):
        assert (fresh(2) + 1).tolist() == [2, 2]
        (fresh(5 + n) + 1).realize()
    assert len(made) == 9


def test_nothing_is_kept_of_a_compiler_that_was_edited_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Cache(tmp_path, 1 << 20)
    monkeypatch.setattr(module, "shared_cache", lambda: cache)
    monkeypatch.setattr(module, "ready_at_any_length", lambda *_: None)  # each length for itself
    for changed, entries in ((True, 0), (False, 1)):
        monkeypatch.setattr(module, "_executables", module.Families())
        monkeypatch.setattr(module, "edited", lambda changed=changed: changed)
        assert (fresh(3) + 5).tolist() == [6, 6, 6]
        assert cache.stats().entries == entries


# --- processes


def python(code: str, cache: Path, **options: Any) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"SACCADE_CACHE": str(cache), "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
        **options,
    )


PROGRAM = """
    import sys
    import numpy as np
    from saccade import Tensor, jit

    x = Tensor(np.arange(12, dtype=np.float32).reshape(3, 4))
    f = jit(lambda x, y: (x.softmax(1) @ y).relu().sum(0))
    print(f(x, x.T).tolist(), Tensor([1.0, 2.0]).sum().item())
    loaded = [m for m in sys.modules if m.startswith(("saccade.schedule", "saccade.codegen", "llvmlite"))]
    print(sorted(loaded))
"""


def files(folder: Path) -> dict[str, int]:
    return {str(p): p.stat().st_mtime_ns for p in folder.rglob("*") if p.is_file()}


def test_a_second_process_compiles_nothing(tmp_path: Path) -> None:
    first = python(PROGRAM, tmp_path)
    assert first.returncode == 0, first.stderr
    left = files(tmp_path)
    second = python(PROGRAM, tmp_path)
    assert second.returncode == 0, second.stderr
    assert second.stdout.splitlines()[0] == first.stdout.splitlines()[0]
    assert second.stdout.splitlines()[1] == "[]"  # neither scheduler nor compiler was even imported
    assert files(tmp_path) == left


def test_spoiled_entries_are_discarded(tmp_path: Path) -> None:
    first = python(PROGRAM, tmp_path)
    for path in (path for path in files(tmp_path) if not path.endswith(MARKER)):
        data = bytearray(Path(path).read_bytes())
        data[-1] ^= 1
        Path(path).write_bytes(bytes(data))
    second = python(PROGRAM, tmp_path)
    assert second.returncode == 0, second.stderr
    assert second.stdout.splitlines()[0] == first.stdout.splitlines()[0]
    assert not second.stderr
    assert python(PROGRAM, tmp_path).stdout.splitlines()[1] == "[]"


def test_a_whole_entry_that_is_no_recipe_is_discarded(tmp_path: Path) -> None:
    code = """
        from saccade import Tensor
        from saccade.tensor.programs import realize
        from saccade.runtime.cache.cache import shared_cache

        cache = shared_cache()
        original = cache.put
        cache.put = lambda key, value: original(key, b"{}" if value[:1] == b"{" else value)
        print((Tensor([1.0]) + 1).item())
        cache.put = original
        realize._executables.clear()
        print((Tensor([1.0]) + 1).item(), cache.discarded)
        realize._executables.clear()
        print((Tensor([1.0]) + 1).item(), cache.discarded)
    """
    done = python(code, tmp_path)
    assert done.stdout.split() == ["2.0", "2.0", "1", "2.0", "1"], done.stderr
    assert not done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGINT")
def test_an_interrupt_while_compiling_leaves_things_whole(tmp_path: Path) -> None:
    code = """
        import signal
        import numpy as np
        from saccade import Tensor, jit
        from saccade.runtime.device import Device

        x = Tensor(np.ones((8, 3, 40, 40), np.float32))
        w = Tensor(np.ones((4, 3, 3, 3), np.float32))
        v = Tensor(np.ones((4, 4, 3, 3), np.float32))
        f = jit(lambda x, w: x.conv2d(w, padding=1).relu().conv2d(v, padding=1).softmax(1).sum((0, 2, 3)))
        Device[None]  # the device is open: what is interrupted is the compiler
        print("ready", flush=True)
        interrupted = 0
        for _ in range(50):
            try:
                result = f(x, w)
                break
            except KeyboardInterrupt:
                interrupted += 1
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        print(interrupted, result.tolist(), (Tensor([1.0]) + 1).item(), flush=True)
    """
    environment = os.environ | {"SACCADE_CACHE": str(tmp_path), "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    for pause in (0.05, 0.1, 0.2):
        time.sleep(pause)
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=HANG)
    if process.returncode and "KeyboardInterrupt" in errors:
        pytest.skip("the last interrupt came when the work was done")
    assert process.returncode == 0, errors
    assert out.split()[-1] == "2.0"
    again = python(code, tmp_path)
    assert again.returncode == 0, again.stderr
    # the same result, with nothing half-written in the cache
    assert again.stdout.splitlines()[1].split(" ", 1)[1] == out.splitlines()[-1].split(" ", 1)[1]
    assert "discarded" not in again.stderr
