"""`DataLoader`: batches of a dataset, epoch after epoch.

    loader = DataLoader(dataset, batch_size=64, shuffle=True, num_workers=2)
    for x, y in loader:                 # one epoch
        step(model, optimizer, x, y)
    loader.state_dict()                 # where it is, to the batch

With workers, a thread takes batches from them and makes tensors ahead of the loop; on a GPU it has a stream
of its own, so that copies (through pinned memory) run beside the kernels. Which batches come, and their bits,
depend on the dataset, the seed and the number of the epoch alone.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from typing import Any

import numpy as np

from ...runtime.device import Device
from ...runtime.stream import stream
from ...tensor.tensor import Tensor
from .collate import mapped
from .dataset import batch_of, item_at
from .progress import shown
from .randomness import Indices, epoch_order, items_of
from .samplers import tell_epoch
from .workers import GLANCE, batches_of_workers


class DataLoader:
    """Iterating gives the batches of one epoch; the next time, those of the next.

    A loop that is left early ends its epoch. After `load_state_dict` the next loop begins behind the last
    batch that was handed out when the state was taken."""

    def __init__(
        self,
        dataset: Any,
        batch_size: int = 1,
        shuffle: bool = False,
        sampler: Iterable[int] | None = None,
        batch_sampler: Iterable[Sequence[int]] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[list[Any]], Any] | None = None,
        drop_last: bool = False,
        worker_init_fn: Callable[[int], object] | None = None,
        prefetch_factor: int = 2,
        seed: int = 0,
        device: str | None = None,
        progress: bool = False,
    ) -> None:
        if batch_size < 1 or num_workers < 0 or prefetch_factor < 1:
            raise ValueError(
                f"batch_size={batch_size} and prefetch_factor={prefetch_factor} have to be 1 or more, "
                f"num_workers={num_workers} 0 or more"
            )
        if shuffle and sampler is not None:
            raise ValueError("a sampler gives the order: do not shuffle as well")
        if batch_sampler is not None and (batch_size != 1 or shuffle or sampler is not None or drop_last):
            raise ValueError(
                "a batch_sampler gives whole batches: leave out batch_size, shuffle, sampler and drop_last"
            )
        self.dataset, self.batch_size, self.shuffle, self.sampler = dataset, batch_size, shuffle, sampler
        self.batch_sampler, self.worker_init_fn = batch_sampler, worker_init_fn
        self.num_workers, self.collate_fn, self.drop_last = num_workers, collate_fn, drop_last
        self.prefetch_factor, self.seed, self.progress = prefetch_factor, seed, progress
        self.device = Device.canonical(device)
        #: the epoch of the next batch, and how many batches of it were handed out
        self.epoch = self.batch = 0
        self._goes_on = True  # the next loop begins here, and not with another epoch

    def __len__(self) -> int:
        """Batches of an epoch."""
        if self.batch_sampler is not None:
            return _length(self.batch_sampler)
        count = len(self.dataset)
        if self.sampler is not None:
            count = _length(self.sampler)
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)

    def __iter__(self) -> Iterator[Any]:
        if not self._goes_on:
            self.epoch, self.batch = self.epoch + 1, 0
        batches = self._batches()
        total = len(batches)
        numbers = range(self.batch, total)
        make = _Batches(self, batches)
        if self.num_workers:
            made = self._ahead(make, numbers)
        else:
            # a copy: what a dataset gives may be memory of its own
            made = (mapped(lambda a: Tensor(a, device=self.device), make(number)) for number in numbers)
        self._goes_on = False
        told = shown(made, total, self.batch, self.epoch, self.progress)
        for batch, number in zip(told, numbers, strict=False):
            self.batch = number + 1  # before it is used: a state taken in the loop has this batch behind it
            yield batch

    def _batches(self) -> list[Indices] | _Pieces:
        """The items of each batch of this epoch."""
        if self.batch_sampler is not None:
            tell_epoch(self.batch_sampler, self.epoch)
            return [np.asarray(batch, np.int64) for batch in self.batch_sampler]
        return _Pieces(self._order(), self.batch_size, self.drop_last)

    def _order(self) -> Indices:
        """The items of this epoch, in order."""
        if self.sampler is not None:
            tell_epoch(self.sampler, self.epoch)
            return np.fromiter(self.sampler, np.int64)
        count = len(self.dataset)
        return epoch_order(count, self.seed, self.epoch) if self.shuffle else np.arange(count)

    def _tensors(self, batch: Any) -> Any:
        """What a worker sent, on the device."""
        if self.device == "cpu":
            return mapped(lambda array: Tensor.from_numpy(np.ascontiguousarray(array)), batch)
        return mapped(lambda array: Tensor(array, device=self.device), batch)

    # --- ahead of the loop

    def _ahead(self, make: _Batches, numbers: range) -> Iterator[Any]:
        """Batches of workers as tensors, up to `prefetch_factor` of each worker ahead."""
        ready: queue.Queue[tuple[Any, BaseException | None]] = queue.Queue(
            self.prefetch_factor * self.num_workers
        )
        wanted = threading.Event()
        wanted.set()
        count = min(self.num_workers, max(len(numbers), 1))
        made = batches_of_workers(make, numbers, count, wanted, self.worker_init_fn)
        first = next(made, None) if numbers else None  # which forks in this thread, not beside it

        def feed() -> None:
            error: BaseException | None = None
            try:
                with stream(device=self.device):
                    if numbers:
                        _put(ready, (self._tensors(first), None), wanted)
                    for batch in made:
                        if not _put(ready, (self._tensors(batch), None), wanted):
                            return
            except BaseException as raised:  # noqa: BLE001  raised again in the loop
                error = raised
            finally:
                made.close()
                _put(ready, (None, error or StopIteration()), wanted)

        thread = threading.Thread(target=feed, name="saccade data", daemon=True)
        thread.start()
        try:
            while True:
                batch, error = ready.get()
                if isinstance(error, StopIteration):
                    return
                if error is not None:
                    raise error
                yield batch
        finally:
            wanted.clear()
            thread.join()

    # --- saved state

    def state_dict(self) -> dict[str, int]:
        """Where the loader is: what was handed out counts, not what was made ahead."""
        return {"seed": self.seed, "epoch": self.epoch, "batch": self.batch, "batch_size": self.batch_size}

    def load_state_dict(self, state: Mapping[str, int]) -> None:
        """The next loop goes on from there."""
        missing = [name for name in self.state_dict() if name not in state]
        if missing:
            raise ValueError(f"this is no state of a loader: {', '.join(missing)} missing from it")
        if state["batch_size"] != self.batch_size:
            raise ValueError(
                f"the state is of batches of {state['batch_size']}, and this loader has batches of "
                f"{self.batch_size}: they do not begin at the same items"
            )
        seed, epoch, batch = (state[name] for name in ("seed", "epoch", "batch"))
        if not all(type(each) is int and each >= 0 for each in (seed, epoch, batch)):
            raise ValueError(f"seed {seed!r}, epoch {epoch!r}, batch {batch!r}: numbers are due, 0 or more")
        self.seed, self.epoch, self.batch = seed, epoch, batch
        self._goes_on = True


class _Pieces:
    """An order in batches of one size, cut when they are asked for: an epoch may have millions."""

    def __init__(self, order: Indices, size: int, whole: bool) -> None:
        self.order, self.size = order, size
        self.count = len(order) // size if whole else -(-len(order) // size)

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, number: int) -> Indices:
        return self.order[number * self.size : (number + 1) * self.size]


class _Batches:
    """Makes batch number n of an epoch. A worker has one."""

    def __init__(self, loader: DataLoader, batches: list[Indices] | _Pieces) -> None:
        self.dataset, self.batches, self.join = loader.dataset, batches, loader.collate_fn
        self.seed, self.epoch = loader.seed, loader.epoch

    def __call__(self, number: int) -> Any:
        chosen = self.batches[number]
        with items_of(self.seed, self.epoch):
            if self.join is None:
                return batch_of(self.dataset, chosen)
            return self.join([item_at(self.dataset, index) for index in chosen.tolist()])


def _length(items: Iterable[Any]) -> int:
    return len(items) if isinstance(items, Sized) else sum(1 for _ in items)


def _put(ready: queue.Queue[Any], what: Any, wanted: threading.Event) -> bool:
    """Wait for room as long as somebody wants batches; did it go in?"""
    while wanted.is_set():
        try:
            ready.put(what, timeout=GLANCE)
        except queue.Full:
            continue
        return True
    return False
