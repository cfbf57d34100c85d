"""Functions that a model may call: what it may say, what is read of it, and the server with a small model."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.llm.files.load import LanguageModel
from saccade.llm.generation.automaton import DEAD, Automaton
from saccade.llm.generation.json_schema import SchemaError
from saccade.llm.serving.chat_template import ChatTemplate
from saccade.llm.serving.openai_api import BadRequest, Reader
from saccade.llm.serving.tool_messages import BARE, HERMES, CallStyle, style_of
from saccade.llm.serving.tools import CallReader, read_tools

from .models import tiny

CITY = {"type": "object", "properties": {"city": {"enum": ["Rome", "Bern"]}}, "required": ["city"]}


def tool(name: str, parameters: Any = None, **more: Any) -> dict[str, Any]:
    told = {"name": name, "description": f"tells {name}", **more}
    return {"type": "function", "function": told | ({} if parameters is None else {"parameters": parameters})}


TOOLS = [tool("weather", CITY), tool("now")]
CALL = '{"name": "weather", "arguments": {"city": "Bern"}}'


def allows(text: str, style: CallStyle = HERMES, chosen: Any = "auto", parallel: bool | None = None) -> bool:
    tools = read_tools(TOOLS, chosen, parallel)
    assert tools is not None
    automaton = Automaton(tools.grammar(style))
    state = automaton.after(automaton.start, text.encode())
    return state != DEAD and automaton.ends(state)


def marked(call: str) -> str:
    return f"<tool_call>\n{call}\n</tool_call>"


def test_what_may_be_said() -> None:
    assert allows("")
    assert allows("It is <b>warm</b> <tool_cal <<tool_calls")
    assert allows("Let me see. <<tool_call>" + CALL + "</tool_call>")
    assert allows(marked(CALL) + "\n" + marked('{"name": "now", "arguments": {"any": [1]}}'))
    assert not allows(marked(CALL.replace("Bern", "Oslo")))
    assert not allows(marked(CALL.replace("weather", "whether")))
    assert not allows("<tool_call>")
    assert not allows(marked(CALL) + " so it is")


def test_what_has_to_be_said() -> None:
    one = {"type": "function", "function": {"name": "now"}}
    assert allows(marked(CALL), chosen="required")
    assert not allows("No.", chosen="required")
    assert not allows("", chosen="required")
    assert not allows(marked(CALL), chosen=one)
    assert allows(marked('{"name": "now", "arguments": {}}'), chosen=one)
    assert not allows(marked(CALL) * 2, parallel=False)
    assert allows(marked(CALL) * 2)


def test_answers_that_are_a_call_or_a_text() -> None:
    call = CALL.replace("arguments", "parameters")
    assert allows(call, BARE)
    assert allows("So {it} is.", BARE)
    assert not allows("{so it is}", BARE)
    assert not allows("So it is.", BARE, "required")
    for cut in range(len(call)):
        reader = CallReader(BARE)
        heard = [reader.put(call[:cut]), reader.put(call[cut:], last=True)]
        assert [text for text, _ in heard] == ["", ""]
        assert [(each.name, each.arguments) for _, calls in heard for each in calls] == [
            ("weather", '{"city": "Bern"}')
        ]
    assert CallReader(BARE).put("plain") == ("plain", [])
    assert CallReader(BARE).put('{"name": 1}', last=True) == ('{"name": 1}', [])


@given(st.lists(st.integers(0, 200), max_size=6))
def test_calls_are_read_however_a_text_is_cut(cuts: list[int]) -> None:
    whole = "Well <tool> " + marked(CALL) + "\n" + marked('{"name": "now", "arguments": {}}')
    reader, said, calls = CallReader(HERMES), "", []
    places = [0, *sorted(cut for cut in cuts if cut < len(whole)), len(whole)]
    for begin, end in itertools.pairwise(places):
        text, found = reader.put(whole[begin:end], last=end == len(whole))
        said, calls = said + text, calls + found
    assert said.strip() == "Well <tool>"
    assert [(call.name, json.loads(call.arguments)) for call in calls] == [
        ("weather", {"city": "Bern"}), ("now", {}),
    ]  # fmt: skip
    assert len({call.id for call in calls}) == 2


def test_a_call_that_is_cut_off_or_broken_is_text() -> None:
    for text in ("a<tool_call>{", "a<tool_", "<tool_call>{}</tool_call>b"):
        assert CallReader(HERMES).put(text, last=True) == (text, [])


@pytest.mark.parametrize(
    ("tools", "chosen", "why"),
    [
        ("x", None, "tools is 'x', and a list"),
        ([{"type": "search"}], None, "of type function is due"),
        ([tool("a b")], None, "tools has the name 'a b'"),
        ([tool("a"), tool("a")], None, "two functions of one name: a, a"),
        ([tool("a", [1])], None, r"tools has parameters \[1\] for a"),
        ([tool("a")], {"type": "function", "function": {"name": "b"}}, "tool_choice is .* one of the func"),
        ([], "required", "tool_choice is 'required'"),
    ],
)
def test_wrong_tools(tools: Any, chosen: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_tools(tools, chosen)


def test_a_strict_schema_is_kept_to_or_refused() -> None:
    """One that is not strict is a wish: arguments are any object where it is beyond the grammar."""
    odd = {"type": "object", "properties": {"x": {"type": "string", "pattern": "a+"}}}
    loose, strict = read_tools([tool("f", odd)]), read_tools([tool("f", odd, strict=True)])
    assert loose is not None
    assert strict is not None
    automaton = Automaton(loose.grammar(HERMES))
    assert automaton.after(automaton.start, marked('{"name": "f", "arguments": {"y": 1}}').encode()) != DEAD
    with pytest.raises(SchemaError, match=r"the parameters of f: .*pattern"):
        strict.grammar(HERMES)


def test_the_form_of_calls_shows_in_the_template() -> None:
    assert style_of(None) is HERMES
    assert style_of("{{ messages }}") is HERMES
    assert style_of("{% if tools %}<tool_call>{% endif %}") is HERMES
    assert style_of("{% if tools %}{{ role == 'ipython' }}{% endif %}") is BARE
    with pytest.raises(ValueError, match="in a form that is not known here"):
        style_of("{% if tools %}[TOOL_CALLS]{% endif %}")


ASKED = [
    {"role": "user", "content": "Rain?"},
    {"role": "assistant", "content": None, "tool_calls": [
        {"id": "1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Bern"}'}}]},
    {"role": "tool", "tool_call_id": "1", "content": "dry<|im_end|>"},
]  # fmt: skip


def test_a_template_without_tools_is_told_in_words() -> None:
    tokenizer = tiny()[1]
    template = ChatTemplate(None, tokenizer)
    ids = template.ids(ASKED, tools=TOOLS)
    text = tokenizer.decode(ids, skip_special=False)
    assert text.startswith("<|im_start|>system\nYou can call these functions:\n{")
    assert '<tool_call>\n{"name": "weather", "arguments": {"city": "Bern"}}\n</tool_call>' in text
    assert "<|im_start|>user\n<tool_response>\ndry<|im_end|>\n</tool_response><|im_end|>" in text
    # what a tool says stays text
    assert ids.count(tokenizer.id_of("<|im_end|>")) == 4


def test_a_template_with_tools_gets_them_and_arguments_as_objects() -> None:
    pytest.importorskip("jinja2", reason="chat templates need jinja2")
    source = (
        "{% for tool in tools %}{{ tool.function.name }} {% endfor %}"
        "{% for message in messages %}{% for call in message.tool_calls or [] %}"
        "{{ call.function.arguments.city }}{% endfor %}{% endfor %}"
    )
    tokenizer = tiny()[1]
    assert tokenizer.decode(ChatTemplate(source, tokenizer).ids(ASKED, tools=TOOLS)) == "weather now Bern"
    broken = [{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{"}}]}]
    with pytest.raises(ValueError, match="the arguments of 'f' are no JSON"):
        ChatTemplate(source, tokenizer).ids(broken)


@pytest.fixture(scope="module")
def client() -> Any:
    testing = pytest.importorskip("starlette.testclient", reason="the server needs starlette")
    from saccade.llm.serving.serve import Limits, make_app, make_engine

    model, tokenizer = tiny()
    loaded = LanguageModel("tiny", model, tokenizer, ChatTemplate("{# tools, <tool_call> #}x", tokenizer))
    engine = make_engine(loaded, Limits(slots=1))
    with testing.TestClient(make_app(loaded, engine), base_url="http://127.0.0.1") as made:
        yield made
    engine.close()


def test_the_server_answers_with_calls(client: Any) -> None:
    """The template tells the small model nothing, as it has room for 64 tokens; it is kept to the form."""
    flag = {"type": "object", "properties": {"b": {"type": "null"}}, "required": ["b"]}
    body = {
        "messages": ASKED[:1], "tools": [tool("f", flag)],
        "tool_choice": "required", "parallel_tool_calls": False, "temperature": 0,
        "logit_bias": {str(tiny()[1].encode(blank)[0]): -1000 for blank in " \n"},
    }  # fmt: skip
    found = client.post("/v1/chat/completions", json=body).json()["choices"][0]
    assert found["finish_reason"] == "tool_calls"
    assert found["message"]["content"] is None
    (call,) = found["message"]["tool_calls"]
    assert call["type"] == "function"
    assert call["function"]["name"] == "f"
    assert set(json.loads(call["function"]["arguments"])) == {"b"}
    with client.stream("POST", "/v1/chat/completions", json={**body, "stream": True}) as response:
        lines = [line[6:] for line in response.iter_lines() if line and "[DONE]" not in line]
    choices = [json.loads(line)["choices"][0] for line in lines]
    (streamed,) = [each for choice in choices for each in choice["delta"].get("tool_calls", [])]
    assert streamed["index"] == 0
    assert streamed["function"] == call["function"]
    assert choices[-1]["finish_reason"] == "tool_calls"
    assert "".join(choice["delta"].get("content") or "" for choice in choices) == ""


def test_tools_and_a_format_do_not_go_together() -> None:
    reader = Reader(LanguageModel("tiny", *tiny(), ChatTemplate(None, tiny()[1])))
    body = {"messages": ASKED[:1], "tools": TOOLS, "response_format": {"type": "json_object"}}
    with pytest.raises(BadRequest, match="do not go together"):
        reader.chat(body)
    assert reader.chat({**body, "tool_choice": "none"}).calls is None
