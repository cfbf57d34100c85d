"""One program for every length: after the second only a new power of two compiles, and values are those of a
program of its own."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, jit
from saccade.explain import explain
from saccade.runtime.cpu.engine import goes_without_avx512
from saccade.runtime.cpu.machine import AVX512, assuming
from saccade.runtime.null import ledger
from saccade.tensor.programs import lengths, realize
from saccade.tensor.programs.form import canonical
from saccade.transform.sizes import Unbounded
from tests.patience import HANG

Array = np.ndarray[Any, Any]
F32 = np.float32
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def no_families() -> None:
    """Families of other tests would count."""
    realize._executables.clear()


def compiled(run: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> int:
    """How many programs a call makes."""
    made = []
    real = realize.make_executable
    monkeypatch.setattr(realize, "make_executable", lambda *args: made.append(args) or real(*args))
    run()
    monkeypatch.setattr(realize, "make_executable", real)
    return len(made)


def line(n: int, rng: np.random.Generator) -> Array:
    return rng.standard_normal(n).astype(F32)


def rows(n: int, rng: np.random.Generator) -> Array:
    return rng.standard_normal((n, 6)).astype(F32)


def columns(n: int, rng: np.random.Generator) -> Array:
    return rng.standard_normal((5, n)).astype(F32)


def between(n: int, rng: np.random.Generator) -> Array:
    return rng.standard_normal((2, n, 3)).astype(F32)


def square(n: int, rng: np.random.Generator) -> Array:
    return rng.standard_normal((n, n)).astype(F32)


def complex_columns(n: int, rng: np.random.Generator) -> Array:
    return columns(n, rng) + np.complex64(1j) * columns(n, rng)


KERNEL = np.linspace(-1, 1, 18, dtype=F32).reshape(3, 2, 3)

PROGRAMS: dict[str, tuple[Callable[..., Array], Callable[[Tensor], Tensor]]] = {
    "map": (line, lambda x: x * 2 + 1),
    "map_inner": (columns, lambda x: x.exp() - x),
    "map_between": (between, lambda x: x * x),
    "sum": (line, lambda x: x.sum()),
    "prod_inner": (columns, lambda x: x.prod(1)),
    "mean_of_columns": (rows, lambda x: x.mean(0)),
    "max_between": (between, lambda x: x.amax((1, 2))),
    "softmax": (line, lambda x: x.softmax(0)),
    "softmax_of_rows": (rows, lambda x: x.softmax(1)),
    "softmax_inner": (columns, lambda x: x.softmax(1)),
    "standardised": (line, lambda x: (x - x.mean()) / x.std()),
    "product": (rows, lambda x: (x @ Tensor(KERNEL.reshape(6, 3))).relu()),
    "gram": (rows, lambda x: x @ x.T),
    "attention": (rows, lambda x: (x @ x.T).softmax(-1) @ x),
    "square": (square, lambda x: x @ x),
    "transposed": (columns, lambda x: x.T + 1),
    "argmax_inner": (columns, lambda x: x.argmax(1)),
    "argmin": (line, lambda x: x.argmin(0)),
    "cumsum": (line, lambda x: x.cumsum(0)),
    "sorted": (line, lambda x: x.sort(0)[0]),
    "sorted_places": (columns, lambda x: x.sort(1, descending=True)[1]),
    "topk": (rows, lambda x: x.topk(3, dim=0)[0]),
    "flip": (line, lambda x: x.flip(0)),
    "cat": (line, lambda x: Tensor.cat([x, Tensor([1.0, 2.0, 3.0]), x])),
    "differences": (line, lambda x: x[1:] - x[:-1]),
    "every_other": (line, lambda x: x[:-1] + x[-1]),
    "convolution": (
        lambda n, rng: rng.standard_normal((1, 2, n)).astype(F32),
        lambda x: x.conv1d(Tensor(KERNEL), padding=1),
    ),
    "taken_apart": (rows, lambda x: x.reshape(-1, 3).sum(1)),
    "gathered": (rows, lambda x: x[Tensor([1, 0, 2, -1])]),
    "places": (line, lambda x: x + Tensor.arange(x.shape[0])),
    "scattered": (line, lambda x: Tensor.zeros(4).index_add(0, Tensor.arange(x.shape[0]) % 4, x)),
    "several": (rows, lambda x: Tensor.cat([x.sum(0), x.amax(0)])),
    "half": (lambda n, rng: rows(n, rng).astype(np.float16), lambda x: x.softmax(0)),
    "integers": (lambda n, rng: rng.integers(-9, 9, (4, n)), lambda x: (x.sum(1) - x.amin(1)) // 3),
    "bools": (lambda n, rng: columns(n, rng) > 0, lambda x: x.any(1)),
    "complex": (complex_columns, lambda x: x * 2 + 1j),
    "complex_sum": (complex_columns, lambda x: (x * x.conj()).sum(1)),
    "complex_turned": (complex_columns, lambda x: x.T.contiguous() - x.imag.T),
    "complex_square": (lambda n, rng: square(n, rng) * np.complex64(2 - 3j), lambda x: x @ x),
    "complex_parts": (lambda n, rng: square(n, rng) * np.complex128(1j), lambda x: x.isnan() | x.real.eq(0)),
}
LENGTHS = (11, 13, 17, 40, 7, 90)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_length_gives_what_its_own_program_gives(
    name: str, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, program = PROGRAMS[name]
    counts = []
    for n in LENGTHS:
        data = make(n, rng)
        found: list[Array] = []
        counts.append(compiled(lambda: found.append(program(Tensor(data)).numpy()), monkeypatch))  # noqa: B023
        kinds, families = dict(lengths._kinds), dict(realize._executables)
        lengths._kinds.clear()
        realize._executables.clear()
        expected = program(Tensor(data)).numpy()
        lengths._kinds.update(kinds)
        realize._executables.clear()
        realize._executables.update(families)
        assert found[0].shape == expected.shape
        tolerance = 2e-3 if data.dtype == np.float16 else 1e-5
        np.testing.assert_allclose(found[0], expected, rtol=tolerance, atol=tolerance)
    # two that know their length, one for the third, and one when it grows past a power of two
    assert sum(counts[:3]) <= 3
    assert sum(counts[3:]) <= 2, counts


def test_what_is_behind_the_length_is_never_seen(rng: np.random.Generator) -> None:
    """Memory of results is used again, so what lies behind a length is old: infinities and NaN here."""
    for n in LENGTHS:
        junk = Tensor(np.full(200, np.nan, F32)) * 1
        junk.realize()
        del junk
        x = rows(n, rng)
        total = (Tensor(x) @ Tensor(x).T).softmax(-1) @ Tensor(x)
        assert np.isfinite(total.numpy()).all()
        assert np.isfinite((Tensor(x).sum(0) + Tensor(x).cumsum(0).amax(0)).numpy()).all()


BEFORE_A_GUARD = """
import ctypes, mmap
import numpy as np
from saccade import Tensor
from tests.tensor.test_lengths import LENGTHS, PROGRAMS

libc, page = ctypes.CDLL(None, use_errno=True), mmap.PAGESIZE
libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)

def at_the_end(data):
    end = -(-data.nbytes // page) * page
    memory = np.frombuffer(mmap.mmap(-1, end + page), np.uint8)
    assert libc.mprotect(memory.ctypes.data + end, page, 0) == 0
    placed = memory[end - data.nbytes : end].view(data.dtype).reshape(data.shape)
    placed[...] = data
    return placed

rng = np.random.default_rng(0)
for name, (make, program) in PROGRAMS.items():
    print(name, flush=True)
    for n in LENGTHS:
        program(Tensor.from_dlpack(at_the_end(make(n, rng)))).realize()
print("all")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="guards a page by mprotect")
def test_nothing_is_read_behind_the_length() -> None:
    """Every input ends where a page begins that nobody may read: who reads on ends the process."""
    done = subprocess.run(
        [sys.executable, "-c", BEFORE_A_GUARD], capture_output=True, text=True, timeout=HANG, check=False,
        cwd=ROOT,
    )  # fmt: skip
    assert done.stdout.endswith("all\n"), (done.returncode, done.stdout[-40:], done.stderr[-300:])


def test_infinities_of_the_data_stay(rng: np.random.Generator) -> None:
    for n in LENGTHS:
        x = rows(n, rng)
        x[0] = np.inf
        with np.errstate(invalid="ignore"):
            np.testing.assert_array_equal(Tensor(x).sum(0).numpy(), np.full(6, np.inf, F32))
            np.testing.assert_array_equal(np.isnan((Tensor(x).T @ Tensor(x)).numpy()), np.isnan(x.T @ x))


def test_a_length_decides_a_number_too(rng: np.random.Generator) -> None:
    for n in LENGTHS:
        x = line(n, rng)
        np.testing.assert_allclose((Tensor(x) / (n * n + 1)).numpy(), x / F32(n * n + 1), rtol=1e-6)


@pytest.mark.parametrize("axis", [0, 1])
def test_more_and_more_of_rows_in_order(axis: int, rng: np.random.Generator) -> None:
    """The program for any k has room for more than a row has."""
    x = rng.permutation(3 * 22).reshape(3, 22).astype(F32)
    x = x if axis else np.ascontiguousarray(x.T)
    order = np.argsort(-x, axis, kind="stable")
    for k in range(17, 23):
        values, places = Tensor(x).topk(k, axis)
        want = order.take(range(k), axis)
        np.testing.assert_array_equal(places.numpy(), want)
        np.testing.assert_array_equal(values.numpy(), np.take_along_axis(x, want, axis))


def test_two_lengths_that_change_are_compiled_for_themselves(rng: np.random.Generator) -> None:
    for n, m in zip(LENGTHS, (3, 9, 4, 8, 5, 7), strict=True):
        x = rng.standard_normal((n, m)).astype(F32)
        np.testing.assert_allclose(Tensor(x).sum(1).numpy(), x.sum(1), rtol=1e-4, atol=1e-5)


def test_kinds_are_bounded(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lengths, "_MOST_KINDS", 4)
    for k in range(2, 12):
        for n in (5, 6, 7, 8):
            assert (Tensor(np.ones(n, F32)).reshape(1, n).expand(k, n) * k).sum().item() == k * k * n
    assert len(lengths._kinds) <= 4


@pytest.mark.parametrize("shapes", [[(2, 4), (3, 3), (4, 2), (5, 5)], [(4, 2), (3, 3), (2, 4), (5, 4)]])
def test_an_axis_that_shrinks_as_another_grows_is_compiled_for_itself(shapes: list[tuple[int, ...]]) -> None:
    for rows, columns in shapes:
        made = (Tensor.arange(columns) + Tensor.zeros(rows, 1)).numpy()
        np.testing.assert_array_equal(made, np.tile(np.arange(columns), (rows, 1)))
        assert (Tensor.zeros(rows, columns).clone().numpy() == np.zeros((rows, columns))).all()


# --- kernels


def sources_of_the_third(
    program: Callable[..., Tensor], *shapes: Callable[[int], tuple[int, ...]]
) -> list[str]:
    """The kernels of the program for every length, which comes with the third."""
    rng = np.random.default_rng(0)
    for n in (150, 151, 152):
        xs = [Tensor(rng.standard_normal(shape(n)).astype(F32)).realize() for shape in shapes]
        (made,) = explain(lambda xs=xs: program(*xs).realize()).computations
    return [source.text for source in made.recipe.sources]


def test_a_batch_of_products_is_one_kernel() -> None:
    """Matrices that lie a length apart were taken for ones in no form, and copied: 5 times as long."""
    made = sources_of_the_third(lambda a, b: a.mT @ b, lambda n: (3, n, 64), lambda n: (3, n, 48))
    assert len(made) == 1


def test_rows_that_may_not_be_there_need_no_bits_of_masks() -> None:
    """A kernel that takes a mask of AVX-512 apart may have to do without AVX-512, at half the speed."""
    with assuming(AVX512):
        made = sources_of_the_third(
            lambda a, b: (a @ b.mT).softmax(-1) @ b, lambda n: (n, 64), lambda n: (n, 64)
        )
    assert not any(map(goes_without_avx512, made))


# --- threads


@pytest.fixture
def often_switched() -> Iterator[None]:
    """Threads take turns after every few instructions."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("often_switched")
def test_threads_note_the_lengths_of_a_kind_one_after_the_other() -> None:
    """A pair that turns out not to be of one kind is dropped: never while another thread is between choosing
    the place of the length and dividing by how much it grew."""
    shapes = [(2, 3), (2, 5), (4, 5), (4, 7), (6, 11), (3, 13), (9, 14), (6, 2)]
    forms = [canonical([(Tensor(np.ones(shape, F32)) + 1).sum(0).node])[0] for shape in shapes]
    raised: list[Exception] = []

    def find_all(kind: lengths.Kind, start: threading.Barrier, random: Random) -> None:
        start.wait()
        for form in random.sample(forms, len(forms)):
            try:
                kind.find(form, lengths.taken_apart(form[0])[1], _refuse)
            except Exception as error:  # noqa: BLE001  whatever a thread raises
                raised.append(error)

    for seed in range(300):
        start, kind = threading.Barrier(3), lengths.Kind("cpu")
        asking = [
            threading.Thread(target=find_all, args=(kind, start, Random(3 * seed + n))) for n in range(3)
        ]
        for thread in asking:
            thread.start()
        for thread in asking:
            thread.join()
    assert not raised, raised[0]


def _refuse(source: object, device: str) -> Any:
    """No program is made, so that pairs are dropped again and again."""
    raise Unbounded("not in this test")


@pytest.mark.usefixtures("often_switched")
def test_threads_share_the_programs_of_a_kind(rng: np.random.Generator) -> None:
    lengths._kinds.clear()
    found: list[bool] = []

    def run(own: list[Array]) -> None:
        for x in own:
            found.append(np.allclose((Tensor(x) * 2).softmax(0).numpy(), softmax(2 * x), atol=1e-5))

    data = [line(n, rng) for n in (11, 13, 17, 40, 7, 29)]
    threads = [threading.Thread(target=run, args=(data[n:] + data[:n],)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 24


def softmax(x: Array) -> Array:
    powers: Array = np.exp(x - x.max())
    return powers / powers.sum()


# --- lengths that come again and again


def test_a_length_that_comes_often_is_compiled_for_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    values = {n: line(n, rng) for n in (101, 102, 103, 104)}

    def run(n: int) -> Array:
        return (Tensor(values[n]).sin() * 3 - 1).cumsum(0).numpy()

    for n in (101, 102, 103):
        run(n)
    before = run(103)
    more = compiled(lambda: [run(103) for _ in range(2 * lengths.OFTEN)], monkeypatch)
    assert more == 1
    np.testing.assert_allclose(run(103), before, rtol=1e-5, atol=1e-5)
    assert compiled(lambda: run(104), monkeypatch) == 0  # which the program for all lengths serves


def test_a_loop_over_all_lengths_compiles_few_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lengths, "OFTEN", 2)
    rng = np.random.default_rng(8)
    values = {n: line(n, rng) for n in range(33, 64)}

    def run() -> None:
        for x in values.values():
            np.testing.assert_allclose((Tensor(x).cos() * 5).numpy(), np.cos(x) * 5, rtol=1e-5, atol=1e-5)

    assert compiled(run, monkeypatch) == 3
    assert compiled(lambda: [run() for _ in range(5)], monkeypatch) == lengths._MOST_EXACT


def test_results_that_would_waste_much_memory_have_as_much_as_they_need(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The weights of a model are of a few lengths, and stay; a loop over all lengths compiles few of them."""
    monkeypatch.setattr(lengths, "_MUCH_WASTED", 1 << 10)
    taken = {}

    def run() -> None:
        for n in (*range(700, 712), 1000):
            x = Tensor(np.zeros(n, F32), device="null").realize()
            before = ledger.live
            y = (x.cos() * 7 - 2).realize()
            taken[n] = ledger.live - before
            del x, y

    assert compiled(run, monkeypatch) == 3 + lengths._MOST_SMALL
    assert taken[705] == 4 * 705
    assert taken[711] == taken[1000] == 4 * 1024
    assert compiled(run, monkeypatch) == 0


def test_a_trace_that_is_replayed_often_is_traced_for_its_own_length() -> None:
    weights = Tensor(np.linspace(-1, 1, 24, dtype=F32).reshape(6, 4))
    step = jit(lambda x, w: ((x @ w).softmax(1) * 2).sum(0))
    rng = np.random.default_rng(9)
    for n in (70, 80, 90):
        x = Tensor(rows(n, rng))
        first = step(x, weights).numpy()
    assert step.traces == 3
    results = [step(x, weights).numpy() for _ in range(2 * lengths.OFTEN)]
    assert step.traces == 4
    for result in results:
        np.testing.assert_allclose(result, first, rtol=1e-5)
    np.testing.assert_array_equal(results[-1], jit(step.__wrapped__)(x, weights).numpy())
    step(Tensor(rows(91, rng)), weights).numpy()
    assert step.traces == 5


def test_a_function_and_its_traces_for_every_length_go_together() -> None:
    step = jit(lambda x: (x * 3).exp().sum())
    for n in (71, 81, 91):
        step(Tensor(np.zeros(n, F32))).numpy()
    gone = weakref.ref(step)
    gc.disable()  # no cycle holds it
    try:
        del step
        assert gone() is None
    finally:
        gc.enable()


def test_captured_tensors_are_followed_by_whichever_trace() -> None:
    shift = Tensor(np.zeros(3, F32))
    step = jit(lambda x: (x + shift).amax(0))
    rng = np.random.default_rng(10)
    for number in range(3 * lengths.OFTEN):
        if number % 8 == 7:
            shift.assign(Tensor(rng.standard_normal(3).astype(F32)))
        x = rng.standard_normal((65 + 10 * min(number, 2), 3)).astype(F32)
        np.testing.assert_allclose(step(Tensor(x)).numpy(), (x + shift.numpy()).max(0), rtol=1e-5, atol=1e-5)
    assert step.traces == 4
