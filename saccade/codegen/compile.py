"""A kernel becomes the source a device compiles: moves, lowering, rendering.

    source_for(kernel, "cpu")     # LLVM IR, shaped by the heuristics for the CPU

A new kind of device is one line in `_RENDERERS`. Equal kernels are rendered once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from math import ceil
from typing import TYPE_CHECKING, Final

from ..graph.kernels.kernel import Kernel
from ..graph.ops import Op
from ..runtime.cache.searched import target_of
from ..runtime.config import settings
from ..runtime.cpu.engine import goes_without_avx512
from ..runtime.cpu.machine import PIECES_PER_THREAD, assuming, host_registers
from ..runtime.device import Device
from ..runtime.program import Source
from .cpu.heuristic import optimise
from .cpu.llvm.llvm import render
from .cpu.sections import Body, body_name, sections_source
from .cuda.search.moves import Card
from .folds.sorting.sort_code import sort_code
from .linear.lower import Lowering
from .moves.analysis import kernel_name, work
from .moves.capacity import moved_like
from .moves.legal import IllegalMove
from .moves.moves import moves_made
from .moves.ragged import end_loop
from .moves.sections import sections_of
from .numerics.decompose import decompose
from .search.saved import (
    asked_kernel,
    asked_move,
    discard_move,
    refused_layout,
    replay,
    saved_kernel,
    saved_move,
)

if TYPE_CHECKING:
    from .cuda.source import Laid

#: work a thread should find in one piece; handing it over costs about as much as a tenth of this
_PIECE: Final = 20_000
#: below this much work, optimising a kernel takes longer than it will ever run
_NEGLIGIBLE: Final = 1_000
#: kernels whose moves and source are at hand, for programs in which they come again; each may be large
_MOST_KERNELS: Final = 256
#: what plans without a card are for
_H200: Final = Card(shared=232448, wgmma=True)
#: cards whose tensor cores do not take float32
_WITHOUT_TF32: Final = frozenset({"sm_70", "sm_72", "sm_75"})


def source_for(kernel: Kernel, device: str) -> Source:
    """The source of a kernel for a device of this name ("cpu", "cuda:0")."""
    kind = device.partition(":")[0]
    if kind == "cuda":
        return _laid_out(kernel, device).source
    if device == "null:cuda":
        return _planned_for_gpu(kernel)
    if kind not in _RENDERERS:
        known = ", ".join((*_RENDERERS, "cuda"))
        raise ValueError(f"there is no renderer for device {device!r}: move the tensors to one of {known}")
    return _RENDERERS[kind](kernel)


def moves_of(kernel: Kernel, device: str) -> tuple[object, ...]:
    """The moves made on a kernel for a device, for people to see."""
    if device.partition(":")[0] == "cuda":
        move = _laid_out(kernel, device).move
        return () if move is None else (move,)
    return shaped(kernel).moves if device == "cpu" or kernel.asked else kernel.moves


def card_of(device: str) -> Card:
    """What the layout of a kernel on a GPU depends on."""
    gpu = Device[device]
    arch = str(getattr(gpu, "arch", ""))
    return Card(
        int(getattr(gpu, "shared_limit", Card.shared)),
        settings.wgmma and arch == "sm_90a",
        settings.tf32 and arch not in _WITHOUT_TF32,
        int(getattr(gpu, "processors", Card.processors)),
    )


def _laid_out(kernel: Kernel, device: str) -> Laid:
    """The kernel with its move for a GPU: the heuristic's, or the one a search found for it."""
    from .cuda.source import laid_out  # only who has a GPU needs it

    card = card_of(device)
    if kernel.asked:
        return _laid_out_as_asked(kernel, card)
    if settings.searched and kernel.sink.src[0].op is not Op.SORT:
        target = target_of(device)
        found = saved_move(kernel, card, target)
        try:
            return laid_out(kernel, card, found)
        except IllegalMove as error:
            discard_move(kernel, card, target, str(error))
    return laid_out(kernel, card)


def _laid_out_as_asked(kernel: Kernel, card: Card) -> Laid:
    from .cuda.source import laid_out

    move = asked_move(kernel)
    try:
        made = laid_out(kernel, card, move)
    except IllegalMove as error:
        raise refused_layout(kernel, str(error)) from None
    if made.move != move:
        raise refused_layout(kernel, "it has a layout of its own, which is not chosen")
    return made


@lru_cache(maxsize=_MOST_KERNELS)
def shaped(kernel: Kernel) -> Kernel:
    """The kernel with its moves for the CPU: those its tensor asks for, those a search found for it, or the
    heuristic's.

    SACCADE_SEARCHED=0 leaves what searches found aside."""
    if kernel.asked:
        return end_loop(asked_kernel(kernel))
    if sections_of(kernel):  # each is shaped for itself
        return kernel
    found = saved_kernel(kernel) if settings.searched and kernel.sink.src[0].op is not Op.SORT else None
    return end_loop(optimised(kernel) if found is None else found)


def optimised(kernel: Kernel) -> Kernel:
    """The kernel with the heuristic's moves. One for every length has those of its capacity, where it takes
    them."""
    if kernel.sink.src[0].op is Op.SORT:
        return optimise(kernel)
    whole = moved_like(kernel)
    if whole is kernel:
        return optimise(kernel)
    try:
        return replay(kernel, moves_made(optimise(whole)))
    except IllegalMove:
        return optimise(kernel)


@lru_cache(maxsize=_MOST_KERNELS)
def cpu_source(kernel: Kernel) -> Source:
    """LLVM IR of a kernel."""
    return source_of(kernel, shaped(kernel))


def source_of(kernel: Kernel, moved: Kernel) -> Source:
    """LLVM IR of a kernel whose moves are chosen: `moved` is the kernel after them. Sections have others."""
    name, sections = kernel_name(kernel), sections_of(kernel)
    if not sections:
        return _timed(_rendered(kernel, moved, name), work(kernel))
    names: dict[Kernel, str] = {}
    bodies = []
    for section in sections:
        own = names.setdefault(section.kernel, body_name(name, len(names)))
        source = _rendered(section.kernel, shaped(section.kernel), own)
        bodies.append(Body(source, section.slots))
    total = sum(work(section.kernel) for section in sections)
    rows = len(kernel.order) > 1
    return _timed(sections_source(name, bodies, len(kernel.params), rows), total)


def _timed(source: Source, total: float) -> Source:
    """The source, for a kernel with so much work."""
    return replace(source, grain=_grain(total, source.tasks), quick=total < _NEGLIGIBLE)


def _rendered(kernel: Kernel, moved: Kernel, name: str) -> Source:
    if kernel.sink.src[0].op is Op.SORT:
        code = sort_code(kernel, name)
        text = render(code)
    else:
        # a loop may end at what is decomposed too
        order = tuple(map(decompose, moved.order))
        whole = replace(moved, sink=decompose(moved.sink), order=order)
        code = Lowering(whole).code(name)
        text = render(code)
        if goes_without_avx512(text) and ("@llvm.x86." in text or "llvm.masked." in text):
            # LLVM 22 fails to cut loads under masks, and reads where a mask it has folded is false
            with assuming(replace(host_registers(), dots=frozenset(), masks=False)):
                code = Lowering(whole).code(name)
                text = render(code)
    return Source(name, text, code.tasks, len(kernel.params), code.scratch)


def kernel_source(kernel: Kernel) -> Source:
    """The kernel itself, for devices that need no text, with moves only where its tensor asks for some."""
    moved = shaped(kernel) if kernel.asked else kernel
    return Source(kernel_name(kernel), "", tasks=1, params=len(kernel.params), kernel=moved)


@lru_cache(maxsize=_MOST_KERNELS)
def _planned_for_gpu(kernel: Kernel) -> Source:
    """The kernel itself, with as much workspace as on an H200 where it has sums there: the gradients of
    attention."""
    from .cuda.source import laid_out
    from .cuda.templates.recomputed.match import recomputed_of

    made, found = kernel_source(kernel), recomputed_of(kernel)
    if found is None or found.across is None:
        return made
    return replace(made, workspace=laid_out(kernel, _H200).source.workspace)


_RENDERERS: Final[dict[str, Callable[[Kernel], Source]]] = {
    "cpu": cpu_source,
    "interpreter": kernel_source,
    "null": kernel_source,
}


def _grain(total: float, tasks: int) -> int:
    """Iterations a thread takes at once, where the device's own choice would be too little work; else 0."""
    if tasks <= 1 or total <= 0:
        return 0
    least = ceil(_PIECE * tasks / total)
    return least if least > tasks // (PIECES_PER_THREAD * settings.threads) else 0
