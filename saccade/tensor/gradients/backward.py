"""`requires_grad`, `backward` and `.grad`, as torch has them.

    w = Tensor([1.0, 2.0], requires_grad=True)
    (w * w).sum().backward()
    w.grad                                  # [2, 4]; the next backward adds to it

`backward` is the walk of `grad` from a value to all leaves that it was computed from (see `leaves`). Outside
of `jit` it computes: the value and the gradients are one program. Inside, it adds to the traced graph.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from ...graph.node import Node, make
from ...graph.ops import Op
from .. import build
from ..core import Core, DTypeLike, Operand
from ..jit.trace import checking, current_trace
from ..memory import default_device
from ..programs.realize import is_realized
from ..stores.inplace import InPlace
from ..stores.storage import storage_of
from ..stores.stores import realize_tensors
from ..stores.views import DETACH
from . import leaves
from .leaves import Leaf, no_grad


class Backward(InPlace):
    __slots__ = ()

    def __init__(
        self, data: object, dtype: DTypeLike = None, device: str | None = None, requires_grad: bool = False
    ) -> None:
        super().__init__(data, dtype, device)
        if requires_grad:
            self.requires_grad_()

    # --- leaves

    @property
    def requires_grad(self) -> bool:
        """Does it gather gradients, or was it computed from a tensor that does?"""
        return hasattr(self, "leaf") or leaves.concerns(self.node)

    @requires_grad.setter
    def requires_grad(self, wanted: bool) -> None:
        self.requires_grad_(wanted)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Gather gradients in `.grad` from now on, or no longer."""
        if requires_grad == hasattr(self, "leaf"):
            return self
        if not requires_grad:
            leaves.unmark(self.node)
            del self.leaf
            return self
        if not self.dtype.has_gradient:
            raise RuntimeError(f"only floats have gradients, not {self.dtype.name}: cast it first, x.float()")
        if leaves.concerns(self.node):
            return self  # computed from leaves: a gradient flows through it already
        if current_trace() is None:
            realize_tensors((self,))
        alone = self._is_whole() and is_realized(self.node) and not leaves.is_marked(self.node)
        if not alone:
            turned = self._view((DETACH, leaves.own_label(self.node)))
            self.moves, self.node = turned.moves, turned.node
        storage_of(self)  # which tells of new values
        self.leaf = Leaf(self.shape)
        leaves.mark(self.node, self.leaf)
        return self

    @property
    def is_leaf(self) -> bool:
        """Is it no result of a computation that gradients go through?"""
        return hasattr(self, "leaf") or not leaves.concerns(self.node)

    @property
    def grad(self) -> Any:  # a tensor or None, as annotated in torch
        """The gradients gathered so far; None before the first."""
        leaf = getattr(self, "leaf", None)
        return None if leaf is None else leaf.grad

    @grad.setter
    def grad(self, value: Core | None) -> None:
        leaf = getattr(self, "leaf", None)
        if leaf is None:
            if value is not None:
                raise RuntimeError("a tensor that does not require a gradient has none: use requires_grad_()")
            return
        if value is not None and (value.shape, value.dtype) != (self.shape, self.dtype):
            raise ValueError(
                f"a gradient of shape {value.shape} and dtype {value.dtype.name} does not fit a tensor of "
                f"shape {self.shape} and dtype {self.dtype.name}"
            )
        leaf.set(value)

    @property
    def data(self) -> Self:
        """The same memory, through which no gradient flows: what is written here is seen there."""
        return self.detach()

    @data.setter
    def data(self, value: Core) -> None:
        """Have another value, of any shape, dtype and device, in other memory; a leaf stays one."""
        leaf = getattr(self, "leaf", None)
        if leaf is None:
            self.node, self.storage = leaves.cut(value.node), None
            return
        self.requires_grad_(False)
        with no_grad():
            made = type(self)(value)
        self.node, self.storage = made.node, None
        self.requires_grad_()
        self.leaf.set(None if leaf.grad is None else type(self)(leaf.grad).to(self))

    def detach_(self) -> Self:
        """Forget how it was computed."""
        self.requires_grad_(False)
        leaves.forget(self.node)
        if leaves.concerns(self.node):
            turned = self.detach()
            self.moves, self.node = turned.moves, turned.node
        return self

    # --- the walk

    def backward(
        self,
        gradient: Operand | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Core | Iterable[Core] | None = None,
    ) -> None:
        """Add the gradient of this value, weighted by `gradient`, to `.grad` of all leaves it was computed
        from, or of those among `inputs`. The graph is let go, unless it is to be retained; with
        `create_graph` the gradients have gradients too."""
        cotangent = self._cotangent(gradient)
        marks = leaves.marks_below([self.node])
        if not marks:
            raise RuntimeError(
                "backward of a value that was computed from no tensor with requires_grad=True, or whose "
                "graph was let go: by no_grad, detach, or a backward without retain_graph=True"
            )
        wanted = None if inputs is None else _leaves_of(inputs)
        found = _gathered(self.node, cotangent, marks)
        if checking.examine is not None and current_trace() is None:
            checking.examine(self.node, list(found.values()))
        retain = create_graph if retain_graph is None else retain_graph
        gathered = [
            _gather(type(self), leaf, node, create_graph)
            for leaf, node in found.items()
            if wanted is None or leaf in wanted
        ]
        if current_trace() is None and not create_graph:
            with no_grad():
                realize_tensors([*([] if retain else [self]), *gathered])
        if not retain:
            leaves.spend(self.node)
            self.detach_()

    def _cotangent(self, gradient: Operand | None) -> Node:
        if not self.dtype.has_gradient:
            raise RuntimeError(f"backward is of floats, not of {self.dtype.name}")
        if gradient is None:
            if self.dtype.is_complex:
                raise RuntimeError(
                    f"backward of {self.dtype.name} needs the gradient to start from: a loss is real, so "
                    "take abs(x) or x.real first"
                )
            if self.numel() != 1:
                raise RuntimeError(
                    f"backward of shape {self.shape} needs the gradient to start from: give "
                    "backward(gradient), or take the sum or the mean first"
                )
            return build.full(1, self.dtype, self.shape)
        given = self._coerce(gradient)
        if given.shape != self.shape:
            raise RuntimeError(f"a gradient of shape {given.shape} for a value of shape {self.shape}")
        return given.cast(self.dtype).node


def _leaves_of(inputs: Core | Iterable[Core]) -> set[Leaf]:
    found = [getattr(t, "leaf", None) for t in ([inputs] if isinstance(inputs, Core) else inputs)]
    if not found or None in found:
        raise RuntimeError("inputs= takes tensors with requires_grad=True")
    return {leaf for leaf in found if leaf is not None}


def _gathered(result: Node, cotangent: Node, marks: list[Node]) -> dict[Leaf, Node]:
    """The gradient of each leaf, of all its marks together."""
    from ...transform.gradient import gradients  # who computes no gradient is spared the rules

    found: dict[Leaf, Node] = {}
    for mark, node in zip(marks, gradients([result], [cotangent], marks, leaves.past()), strict=True):
        leaf = leaves.leaf_at(mark)
        if leaf is None or node is None:
            continue
        if node.device is None and mark.device not in (None, default_device()):
            # a constant is of no device, and would be computed on the default one
            node = make(Op.COPY, node.dtype, (node,), mark.device)
        before = found.get(leaf)
        found[leaf] = node if before is None else before + build.reshape(node, before.shape)
    return found


def _gather(kind: type[Backward], leaf: Leaf, node: Node, keep: bool) -> Backward:
    """Add to what a leaf has."""
    before: Any = leaf.grad  # of our kind: `Leaf` is below it and names the base
    new = kind._of(build.reshape(node, leaf.shape))
    if before is None:
        if not keep:
            new.node = leaves.cut(new.node)
        leaf.set(new)
        return new
    if keep:
        before = before + new
        leaf.set(before)
    else:
        with no_grad():
            before.assign(before + new)
    gathered: Backward = before
    return gathered
