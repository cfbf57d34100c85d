"""A kernel becomes CUDA C++: shape, types, lowering, rendering.

    cuda_source(kernel)      # a Source: text, grid, block, shared memory
    laid_out(kernel, Card(), Flat(threads=128, width=4, repeat=2))      # with a layout of one's own choice

The text does not depend on the card: what only some of them have is chosen by the compiler (`__CUDA_ARCH__`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import gcd
from typing import Final

from ...graph.kernels.kernel import UNROLL, Kernel, combines
from ...graph.ops import Op
from ...runtime.program import Source
from ..linear.gpu.code import WARP, GpuCode
from ..linear.gpu.lower import GpuLowering
from ..moves.analysis import bytes_moved, kernel_name
from ..moves.epilogue import Ended, ended_of
from ..moves.legal import IllegalMove
from ..moves.ragged import shorten_folds
from ..moves.sections import sections_of
from .ahead import fetched_ahead, read_once
from .renderer import render
from .schemes.best import best_of_searches
from .schemes.flat import FLAT, choose_flat, flat
from .schemes.heuristic import alternatives, choose, shape, with_short_folds, without_cheap_tiles
from .schemes.rows import rows_of_group
from .schemes.shape import Shape, ordered
from .schemes.thin import WARPS, thin_shape
from .schemes.waves import with_more_rows
from .search.moves import Attend, Card, Flat, GpuMove, Rows
from .streamed import is_large, large_buffers, last_blocks, streamed
from .templates.attention.groups import Tail, attention_of_groups, ends_in_groups
from .templates.attention.source import attention_source
from .templates.epilogue.source import epilogue_source
from .templates.every import TEMPLATES
from .templates.sections.source import sections_source
from .templates.sections.tail import whole_and_tail
from .types import gpu_types

#: bytes that a kernel moves in about the time of a launch: it gains more from beginning early than from the
#: read-only cache. So does a packed matrix times a vector, whatever its size (8 layers of 8B in Q4_K for one
#: row: 0.624 -> 0.588 ms on an H200), and one of floats does not (4 layers in bfloat16: 0.754 -> 0.797)
EARLY_BYTES: Final = 8 << 20
#: a block waits half a microsecond to hear that the kernel in front has ended. Threads that run at a time,
#: the waves of them from which that is too long, and bytes of a block beside which it is nothing: variance
#: of 65,536 rows of 1024 by so many blocks takes 80 us on an H200, 61 without; softmax of 16,384**2 517, 518
WAVE: Final = Card.processors * 2048
MOST_WAVES: Final = 4
LONG_BLOCK: Final = 1 << 16
#: blocks that do not run all at once
SPREAD_BLOCKS: Final = 1 << 11


def cuda_source(
    kernel: Kernel,
    shared: int = 96 * 1024,
    wgmma: bool = False,
    tf32: bool = False,
    processors: int = Card.processors,
) -> Source:
    """The source of a kernel for NVIDIA GPUs with so many processors, whose blocks may have so many bytes of
    shared memory; with `wgmma` for Hopper only, with `tf32` for cards from 8.0 on that may cut factors in
    float32 short."""
    return laid_out(kernel, Card(shared, wgmma, tf32, processors)).source


@dataclass(frozen=True)
class Laid:
    """A source, and the move that says how its kernel is laid out; sorts and thin products have none."""

    source: Source
    move: GpuMove | None


@lru_cache(maxsize=256)  # kernels that come again in a program; each may be large
def laid_out(kernel: Kernel, card: Card, move: GpuMove | None = None) -> Laid:
    """A kernel as the heuristics lay it out, or as a move says; IllegalMove if it has no place for that."""
    name = kernel_name(kernel)
    sections = sections_of(kernel) or ([] if move is not None else whole_and_tail(kernel))
    if sections:
        warps = all(is_by_warps(s.kernel) for s in sections)
        kernels = [s.kernel for s in sections]
        codes = {
            each: _code(each, made) for each, made in zip(kernels, _sections(kernels, warps), strict=True)
        }
        launches = [(codes[each], s.slots) for each, s in zip(kernels, sections, strict=True)]
        return Laid(sections_source(name, launches, len(kernel.params)), None)
    ended = ended_of(kernel)
    joint = None if ended is None else _attention_with_epilogue(ended, name, card, move)
    if joint is not None:
        return joint
    whole = None if ended is None else _with_epilogue(ended, name, len(kernel.params), move)
    if whole is not None:
        return whole
    plain = _plain(kernel)
    for template in TEMPLATES:
        found = template.match(plain)
        if found is not None:
            return Laid(*template.source(plain, found, name, card, move))
    if not isinstance(move, Flat | Rows | None):
        raise IllegalMove(f"{move} is no layout for this kernel: it is written from its loops")
    shape = _shaped(plain, move)
    return Laid(source_of(_code(plain, shape), kernel), shape.move)


def other_layouts(kernel: Kernel, card: Card) -> list[GpuMove]:
    """Layouts far from the heuristic's that are worth trying: the other scheme, for loops."""
    move = laid_out(kernel, card).move
    if not isinstance(move, Flat | Rows):
        return []
    return [other for other in alternatives(shorten_folds(_plain(kernel))) if other != move]


def _plain(kernel: Kernel) -> Kernel:
    """The kernel as templates and schemes see it."""
    return best_of_searches(without_cheap_tiles(kernel))


def _has_a_form(plain: Kernel) -> bool:
    """Does a template write it?"""
    return any(template.match(plain) is not None for template in TEMPLATES)


def gpu_code(kernel: Kernel) -> GpuCode:
    """Linear code of a kernel, in the shape the heuristics choose."""
    return _code(kernel, _shaped(kernel, None))


def is_by_warps(kernel: Kernel) -> bool:
    """Is a kernel written from its loops, with a warp or less for each row, and nothing but its arguments?"""
    move = _section_move(kernel)
    return isinstance(move, Rows) and move.team <= WARP


def is_by_threads(kernel: Kernel) -> bool:
    """The same, with a thread for each result."""
    return isinstance(_section_move(kernel), Flat)


@lru_cache(maxsize=256)
def _section_move(kernel: Kernel) -> GpuMove | None:
    """How a kernel is laid out that is written from its loops, in any order of their points; None for
    others."""
    plain = _plain(kernel)
    if _has_a_form(plain) or thin_shape(plain) is not None:
        return None
    return None if ordered(plain) else _shaped(plain, None).move


@lru_cache(maxsize=256)
def ends_groups(kernel: Kernel, size: int) -> bool:
    """Can a block have `size` neighbours of a kernel's results: where it is written from its loops, or where
    it is attention whose parts are joined?"""
    if ends_in_groups(kernel, size):
        return True
    plain = _plain(kernel)
    if _has_a_form(plain) or thin_shape(plain) is not None:
        return False
    return rows_of_group(with_short_folds(plain), size) is not None


def _attention_with_epilogue(ended: Ended, name: str, card: Card, move: GpuMove | None) -> Laid | None:
    """Attention in parts that are joined by who goes on with its groups; None for any other kernel."""
    found = attention_of_groups(ended)
    if found is None or not isinstance(move, Attend | None):
        return None
    code = _code(ended.last, shape(ended.last, _epilogue_move(ended)))
    if code.team * code.teams != WARP or code.shared or code.workspace:
        return None
    dtype = ended.first.params[ended.slot][0]
    tail = Tail(code, ended.slot, ended.size, code.grid, dtype)
    return Laid(*attention_source(*found, name, card, move, tail))


def _with_epilogue(ended: Ended, name: str, params: int, move: GpuMove | None) -> Laid | None:
    """Both parts of a kernel in the shapes of their own, over the same blocks; None where one has no such
    shape."""
    own = rows_of_group(with_short_folds(ended.first), ended.size)
    if own is None:
        return None
    chosen = own if move is None else move
    if not isinstance(chosen, Rows) or chosen.teams * chosen.each != ended.size:
        raise IllegalMove(f"{chosen} is no layout for this kernel: a block has {ended.size} rows")
    first = shape(ended.first, chosen)
    behind = _epilogue_move(ended)
    if first.team * chosen.teams < (behind.team if isinstance(behind, Rows) else behind.threads):
        return None
    codes = _code(ended.first, first), _code(ended.last, shape(ended.last, behind))
    if codes[0].grid != codes[1].grid or any(code.workspace for code in codes) or codes[1].shared:
        return None
    # a block's part of what the last of them reads is on its way when the sums are there
    codes[1].ahead = tuple(
        (slot, ended.size * dtype.itemsize)
        for slot, (dtype, count) in enumerate(ended.last.params)
        if slot in codes[1].read_only and slot != ended.slot and count == codes[1].grid * ended.size
    )
    return Laid(epilogue_source(name, *codes, ended.slot, ended.size, params), chosen)


def _epilogue_move(ended: Ended) -> Flat | Rows:
    """How what is made of a group is laid out."""
    behind = choose(with_short_folds(ended.last))
    if isinstance(behind, Rows):
        return replace(behind, team=max(behind.team, WARP), teams=1)
    return Flat(ended.size, 1, 1, 1) if ended.size % WARP == 0 else behind


def _sections(kernels: list[Kernel], warps: bool) -> list[Shape]:
    """All sections of a launch have blocks of one size."""
    if not warps:
        return [flat(kernel, replace(choose_flat(kernel), threads=FLAT)) for kernel in kernels]
    parts = []
    for kernel in kernels:
        move = _shaped(kernel, None).move
        assert isinstance(move, Rows)
        parts.append((kernel, replace(move, teams=WARPS * WARP // move.team)))
    return [_shaped(kernel, move) for kernel, move in zip(kernels, with_more_rows(parts), strict=True)]


def _code(kernel: Kernel, shaped: Shape) -> GpuCode:
    sink = gpu_types(shaped.kernel.sink)
    moved = {r.arg: r for r in sink.toposort() if r.op is Op.RANGE}
    # a loop that nothing refers to runs all the same: what it combines counts every time
    order = tuple(moved.get(r.arg, r) for r in shaped.kernel.order)
    first = frozenset(read_once(kernel)) if isinstance(shaped.move, Rows) else frozenset()
    lowering = GpuLowering(replace(shaped.kernel, sink=sink, order=order), shaped.team)
    code = lowering.code(kernel_name(kernel), first)
    # a row that stays in registers is read once, and before anything is written, however it is read
    held = isinstance(shaped.move, Rows) and shaped.move.held and is_large(kernel)
    code.ahead = fetched_ahead(kernel, code.grid) if isinstance(shaped.move, Rows) else ()
    packed = any(not kernel.params[slot][0].is_float for slot in first)
    nbytes, waves = bytes_moved(kernel), code.grid * code.teams * code.team / WAVE
    rows = isinstance(shaped.move, Rows)  # whose blocks are over soon
    code.overlaps = not rows or waves <= MOST_WAVES or nbytes >= code.grid * LONG_BLOCK
    code.early = code.overlaps and (held or bool(code.ahead) or packed or nbytes <= EARLY_BYTES)
    code.streamed = large_buffers(kernel) if held else streamed(kernel)
    if any(map(combines, kernel.sink.src)):
        code.stride = far_apart(code.grid)
    code.releases_from = code.grid - last_blocks(kernel, code.streamed & code.read_only, code.grid)
    return code


def far_apart(grid: int) -> int:
    """How far apart blocks that run together work where they combine with what is there: neighbours of sorted
    rows meet at one place, and wait for each other. About a golden section of the grid."""
    stride = round(0.618 * grid)
    while gcd(stride, grid) > 1:
        stride += 1
    return stride if grid >= SPREAD_BLOCKS else 1


def shapes_of(kernel: Kernel) -> list[Shape]:
    """The loops of a kernel on blocks and threads, one shape for each of its sections; none where a template
    writes it."""
    sections = sections_of(kernel) or whole_and_tail(kernel)
    if sections:
        kernels = [s.kernel for s in sections]
        return _sections(kernels, all(map(is_by_warps, kernels)))
    plain = _plain(kernel)
    return [] if _has_a_form(plain) else [_shaped(plain, None)]


def _shaped(kernel: Kernel, move: Flat | Rows | None) -> Shape:
    """The kernel in its shape. Padded lists end at their counts, unless a thread has several at once."""
    thin = thin_shape(kernel) if move is None else None
    if thin is not None:
        return thin
    made = shape(shorten_folds(kernel), move)
    ranges = [n for n in made.kernel.sink.toposort() if n.op is Op.RANGE]
    several = any(outer.arg.kind == UNROLL for r in ranges for outer in r.src[0].ranges)
    return shape(kernel, move) if several else made


def source_of(code: GpuCode, kernel: Kernel) -> Source:
    threads = code.teams * code.team
    return Source(
        code.name,
        render(code),
        tasks=code.grid * threads,
        params=len(kernel.params),
        grid=code.grid,
        block=threads,
        shared=code.shared * code.teams,
        workspace=code.workspace * code.teams * code.grid,
        settled=tuple(sorted(code.settled)) if code.waits_late else (),
    )
