"""`saccade check soak`: every attack there is, in turn, for as long as there is time."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from saccade.cli.common import print_json, reporting, tell_note
from saccade.cli.flags import Json

if TYPE_CHECKING:
    from saccade.fuzz.soak.soak import State

#: seconds between two progress lines where nobody watches
_SELDOM = 600.0


def check_soak(
    minutes: Annotated[float, typer.Option(min=0.0, help="How long.")] = 10.0,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seed of the first case of each attack [0, or the state's].")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(help="An attack: programs, cuda, gradients, kills, files, cache, requests, ..."),
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Attacks at a time.")] = 1,
    state: Annotated[Path, typer.Option(help="Where it stopped, to go on from there.")] = Path("soak.json"),
    json_output: Json = False,
) -> None:
    """Attack the compiler, runs, readers and the cache in turn; report the smallest case of each failure."""
    with reporting(json_output):
        from saccade.fuzz.soak.soak import open_state, soak
        from saccade.fuzz.soak.soak_turn import ATTACKS

        unknown = sorted(set(only or []) - set(ATTACKS))
        if unknown:
            raise ValueError(f"there is no attack {', '.join(unknown)}: use {', '.join(ATTACKS)}")
        lacking = [name for name in only or [] if not ATTACKS[name].is_possible()]
        if lacking:
            raise ValueError(f"this machine has not what the attack {', '.join(lacking)} takes: leave it out")
        known = open_state(state, seed)
        if known.kinds and not json_output:
            typer.echo(f"going on from {state}: {known}")
        try:
            soak(known, state, 60 * minutes, only or (), jobs, _Line(minutes))
        except KeyboardInterrupt:
            tell_note(f"{known}; all of it is in {state}: the same command goes on from there")
            raise
        if json_output:
            print_json(asdict(known))
        else:
            for failure in known.failures:
                typer.echo(f"{failure}\n")
            typer.echo(str(known))
        if known.failures:
            raise typer.Exit(1)


class _Line:
    """The progress line: over and over in a terminal, now and then elsewhere."""

    def __init__(self, minutes: float) -> None:
        self._minutes, self._last, self._watched = minutes, perf_counter(), sys.stderr.isatty()

    def __call__(self, state: State, seconds: float) -> None:
        if perf_counter() - self._last < (1.0 if self._watched else _SELDOM):
            return
        self._last = perf_counter()
        line = f"{seconds / 60:.1f} of {self._minutes:g} minutes: {state}"
        print(f"\r{line}\x1b[K" if self._watched else line, end="" if self._watched else "\n",
              file=sys.stderr, flush=True)  # fmt: skip
