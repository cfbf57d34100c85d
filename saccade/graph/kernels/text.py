"""A kernel as text that can be read again: the same kernel has the same text in every process.

    >>> print(text_of(kernel))
    # asked for
    params float32[8] float32[8]
    0 CONST int64 {8}
    1 RANGE int64 0 {number=0}
    2 PARAM float32 {slot=0 size=8}
    3 PARAM float32 {slot=1 size=8}
    4 LOAD float32 3 1
    5 CONST float32 {0x1.0000000000000p+1}
    6 MUL float32 4 5
    7 STORE float32 2 1 6
    8 SINK bool 7
    order 1
    outputs 0
    >>> kernel_from(text_of(kernel)) == kernel
    True

A node is a line: its number, op, dtype, the numbers of its sources, its arg in braces. Floats are written in
hexadecimal, to the last bit. The comment is why the kernel is one. Moves that were made are not written, what
they did is in the nodes; those its tensor asks for are, as `asked split 0 8 vector`. Reading evaluates
nothing, and refuses what is not exactly such a text, by line.
"""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Callable
from dataclasses import MISSING, fields
from hashlib import sha256
from typing import Any, Final

from .. import dtypes
from ..constants import anything, is_anything
from ..dtypes import DType
from ..monoid import Monoid
from ..node import Node, make, walk
from ..ops import Op
from ..param import Param
from ..value import Word
from ..verify import STAGES
from .kernel import Axis, Kernel, Sorting, Staging, range_size

#: the class of what an op carries
_RECORDS: Final[dict[Op, type[Any]]] = {
    Op.PARAM: Param,
    Op.RANGE: Axis,
    Op.STAGE: Staging,
    Op.FOLD: Monoid,
    Op.PREFIX: Monoid,
    Op.SORT: Sorting,
    Op.VALUE: Word,
}
_OPS: Final = {op.name: op for op in STAGES["kernel"] | {Op.SORT}}
_NUMBER: Final = re.compile(r"[0-9]{1,18}")
_LINE: Final = re.compile(r"([0-9]{1,9}) ([A-Z0-9]+) (\w+)((?: [0-9]{1,9})*)(?: \{([^{}]*)\})?")
_MEMORY: Final = re.compile(r"(\w+)\[([0-9]{1,18})\]")
_WORD: Final = re.compile(r"[A-Za-z][\w.:-]*")
_HEX: Final = re.compile(r"-?(?:inf|0x[01]\.[0-9a-f]+p[+-]\d+)")


class KernelTextError(ValueError):
    """A text that is no kernel; says which line, and what is wrong with it."""


# --- writing


def text_of(kernel: Kernel) -> str:
    """The text of a kernel, its reason as a comment."""
    reason = " ".join(kernel.reason.split())
    return (f"# {reason}\n" if reason else "") + _body(kernel)


def digest_of(kernel: Kernel) -> str:
    """Twelve characters that tell kernels apart, whatever their reasons."""
    return sha256(_body(kernel).encode()).hexdigest()[:12]


def _body(kernel: Kernel) -> str:
    numbers: dict[Node, int] = {}
    lines = [" ".join(["params", *(f"{dtype.name}[{size}]" for dtype, size in kernel.params)])]
    for node in walk((*kernel.order, kernel.sink)):  # loops first: there are some that nothing depends on
        numbers[node] = len(numbers)
        arg = _arg_text(node)
        words = [str(numbers[node]), node.op.name, node.dtype.name, *(str(numbers[s]) for s in node.src)]
        lines.append(" ".join([*words, *([] if arg is None else [f"{{{arg}}}"])]))
    lines.append(" ".join(["order", *(str(numbers[r]) for r in kernel.order)]))
    lines.append(" ".join(["outputs", *map(str, kernel.outputs)]))
    lines += [f"asked {words}" for words in kernel.asked]
    return "\n".join(lines) + "\n"


def _arg_text(node: Node) -> str | None:
    if node.op is Op.CONST:
        return _const_text(node)
    if node.arg is None:
        return None
    if node.op in _RECORDS:
        given = [
            f"{field.name}={_value_text(getattr(node.arg, field.name))}"
            for field in fields(node.arg)
            if getattr(node.arg, field.name) != field.default
        ]
        return " ".join(given)
    return _value_text(node.arg)


def _const_text(node: Node) -> str:
    if is_anything(node):
        return "anything"
    if not node.dtype.is_float:
        return _value_text(node.arg)
    value = float(node.arg)
    return f"nan:{struct.pack('>d', value).hex()}" if value != value else value.hex()


def _value_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str) and _WORD.fullmatch(value):
        return value
    if isinstance(value, Param):  # the words a VALUE is one of
        value = (value.slot, value.size) if value.device is None else (value.slot, value.size, value.device)
    if isinstance(value, tuple) and value:
        return ",".join(map(_value_text, value))
    raise ValueError(f"{value!r} cannot be written into the text of a kernel")


# --- telling kernels apart


def difference(before: Kernel, after: Kernel) -> str:
    """How a kernel differs from another, in words: loops, memory, and how often each op occurs."""
    told = []
    loops = ["x".join(str(range_size(r)) for r in kernel.order) or "none" for kernel in (before, after)]
    if loops[0] != loops[1]:
        told.append(f"loops {loops[0]} -> {loops[1]}")
    if before.params != after.params:
        gone, come = Counter(before.params), Counter(after.params)
        memory = [f"-{d.name}[{n}]" for d, n in (gone - come).elements()]
        memory += [f"+{d.name}[{n}]" for d, n in (come - gone).elements()]
        told.append(f"memory {' '.join(memory) or 'in another order'}")
    counts = [Counter(node.op.name for node in kernel.nodes) for kernel in (before, after)]
    changed = [
        f"{op} {counts[1][op] - counts[0][op]:+d}"
        for op in dict.fromkeys([*counts[0], *counts[1]])
        if counts[0][op] != counts[1][op]
    ]
    return ", ".join([*told, *changed]) or "the same ops, otherwise connected"


# --- reading


def kernel_from(text: str) -> Kernel:
    """The kernel that a text describes, or KernelTextError."""
    return _Reader(text.splitlines()).kernel()


class _Reader:
    """Lines of one kernel, taken one after the other."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.at = 0
        self.nodes: list[Node] = []

    def kernel(self) -> Kernel:
        reason = ""
        while self.line.startswith("#"):
            reason = self.line[1:].strip()
            self.at += 1
        params = tuple(map(self.memory, self.words("params")))
        while self.line[:1].isdigit():
            self.nodes.append(self.node(params))
            self.at += 1
        order = tuple(self.number(word, len(self.nodes), "node") for word in self.words("order"))
        outputs = tuple(self.number(word, len(params), "parameter") for word in self.words("outputs"))
        asked = []
        while self.at < len(self.lines) and self.line.startswith("asked "):
            asked.append(" ".join(self.words("asked")))
        if self.at < len(self.lines):
            raise self.error("there is more than one kernel")
        self.at -= 1
        if not self.nodes or self.nodes[-1].op is not Op.SINK:
            raise self.error("the last node is not a SINK")
        loops = tuple(self.nodes[number] for number in order)
        if any(r.op is not Op.RANGE for r in loops) or len(set(loops)) != len(loops):
            raise self.error("the order names something that is not a RANGE, or one of them twice")
        made = Kernel(self.nodes[-1], loops, params, outputs, (), reason, tuple(asked))
        if len(set(self.nodes)) != len(self.nodes) or set(self.nodes) != set(walk((*loops, made.sink))):
            raise self.error("a node is there twice, or nothing reads it")
        return made

    @property
    def line(self) -> str:
        if self.at >= len(self.lines):
            raise self.error("the text ends too early")
        return self.lines[self.at]

    def error(self, problem: str) -> KernelTextError:
        here = f" {self.lines[self.at]!r:.120}" if self.at < len(self.lines) else ""
        return KernelTextError(f"line {self.at + 1}{here}: {problem}")

    def words(self, head: str) -> list[str]:
        """The words of a line that begins with `head`."""
        first, *rest = self.line.split(" ")
        if first != head:
            raise self.error(f"a line that begins with {head!r} is missing")
        self.at += 1
        return rest

    def number(self, word: str, below: int, what: str) -> int:
        if _NUMBER.fullmatch(word) is None or int(word) >= below:
            self.at -= 1  # of the line that was just read
            raise self.error(f"{word!r} is not the number of a {what}")
        return int(word)

    def memory(self, word: str) -> tuple[DType, int]:
        found = _MEMORY.fullmatch(word)
        if found is None:
            self.at -= 1
            raise self.error(f"{word!r} is not a dtype with a size, as float32[16]")
        return self.dtype(found[1]), int(found[2])

    def dtype(self, name: str) -> DType:
        try:
            return dtypes.by_name(name)
        except TypeError as error:
            raise self.error(str(error)) from None

    def node(self, params: tuple[tuple[DType, int], ...]) -> Node:
        found = _LINE.fullmatch(self.line)
        if found is None:
            raise self.error("not a node: NUMBER OP DTYPE SOURCES {ARG}")
        number, name, dtype, sources, arg = found.groups()
        if int(number) != len(self.nodes):
            raise self.error(f"this should be node {len(self.nodes)}")
        if name not in _OPS:
            raise self.error(f"{name} is no op of a kernel")
        places = [int(s) for s in sources.split()]
        if any(place >= len(self.nodes) for place in places):
            raise self.error("a source comes after the node that reads it")
        src = tuple(self.nodes[place] for place in places)
        made = make(_OPS[name], self.dtype(dtype), src, self.arg(_OPS[name], self.dtype(dtype), arg))
        if made.op is Op.PARAM:
            slot, size = made.arg.slot, made.arg.size
            if not 0 <= slot < len(params) or params[slot] != (made.dtype, size):
                raise self.error("no such memory among the params")
        return made

    def arg(self, op: Op, dtype: DType, text: str | None) -> Any:
        try:
            if op is Op.CONST:
                return _const(dtype, text or "")
            if op in _RECORDS:
                return _record(_RECORDS[op], text or "")
            if text is None:
                return None
            if op is Op.PROJECT:
                return _integer(text)
            if op is Op.STORE:
                return _word(text)
        except ValueError as error:
            raise self.error(str(error)) from None
        raise self.error(f"{op.name} takes no arg")


def _const(dtype: DType, text: str) -> Any:
    if text == "anything":
        return anything(dtype).arg
    if dtype.is_bool:
        return _truth(text)
    if not dtype.is_float:
        return _integer(text)
    if re.fullmatch(r"nan:[0-9a-f]{16}", text):
        return struct.unpack(">d", bytes.fromhex(text[4:]))[0]
    if _HEX.fullmatch(text) is None:
        raise ValueError(f"{text!r} is not a float in hexadecimal, inf, -inf or nan:BITS")
    try:
        return float.fromhex(text)
    except OverflowError:
        raise ValueError(f"{text!r} is larger than any float") from None


def _record(kind: type[Any], text: str) -> Any:
    known = {field.name: field for field in fields(kind)}
    values: dict[str, Any] = {}
    for word in text.split(" ") if text else []:
        name, _, value = word.partition("=")
        if name not in known or name in values:
            raise ValueError(f"{kind.__name__} has the fields {', '.join(known)}, each once; not {word!r}")
        type_name = str(known[name].type)
        if type_name not in _READERS:
            raise ValueError(f"{name} of {kind.__name__} cannot be read from text")
        values[name] = _READERS[type_name](value)
    missing = [f.name for f in known.values() if f.default is MISSING and f.name not in values]
    if missing:
        raise ValueError(f"{kind.__name__} needs {', '.join(missing)}")
    return kind(**values)


def _integer(text: str) -> int:
    if re.fullmatch(r"-?[0-9]{1,20}", text) is None:
        raise ValueError(f"{text!r} is not an integer")
    return int(text)


def _truth(text: str) -> bool:
    if text not in ("true", "false"):
        raise ValueError(f"{text!r} is not true or false")
    return text == "true"


def _word(text: str) -> str:
    if _WORD.fullmatch(text) is None:
        raise ValueError(f"{text!r} is not a word")
    return text


def _param(text: str) -> Param:
    slot, size, *device = text.split(",", 2) if "," in text else (text, "")
    return Param(_integer(slot), _integer(size), _word(device[0]) if device else None)


_READERS: Final[dict[str, Callable[[str], Any]]] = {
    "int": _integer,
    "int | None": _integer,
    "bool": _truth,
    "Param": _param,
    "str": _word,
    "str | None": _word,
    "tuple[str, ...]": lambda text: tuple(map(_word, text.split(","))),
}
