"""What is said of a parameter of a command, without the library that reads command lines.

def chat(model: Annotated[Path, argument(help="...")], json: Annotated[bool, JSON] = False) -> None: ...

app.command()(for_typer(chat))      # as typer wants it, which takes 0.04 s to import
plain_arguments(chat, line)         # a line that can be read without it (`plain.py`)
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any, NamedTuple, get_args, get_origin


class Mark(NamedTuple):
    """An option or an argument. names: what it is called, if not as its parameter; told: what else typer is
    to know of it, by typer's words (`help`, `min`, `metavar`, ...)."""

    is_option: bool
    names: tuple[str, ...]
    told: Mapping[str, Any]

    def for_typer(self) -> Any:
        """The same as typer says it."""
        import typer

        return (typer.Option if self.is_option else typer.Argument)(*self.names, **self.told)


def option(*names: str, **told: Any) -> Mark:
    return Mark(True, names, told)


def argument(**told: Any) -> Mark:
    return Mark(False, (), told)


JSON = option("--json", help="Print one JSON object and nothing else.")


def for_typer(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose parameters have marks, as one for typer."""
    signature = inspect.signature(command, eval_str=True)
    parameters = [
        each.replace(annotation=_annotation(each.annotation)) for each in signature.parameters.values()
    ]

    @functools.wraps(command)
    def told(**given: Any) -> None:
        command(**given)

    told.__annotations__ = {each.name: each.annotation for each in parameters} | {"return": None}
    # what `inspect.signature`, and so typer, reads first
    vars(told)["__signature__"] = signature.replace(parameters=parameters)
    return told


def _annotation(marked: Any) -> Any:
    if get_origin(marked) is not Annotated:
        return marked
    kind, *marks = get_args(marked)
    mark = next((each for each in marks if isinstance(each, Mark)), None)
    return marked if mark is None else Annotated[kind, mark.for_typer()]
