"""The server with a small model at random: OpenAI's API, its errors and bounds, and many clients at once."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.llm.files.load import LanguageModel, load
from saccade.llm.generation.generate import Generator
from saccade.llm.generation.sampling import Sampling
from saccade.llm.generation.slots import Slots
from saccade.llm.generation.text import Generation, Options
from saccade.llm.serving.chat_template import ChatTemplate
from saccade.llm.serving.engine import Engine, QueueFull
from saccade.llm.serving.metrics import Metrics
from saccade.llm.serving.openai_api import BadRequest, Reader

from ..patience import HANG
from .models import tiny, tiny_path

HELLO = [{"role": "user", "content": "hello"}]
PATTERN = {"type": "json_schema", "json_schema": {"schema": {"pattern": "x"}}}
GREEDY = {"messages": HELLO, "temperature": 0, "max_tokens": 8}


@pytest.fixture(scope="module")
def loaded() -> LanguageModel:
    pytest.importorskip("jinja2", reason="the model's chat template needs jinja2")
    from dataclasses import replace

    model, tokenizer = tiny()  # whose programs are there
    return replace(load(tiny_path()), model=model, tokenizer=tokenizer)


@pytest.fixture(scope="module")
def client(loaded: LanguageModel) -> Iterator[Any]:
    testing = pytest.importorskip(
        "starlette.testclient", reason="the server needs starlette, its tests httpx"
    )
    from saccade.llm.serving.serve import Limits, make_app, make_engine

    limits = Limits(slots=3, queue=2, body=4000)
    engine = make_engine(loaded, limits)
    with testing.TestClient(make_app(loaded, engine, limits), base_url="http://127.0.0.1") as made:
        made.engine = engine
        yield made
    engine.close()


def events(response: Any) -> list[Any]:
    lines = [line for line in response.iter_lines() if line]
    assert all(line.startswith("data: ") for line in lines)
    assert lines[-1] == "data: [DONE]"
    return [json.loads(line[6:]) for line in lines[:-1]]


def test_an_answer_is_that_of_the_generator(client: Any, loaded: LanguageModel) -> None:
    wanted = Generator(*tiny()).text(loaded.chat_ids(HELLO), max_tokens=8)
    found = client.post("/v1/chat/completions", json={**GREEDY, "model": "anything", "user": "x"}).json()
    (choice,) = found["choices"]
    assert choice["message"] == {"role": "assistant", "content": wanted, "refusal": None}
    assert found["object"] == "chat.completion"
    assert found["model"] == "tiny"
    usage = found["usage"]
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    assert usage["prompt_tokens"] == len(loaded.chat_ids(HELLO))


def test_a_stream_is_the_whole_answer(client: Any) -> None:
    asked = {**GREEDY, "messages": [{"role": "user", "content": "hello world " * 6}]}
    wanted = client.post("/v1/chat/completions", json=asked).json()
    body = {**asked, "stream": True, "stream_options": {"include_usage": True}}
    with client.stream("POST", "/v1/chat/completions", json=body) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        found = events(response)
    assert found[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    text = "".join(each["choices"][0]["delta"].get("content", "") for each in found if each["choices"])
    assert text == wanted["choices"][0]["message"]["content"]
    assert found[-2]["choices"][0]["finish_reason"] == wanted["choices"][0]["finish_reason"]
    assert found[-1]["usage"]["completion_tokens"] == wanted["usage"]["completion_tokens"]
    assert found[-1]["usage"]["prompt_tokens_details"]["cached_tokens"] > 0


def test_plain_completions_with_logprobs_and_stop(client: Any) -> None:
    body = {"prompt": "hello", "temperature": 0, "max_tokens": 6, "logprobs": 2}
    found = client.post("/v1/completions", json=body).json()["choices"][0]
    logprobs = found["logprobs"]
    assert len(logprobs["tokens"]) == len(logprobs["token_logprobs"]) == len(logprobs["text_offset"]) == 6
    assert all(1 <= len(top) <= 2 for top in logprobs["top_logprobs"])
    ids = client.post("/v1/completions", json={**body, "prompt": tiny()[1].encode("hello")}).json()[
        "choices"
    ][0]
    assert ids == found
    text = found["text"]
    stop = client.post("/v1/completions", json={**body, "stop": text[1:3]}).json()["choices"][0]
    assert stop["text"] == text[: text.index(text[1:3])]
    assert stop["finish_reason"] == "stop"
    chat = client.post("/v1/chat/completions", json={**GREEDY, "logprobs": True, "top_logprobs": 3}).json()
    content = chat["choices"][0]["logprobs"]["content"]
    assert len(content) == chat["usage"]["completion_tokens"]
    assert len(content[0]["top_logprobs"]) == 3
    assert content[0]["bytes"] == content[0]["top_logprobs"][0]["bytes"]


def test_a_seed_gives_the_same_text_again(client: Any) -> None:
    def text(seed: int) -> str:
        body = {**GREEDY, "temperature": 1.5, "seed": seed, "max_tokens": 20}
        return str(client.post("/v1/chat/completions", json=body).json()["choices"][0]["message"]["content"])

    assert text(1) == text(1)
    assert len({text(seed) for seed in range(4)}) > 1


def test_json_as_it_is_asked_for(client: Any) -> None:
    schema = {
        "type": "object",
        "properties": {"ok": {"type": "boolean"}, "n": {"enum": [1, 2]}},
        "required": ["ok", "n"],
    }
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    body = {"messages": HELLO, "temperature": 1, "seed": 3, "response_format": form}
    value = json.loads(
        client.post("/v1/chat/completions", json=body).json()["choices"][0]["message"]["content"]
    )
    assert set(value) == {"ok", "n"}
    assert value["n"] in (1, 2)


def test_many_clients_at_once(client: Any) -> None:
    """More than there are slots, each with its own answer: those of one by one."""

    def ask(number: int) -> str:
        body = {"prompt": "hello " * (number + 1), "temperature": 0.8, "seed": number, "max_tokens": 12}
        while True:
            response = client.post("/v1/completions", json=body)
            if response.status_code != 429:
                return str(response.json()["choices"][0]["text"])
            time.sleep(0.02)

    alone = [ask(number) for number in range(5)]
    with ThreadPoolExecutor(5) as threads:
        assert list(threads.map(ask, range(5))) == alone


@pytest.mark.parametrize(
    ("body", "status", "parameter", "why"),
    [
        (b"{", 400, None, "the body is no JSON"),
        (b"[1]", 400, None, "a JSON object is due"),
        (b'{"\\udc00": 1}', 400, None, "the body is no JSON"),
        ({"messages": HELLO, "max_tokens": 1, "max_completion_tokens": "x"}, 400, "max_completion_tokens",
         "max_completion_tokens is 'x', and a whole number from 1 on is due"),
        ({"messages": []}, 400, "messages", "at least one message"),
        ({"messages": HELLO, "temperature": "hot"}, 400, "temperature", "temperature is 'hot'"),
        ({"messages": HELLO, "max_tokens": 0}, 400, "max_tokens", "max_tokens is 0"),
        ({"messages": HELLO, "n": 2}, 400, "n", "n is 2, which is not done here"),
        ({"messages": HELLO, "tools": [{}]}, 400, "tools", "of type function is due"),
        ({"messages": [{"role": "usr", "content": "x"}]}, 400, "messages", "message 0 is of 'usr'"),
        ({"messages": [{"role": "user"}]}, 400, "messages", "message 0, of 'user', has no content"),
        ({"messages": HELLO, "tool_choice": "required"}, 400, "tool_choice", "one of the functions in tools"),
        ({"messages": HELLO, "wibble": 1}, 400, "wibble", "wibble is not a parameter"),
        ({"messages": HELLO, "stop": [""]}, 400, "stop", "not empty"),
        ({"messages": HELLO, "top_logprobs": 2}, 400, "logprobs", "needs it to be true"),
        ({"messages": HELLO, "logit_bias": {"9999": 1}}, 400, "logit_bias", "beyond"),
        ({"messages": HELLO, "logit_bias": {"1": 10**400}}, 400, "logit_bias", "numbers by id"),
        ({"messages": HELLO, "response_format": {"type": "xml"}}, 400, "response_format", "json_schema"),
        ({"messages": HELLO, "response_format": PATTERN}, 400, "response_format", "pattern at # is not"),
        ({"messages": [{"role": "user", "content": "hello " * 90}]}, 400, "messages", "room for 64"),
        ({"messages": [{"role": "user", "content": "x" * 5000}]}, 413, None, "larger than 4000 bytes"),
    ],
)  # fmt: skip
def test_wrong_requests(client: Any, body: Any, status: int, parameter: str | None, why: str) -> None:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    response = client.post(
        "/v1/chat/completions", content=content, headers={"content-type": "application/json"}
    )
    assert response.status_code == status
    error = response.json()["error"]
    assert why in error["message"]
    assert error["param"] == parameter


def test_pages_of_others_cannot_ask(client: Any) -> None:
    plain = client.post("/v1/completions", content=b'{"prompt": "a"}', headers={"content-type": "text/plain"})
    assert plain.status_code == 415
    other = client.post("/v1/completions", json={"prompt": "a"}, headers={"host": "evil.example:80"})
    assert other.status_code == 403
    for path in ("/", "/health", "/v1/models", "/metrics"):
        assert client.get(path, headers={"host": "evil.example"}).status_code == 403
        assert client.get(path, headers={"sec-fetch-site": "cross-site"}).status_code == 403
        assert client.get(path, headers={"sec-fetch-site": "same-origin"}).status_code == 200
    lost = client.get("/v1/models/", headers={"host": "evil.example"}, follow_redirects=False)
    assert lost.status_code == 404
    page = client.get("/")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    assert "http://" not in page.text
    assert "https://" not in page.text


def test_the_rest(client: Any) -> None:
    assert client.get("/health").json()["status"] == "ok"
    assert client.get("/v1/models").json()["data"][0]["id"] == "tiny"
    client.post("/v1/completions", json={"prompt": "hello", "max_tokens": 3})
    text = client.get("/metrics").text
    made = [line for line in text.splitlines() if line.startswith("saccade_made_tokens_total ")]
    assert int(made[0].split()[1]) > 0
    assert 'saccade_requests_total{path="/v1/completions",status="200"}' in text
    assert client.get("/v1/chat/completions").status_code == 405


def test_a_model_by_its_name(client: Any) -> None:
    (wanted,) = client.get("/v1/models").json()["data"]
    assert client.get("/v1/models/tiny").json() == wanted
    for name in ("other", "some/other"):
        lost = client.get(f"/v1/models/{name}")
        assert lost.status_code == 404
        assert lost.json()["error"]["message"] == f"there is no model '{name}' here: take 'tiny'"
    assert 'path="/v1/models/{name}",status="404"' in client.get("/metrics").text


def test_places_that_are_not_known_are_told_as_other_errors_are(client: Any) -> None:
    lost = client.post("/v1/responses", json={})
    assert lost.status_code == 404
    assert lost.json()["error"]["message"] == "POST '/v1/responses' is not known here"
    other = client.get("/v1/completions")
    assert other.status_code == 405
    assert other.headers["allow"] == "POST"
    assert other.json()["error"]["type"] == "invalid_request_error"


def test_requests_that_say_they_are_large_are_not_read(client: Any) -> None:
    headers = {"content-type": "application/json", "content-length": "9" * 30}
    response = client.post("/v1/completions", content=b'{"prompt": "a"}', headers=headers)
    assert response.status_code == 413


def test_a_key(loaded: LanguageModel, client: Any) -> None:
    from starlette.testclient import TestClient

    from saccade.llm.serving.serve import make_app

    with TestClient(make_app(loaded, client.engine, api_key="secret"), base_url="http://localhost") as locked:
        assert locked.post("/v1/completions", json={"prompt": "a"}).status_code == 401
        wrong = locked.get("/v1/models", headers={"authorization": "Bearer wrong"})
        assert wrong.status_code == 401
        right = locked.get("/v1/models", headers={"authorization": "Bearer secret"})
        assert right.status_code == 200
        assert locked.get("/health").status_code == 200
        for given, status in ((b"bearer secret", 200), (b"secret", 401), (b"Basic secret", 401)):
            assert locked.get("/v1/models", headers={"authorization": given}).status_code == status
    app = make_app(loaded, client.engine, api_key="ключ")
    with TestClient(app, base_url="http://LOCALHOST:8080") as locked:
        right = {"authorization": "Bearer ключ".encode()}
        assert locked.get("/v1/models", headers=right).status_code == 200
        assert locked.get("/v1/models", headers={"authorization": b"Bearer \xff"}).status_code == 401


NAMES = [
    "messages", "prompt", "temperature", "top_p", "top_k", "min_p", "seed", "stop", "max_tokens", "logprobs",
    "top_logprobs", "logit_bias", "response_format", "stream", "stream_options", "n", "tools", "echo", "user",
    "frequency_penalty", "repetition_penalty", "max_completion_tokens", "bias", "wibble",
]  # fmt: skip
VALUES = st.recursive(
    st.sampled_from([None, True, False, 0, 1, -1, 10**30, 0.5, float("nan"), "", "x", "\ud800", "text"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["type", "role", "content", "json_schema", "schema", "1"]), inner),
    max_leaves=5,
)  # fmt: skip


@given(st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=4), st.booleans(), st.booleans())
def test_any_request_is_read_or_refused(body: dict[str, Any], chat: bool, right: bool) -> None:
    """Whatever a client sends, it is a job or a `BadRequest`."""
    reader = Reader(LanguageModel("tiny", *tiny(), ChatTemplate(None, tiny()[1])))
    known = {"messages": HELLO} if chat else {"prompt": "hello"}
    whole = {**body, **known} if right else {**known, **body}
    whole.pop("prompt" if chat else "messages", None)
    with contextlib.suppress(BadRequest):
        job = reader.chat(whole) if chat else reader.completion(whole)
        Generation(tiny()[1], job.ids, job.options)


# --- the engine alone


class Heard:
    """What a client hears of a text; the engine waits while the gate is shut."""

    def __init__(self) -> None:
        self.pieces: list[Any] = []
        self.over, self.gate = threading.Event(), threading.Event()
        self.gate.set()

    def __call__(self, piece: Any) -> None:
        self.pieces.append(piece)
        self.gate.wait(HANG)
        if isinstance(piece, Exception) or piece.finish is not None:
            self.over.set()


def endless() -> Generation:
    return Generation(tiny()[1], [5, 6], Options(Sampling(bias={5: 1000.0})))


def test_a_client_that_leaves_frees_its_slot() -> None:
    engine = Engine(Slots(*tiny(), rows=1), queue=1)
    try:
        first, second = Heard(), Heard()
        first.gate.clear()
        gone = engine.submit(endless(), first)
        waits = engine.submit(endless(), second)
        with pytest.raises(QueueFull, match="the queue of 1 requests is full"):
            engine.submit(endless(), Heard())
        engine.cancel(gone)
        first.gate.set()
        assert second.over.wait(HANG)
        assert not first.over.is_set()
        assert len(waits.generation.ids) == 64
    finally:
        engine.close()
    with pytest.raises(QueueFull, match="being stopped"):
        engine.submit(endless(), Heard())


@pytest.mark.parametrize("rows", [1, 2])
def test_an_error_is_heard_by_one_and_the_others_go_on(rows: int) -> None:
    engine = Engine(Slots(*tiny(), rows=rows), queue=4)
    try:
        broken = Generation(tiny()[1], [5], Options())

        def fail(*given: Any) -> Any:
            raise ValueError("no such thing")

        broken.take = fail  # type: ignore[method-assign]
        first, second = Heard(), Heard()
        engine.submit(broken, first)
        engine.submit(Generation(tiny()[1], [5], Options(max_tokens=3)), second)
        assert first.over.wait(HANG)
        assert second.over.wait(HANG)
        assert str(first.pieces[-1]) == "no such thing"
        assert engine.metrics.failed == 1
        assert [type(piece).__name__ for piece in second.pieces] == ["Piece"] * len(second.pieces)
        with pytest.raises(ValueError, match="the prompt has 64 tokens"):
            engine.submit(Generation(tiny()[1], [5] * 64, Options()), Heard())
    finally:
        engine.close()


def test_metrics_are_lines_that_prometheus_reads() -> None:
    metrics = Metrics()
    metrics.first_token.add(0.3)
    lines = metrics.text().splitlines()
    assert 'saccade_first_token_seconds_bucket{le="0.25"} 0' in lines
    assert 'saccade_first_token_seconds_bucket{le="0.5"} 1' in lines
    for line in lines:
        assert line.startswith("# ") or len(line.rsplit(" ", 1)) == 2
