"""World, cortex and experiment compute with nothing that a release of NumPy may change.

Read from their source: functions whose last bits NumPy does not promise, its linear algebra, its random
numbers, and sums in an order of its choice. `saccade.reproducible` has all of them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SACCADE = Path(__file__).parents[2] / "saccade"
ROOMS = ("world", "cortex", "experiment", "reproducible")
FORBIDDEN = {
    "sin", "cos", "tan", "arcsin", "arccos", "arctan", "arctan2", "sinh", "cosh", "tanh", "exp", "exp2",
    "expm1", "log", "log2", "log10", "log1p", "power", "float_power", "hypot", "cbrt", "degrees", "radians",
    "deg2rad", "rad2deg", "interp", "linspace", "geomspace", "logspace", "einsum", "dot", "vdot", "inner",
    "outer", "matmul", "tensordot", "cross", "sum", "nansum", "mean", "nanmean", "average", "std", "var",
    "median", "quantile", "percentile", "prod", "trace", "cov", "corrcoef", "convolve", "linalg", "random",
    "fft", "polynomial",
}  # fmt: skip
# methods of arrays that add up in an order of their own choice
METHODS = {"dot", "mean", "std", "var", "trace", "prod"}
# What may be used where: whether all is finite does not depend on an order; these sums are of integers, or of
# tensors inside a program; `@` puts poses together; rays are traced; a p-value is shown and decides nothing.
ALLOWED = {
    "cortex/messages.py": {"np.vdot"},
    "cortex/bank/knowledge.py": {".sum"},
    "cortex/goals/asking_program.py": {".sum"},
    "cortex/fitting/fitter_programs.py": {".sum", "@"},
    "cortex/sense/fit_program.py": {"@"},
    "cortex/sense/sense_program.py": {".sum"},
    "cortex/hypotheses/hypotheses.py": {".sum"},
    "cortex/hypotheses/evidence.py": {".sum"},
    "cortex/hypotheses/decide.py": {".sum"},
    "experiment/report/compare.py": {"np.exp", "np.log"},
    "experiment/record/episode_trace.py": {".sum"},
    "world/symmetry/find.py": {".sum"},
    "world/meshes/mesh.py": {".sum"},
    "world/fields/sdf.py": {".sum"},
    "world/protocol.py": {"@"},
    "world/agents.py": {"@"},
    "world/images.py": {"@"},
    "world/meshes/mesh_world.py": {"@"},
    "world/fields/field_world.py": {"@", ".trace"},
    "cortex/motor/goal.py": {"@"},
    "cortex/motor/policy.py": {"@"},
    "cortex/motor_programs/surface.py": {".sum"},
}


def uses(path: Path) -> Iterator[tuple[str, int]]:
    """What a file uses of all that is forbidden, and in which line."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "np":
            if node.attr in FORBIDDEN:
                yield f"np.{node.attr}", node.lineno
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            on = node.func.value
            if node.func.attr in {*METHODS, "sum"} and not (
                isinstance(on, ast.Name) and on.id in ("math", "np")
            ):
                yield f".{node.func.attr}", node.lineno
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            yield "@", node.lineno


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_uses_only_what_is_the_same_everywhere(room: str) -> None:
    files = sorted((SACCADE / room).rglob("*.py"))
    assert files
    found = []
    for path in files:
        name = path.relative_to(SACCADE).as_posix()
        if "chart" in name:  # pictures
            continue
        found += [f"{name}:{line} {what}" for what, line in uses(path) if what not in ALLOWED.get(name, ())]
    assert found == []


def test_the_exceptions_are_still_there() -> None:
    for name, allowed in ALLOWED.items():
        assert allowed <= {what for what, _ in uses(SACCADE / name)}, name
