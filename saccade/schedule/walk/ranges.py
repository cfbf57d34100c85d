"""Shapes become ranges: the walk that turns a tensor graph into kernels.

Down (`requests`): from the results to the buffers, every node hands its sources requests for their values at
certain indices, and `placement` decides where each value lives. Up (here): from the buffers to the results,
the requested scalars are built.

    softmax over rows, one kernel:
      out[i, j] = exp(x[i, j] - m) / s
      m = FOLD(max, x[i, j1], j1)      s = FOLD(add, exp(x[i, j2] - m), j2)

Both folds depend on i alone, so they are computed once per row; nothing in the walk knows what a softmax is.
"""

from __future__ import annotations

from functools import cached_property
from math import prod

from ...graph import dtypes
from ...graph.kernels import kernel
from ...graph.kernels.kernel import Kernel, Sorting
from ...graph.monoid import LOGSUMEXP, SOFTMAX, WEIGHTED
from ...graph.node import Node, make
from ...graph.ops import APART, ELEMENTWISE, MOVEMENT, Op
from ...graph.param import Param, Rows
from ...graph.rewriting.passes import Roots
from ...graph.rules.symbolic import bounds, simplify
from ...transform.stores import Targets
from ..cost import CPU, Machine
from ..memory import ALIGNMENT
from .draft import Draft, Key, Request
from .finish import finished, in_order, resolve, with_words
from .movement import ZERO, flatten, place_in_rows, slice_indices, update_indices
from .requests import Apart, Requests, memory_below
from .scalars import (
    chosen,
    narrowed,
    padded,
    read_where,
    read_where_both,
    reduced,
    scanned,
    total_of,
    weighed,
    weighted,
    with_axis,
)


class Walk(Requests):
    """One pass over a graph, down and up. `kernels()` is its result: kernels with the tensor nodes their
    slots stand for."""

    def __init__(
        self, roots: Roots, machine: Machine = CPU, targets: Targets = (), apart: Apart = frozenset()
    ) -> None:
        super().__init__(roots, machine, targets, apart)
        self.values: dict[tuple[Node, Key], Node] = {}
        self.memory: dict[Node, Node] = {}  # a stored node or BUFFER -> its PARAM, numbered over the walk
        self.parts: dict[Node, Node] = {}  # the PARAM of a part of a CAT -> the CAT
        self._partial: set[Node] = set()  # PARAMs of memory that is only partly there
        self.up()

    def up(self) -> None:
        for node in self.order:
            placement = self.placements[node]
            if placement.how == "tile":
                self._build_tile(node)
            for key, request in self.requests[node].items():
                if key[0] == "own" and node.op is not Op.SORT:
                    copies = node.op is Op.SCATTER or node in self.updates
                    value = self._value(request, 0) if copies else self._build(node, request)
                elif key[0] in ("own", "updates"):
                    continue
                elif placement.how == "store":
                    value = kernel.load(
                        self.param_of(node), flatten(request.indices, node.shape), request.valid
                    )
                elif placement.how == "tile":
                    value = self._read_tile(node, request)
                else:
                    value = self._build(node, request)
                self.values[node, key] = value

    def _value(self, request: Request, child: int) -> Node:
        return self.values[request.children[child]]

    def _build(self, node: Node, request: Request) -> Node:
        """The scalar a request asks for, from the scalars its children gave."""
        op = node.op
        if op is Op.BUFFER or op is Op.PARAM:
            return kernel.load(self.param_of(node), request.indices[0], request.valid)
        if op is Op.CONST or op is Op.VALUE:
            return node
        if op is Op.IOTA:
            return request.indices[0]
        if op in ELEMENTWISE:
            sources = tuple(self.values[c] for c in request.children)
            if op is Op.WHERE:
                sources = read_where(sources, self._partial)
            elif op is Op.AND and node.dtype.is_bool and self._partial:
                sources = read_where_both(sources, self._partial)
            return make(op, node.dtype, sources, node.arg)
        if op is Op.PAD:
            return padded(self._value(request, 0), self.source_indices(node, request.indices)[1])
        if op in MOVEMENT or op is Op.CONTIGUOUS or op is Op.COPY:
            return self._value(request, 0)
        if op is Op.GATHER:
            return padded(self._value(request, 1), request.inside)
        if op is Op.UPDATE:
            _, inside = update_indices(node, request.indices)
            base, part = self._value(request, 0), self._value(request, 1)
            return part if inside is None else inside.where(part, base)
        if op is Op.REDUCE:
            if node.arg[0] == SOFTMAX:
                return weighed(request, self._value(request, 0), self._value(request, 1))
            if node.arg[0] == WEIGHTED:
                return weighted(request, self._value(request, 0), self._value(request, 1))
            if node.arg[0] == LOGSUMEXP:
                return total_of(request, self._value(request, 0))
            return reduced(node, request, self._value(request, 0))
        if op is Op.TOPK:
            return chosen(node, request, self._value(request, 0))
        assert op is Op.SCAN, node
        monoid, axis = node.arg
        return scanned(monoid, self._value(request, 0), request.indices[axis])

    def _build_tile(self, node: Node) -> None:
        own = self.tiles[node]
        value = narrowed(self._build(node, own))
        number = own.draft.next_number
        own.draft.next_number += 1
        ranges = tuple(r for r in own.tile if r is not ZERO)
        region = self.placements[node].region
        assert region is not None
        staged = kernel.stage(value, flatten(own.tile, region.extent), ranges, number, prod(region.extent))
        self.values[node, own.key("tile")] = staged

    def _read_tile(self, node: Node, request: Request) -> Node:
        own = self.tiles[node]
        staged = self.values[node, own.key("tile")]
        region = self.placements[node].region
        assert region is not None
        local = tuple(simplify(i - start) for i, start in zip(request.indices, region.start, strict=True))
        index = flatten(local, region.extent)
        return kernel.load(staged, index, request.valid).cast(node.dtype)

    def param_of(self, node: Node) -> Node:
        found = self.memory.get(node)
        if found is None:
            found = self.memory[node] = make(Op.PARAM, node.dtype, (), Param(self._new_slot(), node.size))
            if node.op is Op.PARAM and node.arg.partial:
                self._partial.add(found)
        return found

    def _new_slot(self) -> int:
        return len(self.memory) + len(self.parts)

    # --- the result

    @cached_property
    def finished(self) -> list[Draft]:
        """The drafts that become kernels, in the order of these."""
        return in_order(self.drafts, self.order)

    def kernels(self) -> list[tuple[Kernel, tuple[Node, ...]]]:
        """Kernels, producers before consumers, each with the stored nodes and BUFFERs behind its slots."""
        drafts = self.finished
        # by memory, not by node: resolving or simplifying what is inside a placeholder makes it another node
        resolved = {
            placeholder.src[0]: self.values[child] for placeholder, child in self.placeholders.items()
        }
        roots = resolve([kernel.sink(tuple(self._stores(d))) for d in drafts], resolved)
        roots = [with_words(root, self.param_of) for root in roots]
        owner = {memory: node for node, memory in self.memory.items()} | self.parts
        return finished(drafts, roots, owner)

    def _stores(self, draft: Draft) -> list[Node]:
        if self.stored.get(draft.node, draft) is not draft:
            return [self._update_store(draft) if draft.node.op is Op.UPDATE else self._scatter_store(draft)]
        if draft.node.op is Op.SORT:
            return [self._sort(draft)]
        if draft.part is not None:
            return [self._part_store(draft, draft.part)]
        stores = []
        for node in draft.stores:
            own = next(r for k, r in self.requests[node].items() if k[0] == "own")
            value = self.values[node, own.key("own")]
            memory = self.param_of(node)
            if node.op is Op.CONTIGUOUS and isinstance(node.arg, Rows):
                place, inside = place_in_rows(draft.ranges, node.arg)
                stores.append(kernel.store(memory, place, value, inside, APART))
            else:
                stores.append(kernel.store(memory, flatten(draft.ranges, node.shape), value))
        return stores

    def _sort(self, draft: Draft) -> Node:
        source, (axis, descending, keep, run, _) = draft.node.src[0], draft.node.arg
        shape = source.shape
        sorting = Sorting(
            prod(shape[:axis]),
            shape[axis],
            prod(shape[axis + 1 :]),
            descending,
            tuple(n.arg[-1] for n in draft.stores),
            keep,
            run,
            len(draft.node.src) > 1,
        )
        memories = [self.param_of(memory_below(s) or s) for s in draft.node.src]
        return make(Op.SORT, dtypes.bool_, (*memories, *[self.param_of(n) for n in draft.stores]), sorting)

    def _update_store(self, draft: Draft) -> Node:
        node = draft.node
        request = next(r for k, r in self.requests[node].items() if k[0] == "updates" and r.draft is draft)
        place = flatten(slice_indices(node.arg, draft.ranges), node.shape)
        return kernel.store(self.param_of(node), place, self._value(request, 0))

    def _part_store(self, draft: Draft, request: Request) -> Node:
        """A part of a CAT goes to its place in the memory of all parts. A kernel is given the address of that
        place, so that parts of one shape have one kernel, but for what an aligned address leaves over."""
        shape, dtype = draft.node.shape, draft.node.dtype
        over = draft.before % ALIGNMENT
        draft.before -= over
        index = simplify(flatten(draft.ranges, shape) + over // dtype.itemsize)
        # unlike `param_of`: what a kernel may touch is this part
        memory = make(Op.PARAM, dtype, (), Param(self._new_slot(), int(bounds(index)[1]) + 1))
        self.parts[memory] = draft.node
        return kernel.store(memory, index, self._value(request, 0))

    def _scatter_store(self, draft: Draft) -> Node:
        node = draft.node
        axis, mode = node.arg
        request = next(r for k, r in self.requests[node].items() if k[0] == "updates" and r.draft is draft)
        where = self._value(request, 0).cast(dtypes.index)
        target = flatten(with_axis(draft.ranges, axis, where), node.shape)
        inside = (where >= 0) & (where < node.shape[axis])
        # duplicates are written in order, so that axis is never split over threads or lanes: it comes last,
        # but for a core that takes them row by row
        last = draft.ranges[axis]
        others = frozenset(r for r in draft.outer if r is not last)
        if last is not ZERO and draft.fits(others):
            draft.hold(others)
        return kernel.store(
            self.param_of(node), target, self._value(request, 1), inside, None if mode == "set" else mode
        )
