"""How inner sums become weights: functions written from the graph.

    weigh_inside(m, n0, lane)       made0, made1 -> weight0, weight1, for a tile of keys from n0 on
    read_rows(m), read_keys(n0, lane)       what that reads of a row or of a key alone

The weights of attention's backward pass are exp(s - l) and w * (g - d), with an l and a d for each query.
These are loaded before the inner sums are there: behind them every tile would wait for memory once more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from .....graph import dtypes
from .....graph.kernels.kernel import UNROLL, loop
from .....graph.node import Node, const, is_const, make
from .....graph.ops import Op
from .....graph.rules.symbolic import simplify
from ....linear.gpu.code import NO_BUFFER
from ...pieces import C, M, Piece, V, element_of, given, row_digits
from ...renderer import type_name
from ...schemes.layout import digits
from ...types import gpu_types
from .match import Recomputed


@dataclass(frozen=True)
class Weights:
    """The weights of a kernel, a function of inner sums, of a row and of a key."""

    found: Recomputed

    @property
    def width(self) -> int:
        """Neighbouring keys that are weighed together."""
        return 2 if self.found.outer.size(self.found.outer.k) % 2 == 0 else 1

    @cached_property
    def masked(self) -> list[Node]:
        return [self._placed(s.weight) for s in self.found.sums]

    @cached_property
    def inside(self) -> list[Node]:
        return [self._placed(s.inside) for s in self.found.sums]

    @cached_property
    def by_row(self) -> list[Node]:
        """Loads that follow rows, or neither rows nor keys."""
        return [n for n in self._loads if not _follows(n, C, V)]

    @cached_property
    def by_key(self) -> list[Node]:
        return [n for n in self._loads if not _follows(n, M) and _follows(n, C, V)]

    @cached_property
    def _loads(self) -> list[Node]:
        nodes = dict.fromkeys(n for root in (*self.masked, *self.inside) for n in root.toposort())
        return [n for n in nodes if _is_plain(n)]

    def text(self, bounded: bool) -> str:
        """All functions. `bounded`: no tile of `weigh_inside` reaches over the bounds of its rows."""
        rows, keys = self._read_text("row", self.by_row), self._read_text("key", self.by_key)
        every = tuple(range(len(self.found.sums)))
        inside = self._weigh_text("weigh_inside", self.inside if bounded else self.masked, every)
        return "\n".join([rows, keys, self._weigh_text("weigh_masked", self.masked, every), inside])

    @cached_property
    def early(self) -> tuple[int, tuple[int, ...]]:
        """The inner product that some weights are made of alone, and the numbers of their sums; all sums are
        early where there is one inner product."""
        for number, each in enumerate(self.found.inner):
            others = {c.fold for c in self.found.inner} - {each.fold}
            alone = [i for i, s in enumerate(self.found.sums) if others.isdisjoint(s.weight.toposort())]
            if alone:
                return number, tuple(alone)
        return 0, ()

    @property
    def late(self) -> tuple[int, ...]:
        return tuple(i for i in range(len(self.found.sums)) if i not in self.early[1])

    def kept_bytes(self, keys: int) -> int:
        """Of what is read of each of so many keys, in shared memory."""
        return sum(-(-load.dtype.itemsize * keys // 16) * 16 for load in self.by_key)

    def text_in_two(self, bounded: bool) -> str:
        """The same in two parts, `weigh_masked_early` and `_late`, for weights that are made of one inner
        product alone and for the others, which may be made of those; behind `keep_text`."""
        _, early = self.early
        texts = [self._read_text("row", self.by_row)]
        for name, weights in (("inside", self.inside if bounded else self.masked), ("masked", self.masked)):
            texts.append(self._weigh_text(f"weigh_{name}_early", weights, early))
            texts.append(self._weigh_text(f"weigh_{name}_late", weights, self.late, early))
        return "\n".join(texts)

    def keep_text(self, keys: int) -> str:
        """`keep_keys(copier, stage, n0)`, by which those who copy put what is read of keys into shared
        memory, and `read_keys(stage, lane)`, which reads it there: loaded ahead, it would hold as many
        registers as a tile of sums."""
        if not self.by_key:
            return "\n".join(
                [
                    "  const auto keep_keys = [&](u32 copier, i32 stage, i32 n0) {};",
                    "  const auto read_keys = [&](i32 stage, int lane) {};",
                ]
            )
        width, loads = self.width, self.by_key
        types = [type_name(load.dtype) for load in loads]
        tiles, puts, gets, at = [], [], [], 0
        for i, (load, kind) in enumerate(zip(loads, types, strict=True)):
            start = f"kept_keys + stage * {self.kept_bytes(keys)} + {at}"
            found = f"return reinterpret_cast<{kind} *>({start});"
            tiles.append(f"  const auto kept_key{i} = [&](i32 stage) {{ {found} }};")
            at += -(-load.dtype.itemsize * keys // 16) * 16
            puts.append(f"      store_many<{width}>(kept_key{i}(stage) + n, read{i});")
            for part in range(2 // width):
                place = f"kept_key{i}(stage) + i * 8 + lane % 4 * 2 + {part}"
                gets.append(f"      key{i}[i * {2 // width} + {part}] = load_many<{width}>({place});")
        declared = "; ".join(f"Vec<{kind}, {width}> read{i}" for i, kind in enumerate(types))
        where = "least<i32>(n0 + n, KEYS - 1)" + (" / 2" if width > 1 else "")
        names = ", ".join(f"read{i}" for i in range(len(loads)))
        return "\n".join(
            [
                *self._read_one_text("key", loads), *tiles,
                "  const auto keep_keys = [&](u32 copier, i32 stage, i32 n0) {",
                f"    for (u32 n = copier * {width}; n < BN; n += COPIERS * {width}) {{",
                f"      {declared};", f"      read_key(z, 0, {where}, {names});", *puts, "    }", "  };",
                "  const auto read_keys = [&](i32 stage, int lane) {", "#pragma unroll",
                "    for (int i = 0; i < BN / 8; ++i) {", *gets, "    }", "  };",
            ]
        )  # fmt: skip

    def _placed(self, weight: Node) -> Node:
        """A weight in terms of given indices and of the inner sums there."""
        c, v = self.found.outer, self._lane
        keys = c.size(c.k)
        mapping = row_digits(c) | digits(c.k, given(C, keys // self.width), self.width, v)
        made = {
            each.fold: element_of(dtypes.float32, number, self.width, v)
            for number, each in enumerate(self.found.inner)
        }
        return gpu_types(simplify(powers_of_two(weight).substitute(made).substitute(mapping)))

    @property
    def _lane(self) -> Node | None:
        return loop(V, self.width, UNROLL) if self.width > 1 else None

    @property
    def _written(self) -> frozenset[int]:
        return frozenset(s.product.store.src[0].arg.slot for s in self.found.sums)

    def _read_text(self, kind: str, loads: list[Node]) -> str:
        """`read_rows(m)` or `read_keys(n0, lane)`, into arrays of a thread's two rows or BN / 4 keys."""
        by_key = kind == "key"
        width = self.width if by_key else 1
        arguments = "i32 n0, int lane" if by_key else "i32 m"
        if not loads:
            return f"  const auto read_{kind}s = [&]({arguments}) {{}};"
        parts = range(2 // width) if by_key else range(1)
        places = [f"i * {len(parts)} + {part}" if by_key else "i" for part in parts]
        if by_key:
            steps, n = "BN / 8", "n0 + i * 8 + lane % 4 * 2"
            where = [
                f"z, 0, least<i32>({n} + {part}, KEYS - 1)" + (" / 2" if width > 1 else "") for part in parts
            ]
        else:
            steps, where = "2", ["z, least<i32>(m + i * 8, M - 1), 0"]
        calls = [
            f"      read_{kind}({at}, {', '.join(f'{kind}{i}[{place}]' for i in range(len(loads)))});"
            for at, place in zip(where, places, strict=True)
        ]
        return "\n".join(
            [
                *self._read_one_text(kind, loads),
                f"  const auto read_{kind}s = [&]({arguments}) {{", "#pragma unroll",
                f"    for (int i = 0; i < {steps}; ++i) {{", *calls, "    }", "  };",
            ]
        )  # fmt: skip

    def _read_one_text(self, kind: str, loads: list[Node]) -> list[str]:
        """What is read of one row or of neighbouring keys, and where a thread holds it."""
        by_key = kind == "key"
        width = self.width if by_key else 1
        types = [type_name(load.dtype) for load in loads]
        piece = Piece(*loads)
        refs = [", ".join(piece.ref(load, lane) for lane in range(width)) for load in loads]
        results = ", ".join(f"Vec<{t}, {width}> &read{i}" for i, t in enumerate(types))
        count = f"BN / 4 / {width}" if by_key else "2"
        return [
            *(f"  Vec<{t}, {width}> {kind}{i}[{count}];" for i, t in enumerate(types)),
            f"  const auto read_{kind} = [&](i32 given_z, i32 given_m, i32 given_c, {results}) {{",
            *piece.lines(self._written),
            *(f"    read{i} = {{{{{ref}}}}};" for i, ref in enumerate(refs)), "  };",
        ]  # fmt: skip

    def _weigh_text(
        self, name: str, every: list[Node], numbers: tuple[int, ...], before: tuple[int, ...] = ()
    ) -> str:
        """`name(m, n0, lane)`: a tile of inner sums becomes one of the weights of these sums, which are 0
        beyond the last key. Weights that were made `before` are at hand."""
        width, v, inner = self.width, self._lane, len(self.found.inner)
        #: what is given to the function: its type, its element in the expression, and an argument's name
        names: dict[Node, tuple[str, Node, int]] = {}
        for kind, loads in (("row", self.by_row), ("key", self.by_key)):
            for number, load in enumerate(loads):
                size, lane = (width, v) if kind == "key" else (1, None)
                element = element_of(load.dtype, inner + len(names), size, lane)
                names[load] = (f"{kind}{number}", element, size)
        weights = [every[number] for number in numbers]
        for number in before:
            if not is_const(every[number]) and any(every[number] in w.toposort() for w in weights):
                element = element_of(dtypes.float32, inner + len(names), width, v)
                names[every[number]] = (f"weight{number}", element, width)
        known = {load: element for load, (_, element, _) in names.items()}
        nodes = [weight.substitute(known) for weight in weights]
        arguments = "".join(f", Vec<f32, {width}> made{i}" for i in range(inner))
        arguments += "".join(
            f", Vec<{type_name(load.dtype)}, {size}> {read}_" for load, (read, _, size) in names.items()
        )
        head = f"  const auto {name} = [&](i32 m, i32 n0, int lane) {{"
        if not nodes:
            return f"{head}}};"
        held = [f"made{i}" for i in range(inner)] + [f"{name}_" for name, _, _ in names.values()]
        piece = Piece(*nodes, held={NO_BUFFER - number: f"{each}.at" for number, each in enumerate(held)})
        refs = [", ".join(piece.ref(node, lane) for lane in range(width)) for node in nodes]
        results = ", ".join(f"Vec<f32, {width}> &weight{i}" for i in numbers)
        lines = [
            f"  const auto {name}_one = [&](i32 given_z, i32 given_m, i32 given_c{arguments}, {results}) {{",
            "    const i32 given_k = 0;", *piece.lines(self._written),
            *(f"    weight{i} = {{{{{ref}}}}};" for i, ref in zip(numbers, refs, strict=True)), "  };",
            head, "#pragma unroll",
            "    for (int i = 0; i < BN / 2; i += 2) {",
            "      const i32 row = least<i32>(m + i / 2 % 2 * 8, M - 1), n = n0 + i / 4 * 8 + lane % 4 * 2;",
        ]  # fmt: skip
        for part in range(2 // width):
            at = "i" if part == 0 else "i + 1"
            place = f"z, row, least<i32>(n + {part}, KEYS - 1)" + (" / 2" if width > 1 else "")
            sums = "".join(f", {_pair(f'made{j}', at, width)}" for j in range(inner))
            for read, _, _ in names.values():
                if read.startswith("row"):
                    sums += f", {read}[i / 2 % 2]"
                elif read.startswith("key"):
                    sums += f", {read}[i / 4 * {2 // width} + {part}]"
                else:
                    sums += f", {_pair(read, at, width)}"
            made = ", ".join(f"w{part}_{i}" for i in numbers)
            lines.append(f"      Vec<f32, {width}> {made};")
            lines.append(f"      {name}_one({place}{sums}, {made});")
            for i in numbers:
                lines += [
                    f"      weight{i}[{at} + {e}] = {_inside(part + e)} ? w{part}_{i}.at[{e}] : 0.0f;"
                    for e in range(width)
                ]
        return "\n".join([*lines, "    }", "  };"])


def _inside(distance: int) -> str:
    return f"KEYS % BN == 0 || n + {distance} < KEYS"


def _pair(array: str, at: str, width: int) -> str:
    return f"{{{{{', '.join(f'{array}[{at} + {e}]' for e in range(width))}}}}}"


def _is_plain(node: Node) -> bool:
    """Is it a load of a buffer, of rows or of keys alone, at a place that nothing is loaded for?"""
    if node.op is not Op.LOAD or len(node.src) != 2 or node.src[0].arg.slot <= NO_BUFFER:
        return False
    both = _follows(node, M) and _follows(node, C, V)
    return not both and all(n.op is not Op.LOAD for n in node.src[1].toposort())


def _follows(node: Node, *numbers: int) -> bool:
    return any(r.arg.number in numbers for r in node.ranges)


def powers_of_two(weight: Node) -> Node:
    """exp(x) -> 2 ** (x * log2(e)), with the factor where it costs least."""
    done = {n: make(Op.EXP2, n.dtype, (_scaled(n.src[0]),)) for n in weight.toposort() if n.op is Op.EXP}
    return weight.substitute(done) if done else weight


def _scaled(x: Node) -> Node:
    """x * log2(e)"""
    if x.op is Op.SUB:
        return make(Op.SUB, x.dtype, (_scaled(x.src[0]), _scaled(x.src[1])))
    if x.op is Op.WHERE and is_const(x.src[2], float("-inf")):
        return make(Op.WHERE, x.dtype, (x.src[0], _scaled(x.src[1]), x.src[2]))
    if x.op is Op.MUL and is_const(x.src[1]):
        return make(Op.MUL, x.dtype, (x.src[0], const(x.src[1].arg * math.log2(math.e), x.dtype)))
    return make(Op.MUL, x.dtype, (x, const(math.log2(math.e), x.dtype)))
