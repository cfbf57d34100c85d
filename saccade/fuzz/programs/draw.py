"""A random program of a seed: a few inputs, and steps that take what is there and add to it."""

from __future__ import annotations

from random import Random

from ...graph.node import Node
from ...graph.ops import Op
from .programs import Draft, Program
from .steps import draw_alike, draw_step


def draw(seed: int) -> Program:
    """The program of a seed."""
    random = Random(seed)
    large = random.random() < 0.04
    draft = Draft(random, most=200_000 if large else random.choice((64, 600, 3000)))
    draft.pool += [
        draft.fresh(draft.shape(0 if random.random() < 0.1 else 1)) for _ in range(random.randint(1, 2))
    ]
    for _ in range(random.randint(1, 3 if large else random.choice((7, 7, 7, 18)))):
        for made in draw_step(draft):
            if made.numel() <= max(draft.most, 6000) and made.node.op is not Op.PARAM:
                draft.pool.append(made)
    computed = [t.node for t in draft.pool if not _is_input(t.node)]
    if not computed:
        computed = [(draft.pool[0] == draft.pool[0]).node]
    roots = dict.fromkeys(
        [computed[-1], *random.sample(computed, min(len(computed), random.choice((0, 0, 1, 2))))]
    )
    if random.random() < 0.05:
        roots |= dict.fromkeys(t.node for t in draw_alike(draft) if not _is_input(t.node))
    return Program(seed, tuple(roots), tuple(draft.inputs))


def _is_input(node: Node) -> bool:
    return node.op is Op.PARAM or (node.op is Op.RESHAPE and node.src[0].op is Op.PARAM)
