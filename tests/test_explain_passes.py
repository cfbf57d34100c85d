"""What the passes did, told: names, steps, nodes, the lines of the script, and nothing when nobody asks."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from saccade import Tensor
from saccade.cli.app import app
from saccade.explain.passes import explain_passes
from saccade.graph import node as nodes
from saccade.graph.node import Node
from saccade.graph.ops import Op
from saccade.graph.origin import line_of, tracking
from saccade.graph.rewriting.passes import Roots, Watch, rewrite_pass, watch
from saccade.graph.rewriting.rewrite import changed
from saccade.graph.verify import VerificationError

SCRIPT = """
import numpy as np
from saccade import Tensor

x = Tensor(np.arange(12.0).reshape(3, 4).astype("float32"))
y = x * 1 + 2
print(y.numpy().sum())
"""


def test_a_script_is_told_pass_by_pass(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    found = explain_passes(script)
    runs = {run.name: run for run in found.runs}
    simplify = runs["simplify"]
    assert [step.line for step in simplify.steps] == ["script.py:6"]
    assert simplify.nodes_before > simplify.nodes_after > 0
    assert simplify.steps[0].source.startswith("simplify.py:")
    assert runs["place values in kernels"].depth == 1
    assert "script.py:6" in str(found)


def test_the_command_line_prints_a_table_or_json(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    told = CliRunner().invoke(app, ["explain", "--passes", str(script)])
    assert told.exit_code == 0
    assert "simplify" in told.output
    told = CliRunner().invoke(app, ["explain", "--passes", "--json", str(script)])
    passes = json.loads(told.stdout[told.stdout.index("{") :])["passes"]
    (simplify,) = [p for p in passes if p["name"] == "simplify"]
    assert simplify["steps"][0]["line"] == "script.py:6"


def test_what_a_cache_holds_is_compiled_again_to_be_told() -> None:
    x = Tensor(np.ones(5, np.float32))
    (x + 3).numpy()
    assert [run.name for run in explain_passes(lambda: (x + 3).numpy()).runs][1] == "simplify"


def test_nothing_computed_is_said() -> None:
    assert "nothing was compiled" in str(explain_passes(lambda: None))


def test_unwatched_nodes_have_no_line() -> None:
    assert nodes.observer is None
    with tracking():
        x = Tensor(np.ones(5, np.float32)) * 12345.0
    assert line_of(x.node).startswith("test_explain_passes.py:")
    assert nodes.observer is None
    assert not line_of((x * 54321.0).node)


@rewrite_pass("break every sum")
def broken(roots: Roots) -> Roots:
    def change(made: Node, _: Node) -> Node:
        return nodes.make(Op.ADD, made.dtype, made.src[:1]) if made.op is Op.ADD else made

    return changed(roots, change)


def test_a_pass_that_leaves_a_malformed_graph_is_named() -> None:
    x = Tensor(np.ones(5, np.float32))
    with (
        watch(Watch(verify=True)),
        pytest.raises(VerificationError, match="after the pass 'break every sum'"),
    ):
        broken(((x + x).node,))
    with watch(Watch(verify=True)) as seen:
        broken(((x * x).node,))
    assert [run.name for run in seen.passes] == ["break every sum"]
    assert not seen.passes[0].steps
