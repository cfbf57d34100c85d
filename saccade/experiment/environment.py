"""What a process computes with: code, libraries, processor and device, as a run folder keeps it.

In: the name of a device. Out: a table of names and texts.

    here = environment_of("cpu")
    here["numpy"]                                # "2.1.0"
    differences(recorded, here, DECIDING)        # {"llvmlite": ("0.44.0", "0.45.1")}

Not everything in it can change a result. Python and NumPy cannot (`docs/determinism.md`), and are kept for
the day somebody doubts that. Another version of the code, another LLVM, another processor or another device
can, in the last bits of single precision, and then in what an agent does next.
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
DECIDING = ("saccade", "source", "llvmlite", "cpu", "device")
TOLD = ("python", "numpy", "system")


def environment_of(device: str) -> Environment:
    """What this process computes with, on a device ("auto": the default one)."""
    return {**_host(), "device": _device(device)}


@cache
def _host() -> Environment:
    return {
        "saccade": saccade_version(),
        "source": source_digest(Path(__file__).resolve().parents[1]),
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
    """The device; of a GPU, which one."""
    from saccade.runtime.device import Device

    canonical = Device.canonical(None if name == "auto" else name)
    if not canonical.startswith("cuda"):
        return canonical
    try:
        return f"cuda, {getattr(Device[canonical], 'about', '')}"
    except (RuntimeError, ImportError, OSError):  # what it lacks is told by whoever needs it
        return "cuda"


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
