"""A training that is killed goes on from its checkpoint to the bit."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, jit, nn
from saccade.fuzz.files.weights_corpus import checkpoint_files, training
from saccade.nn.saved.mapped import StateError
from saccade.tensor.functional.random import default_generator

STEPS, KILLED_AT = 14, 8


class Noisy(nn.data.Dataset):
    """Rows with noise that is drawn while they are loaded."""

    def __len__(self) -> int:
        return 20

    def __getitem__(self, index: int) -> tuple[np.ndarray[tuple[int], np.dtype[np.float32]], int]:
        row = nn.data.item_random().standard_normal(4).astype(np.float32)
        return row + index % 2, index % 2


def train(path: Path, kill_at: int | None = None) -> str:
    """Train to the last step from the checkpoint, if there is one; a digest of what came out. Dropout, a
    schedule, loss scaling and a running mean all have a state of their own."""
    Tensor.manual_seed(3)
    model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.3), nn.Linear(8, 2))
    optimizer = nn.optim.AdamW(model.parameters(), lr=0.1)
    schedule = nn.optim.CosineAnnealingLR(optimizer, STEPS)
    scaler, mean = nn.optim.GradScaler(growth_interval=3), nn.optim.EMA(model.parameters(), 0.9)
    loader = nn.data.DataLoader(Noisy(), 4, shuffle=True, num_workers=1, seed=7)
    run = nn.Checkpoint(
        path, model=model, optimizer=optimizer, schedule=schedule, scaler=scaler, mean=mean, loader=loader
    )

    @jit
    def step(
        model: nn.Module, optimizer: nn.optim.Optimizer, scaler: nn.optim.GradScaler, x: Tensor, y: Tensor
    ) -> Tensor:
        loss = model(x).cross_entropy(y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        return loss

    done = run.load().get("step", 0)
    losses: list[float] = []
    while done < STEPS:
        for x, y in loader:
            losses.append(step(model, optimizer, scaler, x, y).item())
            schedule.step()
            mean.update()
            done += 1
            if done % 3 == 0:
                run.save(step=done)
            if done == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)
            if done == STEPS:
                break
    bits = hashlib.sha256(np.float64(losses[-2:]).tobytes())
    for tensor in [*model.parameters(), *mean.means, *[t for kept in optimizer.state for t in kept.values()]]:
        bits.update(tensor.detach().numpy().tobytes())
    return bits.hexdigest()


def test_a_killed_training_goes_on_to_the_bit(tmp_path: Path) -> None:
    wanted = train(tmp_path / "whole.safetensors")
    path = tmp_path / "killed.safetensors"
    program = f"from tests.nn.test_checkpoint import *; train(Path({str(path)!r}), {KILLED_AT})"
    killed = subprocess.run([sys.executable, "-c", program], check=False, cwd=Path(__file__).parents[2])
    assert killed.returncode == -signal.SIGKILL
    assert nn.state.load(path)["values"] == {"step": 6}  # the two steps after it are done again
    assert train(path) == wanted


def test_nothing_to_go_on_from(tmp_path: Path) -> None:
    model = nn.Linear(2, 2)
    assert nn.Checkpoint(tmp_path / "none.safetensors", model=model).load() == {}


def test_a_checkpoint_of_other_parts_is_refused(tmp_path: Path) -> None:
    path, model = tmp_path / "a.safetensors", nn.Linear(2, 2)
    nn.Checkpoint(path, model=model).save()
    optimizer = nn.optim.SGD(model.parameters())
    with pytest.raises(StateError, match="no optimizer: it was written with"):
        nn.Checkpoint(path, model=model, optimizer=optimizer).load()
    with pytest.raises(TypeError, match="step has no state_dict"):
        nn.Checkpoint(path, step=3)  # type: ignore[arg-type]


def test_a_cut_checkpoint_changes_nothing(tmp_path: Path) -> None:
    path, model = tmp_path / "a.safetensors", nn.Linear(2, 2)
    run = nn.Checkpoint(path, model=model)
    run.save()
    path.write_bytes(path.read_bytes()[:-3])
    before = model.weight.tolist()
    with pytest.raises(StateError, match="it was cut"):
        run.load()
    assert model.weight.tolist() == before


@pytest.mark.parametrize(
    ("part", "state", "told"),
    [
        ("loader", {"batch": "x"}, "numbers are due"),
        ("generator", {"draws": -1}, "draws"),
        ("optimizer", {"param_groups": [{"params": []}]}, "no parameters"),
        ("optimizer", {"param_groups": [{"lr": "x"}]}, "part 'optimizer'"),
        ("model", {"weight": 3}, "does not fit Linear"),
    ],
)
def test_a_part_that_does_not_take_its_state_is_named(
    tmp_path: Path, part: str, state: dict[str, Any], told: str
) -> None:
    """A traceback of whoever met it first, and a batch or a group of parameters out of the file, before."""
    path, parts = tmp_path / "a", training()
    (data,) = checkpoint_files()
    path.write_bytes(data["a"])
    whole = nn.state.load(path)
    nn.state.save({**whole, part: {**whole[part], **state}}, tmp_path / "b")
    before = default_generator.state_dict()
    with pytest.raises(StateError, match=told) as error:
        nn.Checkpoint(tmp_path / "b", **parts).load()
    assert str(tmp_path / "b") in str(error.value)
    assert default_generator.state_dict() == before
