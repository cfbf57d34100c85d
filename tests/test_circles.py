"""Modules that import each other, at the top, inside functions or for types alone: there are none.

A circle is a set of modules each of which reaches every other by imports (a strongly connected component). To
read one of its files is to read all of them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
Imports = dict[str, set[str]]


def imports_of(root: Path, package: str) -> Imports:
    """For every module of a package, the modules of the package it imports, wherever in its file."""
    files = {}
    for path in sorted((root / package).rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return {name: set(_imported(name, path, set(files))) - {name} for name, path in files.items()}


def _imported(name: str, path: Path, modules: set[str]) -> Iterator[str]:
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in _statements(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                full = f"{base}.{alias.name}"
                if full in modules or base in modules:
                    yield full if full in modules else base


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """All statements, however deep; expressions, which are most of a tree, are passed by."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for block in ("body", "orelse", "handlers", "finalbody", "cases"):
            inner = getattr(node, block, ())
            if isinstance(inner, list):  # a lambda's body is an expression
                waiting += inner


def circles(imports: Imports) -> list[set[str]]:
    """Sets of modules that reach each other, the largest first."""
    backwards: Imports = {name: set() for name in imports}
    for name, others in imports.items():
        for other in others:
            backwards[other].add(name)
    left, found = set(imports), []
    while left:
        start = next(iter(left))
        circle = _reached(start, imports, left) & _reached(start, backwards, left)
        left -= circle
        if len(circle) > 1:
            found.append(circle)
    return sorted(found, key=len, reverse=True)


def _reached(start: str, imports: Imports, among: set[str]) -> set[str]:
    seen, waiting = {start}, [start]
    while waiting:
        more = (imports[waiting.pop()] & among) - seen
        seen |= more
        waiting += more
    return seen


def test_circles_are_found() -> None:
    imports: Imports = {"a": {"b"}, "b": {"c", "d"}, "c": {"a"}, "d": {"e"}, "e": {"d", "f"}, "f": set()}
    assert circles(imports) == [{"a", "b", "c"}, {"d", "e"}]
    assert circles({"a": {"b"}, "b": {"c"}, "c": set()}) == []


def test_imports_are_found_wherever_they_are(tmp_path: Path) -> None:
    (tmp_path / "p" / "q").mkdir(parents=True)
    (tmp_path / "p" / "__init__.py").write_text("from .a import x\n")
    (tmp_path / "p" / "a.py").write_text("def f():\n    from .q import b\n")
    (tmp_path / "p" / "q" / "__init__.py").write_text("")
    (tmp_path / "p" / "q" / "b.py").write_text("import p.a, os\nfrom .. import c\nfrom ..a import x\n")
    (tmp_path / "p" / "c.py").write_text("")
    wanted = {"p": {"p.a"}, "p.a": {"p.q.b"}, "p.q": set(), "p.q.b": {"p.a", "p.c"}, "p.c": set()}
    assert imports_of(tmp_path, "p") == wanted


def test_no_modules_import_each_other() -> None:
    imports = imports_of(ROOT, "saccade")
    assert len(imports) > 500
    wrong = [
        "\n".join([
            f"a circle of {len(circle)} modules; import one way only (what is above is known by a Protocol):",
            *(f"  {m} -> {', '.join(sorted(imports[m] & circle))}" for m in sorted(circle)),
        ])
        for circle in circles(imports)
    ]  # fmt: skip
    assert not wrong, "\n".join(wrong)


def test_the_cortex_sees_of_the_compiler_what_programs_see() -> None:
    """Tensors, jit and the public names: nothing below `tensor/`."""
    imports = imports_of(ROOT, "saccade")
    below = tuple(f"saccade.{room}" for room in ("graph", "schedule", "codegen", "transform", "runtime"))
    found = {
        f"{name} -> {other}"
        for name, others in imports.items()
        if name == "saccade.cortex" or name.startswith("saccade.cortex.")
        for other in others
        if other.startswith(below)
    }
    assert sum(name.startswith("saccade.cortex.") for name in imports) > 50
    assert not found, "import these from saccade or saccade.tensor instead"


def test_no_folder_has_more_than_a_dozen_files() -> None:
    """A stranger finds the file by the folder's name: more than a dozen side by side are several ideas."""
    folders = [ROOT / "saccade", *(f for f in (ROOT / "saccade").rglob("*") if f.is_dir())]
    assert len(folders) > 60
    counted = {
        str(folder.relative_to(ROOT)): sum(path.name != "__init__.py" for path in folder.glob("*.py"))
        for folder in folders
    }
    assert {folder: files for folder, files in counted.items() if files > 12} == {}
