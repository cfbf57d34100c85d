"""Functions that a model may call: what it is told of them, what it may say, and the calls in what it said.

    tools = read_tools([{"type": "function", "function": {"name": "now"}}], "auto", parallel=True)
    tools.grammar(HERMES)                   # texts, and calls that keep to the schemas of the functions
    reader = CallReader(HERMES)
    reader.put('Well.<tool_call>{"name": "now", "arguments": {}}</tool_call>')  # "Well.", [Call("now", "{}")]

How a model is told of them, and in which form it writes calls: `tool_messages.py`.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ...files.reading import shown
from ..generation.automaton import NOTHING, Node, Rule, choice, one_of, repeated, sequence, text
from ..generation.json_schema import SPACE, SchemaError, any_object, schema_grammar
from ..generation.stopping import StopStrings
from .tool_messages import CallStyle

MOST_TOOLS: Final = 128
#: Calls in one answer: without a bound a model may never come to an end.
MOST_CALLS: Final = 16
_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")


@dataclass(frozen=True)
class Function:
    """One that may be called. parameters: the schema of its arguments, None for any object."""

    name: str
    parameters: Any
    strict: bool

    def arguments(self) -> Node:
        """The grammar of its arguments. A schema that is not strict is a wish: where it has keywords that are
        not known here, arguments are any object."""
        if self.parameters is None:
            return any_object()
        try:
            return schema_grammar(self.parameters)
        except SchemaError as error:
            if self.strict:
                raise SchemaError(f"the parameters of {self.name}: {error}") from None
            return any_object()


@dataclass(frozen=True)
class Tools:
    """Functions of a request. told: as the client described them; needed: at least one has to be called;
    most: calls in one answer."""

    functions: tuple[Function, ...]
    told: list[Any] = field(hash=False)
    needed: bool
    most: int

    def grammar(self, style: CallStyle) -> Node:
        """What an answer may be."""
        call = choice(*(_call(each, style) for each in self.functions))
        if not style.opening:
            return call if self.needed else choice(call, _not_beginning(b"{"))
        marked = sequence(SPACE, call, SPACE, text(style.closing))
        more = repeated(sequence(SPACE, text(style.opening), marked), 0, self.most - 1)
        calls = sequence(marked, more)
        if self.needed:
            return sequence(text(style.opening), calls)
        return _until(style.opening.encode(), calls)


def _call(function: Function, style: CallStyle) -> Node:
    head = sequence(text('{"name":'), SPACE, text(json.dumps(function.name) + ","), SPACE)
    return sequence(head, text(f'"{style.key}":'), SPACE, function.arguments(), SPACE, text("}"))


def _not_beginning(codes: bytes) -> Node:
    """Any text, or none, that does not begin with one of these bytes."""
    free = one_of(range(256))
    first = one_of(code for code in range(256) if code not in codes)
    return choice(NOTHING, sequence(first, repeated(free)))


def _until(mark: bytes, then: Node) -> Node:
    """Any text that ends before the mark, or has it once and goes on with a node: a state for each number of
    bytes of the mark that were just seen (Knuth, Morris, Pratt)."""

    def state(seen: int) -> Node:
        after: dict[int, list[int]] = {}
        for code in range(256):
            now = mark[:seen] + bytes([code])
            size = next(size for size in range(len(now), -1, -1) if mark.startswith(now[len(now) - size :]))
            after.setdefault(size, []).append(code)
        ways = [sequence(one_of(codes), states[size]) for size, codes in after.items()]
        return choice(NOTHING, *ways)

    states: list[Node] = [Rule(lambda seen=seen: state(seen)) for seen in range(len(mark))]  # type: ignore[misc]
    states.append(then)
    return states[0]


def read_tools(tools: Any, chosen: Any = None, parallel: Any = None) -> Tools | None:
    """The `tools`, `tool_choice` and `parallel_tool_calls` of a request; None where nothing may be called.
    ValueError begins with the parameter that is wrong."""
    if not isinstance(tools, list | None) or len(tools or ()) > MOST_TOOLS:
        raise ValueError(f"tools is {shown(tools)}, and a list of up to {MOST_TOOLS} functions is due")
    if not isinstance(parallel, bool | None):
        raise ValueError(f"parallel_tool_calls is {shown(parallel)}, and true or false is due")
    functions = tuple(_function(each, number) for number, each in enumerate(tools or ()))
    names = [each.name for each in functions]
    if len(set(names)) < len(names):
        raise ValueError(f"tools has two functions of one name: {', '.join(sorted(names))}")
    most = 1 if parallel is False else MOST_CALLS
    match chosen:
        case None | "auto" | "none" if not functions:
            return None
        case "none":
            return None
        case None | "auto":
            return Tools(functions, list(tools or ()), False, most)
        case "required" if functions:
            return Tools(functions, list(tools or ()), True, most)
        case {"type": "function", "function": {"name": str(name)}} if name in names:
            return Tools((functions[names.index(name)],), list(tools or ()), True, 1)
    raise ValueError(
        f"tool_choice is {shown(chosen)}, and none, auto, required or one of the functions in tools is due"
    )


def _function(tool: Any, number: int) -> Function:
    told = tool.get("function") if isinstance(tool, Mapping) and tool.get("type") == "function" else None
    if not isinstance(told, Mapping):
        raise ValueError(f"tools has {shown(tool)} at {number}, and an object of type function is due")
    name, parameters = told.get("name"), told.get("parameters")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(f"tools has the name {shown(name)}, and up to 64 letters, digits, _ and - are due")
    if not isinstance(parameters, Mapping | None):
        raise ValueError(f"tools has parameters {shown(parameters)} for {name}, and a schema is due")
    return Function(name, dict(parameters) if parameters else None, told.get("strict") is True)


# --- what a model said


@dataclass(frozen=True)
class Call:
    """A call that a model made. arguments: JSON."""

    name: str
    arguments: str
    id: str = field(default_factory=lambda: f"call_{os.urandom(12).hex()}")

    def told(self) -> dict[str, Any]:
        """As OpenAI's clients read it."""
        return {
            "id": self.id,
            "type": "function",
            "function": {"name": self.name, "arguments": self.arguments},
        }


class CallReader:
    """Takes calls out of a text that comes piece by piece."""

    def __init__(self, style: CallStyle) -> None:
        self.style = style
        self._before = StopStrings([style.opening] if style.opening else [])
        self._inside: str | None = None if style.opening else ""
        self.count = 0

    def put(self, piece: str, last: bool = False) -> tuple[str, list[Call]]:
        """What is plain text, and calls that are whole. last: nothing more comes; a call that is cut off is
        text then."""
        if not self.style.opening:
            return self._bare(piece, last)
        said, calls, rest = "", [], piece
        while True:
            if self._inside is None:
                whole = self._before.held + rest
                said += self._before.put(rest)
                if self._before.found is None:
                    break
                rest = whole.partition(self.style.opening)[2]
                self._before, self._inside = StopStrings([self.style.opening]), ""
            self._inside += rest
            inside, found, rest = self._inside.partition(self.style.closing)
            if not found:
                break
            call, self._inside = self._read(inside), None
            calls += [] if call is None else [call]
            said += self.style.opening + inside + found if call is None else ""
        if last:
            said += self._before.end() if self._inside is None else self.style.opening + self._inside
        return ("" if self.count and not said.strip() else said), calls

    def _bare(self, piece: str, last: bool) -> tuple[str, list[Call]]:
        """The whole of an answer that begins as JSON does is a call, or none of it."""
        assert self._inside is not None
        self._inside += piece
        begin = self._inside.lstrip()
        if not last and (not begin or begin.startswith("{")):
            return "", []
        said, self._inside = self._inside, ""
        call = self._read(said) if begin.startswith("{") else None
        return (said, []) if call is None else ("", [call])

    def _read(self, content: str) -> Call | None:
        try:
            found = json.loads(content)
        except ValueError:
            return None
        if not isinstance(found, dict) or not isinstance(found.get("name"), str):
            return None
        arguments = found.get(self.style.key)
        if not isinstance(arguments, dict):
            return None
        self.count += 1
        return Call(found["name"], json.dumps(arguments, ensure_ascii=False))
