"""A computation ready to run: a plan on a device, and what its results are.

executable = executable_of(recipe, "cpu")   # loads machine code from the cache, or compiles the sources
buffers = executable.run([x.address, y.address])
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from time import perf_counter
from typing import Any, Protocol, runtime_checkable

from .device import Device, Memory, Runnable
from .host import HostDevice
from .memory.buffer import Buffer
from .process.collection import give_back
from .program import Launch, Program
from .recipe import Recipe
from .watch.debug import run_watched, watching


@runtime_checkable
class KnowsInputs(Protocol):
    """A plan that wants to know how many of its first slots are read, and which of these are written too."""

    inputs: int
    written: tuple[int, ...]


@runtime_checkable
class Profiled(Protocol):
    """A plan that can time its launches."""

    def profile(self, addresses: Sequence[int]) -> list[float]: ...


class Executable:
    """A computation ready to run: a plan, and what its results are. `form` is the graph as it was written
    down (`tensor.programs.form.Form`), for those who ask what the computation was."""

    __slots__ = ("_allocate", "_outputs", "_runtime", "device", "form", "plan", "recipe")

    def __init__(self, plan: Runnable, recipe: Recipe, device: str) -> None:
        self.plan = plan
        self.recipe = recipe
        self.device = device
        self.form: Any = None
        self._outputs = [(size * dtype.itemsize, size, dtype) for size, dtype in recipe.outputs]
        self._runtime = Device[device]
        self._allocate = self._runtime.allocate

    def sized(self, counts: Sequence[int]) -> Executable:
        """The same computation, of whose results only so many elements are there: the first of each."""
        made = object.__new__(Executable)
        made.plan, made.recipe, made.device, made.form = self.plan, self.recipe, self.device, self.form
        made._runtime, made._allocate = self._runtime, self._allocate
        made._outputs = [
            (nbytes, n, dtype) for (nbytes, _, dtype), n in zip(self._outputs, counts, strict=True)
        ]
        return made

    @property
    def on_host(self) -> bool:
        """Is work done when it is queued, by a device that has the host's memory?"""
        return isinstance(self._runtime, HostDevice)

    def written(self, words: bytes) -> Memory:
        """Memory of the device that holds these words, for work that is queued from now on."""
        memory = self._allocate(len(words))
        self._runtime.queue.write(memory.address, words)
        return memory

    def run(self, addresses: list[int]) -> list[Buffer]:
        """The results for inputs at these addresses, in buffers of their own; the list is used up."""
        results, memories = [], []
        for nbytes, size, dtype in self._outputs:
            memory = self._allocate(nbytes)
            memories.append(memory)
            results.append(Buffer.on(memory, size, dtype, self.device))
            addresses.append(memory.address)
        if watching.active:
            run_watched(self, addresses, memories)
        else:
            self._runtime.queue.submit(self.plan, addresses)  # the queue that is current now
        return results

    def run_one(self, addresses: list[int]) -> Buffer:
        """`run` for a computation with one result, as most have."""
        nbytes, size, dtype = self._outputs[0]
        memory = self._allocate(nbytes)
        addresses.append(memory.address)
        if watching.active:
            run_watched(self, addresses, (memory,))
        else:
            self._runtime.queue.submit(self.plan, addresses)
        return Buffer.on(memory, size, dtype, self.device)

    def timed(self, addresses: list[int]) -> list[float]:
        """Run it and wait; the seconds of each launch, or of all together where the device cannot tell."""
        if isinstance(self.plan, Profiled):
            return self.plan.profile(addresses)
        queue = Device[self.device].queue
        queue.synchronize()
        start = perf_counter()
        queue.submit(self.plan, addresses)
        queue.synchronize()
        return [perf_counter() - start]


def executable_of(recipe: Recipe, device: str, programs: Sequence[Program] | None = None) -> Executable:
    """Programs, where they are not there already, and a plan: ready to run on that device."""
    runtime = Device[device]
    if programs is None:
        programs = runtime.compile(recipe.sources)
    launches = [Launch(programs[step.source], step.params) for step in recipe.steps]
    plan = runtime.plan(launches, recipe.inputs + len(recipe.outputs), recipe.arena)
    if isinstance(plan, KnowsInputs):
        plan.inputs, plan.written = recipe.inputs, recipe.written
    if len(recipe.sources) > 1:  # a millisecond; the first run, where a training step has its peak, is next
        give_back()
    return Executable(plan, recipe, device)


# a whole process may ask to be traced or recorded: from its first computation on
if os.environ.get("SACCADE_TRACE"):
    from .watch.timeline import trace_process

    trace_process(os.environ["SACCADE_TRACE"])

if os.environ.get("SACCADE_VIZ"):
    from importlib import import_module

    import_module("saccade.viz.record").record_process(os.environ.pop("SACCADE_VIZ"))
