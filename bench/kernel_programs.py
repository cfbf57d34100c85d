"""The programs whose kernels are the data set: `saccade kernels dump FOLDER`.

In: nothing. Out: names and graphs: some programs of `bench.sweep`, the timed cases, models (ResNet-18,
attention, a training step), and what experiments of the cortex compute (hypotheses, votes, goals).

    for name, form in programs(["common"]):        # "sweep: sum of rows, 4096x1024, float32"
        ...

Programs are only traced. The experiments run, cut down to a few steps, because what they compute depends on
what they meet; a computation of theirs is named by its graph.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from bench.case import OURS
from bench.cases import CASES
from bench.cases.products import attention
from bench.contenders import each
from bench.models import LAYERS, resnet18
from bench.models import resnet18_parameters as parameters_of
from bench.sweep.families import PROGRAMS
from bench.sweep.names import ours
from bench.sweep.program import cases_of
from saccade import Tensor
from saccade.tensor.programs.form import Form, canonical
from saccade.tensor.programs.realize import computed, without_copies

Named = tuple[str, Form]
#: every so many programs of the sweep are taken: neighbours there have much the same kernels
SWEPT = 3


Note = Callable[[str], object]


def programs(parts: Collection[str], note: Note = lambda text: None) -> Iterator[Named]:
    """Those of some parts (common, models, cortex); `note` is told what comes next."""
    made = {"common": common_programs, "models": models, "cortex": experiments}
    for part in made:
        if part in parts:
            note(part)
            yield from made[part](note)


def common_programs(note: Note) -> Iterator[Named]:
    for program in PROGRAMS[::SWEPT]:
        first = next(cases_of([program], "cpu"))
        inputs = [given(*wanted.shape, dtype=wanted.dtype(first.dtype)) for wanted in first.inputs()]
        yield f"sweep: {first.key}", form_of(program.call(ours(), *inputs))
    for case in CASES.values():
        tensors = [Tensor(array) for array in case.make_inputs(quick=False)]
        yield f"case: {case.title}", form_of(case.programs[OURS](*tensors))


def models(note: Note) -> Iterator[Named]:
    for name, program in MODELS.items():
        yield f"model: {name}", form_of(program())


def form_of(results: Any) -> Form:
    """What a program returned, as a graph that is written down."""
    return canonical(without_copies([tensor.node for tensor in each(results)]))[0]


# --- models


def given(*shape: int, dtype: str = "float32") -> Tensor:
    """A tensor in memory that nobody needs."""
    return Tensor.zeros(*shape, dtype=dtype, device="null").contiguous().realize()


def resnet(batch: int) -> Tensor:
    parameters = {
        name: given(*array.shape) for name, array in parameters_of(np.random.default_rng(0)).items()
    }
    made: Tensor = resnet18(LAYERS[OURS](), parameters, given(batch, 3, 224, 224))
    return made


def attended(batch: int, heads: int, queries: int, keys: int, width: int, dtype: str) -> Tensor:
    q, *others = [given(batch, heads, n, width, dtype=dtype) for n in (queries, keys, keys)]
    made: Tensor = attention(q, *others)
    return made


def adam(parameter: Tensor, gradient: Tensor, mean: Tensor, square: Tensor) -> list[Tensor]:
    mean = mean * 0.9 + gradient * 0.1
    square = square * 0.999 + gradient * gradient * 0.001
    return [parameter - 1e-3 * mean / (square.sqrt() + 1e-8), mean, square]


def training_step(batch: int, widths: Sequence[int]) -> list[Tensor]:
    """A perceptron with rectified layers: forward, backward by hand, and a step of Adam."""
    weights = [given(a, b) for a, b in pairwise(widths)]
    values = [given(batch, widths[0])]
    for weight in weights[:-1]:
        values.append((values[-1] @ weight).relu())
    error = (values[-1] @ weights[-1] - given(batch, widths[-1])) * (2 / batch)
    made: list[Tensor] = []
    for weight, value in zip(reversed(weights), reversed(values), strict=True):
        state = [given(*weight.shape) for _ in range(2)]
        made += adam(weight, value.mT @ error, *state)
        error = (error @ weight.mT).where(value > 0, 0.0)
    return made


def layer_norm(rows: int, width: int, dtype: str) -> Tensor:
    return given(rows, width, dtype=dtype).layer_norm((width,))


def convolved(batch: int, channels: int, side: int, outputs: int) -> Tensor:
    x, weight = (
        given(batch, channels, side, side, dtype="float16"),
        given(outputs, channels, 3, 3, dtype="float16"),
    )
    return x.conv2d(weight, padding=1).relu()


MODELS: dict[str, Callable[[], Any]] = {
    "ResNet-18, one image": lambda: resnet(1),
    "ResNet-18, 8 images": lambda: resnet(8),
    "MLP 256-512-512-10 and Adam, 64 rows": lambda: training_step(64, (256, 512, 512, 10)),
    "MLP 784-1024-10 and Adam, 512 rows": lambda: training_step(512, (784, 1024, 10)),
    "attention float16, 4x16x1024x64": lambda: attended(4, 16, 1024, 1024, 64, "float16"),
    "attention bfloat16, 1x8x256x128": lambda: attended(1, 8, 256, 256, 128, "bfloat16"),
    "attention float16, one query, 4096 keys": lambda: attended(2, 16, 1, 4096, 64, "float16"),
    "layer norm float16, 4096x1024": lambda: layer_norm(4096, 1024, "float16"),
    "sort of rows, 512x3000": lambda: list(given(512, 3000).sort(1)),
    "top 64 of rows, 128x5000": lambda: given(128, 5000).topk(64).values,
    "convolution float16, 8x64x28x28 to 96": lambda: convolved(8, 64, 28, 96),
}

# --- experiments

#: One of each sort, cut down: by touch and from a distance, named or not, exchanged, voting, two levels.
PRESETS = (
    "distinct_surface_noise",
    "unsupervised_noise",
    "swap_surface",
    "distinct_distant_noise_5_modules",
    "compositional",
    "pictures",
)
CUT = (
    "objects.limit=2", "train.rotations=2", "train.steps=25", "train.epochs=1", "module.max_nodes=100",
    "eval.min_steps=3", "eval.max_steps=6", "eval.episodes=2", "batch=2",
)  # fmt: skip


def experiments(note: Note) -> Iterator[Named]:
    """Whatever small runs of the presets compute that none before them did."""
    known = set(computed())
    for name in PRESETS:
        note(f"experiment {name}")
        # the first objects made of parts come after the five parts
        run_preset(name, [*CUT, *(["objects.limit=6"] if name == "compositional" else [])])
        new = [found for found in computed() if found not in known]
        known.update(new)
        for form, _ in new:
            yield f"cortex: {name} {sha256(repr(form).encode()).hexdigest()[:8]}", form


def run_preset(name: str, settings: Sequence[str]) -> None:
    from saccade.experiment.config.config import override
    from saccade.experiment.config.presets import preset
    from saccade.experiment.engine.engine import make_engine
    from saccade.experiment.engine.objects import object_names
    from saccade.experiment.progress import Silent
    from saccade.experiment.record.record import RunFolder
    from saccade.experiment.run import execute

    config = override(preset(name), [*settings, "device=cpu"])
    with (
        tempfile.TemporaryDirectory(prefix="saccade-kernels-") as place,
        RunFolder.create(Path(place) / "run", config) as folder,
    ):
        execute(folder, make_engine(config), object_names(config), Silent())
