"""The lower rooms do not know who uses them: they name the mechanism, not a customer of it.

A comment of the compiler that says `llm/weights` is a comment about another room: it is wrong as soon as that
room changes, and tells a reader of this one nothing about what is computed.
"""

from __future__ import annotations

import re
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "saccade"
#: from below: a room may name those before it
COMPILER = ("graph", "runtime", "codegen", "transform", "schedule", "tensor")
#: words that mean a room above, wherever they stand
WORDS = re.compile(r"\b(llms?|llama|cortex|cortical|monty|chat|hypothes[ei]s)\b", re.IGNORECASE)
#: and rooms whose names are words of the language too, as paths; methods such as `det` look a library of
#: tensors up when they are called, which is the one way up
ROOMS = sorted(
    path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists() and path.name not in COMPILER
)
PLACES = re.compile(rf"(?<![\w./])(?:saccade/)?(?:{'|'.join(ROOMS)})/\w")
#: a theorem has hypotheses of its own
OWN = {("graph/proofs", "hypotheses")}


def named(text: str, place: str) -> list[str]:
    """What a file of a lower room names of the upper ones, with the line."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        for match in (*WORDS.finditer(line), *PLACES.finditer(line)):
            if not any(place.startswith(folder) and match[0].lower() == word for folder, word in OWN):
                found.append(f"{place}:{number}: {match[0]}")
    return found


def test_lower_rooms_do_not_name_upper_ones() -> None:
    found = []
    for room in COMPILER:
        for path in sorted((PACKAGE / room).rglob("*.py")):
            found += named(path.read_text(encoding="utf-8"), path.relative_to(PACKAGE).as_posix())
    assert not found, "\n".join(found)


def test_what_counts_as_a_name() -> None:
    assert named("# as in `llm/weights/lanes.py`\n# the Cortex asks", "codegen/a.py") == [
        "codegen/a.py:1: llm",
        "codegen/a.py:1: llm/w",
        "codegen/a.py:2: Cortex",
    ]
    assert named("x = 1  # nn/layers, a/nn/b", "tensor/a.py") == ["tensor/a.py:1: nn/l"]
    assert not named("the world is small; special cases; hypotheses", "graph/proofs/a.py")
    assert len(ROOMS) > 12
