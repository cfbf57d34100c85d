"""A recording on a driver that runs nothing: queues, copies and captured graphs are told apart."""

from __future__ import annotations

import textwrap
from pathlib import Path

from saccade.viz.views.recording import Recording

from .fake_gpu import NEEDS_A_DRIVER, REPLAYED, run

pytestmark = NEEDS_A_DRIVER


def test_queues_copies_and_captured_graphs(driver: Path, tmp_path: Path) -> None:
    path = tmp_path / "gpu.saccade"
    code = f"""
        import saccade

        with saccade.record({str(path)!r}):
            with stream(device="cuda"):
                y = program(x)
            y.numpy()
    """
    run(driver, REPLAYED + textwrap.dedent(code))
    recording = Recording(path)
    spans = [
        (*chunk["rows"][chunk["row"][n]], chunk["names"][name], chunk["depth"][n], chunk["kernel"][n])
        for chunk in map(recording.chunk, range(recording.timeline()["chunks"]))
        for n, name in enumerate(chunk["name"])
    ]
    on_card = [each for each in spans if each[0] == "cuda:0"]
    graphs = [each for each in on_card if each[2] == "captured graph, 3 kernels"]
    assert [(row, depth) for _, row, _, depth, _ in graphs] == [("stream 1", 0)]
    kernels = [each for each in on_card if each[4] >= 0]
    assert {(row, depth) for _, row, _, depth, _ in kernels} == {("stream 1", 1)}
    assert len(kernels) == 3
    assert any(row == "main" and "copy from the GPU" in name for _, row, name, _, _ in on_card)
