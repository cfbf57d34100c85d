"""What every test gets: its own compiler cache, a folder in memory, hypothesis settings for two shared cores,
and a visible GPU skip.

The cache folder is set before any test module is collected, because a test may import `saccade` at its top,
and it is new for every session: a stale entry on the developer's disk can neither hide nor cause a failure.
"""

from __future__ import annotations

import ctypes
import gc
import os
import shutil
import signal
import tempfile
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from saccade.graph.rewriting.passes import Watch, watching

#: Where files are memory on Linux, and how much of it has to be free: a session writes half a gigabyte.
MEMORY, ROOM = Path("/dev/shm"), 4 << 30


def new_folder() -> str:
    """For the cache of a session and the files of its tests: in memory, if there is much, which is half of
    the time that the system takes. A file that is flushed to a disk takes 10 ms: experiments flush
    thousands."""
    roomy = os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free >= ROOM
    return tempfile.mkdtemp(prefix="saccade-tests-", dir=MEMORY if roomy else None)


IS_WORKER = "PYTEST_XDIST_WORKER" in os.environ  # of a session whose cache it shares
CACHE = Path(os.environ["SACCADE_CACHE"]) if IS_WORKER else Path(new_folder(), "cache")
CACHE.mkdir(exist_ok=True)
os.environ["SACCADE_CACHE"] = str(CACHE)
if MEMORY in CACHE.parents:
    os.environ["PYTEST_DEBUG_TEMPROOT"] = str(CACHE.parent)  # where `tmp_path` is, without `--basetemp`
# The same tests on every machine: `SACCADE_DEVICE=cuda` runs them on a GPU.
os.environ.setdefault("SACCADE_DEVICE", "cpu")

# Every pass of every program that a test compiles leaves a graph that is well formed.
watching.set(Watch(verify=True, record=False))

# A shell starts jobs in the background with Ctrl-C ignored, and so would be the interrupts that tests send.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No deadline: the first example of a program compiles it. `HYPOTHESIS_PROFILE=thorough` draws ten times as
# many.
settings.register_profile(
    "default", max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.register_profile("thorough", settings.get_profile("default"), max_examples=500)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Random numbers of a test's own: the same, whichever tests run before it."""
    return np.random.default_rng(zlib.crc32(request.node.nodeid.encode()))


@pytest.fixture(autouse=True)
def lengths_of_its_own() -> None:
    """A test that computes at a third length would get a program for all lengths, were others' counted."""
    from saccade.tensor.programs import lengths  # which reads the settings: the cache folder is set by now

    lengths._kinds.clear()


@pytest.fixture
def gpu() -> Iterator[None]:
    """ "cuda:0" is the emulator of `codegen/cuda_emulator.py`."""
    from .codegen.cuda_emulator import emulated_gpu  # which imports saccade: the cache folder is set by now

    with emulated_gpu():
        yield


@pytest.fixture
def gpu_by_default(gpu: None) -> Iterator[None]:
    """The emulated GPU is what tensors are made on."""
    from saccade.runtime.device import Device

    before, Device.default = Device.default, "cuda"
    yield
    Device.default = before


@cache
def gpu_missing() -> str | None:
    """Why GPU tests cannot run here, or None when they can. Asks the driver, so no CUDA package is needed."""
    try:
        driver = ctypes.CDLL("nvcuda.dll" if os.name == "nt" else "libcuda.so.1")
    except OSError:
        return "no NVIDIA driver (libcuda) on this machine"
    count = ctypes.c_int(0)
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0 or count.value == 0:
        return "the NVIDIA driver is installed but reports no usable GPU"
    return None


def pytest_report_header() -> list[str]:
    return [f"saccade cache: {CACHE}", f"gpu: {gpu_missing() or 'yes'}"]


#: The files that take longest, by process time (see README.md here). A file runs on one worker, so a long one
#: that begins last leaves the others with nothing to do.
LONGEST = (
    "codegen/test_cuda_render.py",
    "cortex/test_backend.py",
    "cortex/test_updater_burst.py",
    "fft/test_steps.py",
    "codegen/test_cuda_attention.py",
    "cortex/test_row_blocks.py",
    "cortex/test_updater_plain.py",
    "experiment/test_end_to_end.py",
    "tensor/test_lengths.py",
    "codegen/test_contraction.py",
    "cortex/test_vote.py",
    "test_docs.py",
    "fft/test_short_time.py",
    "tensor/test_dimension.py",
    "cortex/test_packing.py",
    "cortex/test_bad_input.py",
    "cortex/test_motor_programs.py",
    "llm/test_lanes.py",
    "linalg/test_spectral.py",
    "llm/test_alike.py",
    "cortex/test_turns.py",
    "tensor/test_ties.py",
    "world/test_field.py",
    "codegen/test_sort.py",
    "cortex/test_keep.py",
    "codegen/test_columns.py",
    "tensor/test_stores.py",
    "cortex/test_fitter.py",
    "tensor/test_like_torch.py",
    "cortex/test_sense_program.py",
    "tensor/test_indexing.py",
    "cortex/test_evidence.py",
)


def longest_first(item: pytest.Item) -> int:
    name = item.nodeid.partition("::")[0].removeprefix("tests/")
    return LONGEST.index(name) if name in LONGEST else len(LONGEST)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=longest_first)
    reason = gpu_missing()
    default = os.environ["SACCADE_DEVICE"]
    for item in items:
        if default.startswith("cuda") and item.get_closest_marker("host_memory") is not None:
            why = f"shares host memory, and the default device is {default}"
            item.add_marker(pytest.mark.skip(reason=why))
        if reason is not None and item.get_closest_marker("gpu") is not None:
            item.add_marker(pytest.mark.skip(reason=f"needs a GPU: {reason}"))


def pytest_collection_finish() -> None:
    """What has been imported stays: no search for cycles looks at it again. A trace of `jit` makes one, and
    with the modules of all tests it took 0.2 s. The others come as rarely as on the command line: every 700
    objects they were 1.3 of 31 s of votes and eigenvalues."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000)


def pytest_unconfigure() -> None:
    if not IS_WORKER:
        shutil.rmtree(CACHE.parent, ignore_errors=True)
