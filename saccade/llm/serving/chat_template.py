"""Messages of a conversation as the prompt that a model was trained on.

    template = ChatTemplate(file.metadata.get("tokenizer.chat_template"), tokenizer)
    ids = template.ids([{"role": "user", "content": "Hello"}])

Models bring a template in Jinja. It is code of others, and runs in jinja2's sandbox, where it can read the
messages and nothing else. A model without one gets ChatML, which most models know.

What reads like a special token in a message stays text: nobody can end their turn and speak as the system.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any, Final, NoReturn

from ...files.reading import FAILURES, shown
from ..tokenizer.tokenizer import Tokenizer
from .tool_messages import in_words, takes_tools, with_objects

Message = Mapping[str, Any]
#: Around what is text in a message though it reads like a token. Private characters, that no template knows.
OPEN, CLOSE = "\ue0f0", "\ue0f1"
#: Numbers in a power of a template.
MOST_POWER: Final = 1000
_MARKED: Final = re.compile(f"{OPEN}(.*?){CLOSE}", re.DOTALL)
_NEEDED: Final = (
    "the chat template of this model is in Jinja, which jinja2 runs: pip install 'saccade[llm]' (or jinja2)"
)


class TemplateError(ValueError):
    """Messages that a template refuses, or a template that cannot be run; says why."""


class ChatTemplate:
    """A template for a tokenizer. source: None for ChatML; `given` says whether the model brought one."""

    def __init__(self, source: str | None, tokenizer: Tokenizer) -> None:
        self.source, self.given, self.tokenizer = source, source is not None, tokenizer
        texts = sorted((token.text for token in tokenizer.added if token.special), key=len, reverse=True)
        self._special = re.compile("|".join(map(re.escape, texts))) if texts else None

    def check(self) -> None:
        """Say now what is wrong with the template, or what is missing to run it."""
        if self.given:
            _ = self._compiled

    def ids(self, messages: Sequence[Message], **values: Any) -> list[int]:
        """The ids of a conversation, up to where the answer begins."""
        ids = [] if self.given else list(self.tokenizer.begin)
        said = with_objects(checked(messages))
        if not takes_tools(self.source):
            said = in_words(said, values.pop("tools", None) or [])
        rendered = self.render(self._guarded(said), **self._guarded(values))
        # every second part is text of a message that reads like a special token
        for number, part in enumerate(_MARKED.split(rendered)):
            if part:
                ids += self.tokenizer.encode(part, add_special=False, parse_special=number % 2 == 0)
        return ids

    def render(self, messages: Sequence[Message], **values: Any) -> str:
        """The text of a conversation, up to where the answer begins; `values` are others that a template
        may ask for (`tools`, `enable_thinking`)."""
        if not self.given:
            turns = [f"<|im_start|>{each['role']}\n{each['content']}<|im_end|>\n" for each in messages]
            return "".join(turns) + "<|im_start|>assistant\n"
        compiled = self._compiled
        import jinja2

        known = {"messages": messages, "add_generation_prompt": True, **self._tokens(), **values}
        try:
            return str(compiled.render(known))
        except (jinja2.TemplateError, AssertionError, *FAILURES) as error:
            why = str(error) or type(error).__name__
            raise TemplateError(
                f"the chat template of the model does not take these messages: {why}"
            ) from None

    def _tokens(self) -> dict[str, str]:
        """`bos_token` and the like."""
        return {f"{name}_token": self.tokenizer.token(id) for name, id in self.tokenizer.named.items()}

    def _guarded(self, value: Any) -> Any:
        """Messages and the like with marks around what reads like a special token."""
        special = self._special
        if special is None:
            return value
        match value:
            case str():
                plain = re.sub(f"[{OPEN}{CLOSE}]", "", value)
                return special.sub(lambda found: OPEN + found[0] + CLOSE, plain)
            case list():
                return [self._guarded(each) for each in value]
            case Mapping():
                return {self._guarded(key): self._guarded(each) for key, each in value.items()}
        return value

    @cached_property
    def _compiled(self) -> Any:
        try:
            import jinja2
        except ImportError:
            raise ImportError(_NEEDED) from None
        assert self.source is not None
        try:
            return _environment().from_string(self.source)
        except (jinja2.TemplateError, SyntaxError, *FAILURES) as error:  # Python's own, of deep nesting
            raise TemplateError(f"the chat template of the model is broken: {error}") from None


def _environment() -> Any:
    """The sandbox, with what templates of models use beside Jinja itself."""
    from jinja2 import TemplateError as JinjaError
    from jinja2 import nodes
    from jinja2.ext import Extension
    from jinja2.sandbox import ImmutableSandboxedEnvironment, SecurityError

    # the extra may be missing where types are checked, so that its classes are Any there
    class Sandbox(ImmutableSandboxedEnvironment):  # type: ignore[misc]
        """Powers are of small numbers: one of `9**9**9` is a single step that nothing interrupts."""

        intercepted_binops = frozenset(["**"])

        def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
            if any(not isinstance(each, (int, float)) or abs(each) > MOST_POWER for each in (left, right)):
                raise SecurityError(f"{shown(left)} ** {shown(right)}: numbers up to {MOST_POWER} are taken")
            return super().call_binop(context, operator, left, right)

    class Generation(Extension):  # type: ignore[misc]
        """`{% generation %}` marks what is trained on, and says nothing here."""

        tags = frozenset(["generation"])

        def parse(self, parser: Any) -> Any:
            line = next(parser.stream).lineno
            return nodes.Scope(
                parser.parse_statements(("name:endgeneration",), drop_needle=True), lineno=line
            )

    def raise_exception(message: str) -> NoReturn:
        raise JinjaError(message)

    def tojson(value: Any, ensure_ascii: bool = False, indent: int | None = None, **options: Any) -> str:
        return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, **options)

    made = Sandbox(trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols", Generation])
    made.filters["tojson"] = tojson
    made.globals["raise_exception"] = raise_exception
    made.globals["strftime_now"] = lambda form: datetime.now().strftime(form)
    return made


def checked(messages: Any) -> list[dict[str, Any]]:
    """Messages whose contents are texts; parts of kind text, as OpenAI's clients send them, are joined."""
    if not isinstance(messages, Sequence) or isinstance(messages, str) or not messages:
        raise TemplateError(f"messages is {shown(messages)}, and a list with at least one message is due")
    made = []
    for number, message in enumerate(messages):
        if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
            raise TemplateError(f"message {number} is {shown(message)}, and an object with a role is due")
        made.append({**message, "content": _content(message.get("content"), number)})
    return made


def _content(content: Any, number: int) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else [content]
    for part in parts:
        if (
            not isinstance(part, Mapping)
            or part.get("type") != "text"
            or not isinstance(part.get("text"), str)
        ):
            raise TemplateError(
                f"the content of message {number} has {shown(part)}, and only text is known here"
            )
    return "".join(part["text"] for part in parts)
