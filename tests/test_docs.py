"""The pages of the documentation: their samples run, in order, and print what the page says they print."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from .patience import HANG
from .runtime.forked_python import ForkedPython

DOCS = Path(__file__).parents[1] / "docs"
BLOCK = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)
#: pages whose samples take longest
LONG = {"cortex.md", "schedule.md", "python.md"}
#: rooms with many files, and where their order is told
ROOMS = {
    "tensor": ("docs/tensor.md", "saccade/tensor/tensor.py"),
    "cortex": ("docs/cortex.md",),
    "experiment": ("docs/experiments.md",),
    "fuzz": ("docs/checking.md",),
    "graph": ("docs/graph.md",),
    "schedule": ("docs/schedule.md",),
    "runtime": ("docs/runtime.md",),
    "runtime/cuda": ("docs/runtime.md",),
    "world": ("docs/world.md",),
    "llm": ("docs/llm.md",),
    "fft": ("docs/fft.md",),
    "special": ("docs/tensor.md",),
    "viz": ("docs/viz.md",),
    "monty": ("docs/monty.md",),
    "extend": ("docs/python.md",),
}
PATHS = {"PYTHONPATH": os.pathsep.join([str(DOCS.parent), str(DOCS)])}
MARK = "--- what comes now is what the next sample prints"


def pages() -> list[object]:
    found = sorted(path.name for path in DOCS.glob("*.md") if "```python" in path.read_text())
    return [pytest.param(name, marks=pytest.mark.slow) if name in LONG else name for name in found]


def samples(page: str) -> list[tuple[str, str | None]]:
    """The Python of a page, and the text that follows each sample, if any."""
    blocks = BLOCK.findall((DOCS / page).read_text(encoding="utf-8"))
    found: list[tuple[str, str | None]] = []
    for number, (kind, body) in enumerate(blocks):
        if kind == "python":
            after = blocks[number + 1] if number + 1 < len(blocks) else ("", "")
            found.append((body, after[1].strip() if after[0] == "text" else None))
    return found


@pytest.fixture(name="python", scope="module")
def python_fixture() -> Iterator[ForkedPython]:
    python = ForkedPython(PATHS)
    yield python
    python.close()


def alone(script: Path, environment: dict[str, str]) -> tuple[int, str, str]:
    """A script in a process of its own: the exit code, and what it wrote to stdout and stderr."""
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=script.parent,
        env={**os.environ, **PATHS, **environment},
        capture_output=True,
        text=True,
        timeout=HANG,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.host_memory  # some print the device
@pytest.mark.parametrize("page", pages())
def test_the_samples_of_a_page_print_what_it_says(page: str, tmp_path: Path, python: ForkedPython) -> None:
    told = samples(page)
    script = tmp_path / "page.py"
    script.write_text("\n".join(f"print({MARK!r})\n{body}" for body, _ in told), encoding="utf-8")
    if any("search" in body for body, _ in told):
        # what it finds would change the programs of tests that run beside it: a run goes on as it began
        code, out, err = alone(script, {"SACCADE_CACHE": str(tmp_path / "cache")})
    else:
        code, out, err = python.run(
            f"import os, runpy\nos.chdir({str(tmp_path)!r})\nrunpy.run_path('page.py', run_name='__main__')"
        )
    assert code == 0, err
    printed = [part.strip() for part in out.split(MARK + "\n")[1:]]
    for (_, wanted), found in zip(told, printed, strict=True):
        if wanted is not None:
            # "..." stands for digits that may differ
            pattern = re.escape(wanted).replace(re.escape("..."), ".*?")
            assert re.fullmatch(pattern, found, re.DOTALL), f"the page says\n{wanted}\nand it is\n{found}"


@pytest.mark.parametrize("room", ROOMS)
def test_every_file_of_a_room_has_its_place_on_its_page(room: str) -> None:
    root = DOCS.parent
    text = "".join((root / page).read_text(encoding="utf-8") for page in ROOMS[room])
    files = sorted(path.name for path in (root / "saccade" / room).rglob("*.py"))
    missing = [
        name for name in files if name != "__init__.py" and not re.search(rf"\b{re.escape(name)}", text)
    ]
    assert missing == []
