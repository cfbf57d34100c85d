"""A recording made on a card, checked: queues, copies, captured graphs and machine code are in it.

    python -m bench.gpu_recording gpu.saccade           # ResNet-18 under jit on two streams; about a minute
    saccade viz gpu.saccade                             # and looked at

Says what it found in a line each and ends with an error where something is missing."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

import numpy as np

import saccade
from bench.models import LAYERS, resnet18, resnet18_parameters
from saccade import Tensor, jit
from saccade.viz.views.memory import memory
from saccade.viz.views.recording import Recording

ROUNDS = 4


def record(path: Path, device: str) -> None:
    """ResNet-18, captured, on two streams, with copies to the card and back."""
    rng = np.random.default_rng(0)
    parameters = {
        name: Tensor(array).to(device).realize() for name, array in resnet18_parameters(rng).items()
    }
    layers = LAYERS["saccade"]()
    forward = jit(lambda image: resnet18(layers, parameters, image))
    images = [rng.standard_normal((8, 3, 224, 224), dtype=np.float32) for _ in range(2)]
    streams = [saccade.stream(device=device) for _ in range(2)]
    with saccade.record(path, "resnet18 on two streams") as recorder:
        results = []
        for _ in range(ROUNDS):
            for stream, image in zip(streams, images, strict=True):
                with stream:
                    results.append(forward(Tensor(image).to(device)))
        for result in results:
            result.numpy()
        recorder.measure_ceilings()


def check(path: Path, device: str) -> None:
    """Tell what the recording has; SystemExit where something is missing."""
    recording = Recording(path)
    rows: dict[str, Counter[str]] = {}
    for number in range(recording.timeline()["chunks"]):
        chunk = recording.chunk(number)
        for name, row in zip(chunk["name"], chunk["row"], strict=True):
            on, label = chunk["rows"][row]
            if on.startswith(device.partition(":")[0]):
                rows.setdefault(label, Counter())[chunk["names"][name]] += 1
    names: Counter[str] = sum(rows.values(), Counter())
    graphs = {label: sum(n for name, n in seen.items() if "captured" in name) for label, seen in rows.items()}
    copies = sum(times for name, times in names.items() if "copy" in name)
    busiest = max(recording.summary()["computations"], key=lambda each: each["kernels"])
    kernels = recording.kernels(busiest["number"])
    machine = recording.machine(busiest["number"], 0)
    found = {
        "queues with captured graphs, at least 2": sum(times > 0 for times in graphs.values()) >= 2,
        "a captured graph for each call": sum(graphs.values()) >= 2 * ROUNDS,
        "copies to and from the card": copies >= 2 * ROUNDS,
        "a time for every kernel of ResNet-18": all(each["seconds"] for each in kernels["kernels"]),
        "floors": all(each["floor"] for each in kernels["kernels"]),
        "estimates": all(each["estimate"] > 0 for each in kernels["kernels"]),
        "memory of the card": memory(recording, device)["peak"]["bytes"] > 1_000_000,
        f"machine code ({machine['kind'] or machine['text'][:80]})": machine["kind"].startswith("PTX"),
    }
    print({label: sum(seen.values()) for label, seen in rows.items()}, "captured graphs:", graphs)
    print("copies:", {name: times for name, times in names.items() if "copy" in name})
    for what, there in found.items():
        print("ok     " if there else "MISSING", what)
    if not all(found.values()):
        raise SystemExit("the recording lacks what is marked MISSING")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path, nargs="?", default=Path("gpu.saccade"))
    parser.add_argument("--device", default="cuda:0")
    asked = parser.parse_args()
    record(asked.path, asked.device)
    check(asked.path, asked.device)


if __name__ == "__main__":
    main()
