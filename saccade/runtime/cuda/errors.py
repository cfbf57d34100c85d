"""What the driver says, as exceptions.

    >>> check(driver.cuInit(0), "starting CUDA")
    CudaError: starting CUDA failed: no CUDA-capable device is detected (CUDA_ERROR_NO_DEVICE)

Running out of memory is MemoryError. After an error in a kernel (a bad address, a trap) every later call
fails in the same way: the exception says that the context is lost and a new process is needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

from cuda.bindings import driver

from ..cache import shared_cache
from ..program import Source

#: Errors after which the context answers nothing but the same error.
STICKY: Final = frozenset(
    code
    for name in (
        "ILLEGAL_ADDRESS", "LAUNCH_TIMEOUT", "ASSERT", "HARDWARE_STACK_ERROR", "ILLEGAL_INSTRUCTION",
        "MISALIGNED_ADDRESS", "INVALID_ADDRESS_SPACE", "INVALID_PC", "LAUNCH_FAILED", "ECC_UNCORRECTABLE",
    )
    if (code := getattr(driver.CUresult, f"CUDA_ERROR_{name}", None)) is not None
)  # fmt: skip


#: say which kernels were queued last, one for each device that is open
witnesses: Final[list[Callable[[], str]]] = []


class CudaError(RuntimeError):
    """The driver refused something. `lost` says whether the context can still be used."""

    def __init__(self, message: str, lost: bool = False) -> None:
        super().__init__(message)
        self.lost = lost


def check(result: tuple[Any, ...], doing: str, kernels: Callable[[], str] | None = None) -> Any:
    """The value of a driver call, or the exception for its error; `kernels` names what may have caused it."""
    error = result[0]
    if error == driver.CUresult.CUDA_SUCCESS:
        return None if len(result) == 1 else result[1] if len(result) == 2 else result[1:]
    raise explain(error, doing, kernels() if kernels else "")


def explain(error: Any, doing: str, kernels: str = "") -> Exception:
    """The exception for an error code."""
    name, text = _describe(error)
    if error == driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY:
        return MemoryError(f"{doing} failed: the GPU has no memory left ({name})")
    lost = error in STICKY
    message = f"{doing} failed: {text} ({name})"
    if lost:
        # the call that fails is seldom the one that did it, and the queue may be another
        kernels = kernels or "; ".join(tell() for tell in witnesses)
        message += (
            ". The CUDA context is lost and every tensor on this GPU with it: start a new process; with "
            "SACCADE_CUDA_CHECK=1 it waits for each kernel and names the one that fails"
        )
    if kernels:
        message += f". Kernels queued last: {kernels}"
    return CudaError(message, lost)


def where_sources_are(sources: Sequence[Source]) -> str:
    """The end of a message: the folder that the sources were written to, where that is possible."""
    try:
        folder = (shared_cache().usable_folder() or _private_folder()) / "failed kernels"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for source in sources:
            (folder / f"{source.name}.cu").write_text(source.text)
    except OSError as error:
        return f" (their sources could not be written: {error})"
    return f" (their sources are in {str(folder)!r})"


@cache
def _private_folder() -> Path:
    """Where there is no cache: a folder that no other user can have made before."""
    return Path(mkdtemp(prefix="saccade-"))


def _describe(error: Any) -> tuple[str, str]:
    texts = []
    for ask in (driver.cuGetErrorName, driver.cuGetErrorString):
        status, text = ask(error)
        known = status == driver.CUresult.CUDA_SUCCESS and text is not None
        texts.append(text.decode() if known else str(error))
    return texts[0], texts[1]
