"""How each library is given arrays, compiled, called, waited for and read.

In: a case's program and its NumPy inputs. Out: a `Prepared`, whose `launch` calls the program once on arrays
that already live in the library, whose `wait` returns when a result is there, and whose `read` gives it as
NumPy arrays.

    prepared = CONTENDERS["jax"].prepare(lambda x: x.sum(), (np.ones(4, np.float32),))
    prepared.read(prepared.launch())   ->   [array(4., dtype=float32)]

A library is imported only when its contender is used, and a missing one is named by `missing`.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench.case import Array, Arrays, Program

# Set for our worker by `--eager`.
EAGER = "SACCADE_BENCH_EAGER"


@dataclass(frozen=True)
class Prepared:
    launch: Callable[[], Any]
    wait: Callable[[Any], object]
    read: Callable[[Any], list[Array]]


@dataclass(frozen=True)
class Contender:
    """`package` is what must be importable."""

    package: str
    prepare: Callable[[Program, Arrays], Prepared]

    def missing(self) -> bool:
        return importlib.util.find_spec(self.package) is None

    def version(self) -> str:
        try:
            return importlib.metadata.version(self.package)
        except importlib.metadata.PackageNotFoundError:
            return "source tree"


def thread_count() -> int:
    return int(os.environ.get("OMP_NUM_THREADS", "2"))


def each(result: Any) -> tuple[Any, ...]:
    """The results of a program as a tuple, however many there are."""
    return tuple(result) if isinstance(result, tuple | list) else (result,)


def prepare_saccade(program: Program, arrays: Arrays) -> Prepared:
    from saccade import Tensor

    inputs = [Tensor(array) for array in arrays]
    if EAGER in os.environ:
        compiled: Callable[..., Any] = realised(program)
    else:
        from saccade import jit

        compiled = jit(program)

    def read(result: Any) -> list[Array]:
        return [tensor.numpy() for tensor in each(result)]

    # Reading is how our users wait, and it copies nothing on the CPU.
    return Prepared(lambda: compiled(*inputs), read, read)


def realised(program: Program) -> Callable[..., Any]:
    """The program without jit: its graph is built anew and realised at every call."""

    def call(*inputs: Any) -> Any:
        result = program(*inputs)
        first, *others = each(result)
        first.realize(*others)
        return result

    return call


def prepare_numpy(program: Program, arrays: Arrays) -> Prepared:
    return Prepared(
        lambda: program(*arrays),
        lambda result: result,
        lambda result: [np.asarray(array) for array in each(result)],
    )


def prepare_torch(program: Program, arrays: Arrays) -> Prepared:
    import torch

    torch.set_num_threads(thread_count())
    inputs = [torch.from_numpy(array) for array in arrays]

    def launch() -> Any:
        with torch.inference_mode():
            return program(*inputs)

    return Prepared(launch, lambda result: result, lambda result: [tensor.numpy() for tensor in each(result)])


def prepare_torch_compile(program: Program, arrays: Arrays) -> Prepared:
    import torch

    return prepare_torch(torch.compile(program), arrays)


def prepare_jax(program: Program, arrays: Arrays) -> Prepared:
    import jax

    inputs = [jax.device_put(array) for array in arrays]
    compiled = jax.jit(program)
    return Prepared(
        lambda: compiled(*inputs),
        jax.block_until_ready,
        lambda result: [np.asarray(array) for array in each(result)],
    )


def prepare_tinygrad(program: Program, arrays: Arrays) -> Prepared:
    from tinygrad import Device, Tensor, TinyJit

    inputs = [Tensor(array).realize() for array in arrays]
    device = Device[Device.DEFAULT]

    compiled = TinyJit(realised(program))
    return Prepared(
        lambda: compiled(*inputs),
        lambda result: device.synchronize(),
        lambda result: [tensor.numpy() for tensor in each(result)],
    )


CONTENDERS: dict[str, Contender] = {
    "saccade": Contender("saccade", prepare_saccade),
    "numpy": Contender("numpy", prepare_numpy),
    "scipy": Contender("scipy", prepare_numpy),
    "torch": Contender("torch", prepare_torch),
    "torch.compile": Contender("torch", prepare_torch_compile),
    "jax": Contender("jax", prepare_jax),
    "tinygrad": Contender("tinygrad", prepare_tinygrad),
}
