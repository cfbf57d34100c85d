"""Several kernels of one block size as one: every block finds the one it belongs to, and its buffers.

    if (blockIdx.x < 64) { which = 0; q0 = ...; } else { which = 1; block -= 64; q0 = ...; }
    if (which == 0) { ... the first, as if its blocks were all there are ... } else { ... }

The questions are the same for all threads of a block, and are put as a binary search. Kernels with the same
text are written once: the step of an optimiser is a few texts for all its parameters, and compiled in the
time of a few.
"""

from __future__ import annotations

from .....runtime.program import Source
from ....linear.gpu.code import GpuCode
from ...prelude import COMMON, FOLLOW, PRELUDE, ahead_line, kernel_head
from ...renderer import Renderer, address, type_name

Part = tuple[GpuCode, tuple[int, ...]]


def sections_source(name: str, parts: list[Part], params: int) -> Source:
    """One source for kernels that need nothing beside their arguments (no shared memory, no workspace), each
    with the numbers of its arguments among the `params` of the whole."""
    first = parts[0][0]
    threads = first.teams * first.team
    early = all(code.early for code, _ in parts)
    for code, _ in parts:
        code.early = early  # a launch begins early or not, and all of it reads accordingly
    starts, texts, which = [0], list[str](), list[int]()
    for code, _ in parts:
        assert code.teams * code.team == threads
        assert code.shared == code.workspace == 0
        starts.append(starts[-1] + code.grid)
        text = _Section(code).body_text()
        if any(other.waits_late for other, _ in parts) and not code.waits_late:
            text = FOLLOW + "\n" + text
        if text not in texts:
            texts.append(text)
        which.append(texts.index(text))
    most = max(len(slots) for _, slots in parts)
    settled = {slots[at] for code, slots in parts if code.waits_late for at in code.settled}
    asked = [code.ahead if early else () for code, _ in parts]
    lines = [
        kernel_head(name, params, threads, follows=early),
        "  u32 block = blockIdx.x, which;",
        f"  u64 {', '.join(f'q{i}' for i in range(most))};",
        *_choice([slots for _, slots in parts], starts, which, asked, 0, len(parts), 1),
        *([FOLLOW] if early and not settled else []),
    ]
    for number, text in enumerate(texts):
        lines += [f"  {'else ' if number else ''}if (which == {number}) {{", text, "  }"]
    return Source(
        name, "\n".join([PRELUDE, COMMON, *lines, "}", ""]), tasks=starts[-1] * threads, params=params,
        grid=starts[-1], block=threads, settled=tuple(sorted(settled)),
    )  # fmt: skip


def _choice(
    slots: list[tuple[int, ...]],
    starts: list[int],
    which: list[int],
    asked: list[tuple[tuple[int, int], ...]],
    low: int,
    high: int,
    depth: int,
) -> list[str]:
    """Which of the sections low .. high a block belongs to, what it is given, and what it asks for ahead."""
    indent = "  " * depth
    if high - low == 1:
        given = " ".join(f"q{i} = {address(slot)};" for i, slot in enumerate(slots[low]))
        return [
            f"{indent}which = {which[low]}; block -= {starts[low]}u; {given}",
            *(indent + ahead_line(f"q{slot}", "block", share) for slot, share in asked[low]),
        ]
    middle = (low + high) // 2
    return [
        f"{indent}if (blockIdx.x < {starts[middle]}u) {{",
        *_choice(slots, starts, which, asked, low, middle, depth + 1),
        f"{indent}}} else {{",
        *_choice(slots, starts, which, asked, middle, high, depth + 1),
        f"{indent}}}",
    ]


class _Section(Renderer):
    """Prints the body of one kernel whose block is called `block`, its buffers q0, q1, ..."""

    def body_text(self) -> str:
        self.depth, self.block_number = 2, "block"
        for memory in self.code.memories:
            name = type_name(memory.dtype)
            self.line(f"{name} *const {memory.name} = buffer_at<{name}>(q{memory.slot});")
        return super().body_text()
