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

import io
import re
import shutil
import tarfile
import tempfile
import warnings
import zipfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from saccade.world.formats import read_mesh, write_ply
from saccade.world.mesh import LARGEST, SMALLEST, Mesh, MeshError, MeshWarning

CATALOGUE = "PluginFurnitureCatalog.properties"
# Members of an archive that hold objects, and those that say what may be done with them.
OBJECTS = re.compile(
    rf"(^|/)(YCB_sim/.*\.(msh|png)|random_urdfs/.*\.(urdf|obj|mtl)|[^/]+\.sh3f|{CATALOGUE})$"
)
LICENCE = re.compile(r"(^|/)(license|copyright)[^/]*$", re.IGNORECASE)
# First bytes of a Debian package.
AR = b"!<arch>\n"


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
        unpack(source, inside, only)
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
                name = path.relative_to(inside).as_posix().replace("/", "-")
                shutil.copyfile(path, target / f"LICENSE-{source.stem}-{name}")
    return written


def write(target: Path, name: str, mesh: Mesh) -> Path:
    """One object's file, whole or not at all."""
    path = target / f"{name}.ply"
    partial = path.with_suffix(".part")
    write_ply(partial, mesh)
    partial.replace(path)
    return path


# --- unpacking


def unpack(source: Path, target: Path, only: str = "") -> None:
    """Put the files of an archive that matter here into a folder: zip and wheel, tar, Debian package."""

    def wanted(name: str) -> bool:
        return bool(OBJECTS.search(name) and only in name) or bool(LICENCE.search(name))

    if zipfile.is_zipfile(source):
        with zipfile.ZipFile(source) as archive:
            names = archive.namelist()
            # A catalogue names its models, which may be any files.
            everything = CATALOGUE in names
            archive.extractall(target, [name for name in names if everything or wanted(name)])
        return
    with source.open("rb") as file:
        payload = debian_data(file.read()) if file.read(len(AR)) == AR else None
    try:
        with tarfile.open(source) if payload is None else tarfile.open(fileobj=payload) as archive_:
            members = [each for each in archive_ if each.isfile() and wanted(each.name)]
            archive_.extractall(target, members, filter="data")
    except tarfile.TarError as error:
        raise MeshError(f"{source} is no package: give a wheel, a .deb, a .sh3f or a .tar.gz file") from error


def debian_data(after_magic: bytes) -> io.BytesIO:
    """The files of a Debian package, as the tar file inside it; each member has a header of 60 bytes."""
    at = 0
    while at + 60 <= len(after_magic):
        name = after_magic[at : at + 16].decode("ascii", "replace").strip()
        size = int(after_magic[at + 48 : at + 58])
        if name.startswith("data.tar"):
            return io.BytesIO(after_magic[at + 60 : at + 60 + size])
        at += 60 + size + size % 2
    raise MeshError("the Debian package holds no data; fetch it again")


# --- what is inside


def objects_in(folder: Path) -> Iterator[tuple[str, Mesh]]:
    """The objects of an unpacked package, by name."""
    if (folder / CATALOGUE).exists():
        yield from furniture(folder)
    for path in sorted(folder.rglob("YCB_sim/**/*.msh")):
        yield path.stem, read_mesh(path)
    for path in sorted(folder.rglob("random_urdfs/*/*.urdf")):
        yield f"random_{path.stem}", body(path)
    for path in sorted(folder.rglob("*.sh3f")):
        with tempfile.TemporaryDirectory() as scratch:
            unpack(path, Path(scratch))
            yield from furniture(Path(scratch))


def furniture(folder: Path) -> Iterator[tuple[str, Mesh]]:
    """The models of a catalogue, stretched to the sizes it lists; those that cannot be read are named."""
    listed: dict[str, dict[str, str]] = {}
    for line in (folder / CATALOGUE).read_text("latin-1").splitlines():
        key, _, value = line.partition("=")
        field, mark, number = key.strip().partition("#")
        if mark and not line.startswith("#"):
            listed.setdefault(number, {})[field] = value.strip()
    for entry in listed.values():
        path = folder / entry.get("model", "").lstrip("/")
        try:
            size = np.array([float(entry[side]) for side in ("width", "height", "depth")]) / 100
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", MeshWarning)
                mesh = read_mesh(path).centred()
        except (KeyError, ValueError) as unread:
            warnings.warn(MeshWarning(f"{entry.get('name', path.stem)} left out: {unread}"), stacklevel=2)
            continue
        span = np.maximum(mesh.high - mesh.low, 1e-9)
        yield path.stem, mesh.scaled(size / span)


def body(path: Path) -> Mesh:
    """The first visual mesh of a URDF file, scaled and coloured as it says."""
    visual = ElementTree.parse(path).find(".//visual")
    shape = None if visual is None else visual.find(".//mesh")
    if visual is None or shape is None:
        raise MeshError(f"{path.name} has no visual mesh")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MeshWarning)
        mesh = read_mesh(path.parent / shape.get("filename", "")).centred()
    scaled = mesh.scaled(np.array([float(part) for part in shape.get("scale", "1 1 1").split()]))
    colour = visual.find(".//color")
    if colour is None:
        return scaled
    rgb = [float(part) for part in colour.get("rgba", "1 1 1 1").split()[:3]]
    return Mesh.of(scaled.vertices, scaled.faces, rgb)
