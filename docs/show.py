"""What the pages print with: a graph as a tree, a kernel as loops. Their samples run in this folder.

>>> from show import plan_of, show_kernel
>>> show_kernel(plan_of(x.softmax(1)).items[0].kernel)
"""

from __future__ import annotations

from saccade import Tensor
from saccade.graph.kernels.kernel import Kernel
from saccade.graph.node import Node, own_ranges
from saccade.graph.ops import Op
from saccade.schedule.cost import CPU, Machine
from saccade.schedule.kernel_graph import KernelGraph
from saccade.schedule.schedule import schedule
from saccade.tensor.programs.prepare import graph_of
from saccade.tensor.programs.realize import canonical

INFIX = {
    Op.ADD: "+", Op.SUB: "-", Op.MUL: "*", Op.DIV: "/", Op.IDIV: "//", Op.MOD: "%", Op.LT: "<", Op.AND: "&",
}  # fmt: skip


def plan_of(*tensors: Tensor, machine: Machine = CPU) -> KernelGraph:
    """The schedule of some results, for a machine."""
    form, _ = canonical([tensor.node for tensor in tensors])
    return schedule(*graph_of(form), machine)


def show_graph(node: Node, depth: int = 0) -> None:
    """A graph in tensor terms, a node a line, sources below it."""
    arg = "" if node.arg is None else f" {node.arg}"
    print(f"{'  ' * depth}{node.op.name} {list(node.shape)}{arg}")
    for source in node.src:
        show_graph(source, depth + 1)


def show_kernel(kernel: Kernel) -> None:
    """A kernel: its loops, then what each tile and each result is."""
    print("loops", ", ".join(map(axis, kernel.order)) or "none")
    for node in kernel.nodes:
        if node.op is Op.STAGE:
            own = ", ".join(map(axis, own_ranges(node)))
            print(f"{name(node)}[{text(node.src[1])}] = {text(node.src[0])}   for {own}")
    for store in kernel.sink.src:
        print(text(store))


def axis(node: Node) -> str:
    kind = "" if node.arg.kind == "loop" else f" {node.arg.kind}"
    return f"r{node.arg.number} < {text(node.src[0])}{kind}"


def name(memory: Node) -> str:
    return f"tile{memory.arg.number}" if memory.op is Op.STAGE else f"p{memory.arg.slot}"


def text(node: Node) -> str:
    """A value in kernel terms as one line."""
    if node.op is Op.CONST:
        return str(node.arg)
    if node.op is Op.RANGE:
        return f"r{node.arg.number}"
    if node.op in (Op.LOAD, Op.STORE):
        memory, index, *rest = node.src
        place = f"{name(memory)}[{text(index)}]"
        if node.op is Op.STORE:
            return f"{place} = {text(rest[0])}"
        return f"({place} if {text(rest[0])})" if rest else place
    if node.op is Op.FOLD:
        bodies = ", ".join(map(text, node.src[: node.arg.elements]))
        return f"{node.arg.kind}({bodies} over {', '.join(map(axis, own_ranges(node)))})"
    if node.op in INFIX:
        left, right = map(text, node.src)
        whole = f"{left}*{right}" if node.op is Op.MUL else f"{left} {INFIX[node.op]} {right}"
        return f"({whole})" if node.op in (Op.SUB, Op.AND) else whole
    return f"{node.op.name.lower()}({', '.join(map(text, node.src))})"
