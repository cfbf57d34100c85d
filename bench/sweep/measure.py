"""One case in this process: inputs, the check against torch, times in turns, and the kernel to blame.

    with Duel(case, "cuda", compiles=True) as duel:
        duel.wrong_by()                 # of the largest result
        duel.race(rounds=3, seconds=0.05)       # {"ours": 1.2e-5, "eager": 1.4e-5, "compiled": 1.1e-5}

Both sides get the same memory. On a GPU a time is that of many calls in a row between two events, on the CPU
the processor time of one call with one thread, or the time of the clock with several.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from typing import Any, Final

from bench.contenders import each
from bench.sweep.names import ours, torchs
from bench.sweep.program import Case, Input

#: the share of integers that may differ: equal elements have no order
TIES: Final = 0.01
#: calls of a round on the CPU, if they take no more than ten times its seconds: the least of a few is noise
FEW: Final = 20
#: elements of a result that are compared
MOST: Final = 1 << 22


def drawn(wanted: Input, of_case: str, device: str, seed: int) -> Any:
    """A torch tensor."""
    import torch

    random = torch.Generator(device=device).manual_seed(seed)
    made: Any
    if wanted.kind in ("below", "ordered"):
        made = torch.randint(0, wanted.most, wanted.shape, device=device, generator=random)
        return made.sort().values if wanted.kind == "ordered" else made
    if wanted.kind == "bytes":
        return torch.randint(1 - wanted.most, wanted.most, wanted.shape, device=device, generator=random).to(
            torch.int8
        )
    if wanted.kind == "whole":
        least = 0 if of_case == "uint8" else 1 - wanted.most
        made = torch.randint(least, wanted.most, wanted.shape, device=device, generator=random)
        return made.to(getattr(torch, of_case))
    if wanted.kind == "mask":
        return torch.rand(wanted.shape, device=device, generator=random) > 0.5
    draw = {"normal": torch.randn, "uniform": torch.rand, "even": torch.rand}[wanted.kind]
    dtype = getattr(torch, wanted.dtype(of_case))
    made = draw(wanted.shape, device=device, generator=random, dtype=dtype if dtype.is_complex else None)
    if wanted.kind == "even":
        made = (made + made.flip(0).roll(1, 0)) / 2
    return (made * wanted.scale).to(dtype)


class Duel:
    """A case, ready to run on both sides."""

    def __init__(self, case: Case, device: str, compiles: bool) -> None:
        import torch

        from saccade import Tensor, jit

        self.case, self.device = case, device
        program = case.program
        # jit guards what a function reaches through its variables at every call: these two are all it needs
        written, names, t = program.call, ours(), torchs()
        self.theirs = [drawn(w, case.dtype, device, seed) for seed, w in enumerate(case.inputs())]
        self._wait()
        self.mine = [Tensor.from_dlpack(x) for x in self.theirs]
        self.call = jit(lambda *x: written(names, *x))
        peer = program.peer or program.call
        self.eager: Callable[..., Any] = lambda *x: peer(t, *x)
        self.compiled: Callable[..., Any] | None = None
        if compiles:
            torch.compiler.reset()
            self.compiled = torch.compile(self.eager)

    def __enter__(self) -> Duel:
        return self

    def __exit__(self, *_: object) -> None:
        """Give all memory back: the next case may need it."""
        del self.mine, self.theirs, self.call, self.compiled, self.eager
        gc.collect()
        if self.device == "cuda":
            import torch

            from saccade import Device

            torch.cuda.empty_cache()
            card: Any = Device["cuda"]
            card.release_memory()

    def _wait(self) -> None:
        if self.device == "cuda":
            import torch

            torch.cuda.synchronize()

    def run_ours(self) -> Any:
        return self.call(*self.mine)

    def run_eager(self) -> Any:
        import torch

        with torch.inference_mode():
            return self.eager(*self.theirs)

    def run_compiled(self) -> Any:
        import torch

        assert self.compiled is not None
        with torch.no_grad():
            return self.compiled(*self.theirs)

    def wrong_by(self) -> float:
        """The largest difference of results, of the largest result; infinite where shapes differ."""
        return max(
            (_difference(a, b) for a, b in zip(each(self.run_ours()), each(self.run_eager()), strict=True)),
            default=0.0,
        )

    def race(self, rounds: int, seconds: float) -> dict[str, float]:
        """The median over rounds of each side's time, in turns."""
        sides: dict[str, Callable[[], Any]] = {"ours": self.run_ours, "eager": self.run_eager}
        if self.compiled is not None:
            sides["compiled"] = self.run_compiled
        for side in sides.values():
            for _ in range(3):  # traced, captured, replayed
                self._finish(side())
        self._wait()
        times: dict[str, list[float]] = {name: [] for name in sides}
        for number in range(rounds):
            for name in list(sides)[:: 1 if number % 2 == 0 else -1]:
                times[name].append(self._time(name, sides[name], seconds))
        return {name: statistics.median(found) for name, found in times.items()}

    def _finish(self, result: Any) -> None:
        """On the CPU a result of ours is there when it is read."""
        if self.device == "cpu":
            for tensor in each(result):
                if hasattr(tensor, "realize"):
                    tensor.realize()

    def _time(self, name: str, run: Callable[[], Any], seconds: float) -> float:
        if self.device == "cuda":
            return _on_card(name == "ours", run, seconds)
        import torch

        clock = time.process_time if torch.get_num_threads() == 1 else time.perf_counter
        best, calls, begin = float("inf"), 0, time.perf_counter()
        while calls < 3 or time.perf_counter() - begin < seconds * (10 if calls < FEW else 1):
            start = clock()
            self._finish(run())
            best, calls = min(best, clock() - start), calls + 1
        return best

    def blame(self) -> dict[str, Any]:
        """Our slowest kernel and its share; the scheduler's estimate of all of them beside their times."""
        from saccade.explain import explain

        def some() -> None:
            for _ in range(3):
                for tensor in each(self.run_ours()):
                    tensor.realize()
            self._wait()

        found = explain(some).computations
        return blamed(found)


def blamed(computations: list[Any]) -> dict[str, Any]:
    from saccade.schedule.cost import machine_of
    from saccade.schedule.target import target_of

    rows = []
    for c in computations:
        target = target_of(machine_of(c.device))
        items, seconds = c.graph.items, c.seconds
        if len(items) == len(seconds):
            rows += [
                (s, i.name, i.reason, target.seconds(i.kernel)) for i, s in zip(items, seconds, strict=True)
            ]
    if not rows:
        return {}
    total = sum(r[0] for r in rows)
    slowest = max(rows)
    return {
        "kernel": slowest[1],
        "why": slowest[2],
        "share": slowest[0] / total if total else 0.0,
        "kernels": len(rows),
        "estimate": sum(r[3] for r in rows),
        "measured": total,
    }


def _on_card(is_ours: bool, run: Callable[[], Any], seconds: float) -> float:
    """Seconds of a call between two events around as many as fit."""
    from bench.gpu_timing import between_events

    one = between_events(is_ours, run, 1)
    calls = max(3, min(200, round(seconds / max(one, 1e-6))))
    return between_events(is_ours, run, calls)


def _difference(mine: Any, theirs: Any) -> float:
    import torch

    if tuple(mine.shape) != tuple(theirs.shape):
        return float("inf")
    if theirs.is_complex():
        return max(_difference(mine.real, theirs.real), _difference(mine.imag, theirs.imag))
    b = theirs.reshape(-1)[:MOST]
    a = mine.reshape(-1)[:MOST]
    kind = torch.float64 if b.is_floating_point() else torch.int64
    if not b.numel():
        return 0.0
    found = torch.from_numpy(a.cast("float64" if b.is_floating_point() else "int64").numpy())
    wanted = b.to("cpu", kind)
    if kind is torch.int64:
        differ = float((found != wanted).double().mean())
        return 0.0 if differ <= TIES else differ
    if bool((found.isnan() != wanted.isnan()).any()):
        return float("inf")
    gap = (found - wanted).nan_to_num(0.0).abs().max()
    return float(gap / wanted.nan_to_num(0.0).abs().max().clamp(1e-30))
