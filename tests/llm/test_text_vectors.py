"""Vectors of texts by a language model: means of its states, whoever else uses the model meanwhile."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.llm import Gguf
from saccade.llm.files.load import LanguageModel, load
from saccade.llm.generation.slots import Slots
from saccade.llm.model.embeddings import read_embeddings
from saccade.llm.serving.engine import Engine, QueueFull
from saccade.llm.serving.openai_api import BadRequest
from saccade.llm.serving.text_vectors import TextVectors

from ..patience import HANG
from .models import tiny, tiny_path

TEXTS = ["hello", "hello world", "world " * 20]


@pytest.fixture(scope="module")
def loaded() -> LanguageModel:
    pytest.importorskip("jinja2", reason="the model's chat template needs jinja2")
    from dataclasses import replace

    model, tokenizer = tiny()
    return replace(load(tiny_path()), model=model, tokenizer=tokenizer)


def test_states_are_what_the_head_multiplies(loaded: LanguageModel) -> None:
    model, file = loaded.model, Gguf(tiny_path())
    name = "output.weight" if "output.weight" in file else "token_embd.weight"
    ids = Tensor([loaded.tokenizer.encode("hello world's end")])
    found = model.states(ids, model.cache(32)).numpy() @ file[name].dequantised().numpy().T
    np.testing.assert_allclose(found, model.forward(ids, model.cache(32)).numpy(), rtol=1e-4, atol=1e-4)


def test_a_vector_is_the_mean_of_states(loaded: LanguageModel) -> None:
    found, model = TextVectors(loaded).embed(TEXTS), loaded.model
    for text, vector in zip(TEXTS, found, strict=True):
        ids = loaded.tokenizer.encode(text)
        mean = model.states(Tensor([ids]), model.cache(64)).numpy()[0].mean(0)
        np.testing.assert_allclose(vector, mean / np.linalg.norm(mean), atol=1e-5)
    again = TextVectors(loaded).embed(TEXTS[::-1])[::-1]
    np.testing.assert_array_equal(found, again)


def test_texts_that_are_not_taken(loaded: LanguageModel) -> None:
    encoder = TextVectors(loaded)
    with pytest.raises(ValueError, match="1 to 64 are due"):
        encoder.ids("hello " * 99)
    for given in ("hello " * 99, [loaded.model.config.vocabulary], [1] * 65, [[]]):
        with pytest.raises(BadRequest) as caught:
            read_embeddings({"input": given}, encoder)
        assert caught.value.parameter == "input"


@pytest.fixture
def engine(loaded: LanguageModel) -> Iterator[Engine]:
    made = Engine(Slots(loaded.model, loaded.tokenizer, 2))
    yield made
    made.close()


def test_the_engine_calls_between_steps_and_tells_what_went_wrong(engine: Engine) -> None:
    assert engine.call(lambda: threading.current_thread().name).result(HANG) == "saccade-engine"
    with pytest.raises(ZeroDivisionError):
        engine.call(lambda: 1 // 0).result(HANG)
    began, go_on = threading.Event(), threading.Event()
    first = engine.call(lambda: began.set() or go_on.wait(HANG))
    began.wait(HANG)
    left = engine.call(lambda: 1)
    closing = threading.Thread(target=engine.close)
    closing.start()
    while not engine._closed:
        closing.join(0.01)
    go_on.set()
    closing.join(HANG)
    assert first.result(HANG)
    with pytest.raises(QueueFull, match="being stopped"):
        left.result(HANG)
    with pytest.raises(QueueFull, match="being stopped"):
        engine.call(lambda: 1)


def test_the_server_embeds_while_it_makes_texts(loaded: LanguageModel) -> None:
    testing = pytest.importorskip("starlette.testclient", reason="the server needs starlette")
    from saccade.llm.serving.serve import Limits, make_app, make_engine

    limits = Limits(slots=2, queue=4)
    made = make_engine(loaded, limits)
    asked = {"prompt": "hello", "temperature": 0, "max_tokens": 40}
    wanted = TextVectors(loaded).embed(TEXTS)
    with testing.TestClient(make_app(loaded, made, limits), base_url="http://localhost") as client:

        def text(_: int) -> Any:
            return client.post("/v1/completions", json=asked).json()["choices"][0]["text"]

        def vectors(_: int) -> Any:
            return client.post("/v1/embeddings", json={"input": TEXTS, "model": "tiny"}).json()

        alone = text(0)
        with ThreadPoolExecutor(5) as threads:
            texts, found = threads.map(text, range(2)), threads.map(vectors, range(3))
            assert list(texts) == [alone] * 2
            for each in found:
                np.testing.assert_allclose([row["embedding"] for row in each["data"]], wanted, atol=1e-6)
        full = make_app(loaded, made, Limits(queue=-1))
        with testing.TestClient(full, base_url="http://localhost") as busy:
            assert busy.post("/v1/embeddings", json={"input": "x"}).status_code == 429
    made.close()


def test_the_command_takes_a_model(loaded: LanguageModel) -> None:
    from typer.testing import CliRunner

    from saccade.cli.app import app

    found = CliRunner().invoke(app, ["embed", str(tiny_path()), "hello", "hello world", "--json"])
    assert found.exit_code == 0, found.output
    told = json.loads(found.stdout)["texts"]
    expected = TextVectors(load(tiny_path(), activations="int8")).embed(["hello", "hello world"])
    np.testing.assert_allclose([each["vector"] for each in told], expected, rtol=1e-6)
