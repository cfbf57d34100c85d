"""Several kernels as one launch on the CPU: each has a part of the iterations of the parallel loop.

    sections of 64 and 8 tasks:    tasks 0..64 are the first one's, 64..72 the second one's

A thread is given iterations begin..end. For every section that has some of them, the function collects the
section's buffers and calls its body, which is a kernel like any other. Equal bodies are written once: a step
of an optimiser has one for each size of parameter.

    call @NAME.0({p0, p1, p2}, max(begin, 0) - 0, min(end, 64) - 0, scratch)      if there are any
    call @NAME.1({p3, p4, p2}, max(begin, 64) - 64, min(end, 72) - 64, scratch)   the same
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...runtime.program import Source


@dataclass(frozen=True)
class Body:
    """A section's source, whose function has the name of the whole and a number, and its buffers among those
    of the whole."""

    source: Source
    slots: tuple[int, ...]


def body_name(name: str, number: int) -> str:
    return f"{name}.{number}"


def sections_source(name: str, bodies: Sequence[Body], params: int) -> Source:
    """One source for all bodies; `grain` and `quick` are the caller's to choose."""
    texts = list(dict.fromkeys(body.source.text for body in bodies))
    lines = [f"define void @{name}(ptr noalias %params, i64 %begin, i64 %end, ptr noalias %scratch) {{"]
    most = max(len(body.slots) for body in bodies)
    lines += ["entry:", f"  %own = alloca [{most} x ptr], align 8", "  br label %s0"]
    start = 0
    for number, body in enumerate(bodies):
        lines += _call(number, body, start)
        start += body.source.tasks
    lines += [f"s{len(bodies)}:", "  ret void", "}"]
    return Source(
        name,
        _merged([*texts, "\n".join(lines), _DECLARED]),
        start,
        params,
        max(body.source.scratch for body in bodies),
    )


_DECLARED = "declare i64 @llvm.smax.i64(i64, i64)\ndeclare i64 @llvm.smin.i64(i64, i64)"


def _call(number: int, body: Body, start: int) -> list[str]:
    """The part of one section, which begins at iteration `start`, and a jump to the next one's."""
    s, tasks = f"%s{number}", body.source.tasks
    lines = [
        f"s{number}:",
        f"  {s}.first = call i64 @llvm.smax.i64(i64 %begin, i64 {start})",
        f"  {s}.last = call i64 @llvm.smin.i64(i64 %end, i64 {start + tasks})",
        f"  {s}.any = icmp slt i64 {s}.first, {s}.last",
        f"  br i1 {s}.any, label {s}.call, label %s{number + 1}",
        f"s{number}.call:",
    ]
    for own, slot in enumerate(body.slots):
        lines += [
            f"  {s}.from{own} = getelementptr ptr, ptr %params, i64 {slot}",
            f"  {s}.p{own} = load ptr, ptr {s}.from{own}, align 8",
            f"  {s}.to{own} = getelementptr ptr, ptr %own, i64 {own}",
            f"  store ptr {s}.p{own}, ptr {s}.to{own}, align 8",
        ]
    return [
        *lines,
        f"  {s}.begin = sub i64 {s}.first, {start}",
        f"  {s}.end = sub i64 {s}.last, {start}",
        f"  call void @{body.source.name}(ptr %own, i64 {s}.begin, i64 {s}.end, ptr %scratch)",
        f"  br label %s{number + 1}",
    ]


def _merged(texts: Sequence[str]) -> str:
    """The texts as one, with what several of them define or declare once."""
    parts: dict[str, None] = {}
    for text in texts:
        function: list[str] = []
        for line in text.splitlines():
            if function or line.startswith("define "):
                function.append(line)
            else:
                parts[line] = None
            if line == "}":
                parts["\n".join(function)] = None
                function = []
    return "\n".join([*parts, ""])
