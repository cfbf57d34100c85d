"""The options of `run`, `train` and `eval`, written once: a field each, and what a config makes of them.

In: a command that takes a dataclass of options. Out: the same command as Typer wants it, with an option for
each field; and the config that they describe.

    @app.command()
    @taking(Learning)
    def train(options: Learning, preset: Annotated[str, typer.Argument()] = "default") -> None:
        config = options.configured(preset, fixed=["eval.mode=none"])

A preset comes first, then the file, then the named options, then --set: the later wins.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_type_hints

import typer

from saccade.cli.flags import Json, Quiet

if TYPE_CHECKING:
    from saccade.experiment.config.settings import ExperimentConfig

Set = Annotated[
    list[str] | None,
    typer.Option("--set", "-s", metavar="KEY=VALUE", help="Change a setting, e.g. noise.location=0.002."),
]
Batch = Annotated[int | None, typer.Option(help="Episodes side by side as rows of one program.")]
Device = Annotated[str | None, typer.Option(help="auto, cpu, cuda, ...")]
Backend = Annotated[
    str | None, typer.Option(help="How modules run: sequential, threads, streams, group-streams, stacked.")
]
Objects = Annotated[
    Path | None, typer.Option("--objects", help="Folder of meshes instead of the built-in objects.")
]
Ray = Annotated[
    str | None,
    typer.Option("--ray", metavar="ADDRESS", help="Spread over a Ray cluster; 'local' starts one."),
]
Mixed = Annotated[
    bool, typer.Option("--mixed", help="Go on although code, LLVM, processor or device is another.")
]
Processes = Annotated[
    int | None,
    typer.Option(min=1, help="Processes that share recognition; default: one a core, on a GPU one for four."),
]

# Settings that options stand for, where the name is another.
KEYS = {
    "modules": "module.count",
    "agent": "world.agent",
    "objects": "objects.folder",
    "images": "objects.images",
    "episodes": "eval.episodes",
    "traces": "recording.traces",
}
# Options that stand for no single setting.
OTHERS = ("noise", "config", "settings", "out", "ray", "processes", "json_output", "quiet")


@dataclasses.dataclass(frozen=True)
class Learning:
    """What can be said about a run that learns."""

    objects: Objects = None
    images: Annotated[
        Path | None, typer.Option("--images", help="Folder of pictures to move over instead of objects.")
    ] = None
    agent: Annotated[str | None, typer.Option(help="distant or surface.")] = None
    modules: Annotated[int | None, typer.Option(help="Learning modules, each with a sensor.")] = None
    seed: Annotated[int | None, typer.Option(help="Seed of everything random.")] = None
    batch: Batch = None
    device: Device = None
    config: Annotated[
        Path | None, typer.Option("--config", "-c", help="TOML file with settings over the preset's.")
    ] = None
    settings: Set = None
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Run folder to make; default runs/NAME-NUMBER.")
    ] = None
    ray: Ray = None
    processes: Processes = None
    json_output: Json = False
    quiet: Quiet = False

    def configured(self, preset: str, fixed: Sequence[str] = ()) -> ExperimentConfig:
        """The config; `fixed` settings of the command itself come before those of --set."""
        named = {
            field.name: getattr(self, field.name)
            for field in dataclasses.fields(self)
            if field.name not in OTHERS
        }
        settings = [*overrides(**named), *fixed, *(self.settings or [])]
        return configured(preset, settings, self.config, getattr(self, "noise", None))


@dataclasses.dataclass(frozen=True)
class Recognising(Learning):
    """What can be said about a run that recognises."""

    noise: Annotated[
        bool | None, typer.Option("--noise/--no-noise", help="The benchmark's sensor noise, or none.")
    ] = None
    backend: Backend = None
    episodes: Annotated[int | None, typer.Option(min=1, help="Recognise only so many episodes.")] = None
    traces: Annotated[bool, typer.Option("--traces", help="Record every step of every episode.")] = False


Options = TypeVar("Options", bound=Learning)


def taking(kind: type[Options]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Turn a command whose first parameter is a `kind` into one with an option for each of its fields."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = list(inspect.signature(command).parameters.values())[1:]
        hints = get_type_hints(command, include_extras=True)
        kinds = get_type_hints(kind, include_extras=True)
        options = {field.name: field.default for field in dataclasses.fields(kind)}

        @functools.wraps(command)
        def with_options(**given: Any) -> None:
            chosen = kind(**{name: given.pop(name) for name in options})
            command(chosen, **given)

        types = {p.name: hints[p.name] for p in own} | {name: kinds[name] for name in options}
        defaults = {p.name: p.default for p in own} | options
        with_options.__annotations__ = {**types, "return": None}
        keyword = inspect.Parameter.KEYWORD_ONLY
        # what `inspect.signature`, and so Typer, reads first
        vars(with_options)["__signature__"] = inspect.Signature(
            [
                inspect.Parameter(name, keyword, default=default, annotation=types[name])
                for name, default in defaults.items()
            ]
        )
        return with_options

    return decorate


def overrides(**named: object) -> list[str]:
    """Named options as settings; those that were not given are left out."""
    from saccade.experiment.config.toml import format_value

    chosen = {
        KEYS.get(name, name): value
        for name, value in named.items()
        if value is not None and value is not False
    }
    if "objects.images" in chosen:
        chosen = {"world.kind": "image", **chosen}
    values = {key: str(value) if isinstance(value, Path) else value for key, value in chosen.items()}
    return [f"{key}={format_value(value)}" for key, value in values.items()]


def configured(
    preset: str, settings: Sequence[str], config: Path | None = None, noise: bool | None = None
) -> ExperimentConfig:
    """Preset, then file, then noise or none, then settings in their order."""
    from saccade.experiment.config import config as configs
    from saccade.experiment.config.presets import NOISE
    from saccade.experiment.config.presets import preset as find_preset
    from saccade.experiment.config.settings import NoiseConfig

    chosen = find_preset(preset)
    if config is not None:
        chosen = configs.load(config, chosen)
    if noise is not None:
        chosen = dataclasses.replace(chosen, noise=NOISE if noise else NoiseConfig())
    return configs.override(chosen, list(settings))
