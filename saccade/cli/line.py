"""The arguments of a process: carried out, with an exit code.

What typer is not needed for is done without it: with all commands it takes 0.05 s to import.
"""

from __future__ import annotations

import sys

from saccade.cli.output import FAILED, PIPE_CLOSED, Output, OutputError, without_output


def run_line() -> int:
    """Carry out what the arguments of this process ask for; the exit code."""
    command, *line = sys.argv[1:] or [""]
    try:
        if not _plain_chat(command, line):
            from saccade.cli.app import run_command

            run_command(command)
    except SystemExit as end:
        if Output.reader_left and end.code == FAILED:
            return PIPE_CLOSED
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except OutputError as error:
        return without_output(error)
    return 0


def _plain_chat(command: str, line: list[str]) -> bool:
    """Was this a chat that could be carried out?"""
    if command != "chat":
        return False
    from saccade.cli.commands.chat import chat
    from saccade.cli.plain import plain_arguments

    plain = plain_arguments(chat, line)
    if plain is not None:
        chat(**plain)
    return plain is not None
