"""Tokens chosen on a device: one for each row of logits, as `generation/sampling.py` chooses it on the host.

    drawn(logits, heat, luck)                               # of all tokens, or the most probable one
    chosen(logits, memory, ids, Numbers(...))               # with penalties, biases, top-k, top-p and min-p

What a row of a batch asks for comes as numbers, so that one program serves all; what was in its text comes as
counts of tokens that stay on the device (`Memory`), where each step adds the token that it is given.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from ...tensor.tensor import Tensor

#: Tokens whose probabilities are summed before it is looked for the one that is drawn.
BLOCK: Final = 512


class Numbers(NamedTuple):
    """How the token of each row is chosen, (batch,) each: the fields of `Sampling` by their names, and luck,
    from 0 to 1, which it is drawn with. new: 1 where the token that is given was made, and counts."""

    temperature: Tensor
    luck: Tensor
    top_k: Tensor
    top_p: Tensor
    min_p: Tensor
    repetition_penalty: Tensor
    frequency_penalty: Tensor
    presence_penalty: Tensor
    new: Tensor


class Memory(NamedTuple):
    """What is known of the text of each row, (batch, tokens) each: whether a token is in the prompt, how
    often it was made, and what is added to its logit."""

    prompt: Tensor
    made: Tensor
    bias: Tensor


def chosen(logits: Tensor, memory: Memory, ids: Tensor, how: Numbers) -> Tensor:
    """(batch,) of int32: a token of each row of logits (batch, tokens), after ids (batch,), which memory gets
    to know; -1 where a logit is NaN."""
    given = ids.cast("int64").unsqueeze(-1)
    memory.made.scatter_(1, given, memory.made.gather(1, given) + how.new.unsqueeze(-1))
    changed = penalised(logits, memory, how).contiguous()
    return drawn(within(changed, how).contiguous(), how.temperature, how.luck)


def penalised(logits: Tensor, memory: Memory, how: Numbers) -> Tensor:
    """The logits (batch, tokens) after penalties and biases."""
    factor, times = how.repetition_penalty.unsqueeze(-1), memory.made
    fewer = (logits / factor).where(logits > 0, logits * factor)
    made = fewer.where((memory.prompt > 0) | (times > 0), logits)
    made = made - how.frequency_penalty.unsqueeze(-1) * times
    return made - how.presence_penalty.unsqueeze(-1).where(times > 0, 0.0) + memory.bias


def within(logits: Tensor, how: Numbers) -> Tensor:
    """The logits (batch, tokens), -inf where top-k, top-p or min-p leave a token out. Each keeps the first
    few in order, so the last one that is kept tells for all; of equals the lower id comes first."""
    top_k, top_p, min_p = (each.unsqueeze(-1) for each in (how.top_k, how.top_p, how.min_p))
    in_order, ids = logits.sort(descending=True)
    places = Tensor.arange(logits.shape[-1], device=logits.device)
    warm = how.temperature.where(how.temperature > 0, 1.0).unsqueeze(-1)
    powers = ((in_order - in_order[:, :1]) / warm).exp()
    first = (places < top_k) | (top_k == 0)
    sums = powers.where(first, 0.0).cumsum(-1).contiguous()
    kept = first & ((sums - powers < top_p * sums[:, -1:]) | (top_p >= 1)) & (powers >= min_p)
    last = (kept.sum(-1, keepdim=True) - 1).maximum(0)
    least, id = in_order.gather(-1, last), ids.gather(-1, last)
    # a NaN is not less than anything and stays
    left_out = (logits < least) | ((logits == least) & (places > id))
    return logits.where(~left_out, -math.inf)


def drawn(logits: Tensor, heat: Tensor, luck: Tensor) -> Tensor:
    """(batch,) of int32: a token of each row of logits (batch, tokens). Where heat is 0 the most probable
    one, else the one at `luck`, from 0 to 1, of all probabilities at that temperature, laid one behind the
    other. -1 where a logit is NaN.

    >>> drawn(Tensor([[1.0, 3.0, 2.0], [0.0, 0.0, 0.0]]), Tensor([0.0, 1.0]), Tensor([0.0, 0.5])).tolist()
    [1, 1]
    """
    best, first = logits.max(-1)
    warm = heat.where(heat > 0, 1.0)

    def powers(x: Tensor) -> Tensor:
        over = (1,) * (x.ndim - 1)
        return ((x - best.reshape(-1, *over)) / warm.reshape(-1, *over)).exp()

    # first in which block, then where in it: a sum of all up to each would be a long chain for few rows
    size, count = logits.shape[-1], -(-logits.shape[-1] // BLOCK)
    blocks = logits.pad((0, count * BLOCK - size), value=-float("inf")).unflatten(-1, (count, BLOCK))
    ends = powers(blocks).sum(-1).cumsum(-1).contiguous()
    aim = luck * ends[:, -1]
    block = (ends <= aim.unsqueeze(-1)).sum(-1).minimum(count - 1)
    rows = Tensor.arange(logits.shape[0], device=logits.device)
    before = ends[rows, (block - 1).maximum(0)].where(block > 0, 0.0)
    inside = before.unsqueeze(-1) + powers(blocks[rows, block]).cumsum(-1)
    passed = (inside <= aim.unsqueeze(-1)).sum(-1)
    # rounding may have all of them passed
    chosen = first.where((heat == 0) | (passed == BLOCK), block * BLOCK + passed)
    return chosen.where(~best.isnan(), -1).cast("int32")
