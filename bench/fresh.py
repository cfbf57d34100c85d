"""What one new process does, once: `python -m bench.fresh JOB NAME`, with the answer as JSON on the last
line.

    import    import the library's front door
    tiny      import it and print the result of one small program
    resnet18  run ResNet-18 forward for the first time, then again
    kernels   compile one of our own programs (NAME is the program) and count its kernels

`at` is the system-wide monotonic clock at the moment the job was done, so that the process which started this
one can count from before the interpreter. Nothing is imported here that a job does not need.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from typing import Any

FRONT_DOORS = {"jax": "jax.numpy", "torch.compile": "torch"}


def import_library(name: str) -> None:
    module = importlib.import_module(FRONT_DOORS.get(name, name))
    # A package may be lazy about its front door; what counts is having Tensor in hand.
    if name in ("saccade", "tinygrad"):
        getattr(module, "Tensor")  # noqa: B009 - not an attribute that every module here has


def tiny(name: str) -> float:
    """(1*2+1) + (2*2+1) + (3*2+1) = 15, as a user's first line would have it."""

    def program(x: Any) -> Any:
        return (x * 2.0 + 1.0).sum()

    values = [1.0, 2.0, 3.0]
    match name:
        case "numpy":
            import numpy as np

            return float(program(np.array(values, np.float32)))
        case "torch" | "torch.compile":
            import torch

            function = torch.compile(program) if name == "torch.compile" else program
            return float(function(torch.tensor(values)))
        case "jax":
            import jax
            import jax.numpy as jnp

            return float(jax.jit(program)(jnp.array(values)))
        case "tinygrad":
            from tinygrad import Tensor as TinygradTensor

            return float(program(TinygradTensor(values)).item())
        case _:
            from saccade import Tensor

            return float(program(Tensor(values)).item())


def resnet18_first(name: str) -> dict[str, float]:
    """Seconds of the first forward pass (build, schedule, compile, run) and of a later one (run)."""
    import numpy as np

    from bench.contenders import CONTENDERS
    from bench.models import LAYERS, resnet18, resnet18_parameters

    rng = np.random.default_rng(0)
    parameters = resnet18_parameters(rng)
    names = list(parameters)
    layers = LAYERS[name]()

    def program(image: Any, *values: Any) -> Any:
        return resnet18(layers, dict(zip(names, values, strict=True)), image)

    image = rng.standard_normal((1, 3, 224, 224), dtype=np.float32)
    prepared = CONTENDERS[name].prepare(program, (image, *parameters.values()))

    def seconds() -> float:
        start = time.perf_counter()
        prepared.wait(prepared.launch())
        return time.perf_counter() - start

    first = seconds()
    later = [seconds() for _ in range(5)]
    return {
        "first": first,
        "run": min(later),
        "checksum": float(np.abs(prepared.read(prepared.launch())[0]).sum()),
    }


def main(job: str, name: str) -> None:
    os.environ["PATH"] = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")])
    reply: dict[str, float] = {}
    match job:
        case "import":
            import_library(name)
        case "tiny":
            result = tiny(name)
            if result != 15.0:
                raise ArithmeticError(f"the tiny program gave {result} instead of 15")
        case "resnet18":
            reply = resnet18_first(name)
        case "kernels":
            from bench.structure import kernels_of

            reply = {"kernels": kernels_of(name)}
        case _:
            raise ValueError(f"unknown job {job!r}: use import, tiny, resnet18 or kernels")
    print(json.dumps({"at": time.monotonic()} | reply))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
