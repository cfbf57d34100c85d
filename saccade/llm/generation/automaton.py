"""Automata over bytes: which byte may come next in a text of a grammar, also a recursive one.

    grammar = sequence(text("a"), repeated(one_of(b"bc"), 1, 3))
    automaton = Automaton(grammar)
    state = automaton.after(automaton.start, b"ab")
    automaton.ends(state)                               # True: "ab" is a text of the grammar

A grammar is a tree of nodes. What is still to come is a stack of them, and as there may be several ways to
read a text, a state is a set of stacks (a pushdown automaton, made deterministic as far as it is used).
States are numbers, and the table of their transitions grows as it is asked. A byte after which a text could
be read in more than `MOST_WAYS` ways is not taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

Array = np.ndarray[Any, Any]
#: In the table: not worked out yet; no text goes on like this.
UNKNOWN, DEAD = -2, -1
#: Stacks of one state that differ only in what lies below their tops: of a grammar that is ambiguous at every
#: level there are twice as many with each level of a text.
MOST_WAYS: Final = 1 << 15


class Ambiguous(ValueError):
    """A text can be read in too many ways."""


@dataclass(frozen=True, eq=False)
class Bytes:
    """One byte out of some."""

    codes: frozenset[int]


@dataclass(frozen=True, eq=False)
class Sequence:
    parts: tuple[Node, ...]


@dataclass(frozen=True, eq=False)
class Choice:
    parts: tuple[Node, ...]


@dataclass(eq=False)
class Repeat:
    """A node from `least` to `most` times; None: any number of times."""

    part: Node
    least: int
    most: int | None
    _less: Repeat | None = None

    def less(self) -> Repeat:
        """The same after one of them."""
        if self._less is None:
            if self.least == 0 and self.most is None:
                return self
            self._less = Repeat(
                self.part, max(self.least - 1, 0), None if self.most is None else self.most - 1
            )
        return self._less


@dataclass(eq=False)
class Rule:
    """A node that is made when it is first needed, and may hold itself."""

    make: Callable[[], Node]
    _made: Node | None = None

    def made(self) -> Node:
        if self._made is None:
            self._made = self.make()
        return self._made


Node = Bytes | Sequence | Choice | Repeat | Rule
NOTHING: Final = Sequence(())


def text(value: str | bytes) -> Node:
    """Exactly this."""
    return Sequence(
        tuple(Bytes(frozenset([code])) for code in (value.encode() if isinstance(value, str) else value))
    )


def one_of(codes: Iterable[int]) -> Node:
    return Bytes(frozenset(codes))


def sequence(*parts: Node) -> Node:
    return Sequence(parts)


def choice(*parts: Node) -> Node:
    return Choice(parts)


def repeated(part: Node, least: int = 0, most: int | None = None) -> Node:
    return Repeat(part, least, most)


def optional(part: Node) -> Node:
    return Choice((part, NOTHING))


class Stack:
    """A node and what comes after it. An automaton has one of a kind, so that equal ones are the same."""

    __slots__ = ("below", "top")

    def __init__(self, top: Node, below: Stack | None) -> None:
        self.top, self.below = top, below


#: What may come, with None where the text may end.
State = frozenset[Stack | None]


class Automaton:
    """The states of a grammar as numbers; `start` is the first."""

    def __init__(self, grammar: Node) -> None:
        self._stacks: dict[tuple[int, int], Stack] = {}
        self._numbers: dict[State, int] = {}
        self._states: list[State] = []
        #: the state whose bytes were asked for last, and what may follow each of them
        self._taken: tuple[int, dict[int, list[Stack | None]]] = (DEAD, {})
        self.table: Array = np.full((64, 256), UNKNOWN, np.int32)
        self.start = self._number(self._closed([self._stack(grammar, None)]))

    def ends(self, state: int) -> bool:
        """A text may end here."""
        return None in self._states[state]

    def __len__(self) -> int:
        return len(self._states)

    def must_end(self, state: int) -> bool:
        """Nothing can follow."""
        return self._states[state] == {None}

    def after(self, state: int, content: bytes) -> int:
        """The state after some bytes; DEAD if no text has them there."""
        for code in content:
            if state == DEAD:
                break
            state = self.next(state, code)
        return state

    def next(self, state: int, code: int) -> int:
        found = int(self.table[state, code])
        return self._step(state, code) if found == UNKNOWN else found

    def step_all(self, states: Array, codes: Array) -> Array:
        """The states after one byte each: (n,) and (n,) -> (n,)."""
        found = self.table[states, codes]
        unknown = np.flatnonzero(found == UNKNOWN)
        if len(unknown):
            for pair in np.unique(states[unknown].astype(np.int64) * 256 + codes[unknown]).tolist():
                self._step(pair // 256, pair % 256)
            found = self.table[states, codes]
        return found

    def _step(self, state: int, code: int) -> int:
        """Work out a transition."""
        taken = self._taking(state).get(code)
        try:
            found = DEAD if taken is None else self._number(self._closed(taken))
        except Ambiguous:  # there are other ways to go on, or the text is over
            found = DEAD
        self.table[state, code] = found
        return found

    def _taking(self, state: int) -> dict[int, list[Stack | None]]:
        """What lies below the stacks of a state that take a byte, by the byte. A mask asks for most bytes of
        a state, one after the other, and a state of an enum has a stack for each of its values."""
        if self._taken[0] != state:
            by_code: dict[int, list[Stack | None]] = {}
            for stack in self._states[state]:
                if stack is not None and isinstance(stack.top, Bytes):
                    for code in stack.top.codes:
                        by_code.setdefault(code, []).append(stack.below)
            self._taken = (state, by_code)
        return self._taken[1]

    def _number(self, state: State) -> int:
        if not state:
            return DEAD
        found = self._numbers.get(state)
        if found is None:
            found = self._numbers[state] = len(self._states)
            self._states.append(state)
            if found == len(self.table):
                self.table = np.concatenate([self.table, np.full_like(self.table, UNKNOWN)])
        return found

    def _stack(self, top: Node, below: Stack | None) -> Stack:
        key = id(top), id(below)
        found = self._stacks.get(key)
        if found is None:
            found = self._stacks[key] = Stack(top, below)
        return found

    def _closed(self, stacks: Iterable[Stack | None]) -> State:
        """The stacks with a byte on top that these stand for, and None if all may be over."""
        todo, seen, found = list(stacks), set[Stack | None](), set[Stack | None]()
        tops = set[int]()
        while todo:
            stack = todo.pop()
            if stack in seen:
                continue
            seen.add(stack)
            tops.add(id(None if stack is None else stack.top))
            if len(seen) - len(tops) > MOST_WAYS:
                raise Ambiguous(
                    f"there are more than {MOST_WAYS} ways to read a text: give the alternatives of the "
                    "schema types, or first properties with a const, that differ"
                )
            if stack is None or isinstance(stack.top, Bytes):
                found.add(stack)
            else:
                todo += self._unfolded(stack.top, stack.below)
        return frozenset(found)

    def _unfolded(self, node: Node, below: Stack | None) -> list[Stack | None]:
        match node:
            case Sequence(parts):
                made = below
                for part in reversed(parts):
                    made = self._stack(part, made)
                return [made]
            case Choice(parts):
                return [self._stack(part, below) for part in parts]
            case Rule():
                return [self._stack(node.made(), below)]
            case Repeat():
                again = [] if node.most == 0 else [self._stack(node.part, self._stack(node.less(), below))]
                return [*again, below] if node.least == 0 else list(again)
        raise AssertionError("bytes are not unfolded")
