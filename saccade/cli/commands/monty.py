"""`saccade monty`: configs and models of tbp.monty for us.

saccade monty translate base_77obj_dist_agent --out base.toml
saccade monty translate all
saccade monty read pretrained/model.pt models/
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from saccade.cli.common import console_for, print_json, reporting
from saccade.cli.flags import Json


def add_to(app: typer.Typer) -> None:
    """Register the commands of this file."""
    group = typer.Typer(no_args_is_help=True, help="Configs and models of tbp.monty.")
    group.command("translate")(translate_config)
    group.command("read")(read_model)
    app.add_typer(group, name="monty")


def translate_config(
    name: Annotated[str, typer.Argument(help="an experiment of Monty, or all")],
    out: Annotated[Path | None, typer.Option(help="file to write the config to")] = None,
    conf: Annotated[Path | None, typer.Option(help="another conf folder than that of tbp.monty")] = None,
    json_output: Json = False,
) -> None:
    """An experiment config of Monty as ours; what has no twin is said."""
    from saccade.experiment.config.config import dumps
    from saccade.files.atomic import write_text
    from saccade.monty.configs.hydra import names
    from saccade.monty.configs.translate import translate

    with reporting(json_output):
        console = console_for(json_output)
        if name == "all":
            if out is not None:
                raise ValueError("--out is for the config of one experiment, and all were asked for")
            found = [translate(one, conf) for one in names(conf)]
            lost = [told for told in found if told.config is None]
            if json_output:
                print_json({"translated": len(found) - len(lost), "of": len(found),
                            "without": {told.name: told.missing[0] for told in lost}})  # fmt: skip
                return
            for told in lost:
                console.print(f"{told.name}: {told.missing[0]}", markup=False)
            console.print(f"{len(found) - len(lost)} of {len(found)} have a twin")
            return
        told = translate(name, conf)
        if told.config is None:
            raise ValueError(f"{name} has no twin: {told.missing[0]}")
        notes = "".join(f"# without a twin: {' '.join(line.split())}\n" for line in told.missing)
        text = notes + dumps(told.config)
        if out is not None:
            write_text(out, text)
        if json_output:
            print_json({"name": name, "config": text, "missing": list(told.missing)})
        else:
            print(text if out is None else notes, end="")  # no line is broken: it may go to a file


def read_model(
    model: Annotated[Path, typer.Argument(help="a model.pt of Monty")],
    folder: Annotated[Path, typer.Argument(help="where our models go")],
    module: Annotated[str | None, typer.Option(help="one of its learning modules; all without it")] = None,
    json_output: Json = False,
) -> None:
    """Pretrained models of Monty as ours, for `train.models`; no code of the file runs."""
    from saccade.cortex.models.tensor_file import FileError
    from saccade.experiment.engine.memory import save_memory
    from saccade.files.atomic import staged
    from saccade.monty.saved.memory import read_memory

    with reporting(json_output):
        memory = read_memory(model, module)
        models = [one for known in memory.modules for one in known.values()]
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise FileError(f"{folder} is not empty; choose another place for the models")
        with staged(folder, fresh=True) as stage:
            save_memory(memory, stage)
        nodes, modules = sum(one.node_count for one in models), len(memory.modules)
        if json_output:
            print_json({"modules": modules, "models": [one.name for one in models], "nodes": nodes})
        else:
            of = f"{modules} learning module{'s' if modules > 1 else ''}"
            console_for(False).print(f"{len(models)} models of {of} with {nodes} nodes in {folder}")
