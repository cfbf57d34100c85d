"""Small functions inside a kernel, written from expressions over the indices they are given.

    const auto chunk_A = [&](i32 given_z, i32 given_m, i32 given_c) -> Vec<Word, CHUNK> { ... };

What a factor of a product is at some place, where it lies, what becomes of a sum: each is an expression over
loops. The loops become arguments (`given`), the expression becomes the body."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from types import MappingProxyType
from typing import Final

from ...graph import dtypes
from ...graph.dtypes import DType
from ...graph.kernels.kernel import UNROLL, Kernel, loop, range_size
from ...graph.node import Node, const, index_const, make
from ...graph.ops import Op
from ...graph.param import Param
from ...graph.rules.symbolic import affine, coefficient_of, simplify
from ..linear.code import Memory
from ..linear.gpu.code import GIVEN, GIVEN_FIRST, NO_BUFFER, GpuCode
from ..linear.gpu.lower import GpuLowering
from .renderer import Renderer, type_name
from .scaled_bytes import scaled_bytes
from .schemes.layout import digits
from .staged import Staged, with_staged
from .templates.product.check import CHUNK_BYTES
from .templates.product.match import Contraction
from .types import gpu_types

Z, M, N, K, C, V = range(GIVEN_FIRST, GIVEN_FIRST + 6)
#: neighbours along k that one lane of a warp unpacks at least, where several of them lie in one word
WIDE = 32
#: bytes of the largest elements whose chunks may begin between whole ones; larger ones are copied one by one
MOST_SHIFTED: Final = 2
#: bytes of a row from which on they do: two loads of 16 bytes for each chunk of a shorter one, and the shift,
#: are no less work than its elements one by one (5,329 products of 27 x 27: 352 instructions and 344)
LEAST_SHIFTED: Final = 65
_NAMES = dict(zip((Z, M, N, K, C), "zmnkc", strict=True))


class Piece(GpuLowering):
    """A small expression over given indices, as the body of a function. Memories that are no buffers have
    the names in `held`, by their slots."""

    def __init__(self, *roots: Node, held: Mapping[int, str] = MappingProxyType({})) -> None:
        super().__init__(Kernel(make(Op.SINK, dtypes.bool_, roots), (), (), ()), 1)
        for node, memory in self.memories.items():
            if memory.slot in held:
                self.memories[node] = Memory(held[memory.slot], node.dtype, NO_BUFFER)

    def lines(self, written: frozenset[int], early: bool = False) -> list[str]:
        """The body, for a kernel that writes these slots; `early`, if it may begin before the one in
        front of it has ended."""
        code = self._code(frozenset(m.slot for m in self.memories.values() if m.slot >= 0) - written)
        code.early = early
        printer = Renderer(code)
        printer.depth = 2
        printer.block(code.body)
        return printer.lines

    def _code(self, read_only: frozenset[int] = frozenset()) -> GpuCode:
        return GpuCode("", self.stack[0].block, [], read_only, [], [], 0, 1, 1, 1, 0, 0)

    def ref(self, node: Node, lane: int | None = None) -> str:
        """The text of a value, at a lane of its unroll axis where it has one."""
        return self.at(node, {} if lane is None else {r.arg.number: lane for r in self.unroll_axes(node)})

    def at(self, node: Node, place: Mapping[int, int]) -> str:
        """The text of a value at a place of its unroll axes, by their numbers."""
        points, axes = self.emit(node), self.unroll_axes(node)
        value = points.project(axes, tuple([place[r.arg.number] for r in axes]))
        return Renderer(self._code()).ref(value)


def function(name: str, arguments: tuple[int, ...], result: str, body: list[str], first: str = "") -> str:
    """A function of given indices, and of what comes `first`."""
    given = first + ", ".join(f"i32 given_{_NAMES[a]}" for a in arguments)
    return "\n".join([f"  const auto {name} = [&]({given}) -> {result} {{", *body, "  };"])


def value_function(
    name: str, arguments: tuple[int, ...], node: Node, written: frozenset[int] = frozenset(),
    early: bool = False, kind: str = "",
) -> str:  # fmt: skip
    """A function of given indices that gives one value, perhaps as another `kind` of number."""
    made = gpu_types(node)
    piece = Piece(made)
    result = f"    return {f'({kind})' if kind else ''}{piece.ref(made)};"
    body = [*piece.lines(written, early), result]
    return function(name, arguments, kind or type_name(made.dtype), body)


def stored_lines(
    stores: tuple[Node, ...], held: Mapping[int, str], written: frozenset[int], early: bool = False
) -> list[str]:
    """The body of a function that stores."""
    piece = Piece(*stores, held=held)
    for store in stores:
        piece.store(store)
    return piece.lines(written, early)


def element_of(dtype: DType, number: int, width: int, lane: Node | None = None) -> Node:
    """An element of a memory that is no buffer but an argument of a function: of the one with this number,
    which has so many."""
    memory = make(Op.PARAM, dtype, (), Param(NO_BUFFER - number, width))
    return make(Op.LOAD, dtype, (memory, given(K, 1) if lane is None else lane))


def row_digits(c: Contraction) -> dict[Node, Node]:
    """The loops over batches and rows of a product from its given indices z and m."""
    return digits(c.z, given(Z, max(c.size(c.z), 1))) | digits(c.m, given(M, c.size(c.m)))


def given(number: int, size: int) -> Node:
    return loop(number, size, GIVEN)


@dataclass(frozen=True)
class Box:
    """A factor that lies in memory as a matrix: element i of row r of batch z is at
    first + z * batch + r * row + i, each in whole chunks."""

    first: int
    row: int
    batch: int


@dataclass(frozen=True)
class Factor:
    """How a factor is read: along k or across, copied or computed; `text` has the functions for it, `box`
    where it lies, if it is a matrix there.

    A factor that is copied has `row_X(z, m)`, where its chunks of one row (of m or n) begin, and `step_X(k)`,
    how far along k one is from there. Any other has `load_X(z, index across the chunks, chunk)`, what has to
    be read for a chunk, and `chunk_X`, which makes it of that and the same indices: `late`, when it is
    needed, if that holds no more registers; a wide one has `pairs_X`, words of two elements. A factor whose
    elements lie in memory, though no whole chunks do (rows of odd length), is copied `singly`: it has `row_X`
    and `step_X` of elements."""

    along_k: bool
    copied: bool
    rows_first: bool
    text: str
    box: Box | None = None
    late: bool = False
    singly: bool = False
    staged: tuple[Staged, ...] = ()  # rows of small loads, which a block has in shared memory
    linear: bool = False  # so many elements along k are as far apart everywhere


def factor(
    name: str, value: Node, c: Contraction, outer: tuple[Node, ...], dtype: DType, turns: bool,
    early: bool = False, wide: int = 0, singly: bool = False, in_chunks: bool = True,
    stages: bool = False,
) -> Factor:  # fmt: skip
    """A factor of a product, of this type, in chunks of 16 bytes; `turns` says whether the product can use
    chunks across k, `early` whether it may begin before the kernel in front of it has ended. `wide`: a lane
    has so many elements along k instead of a chunk, WIDE or twice as many, and computes them
    (`packed_along`). `singly`: elements may be copied one by one, where chunks may not or not `in_chunks`.
    `stages`: small loads are from rows in shared memory (`staged.py`).

    Where it cannot and memory runs across, neighbouring threads take neighbouring rows (`rows_first`)."""
    chunk = wide or CHUNK_BYTES // dtype.itemsize
    value = value if value.dtype is dtype else value.cast(dtype)
    across = bool(outer) and not runs(value, c.k[-1]) and runs(value, outer[-1])
    along_k = wide > 0 or not (across and turns)
    inner, other = (c.k, outer) if along_k else (outer, c.k)
    whole = range_size(inner[-1]) % chunk == 0
    total = c.size(inner)
    packed = packed_along(value, c.k) if wide else None
    axes = _axes((chunk,) if packed is None else (*((wide // WIDE,) if wide > WIDE else ()), *packed))
    v = _number(axes)
    mapping = digits(c.z, given(Z, max(c.size(c.z), 1))) | digits(other, given(M, c.size(other)))
    chunks = given(C, -(-total // chunk))
    if whole:
        mapping |= digits(inner, chunks, chunk, v)
    else:
        mapping |= digits(inner, simplify((chunks * chunk + v).minimum(total - 1)))
    made = simplify(value.substitute(mapping))
    if not whole and along_k:  # what lies beyond the end must not be summed
        made = (chunks * chunk + v < total).where(made, const(0, made.dtype))
    parts = _address(made, chunk, C if along_k else M) if whole and not wide and in_chunks else None
    if parts is not None:
        text = _copied(name, made.src[0].arg.slot, parts, along_k, early)
        return Factor(along_k, True, False, text, _box(parts, chunk), linear=_is_linear(parts[1]))
    shifts = dtype.itemsize <= MOST_SHIFTED and not wide and total * dtype.itemsize >= LEAST_SHIFTED
    if singly or shifts:
        alone = simplify(value.substitute(mapping | digits(inner, given(C, total))))
        parts = _address(alone, 1, C if along_k else M)
    if parts is not None and singly:
        text = _copied(name, alone.src[0].arg.slot, parts, along_k, early)
        return Factor(along_k, False, False, text, singly=True, linear=_is_linear(parts[1]))
    if parts is not None and shifts and _lies_along(parts):
        text = _shifted(name, alone.src[0].arg.slot, parts, chunk, total, along_k, c, early)
        return Factor(along_k, False, False, text, late=along_k)
    made, staged = with_staged(made, _first_loads(made), C) if stages else (made, ())
    made = gpu_types(made)
    late = along_k and len(_first_loads(made)) == 1
    texts = [value_function(f"start_{name}{r.number}", (Z, M), r.start, early=early) for r in staged]
    texts.append(_computed(name, made, axes, c, early, wide, staged))
    return Factor(along_k, False, across and along_k, "\n".join(texts), late=late, staged=staged)


def _is_linear(step: Node) -> bool:
    """Are so many elements along k as far apart everywhere?"""
    return all(term.op is Op.RANGE for term in affine(step)[0])


def _lies_along(parts: tuple[Node, Node]) -> bool:
    """Do neighbours along the given index C lie side by side wherever they are?"""
    terms = [t for part in parts for t in affine(part)[0].items() if C in {r.arg.number for r in t[0].ranges}]
    return [(term.op, coefficient) for term, coefficient in terms] == [(Op.RANGE, 1)]


def _axes(sizes: tuple[int, ...]) -> tuple[Node, ...]:
    """Unroll axes of these sizes, the outermost first."""
    return tuple([loop(V + i, size, UNROLL) for i, size in enumerate(sizes)])


def _number(axes: tuple[Node, ...]) -> Node:
    """The number of an element along several axes."""
    made, below = index_const(0), 1
    for axis in reversed(axes):
        made, below = made + axis * below, below * range_size(axis)
    return simplify(made)


def packed_along(value: Node, k: tuple[Node, ...]) -> tuple[int, ...] | None:
    """The axes that 32 neighbours along k make up where several of them come of one word, outermost first: in
    (2, 4, 4) the four of the last axis share a word, and the four of the second are words side by side. None
    where each has memory of its own."""
    if not k or range_size(k[-1]) % WIDE:
        return None
    loads = [n for n in value.toposort() if n.op is Op.LOAD and len(n.src) == 2 and k[-1] in n.ranges]
    found = None
    for load in loads:
        at = [simplify(load.src[1].substitute({k[-1]: index_const(i)})) for i in range(WIDE)]
        steps = [affine(simplify(other - at[0])) for other in at]
        if any(terms for terms, _ in steps):
            return None
        places = [constant for _, constant in steps]
        shared = next((i for i in range(WIDE) if places[i] != 0), WIDE)
        if shared == 1:
            return None
        run = next((i for i in range(WIDE // shared) if places[i * shared] != i), WIDE // shared)
        if shared < WIDE and run > 1 and WIDE % (shared * run) == 0:
            sizes = (WIDE // (shared * run), run, shared)
            found = found if found is not None and found[1] >= run else sizes
    return found


def _address(made: Node, chunk: int, k: int) -> tuple[Node, Node] | None:
    """Where a chunk lies, as a part that follows the row and one that follows the given index `k`; None where
    it does not lie there as it is needed."""
    if made.op is not Op.LOAD or len(made.src) != 2 or made.src[0].op is not Op.PARAM:
        return None
    piece = Piece(made)
    if piece.run_of(piece.memories[made.src[0]], made.src[1], piece.unroll_axes(made))[1] != chunk:
        return None
    start = simplify(made.src[1].substitute({r: index_const(0) for r in piece.unroll_axes(made)}))
    terms, constant = affine(start)
    row, step = index_const(constant), index_const(0)
    for term, coefficient in terms.items():
        numbers = {r.arg.number for r in term.ranges}
        if k in numbers and len(numbers) > 1:
            return None
        if k in numbers:
            step = step + term * coefficient
        else:
            row = row + term * coefficient
    return simplify(row), simplify(step)


def _box(parts: tuple[Node, Node], chunk: int) -> Box | None:
    """The matrix that chunks of these places make up, if they make up one."""
    steps = {Z: 0, M: 0, C: 0}
    first = 0
    for part in parts:
        terms, constant = affine(part)
        first += constant
        for term, coefficient in terms.items():
            if term.op is not Op.RANGE or coefficient <= 0 or coefficient % chunk:
                return None
            steps[term.arg.number] += coefficient
    return Box(first, steps[M], steps[Z]) if steps[C] == chunk and steps[M] and first % chunk == 0 else None


def _copied(name: str, slot: int, parts: tuple[Node, Node], along_k: bool, early: bool) -> str:
    outer, k = (M, C) if along_k else (C, M)
    texts = []
    for kind, arguments, node in (("row", (Z, outer), parts[0]), ("step", (k,), parts[1])):
        texts.append(value_function(f"{kind}_{name}", arguments, node, early=early))
    texts.append(f"  const Word *const start_{name} = reinterpret_cast<const Word *>(p{slot});")
    return "\n".join(texts)


#: A chunk that lies across two whole ones: both are loaded, and shifted when the chunk is needed. The second
#: one is that of the last element, so nothing beyond the last 16 bytes of the memory is read.
SHIFTED: Final = r"""
  struct Raw@X { Vec<u32, 4> first, second; };
  const auto begin_@X = [&](i32 given_z, i32 given_m, i32 given_c) {
    return ALONG_K ? row_@X(given_z, given_m) + step_@X(given_c * CHUNK)
        : row_@X(given_z, given_c * CHUNK) + step_@X(given_m);
  };
  const auto load_@X = [&](i32 given_z, i32 given_m, i32 given_c) -> Raw@X {
    const auto begin = begin_@X(given_z, given_m, given_c);
    const auto end = begin + least<i32>(CHUNK, TOTAL - given_c * CHUNK) - 1;
    const Word *const first = start_@X + (begin & ~(CHUNK - 1));
    const Word *const last = start_@X + (end & ~(CHUNK - 1));
    return {LOAD<4>(reinterpret_cast<const u32 *>(first)), LOAD<4>(reinterpret_cast<const u32 *>(last))};
  };
  const auto chunk_@X = [&](const Raw@X &raw, i32 given_z, i32 given_m, i32 given_c) -> Vec<Word, CHUNK> {
    const u32 begin = (u32)begin_@X(given_z, given_m, given_c);
    Vec<u32, 4> made = shifted(raw.first, raw.second, begin % CHUNK * sizeof(Word));
    if (RAGGED) made = first_bytes(made, (TOTAL - given_c * CHUNK) * (i32)sizeof(Word));
    return bits_as<Vec<Word, CHUNK>>(made);
  };"""


def _shifted(
    name: str, slot: int, parts: tuple[Node, Node], chunk: int, total: int, along_k: bool, c: Contraction,
    early: bool,
) -> str:  # fmt: skip
    """The functions of a factor whose chunks lie across two whole ones, `total` elements along them."""
    once = not early and slot != c.store.src[0].arg.slot
    text = SHIFTED.replace("@X", name).replace("LOAD", "load_many_once" if once else "load_many")
    ragged = along_k and total % chunk != 0
    for key, number in (("TOTAL", total), ("ALONG_K", along_k), ("RAGGED", ragged)):
        text = text.replace(key, str(int(number)))
    return _copied(name, slot, parts, along_k, early) + text


def _computed(
    name: str, made: Node, axes: tuple[Node, ...], c: Contraction, early: bool, wide: int,
    staged: tuple[Staged, ...],
) -> str:  # fmt: skip
    """`load_X`, what a chunk is made of, and `chunk_X`, the chunk made of it: loads are on their way while
    something else is done. Where a lane has `wide` elements it is `pairs_X`, two elements in each word."""
    written = frozenset({c.store.src[0].arg.slot})
    rows_in_shared = {rows.memory for rows in staged}
    loads = [load for load in _first_loads(made) if load.src[0].arg.slot not in rows_in_shared]
    piece = Piece(*loads) if loads else Piece(made)
    own = [tuple([r for r in axes if r.arg.number in _numbers(piece.unroll_axes(n))]) for n in loads]
    widths = [prod(map(range_size, each)) for each in own]
    fields = [
        "{{" + ", ".join(piece.at(load, place) for place in _places(each)) + "}}"
        for load, each in zip(loads, own, strict=True)
    ]
    kinds = zip(loads, widths, strict=True)
    members = " ".join(f"Vec<{type_name(n.dtype)}, {w}> at{i};" for i, (n, w) in enumerate(kinds))
    body = [*piece.lines(written, early), f"    return {{{', '.join(fields)}}};"]
    texts = [f"  struct Raw{name} {{ {members} }};"]
    texts.append(function(f"load_{name}", (Z, M, C), f"Raw{name}", body))
    held = {
        load: element_of(load.dtype, number, width, gpu_types(_number(mine)))
        for number, (load, width, mine) in enumerate(zip(loads, widths, own, strict=True))
    }
    names = {NO_BUFFER - number: f"raw.at{number}.at" for number in range(len(loads))}
    names |= {rows.memory: f"row_of_{name}{rows.number}(given_m)" for rows in staged}
    value = made.substitute(held)
    scaled = scaled_bytes(value, axes[-1]) if wide else None
    roots = (value,) if scaled is None else (scaled.word, scaled.scale, scaled.offset)
    piece = Piece(*roots, held=names)
    # as part of a sum; chunks of 16 bytes stay as they were measured
    piece.contract = len(axes) > 1
    first = f"const Raw{name} &raw, "
    if scaled is not None:
        lanes = ", ".join(scaled.pairs(piece, place) for place in _places(axes[:-1]))
    elif wide:
        each = [f"(u32)({piece.at(value, place)})" for place in _places(axes)]
        lanes = ", ".join(f"{low} | {high} << 16" for low, high in zip(each[::2], each[1::2], strict=True))
    else:
        lanes = ", ".join(f"(Word)({piece.at(value, place)})" for place in _places(axes))
    body = [*piece.lines(written, early), f"    return {{{{{lanes}}}}};"]
    kind, result = ("pairs", f"Vec<u32, {wide // 2}>") if wide else ("chunk", "Vec<Word, CHUNK>")
    texts.append(function(f"{kind}_{name}", (Z, M, C), result, body, first))
    return "\n".join(texts)


def _numbers(axes: tuple[Node, ...]) -> list[int]:
    return [r.arg.number for r in axes]


def _places(axes: tuple[Node, ...]) -> list[dict[int, int]]:
    """All places of some axes, the last of them fastest."""
    points = product(*[range(range_size(axis)) for axis in axes])
    return [dict(zip(_numbers(axes), point, strict=True)) for point in points]


def _first_loads(made: Node) -> list[Node]:
    """The loads of an expression whose values are not places of other loads."""
    found: list[Node] = []
    seen: set[Node] = set()
    stack = [made]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if node.op is Op.LOAD:
            found.append(node)
        else:
            stack += node.src
    return found


def runs(value: Node, r: Node) -> bool:
    """Do neighbours along `r` lie side by side in the memory this factor reads?"""
    loads = [n for n in value.toposort() if n.op is Op.LOAD and r in n.ranges and n.src[0].op is Op.PARAM]
    return any(coefficient_of(n.src[1], r) == 1 for n in loads)
