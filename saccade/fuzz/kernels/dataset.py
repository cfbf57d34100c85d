"""A data set of kernels: which programs were scheduled, for which machine, into which kernels.

    made = DataSet.of([("softmax", form)])         # forms as `tensor.programs.form` writes them down
    made.write(Path("before"))                     # before/kernels.txt, text that a person can read
    DataSet.read(Path("before")).kernels           # digest -> kernel

A file lists its programs, then every different kernel once, as `graph.kernels.text` writes it:

    saccade kernels 1
    program cpu 3f2a91c0d1e2 77aa1b2c3d4e | sweep: softmax of columns, 2048x1024

    kernel 3f2a91c0d1e2
    # read again within the loop, and fits in cache
    params float32[8] float32[8]
    ...

It is data, not expected text: `replay` asks of each kernel that it lowers, stays in bounds and computes what
the interpreter does; `changes` tells what is different in another one, which is no failure.
"""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ...files.reading import TooLarge, read_bytes, reading
from ...graph.kernels.kernel import Kernel
from ...graph.kernels.text import KernelTextError, digest_of, kernel_from, text_of
from ...schedule.cost import CPU, GPU, Machine
from ...schedule.schedule import schedule
from ...tensor.programs.form import Form, graph_of

#: The machines every program is scheduled for.
MACHINES: Final[dict[str, Machine]] = {"cpu": CPU, "cuda": GPU}
#: The first line; a file of another version is refused.
HEAD: Final = "saccade kernels 1"
NAME: Final = "kernels.txt"
#: Nodes of a kernel that is taken into a sample.
_SMALL: Final = 150
_MOST_BYTES: Final = 1 << 28
_MOST_PACKING: Final = 64
AGAIN: Final = "write it again with `saccade kernels dump`"
_PROGRAM: Final = re.compile(r"program (\w+)((?: [0-9a-f]{12})*) \| (\S.*)")
_KERNEL: Final = re.compile(r"kernel ([0-9a-f]{12})")


class DataSetError(ValueError):
    """A file that is no data set of kernels."""


@dataclass(frozen=True)
class Program:
    """A program as it was scheduled for a machine: the digests of its kernels, in order."""

    name: str
    machine: str
    kernels: tuple[str, ...]


@dataclass(frozen=True)
class DataSet:
    programs: tuple[Program, ...]
    kernels: dict[str, Kernel]

    @staticmethod
    def of(programs: Iterable[tuple[str, Form]]) -> DataSet:
        """Named graphs, scheduled for every machine. Of programs with one name all are kept."""
        listed: list[Program] = []
        kernels: dict[str, Kernel] = {}
        for name, form in programs:
            for machine, numbers in MACHINES.items():
                made = {digest_of(k): k for k in _scheduled(form, numbers)}
                kernels = {**made, **kernels}
                listed.append(Program(" ".join(name.split()), machine, tuple(made)))
        return DataSet(tuple(listed), kernels)

    def sample(self, count: int) -> DataSet:
        """So many of the smaller kernels at most, from all over."""
        small = [digest for digest, kernel in self.kernels.items() if len(kernel.nodes) <= _SMALL]
        kept = {digest: self.kernels[digest] for digest in spread_out(small, count)}
        programs = [
            Program(p.name, p.machine, tuple(d for d in p.kernels if d in kept)) for p in self.programs
        ]
        return DataSet(tuple(p for p in programs if p.kernels), kept)

    # --- as text

    def to_text(self) -> str:
        lines = [" ".join(["program", p.machine, *p.kernels, "|", p.name]) for p in self.programs]
        kernels = [f"kernel {digest}\n{text_of(kernel)}" for digest, kernel in self.kernels.items()]
        return "\n".join(["\n".join([HEAD, *lines]) + "\n", *kernels])

    @staticmethod
    def from_text(text: str) -> DataSet:
        """The data set, or DataSetError that says where it is none."""
        first, *blocks = text.rstrip("\n").split("\n\n")
        head, *lines = first.split("\n")
        if head != HEAD:
            raise DataSetError(f"the first line is {head!r:.60}, not {HEAD!r}")
        programs = tuple(map(_program, lines))
        kernels: dict[str, Kernel] = {}
        for block in blocks:
            digest, kernel = _kernel(block)
            if digest in kernels:
                raise DataSetError(f"kernel {digest} is there twice")
            kernels[digest] = kernel
        for program in programs:
            missing = [d for d in program.kernels if d not in kernels]
            if missing:
                raise DataSetError(f"program {program.name!r} has a kernel {missing[0]} that is not there")
        return DataSet(programs, kernels)

    # --- in files

    def write(self, folder: Path, compressed: bool = False) -> Path:
        """Write it to a folder, which is made; the file."""
        folder.mkdir(parents=True, exist_ok=True)
        text = self.to_text().encode()
        path, other = folder / NAME, folder / f"{NAME}.gz"
        if compressed:
            path, other = other, path
        other.unlink(missing_ok=True)  # a folder has one
        # no time and no name in it: the same kernels are the same bytes
        path.write_bytes(gzip.compress(text, mtime=0) if compressed else text)
        return path

    @staticmethod
    def read(path: Path) -> DataSet:
        """From a folder that `write` wrote to, or from the file itself."""
        if path.is_dir():
            found = [path / name for name in (NAME, f"{NAME}.gz") if (path / name).is_file()]
            if not found:
                raise FileNotFoundError(
                    f"there is no {NAME} in {path}: write one with `saccade kernels dump {path}`"
                )
            path = found[0]
        if not path.is_file():
            raise FileNotFoundError(f"there is no folder or file {path}")
        text = _text(path)
        try:
            return DataSet.from_text(text)
        except DataSetError as error:
            raise DataSetError(f"{path}: {error}") from None


def spread_out(items: list[str], count: int) -> list[str]:
    """So many of them at most, at even distances."""
    return items[:: max(-(-len(items) // max(count, 1)), 1)]


def _scheduled(form: Form, machine: Machine) -> list[Kernel]:
    return [item.kernel for item in schedule(*graph_of(form), machine).items]


def _text(path: Path) -> str:
    """The text of a file, packed or not; a packed one may hold so many times its bytes."""
    with reading(path, DataSetError, AGAIN):
        data = read_bytes(path, _MOST_BYTES)
        if path.suffix == ".gz":
            limit = _MOST_PACKING * len(data)
            with gzip.open(io.BytesIO(data)) as file:
                data = file.read(limit + 1)
            if len(data) > limit:
                raise TooLarge(f"it holds more than {limit:,} bytes of text")
        return data.decode()


def _program(line: str) -> Program:
    found = _PROGRAM.fullmatch(line)
    if found is None:
        raise DataSetError(f"{line!r:.80} is not `program MACHINE DIGESTS | NAME`")
    machine, digests, name = found.groups()
    if machine not in MACHINES:
        raise DataSetError(f"{machine!r} is no machine of ours: {', '.join(MACHINES)}")
    return Program(name, machine, tuple(digests.split()))


def _kernel(block: str) -> tuple[str, Kernel]:
    head, _, text = block.lstrip("\n").partition("\n")
    found = _KERNEL.fullmatch(head)
    if found is None:
        raise DataSetError(f"{head!r:.80} is not `kernel DIGEST`")
    try:
        kernel = kernel_from(text)
    except KernelTextError as error:
        raise DataSetError(f"kernel {found[1]}, {error}") from None
    if digest_of(kernel) != found[1]:
        raise DataSetError(f"kernel {found[1]} is {digest_of(kernel)} by its text: has it been changed?")
    return found[1], kernel
