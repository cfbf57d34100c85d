"""The process of the command line: what `saccade` and `python -m saccade` call.

In: arguments. Out: what was asked for, and an exit code. Signals are looked after from the first line on,
before anything heavy is imported.
"""

from __future__ import annotations

import sys

from saccade.cli import signals


def main() -> int:
    """Run the command line; the exit code."""
    signals.end_at_once()
    import gc
    import io

    from saccade.cli.output import PIPE_CLOSED, Output, OutputError, drop_output, stream, without_output

    # what is imported and read stays: looking for cycles in it, every 700 objects, took a tenth of the time
    # to a first token
    gc.set_threshold(50_000)
    sys.stdout, sys.stderr = stream(sys.stdout, Output), stream(sys.stderr, io.FileIO)
    from saccade.cli.line import run_line

    code = run_line()
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        drop_output()
        code = code or PIPE_CLOSED
    except OutputError as error:
        code = code or without_output(error)
    signals.ignore()
    gc.freeze()  # else Python looks for cycles in all that is left: 0.1 s of an end, and up to 0.25 s
    return code
