"""OpenAI's requests and responses as values: JSON in, a `Job` out; pieces in, JSON out.

    job = Reader(loaded).chat({"messages": [{"role": "user", "content": "Hello"}], "temperature": 0})
    reply = Reply(job, loaded)
    reply.chunk(piece)                      # while it is streamed
    reply.whole(pieces)                     # or at its end

A request that is wrong is a `BadRequest` that names the parameter. Parameters that would change the answer
and are not known here are refused, never ignored.
"""

from __future__ import annotations

import json
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from ...files.reading import shown
from ..files.load import LanguageModel
from ..generation.automaton import Node
from ..generation.grammar import TextConstraint
from ..generation.json_schema import any_object, schema_grammar
from ..generation.sampling import Sampling
from ..generation.text import Options, Piece
from .tool_messages import CallStyle, style_of
from .tools import CallReader, read_tools

MOST_STOPS: Final = 16
MOST_LOGPROBS: Final = 20
#: Grammars of schemas that are kept.
MOST_GRAMMARS: Final = 32
#: Who says something.
ROLES: Final = ("system", "developer", "user", "assistant", "tool", "function")
#: Parameters that change nothing here.
IGNORED: Final = frozenset(
    [
        "model",
        "user",
        "store",
        "metadata",
        "service_tier",
        "safety_identifier",
        "prompt_cache_key",
    ]
)
#: Parameters that are fine as long as they ask for nothing.
NOT_HERE: Final[dict[str, tuple[Any, ...]]] = {
    "n": (1,), "best_of": (1,), "echo": (False,), "suffix": ("",), "functions": ([],),
    "function_call": ("none", "auto"), "modalities": (["text"],),
}  # fmt: skip
_SAMPLING: Final = frozenset(each.name for each in fields(Sampling)) - {"bias"}


class BadRequest(ValueError):
    """A request that is wrong; `parameter` is what is."""

    def __init__(self, message: str, parameter: str | None = None) -> None:
        super().__init__(message)
        self.parameter = parameter


@dataclass(frozen=True)
class Job:
    """A request that was read. chat: messages, not a plain prompt. calls: how calls of tools are written, if
    any may be made."""

    ids: list[int]
    options: Options
    chat: bool
    stream: bool
    usage: bool
    calls: CallStyle | None = None


class Reader:
    """Reads requests for a model."""

    def __init__(self, loaded: LanguageModel) -> None:
        self.loaded = loaded
        self._grammars: OrderedDict[str, TextConstraint] = OrderedDict()

    def chat(self, body: Any) -> Job:
        """A request to /v1/chat/completions."""
        told = _checked(body)
        calls, constraint, described = self._calls(told)
        messages = told.pop("messages", None)
        _check_messages(messages)
        try:
            ids = self.loaded.chat_ids(messages, described)
        except (ValueError, RecursionError) as error:
            raise BadRequest(str(error), "messages") from None
        logprobs = told.pop("logprobs", None)
        top = told.pop("top_logprobs", None)
        if logprobs not in (None, True, False) or (top is not None and not logprobs):
            raise BadRequest("logprobs is true or false, and top_logprobs needs it to be true", "logprobs")
        count = _count(top, "top_logprobs") or 0 if logprobs else None
        return replace(self._job(told, ids, True, count, constraint), calls=calls)

    def _calls(self, told: dict[str, Any]) -> tuple[CallStyle | None, TextConstraint | None, list[Any]]:
        """How calls are written, what keeps an answer to them, and the tools as the client described them;
        takes what is about tools out of the request."""
        given = [told.pop(name, None) for name in ("tools", "tool_choice", "parallel_tool_calls")]
        try:
            tools = read_tools(*given)
            if tools is None:
                return None, None, []
            style = style_of(self.loaded.template.source)
            constraint = self._kept(json.dumps(given), lambda: tools.grammar(style))
        except (ValueError, RecursionError) as error:
            name = str(error).split(" ")[0]
            known = name in ("tool_choice", "parallel_tool_calls")
            raise BadRequest(str(error), name if known else "tools") from None
        if told.get("response_format") not in (None, {"type": "text"}):
            raise BadRequest("response_format and tools do not go together: leave one out", "response_format")
        return style, constraint, tools.told

    def completion(self, body: Any) -> Job:
        """A request to /v1/completions."""
        told = _checked(body)
        prompt = told.pop("prompt", None)
        if isinstance(prompt, list) and len(prompt) == 1 and isinstance(prompt[0], (str, list)):
            prompt = prompt[0]
        logprobs = _count(told.pop("logprobs", None), "logprobs")
        return self._job({"max_tokens": 16, **told}, self._prompt(prompt), False, logprobs)

    def _prompt(self, prompt: Any) -> list[int]:
        if isinstance(prompt, str):
            try:
                ids = self.loaded.tokenizer.encode(prompt)
            except ValueError as error:
                raise BadRequest(str(error), "prompt") from None
        elif isinstance(prompt, list) and all(type(id) is int for id in prompt):
            ids = prompt
            wrong = [id for id in ids if not 0 <= id < len(self.loaded.tokenizer)]
            if wrong:
                raise BadRequest(f"id {wrong[0]} in the prompt is no token", "prompt")
        else:
            raise BadRequest(f"prompt is {shown(prompt)}, and one text or one list of ids is due", "prompt")
        if not ids:
            raise BadRequest("the prompt is empty", "prompt")
        return ids

    def _job(
        self, told: dict[str, Any], ids: list[int], chat: bool, logprobs: int | None,
        constraint: TextConstraint | None = None,
    ) -> Job:  # fmt: skip
        stream, stream_options = told.pop("stream", None) or False, told.pop("stream_options", None) or {}
        if not isinstance(stream, bool) or not isinstance(stream_options, Mapping):
            raise BadRequest(f"stream is {shown(stream)}, and true or false is due", "stream")
        given = {key: value for key, value in told.items() if value is not None}
        most = _most_tokens(given)
        stop = given.pop("stop", [])
        made: dict[str, Any] = {
            "max_tokens": most,
            "stop": [stop] if isinstance(stop, str) else stop,
            "logprobs": logprobs,
            "constraint": self._constraint(given.pop("response_format", None)) or constraint,
        }
        if not isinstance(made["stop"], list) or not all(
            isinstance(each, str) and each for each in made["stop"]
        ):
            raise BadRequest(f"stop is {shown(stop)}, and texts that are not empty are due", "stop")
        if len(made["stop"]) > MOST_STOPS:
            raise BadRequest(f"{len(stop)} stop texts, and up to {MOST_STOPS} are taken", "stop")
        bias = self._bias(given.pop("logit_bias", {}))
        chosen = {"temperature": 1.0} | {key: given.pop(key) for key in list(given) if key in _SAMPLING}
        if given:
            raise BadRequest(f"{next(iter(given))} is not a parameter that is known here", next(iter(given)))
        try:
            options = Options(Sampling(**chosen, bias=bias), **made)
        except (ValueError, TypeError) as error:
            raise BadRequest(str(error), str(error).split(" ")[0]) from None
        return Job(ids, options, chat, stream, bool(stream_options.get("include_usage")))

    def _bias(self, given: Any) -> dict[int, float]:
        size = len(self.loaded.tokenizer)
        try:
            bias = {int(key): float(value) for key, value in given.items()}
        except (AttributeError, ValueError, TypeError, OverflowError):
            raise BadRequest(
                f"logit_bias is {shown(given)}, and numbers by id are due", "logit_bias"
            ) from None
        if any(not 0 <= id < size or not abs(value) <= 1000 for id, value in bias.items()):
            raise BadRequest(f"logit_bias has an id beyond {size} or a value beyond 1000", "logit_bias")
        return bias

    def _constraint(self, form: Any) -> TextConstraint | None:
        match form:
            case None | {"type": "text"}:
                return None
            case {"type": "json_object"}:
                return self._grammar(None)
            case {"type": "json_schema", "json_schema": {"schema": schema}}:
                try:
                    return self._grammar(schema)
                except (ValueError, RecursionError) as error:
                    raise BadRequest(f"the schema of response_format: {error}", "response_format") from None
        raise BadRequest(
            f"response_format is {shown(form)}, and text, json_object or json_schema with a schema is due",
            "response_format",
        )

    def _grammar(self, schema: Any) -> TextConstraint:
        key = json.dumps(schema)  # the order of properties counts
        return self._kept(key, lambda: any_object() if schema is None else schema_grammar(schema))

    def _kept(self, key: str, make: Callable[[], Node]) -> TextConstraint:
        """What keeps a text to a grammar, for a new text; grammars are kept by what they were made of."""
        found = self._grammars.get(key)
        if found is None or found.grown:
            found = TextConstraint(make(), self.loaded.tokenizer)
            while len(self._grammars) >= MOST_GRAMMARS:
                self._grammars.popitem(last=False)
            self._grammars[key] = found
        return found.again()


def _checked(body: Any) -> dict[str, Any]:
    """The parameters that count."""
    if not isinstance(body, dict):
        raise BadRequest(f"the body is {shown(body)}, and a JSON object is due")
    for name, harmless in NOT_HERE.items():
        if body.get(name) is not None and body[name] not in harmless:
            raise BadRequest(f"{name} is {shown(body[name])}, which is not done here: leave it out", name)
    return {key: value for key, value in body.items() if key not in IGNORED and key not in NOT_HERE}


def _check_messages(messages: Any) -> None:
    """Who says something, and that something is said; the rest is the template's to tell."""
    for number, message in enumerate(messages if isinstance(messages, list) else ()):
        role = message.get("role") if isinstance(message, dict) else None
        if isinstance(role, str) and role not in ROLES:
            known = ", ".join(ROLES)
            raise BadRequest(f"message {number} is of {shown(role)}: {known} are known", "messages")
        if isinstance(role, str) and role != "assistant" and message.get("content") is None:
            raise BadRequest(f"message {number}, of {role!r}, has no content", "messages")


def _most_tokens(given: dict[str, Any]) -> int | None:
    """The longest answer, taken out of the request: by the newer name, if both are there."""
    most = None
    for name in ("max_tokens", "max_completion_tokens"):
        value = given.pop(name, most)
        if value is not None and (type(value) is not int or value < 1):
            raise BadRequest(f"{name} is {shown(value)}, and a whole number from 1 on is due", name)
        most = value
    return most


def _count(value: Any, name: str) -> int | None:
    if value is not None and (type(value) is not int or not 0 <= value <= MOST_LOGPROBS):
        raise BadRequest(f"{name} is {shown(value)}, and a number from 0 to {MOST_LOGPROBS} is due", name)
    return None if value is None else int(value)


class Reply:
    """The answer to a job, in pieces or whole."""

    def __init__(self, job: Job, loaded: LanguageModel) -> None:
        self.job, self.loaded = job, loaded
        self.id = ("chatcmpl-" if job.chat else "cmpl-") + uuid.uuid4().hex
        self.created = int(time.time())
        self._offset = 0
        self._calls = None if job.calls is None else CallReader(job.calls)

    def first(self) -> dict[str, Any] | None:
        """What a stream begins with."""
        return (
            self._chunk([self._choice({"role": "assistant", "content": ""}, None, None)])
            if self.job.chat
            else None
        )

    def chunk(self, piece: Piece) -> dict[str, Any]:
        """A piece of a stream."""
        finish: str | None = piece.finish
        content: Any = {"content": piece.text} if self.job.chat else piece.text
        if self._calls is not None:
            before = self._calls.count
            text, calls = self._calls.put(piece.text, finish is not None)
            told = [{"index": before + n, **call.told()} for n, call in enumerate(calls)]
            content = {"content": text} | ({"tool_calls": told} if told else {})
            finish = self._finish(finish)
        return self._chunk([self._choice(content, finish, self._logprobs([piece]))])

    def _finish(self, finish: str | None) -> str | None:
        """Why an answer ended, if it did: also for calls that somebody has to make."""
        return "tool_calls" if finish == "stop" and self._calls is not None and self._calls.count else finish

    def usage_chunk(self, made: int, reused: int) -> dict[str, Any]:
        """The end of a stream whose client wants to know."""
        return {**self._chunk([]), "usage": self.usage(made, reused)}

    def whole(self, pieces: Sequence[Piece], reused: int) -> dict[str, Any]:
        """Everything at once."""
        text = "".join(piece.text for piece in pieces)
        finish, logprobs = pieces[-1].finish, self._logprobs(pieces)
        if self.job.chat:
            message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": None}
            if self._calls is not None:
                said, calls = self._calls.put(text, last=True)
                message["content"] = said or None
                message |= {"tool_calls": [call.told() for call in calls]} if calls else {}
            choice = {
                "index": 0, "message": message, "finish_reason": self._finish(finish), "logprobs": logprobs,
            }  # fmt: skip
        else:
            choice = {"index": 0, "text": text, "finish_reason": finish, "logprobs": logprobs}
        kind = "chat.completion" if self.job.chat else "text_completion"
        return {**self._head(kind), "choices": [choice], "usage": self.usage(len(pieces), reused)}

    def usage(self, made: int, reused: int) -> dict[str, Any]:
        prompt = len(self.job.ids)
        return {
            "prompt_tokens": prompt,
            "completion_tokens": made,
            "total_tokens": prompt + made,
            "prompt_tokens_details": {"cached_tokens": reused},
        }

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": self.id, "object": kind, "created": self.created, "model": self.loaded.name}

    def _chunk(self, choices: list[Any]) -> dict[str, Any]:
        kind = "chat.completion.chunk" if self.job.chat else "text_completion"
        return {**self._head(kind), "choices": choices}

    def _choice(self, content: Any, finish: str | None, logprobs: Any) -> dict[str, Any]:
        name = "delta" if self.job.chat else "text"
        return {"index": 0, name: content, "finish_reason": finish, "logprobs": logprobs}

    def _token(self, id: int, logprob: float) -> dict[str, Any]:
        content = self.loaded.tokenizer.bytes_of(id)
        return {"token": content.decode(errors="replace"), "logprob": logprob, "bytes": list(content)}

    def _logprobs(self, pieces: Sequence[Piece]) -> dict[str, Any] | None:
        if self.job.options.logprobs is None:
            return None
        tokens = [self._token(piece.id, piece.logprob or 0.0) for piece in pieces]
        tops = [[self._token(*each) for each in piece.top] for piece in pieces]
        if self.job.chat:
            return {"content": [{**token, "top_logprobs": top} for token, top in zip(tokens, tops)]}
        offsets = []
        for piece in pieces:
            offsets.append(self._offset)
            self._offset += len(piece.text)
        return {
            "tokens": [token["token"] for token in tokens],
            "token_logprobs": [token["logprob"] for token in tokens],
            "top_logprobs": [{each["token"]: each["logprob"] for each in top} for top in tops],
            "text_offset": offsets,
        }
