"""What the driver says, as exceptions.

    >>> check(driver.cuInit(0), "starting CUDA")
    CudaError: starting CUDA failed: no CUDA-capable device is detected (CUDA_ERROR_NO_DEVICE)

Running out of memory is MemoryError. After an error in a kernel (a bad address, a trap), or of the card
itself, every later call fails: the exception says that the context is lost, what happened first, and that a
new process is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

from cuda.bindings import driver

from ..cache.cache import shared_cache
from ..program import Source

#: Errors after which the context answers nothing but the same error.
STICKY: Final = frozenset(
    code
    for name in (
        "ILLEGAL_ADDRESS", "LAUNCH_TIMEOUT", "ASSERT", "HARDWARE_STACK_ERROR", "ILLEGAL_INSTRUCTION",
        "MISALIGNED_ADDRESS", "INVALID_ADDRESS_SPACE", "INVALID_PC", "LAUNCH_FAILED", "ECC_UNCORRECTABLE",
        "NVLINK_UNCORRECTABLE", "CONTAINED", "EXTERNAL_DEVICE", "CONTEXT_IS_DESTROYED", "DEINITIALIZED",
        "UNKNOWN",
    )
    if (code := getattr(driver.CUresult, f"CUDA_ERROR_{name}", None)) is not None
)  # fmt: skip


#: say which kernels may be running, by the context of a device that is open
witnesses: Final[dict[int, Callable[[], str]]] = {}


#: what happened first to a context that is lost, by the context
_first: Final[dict[int, str]] = {}
#: Kernels of a plan that a message names.
_MOST_NAMES: Final = 20


class CudaError(RuntimeError):
    """The driver refused something. `lost` says that nothing more can be expected of the context; of work
    that does not end, as far as is known."""

    def __init__(self, message: str, lost: bool = False) -> None:
        super().__init__(message)
        self.lost = lost


def check(result: tuple[Any, ...], doing: str) -> Any:
    """The value of a driver call, or the exception for its error."""
    error = result[0]
    if error == driver.CUresult.CUDA_SUCCESS:
        return None if len(result) == 1 else result[1] if len(result) == 2 else result[1:]
    raise explain(error, doing)


def explain(error: Any, doing: str, kernels: str = "") -> Exception:
    """The exception for an error code; `kernels` names those that caused it, where that is known."""
    name, text = _describe(error)
    context = _current_context()
    before = _first.get(context)
    if error == driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY and before is None:
        return MemoryError(f"{doing} failed: there is no memory left ({name})")
    message = f"{doing} failed: {text} ({name})"
    if before is None and error not in STICKY:
        return CudaError(message)
    message += ". The CUDA context is lost and every tensor on this GPU with it: start a new process"
    if before is None:
        # the call that fails is seldom the one that did it, and the queue may be another
        kernels = kernels or witnesses.get(context, lambda: "none")()
        _first[context] = f"{doing} failed: {text} ({name}). Kernels queued last then: {kernels}"
        message += (
            "; with SACCADE_CUDA_CHECK=1 it waits for each kernel and names the one that fails. Kernels "
            f"queued last: {kernels}"
        )
    else:
        message += f". What happened first: {before}"
    return CudaError(message, lost=True)


def named(names: Iterable[str]) -> str:
    """Some names in a message, and how many more there are."""
    every = list(names)
    more = len(every) - _MOST_NAMES
    return ", ".join(every[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def _current_context() -> int:
    """The context that this thread uses, 0 where there is none."""
    status, context = driver.cuCtxGetCurrent()
    return int(context) if status == driver.CUresult.CUDA_SUCCESS else 0


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
