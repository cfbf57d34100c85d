"""Shapes become ranges: the walk that turns a tensor graph into kernels.

Down: from the results to the buffers, every node hands its sources requests for their values at certain
indices, and `placement` decides where each value lives. Up: from the buffers to the results, the requested
scalars are built.

    softmax over rows, one kernel:
      out[i, j] = exp(x[i, j] - m) / s
      m = FOLD(max, x[i, j1], j1)      s = FOLD(add, exp(x[i, j2] - m), j2)

Both folds depend on i alone, so they are computed once per row; nothing in the walk knows what a softmax is.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from math import prod

from ..graph import dtypes, kernel
from ..graph.kernel import Kernel, Sorting
from ..graph.monoid import SOFTMAX
from ..graph.node import Node, make, walk
from ..graph.ops import ELEMENTWISE, MOVEMENT, Op
from ..graph.param import Param
from ..graph.passes import Roots
from ..graph.symbolic import bounds, simplify
from ..transform.stores import Targets, below_reshapes, updates_of
from .cost import CPU, Machine, element_costs
from .draft import Context, Draft, Key, Request, fold_free
from .finish import finished, in_order, resolve, with_words
from .limits import MOST_LOADS
from .memory import ALIGNMENT
from .movement import ZERO, Indices, flatten, is_wider, slice_indices, source_indices, update_indices
from .placement import (
    INLINE,
    Facts,
    Placement,
    Region,
    fetched_too_deep,
    memories_below,
    nodes_with_folds,
    place,
    reason_to_store,
    sums_of_products,
)
from .product import factors_of
from .scalars import (
    below_expansion,
    chosen,
    gathered,
    narrowed,
    padded,
    reduced,
    scanned,
    weighed,
    with_axis,
    without_axis,
)

Apart = frozenset[Node]


class Walk:
    """One pass over a graph. `kernels()` is its result: kernels with the tensor nodes their slots stand
    for."""

    def __init__(
        self, roots: Roots, machine: Machine = CPU, targets: Targets = (), apart: Apart = frozenset()
    ) -> None:
        self.order = list(walk(roots))
        #: those that are stored because a kernel with them inside has no fast form
        self.apart = apart
        #: those of which only a part is written, over memory that holds the rest
        self.updates = {n for root, to in zip(roots, targets, strict=False) for n in updates_of(root, to)}
        self.machine = machine
        self.roots = frozenset(roots)
        self.costs = element_costs(self.order, machine)
        self.with_folds = nodes_with_folds(self.order)
        self.below = memories_below(self.order)
        self.products = sums_of_products(self.order)
        self.too_deep = fetched_too_deep(self.order)
        self.requests: dict[Node, dict[Key, Request]] = {n: {} for n in self.order}
        self.placements: dict[Node, Placement] = {}
        self.stored: dict[Node, Draft] = {}
        self.tiles: dict[Node, Request] = {}
        self.values: dict[tuple[Node, Key], Node] = {}
        self.memory: dict[Node, Node] = {}  # a stored node or BUFFER -> its PARAM, numbered over the walk
        self.parts: dict[Node, Node] = {}  # the PARAM of a part of a CAT -> the CAT
        self.rows: set[Node] = set()  # what is sorted: it has to be in memory
        self.placeholders: dict[Node, tuple[Node, Key]] = {}
        self.moved: dict[object, tuple[Indices, Node | None]] = {}
        self.drafts: list[Draft] = []
        self.down()
        self.up()

    # --- down: requests

    def down(self) -> None:
        for node in reversed(self.order):
            if node in self.roots:
                explained = node.op is Op.CONTIGUOUS and node.arg is not None
                reason = reason_to_store(node) if explained else "asked for"
                placement = Placement("store", reason)
            elif node in self.rows and node.op is not Op.BUFFER and node.op is not Op.PARAM:
                placement = Placement("store", "sorted from memory")
            elif node in self.updates:
                placement = Placement("store", "part of it is written in place")
            elif node in self.apart:
                placement = Placement("store", "a product has a faster form in a kernel of its own")
            elif node in self.too_deep:
                placement = Placement("store", f"a kernel has at most {MOST_LOADS} loads in a row")
            else:
                asked = list(self.requests[node].values())
                placement = self._place(node, asked) if asked else INLINE
            self.placements[node] = placement
            self._count(node, is_memory=placement.how == "store" or not node.src)
            if placement.how == "store":
                self._open(node, placement.reason)
            elif placement.how == "tile":
                self._open_tile(node, placement.region)
            else:
                for request in list(self.requests[node].values()):
                    self._expand(node, request)

    def _place(self, node: Node, asked: list[Request]) -> Placement:
        reads_memory = self.below[node] != frozenset()
        facts = Facts(self.costs[node], node in self.with_folds, reads_memory, node in self.products)
        return place(node, asked, facts, self.machine)

    def _count(self, node: Node, is_memory: bool) -> None:
        """A node that kernels were waiting for is placed: those that load it have a memory more."""
        if self.below[node] != frozenset():
            for draft in {request.draft for request in self.requests[node].values()}:
                draft.waiting.discard(node)
                if is_memory:
                    draft.memories.add(node)

    def _open(self, node: Node, reason: str) -> None:
        """Start the kernel that stores a node, or join the one that computes its twin."""
        if node.op is Op.CAT:
            self._open_parts(node, reason)
            return
        if node.op is Op.COPY:
            draft = Draft.start(len(self.drafts), node, reason)
        elif (twin := self._twin(node)) is not None:
            draft = self.stored[twin]
            draft.stores.append(node)
        else:
            draft = Draft.start(len(self.drafts), node, reason)
        if draft.node is node:
            self.drafts.append(draft)
        self.stored[node] = draft
        if node.op is Op.SCAN:  # its axis is the innermost loop: the running value is all there is to keep
            draft.hold(frozenset(r for r in draft.outer if r is not draft.ranges[node.arg[1]]))
        own = Request(draft, draft.ranges, None, Context(draft.outer))
        self.requests[node][own.key("own")] = own
        if node.op is Op.SCATTER or node in self.updates:
            self._expand_scatter(node, own)
        elif node.op is Op.SORT:
            self.rows.update(_memory_below(source) or source for source in node.src)
        else:
            self._expand(node, own)

    def _open_parts(self, node: Node, reason: str) -> None:
        """A kernel for each part of a CAT: many drafts, one memory."""
        before = 0
        for part in node.src:
            draft = Draft.start(len(self.drafts), node, reason, part.shape)
            self.drafts.append(draft)
            draft.before = before * prod(node.shape[node.arg + 1 :]) * node.dtype.itemsize
            draft.part = Request(draft, draft.ranges, None, Context(draft.outer))
            self._ask(draft.part, part, draft.ranges, None, draft.part.context)
            before += part.shape[node.arg]

    def _twin(self, node: Node) -> Node | None:
        """The other half of a top-k or a sort (values and indices) when it is stored already."""
        if node.op is not Op.TOPK and node.op is not Op.SORT:
            return None
        want = "values" if node.arg[-1] == "indices" else "indices"
        dtype = dtypes.int64 if want == "indices" else node.src[0].dtype
        twin = make(node.op, dtype, node.src, (*node.arg[:-1], want))
        return twin if twin in self.stored else None

    def _open_tile(self, node: Node, region: Region | None) -> None:
        """Ask once for the value over ranges of its own; the tile serves every other request."""
        assert region is not None
        draft = next(iter(self.requests[node].values())).draft
        ranges = draft.new_ranges(region.extent)
        indices = tuple(simplify(start + r) for start, r in zip(region.start, ranges, strict=True))
        outer = tuple(r for r in draft.outer if r in region.held)
        asked = self.requests[node].values()
        own = Request(
            draft, indices, None, Context(outer, tuple(r for r in ranges if r is not ZERO)), tile=ranges
        )
        own.depth = max(r.depth for r in asked)
        own.nested = max(r.nested for r in asked) + 1
        self.tiles[node] = own
        self._expand(node, own)

    def _ask(
        self,
        request: Request,
        source: Node,
        indices: Indices,
        valid: Node | None,
        context: Context,
        nests: bool = False,
    ) -> None:
        """Leave a request with a source and remember which. It `nests` where a reduction asks for what it
        reduces."""
        if valid is not None and source in self.with_folds and is_wider(valid, indices, source.shape):
            valid = None  # whoever asked masks it; without a mask it is reduced once, outside more loops
        draft = request.draft
        asked = Request(draft, indices, valid, context)
        key = asked.key()
        asked = self.requests[source].setdefault(key, asked)
        request.children.append((source, key))
        asked.depth = max(asked.depth, request.depth + 1)
        asked.nested = max(asked.nested, request.nested + nests)
        asked.by_teams = asked.by_teams or (request.by_teams and not nests)
        below = self.below[source]
        if below is None:
            draft.waiting.add(source)
        else:
            draft.memories |= below

    def _expand(self, node: Node, request: Request) -> None:
        op, context, indices, valid = node.op, request.context, request.indices, request.valid
        request.draft.operations += op not in MOVEMENT
        request.draft.folds += op is Op.REDUCE or op is Op.TOPK
        if op in ELEMENTWISE or op is Op.CONTIGUOUS or op is Op.COPY:
            for source in node.src:
                self._ask(request, source, indices, valid, context)
        elif op in MOVEMENT:
            moved, inside = self._source_indices(node, indices)
            both = inside if valid is None else valid if inside is None else simplify(valid & inside)
            self._ask(request, node.src[0], moved, both, context)
        elif op is Op.REDUCE:
            self._expand_reduce(node, request)
        elif op is Op.TOPK:
            axis = node.arg[1]
            made = self._fold_ranges(
                request, (node.src[0], node.arg[:3], without_axis(indices, axis)), (node.src[0].shape[axis],)
            )
            inner = context.inside(fold_free(node, request), tuple(r for r in made if r is not ZERO))
            self._ask(request, node.src[0], with_axis(indices, axis, made[0]), valid, inner, nests=True)
        elif op is Op.SCAN:
            self._ask(request, node.src[0], indices, valid, context)
        elif op is Op.GATHER:
            self._expand_gather(node, request)
        elif op is Op.UPDATE:
            moved, inside = update_indices(node, indices)
            both = inside if valid is None or inside is None else simplify(valid & inside)
            self._ask(request, node.src[0], indices, valid, context)
            self._ask(request, node.src[1], moved, both, context)
        else:
            assert not node.src, node

    def _source_indices(self, node: Node, indices: Indices) -> tuple[Indices, Node | None]:
        """See movement.py: worked out once for all that moves alike, as in equal layers."""
        key = (node.op, node.arg, node.src[0].shape, indices)
        found = self.moved.get(key)
        if found is None:
            found = self.moved[key] = source_indices(node, indices)
        return found

    def _fold_ranges(self, request: Request, key: object, shape: tuple[int, ...]) -> tuple[Node, ...]:
        """Ranges for a fold; the same fold asked for twice in one kernel has the same ranges."""
        made = request.draft.fold_ranges.get(key)
        if made is None:
            made = request.draft.fold_ranges[key] = request.draft.new_ranges(shape)
        request.folded = made
        return made

    def _expand_reduce(self, node: Node, request: Request) -> None:
        source, (monoid, axes) = node.src[0], node.arg
        kept = tuple(a for a in range(len(source.shape)) if a not in axes)
        made = self._fold_ranges(
            request, (source, axes, request.indices), tuple(source.shape[a] for a in axes)
        )
        by_axis = dict(zip(axes, made, strict=True)) | dict(zip(kept, request.indices, strict=True))
        indices = tuple(by_axis[a] for a in range(len(source.shape)))
        context = request.context.inside(request.free, tuple(r for r in made if r is not ZERO))
        if monoid == SOFTMAX:
            self._expand_softmax(node, request, indices, context)
            return
        if factors_of(node) is not None:
            context = replace(context, operand=True)
            request.draft.products.append(node)
        self._ask(request, source, indices, request.valid, context, nests=True)

    def _expand_softmax(self, node: Node, request: Request, indices: Indices, context: Context) -> None:
        """Scores are made once for all columns of the values, and never stored."""
        scores, values = node.src
        used = frozenset().union(*[i.ranges for i in below_expansion(scores, indices)])
        once = Context(tuple(r for r in context.outer if r in used), context.inner, streamed=True)
        request.draft.products.append(node)
        self._ask(request, scores, indices, request.valid, once, nests=True)
        self._ask(request, values, indices, request.valid, replace(context, operand=True), nests=True)

    def _expand_gather(self, node: Node, request: Request) -> None:
        source, index = node.src
        axis, size = node.arg, source.shape[node.arg]
        self._ask(request, index, request.indices, request.valid, request.context)
        slot = Param(-1 - len(self.placeholders), 1)  # known only on the way up
        place = simplify(flatten(request.indices, index.shape))
        placeholder = make(Op.LOAD, index.dtype, (make(Op.PARAM, index.dtype, (), slot), place))
        self.placeholders[placeholder] = request.children[-1]
        where = placeholder.cast(dtypes.index)
        inside = (where >= 0) & (where < size)
        valid = inside if request.valid is None else request.valid & inside
        # an axis the index does not span starts at 0 there, as torch.gather has it
        self._ask(request, source, with_axis(request.indices, axis, where), valid, request.context)

    def _expand_scatter(self, node: Node, own: Request) -> None:
        """First a kernel that copies, then one that writes the updates over it: two drafts, one memory. Of an
        UPDATE, these are its part."""
        base, *updates = node.src
        self._ask(own, base, own.indices, None, own.context)
        draft = Draft.start(len(self.drafts), node, "writes its updates", updates[0].shape)
        self.drafts.append(draft)
        context = Context(draft.outer)
        request = Request(draft, draft.ranges, None, context)
        for source in updates:
            self._ask(request, source, draft.ranges, None, context)
        self.requests[node][request.key("updates")] = request

    # --- up: values

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
            return make(op, node.dtype, tuple(self.values[c] for c in request.children), node.arg)
        if op is Op.PAD:
            return padded(self._value(request, 0), self._source_indices(node, request.indices)[1])
        if op in MOVEMENT or op is Op.CONTIGUOUS or op is Op.COPY:
            return self._value(request, 0)
        if op is Op.GATHER:
            return gathered(node, self._value(request, 0), self._value(request, 1))
        if op is Op.UPDATE:
            _, inside = update_indices(node, request.indices)
            base, part = self._value(request, 0), self._value(request, 1)
            return part if inside is None else inside.where(part, base)
        if op is Op.REDUCE:
            if node.arg[0] == SOFTMAX:
                return weighed(request, self._value(request, 0), self._value(request, 1))
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
            stores.append(kernel.store(self.param_of(node), flatten(draft.ranges, node.shape), value))
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
        memories = [self.param_of(_memory_below(s) or s) for s in draft.node.src]
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
        # duplicates are written in order, so that axis is never split over threads or lanes: it comes last
        last = draft.ranges[axis]
        if last is not ZERO:
            draft.hold(frozenset(r for r in draft.outer if r is not last))
        return kernel.store(
            self.param_of(node), target, self._value(request, 1), inside, None if mode == "set" else mode
        )


def _memory_below(node: Node) -> Node | None:
    """The memory a node is, seen in another shape; None when it has to be computed for that."""
    below = below_reshapes(node)
    return below if below.op in (Op.BUFFER, Op.PARAM, Op.SORT) else None
