"""Packages whose names are imported when they are first used."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from saccade import nn

ROOT = Path(__file__).parents[1]


def promised(package: str) -> dict[str, str]:
    """The names that type checkers see in a package, and the modules they are from."""
    tree = ast.parse((ROOT / package.replace(".", "/") / "__init__.py").read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: f"{package}.{node.module or ''}" for node in imports for alias in node.names}


@pytest.mark.parametrize("package", ["saccade.nn", "saccade.llm", "saccade.cortex", "saccade.experiment"])
def test_names_are_what_type_checkers_see(package: str) -> None:
    found, names = import_module(package), promised(package)
    assert sorted(found.__all__) == sorted(names)
    for name, home in names.items():
        value = getattr(found, name)
        assert getattr(import_module(home.rstrip(".")), name) is value, name
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nothing'"):
        _ = found.nothing


def test_a_package_lists_names_that_are_not_imported_yet() -> None:
    assert {"Linear", "optim", "state"} <= set(dir(nn))
    code = "import sys; from saccade import nn; nn.Linear; print('saccade.nn.optim' in sys.modules, nn.optim)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert told.stdout.startswith("False <module 'saccade.nn.optim'")
