"""What all commands of the command line share: where they print, and how errors become messages and exit
codes.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from saccade.cli import signals
from saccade.cli.output import FAILED, PIPE_CLOSED, OutputError, drop_output

if TYPE_CHECKING:
    from rich.console import Console

WRONG_REQUEST = 2


def console_for(json_output: bool) -> Console:
    """Where people read; with --json that is stderr, so that stdout holds one JSON object."""
    from rich.console import Console

    class Piped(Console):
        """Says that nobody reads on; by itself it would end the process, whatever is still to be told."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))

    return Piped(stderr=json_output)


def of_source_tree(module: str, what: str) -> Any:
    """A module of a folder beside the package, which need not be part of this installation."""
    root = Path(__file__).resolve().parents[2]
    if (root / "bench" / "__main__.py").exists() and str(root) not in sys.path:
        sys.path.insert(0, str(root))
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not (module == error.name or module.startswith(f"{error.name}.")):
            raise
        raise ImportError(f"{what} is not part of this installation; run it from the source tree") from None


def echo(text: str, err: bool = False, nl: bool = True) -> None:
    """Print a line; typer is imported for it, and not to read a plain line of arguments."""
    import typer

    typer.echo(text, err=err, nl=nl)


def print_json(value: object) -> None:
    from saccade.files.json_text import to_json

    echo(to_json(value), nl=False)


#: the run that this process makes or continues, or the folder of its runs
_runs: list[Path] = []


def working_on(run: Path) -> Path:
    """From now on an end that comes early tells how to go on with this run, if it has begun. A folder of runs
    goes on with the command that began it."""
    _runs[:] = [run]
    return run


def _with_remedy(message: str) -> str:
    """The message, with how to go on where there is a run to go on with."""
    run = _runs[0] if _runs else None
    if run is not None and (run / "run.json").exists():
        return f"{message}; everything recorded is in {run}. Go on with: saccade resume {run}"
    if run is not None and any(run.glob("*/run.json")):
        return f"{message}; everything recorded is in {run}. Go on with the same command"
    return message


@contextlib.contextmanager
def reporting(json_output: bool) -> Iterator[None]:
    """Turn the errors a person can do something about into a message and an exit code."""
    from saccade.experiment.config.sections import ConfigError
    from saccade.experiment.errors import RunError
    from saccade.extend import PartError

    _runs.clear()
    try:
        with signals.raising(), notes_for_warnings():
            yield
    except BrokenPipeError:
        # Whoever read our output (head, less) has seen enough; nothing more may be written, not even at exit.
        drop_output()
        if _runs:
            tell_error(_with_remedy("nobody reads the output any more"))
        raise SystemExit(PIPE_CLOSED) from None
    except KeyboardInterrupt as error:
        fail(_with_remedy("stopped"), signals.exit_code(error), json_output)
    except ConfigError as error:
        fail(str(error), WRONG_REQUEST, json_output)
    except MemoryError as error:
        told = f" ({error})" if str(error) else ""
        remedy = "use a smaller --batch, fewer objects or fewer points (module.max_nodes)"
        fail(_with_remedy(f"there is not enough memory{told}: {remedy}"), FAILED, json_output)
    except OutputError as error:
        drop_output()
        fail(_with_remedy(str(error)), FAILED, json_output)
    except (RunError, ValueError, OSError, ImportError, PartError) as error:
        fail(str(error), FAILED, json_output)


@contextlib.contextmanager
def notes_for_warnings() -> Iterator[None]:
    """Warnings about what a person gave us are a line without the place in our code."""
    with warnings.catch_warnings():

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            tell_note(str(message))

        warnings.showwarning = show
        yield


def tell_note(text: str) -> None:
    """What a person should know, and need do nothing about."""
    echo(f"note  {text}", err=True)


def fail(message: str, code: int, json_output: bool) -> NoReturn:
    if json_output:
        with contextlib.suppress(OSError):  # told on standard error all the same
            print_json({"error": message, "code": code})
    tell_error(message)
    raise SystemExit(code)


def tell_error(message: str) -> None:
    from rich.console import Console
    from rich.markup import escape

    with contextlib.suppress(OSError):  # the exit code tells it too
        Console(stderr=True).print(f"[bold red]error[/] {escape(message)}", highlight=False, soft_wrap=True)
