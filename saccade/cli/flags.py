"""Options that many commands have."""

from __future__ import annotations

from typing import Annotated

import typer

from saccade.cli.marks import JSON

Json = Annotated[bool, JSON.for_typer()]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only results and errors.")]
