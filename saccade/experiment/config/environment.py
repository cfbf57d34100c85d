"""What a process computes with: code, libraries, processor and device, as a run folder keeps it.

In: the name of a device. Out: a table of names and texts.

    here = environment_of("cpu")
    here["numpy"]                                # "2.1.0"
    differences(recorded, here, DECIDING)        # {"llvmlite": ("0.44.0", "0.45.1")}

Not everything in it can change a result. Python and NumPy cannot (`docs/determinism.md`), and are kept for
the day somebody doubts that. Another version of the code, another LLVM, another processor or device, and
moves of kernels that a search has found can, in the last bits of single precision, and then in what an agent
does next.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import metadata
from pathlib import Path

from saccade.version import saccade_version

Environment = Mapping[str, str]

#: what results may depend on, and what is only told
DECIDING = ("saccade", "source", "llvmlite", "cpu", "device", "searched")
TOLD = ("python", "numpy", "system")


def environment_of(device: str) -> Environment:
    """What this process computes with, on a device ("auto": the default one)."""
    from saccade.experiment.config.probe import named

    canonical = named(device)
    return {**host_environment(), "device": _device(canonical), "searched": _searched(canonical)}


@cache
def host_environment() -> Environment:
    """What is the same for every device. To read all code takes a tenth of a second, once."""
    return {
        "saccade": saccade_version(),
        "source": source_digest(Path(__file__).resolve().parents[2]),
        "llvmlite": _version("llvmlite"),
        "cpu": _processor(),
        "python": platform.python_version(),
        "numpy": _version("numpy"),
        "system": " ".join([platform.system(), platform.machine(), *platform.libc_ver()]).strip(),
    }


def source_digest(folder: Path) -> str:
    """A short name of all code in a folder: the same wherever the folder is, another for any other code."""
    digest = hashlib.blake2b(digest_size=8)
    for path in sorted(folder.rglob("*.py")):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(folder).as_posix()} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "none"


def _processor() -> str:
    """The processor as kernels are made for it."""
    import llvmlite.binding as llvm

    from saccade.runtime.cpu.machine import host_registers

    return f"{llvm.get_host_cpu_name()}, vectors of {host_registers().bytes} bytes"


def _device(name: str) -> str:
    """The device; of a GPU, which one, and whether it rounds what it multiplies."""
    from saccade.experiment.config.probe import card_of
    from saccade.runtime.config import settings

    if not name.startswith("cuda"):
        return name
    try:
        about = card_of(name).about
    except (ValueError, RuntimeError, ImportError, OSError):  # what it lacks is told by whoever needs it
        return "cuda"
    return f"cuda, {about}{', tf32' if settings.tf32 else ''}"


def _searched(device: str) -> str:
    """The moves of kernels that searches have found for a device, as a short name."""
    from saccade.experiment.config.probe import card_of
    from saccade.runtime.cache import searched
    from saccade.runtime.config import settings

    if not settings.searched or device.partition(":")[0] not in ("cpu", "cuda"):
        return "none"
    try:
        target = searched.target_of(device) if device == "cpu" else card_of(device).target
        return searched.described(target)
    except (ValueError, RuntimeError, ImportError, OSError):  # as above
        return "none"


def differences(
    before: Environment, after: Environment, names: Sequence[str] = (*DECIDING, *TOLD)
) -> dict[str, tuple[str, str]]:
    """What is not the same in two environments, of these names; "unknown" where a run did not keep it."""
    pairs = {name: (before.get(name, "unknown"), after.get(name, "unknown")) for name in names}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def describe(found: Mapping[str, tuple[str, str]]) -> str:
    """Differences as a person reads them.

    >>> describe({"numpy": ("1.26.4", "2.1.0")})
    'numpy 1.26.4 there, 2.1.0 here'
    """
    return "; ".join(f"{name} {before} there, {after} here" for name, (before, after) in found.items())
