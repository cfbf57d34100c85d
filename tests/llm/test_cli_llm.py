"""`saccade chat` and `saccade serve` as processes: pipes, errors, exit codes, signals, a real client."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from saccade.cli import signals as cli_signals
from saccade.cli.app import app
from saccade.cli.commands import chat as cli_chat
from saccade.fuzz.files.model_corpus import model_bytes
from saccade.llm.files.load import load
from saccade.llm.generation.text import Generation, Options, Piece
from saccade.llm.serving.conversation import Conversation

from ..patience import HANG
from .models import tiny_path

COMMAND = [sys.executable, "-m", "saccade"]
ROOT = str(Path(__file__).parents[2])
ENVIRONMENT = {**os.environ, "PYTHONPATH": ROOT}


def run(*arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [*COMMAND, *arguments], input=given, capture_output=True, env=ENVIRONMENT, timeout=HANG
    )


def answer(question: str, **options: Any) -> str:
    pytest.importorskip("jinja2")
    talk = Conversation(load(tiny_path()))
    return "".join(piece.text for piece in talk.answer(question, Options(**options)))


def test_a_pipe_gets_one_answer_and_nothing_else() -> None:
    wanted = answer("hello", max_tokens=6)
    done = run("chat", str(tiny_path()), "--max-tokens", "6", given=b"hello\n")
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode().rstrip("\n") == wanted.rstrip("\n")
    assert done.stderr == b""


LOADED = """
import gc, sys
from saccade.cli.process import main
passes = []
gc.callbacks.append(lambda phase, told: passes.append(phase))
sys.argv = ["saccade", "chat", sys.argv[1], "--max-tokens", "1"]
code = main()
print(len(passes))
print(*sorted(sys.modules), file=sys.stderr)
raise SystemExit(code)
"""


def test_a_chat_imports_no_more_than_it_needs() -> None:
    """Each of these is milliseconds before the first token: compilers, layers and optimisers, grammars of
    answers, other formats of files, other tokenizers."""
    pytest.importorskip("jinja2")
    for _ in range(2):  # the first one may have to compile
        done = subprocess.run(
            [sys.executable, "-c", LOADED, str(tiny_path())],
            input=b"hello", capture_output=True, env=ENVIRONMENT, timeout=HANG,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    loaded = set(done.stderr.decode().split())
    assert {"saccade.nn.module", "saccade.llm.generation.slots", "jinja2"} <= loaded
    unwanted = (
        "llvmlite", "typer", "saccade.cli.app", "saccade.schedule", "saccade.codegen",
        "saccade.nn.containers", "saccade.nn.data", "saccade.nn.functional", "saccade.nn.init",
        "saccade.nn.layers", "saccade.nn.optim", "saccade.nn.saved.checkpoint", "saccade.nn.utils",
        "saccade.llm.files.folder", "saccade.llm.generation.automaton",
        "saccade.llm.generation.drawing", "saccade.llm.serving.tools",
        "saccade.llm.tokenizer.models.unigram", "saccade.llm.tokenizer.models.wordpiece",
    )  # fmt: skip
    assert not loaded & set(unwanted)
    assert done.stdout.splitlines()[-1] == b"0"  # passes of Python's collector


def test_devices_that_cannot_be_used_are_named() -> None:
    runner = CliRunner()
    for told, why in (
        (["--device", "null"], "the null device plans and counts, and computes no values"),
        (["--device", "tpu"], "unknown device 'tpu'"),
        (["--device", "interpreter", "--activations", "int8"], "8 bits are for the cpu"),
    ):
        done = runner.invoke(app, ["chat", str(tiny_path()), *told], input="hello")
        assert done.exit_code == 1
        assert why in " ".join(done.output.split())


@pytest.mark.slow
def test_another_device_gives_the_same_answer() -> None:
    wanted = answer("hello", max_tokens=3)
    done = run(
        "chat", str(tiny_path()), "--max-tokens", "3", "--device", "interpreter", "--context", "32",
        given=b"hello",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode().rstrip("\n") == wanted.rstrip("\n")


@pytest.mark.slow
def test_json_schemas_and_seeds(tmp_path: Path) -> None:
    schema = tmp_path / "schema.json"
    schema.write_text('{"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 1, "maxItems": 3}')
    told = ("chat", str(tiny_path()), "--json", "--temperature", "1", "--seed", "3", "--schema", str(schema))
    first, second = (json.loads(run(*told, given=b"hello").stdout) for _ in range(2))
    assert first["text"] == second["text"]
    assert set(json.loads(first["text"])) <= {"a", "b"}
    assert first["finish"] == "stop"
    assert first["prompt_tokens"] > 0


@pytest.mark.parametrize(
    ("arguments", "given", "code", "why"),
    [
        (["MODEL"], b" ", 2, "there is no question on standard input"),
        (["MODEL"], b"\xff", 2, "no text in UTF-8: byte 0"),
        (["nowhere.gguf"], b"x", 1, "nowhere.gguf"),
        (["MODEL", "--top-p", "2"], b"x", 2, "top-p"),
        (["MODEL", "--activations", "int4"], b"x", 2, "activations"),
        (["MODEL", "--context", "100"], b"x", 1, "takes 2 to 64"),
        (["MODEL"], b"hello " * 99, 1, "room for 64"),
        (["MODEL", "--schema", "no.json"], b"x", 1, "no.json"),
        pytest.param(["MODEL", "--schema", __file__], b"x", 1, f"{__file__} is broken", id="no JSON"),
    ],
)
def test_errors_are_told_without_output(arguments: list[str], given: bytes, code: int, why: str) -> None:
    pytest.importorskip("jinja2")
    told = [str(tiny_path()) if each == "MODEL" else each for each in arguments]
    done = CliRunner().invoke(app, ["chat", *told], input=given)
    assert done.exit_code == code
    assert done.stdout == ""
    assert why in done.stderr


def test_what_a_server_needs_is_said_before_anything_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    done = CliRunner().invoke(app, ["serve", "nowhere.gguf"])
    assert done.exit_code == 1
    assert "pip install 'saccade[serve]'" in done.stderr


@pytest.mark.parametrize("key", ["", " "])
def test_an_empty_key_is_none_that_a_server_could_ask_for(key: str) -> None:
    done = CliRunner().invoke(app, ["serve", "nowhere.gguf", "--api-key", key])
    assert done.exit_code == 1
    assert "the API key is empty" in done.stderr


def test_a_conversation_is_saved_in_the_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    talk = Conversation(load(tiny_path()), system="be")
    cli_chat._command(talk, "/save ~/talk.json")
    cli_chat._command(talk, "/save ~nobody-of-this-name/talk.json")
    assert "not saved" in capsys.readouterr().err
    assert json.loads((tmp_path / "home" / "talk.json").read_text())["messages"] == talk.messages
    assert [each.name for each in tmp_path.iterdir()] == ["home"]


def test_a_conversation_keeps_what_was_said(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    talk = Conversation(load(tiny_path()), system="be")
    list(talk.answer("hello", Options(max_tokens=3)))
    stream = talk.answer("well", Options(max_tokens=9))
    next(stream)
    stream.close()
    assert [message["role"] for message in talk.messages] == ["system"] + ["user", "assistant"] * 2
    assert talk.generator.speed.reused > 0
    kept = list(talk.messages)
    with pytest.raises(ValueError, match="room for 64"):
        list(talk.answer("hello " * 60))
    assert talk.messages == kept
    talk.save(tmp_path / "talk.json")
    assert json.loads((tmp_path / "talk.json").read_text())["messages"] == kept
    talk.start(None)
    assert talk.messages == []


@pytest.mark.parametrize(("number", "goes_on"), [(signal.SIGINT, True), (signal.SIGTERM, False)])
def test_ctrl_c_ends_an_answer_and_sigterm_the_command(
    number: int, goes_on: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("jinja2")
    talk = Conversation(load(tiny_path()))
    take = Generation.take

    def interrupted(self: Generation, *given: Any) -> Piece:
        if self.made == 3:
            cli_signals._raise(number, None)
        return take(self, *given)

    monkeypatch.setattr(Generation, "take", interrupted)
    with nullcontext() if goes_on else pytest.raises(cli_signals.Stopped):
        cli_chat._hear(talk, "hello", Options())
    assert [message["role"] for message in talk.messages] == ["user", "assistant"]
    assert ("[3 tokens" in capsys.readouterr().err) == goes_on
    assert cli_signals._first == ([] if goes_on else [number])
    cli_signals.dealt_with()
    monkeypatch.undo()
    cli_chat._hear(talk, "and", Options(max_tokens=2))  # the conversation is whole
    assert len(talk.messages) == 4


@pytest.mark.parametrize("wrong", ["a\udcff", b"\xff"])
def test_a_line_that_is_no_text_is_not_asked(
    wrong: str | bytes, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines: list[str | bytes] = [wrong, "hello"]

    def typed(prompt: str) -> str:
        if not lines:
            raise EOFError
        line = lines.pop(0)
        return line if isinstance(line, str) else line.decode()

    monkeypatch.setattr("builtins.input", typed)
    talk = Conversation(load(tiny_path()))
    cli_chat._converse(talk, lambda: Options(max_tokens=2))
    assert "this line is no text in UTF-8" in capsys.readouterr().err
    assert [message["role"] for message in talk.messages] == ["user", "assistant"]


class Terminal:
    """A process in a terminal of its own."""

    def __init__(self, *arguments: str) -> None:
        pty = pytest.importorskip("pty")
        self.main, other = pty.openpty()
        self.process = subprocess.Popen(
            [*COMMAND, *arguments],
            stdin=other,
            stdout=other,
            stderr=other,
            env=ENVIRONMENT,
            start_new_session=True,
        )
        os.close(other)
        self.seen = ""

    def until(self, text: str, seconds: float = HANG) -> None:
        end = time.monotonic() + seconds
        while text not in self.seen:
            assert time.monotonic() < end, self.seen
            self.seen += os.read(self.main, 4096).decode(errors="replace")
        self.seen = self.seen.partition(text)[2]

    def say(self, text: str) -> None:
        os.write(self.main, text.encode() + b"\n")


@pytest.mark.slow
def test_a_terminal(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    screen = Terminal("chat", str(tiny_path()), "--max-tokens", "5")
    screen.until("> ")
    screen.say("/help")
    screen.until("/save FILE")
    screen.say("hello")
    screen.until("[5 tokens")
    screen.say("/wibble")
    screen.until("/wibble is no command")
    screen.say(f"/save {tmp_path / 'talk.json'}")
    screen.until("2 messages are in")
    screen.say("/system be brief")
    screen.say("x " * 60)
    screen.until("/clear begins anew")
    os.kill(screen.process.pid, signal.SIGINT)
    screen.until("stopped")
    assert screen.process.wait(HANG) == 130
    os.close(screen.main)
    assert len(json.loads((tmp_path / "talk.json").read_text())["messages"]) == 2


@contextmanager
def server(*arguments: str, path: Path | None = None) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    process = subprocess.Popen(
        [*COMMAND, "serve", str(path or tiny_path()), "--port", "0", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("listening at http://127.0.0.1:"), line
        yield line.split()[-1], process
    finally:
        process.kill()
        process.wait()


@pytest.mark.slow
def test_the_client_of_openai() -> None:
    openai = pytest.importorskip("openai")
    pytest.importorskip("uvicorn")
    with server("--api-key", "secret", "--slots", "2", "--max-queue", "1") as (address, process):
        client = openai.OpenAI(base_url=f"{address}/v1", api_key="secret", max_retries=0)
        messages = [{"role": "user", "content": "hello"}]
        told = {"model": "tiny", "messages": messages, "temperature": 0, "max_tokens": 6}
        whole = client.chat.completions.create(**told, logprobs=True, top_logprobs=2)
        assert whole.choices[0].message.content == answer("hello", max_tokens=6)
        assert len(whole.choices[0].logprobs.content) == whole.usage.completion_tokens
        stream = client.chat.completions.create(**told, stream=True)
        text = "".join(chunk.choices[0].delta.content or "" for chunk in stream)
        assert text == whole.choices[0].message.content
        assert [model.id for model in client.models.list()] == ["tiny"]
        assert (
            client.completions.create(model="tiny", prompt="hello", max_tokens=2).usage.completion_tokens == 2
        )
        with pytest.raises(openai.BadRequestError, match="temperature is 200"):
            client.chat.completions.create(**{**told, "temperature": 200})
        with pytest.raises(openai.AuthenticationError):
            openai.OpenAI(base_url=f"{address}/v1", api_key="x").models.list()
        process.send_signal(signal.SIGINT)
        assert process.wait(HANG) == 130


@pytest.mark.slow
def test_tools_and_schemas_with_the_client_of_openai(tmp_path: Path) -> None:
    """Four clients at once, each with the answer that it gets alone."""
    openai = pytest.importorskip("openai")
    pytest.importorskip("uvicorn")
    path = tmp_path / "tools.gguf"
    path.write_bytes(model_bytes(template="{# tools, <tool_call> #}{{ messages[0].content }}", context=512))
    city = {"type": "object", "properties": {"city": {"enum": ["Rome", "Bern"]}}, "required": ["city"]}
    tool = {"type": "function", "function": {"name": "weather", "parameters": city}}
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": city}}
    told = {"tools": [tool], "tool_choice": "required", "parallel_tool_calls": False}
    with server("--slots", "2", path=path) as (address, _):
        client = openai.OpenAI(base_url=f"{address}/v1", api_key="-", max_retries=0)

        def asked(question: str, **more: Any) -> Any:
            messages = [{"role": "user", "content": question}]
            return client.chat.completions.create(model="-", messages=messages, temperature=0, **more)

        def called(question: str) -> list[str]:
            choice = asked(question, **told).choices[0]
            assert choice.finish_reason == "tool_calls"
            return [json.loads(each.function.arguments)["city"] for each in choice.message.tool_calls]

        alone = [called(question) for question in "abcd"]
        assert {city for cities in alone for city in cities} <= {"Rome", "Bern"}
        with ThreadPoolExecutor(4) as threads:
            assert list(threads.map(called, "abcd")) == alone
        heard = [
            each
            for chunk in asked("a", **told, stream=True)
            for each in chunk.choices[0].delta.tool_calls or []
        ]
        assert [json.loads(each.function.arguments)["city"] for each in heard] == alone[0]
        assert [each.index for each in heard] == list(range(len(heard)))
        text = asked("a", response_format=form).choices[0].message.content
        assert json.loads(text)["city"] in ("Rome", "Bern")


@pytest.mark.slow
def test_a_client_that_leaves_is_not_answered_to_the_end() -> None:
    httpx = pytest.importorskip("httpx")
    pytest.importorskip("uvicorn")
    with server("--slots", "1") as (address, _):
        body = {"prompt": "hello", "logit_bias": {"5": 1000}, "stream": True, "max_tokens": 50}
        with httpx.stream("POST", f"{address}/v1/completions", json=body) as response:
            next(response.iter_lines())
        end = time.monotonic() + HANG
        while "saccade_active 0" not in httpx.get(f"{address}/metrics").text:
            assert time.monotonic() < end
            time.sleep(0.05)


@pytest.mark.slow
def test_a_port_that_is_taken() -> None:
    pytest.importorskip("uvicorn")
    with server() as (address, _):
        done = run("serve", str(tiny_path()), "--port", address.rpartition(":")[2])
    assert done.returncode == 1
    assert "cannot listen on 127.0.0.1, port" in done.stderr.decode()
