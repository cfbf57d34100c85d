"""Ids by text, for a vocabulary that lies in one run of bytes.

vocabulary = Vocabulary(Texts.of(["low", "er"]))
vocabulary.get("er")                    # 1

A dict of 49,152 tokens takes 8 MB: a str, an int and an entry for each. Here it is a hash table with
chaining, as two arrays: `order` has the ids bucket by bucket, and `first` where a bucket begins. With the
bytes of the tokens that is 1 MB. A look into it takes several times as long as into a dict, but symbols of
texts repeat: the last ones that were asked for are remembered.

A text is a number to the base 256, and its hash the rest modulo one of 31 bits, times a factor: one
expression for a single text, and a few operations on arrays for all of them at once. Modulus and factor
are drawn anew in each process, so that no file can have all of its tokens in one bucket.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterator, Mapping
from typing import Any, Final, overload

import numpy as np

from ..files.texts import Array, Texts

#: Texts that were asked for and are remembered, with what was found, and how long they may be.
MOST_RECENT: Final = 1 << 13
LONGEST_RECENT: Final = 64
#: Bytes of a text that are hashed at once, and of the longest one that is hashed together with others.
WORD: Final = 8
LONG: Final = 256

_MODULUS: Final = int.from_bytes(os.urandom(4), "little") >> 2 | 1 << 30 | 1
#: Spreads rests that are near each other, as those of texts of two or three letters are.
_FACTOR: Final = int.from_bytes(os.urandom(4), "little") | 1 << 31 | 1
#: By a number of bytes: those of a word that are part of a text.
_MASKS: Final = np.array([(1 << 8 * count) - 1 for count in range(WORD + 1)], np.uint64)
#: Tells texts apart that have more zeros at their end.
_BY_SIZE: Final = 0x2C1B3C6D


class Vocabulary(Mapping[str, int]):
    """Ids by text; of tokens with one text the first counts, or the last."""

    def __init__(self, texts: Texts, last: bool = False) -> None:
        buckets = 1 << len(texts).bit_length()
        # small numbers are put in order by their digits, in a fifth of the time
        where = (hashes(texts) & (buckets - 1)).astype(np.min_scalar_type(buckets - 1))
        first = np.zeros(buckets + 1, np.int32)
        np.cumsum(np.bincount(where, minlength=buckets), out=first[1:])
        self.texts, self._mask = texts, buckets - 1
        self._first = array("i", first.tobytes())
        order = np.argsort(where[::-1] if last else where, kind="stable")
        order = len(texts) - 1 - order if last else order
        self._order = array("i", order.astype(np.int32).tobytes())
        self._recent: dict[str, int | None] = {}

    def number(self, content: bytes) -> int | None:
        """The id of a token by its bytes."""
        bucket = hash_of(content) & self._mask
        texts, first = self.texts, self._first
        for number in self._order[first[bucket] : first[bucket + 1]]:
            if texts.content[texts.bounds[number] : texts.bounds[number + 1]] == content:
                return number
        return None

    @overload
    def get(self, text: str, /) -> int | None: ...
    @overload
    def get(self, text: str, /, default: Any) -> Any: ...
    def get(self, text: str, /, default: Any = None) -> Any:
        recent = self._recent
        try:
            found = recent[text]
        except KeyError:
            # half of a surrogate pair, which no token has, stays one
            found = self.number(text.encode("utf-8", "surrogatepass"))
            if len(text) <= LONGEST_RECENT:
                if len(recent) >= MOST_RECENT:
                    recent.clear()
                recent[text] = found
        return default if found is None else found

    def __getitem__(self, text: str) -> int:
        found = self.get(text)
        if found is None:
            raise KeyError(text)
        return found

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and self.get(text) is not None

    def __iter__(self) -> Iterator[str]:
        """Each text once, in the order of its id."""
        for number, content in enumerate(self.texts.contents()):
            if self.number(content) == number:
                yield content.decode()

    def __len__(self) -> int:
        return sum(1 for _ in self)


def hash_of(content: bytes) -> int:
    """The hash of one text."""
    return (int.from_bytes(content, "little") + _BY_SIZE * len(content)) % _MODULUS * _FACTOR >> 31


def hashes(texts: Texts) -> Array:
    """`hash_of` each: (n,) of int64. Eight bytes of each text at a time, as a number to the base 2**64: most
    tokens have no more."""
    data, bounds = np.frombuffer(texts.content + bytes(WORD), np.uint8), np.array(texts.bounds, np.int64)
    words = np.ndarray((len(data) - WORD + 1,), "<u8", data, strides=(1,))  # at every byte
    begins, sizes = bounds[:-1], np.diff(bounds)
    modulus = np.uint64(_MODULUS)
    found = np.zeros(len(texts), np.uint64)
    number, left = 0, np.flatnonzero((sizes > 0) & (sizes <= LONG))
    while len(left):
        rest = np.minimum(sizes[left] - number * WORD, WORD)
        word = (words[begins[left] + number * WORD] & _MASKS[rest]) % modulus
        found[left] = (found[left] + word * np.uint64(pow(1 << 8 * WORD, number, _MODULUS))) % modulus
        number += 1
        left = left[rest == WORD]
        left = left[sizes[left] > number * WORD]
    found = (found + sizes.astype(np.uint64) * np.uint64(_BY_SIZE)) % modulus
    found = found * np.uint64(_FACTOR) >> np.uint64(31)
    for place in np.flatnonzero(sizes > LONG).tolist():
        found[place] = hash_of(texts.content[bounds[place] : bounds[place + 1]])
    return found.astype(np.int64)
