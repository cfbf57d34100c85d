"""Objects out of packages that others publish, made ready for `load_folder`.

    prepare("myosuite-2.8.5-py3-none-any.whl", "objects")              # ten textured YCB objects, metres
    prepare("sweethome3d-furniture_1.8-1_all.deb", "objects", only="BlendSwap-CC-0")
    prepare("pybullet-3.2.7.tar.gz", "objects", limit=50)              # small random objects, one colour each

Nothing is downloaded here: `pip download myosuite==2.8.5 --no-deps`, `apt-get download sweethome3d-furniture`
and `pip download pybullet --no-deps` fetch the three. The texts of their licences are copied beside the
objects. A package is unpacked as far as it is needed; what it holds is told by the paths inside.

| paths inside | what | sizes from |
|---|---|---|
| .../YCB_sim/**.msh, .png | MuJoCo meshes with textures | the mesh, metres |
| PluginFurnitureCatalog.properties | OBJ models with materials | the catalogue, centimetres |
| .../random_urdfs/N/N.urdf, .obj | one body a file | the URDF's scale |
| *.sh3f | catalogues as above | |
"""

from __future__ import annotations

import re
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt

from saccade.files.reading import read_bytes, read_text, reading, shown, within
from saccade.world.formats.archives import unpack
from saccade.world.formats.formats import read_mesh, write_ply
from saccade.world.meshes.mesh import LARGEST, SMALLEST, Mesh, MeshError, MeshWarning

CATALOGUE = "PluginFurnitureCatalog.properties"
# Members of an archive that hold objects, and those that say what may be done with them.
OBJECTS = re.compile(
    rf"(^|/)(YCB_sim/.*\.(msh|png)|random_urdfs/.*\.(urdf|obj|mtl)|[^/]+\.sh3f|{CATALOGUE})$"
)
LICENCE = re.compile(r"(^|/)(license|copyright)[^/]*$", re.IGNORECASE)
# Bytes of a catalogue and of the description of a body; characters of a name that are kept of a licence.
CATALOGUE_BYTES, URDF_BYTES, LICENCE_NAME = 1 << 24, 1 << 20, 100


def prepare(
    package: Path | str,
    folder: Path | str,
    largest: float = 0.6,
    smallest: float = 0.03,
    limit: int = 0,
    only: str = "",
) -> list[Path]:
    """Write objects of a package between `smallest` and `largest` metres as PLY files, in `folder`; at most
    `limit` of them (0: all), of files inside whose path contains `only`.
    """
    source, target = Path(package), Path(folder)
    if not source.is_file():
        raise MeshError(f"there is no file {source}; fetch the package first, e.g. with `pip download`")
    if not SMALLEST <= smallest < largest <= LARGEST:
        raise ValueError(f"sizes must lie between {SMALLEST} and {LARGEST} m, got {smallest} to {largest}")
    with tempfile.TemporaryDirectory() as scratch:
        inside = Path(scratch)
        unpack(source, inside, chosen_by(only))
        found = (each for each in objects_in(inside) if smallest <= each[1].extent <= largest)
        first = next(found, None)
        if first is None:
            chosen = f", in files whose path contains {only!r}" if only else ""
            raise MeshError(
                f"{source} holds no objects between {smallest} and {largest} m that are known here{chosen}: "
                "give a myosuite wheel, sweethome3d-furniture or one of its .sh3f files, or pybullet"
            )
        target.mkdir(parents=True, exist_ok=True)
        written = [write(target, *first)]
        written += [write(target, *each) for each in islice(found, limit - 1 if limit else None)]
        for path in sorted(path for path in inside.rglob("*") if LICENCE.search(path.as_posix())):
            if path.is_file():
                name = path.relative_to(inside).as_posix().replace("/", "-")[-LICENCE_NAME:]
                shutil.copyfile(path, target / f"LICENSE-{source.stem}-{name}")
    return written


def write(target: Path, name: str, mesh: Mesh) -> Path:
    """One object's file, whole or not at all."""
    path = target / f"{name}.ply"
    partial = path.with_suffix(".part")
    write_ply(partial, mesh)
    partial.replace(path)
    return path


# --- what is inside


def chosen_by(only: str = "") -> Callable[[list[str]], Callable[[str], bool]]:
    """Which files of a package matter here."""

    def choose(names: list[str]) -> Callable[[str], bool]:
        # A catalogue names its models, which may be any files.
        everything = CATALOGUE in names
        return lambda name: (
            everything or bool(OBJECTS.search(name) and only in name) or bool(LICENCE.search(name))
        )

    return choose


def objects_in(folder: Path) -> Iterator[tuple[str, Mesh]]:
    """The objects of an unpacked package, by name; those that cannot be read are told and left out."""
    if (folder / CATALOGUE).exists():
        yield from furniture(folder)
    for path in sorted(folder.rglob("YCB_sim/**/*.msh")):
        yield from readable(path.stem, read_mesh, path)
    for path in sorted(folder.rglob("random_urdfs/*/*.urdf")):
        yield from readable(f"random_{path.stem}", body, path)
    for path in sorted(folder.rglob("*.sh3f")):
        with tempfile.TemporaryDirectory() as scratch:
            unpack(path, Path(scratch), chosen_by())
            yield from furniture(Path(scratch))


def readable(name: str, read: Callable[..., Mesh], *arguments: object) -> Iterator[tuple[str, Mesh]]:
    """An object by its name, or a warning that it cannot be read; what it lacks of its look is not told."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MeshWarning)
            mesh = read(*arguments)
    except ValueError as unread:
        warnings.warn(MeshWarning(f"{name:.80} left out: {unread}"), stacklevel=2)
        return
    yield name, mesh


def furniture(folder: Path) -> Iterator[tuple[str, Mesh]]:
    """The models of a catalogue, stretched to the sizes it lists."""
    listed: dict[str, dict[str, str]] = {}
    with reading(folder / CATALOGUE, MeshError, "fetch the package again"):
        lines = read_text(folder / CATALOGUE, CATALOGUE_BYTES, "latin-1").splitlines()
    for line in lines:
        key, _, value = line.partition("=")
        field, mark, number = key.strip().partition("#")
        if mark and not line.startswith("#"):
            listed.setdefault(number, {})[field] = value.strip()
    # each model once, as the last entry wants it
    for entry in {entry.get("model", ""): entry for entry in listed.values()}.values():
        name = Path(entry.get("model", "")).stem or "an entry without model"
        yield from readable(name, model, folder, entry)


def model(folder: Path, entry: dict[str, str]) -> Mesh:
    """What an entry of a catalogue shows, in metres."""
    with reading(folder / CATALOGUE, MeshError, "fetch the package again") as place:
        place.where = f"entry {shown(entry.get('name', ''))}"
        path = within(folder, folder / entry["model"].lstrip("/"))
        if path is None:
            raise ValueError(f"its model {shown(entry['model'])} lies outside of the package")
        size = positive([entry[side] for side in ("width", "height", "depth")]) / 100
        mesh = read_mesh(path).centred()
        return mesh.scaled(size / np.maximum(mesh.high - mesh.low, 1e-9))


def body(path: Path) -> Mesh:
    """The first visual mesh of a URDF file, scaled and coloured as it says."""
    with reading(path, MeshError, "fetch the package again", (ElementTree.ParseError,)):
        visual = ElementTree.fromstring(read_bytes(path, URDF_BYTES)).find(".//visual")
        shape = None if visual is None else visual.find(".//mesh")
        if visual is None or shape is None:
            raise ValueError("it has no visual mesh")
        file = within(path.parent, path.parent / shape.get("filename", ""))
        if file is None:
            raise ValueError(f"its mesh {shown(shape.get('filename'))} lies outside of its folder")
        scaled = read_mesh(file).centred().scaled(positive(shape.get("scale", "1 1 1").split()))
        colour = visual.find(".//color")
        if colour is None:
            return scaled
        rgb = [float(part) for part in colour.get("rgba", "1 1 1 1").split()[:3]]
        if len(rgb) != 3 or not all(0 <= part <= 1 for part in rgb):
            raise ValueError(f"its colour is {shown(rgb)}, not three numbers from 0 to 1")
        return Mesh.of(scaled.vertices, scaled.faces, rgb)


def positive(words: list[str]) -> npt.NDArray[np.float64]:
    """Three sizes or factors, (3,)."""
    found = np.array([float(word) for word in words])
    if found.shape != (3,) or not ((found > 0) & (found < 1e9)).all():
        raise ValueError(f"{shown(words)} are not three sizes above 0")
    return found
