"""How a model is told of functions and of calls that were made, and how it writes calls itself.

    in_words(messages, tools)           # for a template that knows nothing of tools
    style_of(template)                  # HERMES: {"name": ..., "arguments": {...}} between two marks

Models write calls as JSON, in one of a few forms. Which one it is shows in the chat template. What may be
called, and what is read of an answer: `tools.py`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from ...files.reading import shown


class CallStyle(NamedTuple):
    """How a model writes a call: {"name": ..., key: {...}} between two marks. Without marks a whole answer
    is a call, or a text."""

    opening: str
    closing: str
    key: str


#: Qwen, Hermes and SmolLM; and those that are told of tools by us.
HERMES: Final = CallStyle("<tool_call>", "</tool_call>", "arguments")
#: Llama 3.
BARE: Final = CallStyle("", "", "parameters")


def takes_tools(template: str | None) -> bool:
    """Does a chat template tell its model of tools?"""
    return template is not None and re.search(r"\btools\b", template) is not None


def style_of(template: str | None) -> CallStyle:
    """How a model with this chat template writes calls; ValueError where it is in no form known here."""
    if not takes_tools(template) or (template is not None and HERMES.opening in template):
        return HERMES
    if template is not None and ("<|python_tag|>" in template or "ipython" in template):
        return BARE
    raise ValueError(
        "the chat template of this model writes calls of tools in a form that is not known here: leave tools "
        "out, or ask for JSON with response_format"
    )


def with_objects(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Messages whose calls have their arguments as objects: clients send JSON, and templates write it."""
    return [
        {**each, "tool_calls": [_with_object(call) for call in each["tool_calls"]]}
        if isinstance(each.get("tool_calls"), list) and each["tool_calls"]
        else {key: value for key, value in each.items() if key != "tool_calls"}
        for each in messages
    ]


def _with_object(call: Any) -> dict[str, Any]:
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping) or not isinstance(function.get("name"), str):
        raise ValueError(f"tool_calls has {shown(call)}, and an object with a function is due")
    arguments = function.get("arguments") or "{}"
    try:
        found = json.loads(arguments) if isinstance(arguments, str) else arguments
    except ValueError as error:
        raise ValueError(f"the arguments of {shown(function['name'])} are no JSON: {error}") from None
    return {**call, "function": {**function, "arguments": found}}


def in_words(messages: Sequence[Mapping[str, Any]], told: Sequence[Any]) -> list[dict[str, Any]]:
    """Messages for a template that knows nothing of tools: they are told by the system, calls and their
    results are texts."""
    made = [_in_words(each) for each in messages]
    if not told:
        return made
    lines = "\n".join(json.dumps(each["function"], ensure_ascii=False) for each in told)
    example = f'{HERMES.opening}{{"name": "...", "{HERMES.key}": {{...}}}}{HERMES.closing}'
    rules = f"You can call these functions:\n{lines}\nTo call one, answer with {example} and nothing else."
    if made and made[0]["role"] == "system":
        return [{**made[0], "content": f"{made[0]['content']}\n\n{rules}"}, *made[1:]]
    return [{"role": "system", "content": rules}, *made]


def _in_words(message: Mapping[str, Any]) -> dict[str, Any]:
    content = message["content"]
    if message["role"] == "tool":
        return {"role": "user", "content": f"<tool_response>\n{content}\n</tool_response>"}
    for call in message.get("tool_calls", ()):
        function = call["function"]
        made = json.dumps({"name": function["name"], HERMES.key: function["arguments"]}, ensure_ascii=False)
        content += f"{HERMES.opening}\n{made}\n{HERMES.closing}"
    return {**{key: value for key, value in message.items() if key != "tool_calls"}, "content": content}
