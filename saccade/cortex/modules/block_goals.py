"""Questions about the strongest hypotheses of rows in blocks, answered for all blocks together.

Comes in: pairs of objects of rows, wherever their blocks are, and a `Comparison`. Goes out: its answers. Each
block ranks the hypotheses of its own rows, some pairs at once; what several blocks ranked is compared by one
program, which has more kernels. Of 256 rows in 32 blocks some 50 ask in a step, a few of each block.

    answers = BlockQuestions(device).answered(0, pairs, told, comparison, blocks)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank.bank import EvidenceBank
from saccade.cortex.bank.held import PAIRS, Comparison
from saccade.cortex.ops import blank, read, upload
from saccade.tensor import Tensor

Floats = npt.NDArray[np.float64]
#: a row, and the names of two objects
Pair = tuple[int, str, str]
#: the number of a block, and the places of its questions among all
Share = tuple[int, list[int]]


def shares_of(pairs: Sequence[Pair], size: int) -> list[Share]:
    """Questions by blocks of so many rows, at most `PAIRS` or as many as a block has rows each."""
    own: dict[int, list[int]] = {}
    for place, (row, *_) in enumerate(pairs):
        own.setdefault(row // size, []).append(place)
    wide = min(PAIRS, size)
    return [
        (block, places[first : first + wide])
        for block, places in own.items()
        for first in range(0, len(places), wide)
    ]


class BlockQuestions:
    """What is sent once for all questions of banks on a device."""

    def __init__(self, device: str | None) -> None:
        self.device = device
        self._numbers: dict[int, Tensor] = {}
        self._nothing: dict[tuple[int, tuple[int, ...]], Tensor] = {}

    def answered(
        self,
        module: int,
        pairs: Sequence[Pair],
        told: Floats,
        comparison: Comparison,
        blocks: Sequence[EvidenceBank],
    ) -> Floats:
        """(W, ...) as `HeldRoom.compared`, of pairs of rows of all blocks, which have as many each. Waits
        once."""
        size = blocks[0].rows
        shares, wide = shares_of(pairs, size), min(PAIRS, size)
        abreast, queued = max(1, PAIRS // wide), list[Tensor]()
        for first in range(0, len(shares), abreast):
            here = shares[first : first + abreast]
            asked = np.zeros((abreast, 2 * wide), np.int64)
            numbers = np.tile(comparison.nobody, (abreast * wide, 1))
            for share, (block, places) in enumerate(here):
                mine = [(pairs[place][0] % size, *pairs[place][1:]) for place in places]
                asked[share, : 2 * len(mine)] = blocks[block].places_of_pairs(module, mine)
                numbers[share * wide : share * wide + len(mine)] = told[places]
            sent = upload(asked, "int64", self.device, True)
            ranked = [
                blocks[block].ranked(sent, self._number(share), comparison.most)
                for share, (block, _) in enumerate(here)
            ]
            # each tensor once: which arguments are the same is part of a trace
            ranked += [self._unranked(share, ranked[0].shape) for share in range(len(here), abreast)]
            queued.append(blocks[0].compare_ranked(tuple(ranked), numbers, comparison))
        answers = np.concatenate(read(queued)) if queued else np.zeros((0, 0))
        found: Floats = np.zeros((len(pairs), *answers.shape[1:]))
        for share, (_, places) in enumerate(shares):
            found[places] = answers[share * wide : share * wide + len(places)]
        return found

    def _number(self, number: int) -> Tensor:
        """(1,) a number on the device."""
        if number not in self._numbers:
            self._numbers[number] = upload([number], "int32", self.device)
        return self._numbers[number]

    def _unranked(self, share: int, shape: tuple[int, ...]) -> Tensor:
        """What a share that nobody asks about has."""
        if (share, shape) not in self._nothing:
            self._nothing[share, shape] = blank(shape, "float64", self.device)
        return self._nothing[share, shape]
