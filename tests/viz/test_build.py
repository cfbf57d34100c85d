"""The page that is shipped is the one that its sources make."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import saccade.viz

from ..patience import HANG

PAGE = Path(saccade.viz.__file__).parent / "page"
STATIC = PAGE.parent / "static"


def test_the_committed_page_is_built_from_its_sources(tmp_path: Path) -> None:
    if shutil.which("node") is None or not (PAGE / "node_modules").is_dir():
        pytest.skip("node, or saccade/viz/page/node_modules (npm ci), is not there to rebuild the page")
    subprocess.run(["node", str(PAGE / "build.mjs"), str(tmp_path)], check=True, timeout=HANG)
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in STATIC.iterdir()}
    for built in tmp_path.iterdir():
        same = built.read_bytes() == (STATIC / built.name).read_bytes()
        assert same, f"static/{built.name} is not what page/ makes: run `npm run build` in {PAGE}"


@pytest.mark.slow
def test_the_sources_have_the_right_types() -> None:
    if shutil.which("node") is None or not (PAGE / "node_modules").is_dir():
        pytest.skip("node, or saccade/viz/page/node_modules (npm ci), is not there to check the page")
    compiler = PAGE / "node_modules" / "typescript" / "bin" / "tsc"
    found = subprocess.run(
        ["node", str(compiler), "--noEmit", "-p", str(PAGE)], capture_output=True, text=True, timeout=HANG
    )
    assert found.returncode == 0, found.stdout


def test_the_packages_are_pinned_without_saying_where_from() -> None:
    if not PAGE.is_dir():
        pytest.skip("the sources of the page are not part of this installation")
    wanted = json.loads((PAGE / "package.json").read_text())["devDependencies"]
    locked = json.loads((PAGE / "package-lock.json").read_text())["packages"]
    for name, version in wanted.items():
        assert locked[f"node_modules/{name}"]["version"] == version
    assert all("resolved" not in each for each in locked.values())
