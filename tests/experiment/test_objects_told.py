"""What is told of objects: symmetries in words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from saccade.cli import app as cli
from saccade.experiment.engine.objects import in_words
from saccade.world.formats.ply import write_ply
from saccade.world.meshes.mesh import Mesh
from saccade.world.objects.shapes import box
from saccade.world.symmetry.symmetry import Symmetry, about, rotation_about

FLIPPED = [np.eye(3), rotation_about((1, 0, 0), np.pi)]


@pytest.mark.parametrize(
    ("symmetry", "words"),
    [
        (Symmetry(), "none"),
        (Symmetry(every=True), "any rotation"),
        (Symmetry(rotations=about((0, 1, 0), 4)), "4 rotations"),
        (Symmetry(axis=(0.0, 1.0, 0.0)), "any turn about y"),
        (Symmetry(axis=(0.0, 0.0, -1.0), rotations=FLIPPED), "any turn about z, either end up"),
        (Symmetry(axis=(0.6, 0.0, -0.8)), "any turn about (0.6, 0, -0.8)"),
    ],
)
def test_symmetries_in_words(symmetry: Symmetry, words: str) -> None:
    assert in_words(symmetry) == words


def test_the_symmetry_of_shape_is_told_where_it_is_another(tmp_path: Path) -> None:
    plain = box((0.05, 0.05, 0.05))
    colors = np.zeros_like(plain.colors)
    colors[plain.triangles[..., 0].min(axis=1) > 0.02, :, 0] = 1.0  # one side is red
    write_ply(tmp_path / "die.ply", Mesh(plain.vertices, plain.faces, colors))
    write_ply(tmp_path / "block.ply", plain)
    told = CliRunner().invoke(cli.app, ["objects", "--objects", str(tmp_path)], env={"COLUMNS": "120"}).stdout
    block, die = (next(line for line in told.splitlines() if name in line) for name in ("block", "die"))
    assert "24 rotations" in block
    assert "alone" not in block
    assert "of shape alone 24 rotations" in die
