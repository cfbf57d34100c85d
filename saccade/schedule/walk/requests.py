"""Down: from the results to the buffers, every node asks its sources for their values at certain indices.

    out[i] = sum over j of x[i, j]:   out at (i) asks x for (i, j1), inside a loop over j1

`placement` decides where each value lives: in memory that a kernel of its own writes, in a tile of the kernel
that reads it, or nowhere, computed again wherever it is asked for. `ranges` then builds the scalars.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from ...graph import dtypes
from ...graph.constants import constant_of
from ...graph.monoid import LOGSUMEXP, SOFTMAX, WEIGHTED
from ...graph.node import Node, make, walk
from ...graph.ops import ELEMENTWISE, MOVEMENT, Op
from ...graph.param import Param, Rows
from ...graph.rewriting.passes import Roots
from ...graph.rules.symbolic import bounds, simplify
from ...transform.stores import Targets, below_reshapes, updates_of
from ..cost import CPU, Machine, element_costs, in_cache
from ..limits import MOST_LOADS, OPERATIONS
from ..products.product import factors_of
from .draft import Context, Draft, Key, Request, fold_free
from .facts import fetched_too_deep, memories_below, nodes_with_folds, sums_of_products
from .movement import ZERO, Indices, flatten, is_wider, place_at, rows_below, source_indices, update_indices
from .placing.placement import INLINE, Facts, Placement, place, reason_to_store
from .placing.region import Region
from .scalars import below_expansion, with_axis, without_axis

Apart = frozenset[Node]
#: parts of a tile, along a loop, that a thread has all of
MOST_OF_A_TILE = 8


class Requests:
    """Where every value of a graph lives, which kernels (drafts) there are, and what they ask for."""

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
        #: the same with what is read in the nearest cache; a core reduces from memory every time
        self.near = element_costs(self.order, in_cache(machine), again=not machine.is_gpu)
        self.with_folds = nodes_with_folds(self.order)
        if not machine.wanted:
            far = element_costs(self.order, machine, again=not machine.is_gpu)
            self.near |= {node: far[node] for node in self.with_folds}
        self.below = memories_below(self.order)
        self.products = sums_of_products(self.order)
        self.has_partial = any(n.op is Op.PARAM and n.arg.partial for n in self.order)
        self.too_deep = fetched_too_deep(self.order)
        self.requests: dict[Node, dict[Key, Request]] = {n: {} for n in self.order}
        self.placements: dict[Node, Placement] = {}
        #: running reductions whose results are rows: they run in the kernel that stores these
        self.running = {
            node.src[0]
            for node in self.order
            if node.op is Op.CONTIGUOUS and isinstance(node.arg, Rows) and self._runs_alone(node.src[0])
        }
        self.stored: dict[Node, Draft] = {}
        self.tiles: dict[Node, Request] = {}
        self.rows: set[Node] = set()  # what is sorted: it has to be in memory
        #: a load of an index that is known only on the way up -> what it stands for
        self.placeholders: dict[Node, tuple[Node, Key]] = {}
        self.moved: dict[object, tuple[Indices, Node | None]] = {}
        self.drafts: list[Draft] = []
        self.down()

    def down(self) -> None:
        for node in reversed(self.order):
            if node in self.roots:
                explained = node.op is Op.CONTIGUOUS and node.arg is not None
                reason = reason_to_store(node) if explained else "asked for"
                placement = Placement("store", reason)
            elif node in self.running:
                placement = INLINE
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

    def _runs_alone(self, node: Node) -> bool:
        """Is it a running reduction with one reader?"""
        return node.op is Op.SCAN and node not in self.roots and sum(node in n.src for n in self.order) == 1

    def _place(self, node: Node, asked: list[Request]) -> Placement:
        facts = Facts(
            self.costs[node],
            self.near[node],
            node in self.with_folds,
            self.below[node],
            node in self.products,
        )
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
        running = node.src[0] if node.src and node.src[0] in self.running else node
        if running.op is Op.SCAN:  # its axis is the innermost loop: the running value is all there is to keep
            draft.hold(frozenset(r for r in draft.outer if r is not draft.ranges[running.arg[1]]))
        own = Request(draft, draft.ranges, None, Context(draft.outer))
        self.requests[node][own.key("own")] = own
        if node.op is Op.SCATTER or node in self.updates:
            self._expand_scatter(node, own)
        elif node.op is Op.SORT:
            self.rows.update(memory_below(source) or source for source in node.src)
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
        if valid is not None and self._needs_no_mask(source) and is_wider(valid, indices, source.shape):
            valid = None  # whoever asked masks it; without a mask it is made once, outside more loops
        draft = request.draft
        asked = Request(draft, indices, valid, context)
        key = asked.key()
        asked = self.requests[source].setdefault(key, asked)
        request.children.append((source, key))
        asked.depth = max(asked.depth, request.depth + 1)
        asked.nested = max(asked.nested, request.nested + nests)
        asked.steps = draft.steps_to(indices if valid is None else (*indices, valid))
        asked.by_teams = asked.by_teams or (request.by_teams and not nests)
        below = self.below[source]
        if below is None:
            draft.waiting.add(source)
        else:
            draft.memories |= below

    def _needs_no_mask(self, source: Node) -> bool:
        """Is all of it there to be read?"""
        return source in self.with_folds or not self.has_partial

    def _expand(self, node: Node, request: Request) -> None:
        op, context, indices, valid = node.op, request.context, request.indices, request.valid
        request.draft.operations += OPERATIONS.get(op, 1)
        request.draft.folds += op is Op.REDUCE or op is Op.TOPK
        if op in ELEMENTWISE or op is Op.CONTIGUOUS or op is Op.COPY:
            if op is Op.WHERE and self.machine.is_gpu:
                self._note_tile(node.src[0], request)
            for source in node.src:
                self._ask(request, source, indices, valid, context)
        elif op in MOVEMENT:
            moved, inside = self.source_indices(node, indices)
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

    def _note_tile(self, condition: Node, request: Request) -> None:
        """Are the parts of a tile chosen between here, by the digit of a loop? A thread has all of them."""
        if condition.op is not Op.LT or constant_of(condition.src[1]) is None:
            return
        part = place_at(condition.src[0], request.indices)
        if part is None or part.op is not Op.MOD or part.src[1].op is not Op.CONST:
            return
        if part.src[0] in request.draft.outer and 1 < part.src[1].arg <= MOST_OF_A_TILE:
            request.draft.tiles[part.src[0]] = int(part.src[1].arg)

    def source_indices(self, node: Node, indices: Indices) -> tuple[Indices, Node | None]:
        """See movement.py: worked out once for all that moves alike, as in equal layers."""
        key = (node.op, node.arg, node.src[0].shape, rows_below(node), indices)
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
        if monoid in (SOFTMAX, WEIGHTED, LOGSUMEXP):
            self._expand_streamed(node, request, indices, context)
            return
        if factors_of(node) is not None:
            context = replace(context, operand=True)
            request.draft.products.append(node)
        self._ask(request, source, indices, request.valid, context, nests=True)

    def _expand_streamed(self, node: Node, request: Request, indices: Indices, context: Context) -> None:
        """Scores, or weights, are made once for all columns of the values, and never stored."""
        scores, *values = node.src
        used = frozenset().union(*[i.ranges for i in below_expansion(scores, indices)])
        once = Context(tuple(r for r in context.outer if r in used), context.inner, streamed=True)
        request.draft.products.append(node)
        self._ask(request, scores, indices, request.valid, once, nests=True)
        for each in values:
            self._ask(request, each, indices, request.valid, replace(context, operand=True), nests=True)

    def _expand_gather(self, node: Node, request: Request) -> None:
        source, index = node.src
        axis, size = node.arg, source.shape[node.arg]
        self._ask(request, index, request.indices, request.valid, request.context)
        known = place_at(index, request.indices)
        if known is not None and bounds(known)[0] >= 0 and bounds(known)[1] < size:
            moved = with_axis(request.indices, axis, known)
            self._ask(request, source, moved, request.valid, request.context)
            return
        slot = Param(-1 - len(self.placeholders), 1)  # known only on the way up
        place = simplify(flatten(request.indices, index.shape))
        placeholder = make(Op.LOAD, index.dtype, (make(Op.PARAM, index.dtype, (), slot), place))
        self.placeholders[placeholder] = request.children[-1]
        where = placeholder.cast(dtypes.index)
        inside = request.inside = simplify((where >= 0) & (where < size))
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
        if node.op is Op.SCATTER and not self.machine.is_gpu:
            # a core takes updates as they come: no tile is left for them around the loops of rows, and places
            # that rows share are looked up for each
            draft.hold(frozenset(draft.outer[:-1]))
        context = Context(draft.outer)
        request = Request(draft, draft.ranges, None, context)
        for source in updates:
            self._ask(request, source, draft.ranges, None, context)
        self.requests[node][request.key("updates")] = request


def memory_below(node: Node) -> Node | None:
    """The memory a node is, seen in another shape; None when it has to be computed for that."""
    below = below_reshapes(node)
    if below.op is Op.PARAM and below.arg.rows is not None:
        return None
    return below if below.op in (Op.BUFFER, Op.PARAM, Op.SORT) else None
