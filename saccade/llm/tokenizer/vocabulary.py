"""Ids by text, for a vocabulary that lies in one run of bytes.

vocabulary = Vocabulary(Texts.of(["low", "er"]))
vocabulary.get("er")                    # 1

A dict of 49,152 tokens takes 8 MB: a str, an int and an entry for each. Here it is a hash table with
chaining, as two arrays: `order` has the ids bucket by bucket, and `first` where a bucket begins. With the
bytes of the tokens that is 1 MB. A look into it takes several times as long as into a dict, but symbols of
texts repeat: the last ones that were asked for are remembered.

A text is a number to the base 256, and its hash the rest modulo one of 31 bits, times a factor: one
expression for a single text, and a sum over bytes times powers for all of them at once. Modulus and factor
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
#: Bytes of a text that are summed with all others: fewer than would overflow.
LONG: Final = 1 << 20

_MODULUS: Final = int.from_bytes(os.urandom(4), "little") >> 2 | 1 << 30 | 1
#: Spreads rests that are near each other, as those of texts of two or three letters are.
_FACTOR: Final = int.from_bytes(os.urandom(4), "little") | 1 << 31 | 1
#: Tells texts apart that have more zeros at their end.
_BY_SIZE: Final = 0x2C1B3C6D


class Vocabulary(Mapping[str, int]):
    """Ids by text; of tokens with one text the first counts."""

    def __init__(self, texts: Texts) -> None:
        buckets = 1 << len(texts).bit_length()
        where = hashes(texts) & (buckets - 1)
        first = np.zeros(buckets + 1, np.int32)
        np.cumsum(np.bincount(where, minlength=buckets), out=first[1:])
        self.texts, self._mask = texts, buckets - 1
        self._first = array("i", first.tobytes())
        self._order = array("i", np.argsort(where, kind="stable").astype(np.int32).tobytes())
        self._recent: dict[str, int | None] = {}

    def number(self, content: bytes) -> int | None:
        """The id of a token by its bytes."""
        bucket = hash_of(content) & self._mask
        texts, first = self.texts, self._first
        for number in self._order[first[bucket] : first[bucket + 1]]:
            if texts.content[texts.bounds[number] : texts.bounds[number + 1]] == content:
                return number
        return None

    def numbers(self, texts: Texts) -> Array:
        """The ids of many texts: (n,) of int32, -1 for those that are no tokens."""
        first, order = np.array(self._first), np.array(self._order)
        bucket = hashes(texts) & self._mask
        found = np.full(len(texts), -1, np.int32)
        at, ends = first[bucket], first[bucket + 1]
        left = np.flatnonzero(at < ends)
        while len(left):  # the next of each bucket
            near = order[at[left]]
            equal = texts.equal(left, self.texts, near)
            found[left[equal]] = near[equal]
            at[left] += 1
            left = left[~equal]
            left = left[at[left] < ends[left]]
        return found

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
    """`hash_of` each: (n,) of int64."""
    data, bounds = np.frombuffer(texts.content, np.uint8), np.array(texts.bounds, np.int64)
    begins, sizes = bounds[:-1], np.diff(bounds)
    places = np.minimum(np.arange(len(data)) - np.repeat(begins, sizes), LONG)  # of bytes in their texts
    sums = np.zeros(len(data) + 1, np.uint64)
    np.cumsum(_powers(min(int(sizes.max(initial=0)), LONG) + 1)[places] * data, out=sums[1:])
    found = sums[bounds[1:]] - sums[begins] + sizes.astype(np.uint64) * np.uint64(_BY_SIZE)
    found = found % np.uint64(_MODULUS) * np.uint64(_FACTOR) >> np.uint64(31)
    for number in np.flatnonzero(sizes > LONG).tolist():
        found[number] = hash_of(texts.content[begins[number] : bounds[number + 1]])
    return found.astype(np.int64)


def _powers(count: int) -> Array:
    """Of 256, modulo: (count,) of uint64."""
    found = np.ones(1, np.uint64)
    while len(found) < count:
        factor = np.uint64(pow(256, len(found), _MODULUS))
        found = np.concatenate([found, found * factor % np.uint64(_MODULUS)])
    return found[:count]
