"""Stop strings in a text that comes piece by piece.

    stop = StopStrings(["\n\n"])
    stop.put("one\n")           # "one": what follows may be the end
    stop.put("\ntwo")           # "", and stop.found is "\n\n"

What may be the beginning of a stop string is held back until it is known not to be one.
"""

from __future__ import annotations

from collections.abc import Iterable


class StopStrings:
    """A text up to the stop string that is whole first, and of several the longest: a text ends at once then,
    however it is cut into pieces."""

    def __init__(self, strings: Iterable[str]) -> None:
        self.strings = tuple(strings)
        if not all(self.strings):
            raise ValueError("a stop string is empty: every text would end at once")
        self.found: str | None = None
        #: what may be the beginning of a stop string
        self.held = ""

    def put(self, text: str) -> str:
        """What is sure to be before any stop string."""
        if self.found is not None:
            return ""
        held = self.held + text
        places = [(held.find(each) + len(each), -len(each), each) for each in self.strings if each in held]
        if places:
            end, _, self.found = min(places)
            start = end - len(self.found)
            self.held = ""
            return held[:start]
        keep = max((_overlap(held, each) for each in self.strings), default=0)
        self.held = held[len(held) - keep :]
        return held[: len(held) - keep]

    def end(self) -> str:
        """What was held back: nothing more comes."""
        held, self.held = self.held, ""
        return held


def _overlap(text: str, string: str) -> int:
    """How many characters at the end of a text may begin the string."""
    sizes = range(min(len(text), len(string) - 1), 0, -1)
    return next((size for size in sizes if text.endswith(string[:size])), 0)
