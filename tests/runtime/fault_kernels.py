"""Kernels for the stand-in driver: what the compiler wrote for a GPU, as a library for the host.

    sources: list[Source] = []
    with collecting(sources): ...          # the programs run once, with kernels that do nothing
    os.environ["FAKE_KERNELS"] = str(library_of(sources))

The text of a kernel is compiled as the emulator of the code generator's tests does it
(`codegen.cuda_emulator`), all of them at once: a compiler's start takes longer than a kernel."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from saccade.runtime.cuda.device import CudaDevice
from saccade.runtime.cuda.plan import CudaProgram
from saccade.runtime.program import Source

#: written by hand, in the driver itself
_BUILT_IN = ("write_table", "carry")
_SHARED = "extern __shared__ uint4 shared_memory[];"


def _name(source: Source) -> str:
    return hashlib.sha256(f"{source.name} {source.text}".encode()).hexdigest()[:24]


def code_of(source: Source, arch: str) -> bytes:
    """Stands for the code of a kernel: which function of the library it is."""
    return f"emulated {_name(source)}".encode()


@contextmanager
def collecting(sources: list[Source]) -> Iterator[None]:
    """All kernels that are loaded inside the block, from a cache or not, are in `sources` after it."""
    load = CudaDevice._load

    def collect(device: CudaDevice, source: Source, cubin: bytes) -> CudaProgram:
        sources.append(source)
        return load(device, source, cubin)

    CudaDevice._load = collect  # type: ignore[method-assign]
    try:
        yield
    finally:
        CudaDevice._load = load  # type: ignore[method-assign]


def library_of(sources: Sequence[Source]) -> Path:
    """The kernels as functions of the host; kept for the next time."""
    from ..codegen.cuda_emulator import COMPILER, SHIM, _compile, _for_host

    assert COMPILER is not None, "needs a C++ compiler to run kernels on the host"
    parts = {_name(s): _function(s, _for_host(s.text)) for s in sources if s.name not in _BUILT_IN}
    text = SHIM + "".join(parts[name] for name in sorted(parts))
    path = (
        Path(tempfile.gettempdir()) / f"saccade-emulated-{hashlib.sha256(text.encode()).hexdigest()[:32]}.so"
    )
    if not path.exists():
        with tempfile.TemporaryDirectory() as folder:
            unit, made = Path(folder, "kernels.cpp"), Path(folder, "kernels.so")
            unit.write_text(text)
            _compile(["-shared", "-o", str(made), str(unit)])
            made.rename(path)
    return path


def _function(source: Source, text: str) -> str:
    """A kernel in a namespace of its own, and a function that runs a grid of it."""
    from ..codegen.cuda_emulator import callers

    name, count = _name(source), 1 + 2 * (source.params + bool(source.workspace))
    # names of a namespace, and not those of the whole library
    text = text.replace('extern "C" __global__', "__global__").replace(_SHARED, "")
    return f"""
#undef ADDRESS
#undef FIXED_ADDRESSES
namespace kernel_{name} {{
{text}
}}
extern "C" int arguments_{name};
int arguments_{name} = {count};
{callers(source, f"_{name}", f"kernel_{name}")}"""
