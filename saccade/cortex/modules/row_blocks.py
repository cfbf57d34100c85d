"""A bank for thousands of rows: blocks of rows that step one after the other.

A step makes hypotheses anew, so those before it and those after it are in memory together, and so is what
its kernels leave for each other. In blocks that is so for one block alone: the memory of its old hypotheses
is that of the new ones of the next. All blocks have the same number of rows, and so one program; rows that
are kept move together into as many blocks as they need, and nothing is compiled.

    bank = bank_of(memories, channels, settings, rows=2048)     # a RowBlocks, or an EvidenceBank if that is
    pending = bank.launch(batch)                                # small enough; both are used alike
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from saccade.cortex.bank import programs
from saccade.cortex.bank.bank import EvidenceBank
from saccade.cortex.bank.held import Comparison
from saccade.cortex.bank.inputs import HEADING, NOWHERE, ROW, SLOT, FeltPacked, FeltPercepts, Headed
from saccade.cortex.bank.knowledge import Knowledge
from saccade.cortex.bank.outcome import Marked, Outcome, Pending, Step
from saccade.cortex.bank.program import Report
from saccade.cortex.bank.shelf import Programs, Shelf
from saccade.cortex.bank.space import check_rows, rotations_are_stored
from saccade.cortex.bank.state.arrangement import Arrangement
from saccade.cortex.bank.state.ledger import Ledger
from saccade.cortex.bank.state.state import Carry
from saccade.cortex.hypotheses.tables import table_objects
from saccade.cortex.messages import NUMBERS, PerceptBatch
from saccade.cortex.models.model import ObjectModel
from saccade.cortex.modules.block_sizes import block_rows, packs
from saccade.cortex.modules.vote import Ballot, Routing
from saccade.cortex.ops import blank, in_host_memory, read, upload
from saccade.cortex.settings import EvidenceSettings
from saccade.tensor import Tensor
from saccade.world.narrowing import NARROWING

Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Found = tuple[Floats, ...]


def bank_of(
    memories: Sequence[Sequence[ObjectModel]],
    channels: Sequence[Sequence[str]],
    settings: EvidenceSettings,
    rows: int = 1,
    device: str | None = None,
) -> EvidenceBank | RowBlocks:
    """A bank for so many rows, in blocks where they are too many to step together."""
    if rows == 1:
        return EvidenceBank(memories, channels, settings, rows, device)
    known = Knowledge.of(memories, channels, settings, table_objects(memories), device)
    size = block_rows(rows, known.row_places, gpu=not in_host_memory(device))
    if size == rows:
        return EvidenceBank.of(Arrangement.of(known, rows, device), Shelf())
    return RowBlocks(known, rows, size, device)


@dataclass(slots=True)
class BlockStep(Step):
    """A step of all rows, and those of the blocks."""

    parts: list[Step] = field(default_factory=list)


@dataclass(slots=True)
class BlockPending:
    """A step of all blocks under way."""

    step: Step
    parts: list[Pending]


class RowBlocks:
    """EvidenceBanks with `size` rows each that know the same; used as one EvidenceBank of `rows` rows. What
    the last block has beyond them never has percepts."""

    def __init__(self, known: Knowledge, rows: int, size: int, device: str | None) -> None:
        self.rows, self.size, self.device = rows, size, device
        number = -(-rows // size)
        self.packed = packs(known, rows, gpu=not in_host_memory(device))
        check_rows(number * size, size, known, device, rotations_are_stored(device), packed=self.packed)
        self._shared: Programs = {}
        self.known = known  # what the modules know, as tables
        self._arrangement = Arrangement.of(known, size, device, self.packed)  # of a block that is empty
        self.blocks = [self._block() for _ in range(number)]
        self._blank = cache(lambda share, shape, dtype: blank(shape, dtype, device))
        #: the rows of each block among those of all, on the device
        self._places = [
            upload(np.arange(size) + block * size, "int32", device, True) for block in range(number)
        ]
        self._numbers = [upload([block], "int32", device) for block in range(number)]

    def _block(self) -> EvidenceBank:
        """One in which there is nothing."""
        return EvidenceBank.of(self._arrangement, Shelf(self._shared))

    def rehearsals(self, felt: FeltPercepts | None = None) -> list[Callable[[], None]]:
        """Calls that each make programs, in any order, while there is time: of a step in which hypotheses are
        made of what is sensed, of one in which nothing is, of reading what is held, and of rows that move
        together. They use the last block, which is made anew: before there is anything in it. felt: percepts
        on the device, any, where steps are of such."""
        widths = self.blocks[-1].widths
        batch = PerceptBatch.empty(self.size, len(self.memories), len(widths), max(widths))
        batch.pose_vectors[...] = np.eye(3)
        nothing = PerceptBatch(batch.numbers, np.zeros_like(batch.flags))
        batch.flags[...] = True
        unchecked = np.zeros(batch.shape[:2], bool)
        first = [(0, model.name) for model in self.memories[0][:1]]
        numbers = np.arange(self.size)
        mixed = numbers + numbers % 2 * self.size  # of two blocks in turn

        def step(given: PerceptBatch, sensed: bool, block: EvidenceBank) -> None:
            if felt is None:
                block.launch(given, unchecked)
                return
            rows = np.where(sensed, numbers, -1)
            for _, headed, packed in self._packed([block], felt, rows, unchecked):
                block.launch_headed(headed, packed)

        return [
            partial(self._rehearse, partial(step, batch, True)),
            partial(self._rehearse, partial(step, nothing, False)),
            partial(self._rehearse, lambda block: block.strongest(0, first, 1)),
            partial(self._rehearse, lambda block: self._moved(mixed, {0: block, 1: block})),
        ]

    def _rehearse(self, work: Callable[[EvidenceBank], object]) -> None:
        """Do something with the last block and make it anew, in the memory that it had."""
        with contextlib.suppress(MemoryError):  # rows fill it: steps make their programs themselves
            work(self.blocks[-1])
        del self.blocks[-1]
        self.blocks.append(self._block())

    @property
    def memories(self) -> tuple[tuple[ObjectModel, ...], ...]:
        """The models of each module, in memory order."""
        return self.known.memories

    @property
    def compilations(self) -> int:
        return self.blocks[0].compilations

    @property
    def growths(self) -> list[str]:
        return [message for block in self.blocks for message in block.growths]

    # --- rows

    def _part(self, values: npt.NDArray[Any], number: int) -> npt.NDArray[Any]:
        """The rows of one block of (R, ...), followed by zeros where it has more."""
        first = number * self.size
        part = values[first : first + self.size]
        if len(part) == self.size:
            return part
        return np.concatenate([part, np.zeros((self.size - len(part), *part.shape[1:]), part.dtype)])

    def _batch(self, batch: PerceptBatch, number: int) -> PerceptBatch:
        """The percepts of one block."""
        first = number * self.size
        numbers, flags = batch.numbers[first : first + self.size], batch.flags[first : first + self.size]
        if len(numbers) == self.size:
            return PerceptBatch(numbers, flags)
        wide = PerceptBatch.empty(self.size, *batch.shape[1:], numbers.shape[3] - NUMBERS)
        wide.numbers[: len(numbers)], wide.flags[: len(flags)] = numbers, flags
        return wide

    def _given(
        self, batch: PerceptBatch, check: Bools | None
    ) -> list[tuple[EvidenceBank, PerceptBatch, Bools | None]]:
        if batch.shape[0] != self.rows:
            raise ValueError(f"inputs are for {batch.shape[0]} rows, the bank has {self.rows}")
        return [
            (block, self._batch(batch, number), None if check is None else self._part(check, number))
            for number, block in enumerate(self.blocks)
        ]

    def reset(self, rows: Bools | None = None) -> None:
        """Forget the hypotheses of the marked rows (all by default); models stay."""
        for number, block in enumerate(self.blocks):
            chosen = None if rows is None else self._part(np.asarray(rows, bool), number)
            if chosen is None or chosen.any():
                block.reset(chosen)

    def enough(self, busy: int) -> int:
        """How many rows to go on with when `busy` have something to do: blocks are given up by halves."""
        needed = -(-busy // self.size)
        return needed * self.size if 0 < 2 * needed <= len(self.blocks) else self.rows

    def expect_votes(self) -> None:
        """As `Room.expect_votes`."""
        rows = len(self.blocks) * self.size
        check_rows(rows, self.size, self.known, self.device, stored=True, voted=True)
        for block in self.blocks:
            block.expect_votes()

    def keep(self, rows: Ints) -> None:
        """Go on with the rows of these numbers alone, in this order, in as many blocks as they need."""
        widest = max(block.size for block in self.blocks)
        steps = max(int(block.ledger.born.max(initial=0)) for block in self.blocks)
        for block in self.blocks:
            block.widen(widest)
            block.note_poses(steps)
        number = -(-len(rows) // self.size)
        ledger = Ledger.joined([block.ledger for block in self.blocks])
        wanted = np.pad(rows, (0, number * self.size - len(rows)), "edge")
        self._move([wanted[first : first + self.size] for first in range(0, len(wanted), self.size)], ledger)
        if number * self.size > len(rows):  # what fills the last block is nobody's
            extra = np.zeros(self.size, bool)
            extra[len(rows) - number * self.size :] = True
            self.blocks[-1].reset(extra)
        self.rows = len(rows)

    def _move(self, parts: Sequence[Ints], ledger: Ledger) -> None:
        """Go on with as many blocks as there are parts, whose rows (size,) they take. What a block held is
        given up when no other part needs it: rows that move together need one more block at a time, and not
        a second state."""
        last = {number: i for i, part in enumerate(parts) for number in np.unique(part // self.size).tolist()}
        old = dict(enumerate(self.blocks))
        self.blocks = self.blocks[: len(parts)]
        ready: dict[int, Carry] = {}
        for i, part in enumerate(parts):
            ready[i] = self._moved(part, old)
            for number in [number for number in old if last.get(number, -1) <= i]:
                if number >= len(parts):
                    del old[number]
                elif number in ready:
                    old.pop(number).go_on(ready.pop(number), ledger.kept(parts[number]))

    def _moved(self, rows: Ints, blocks: Mapping[int, EvidenceBank]) -> Carry:
        """What so many rows (size,) hold, wherever they are."""
        made: Any = None
        for number in np.unique(rows // self.size).tolist():
            block = blocks[number]
            here = rows // self.size == number
            index = upload(np.where(here, rows % self.size, 0), "int32", self.device)
            if made is None:
                made = block.run(("taken",), programs.keep, block.state.carry.tree, index)
            else:
                chosen = upload(here, "bool", self.device)
                made = block.run(("filled",), programs.filled, made, block.state.carry.tree, index, chosen)
        hypotheses, checks, tracker = made
        return Carry(hypotheses, checks, tracker or None)

    # --- steps

    def launch(self, batch: PerceptBatch, check: Bools | None = None) -> BlockPending:
        """As `EvidenceBank.launch`."""
        parts = [block.launch(part, wanted) for block, part, wanted in self._given(batch, check)]
        return BlockPending(self._whole(batch, check, [pending.step for pending in parts]), parts)

    @property
    def takes_felt(self) -> bool:
        """As `EvidenceBank.takes_felt`."""
        return all(block.takes_felt for block in self.blocks)

    def launch_felt(self, felt: FeltPercepts, rows: Ints, check: Bools | None = None) -> BlockPending:
        """As `EvidenceBank.launch_felt`."""
        parts = [
            block.launch_headed(headed, packed)
            for block, headed, packed in self._packed(self.blocks, felt, rows, check)
        ]
        return BlockPending(self._unheard([pending.step for pending in parts], check), parts)

    def advance_felt(self, felt: FeltPercepts, rows: Ints, check: Bools | None = None) -> BlockStep:
        """As `EvidenceBank.advance_felt`."""
        steps = [
            block.advance_headed(headed, packed)
            for block, headed, packed in self._packed(self.blocks, felt, rows, check)
        ]
        return self._unheard(steps, check)

    def _packed(
        self, blocks: Sequence[EvidenceBank], felt: FeltPercepts, rows: Ints, check: Bools | None
    ) -> list[tuple[EvidenceBank, Headed, FeltPacked]]:
        """Blocks, each with what it takes of the percepts of all, which are packed at once: 32 blocks
        would make and send 32 headings. There is room for as many blocks as there were, so that nothing is
        compiled when some are given up."""
        heading = np.zeros((len(self._places) * self.size, len(self.memories), HEADING))
        heading[..., ROW], heading[..., SLOT] = -1, NOWHERE
        begun = list[tuple[EvidenceBank, Headed]]()
        for number, block in enumerate(blocks):
            part = heading[number * self.size : (number + 1) * self.size]
            wanted = None if check is None else self._part(check, number)
            begun.append((block, block.headed(part, self._part(rows + 1, number) - 1, wanted)))
        ways = next((each.ways for _, each in begun if each.ways is not None), None)
        packed, poses = felt.packed(heading, ways)
        return [
            (*each, FeltPacked(packed, poses, place))
            for each, place in zip(begun, self._places[: len(begun)], strict=True)
        ]

    def _unheard(self, steps: list[Step], check: Bools | None) -> BlockStep:
        """The step of all rows, of percepts that the host will hear of."""
        wanted = np.zeros((self.rows, len(self.memories)), bool) if check is None else np.array(check, bool)
        return BlockStep(steps[0].packed, steps[0].marked, wanted, check is not None, parts=steps)

    def heard(self, pending: BlockPending, batch: PerceptBatch, check: Bools | None) -> None:
        """As `EvidenceBank.heard`."""
        pending.step.marked = Marked.of(batch)
        if check is not None:
            pending.step.checked = np.asarray(check, bool)
        for number, (block, part) in enumerate(zip(self.blocks, pending.parts, strict=True)):
            asked = None if check is None else self._part(check, number)
            block.heard(part, self._batch(batch, number), asked)

    def advance(self, batch: PerceptBatch, check: Bools | None = None) -> BlockStep:
        """As `EvidenceBank.advance`."""
        steps = [block.advance(part, wanted) for block, part, wanted in self._given(batch, check)]
        whole = self._whole(batch, check, steps)
        whole.sensor_location = batch.mean_location()[0]
        return whole

    def _whole(self, batch: PerceptBatch, check: Bools | None, steps: list[Step]) -> BlockStep:
        wanted = np.zeros(batch.shape[:2], bool) if check is None else np.array(check, bool)
        return BlockStep(steps[0].packed, Marked.of(batch), wanted, check is not None, parts=steps)

    def conclude(self, step: Step) -> BlockPending:
        """As `EvidenceBank.conclude`."""
        return BlockPending(
            step, [block.conclude(part) for block, part in zip(self.blocks, _parts_of(step), strict=True)]
        )

    def cast_votes(self, step: Step) -> list[Ballot]:
        """As `EvidenceBank.cast_votes`, of each block."""
        return [block.cast_votes(part) for block, part in zip(self.blocks, _parts_of(step), strict=True)]

    def receive(
        self,
        ballots: tuple[list[Ballot], ...],
        routing: Routing,
        offsets: Floats | tuple[list[Tensor], ...],
        step: Step,
    ) -> None:
        """As `EvidenceBank.receive`, block by block: those of all voters have the same rows."""
        for number, (block, part) in enumerate(zip(self.blocks, _parts_of(step), strict=True)):
            own = (
                tuple(each[number] for each in offsets)
                if isinstance(offsets, tuple)
                else self._part(offsets, number)
            )
            block.receive(tuple(ballot[number] for ballot in ballots), routing, own, part)

    def results_of(self, pending: BlockPending) -> Sequence[Report]:
        """The tensors to read when the step is gathered: one of each block."""
        return [
            report
            for block, part in zip(self.blocks, pending.parts, strict=True)
            for report in block.results_of(part)
        ]

    def outcome_of(self, pending: BlockPending, values: Sequence[npt.NDArray[Any]]) -> Outcome:
        """The step of all rows on the host, from the values of `results_of`."""
        for block, part, value in zip(self.blocks, pending.parts, values, strict=True):
            block.outcome_of(part, [value])
        report = Report(pending.parts[0].report.values, pending.parts[0].report.layout)
        return Outcome(pending.step, report, np.concatenate(values)[: self.rows])

    def collect(self, pending: BlockPending) -> Outcome:
        """Wait for a step and read its results: the one synchronisation."""
        return self.outcome_of(pending, read(self.results_of(pending)))

    # --- hypotheses on demand

    def _at(self, row: int) -> tuple[EvidenceBank, int]:
        return self.blocks[row // self.size], row % self.size

    def hypotheses_of(self, row: int, module: int, name: str) -> dict[str, npt.NDArray[Any]]:
        """As `HeldRoom.hypotheses_of`."""
        block, own = self._at(row)
        return block.hypotheses_of(own, module, name)

    def _by_block(self, rows: Sequence[int]) -> dict[int, list[int]]:
        """Which of these rows lie in each block, by their places in the list."""
        places: dict[int, list[int]] = {}
        for place, row in enumerate(rows):
            places.setdefault(row // self.size, []).append(place)
        return places

    def strongest(self, module: int, wanted: Sequence[tuple[int, str]], most: int) -> list[Found]:
        """As `HeldRoom.strongest`. Waits once."""
        asked = self._by_block([row for row, _ in wanted])
        own = {
            number: [(wanted[place][0] % self.size, wanted[place][1]) for place in places]
            for number, places in asked.items()
        }
        found: dict[int, Found] = {}
        if in_host_memory(self.device):
            told = [self.blocks[number].strongest(module, each, most) for number, each in own.items()]
        else:
            ranked = [self.blocks[number].rank(module, each, most) for number, each in own.items()]
            values = iter(read([answer for answers in ranked for answer in answers]))
            told = [
                EvidenceBank.told([next(values) for _ in answers], len(each), most)
                for answers, each in zip(ranked, own.values(), strict=True)
            ]
        for places, each in zip(asked.values(), told, strict=True):
            found.update(zip(places, each, strict=True))
        return [found[place] for place in range(len(wanted))]

    @property
    def shares(self) -> tuple[int, int]:
        """As `HeldRoom.shares`: as many blocks as there were, so that nothing is compiled when some are given
        up."""
        return len(self._places), self.size

    def in_shares(self, reports: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """As `HeldRoom.in_shares`: nothing of blocks that were given up, each a tensor of its own, for which
        arguments are the same is part of a trace."""
        shape, dtype = reports[0].shape, reports[0].dtype.name
        return *reports, *(self._blank(share, shape, dtype) for share in range(len(reports), self.shares[0]))

    def compared(self, asked: Tensor, told: Tensor, comparison: Comparison) -> Tensor:
        """As `HeldRoom.compared`, places asked block by block (S, 2 size): each block ranks the hypotheses of
        its own rows, and what all ranked is compared by one program, which has more kernels."""
        ranked = [
            block.ranked(asked, place, comparison.most)
            for block, place in zip(self.blocks, self._numbers, strict=False)
        ]
        return self.blocks[0].compare_ranked(self.in_shares(ranked), told, comparison)


def places_of(step: Step) -> Any:
    """Where the sensors of the modules of a bank are, on the device: (R, M, 3), of each block where there are
    several."""
    if isinstance(step, BlockStep):
        return [places_of(part) for part in step.parts]
    assert step.senders is not None
    return step.senders.place


def _parts_of(step: Step) -> list[Step]:
    """The steps of the blocks: who steps in blocks is given its own kind of step."""
    assert isinstance(step, BlockStep)
    return step.parts


def in_blocks(bank: EvidenceBank | RowBlocks, size: int) -> EvidenceBank | RowBlocks:
    """A bank without hypotheses whose blocks have `size` rows, that knows what this one does: modules that
    hear each other step in the same blocks."""
    same = bank.size == size if isinstance(bank, RowBlocks) else bank.rows == size
    return bank if same else RowBlocks(bank.known, bank.rows, size, bank.device)


def enough(bank: Any, rows: int, busy: int) -> int:
    """How many of a bank's `rows` to go on with when `busy` have something to do."""
    return bank.enough(busy) if isinstance(bank, RowBlocks) else NARROWING(rows, busy)
