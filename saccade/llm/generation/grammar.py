"""Tokens that keep a text to a grammar, such as JSON of a schema.

    constraint = JsonConstraint({"type": "integer"}, tokenizer)
    constraint.allowed(ends)                # (vocabulary,) of bool: digits, "-", and tokens that go on so
    constraint.advance(id)

A token is allowed if its bytes lead through the automaton of the grammar. All tokens go through it together,
a byte at a time; what is found for a state is kept.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np

from ..tokenizer.spellings import Spellings
from .automaton import DEAD, Automaton, Node
from .json_schema import any_object, schema_grammar

if TYPE_CHECKING:
    from ..tokenizer.tokenizer import Tokenizer

Array = np.ndarray[Any, Any]
#: Bytes of masks that are kept for one grammar: a vocabulary each, which may be 150,000.
MASK_BYTES: Final = 1 << 25
#: States beyond which a grammar is better made anew; each takes some kB.
MOST_STATES: Final = 10_000


class Grammar:
    """A grammar for a tokenizer, which texts share: its automaton and the masks of states."""

    def __init__(self, automaton: Automaton, tokens: Spellings) -> None:
        self.automaton, self.tokens = automaton, tokens
        self._masks: dict[int, Array] = {}

    def mask(self, state: int) -> Array:
        """(vocabulary,) of bool: tokens that may come in a state."""
        found = self._masks.get(state)
        if found is None:
            if (len(self._masks) + 1) * self.tokens.vocabulary > MASK_BYTES:
                self._masks.clear()
            found = self._masks[state] = self._computed(state)
        return found

    def _computed(self, state: int) -> Array:
        tokens = self.tokens
        states = np.full(len(tokens.ids), state, np.int32)
        alive = np.arange(len(tokens.ids))
        for codes, count in zip(tokens.codes, tokens.counts):
            alive = alive[: np.searchsorted(alive, count)]  # the others are at their ends
            if not len(alive):
                break
            after = self.automaton.step_all(states[alive], codes[alive])
            states[alive] = after
            alive = alive[after != DEAD]
        made = np.zeros(tokens.vocabulary, bool)
        made[tokens.ids[states != DEAD]] = True
        return made


class TextConstraint:
    """One text of a grammar over bytes."""

    def __init__(self, node: Node, tokenizer: Tokenizer) -> None:
        self.grammar = Grammar(Automaton(node), tokenizer.spellings)
        self.state = self.grammar.automaton.start
        if self.state == DEAD:
            raise ValueError("the schema refers to itself and allows nothing")

    def allowed(self, ends: frozenset[int]) -> Array:
        """(vocabulary,) of bool."""
        made = self.grammar.mask(self.state)
        if self.grammar.automaton.ends(self.state):
            made = made.copy()
            made[list(ends)] = True
        if not made.any():
            raise ValueError("no token goes on with this text: the tokenizer has no token for a byte of it")
        return made

    def advance(self, id: int) -> None:
        content = self.grammar.tokens.texts.get(id, b"")
        self.state = self.grammar.automaton.after(self.state, content)
        if self.state == DEAD:
            raise ValueError(f"token {id} ({content!r}) is not allowed here")

    def again(self) -> Self:
        """For another text, with what is known of the grammar."""
        made = copy(self)
        made.state = self.grammar.automaton.start
        return made

    @property
    def grown(self) -> bool:
        """So many texts went through its grammar that what is known of it takes too much memory."""
        return len(self.grammar.automaton) > MOST_STATES

    @property
    def complete(self) -> bool:
        """Nothing can follow."""
        return self.grammar.automaton.must_end(self.state)


class JsonConstraint(TextConstraint):
    """One text of JSON; `schema`: None for any object."""

    def __init__(self, schema: Any, tokenizer: Tokenizer) -> None:
        super().__init__(any_object() if schema is None else schema_grammar(schema), tokenizer)
