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
from .....graph.dtypes import DType
from .....graph.kernels.kernel import UNROLL, loop
from .....graph.node import Node, const, is_const, make
from .....graph.ops import Op
from .....graph.param import Param
from .....graph.rules.symbolic import simplify
from ....linear.code import Memory
from ....linear.gpu.code import NO_BUFFER
from ...pieces import C, K, M, Piece, V, Z, given
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
        inside = self._weigh_text("weigh_inside", self.inside if bounded else self.masked)
        return "\n".join([rows, keys, self._weigh_text("weigh_masked", self.masked), inside])

    def _placed(self, weight: Node) -> Node:
        """A weight in terms of given indices and of the inner sums there."""
        c, v = self.found.outer, self._lane
        keys = c.size(c.k)
        mapping = digits(c.z, given(Z, max(c.size(c.z), 1))) | digits(c.m, given(M, c.size(c.m)))
        mapping |= digits(c.k, given(C, keys // self.width), self.width, v)
        made = {
            each.fold: _element(dtypes.float32, number, self.width, v)
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
        types = [type_name(load.dtype) for load in loads]
        arguments = "i32 n0, int lane" if by_key else "i32 m"
        if not loads:
            return f"  const auto read_{kind}s = [&]({arguments}) {{}};"
        piece = Piece(*loads)
        refs = [", ".join(piece.ref(load, lane) for lane in range(width)) for load in loads]
        results = ", ".join(f"Vec<{t}, {width}> &read{i}" for i, t in enumerate(types))
        count = f"BN / 4 / {width}" if by_key else "2"
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
                *(f"  Vec<{t}, {width}> {kind}{i}[{count}];" for i, t in enumerate(types)),
                f"  const auto read_{kind} = [&](i32 given_z, i32 given_m, i32 given_c, {results}) {{",
                *piece.lines(self._written),
                *(f"    read{i} = {{{{{ref}}}}};" for i, ref in enumerate(refs)), "  };",
                f"  const auto read_{kind}s = [&]({arguments}) {{", "#pragma unroll",
                f"    for (int i = 0; i < {steps}; ++i) {{", *calls, "    }", "  };",
            ]
        )  # fmt: skip

    def _weigh_text(self, name: str, weights: list[Node]) -> str:
        """`name(m, n0, lane)`: a tile of inner sums becomes one of weights, which are 0 beyond the last
        key."""
        width, v, inner = self.width, self._lane, len(self.found.inner)
        names: dict[Node, tuple[str, Node, int]] = {}
        for kind, loads in (("row", self.by_row), ("key", self.by_key)):
            for number, load in enumerate(loads):
                size, lane = (width, v) if kind == "key" else (1, None)
                element = _element(load.dtype, inner + len(names), size, lane)
                names[load] = (f"{kind}{number}", element, size)
        known = {load: element for load, (_, element, _) in names.items()}
        nodes = [weight.substitute(known) for weight in weights]
        piece = Piece(*nodes)
        held = [f"made{i}" for i in range(inner)] + [f"{name}_" for name, _, _ in names.values()]
        for node in piece.kernel.sink.toposort():
            if node.op is Op.PARAM and node.arg.slot <= NO_BUFFER:
                memory = f"{held[NO_BUFFER - node.arg.slot]}.at"
                piece.memories[node] = Memory(memory, node.dtype, NO_BUFFER)
        refs = [", ".join(piece.ref(node, lane) for lane in range(width)) for node in nodes]
        arguments = "".join(f", Vec<f32, {width}> made{i}" for i in range(inner))
        arguments += "".join(
            f", Vec<{type_name(load.dtype)}, {size}> {read}_" for load, (read, _, size) in names.items()
        )
        results = ", ".join(f"Vec<f32, {width}> &weight{i}" for i in range(len(nodes)))
        lines = [
            f"  const auto {name}_one = [&](i32 given_z, i32 given_m, i32 given_c{arguments}, {results}) {{",
            "    const i32 given_k = 0;", *piece.lines(self._written),
            *(f"    weight{i} = {{{{{ref}}}}};" for i, ref in enumerate(refs)), "  };",
            f"  const auto {name} = [&](i32 m, i32 n0, int lane) {{", "#pragma unroll",
            "    for (int i = 0; i < BN / 2; i += 2) {",
            "      const i32 row = least<i32>(m + i / 2 % 2 * 8, M - 1), n = n0 + i / 4 * 8 + lane % 4 * 2;",
        ]  # fmt: skip
        for part in range(2 // width):
            at = "i" if part == 0 else "i + 1"
            place = f"z, row, least<i32>(n + {part}, KEYS - 1)" + (" / 2" if width > 1 else "")
            sums = "".join(
                f", {{{{{', '.join(f'made{j}[{at} + {e}]' for e in range(width))}}}}}" for j in range(inner)
            )
            sums += "".join(f", row{i}[i / 2 % 2]" for i in range(len(self.by_row)))
            sums += "".join(f", key{i}[i / 4 * {2 // width} + {part}]" for i in range(len(self.by_key)))
            made = ", ".join(f"w{part}_{i}" for i in range(len(nodes)))
            lines.append(f"      Vec<f32, {width}> {made};")
            lines.append(f"      {name}_one({place}{sums}, {made});")
            for i in range(len(nodes)):
                lines += [
                    f"      weight{i}[{at} + {e}] = n + {part + e} < KEYS ? w{part}_{i}.at[{e}] : 0.0f;"
                    for e in range(width)
                ]
        return "\n".join([*lines, "    }", "  };"])


def _element(dtype: DType, number: int, width: int, lane: Node | None) -> Node:
    """An element of an argument of the functions, by its number."""
    memory = make(Op.PARAM, dtype, (), Param(NO_BUFFER - number, width))
    return make(Op.LOAD, dtype, (memory, lane if lane is not None else given(K, 1)))


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
