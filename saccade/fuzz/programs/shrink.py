"""A failing program becomes a small one that still fails, printed as code that runs.

Nodes go one at a time: an output is dropped, a node becomes an input of its own, or is replaced by one of
its sources. What is left is what it takes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ...graph.node import Node, make, walk
from ...graph.ops import Op
from ...graph.param import Param
from .check import Failure, Trial, check
from .programs import Input, Program

#: programs tried at most
PATIENCE = 300


def shrink(failure: Failure) -> Failure:
    """The smallest failure at the same stage that dropping nodes leads to."""
    tries = 0
    found = True
    while found and tries < PATIENCE:
        found = False
        for candidate in _smaller(failure.program):
            tries += 1
            failed = _fails(candidate, failure)
            if failed is not None:
                failure, found = failed, True
                break
            if tries >= PATIENCE:
                break
    return failure


def _fails(program: Program, like: Failure) -> Failure | None:
    """The program's own failure, if it is one of the same kind."""
    trials = (
        [like.trial]
        if like.trial.moves is None
        else [replace(like.trial, moves=like.trial.moves + n) for n in range(3)]
    )
    for trial in trials:
        failed = check(program, trial).failure
        if failed is not None and failed.stage == like.stage and _kind(failed) == _kind(like):
            return failed
    return None


def _kind(failure: Failure) -> str:
    """The exception's name, or that it was a wrong result."""
    return failure.message.partition(" ")[0]


def _smaller(program: Program) -> Iterator[Program]:
    if len(program.roots) > 1:
        for root in program.roots:
            yield replace(program, roots=(root,))
    order = list(walk(program.roots))
    for node in reversed(order):
        if node not in program.roots and node.op not in (Op.PARAM, Op.CONST, Op.IOTA):
            yield replace(program, roots=(node,))
    for node in reversed(order):
        for source in node.src:
            if source.shape == node.shape and source.dtype is node.dtype:
                yield _with(program, {node: source})
        if node.src and node.op is not Op.RESHAPE and not all(s.op is Op.PARAM for s in node.src):
            yield _cut(program, node)


def _with(program: Program, mapping: dict[Node, Node]) -> Program:
    roots = tuple(dict.fromkeys(root.substitute(mapping) for root in program.roots))
    return replace(program, roots=roots)


def _cut(program: Program, node: Node) -> Program:
    """The node as an input."""
    slot = len(program.inputs)
    kind = "index" if node.dtype.is_int else "short"
    memory = make(Op.PARAM, node.dtype, (), Param(slot, node.size))
    made = memory if node.shape == (node.size,) else make(Op.RESHAPE, node.dtype, (memory,), node.shape)
    if any(node is root for root in program.roots):
        return program
    return replace(
        _with(program, {node: made}), inputs=(*program.inputs, Input(node.dtype, node.size, kind, 3))
    )


def as_code(program: Program, trial: Trial) -> str:
    """Python that checks the program again."""
    names: dict[Node, str] = {}
    lines = [
        "from math import inf, nan",
        "from saccade.fuzz.programs.check import Trial, check",
        "from saccade.fuzz.programs.programs import Input, Program",
        "from saccade.graph import dtypes",
        "from saccade.graph.param import Param",
        "from saccade.graph.monoid import Monoid",
        "from saccade.graph.node import make",
        "from saccade.graph.ops import Op",
        "",
    ]
    for number, node in enumerate(walk(program.roots)):
        names[node] = f"n{number}"
        sources = "".join(f"{names[s]}, " for s in node.src)
        lines.append(
            f"n{number} = make(Op.{node.op.name}, {node.dtype!r}, ({sources}), {node.arg!r})  # {node.shape}"
        )
    roots = "".join(f"{names[r]}, " for r in program.roots)
    lines.append(f"program = Program({program.seed}, ({roots}), {program.inputs!r})")
    lines.append(f"print(check(program, {trial!r}))")
    return re.sub(r"dtypes\.bool\b", "dtypes.bool_", "\n".join(lines))
