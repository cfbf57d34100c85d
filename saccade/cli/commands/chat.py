"""`saccade chat`: a language model in a terminal, or in a pipe.

echo "Why is the sky blue?" | saccade chat model.gguf --max-tokens 100

Nothing here imports typer: a plain line of a pipe is read and answered without it (`plain.py`).
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from saccade.cli import signals
from saccade.cli.common import console_for, echo, print_json, reporting, tell_error, tell_note
from saccade.cli.marks import JSON, argument, option

if TYPE_CHECKING:
    from saccade.llm.files.load import LanguageModel
    from saccade.llm.generation.text import Options
    from saccade.llm.serving.conversation import Conversation

CHAT_EXAMPLES = """Examples:\n
\b
saccade chat model.gguf                                    talk in a terminal; /help there
echo "Name three rivers." | saccade chat model.gguf        one answer, the text alone
echo "A person, please." | saccade chat model.gguf --schema person.json   JSON of a schema"""
HELP = """/system TEXT   begin anew with these instructions; without TEXT: with none
/clear         begin anew
/save FILE     write the conversation as JSON
/help          this list
/quit          leave, as Ctrl-D does. Ctrl-C stops an answer."""
#: Output of a model must not steer the terminal it is shown in.
UNSAFE = {code: "\ufffd" for code in (*range(32), 127, *range(128, 160)) if chr(code) not in "\n\t"}

Model = Annotated[
    Path,
    argument(
        metavar="MODEL",
        help="A GGUF file, or a folder with config.json and safetensors: Llama, Qwen, Gemma.",
    ),
]


class Activations(StrEnum):
    """What packed weights are multiplied with."""

    int8 = "int8"
    float = "float"


Context = Annotated[
    int | None, option(min=2, help="Room for so many tokens; default up to 4096, as the model allows.")
]

Rounding = Annotated[
    Activations | None,
    option(
        "--activations",
        help="int8 (default on the cpu) is faster; float rounds nothing that weights are multiplied with.",
    ),
]

On = Annotated[str, option("--device", help="Where the model is: cpu, cuda, cuda:1, auto.")]


@contextlib.contextmanager
def bar() -> Iterator[Callable[[str], None]]:
    """A line on standard error that tells what is being done, and goes away; none where nobody watches."""
    if not sys.stderr.isatty():  # rich takes 0.05 s to import
        yield lambda stage: None
        return
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(20), TimeElapsedColumn())
    with Progress(*columns, console=console_for(True), transient=True) as bars:
        task = bars.add_task("reading", total=None)
        yield lambda stage: bars.update(task, description=stage)


def loaded_model(
    path: Path, tell: Callable[[str], None], activations: Activations | None, device: str
) -> LanguageModel:
    from saccade.llm.files.load import load
    from saccade.runtime.device import Device

    name = Device.usable(device)
    chosen = activations or (Activations.int8 if name == "cpu" else Activations.float)
    loaded = load(path, tell, chosen.value, name)
    loaded.template.check()
    if not loaded.template.given:
        tell_note("the model has no chat template of its own: ChatML is used")
    return loaded


def _options(temperature: float, top_p: float, seed: int | None, max_tokens: int | None) -> Options:
    from saccade.llm.generation.sampling import Sampling
    from saccade.llm.generation.text import Options

    return Options(Sampling(temperature=temperature, top_p=top_p, seed=seed), max_tokens)


def chat(
    model: Model,
    temperature: Annotated[
        float, option(min=0, max=100, help="0: always the most probable token; 1: as the model has it.")
    ] = 0.0,
    top_p: Annotated[
        float, option(min=0, max=1, help="Draw from the fewest tokens that are so probable together.")
    ] = 1.0,
    max_tokens: Annotated[int | None, option(min=1, help="The longest answer.")] = None,
    system: Annotated[str | None, option(help="Instructions before the conversation.")] = None,
    seed: Annotated[int | None, option(help="The same answer again, with a temperature too.")] = None,
    context: Context = None,
    activations: Rounding = None,
    device: On = "cpu",
    schema: Annotated[
        Path | None, option(help="File with a JSON schema that answers keep to.", dir_okay=False)
    ] = None,
    json_output: Annotated[bool, JSON] = False,
) -> None:
    """Talk to a language model.

    In a terminal it is a conversation. From a pipe it answers once: the question is standard input, and the
    answer, alone, standard output. Answers are greedy (temperature 0) unless you say otherwise.
    """
    with reporting(json_output):
        from saccade.runtime.process.collection import made_to_stay

        piped = json_output or not sys.stdin.isatty()
        question = text_from_input() if piped else ""
        with bar() as tell:
            with made_to_stay():
                from saccade.llm.serving.conversation import Conversation

                options = _options(temperature, top_p, seed, max_tokens)
                loaded = loaded_model(model, tell, activations, device)
                talk = Conversation(loaded, system, context)
            if not piped:
                talk.generator.slots.warm(tell)
        made = _constrained(options, schema, loaded)
        if piped:
            _answer_once(talk, question, made(), json_output)
        else:
            _converse(talk, made)


def text_from_input() -> str:
    """What standard input holds."""
    from saccade.experiment.config.sections import ConfigError

    try:
        text = sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        raise ConfigError(f"the question is no text in UTF-8: byte {error.start} of standard input") from None
    if not text.strip():
        raise ConfigError('there is no question on standard input: echo "..." | saccade chat MODEL')
    return text.strip()


def _constrained(options: Options, schema: Path | None, loaded: LanguageModel) -> Callable[[], Options]:
    """What makes the options of each answer."""
    if schema is None:
        return lambda: options
    from dataclasses import replace

    from saccade.files.reading import read_json, reading
    from saccade.llm.generation.grammar import JsonConstraint
    from saccade.llm.generation.json_schema import SchemaError

    with reading(schema, SchemaError, "correct it"):
        described = read_json(schema)
    grammar = JsonConstraint(described, loaded.tokenizer)
    return lambda: replace(options, constraint=grammar.again())


def _answer_once(talk: Conversation, question: str, options: Options, json_output: bool) -> None:
    made, finish = "", None
    with bar() if json_output else contextlib.nullcontext(str) as tell:
        tell("reading the question")
        for piece in talk.answer(question, options):
            made, finish = made + piece.text, piece.finish
            if not json_output:
                sys.stdout.write(piece.text)
                sys.stdout.flush()
    speed = talk.generator.speed
    if json_output:
        print_json({"text": made, "finish": finish, "model": talk.loaded.name, **_figures(talk)})
        return
    sys.stdout.write("" if made.endswith("\n") else "\n")
    if sys.stderr.isatty():
        tell_note(f"{speed.made} tokens, {speed.rate:.1f} a second, the first after {speed.first:.2f} s")


def _figures(talk: Conversation) -> dict[str, Any]:
    speed = talk.generator.speed
    return {
        "prompt_tokens": speed.prompt,
        "answer_tokens": speed.made,
        "seconds_to_first": round(speed.first, 4),
        "tokens_per_second": round(speed.rate, 2),
    }


# --- a terminal --------------------------------------------------------------------------------------------


def _converse(talk: Conversation, options: Callable[[], Options]) -> None:
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - lines can be edited, and come again with the arrow keys

    echo(f"{talk.loaded.name}. /help tells what can be said beside questions.", err=True)
    while True:
        try:
            line = input("> ").strip()
            line.encode()  # in some locales what is no text comes as halves of surrogate pairs
        except EOFError:
            echo("", err=True)
            return
        except UnicodeError:
            tell_error("this line is no text in UTF-8")
            continue
        if line in ("/quit", "/exit"):
            return
        if line.startswith("/"):
            _command(talk, line)
        elif line:
            _hear(talk, line, options())


def _command(talk: Conversation, line: str) -> None:
    name, _, rest = line.partition(" ")
    match name:
        case "/help":
            echo(HELP, err=True)
        case "/clear":
            talk.start(talk.system)
        case "/system":
            talk.start(rest.strip() or None)
        case "/save":
            _save(talk, rest.strip())
        case _:
            tell_error(f"{name} is no command: /help lists them")


def _save(talk: Conversation, path: str) -> None:
    if not path:
        tell_error("/save needs the name of a file")
        return
    try:
        talk.save(Path(path).expanduser())
    except (OSError, RuntimeError) as error:
        tell_error(f"not saved: {error}")
    else:
        tell_note(f"{len(talk.messages)} messages are in {path}")


def _hear(talk: Conversation, line: str, options: Options) -> None:
    """Print an answer as it comes. Ctrl-C ends it, and the conversation goes on."""
    answer = talk.answer(line, options)
    try:
        for piece in answer:
            sys.stdout.write(piece.text.translate(UNSAFE))
            sys.stdout.flush()
    except KeyboardInterrupt as error:
        answer.close()
        if signals.exit_code(error) != 130:
            raise
        signals.dealt_with()
    except ValueError as error:  # no room for it, or a template that wants other messages
        tell_error(f"{error}; /clear begins anew")
        return
    speed = talk.generator.speed
    echo("")
    echo(f"[{speed.made} tokens, {speed.rate:.1f}/s, first after {speed.first:.2f} s]", err=True)
