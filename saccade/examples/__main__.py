"""The command line of the examples."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m saccade.examples", description="Trainings on real data.")
    names = parser.add_subparsers(dest="name", required=True)
    for name in ("mnist", "shakespeare", "masked"):
        one = names.add_parser(name)
        one.add_argument("--data", type=Path, required=True, help="the folder of the data")
        if name != "mnist":
            one.add_argument("--steps", type=int, default=200)
    cifar = names.add_parser("cifar")
    cifar.add_argument("--device", default=None)
    cifar.add_argument("--steps", type=int, default=60)
    cifar.add_argument("--batch", type=int, default=64)
    photos = names.add_parser("photos")
    photos.add_argument("--weights", type=Path, required=True)
    photos.add_argument("paths", type=Path, nargs="+")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    options = vars(parse(arguments))
    example: Any = import_module(f"saccade.examples.{options.pop('name')}")
    example.main(**options)


if __name__ == "__main__":
    main()
