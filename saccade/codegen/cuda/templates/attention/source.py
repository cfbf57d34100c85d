"""Attention as one CUDA kernel: the parts that depend on the expression, around the texts that do not.

    attention_source(kernel, attention_of(kernel), name, card)

Queries, keys and values come as the factors of a matrix product do (`product.source`), results go as its
results. What happens to a score is a function of its place, written from the graph. On Hopper warpgroups
multiply (`hopper`), elsewhere warps (`text`), and threads what is in float32 (`threads`)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

from .....graph import dtypes
from .....graph.kernels.kernel import Kernel, range_size
from .....graph.ops import Op
from .....runtime.program import Source
from ....linear.gpu.code import WARP
from ....moves.legal import IllegalMove
from ...pieces import Factor, factor
from ...prelude import COMMON, FOLLOW, PRELUDE, kernel_head
from ...renderer import address, literal, pointer
from ...search.moves import WARPGROUPS, Attend, Card
from ...search.moves import WARPS as BY_WARPS
from ..product.bulk import BULK_PRELUDE, map_constants
from ..product.check import ALIGNMENT, MAP_BYTES, MOST_REGISTERS
from ..product.matrix import MATRIX_PRELUDE, WRITE_RUNS
from ..product.source import epilogue
from ..product.wgmma import DESCRIPTOR, WGMMA_PRELUDE
from ..template import Template
from .groups import Tail
from .hopper import COPIERS, HOPPER, MAPS, REGISTERS, ROLES_PRELUDE, products_prelude
from .join import AHEAD, JOIN, JOINERS, KEEP_TOTAL, PART, STATE_BYTES, WHOLE
from .match import PANEL, ROWS, Attention, attention_of
from .parts import parts_of
from .scores import chunks_text, constants_of, count_text, score_text, total_text
from .text import FILL, TILES_PRELUDE, WARPS, WEIGH, WEIGHT_PRELUDE
from .threads_source import thread_source

#: neighbours that are written, and those of a factor that are copied, together
RUN: Final = 8
#: rows that are worth no warpgroups: up to 64 of them would leave half of two idle (29.0 -> 26.1 us by warps
#: for 64 heads of 64 queries against 4096 keys on an H200, 96 -> 77 for 512 heads against 2048)
FEW_ROWS: Final = 64
#: scores that are worth a function in front, which makes maps for the copy engine, and its threads: 16 x 12
#: causal heads of 1,024, 64 wide, took 104 us so and 103 copied by threads
BULK_SCORES: Final = 1 << 28
MAKERS: Final = 32
#: threads that copy where fewer multiply. Of 32 each would copy 128 chunks of a tile of 64 keys; beside 128
#: the blocks of the kernel behind, which begin early, find no registers: 8B in Q4_K, one token on an H200,
#: takes 1.668 ms with 32, 1.651 with 64 and 1.711 with 128
FEW_COPIERS: Final = 64
#: warps that multiply alone and keep a processor busy: more of them only wait for each other
BUSY_WARPS: Final = 8
ELEMENTS: Final = {dtypes.float16: "F16", dtypes.bfloat16: "BF16"}


@dataclass(frozen=True)
class Tiles:
    """What a layout comes to for a kernel."""

    move: Attend
    a: Attention

    @property
    def by_groups(self) -> bool:
        return self.move.by == WARPGROUPS

    @property
    def depth(self) -> int:
        """Of queries and keys, in whole panels."""
        return -(-self.a.scores.size(self.a.scores.k) // PANEL) * PANEL

    @property
    def columns(self) -> int:
        """Of values, in whole panels."""
        return -(-self.a.output.size(self.a.output.n) // PANEL) * PANEL

    @property
    def written(self) -> int:
        """Columns that are summed: four lanes write four runs."""
        return -(-self.a.output.size(self.a.output.n) // (4 * RUN)) * 4 * RUN

    @property
    def threads(self) -> int:
        weighers = self.move.rows * 2 // self.move.strips
        return weighers + COPIERS if self.by_groups else max(weighers, FEW_COPIERS)

    @property
    def copiers(self) -> int:
        return COPIERS if self.by_groups else self.threads

    @property
    def nbytes(self) -> int:
        """Of shared memory: queries, keys and values, and the barriers of those who copy."""
        rows, keys, stages = self.move.rows, self.move.keys, self.move.stages
        words = rows * self.depth + stages * keys * (self.depth + self.columns)
        return 2 * words + ALIGNMENT + 8 * (1 + 4 * stages)


def attention_source(
    kernel: Kernel, a: Attention, name: str, card: Card, move: Attend | None = None, tail: Tail | None = None
) -> tuple[Source, Attend]:
    """The source of a kernel that is attention, and its tiles: as the move says, or chosen here. With a
    `tail` keys are shared out among blocks, and the results are in the tail's memory, the last of the
    kernel's, which only it reads."""
    if a.scores.types[0] is dtypes.float32:
        return thread_source(kernel, a, name, card, move)
    scores, output = a.scores, a.output
    early = scores.size(scores.m) <= FEW_ROWS  # decoding: about as short as a launch
    q = factor("Q", scores.a, scores, scores.m, scores.types[0], True, early)
    k = factor("K", scores.b, scores, scores.n, scores.types[1], True, early)
    v = factor("V", output.b, output, output.n, output.types[1], True, early)
    # factors that are computed would have to be so by the few registers of who copies
    by_groups = card.wgmma and q.copied and k.copied and v.copied
    turned = v.along_k or not k.along_k
    if move is None:
        move = _in_parts(_tiles(a, card.shared, by_groups, turned), card)
    else:
        _require(Tiles(move, a), card.shared, by_groups, turned)
    if tail is not None:
        move = replace(move, parts=max(move.parts, 2))
    tiles = Tiles(move, a)
    joiners = JOINERS if tail is None else WARP
    bulk = tiles.by_groups and _in_bulk(a, k, v, tiles)
    constants = _constants(tiles, (q, k, v)) | {
        "JOINERS": joiners, "BULK_KEYS": int(bulk), "Q_COPIED": int(q.copied)
    }  # fmt: skip
    if bulk:
        keys, batches = constants["KEYS"], constants["BATCHES"]
        constants |= map_constants("K", k, 2, (keys, constants["DEPTH"], batches))
        constants |= map_constants("V", v, 2, (constants["N"], keys, batches))
    preludes = [PRELUDE, COMMON, MATRIX_PRELUDE, WRITE_RUNS, WEIGHT_PRELUDE]
    score_type, value_type = ELEMENTS[scores.types[0]], ELEMENTS[output.types[1]]
    if tiles.by_groups:
        preludes += [
            WGMMA_PRELUDE, DESCRIPTOR, ROLES_PRELUDE,
            products_prelude("multiply_scores", score_type, move.keys, (q.along_k, k.along_k)),
            products_prelude("multiply_values", value_type, tiles.written, (v.along_k,)),
            *([BULK_PRELUDE] if bulk else []),
        ]  # fmt: skip
    types = [
        "typedef u16 Word;\ntypedef f32 Sum;",
        f"typedef {score_type} Scored;",
        f"typedef {value_type} Element;",
    ]
    count, in_parts = len(kernel.params) - (tail is not None), move.parts > 1
    buffers = count + (in_parts or bulk)
    if in_parts or bulk:
        types.append(f"#define WORKSPACE ({address(count)})")
    pointers = [pointer(dtype, slot) for slot, (dtype, _) in enumerate(kernel.params[:count])]
    own = [] if tail is None else [tail.nowhere()]
    wait = [FOLLOW] if early else []
    put = epilogue(output, RUN, early)
    asked = [AHEAD] if early and in_parts and k.along_k and not v.along_k and _lies_still(a, k, v) else []
    text = "\n".join(
        [
            *preludes, *(f"#define {key} {value}" for key, value in constants.items()), *types,
            f"#define SCALE {literal(a.scale * math.log2(math.e), dtypes.float32)}", TILES_PRELUDE, WEIGH,
            kernel_head(name, buffers, tiles.threads, blocks=1, follows=early),
            *pointers, *own, chunks_text("Q", q), chunks_text("K", k), chunks_text("V", v),
            count_text(a, early), *asked, *wait, score_text(a, early), put, *total_text(a, early), FILL,
            PART if in_parts else WHOLE.replace("@KEEP", "" if a.total is None else KEEP_TOTAL),
            HOPPER if tiles.by_groups else WARPS, "}", "",
        ]
    )  # fmt: skip
    if bulk:
        head = kernel_head(f"{name}_first", buffers, MAKERS)
        text = "\n".join([text, head, *pointers, k.text, v.text, MAPS, "}", ""])
    rows = constants["BATCHES"] * constants["M"]
    workspace, join_grid, join_block = 2 * MAP_BYTES if bulk else 0, 0, 0
    if in_parts:
        join_block = JOINERS if tail is None else tail.threads(joiners * RUN)
        head = kernel_head(f"{name}_join", buffers, join_block, follows=early)
        join = [*wait, put, JOIN] if tail is None else tail.lines(joiners * RUN, [*wait, put], JOIN)
        text = "\n".join([text, head, *pointers, *join, "}", ""])
        workspace = rows * move.parts * (4 * tiles.written + STATE_BYTES)
        join_grid = -(-rows * tiles.written // (RUN * joiners))
    grid = constants["TILES_M"] * constants["BATCHES"] * move.parts
    source = Source(
        name, text, grid, count, grid=grid, block=tiles.threads, shared=tiles.nbytes, workspace=workspace,
        join_grid=join_grid, join_block=join_block,
        first_grid=int(bulk), first_block=MAKERS if bulk else 0,
    )  # fmt: skip
    return source, move


def _in_bulk(a: Attention, k: Factor, v: Factor, tiles: Tiles) -> bool:
    """Does the copy engine bring keys and values? They are matrices of rows along the columns of a head, and
    there are scores enough for a function in front."""
    scores = max(a.scores.size(a.scores.z), 1) * a.scores.size(a.scores.m) * a.scores.size(a.scores.n)
    boxed = k.box is not None and v.box is not None and k.along_k and not v.along_k
    return boxed and tiles.move.parts == 1 and scores >= BULK_SCORES


def _in_parts(tiles: Tiles, card: Card) -> Attend:
    """The layout with as many parts as the card has room for."""
    a, move = tiles.a, tiles.move
    if a.total is not None:  # which the second kernel does not keep
        return move
    rows, keys = a.scores.size(a.scores.m), a.scores.size(a.scores.n)
    blocks = -(-rows // move.rows) * a.scores.size(a.scores.z)
    fitting = min(card.shared // (tiles.nbytes + ALIGNMENT), BUSY_WARPS * 32 // tiles.threads)
    together = 1 if tiles.by_groups else max(1, fitting)
    return replace(move, parts=parts_of(blocks, -(-keys // move.keys), card.processors * together))


def _require(tiles: Tiles, shared: int, by_groups: bool, turned: bool) -> None:
    """Raise IllegalMove unless the texts are written for these tiles."""
    a, move, in_groups = tiles.a, tiles.move, tiles.by_groups
    what = f"attention in tiles of {move.rows} rows and {move.keys} keys, {move.stages} at a time"
    if min(move.rows, move.keys, move.stages) < 1:
        raise IllegalMove(f"{what}: a size is below 1")
    if in_groups and (not by_groups or move.rows // 64 not in REGISTERS or move.rows % 64):
        raise IllegalMove(f"{what}: not by warpgroups of 64 rows, on this card and with these factors")
    if in_groups and (move.stages < 2 or move.keys > 128 or move.strips != 1):
        raise IllegalMove(f"{what}: warpgroups have two stages or more of up to 128 keys")
    if not in_groups and (move.strips not in (1, 2) or move.rows % (16 * move.strips)):
        raise IllegalMove(f"{what}: warps have one or two strips of 16 rows")
    if move.keys % (PANEL if turned or in_groups else 32) or move.rows > 192 or move.stages > 4:
        raise IllegalMove(f"{what}: keys come in panels")
    copiers = tiles.copiers
    copied = (move.rows * tiles.depth, move.keys * tiles.depth, move.keys * tiles.columns)
    if any(n % (RUN * copiers) for n in copied):
        raise IllegalMove(f"{what}: {copiers} threads do not share the copies of a tile evenly")
    if not 1 <= move.parts <= -(-a.scores.size(a.scores.n) // move.keys):
        raise IllegalMove(f"{what}: {move.parts} parts are more than there are tiles of keys")
    if move.parts > 1 and a.total is not None:
        raise IllegalMove(f"{what}: the totals of rows are kept by one block each, not by {move.parts}")
    if a.rows_of_one_head and range_size(a.scores.m[-1]) % move.rows:
        raise IllegalMove(f"{what}: a block whose keys end at a count must not go over several heads")
    if tiles.nbytes > shared:
        raise IllegalMove(f"{what}: {tiles.nbytes} bytes of shared memory, and a block has {shared}")
    sums = (tiles.written // 2 + move.keys * 3 // 4) * move.strips
    most = REGISTERS[move.rows // 64][1] if in_groups else MOST_REGISTERS
    if sums > most:
        raise IllegalMove(f"{what}: {sums} sums and scores do not fit the registers of a thread")


def _tiles(a: Attention, shared: int, by_groups: bool, turned: bool) -> Tiles:
    """The largest that fit in shared memory and in registers: sums, a tile of scores and its weights.

    Tiles of factors that are turned have whole panels of keys."""
    any_tiles = Tiles(Attend(BY_WARPS, ROWS, PANEL, 2), a)
    rows, columns = a.scores.size(a.scores.m), any_tiles.columns
    wide = max(any_tiles.depth, columns)
    if by_groups and rows > FEW_ROWS:
        return Tiles(Attend(WARPGROUPS, *_hopper_tiles(a, wide)), a)
    sizes = [(64, 64, 2, 1), (64, 64, 1, 1), (32, 64, 1, 1), (32, 32, 1, 1)]
    if rows <= FEW_ROWS:  # few warps without rows; and three tiles in flight, where two blocks still fit
        rows = next(size for size in (16, 32, 64) if size >= rows)
        sizes = [(rows, keys, stages, strips) for _, keys, stages, strips in sizes]
        # 38.5 -> 37.1 us for 32 heads of one query against 8192 keys, on an H200
        if 2 * (Tiles(Attend(BY_WARPS, rows, 64, 3), a).nbytes + ALIGNMENT) <= shared:
            sizes = [(rows, 64, 3, 1), *sizes]
    elif columns <= 64:
        sizes = [(ROWS, 64, 2, 2), *sizes]
    elif wide <= 128 and not turned:
        # 3.36 against 3.52 ms by single strips, on an H200
        sizes = [(ROWS, 32, 2, 2), *sizes]
    if wide > 128 and not turned and sizes[0][0] <= 64:
        sizes = [(sizes[0][0], 32, 2, 1), *sizes]
    made = [Tiles(Attend(BY_WARPS, *size), a) for size in sizes]
    return next((tiles for tiles in made if tiles.nbytes <= shared), made[-1])


def _hopper_tiles(a: Attention, wide: int) -> tuple[int, int, int]:
    """Rows, keys and stages for warpgroups of 64 rows."""
    if wide > 128:
        return ROWS, 64, 2
    # narrow sums leave room for another warpgroup: 1.14 against 1.27 ms for 64 columns; a block whose keys
    # end at a count must not go over several heads
    rows = a.scores.size(a.scores.m)
    if wide == PANEL and not a.rows_of_one_head:
        return 192 if rows > ROWS else ROWS, 128, 3
    # rows that do not fill their panels are copied more slowly: 1.70 against 2.00 ms for 96 columns
    whole = a.scores.size(a.scores.k) % PANEL == a.output.size(a.output.n) % PANEL == 0
    return ROWS, 128, 2 if whole else 3


def _constants(tiles: Tiles, factors: tuple[Factor, Factor, Factor]) -> dict[str, int]:
    """What the texts are written in terms of."""
    a, move, copiers = tiles.a, tiles.move, tiles.copiers
    few, many = REGISTERS.get(move.rows // 64, (0, 0))
    return constants_of(a, move, RUN, factors) | {
        "DQ": tiles.depth, "DV": tiles.columns, "STRIPS": move.strips, "ASKERS": tiles.threads,
        "SUMMED": -(-a.scores.size(a.scores.k) // 16) * 16, "COLUMNS": tiles.written, "LANES": RUN,
        "COPIERS": copiers, "WEIGHERS": move.rows * 2, "COPIER_REGISTERS": few, "WEIGHER_REGISTERS": many,
        # a thread that has the same chunk of several rows needs few registers for their places
        "TOGETHER": 16 if all(copiers % (n // RUN) == 0 for n in (tiles.depth, tiles.columns)) else 4,
    }  # fmt: skip


def _lies_still(a: Attention, k: Factor, v: Factor) -> bool:
    """Are keys and values copied from places that nothing has to be loaded for, as many as a number says? A
    place that is written meanwhile may be any."""
    nodes = [a.scores.b, a.output.b, *([] if a.count is None else [a.count])]
    loads = {n for node in nodes for n in node.toposort() if n.op is Op.LOAD}
    still = not any(n.op is Op.LOAD for load in loads for place in load.src[1:] for n in place.toposort())
    return k.copied and v.copied and still


ATTENTION: Final = Template("attention", attention_of, attention_source, Attend)
