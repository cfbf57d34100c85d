"""Several kernels as one launch on the CPU.

Each has a part of the iterations of the parallel loop:

    sections of 64 and 8 tasks:    tasks 0..64 are the first one's, 64..72 the second one's

A thread is given iterations begin..end. For every section that has some of them, the function calls its body,
which is a kernel like any other, with the section's buffers. Equal bodies are written once: a step of an
optimiser has one for each size of parameter.

    call @NAME.0({p0, p1, p2}, max(begin, 0) - 0, min(end, 64) - 0, scratch)      if there are any
    call @NAME.1({p3, p4, p2}, max(begin, 64) - 64, min(end, 72) - 64, scratch)   the same

Sections that are parts of the same rows run in turn, a row at a time:

    for row in begin..end:  call @NAME.0({p0, p1}, row, row + 1, scratch);  call @NAME.1({p0, p2}, ...)
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


def sections_source(name: str, bodies: Sequence[Body], params: int, rows: bool) -> Source:
    """One source for all bodies, which are parts of the same `rows` or share nothing; `grain` and `quick` are
    the caller's to choose."""
    lines = [f"define void @{name}(ptr noalias %params, i64 %begin, i64 %end, ptr noalias %scratch) {{"]
    lines.append("entry:")
    tasks = {body.source.tasks for body in bodies}
    if rows and len(tasks) == 1:
        return _source(name, bodies, [*lines, *_in_turn(bodies)], tasks.pop(), params)
    lines += [_place("%own", max(len(body.slots) for body in bodies)), "  br label %s0"]
    start = 0
    for number, body in enumerate(bodies):
        lines += _call(number, body, start)
        start += body.source.tasks
    return _source(name, bodies, [*lines, f"s{len(bodies)}:"], start, params)


def _source(name: str, bodies: Sequence[Body], lines: list[str], tasks: int, params: int) -> Source:
    texts = list(dict.fromkeys(body.source.text for body in bodies))
    text = _merged([*texts, "\n".join([*lines, "  ret void", "}"]), _DECLARED])
    return Source(name, text, tasks, params, max(body.source.scratch for body in bodies))


_DECLARED = "declare i64 @llvm.smax.i64(i64, i64)\ndeclare i64 @llvm.smin.i64(i64, i64)"


def _place(name: str, count: int) -> str:
    return f"  {name} = alloca [{count} x ptr], align 8"


def _buffers(number: int, body: Body, place: str) -> list[str]:
    """The addresses of a section's buffers to a place, as its body takes them."""
    s, lines = f"%s{number}", []
    for own, slot in enumerate(body.slots):
        lines += [
            f"  {s}.from{own} = getelementptr ptr, ptr %params, i64 {slot}",
            f"  {s}.p{own} = load ptr, ptr {s}.from{own}, align 8",
            f"  {s}.to{own} = getelementptr ptr, ptr {place}, i64 {own}",
            f"  store ptr {s}.p{own}, ptr {s}.to{own}, align 8",
        ]
    return lines


def _called(body: Body, place: str, begin: str, end: str) -> str:
    return f"  call void @{body.source.name}(ptr {place}, i64 {begin}, i64 {end}, ptr %scratch)"


def _call(number: int, body: Body, start: int) -> list[str]:
    """The part of one section, which begins at iteration `start`, and a jump to the next one's."""
    s, tasks = f"%s{number}", body.source.tasks
    return [
        f"s{number}:",
        f"  {s}.first = call i64 @llvm.smax.i64(i64 %begin, i64 {start})",
        f"  {s}.last = call i64 @llvm.smin.i64(i64 %end, i64 {start + tasks})",
        f"  {s}.any = icmp slt i64 {s}.first, {s}.last",
        f"  br i1 {s}.any, label {s}.call, label %s{number + 1}",
        f"s{number}.call:",
        *_buffers(number, body, "%own"),
        f"  {s}.begin = sub i64 {s}.first, {start}",
        f"  {s}.end = sub i64 {s}.last, {start}",
        _called(body, "%own", f"{s}.begin", f"{s}.end"),
        f"  br label %s{number + 1}",
    ]


def _in_turn(bodies: Sequence[Body]) -> list[str]:
    """A loop over rows, each of which is a call of every body."""
    lines = []
    for number, body in enumerate(bodies):
        place = f"%s{number}.own"
        lines += [_place(place, len(body.slots)), *_buffers(number, body, place)]
    return [
        *lines,
        "  br label %head",
        "head:",
        "  %row = phi i64 [ %begin, %entry ], [ %next, %parts ]",
        "  %going = icmp slt i64 %row, %end",
        "  br i1 %going, label %parts, label %after",
        "parts:",
        "  %next = add nsw i64 %row, 1",
        *[_called(body, f"%s{number}.own", "%row", "%next") for number, body in enumerate(bodies)],
        "  br label %head",
        "after:",
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
