"""Episodes a second over the number of rows, on each device: what side by side is worth.

    saccade bench episodes                           # this machine's devices, rows 1, 16, 64, 256
    saccade bench episodes --device cuda --rows 256 --episodes 231
    saccade bench episodes --models runs/all-1 --picture episodes.svg --json > gpu.json
    saccade bench episodes --models runs/all-1 --device cpu --add gpu.json

Objects of the preset are learned once (or their models given), then as many episodes of its recognition are
run as a width is measured with: twice, because the first time compiles. Each line splits the seconds of the
last time by part and states how many episodes were right, so that a fast wrong run is seen as one. `--add`
draws what was measured elsewhere beside it.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from bench.episode_parts import timed
from saccade.experiment.config.config import override
from saccade.experiment.config.presets import preset
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.engine.engine import CortexEngine, make_engine
from saccade.experiment.engine.objects import object_names
from saccade.experiment.plan.plan import plan_eval, plan_train
from saccade.experiment.report.chart_picture import render
from saccade.experiment.report.charts import Bars
from saccade.experiment.run import models_path
from saccade.runtime.device import Device

ROWS = (1, 16, 64, 256)
#: with one row, episodes enough to see the rate
LEAST = 4


@dataclass(frozen=True)
class Line:
    """One width on one device. seconds: of the run that finds all compiled; first: of the one before; parts:
    the seconds by part.
    """

    device: str
    rows: int
    episodes: int
    seconds: float
    first: float
    correct: float
    steps: float
    parts: dict[str, float]

    @property
    def rate(self) -> float:
        """Episodes a second, without what is done once: preparing and compiling."""
        return self.episodes / (self.seconds - self.parts["preparing"] - self.parts["compiling"])

    def text(self) -> str:
        parts = "  ".join(f"{name} {seconds:.2f}" for name, seconds in self.parts.items())
        return (
            f"{self.device:8s} {self.rows:5d} rows {self.episodes:5d} episodes {self.seconds:8.2f} s "
            f"(first {self.first:7.2f}) {self.rate:8.2f} episodes/s  correct {self.correct:5.1f} %  "
            f"steps {self.steps:6.1f}  {parts}"
        )


def learned(config: ExperimentConfig, models: Path | None) -> CortexEngine:
    """An engine that knows the objects: from a run that learned them, or by learning them now."""
    engine = make_engine(config)
    if models is not None:
        engine.load_memory(models_path(models))
        return engine
    units = plan_train(config, object_names(config))
    for _ in engine.learn(units, 256):
        pass
    engine.finish_learning(units)
    return engine


def measure(config: ExperimentConfig, memory: Path, rows: int, episodes: int, repeat: int) -> Line:
    """Recognise the first `episodes` episodes, `rows` at a time."""
    engine = make_engine(config)
    engine.load_memory(memory)
    units = plan_eval(config, object_names(config))
    chosen = [units[i % len(units)] for i in range(episodes)]
    seconds = []
    for _ in range(max(1, repeat)):
        with timed() as parts:
            began = time.perf_counter()
            found = [outcome.row for outcome in engine.recognise(chosen, rows)]
            seconds.append(time.perf_counter() - began)
    return Line(
        device=config.device,
        rows=rows,
        episodes=len(found),
        seconds=seconds[-1],
        first=seconds[0],
        correct=100.0 * sum(row.correct for row in found) / len(found),
        steps=sum(row.steps for row in found) / len(found),
        parts={**parts, "rest": seconds[-1] - sum(parts.values())},
    )


def read(path: Path) -> list[Line]:
    """Lines that an earlier call printed with --json."""
    names = [field.name for field in fields(Line)]
    return [Line(**{name: line[name] for name in names}) for line in json.loads(path.read_text())]


def picture(lines: Sequence[Line]) -> bytes:
    """A bar for each width, devices under each other."""
    names = tuple(f"{line.device}, {line.rows} row{'s' if line.rows > 1 else ''}" for line in lines)
    return render([Bars("episodes per second", names, tuple(line.rate for line in lines))], "svg")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser("saccade bench episodes", description=__doc__.split("\n\n")[0])
    parser.add_argument("--preset", default="all_surface_noise")
    parser.add_argument("--device", action="append", help="default: every device that can be used")
    parser.add_argument("--rows", type=int, action="append", help=f"default: {', '.join(map(str, ROWS))}")
    parser.add_argument("--episodes", type=int, default=0, help="per width; default: as many as rows")
    parser.add_argument("--repeat", type=int, default=2, help="the last time counts")
    parser.add_argument("--models", type=Path, help="run folder with models; default: learn them first")
    parser.add_argument("--set", dest="settings", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--picture", type=Path, default=Path("episodes.svg"))
    parser.add_argument(
        "--add", type=Path, action="append", default=[], help="lines measured before, as JSON"
    )
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args(arguments)
    config = override(preset(chosen.preset), chosen.settings)
    usable = [each.name for each in Device.list() if each.usable and each.name.startswith(("cpu", "cuda"))]
    lines = [line for path in chosen.add for line in read(path)]
    with tempfile.TemporaryDirectory() as folder:
        memory = Path(folder) / "memory"
        learned(config, chosen.models).save_memory(memory)
        for device in chosen.device or usable:
            for rows in chosen.rows or ROWS:
                episodes = chosen.episodes or max(rows, LEAST)
                placed = override(config, [f"device={device}", f"batch={rows}"])
                lines.append(measure(placed, memory, rows, episodes, chosen.repeat))
                if not chosen.json:
                    print(lines[-1].text(), flush=True)
    chosen.picture.write_bytes(picture(lines))
    if chosen.json:
        print(json.dumps([{**asdict(line), "rate": line.rate} for line in lines], indent=2))
    else:
        print(f"picture  {chosen.picture}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
