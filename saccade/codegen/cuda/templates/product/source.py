"""A matrix product as CUDA C++: tiles of shared memory, filled while the last ones are multiplied.

Each block has a BM x BN tile of the result and walks along k in steps of BK. Factors come in chunks of 16
bytes, along k or across it, whichever is side by side in memory; a chunk that lies in memory as it is needed
is copied asynchronously, others (cast, gathered, padded) are computed in registers. Halves, eight-bit floats
and eight-bit integers go to the tensor cores, and float32 where tf32 is allowed; otherwise each thread
multiplies an 8 x 8 tile of it. What happens to the sum (bias, activation, cast) happens where it is written.

Chunks are swizzled: chunk c of row r lies at c ^ f(r), so that the eight rows a matrix load reads are in
different banks."""

from __future__ import annotations

from math import prod
from typing import Final

from .....graph import dtypes
from .....graph.dtypes import DType
from .....graph.kernels.kernel import UNROLL, Kernel, loop, range_size
from .....graph.node import Node, index_const
from .....graph.ops import Op
from .....graph.rules.symbolic import coefficient_of, simplify
from .....runtime.program import Source
from ....linear.gpu.code import NO_BUFFER, WARP
from ....moves.legal import IllegalMove
from ...ahead import ahead_lines
from ...pieces import C, Factor, V, element_of, factor, given, row_digits, stored_lines
from ...prelude import COMMON, PRELUDE, kernel_head
from ...renderer import address, expression, literal, pointer, type_name
from ...schemes.layout import digits
from ...search.moves import BULK as BY_BULK
from ...search.moves import EACH_WARP, THREADS, Card, Multiply
from ...search.moves import WARPGROUPS as BY_GROUPS
from ...search.moves import WARPS as BY_WARPS
from ...types import gpu_types
from ..attention.hopper import ROLES_PRELUDE
from ..attention.text import WEIGHT_PRELUDE
from ..template import Template
from .bulk import (
    BULK,
    BULK_PRELUDE,
    BULK_THREADS,
    EXCHANGE_BYTES,
    MULTIPLIERS,
    exchange_text,
    map_constants,
)
from .check import (
    ALIGNMENT,
    BULK_BYTES,
    CHUNK_BYTES,
    MAP_BYTES,
    MOST_STAGES,
    SLICE_PAD,
    Facts,
    require_tile,
    shared_bytes,
    threads_of,
)
from .match import HALVES, Contraction, contraction_of
from .matrix import MATRIX_PRELUDE, TAGS
from .shares import CLEARERS, SHARES, SHARES_PRELUDE, TILE_ROWS, shares_of, stream_k
from .text import BLOCK, COMMON_TILES, FRAGMENTS, PLACE, PUT_LANES, TENSOR_CORES
from .threads import BY_THREADS, THREADS_PRELUDE
from .tiles import (
    WARP_SUMS,
    Way,
    lone_tile,
    sliced,
    thread_tile,
    tile_of,
    tiles_in,
    tiles_of,
    warp_tile,
)
from .wgmma import WARPGROUPS, wgmma_prelude

#: bytes of a row that is summed which are too few for a tile that is alone on its processor
SHORT_BYTES: Final = 512
#: steps of a sum in shared memory where slices have a part of it each
SLICED_STAGES: Final = 3
#: of a sum at a time, where slices have a part of it each: 33 -> 30 us for 2665 x 777 x 129 by 64 instead of
#: 32, 22 -> 20 for 617 x 901 x 333
SLICED_DEPTH: Final = 64
#: of a sum of halves at a time, where a factor comes through registers: of all of a short one, and of others
SHALLOW: Final = 32
DEEP: Final = 64
#: bytes of a sum that a warp with a tile of its own takes at a time
FRAGMENT_BYTES: Final = 64
#: between lines of results on their way out: neighbours in a column are in different banks. Bytes of those of
#: eight warps, eight rows of 32 results each
LINE_PAD: Final = 8
LINES_BYTES: Final = 8 * 8 * (32 + LINE_PAD) * 4
#: the words a tile is made of, by the size of an element
_WORDS: Final = {1: "u8", 2: "u16", 4: "f32", 8: "f64"}


def product_source(
    kernel: Kernel, c: Contraction, name: str, card: Card, move: Multiply | None = None
) -> tuple[Source, Multiply]:
    """The source of a kernel that is a matrix product, and its tiles: as the move says, or chosen here.

    `card.wgmma` allows Hopper's instructions for whole warpgroups, which large products gain from;
    `card.tf32` lets tensor cores multiply float32, of which they see the first 10 bits behind the point."""
    itemsize = c.types[0].itemsize
    tensor_cores = itemsize < 4 or (card.tf32 and itemsize == 4 and c.step is None)
    turns = itemsize == 2 or not tensor_cores  # matrices of other sizes are not turned on the way
    a, b = _factors(c, turns, itemsize == 4 and not tensor_cores)
    small_floats, boxed = itemsize == 1 and c.types[0].is_float, a.box is not None and b.box is not None
    across = not a.along_k, not b.along_k
    facts = Facts(itemsize, tensor_cores, b.along_k, small_floats, boxed, across)
    if move is not None:
        require_tile(move, facts, card)
        chosen = move
    else:
        chosen = _by_tensor_cores(c, a, b, facts, card) if tensor_cores else _by_threads(c, a, b, card)
    bulk, by_groups = chosen.by == BY_BULK, chosen.by in (BY_BULK, BY_GROUPS)
    in_parts, each_warp = by_groups and small_floats, chosen.by == EACH_WARP
    same = not tensor_cores and c.is_symmetric
    big_m, big_n, big_k, batches = (c.size(x) for x in (c.m, c.n, c.k, c.z))
    bm, bn, bk, stages = chosen.rows, chosen.columns, chosen.depth, chosen.stages
    spread = not tensor_cores and (b.singly or b.along_k) and not fits(c, 4) and chosen.slices == 1
    runs = (by_groups and fits(c, 4)) or (each_warp and not b.along_k)
    lanes = 8 if runs else 2 if tensor_cores else CHUNK_BYTES // itemsize
    if spread or (chosen.slices > 1 and not fits(c, 4)):
        lanes = 1
    line_a, line_b = (size + (CHUNK_BYTES // itemsize if x.singly else 0) for size, x in ((bm, a), (bn, b)))
    nbytes = max(shared_bytes(chosen, itemsize), (line_a + line_b) * bk * stages * itemsize)
    own = threads_of(chosen, itemsize) // WARP if each_warp else 1  # tiles of a block
    nbytes = 0 if each_warp else nbytes
    line_bytes = own * bm * (bn + LINE_PAD) * c.sum.itemsize
    with_lines = nbytes + LINES_BYTES if by_groups else max(nbytes, line_bytes)
    by_lines = tensor_cores and not fits(c, 2) and with_lines <= card.shared
    if by_lines:
        lanes, nbytes = 1, with_lines
    given_as = rounded_first(c) if bulk and fits(c, 4) and nbytes + EXCHANGE_BYTES <= card.shared else None
    put = epilogue(c, lanes, whole=(big_m % bm == 0, big_n % bn == 0), given_as=given_as)
    if given_as is not None:
        nbytes += EXCHANGE_BYTES
    tiles_m, tiles_n, steps = -(-big_m // bm), -(-big_n // bn), -(-big_k // bk)
    tiles = tiles_in(big_m, big_n, bm, bn, same) * batches
    grid = min(tiles, card.processors * chosen.together) if by_groups else -(-tiles // own)
    shares = shares_of(tiles, steps, chosen.helpers)
    if shares is None or (
        shares.helpers and (not bulk or in_parts or tiles + shares.helpers > card.processors)
    ):
        raise IllegalMove(f"{chosen}: {tiles} tiles of {steps} steps have nothing for so many helpers")
    if shares.helpers:
        grid = tiles + shares.helpers
    count = len(kernel.params)
    pointers = "\n".join(pointer(dtype, slot) for slot, (dtype, _) in enumerate(kernel.params))
    threads = BULK_THREADS if bulk else threads_of(chosen, itemsize)
    constants = {
        "BM": bm, "BN": bn, "BK": bk, "STAGES": stages, "CHUNK": CHUNK_BYTES // itemsize,
        "M": big_m, "N": big_n, "K": big_k, "STEPS": steps, "TILES_M": tiles_m, "TILES_N": tiles_n,
        "TILES": tiles, "GRID": grid, "THREADS": threads, "LANES": lanes, "IN_PARTS": int(in_parts),
        "PANELS": int(by_groups), "A_START": 0, "B_START": line_a * bk,
        "A_ALONG_K": int(a.along_k), "B_ALONG_K": int(b.along_k), "A_COPIED": int(a.copied),
        "B_COPIED": int(b.copied), "A_ROWS_FIRST": int(a.rows_first), "B_ROWS_FIRST": int(b.rows_first),
        "SYMMETRIC": int(tiles < tiles_m * tiles_n * batches),
        "A_LATE": int(a.late), "B_LATE": int(b.late), "BY_LINES": int(by_lines), "LINE_PAD": LINE_PAD,
        "EXCHANGED": int(given_as is not None),
    }  # fmt: skip
    head = [f"typedef {_WORDS[itemsize]} Word;\ntypedef {type_name(c.sum)} Sum;"]
    tags = [TAGS.get(dtype, "") for dtype in c.types]
    if tensor_cores:
        head.append(f"typedef {tags[0]} ElementA;\ntypedef {tags[1]} ElementB;")
    if by_groups:
        columns = bn if bm == 128 else bn // 2
        head.append(wgmma_prelude((tags[0].lower(), tags[1].lower()), columns, a.along_k, b.along_k))
    if bulk:
        head += [WEIGHT_PRELUDE, ROLES_PRELUDE, BULK_PRELUDE, SHARES_PRELUDE]
        head.append(f"#define WORKSPACE ({address(count)})")
        constants |= shares.constants(2 * MAP_BYTES * grid)
        constants |= {"MULTIPLIERS": MULTIPLIERS}
        constants |= map_constants("A", a, itemsize, (big_m, big_k, batches))
        constants |= map_constants("B", b, itemsize, (big_n, big_k, batches))
    if not tensor_cores:
        constants |= {
            "A_SINGLY": int(a.singly), "B_SINGLY": int(b.singly), "A_LINEAR": int(a.linear),
            "B_LINEAR": int(b.linear), "A_LINE": line_a, "B_LINE": line_b,
            "STAGE_WORDS": (line_a + line_b) * bk, "SLICES": chosen.slices,
            "ANY_COPIED": int(any(x.singly or _is_across(x) for x in (a, b))),
            "SPREAD": int(spread), "A_SPREAD": 0, "B_SPREAD": int(spread),
        }  # fmt: skip
    head += [f"#define {key} {value}" for key, value in constants.items()]
    if by_groups:
        multiply = BULK if bulk else WARPGROUPS
    elif each_warp:
        head.append(f"#define SAME {int(a.along_k and tiles == batches and c.is_symmetric)}")
        multiply = FRAGMENTS
    else:
        multiply = PLACE + (TENSOR_CORES if tensor_cores else BY_THREADS)
    if c.step is not None:
        head.append(f"DEVICE Sum step_sum(Word a, Word b, Sum c) {{ return c + {_stepped(c, c.step)}; }}")
        multiply = multiply.replace("multiply_sum(", "step_sum(")
    asked = () if a.copied and b.copied else ahead_lines(kernel, grid)
    text = "\n".join(
        [
            PRELUDE, COMMON, MATRIX_PRELUDE, *head, COMMON_TILES, "" if tensor_cores else THREADS_PRELUDE,
            exchange_text(TAGS[given_as], type_name(given_as)) if given_as is not None else "",
            SHARES if bulk else "", shares.first_text(name, count + 1) if shares.helpers else "",
            kernel_head(name, count + bulk, threads, chosen.together), *asked,
            pointers, a.text, b.text, put, BLOCK, multiply, "}", "",
        ]
    )  # fmt: skip
    workspace = 2 * MAP_BYTES * grid if bulk else 0
    if shares.helpers:
        workspace = constants["PARTS_AT"] + (tiles + shares.helpers) * bm * bn * c.sum.itemsize
    source = Source(
        name,
        text,
        tasks=grid,
        params=count,
        grid=grid,
        block=threads,
        shared=nbytes,
        workspace=workspace,
        first_grid=-(-constants["FLAGS"] // CLEARERS) if shares.helpers else 0,
        first_block=CLEARERS if shares.helpers else 0,
    )
    return source, chosen


def _each_warp(c: Contraction, a: Factor, b: Factor, card: Card) -> Multiply | None:
    """Tiles of warps that load their fragments from memory, of many small products. Two factors of which no
    chunk lies in memory as it is wanted are better shared: 5329 x 27 x 27 x 27 took 25.5 us, and 23."""
    m, n, k, batches = (c.size(x) for x in (c.m, c.n, c.k, c.z))
    itemsize = c.types[0].itemsize
    tile = warp_tile(m, n, k * itemsize, batches, card.processors, (a.along_k, b.along_k))
    if tile is None or not (a.copied or b.copied or c.is_symmetric):
        return None
    # sums, and chunks of both factors for two steps, are registers
    together = 4 if prod(tile) <= WARP_SUMS // 2 else 3
    return Multiply(EACH_WARP, *tile, FRAGMENT_BYTES // itemsize, 1, together)


def _factors(c: Contraction, turns: bool, singly: bool) -> tuple[Factor, Factor]:
    """Both factors. Elements of both are copied one by one where those of one are, the other does not lie in
    chunks across the sum, and none is computed: 150 microseconds for 22194 x 400 x 201 where rows of 400 come
    in chunks through registers, and 136."""
    for in_chunks in (True, False):
        a = factor("A", c.a, c, c.m, c.types[0], turns, singly=singly, in_chunks=in_chunks)
        b = factor("B", c.b, c, c.n, c.types[1], turns, singly=singly, in_chunks=in_chunks)
        if a.singly == b.singly or _is_across(a) or _is_across(b):
            return a, b
        if not (a.copied or b.copied):
            break
    return _factors(c, turns, False)


def _by_threads(c: Contraction, a: Factor, b: Factor, card: Card) -> Multiply:
    """The tiles of threads that take the least time; of float64 two blocks of 64 x 64 hide each other's
    barriers."""
    itemsize, same = c.types[0].itemsize, c.is_symmetric
    if itemsize == 8:
        return Multiply(THREADS, 64, 64, 8, 2, 2)
    m, n, k, batches = (c.size(x) for x in (c.m, c.n, c.k, c.z))
    table = tiles_of(_way(a), _way(b), fits(c, 4))
    tile = thread_tile(m, n, k, batches, card.processors, table, same)[0]
    sides, slices = tile.rows + tile.columns, 1
    if a.singly or b.singly or _is_across(b) or (tile.rows, tile.columns) == (64, 64):
        tiles = tiles_in(m, n, tile.rows, tile.columns, same) * batches
        slices = sliced(tile.rows, tile.columns, tiles, k, card.processors)
    if SLICED_STAGES * SLICED_DEPTH * (sides + 2 * SLICE_PAD) * itemsize > card.shared:
        slices = 1
    depth, most, together = (SLICED_DEPTH, SLICED_STAGES, 1) if slices > 1 else (tile.depth, 2, tile.together)
    stages = max(2, min(most, card.shared // (sides * depth * itemsize)))
    return Multiply(THREADS, tile.rows, tile.columns, depth, stages, together, slices=slices)


def _by_tensor_cores(c: Contraction, a: Factor, b: Factor, facts: Facts, card: Card) -> Multiply:
    """The tiles of warps or, on Hopper, of warpgroups that a person would choose."""
    itemsize, copied = facts.itemsize, a.copied and b.copied
    m, n, k, batches = (c.size(x) for x in (c.m, c.n, c.k, c.z))
    (rows, columns), lone, helped = tile_of(m, n, batches), None, None
    if card.wgmma and itemsize == 2 and copied and k * itemsize > SHORT_BYTES:
        lone = lone_tile(m, n, batches, card.processors, b.along_k)
        rows, columns = lone or (rows, columns)
    if lone and facts.boxed:
        helped = stream_k(m, n, k, batches, card.processors, b.along_k)
    if helped is not None:
        rows, columns = TILE_ROWS, helped.columns
    each = None if lone else _each_warp(c, a, b, card)
    if each is not None:
        return each
    by_groups = card.wgmma and (columns >= 128 or lone is not None)
    in_parts, computed = by_groups and facts.in_parts, by_groups and not copied
    depth = (128 if by_groups else 64) // itemsize
    if itemsize == 2 and not by_groups and not copied:
        depth = SHALLOW if k <= SHALLOW else DEEP
    # chunks on their way, parts of sums and halves made of eight-bit floats need registers of their own;
    # where sums are short, two blocks run at once: one writes its results while the other sums
    if rows == 128 and (facts.in_parts or computed or (by_groups and k * itemsize <= SHORT_BYTES)):
        columns = min(columns, 192 if in_parts and not computed else 128)
    alone = lone is not None
    bulk = by_groups and facts.boxed and _in_bulk(rows, columns, in_parts or alone)
    several = by_groups and columns == 128 and not (in_parts or computed or bulk or alone)
    most = MOST_STAGES if bulk or alone else 3 if several else 4
    if not by_groups and not (a.copied or b.copied):
        most = 2  # registers hold one step
    rounded = rounded_first(c) is not None and fits(c, 4)
    behind = BULK_BYTES + (EXCHANGE_BYTES if rounded else 0 if fits(c, 2) else LINES_BYTES)
    room = card.shared - (ALIGNMENT + behind if bulk else ALIGNMENT if alone else 0)
    stages = max(2, min(most, room // ((rows + columns) * depth * itemsize)))
    by = BY_BULK if bulk else BY_GROUPS if by_groups else BY_WARPS
    helpers = 0 if helped is None else helped.helpers
    return Multiply(by, rows, columns, depth, stages, 2 if several else 1, helpers)


def _way(x: Factor) -> Way:
    return "singly" if x.singly else "across" if _is_across(x) else "along"


def _is_across(x: Factor) -> bool:
    """Is a factor copied in chunks across the sum?"""
    return x.copied and not x.along_k


def _stepped(c: Contraction, node: Node) -> str:
    """The text of what is summed."""
    if node is c.a or node is c.b:
        return "a" if node is c.a else "b"
    if node.op is Op.CONST:
        return literal(node.arg, node.dtype)
    made = [_stepped(c, s) for s in node.src]
    return f"({expression(node.op, made, [s.dtype for s in node.src], True)})"


def _in_bulk(rows: int, columns: int, alone: bool) -> bool:
    """Is a tile of this size, perhaps alone on its processor, better filled by the bulk copy engine?"""
    return rows == 128 and (columns > 128 or alone)


def epilogue(
    c: Contraction,
    lanes: int,
    early: bool = False,
    whole: tuple[bool, bool] = (False, False),
    given_as: DType | None = None,
) -> str:
    """The function that writes `lanes` neighbouring results, `put_lanes(z, m, n, sums)`; sums are given in
    the type they are summed in, or as rounded before. Where tiles are `whole` in rows and columns it does not
    ask for their ends: no branch keeps loads for one run of results behind the stores of another."""
    dtype = given_as or c.sum
    width = next(w for w in (8, 4, 2, 1) if w <= lanes and fits(c, w))
    store, written = gpu_types(_store(c, width, dtype)), frozenset({c.store.src[0].arg.slot})
    body = stored_lines((store,), {NO_BUFFER: "sums.at"}, written, early)
    given_text = f"i32 given_z, i32 given_m, i32 given_c, Vec<{type_name(dtype)}, {width}> sums"
    head = f"  const auto put = [&]({given_text}) {{"
    rows, columns = (
        "true" if each else inside for each, inside in zip(whole, ("m < M", "n + i < N"), strict=True)
    )
    lines = PUT_LANES.replace("WIDTH", str(width)).replace("ROW_INSIDE", rows).replace("RUN_INSIDE", columns)
    lines = lines.replace("GIVEN", type_name(dtype))
    return "\n".join([head, *body, "  };", lines])


def fits(c: Contraction, width: int) -> bool:
    """Can so many neighbours along n be written at once? They are of one loop, or lie side by side, and none
    of them is left out."""
    if len(c.store.src) == 4 and width > 1:
        return False
    if range_size(c.n[-1]) % width == 0:
        return True
    if c.size(c.n) % width:
        return False
    return coefficient_of(_store(c, width, c.sum).src[1], loop(V, width, UNROLL)) == 1


def _store(c: Contraction, width: int, dtype: DType) -> Node:
    """What becomes of `width` sums of a type: the store, over given z, m and chunk of n."""
    lane = loop(V, width, UNROLL) if width > 1 else index_const(0)
    mapping = row_digits(c)
    chunks = given(C, c.size(c.n) // width)
    if range_size(c.n[-1]) % width == 0:
        mapping |= digits(c.n, chunks, width, lane)
    else:
        mapping |= digits(c.n, simplify(chunks * width + lane))
    total = element_of(dtype, 0, width, lane)
    users = [n for n in c.store.toposort() if c.fold in n.src] if dtype is not c.sum else []
    made = {n: total for n in users if n.op is Op.CAST} or {c.fold: total.cast(c.fold.dtype)}
    return simplify(c.store.substitute(made).substitute(mapping))


def rounded_first(c: Contraction) -> DType | None:
    """The half type a float32 sum is rounded to before anything else happens to it, if there is one."""
    if c.fold.dtype in HALVES:
        return c.fold.dtype
    users = [n for n in c.store.toposort() if c.fold in n.src]
    types = {n.dtype for n in users if n.op is Op.CAST}
    alike = len(types) == 1 and all(n.op is Op.CAST for n in users) and c.sum is dtypes.float32
    return min(types & HALVES, key=str, default=None) if alike else None


PRODUCT: Final = Template("a product", contraction_of, product_source, Multiply)
