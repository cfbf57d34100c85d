"""Many short texts side by side in one run of bytes. As `str` 50,000 tokens take 4 MB, and here half of one.

texts = Texts.of(["low", "er"])
texts[1]                                # "er", made when it is asked for
list(texts.contents())                  # [b"low", b"er"]
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import Any, Final, overload

import numpy as np

Array = np.ndarray[Any, Any]
#: Texts of a long list that its repr shows.
FEW: Final = 4


class Texts(Sequence[str]):
    """Texts by number. content: their UTF-8, one behind the other; bounds: where each begins, and the end."""

    def __init__(self, content: bytes, sizes: Array) -> None:
        """sizes (n,): the bytes of each text, all of which are `content`."""
        kind = "I" if len(content) < 1 << 32 else "Q"
        bounds = np.zeros(len(sizes) + 1, kind)
        np.cumsum(sizes, out=bounds[1:])
        self.content, self.bounds = content, array(kind, bounds.tobytes())

    @staticmethod
    def of(texts: Iterable[str]) -> Texts:
        contents = [text.encode() for text in texts]
        return Texts(b"".join(contents), np.array([len(each) for each in contents], np.int64))

    def __len__(self) -> int:
        return len(self.bounds) - 1

    @overload
    def __getitem__(self, number: int) -> str: ...
    @overload
    def __getitem__(self, number: slice) -> list[str]: ...
    def __getitem__(self, number: int | slice) -> str | list[str]:
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(len(self)))]
        if not -len(self) <= number < len(self):
            raise IndexError(f"text {number} of {len(self)}")
        number %= len(self)
        return self.content[self.bounds[number] : self.bounds[number + 1]].decode()

    def __iter__(self) -> Iterator[str]:
        return map(bytes.decode, self.contents())

    def contents(self) -> Iterator[bytes]:
        """The bytes of one after the other."""
        return (self.content[begin:end] for begin, end in pairwise(self.bounds))

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Texts):
            return self.content == other.content and self.bounds == other.bounds
        return list(self) == other if isinstance(other, list) else NotImplemented

    def __repr__(self) -> str:
        first = ", ".join(map(repr, islice(self, FEW)))
        return f"[{first}{', ...' if len(self) > FEW else ''}]"
