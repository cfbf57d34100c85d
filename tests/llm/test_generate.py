"""Generation on a small model at random: beside NumPy, however it is cut up, shared, guessed or stopped."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from saccade import Tensor
from saccade.llm import Gguf, LlamaConfig, Sampling
from saccade.llm.generation.generate import Generator, generate
from saccade.llm.generation.slots import WIDTHS, Slot, Slots, chunk_width, unit_of
from saccade.llm.generation.stopping import StopStrings
from saccade.llm.generation.text import Generation, Options, Piece, end_ids
from saccade.llm.model.decoder import Decoder
from saccade.llm.model.llama import TOGETHER, Llama, _blocks_program, _program

from . import numpy_llama
from .models import tiny, tiny_path

PROMPT = "hello world's best, hello"


def greedy_ids_of_numpy(prompt: list[int], count: int) -> list[int]:
    """Each token from a whole forward pass in float64."""
    file = Gguf(tiny_path())
    weights = {name: file[name].dequantised().numpy() for name in file}
    ids, config = list(prompt), LlamaConfig.from_gguf(file)
    while len(ids) < len(prompt) + count:
        ids.append(int(numpy_llama.logits(weights, config, ids)[-1].argmax()))
    return ids[len(prompt) :]


def ids_of(generator: Generator, prompt: Any = PROMPT, **options: Any) -> list[int]:
    return [piece.id for piece in generator.stream(prompt, Options(**options))]


@pytest.mark.parametrize("size", [1, 7, 20, 45])
def test_greedy_equals_numpy_for_prompts_of_any_length(size: int) -> None:
    """A prompt is read in chunks that are filled up."""
    model, tokenizer = tiny()
    prompt = [int(n) for n in np.random.default_rng(size).integers(1, 200, size)]
    found = ids_of(Generator(model, tokenizer), prompt, max_tokens=12)
    assert found == greedy_ids_of_numpy(prompt, 12)[: len(found)]
    assert len(found) == 12 or found[-1] in end_ids(tokenizer)


def test_nothing_is_compiled_for_a_length() -> None:
    model, tokenizer = tiny()
    generator = Generator(model, tokenizer)
    for size in (1, 9, 13, 33):
        ids_of(generator, list(range(1, size + 1)), max_tokens=20)
    shapes = _program.cache_info().currsize
    for size in (2, 5, 10, 17, 31, 40):
        ids_of(generator, list(range(1, size + 1)), max_tokens=20)
    assert _program.cache_info().currsize == shapes
    structure, _ = model._apart[0]
    made = [_program(structure, 1, width, 64, False).traces for width in WIDTHS]
    assert made[:3] == [1, 1, 1]


def test_on_another_device_prompts_take_several_blocks_at_once_and_tokens_all() -> None:
    """Single tokens run with all rows, free ones too."""
    (model, tokenizer), prompt = tiny(), [5, 9, 3]
    expected = ids_of(Generator(model, tokenizer), prompt, max_tokens=3)
    slots = elsewhere(2)
    programs = _blocks_program.cache_info().currsize
    slots.add(Generation(tokenizer, prompt, Options(max_tokens=3)))
    found = [piece.id for _ in range(3) for _, piece in slots.step() if isinstance(piece, Piece)]
    assert found == expected
    layers = len(slots.model.blocks)
    assert _blocks_program.cache_info().currsize - programs == -(-layers // TOGETHER)
    assert slots._drawing is not None
    assert slots._drawing._decoder._drawing.traces == 1
    assert slots._drawing._decoder._plain._bound is not None


@cache
def _on_the_interpreter() -> Llama:
    return Llama.from_gguf(tiny_path()).on("interpreter")


def elsewhere(rows: int) -> Slots:
    """Slots of the small model on a device that is not the host."""
    return Slots(_on_the_interpreter(), tiny()[1], rows, capacity=24)


def test_tokens_that_a_device_chooses_are_those_of_the_host() -> None:
    """Greedy and drawn, with penalties, beside a text whose logits the host needs, and after texts that left
    their slots."""
    model, tokenizer = tiny()
    options = [
        Options(max_tokens=4),
        Options(Sampling(temperature=0.8, seed=3), max_tokens=6),
        Options(Sampling(temperature=1.5, seed=4, top_k=5), max_tokens=5, logprobs=2),
        Options(Sampling(temperature=2.0, seed=-1), max_tokens=7),
        Options(Sampling(temperature=1.5, seed=8, top_p=0.8, min_p=0.02, presence_penalty=0.5), max_tokens=6),
        Options(Sampling(repetition_penalty=1.5, frequency_penalty=0.5, bias={9: 3.0}), max_tokens=6),
        Options(Sampling(temperature=0.9, seed=5, top_k=4), max_tokens=4),
    ]
    prompts = [[5, 9, 3], [4], [8, 8], [5, 9, 3, 7, 2], [6, 7, 6], [9, 9], [7, 9]]
    expected = [list(Generator(model, tokenizer).stream(*each)) for each in zip(prompts, options)]
    slots, waiting = elsewhere(3), [Generation(tokenizer, *each) for each in zip(prompts, options)]
    texts, found = list(waiting), [list[Piece]() for _ in waiting]
    while waiting or slots.free < 3:
        while waiting and slots.free:
            slots.add(waiting.pop(0))
        for text, piece in slots.step():
            assert isinstance(piece, Piece)
            found[texts.index(text)].append(piece)
    plain = [[replace(piece, logprob=None, top=()) for piece in pieces] for pieces in (*found, *expected)]
    assert plain[: len(texts)] == plain[len(texts) :]
    for ours, theirs in zip(found[2], expected[2], strict=True):
        assert ours.logprob == pytest.approx(theirs.logprob, abs=1e-4)
        assert [id for id, _ in ours.top] == [id for id, _ in theirs.top]


def test_numbers_that_are_none_end_a_text_that_a_device_chooses_for(monkeypatch: pytest.MonkeyPatch) -> None:
    slots = elsewhere(1)
    monkeypatch.setattr(Decoder, "draw", lambda *given: (Tensor([-1]), Tensor([[float("nan")]])))
    text = Generation(slots.tokenizer, [5], Options())
    slots.add(text)
    ((_, error),) = slots.step()
    assert "NaN" in str(error)
    assert slots.free == 1


@given(st.integers(1, 1000), st.sampled_from([1, *WIDTHS[2:]]))
def test_chunks(count: int, unit: int) -> None:
    sizes = []
    while count > 0:
        width = chunk_width(count, unit)
        assert width in WIDTHS
        assert min(count, width) * 2 > width or width <= WIDTHS[1]
        sizes.append(width)
        count -= width
    assert sizes == sorted(sizes, reverse=True)


def test_a_gpu_goes_on_from_all_that_is_common() -> None:
    slot = Slot(0, ids=[5, 6, 7], whole=0)
    assert slot.kept(unit_of("cuda")) == [5, 6, 7]
    assert slot.kept(unit_of("cpu")) == []


def test_turns_share_their_beginning() -> None:
    """What was read in whole units is not read again, and the text is the one of a new start."""
    model, tokenizer = tiny()
    generator, prompt = Generator(model, tokenizer), list(range(1, 41))
    first = ids_of(generator, prompt, max_tokens=4)
    for longer in ([*prompt, *first, 9], prompt[:33], prompt[:32], [*prompt[:20], 7, 9, *prompt]):
        again = ids_of(generator, longer, max_tokens=2)
        assert generator.speed.reused == (32 if longer[:33] == prompt[:33] else 0)
        assert again == ids_of(Generator(model, tokenizer), longer, max_tokens=2)


def test_a_chat_goes_on_from_its_answers() -> None:
    model, tokenizer = tiny()
    generator, prompt = Generator(model, tokenizer, exact=False), list(range(1, 41))
    first = ids_of(generator, prompt, max_tokens=4)
    ids_of(generator, [*prompt, *first, 9], max_tokens=2)
    assert generator.speed.reused == len(prompt) + len(first) - 1


def test_whoever_stops_early_loses_nothing() -> None:
    model, tokenizer = tiny()
    generator = Generator(model, tokenizer)
    wanted = ids_of(Generator(model, tokenizer), max_tokens=10)
    stream = generator.stream(PROMPT, Options(max_tokens=10))
    next(stream), next(stream)
    stream.close()
    assert ids_of(generator, max_tokens=10) == wanted


@pytest.mark.parametrize("sampling", [Sampling(), Sampling(temperature=0.7, top_k=3, seed=5)])
def test_guesses_do_not_change_the_text(sampling: Sampling) -> None:
    model, tokenizer = tiny()
    for prompt in ([5, 6, 7, 5, 6, 7, 5, 6], [9, 9, 9, 9], tokenizer.encode(PROMPT)):
        plain, guessed = Generator(model, tokenizer), Generator(model, tokenizer)
        wanted = ids_of(plain, prompt, max_tokens=20, sampling=sampling)
        for speculate in (2, 7):
            assert ids_of(guessed, prompt, max_tokens=20, sampling=sampling, speculate=speculate) == wanted


def test_a_guess_that_comes_true_saves_a_step() -> None:
    model, tokenizer = tiny()
    always = Sampling(bias={5: 1000.0})
    slots = Slots(model, tokenizer)
    generation = Generation(tokenizer, [5, 5, 5], Options(always, max_tokens=24, speculate=7))
    slots.add(generation)
    steps = 0
    while generation.finish is None:
        slots.step()
        steps += 1
    assert generation.ids == [5] * 27
    assert steps <= 5


def test_nothing_is_guessed_where_one_token_is_computed_otherwise() -> None:
    model, tokenizer = tiny()
    generation = Generation(
        tokenizer, [5, 5, 5], Options(Sampling(bias={5: 1000.0}), max_tokens=6, speculate=7)
    )
    slots = Slots(model, tokenizer)
    slots.add(generation)
    model.alike = False
    try:
        steps = 0
        while generation.finish is None:
            slots.step()
            steps += 1
    finally:
        model.alike = True
    assert steps == 6


def test_several_texts_at_once_are_those_of_one_by_one() -> None:
    """Rows of different lengths, that come and go while others are in the making."""
    model, tokenizer = tiny()
    prompts = [[int(n) for n in np.random.default_rng(k).integers(1, 200, 3 + 9 * k)] for k in range(5)]
    options = Options(Sampling(temperature=0.5, seed=1), max_tokens=9)
    wanted = [
        ids_of(Generator(model, tokenizer), p, sampling=options.sampling, max_tokens=9) for p in prompts
    ]
    slots = Slots(model, tokenizer, rows=3)
    waiting = [Generation(tokenizer, prompt, options) for prompt in prompts]
    texts = list(waiting)
    while waiting or slots.free < 3:
        if waiting and slots.free:
            slots.add(waiting.pop(0))
        slots.step()
    assert [text.ids[len(text.prompt) :] for text in texts] == wanted


def test_a_slot_that_knows_the_prompt_is_taken() -> None:
    model, tokenizer = tiny()
    slots = Slots(model, tokenizer, rows=3)

    def run(prompt: list[int]) -> Generation:
        made = Generation(tokenizer, prompt, Options(max_tokens=2))
        slots.add(made)
        while made.finish is None:
            slots.step()
        return made

    one, other = list(range(1, 34)), list(range(33, 0, -1))
    run(one)
    run(other)
    assert run([*one, 4, 6]).reused == 32
    assert run(other).reused == 32
    assert run([1, 2, 3]).reused == 0


def test_the_context_is_full() -> None:
    model, tokenizer = tiny()
    generator = Generator(model, tokenizer)
    pieces = list(generator.stream([5] * 45, Options(Sampling(bias={5: 1000.0}))))
    assert len(pieces) == 19
    assert pieces[-1].finish == "length"
    with pytest.raises(ValueError, match="the prompt has 64 tokens, and there is room for 64"):
        generator.text([5] * 64)
    with pytest.raises(ValueError, match="room for 65 tokens was asked for, and the model takes 2 to 64"):
        Generator(model, tokenizer, capacity=65)
    with pytest.raises(ValueError, match="the prompt is empty"):
        generator.text([])
    with pytest.raises(ValueError, match="id 999 in the prompt or the bias is no token"):
        generator.text([5], sampling=Sampling(bias={999: 1.0}))
    with pytest.raises(ValueError, match="id -1 in the prompt"):
        generator.text([5, -1])


def test_logprobs() -> None:
    model, tokenizer = tiny()
    (piece,) = Generator(model, tokenizer).stream(PROMPT, Options(max_tokens=1, logprobs=3))
    assert piece.top[0] == (piece.id, piece.logprob)
    assert [each for _, each in piece.top] == sorted((each for _, each in piece.top), reverse=True)
    assert len(piece.top) == 3
    assert all(each < 0 for _, each in piece.top)
    assert next(generate(model, tokenizer, PROMPT)).logprob is None


TEXTS = st.lists(st.text("abc", max_size=4), max_size=8)


@given(TEXTS, st.lists(st.text("abc", min_size=1, max_size=4), max_size=3))
@example(["ba", "b"], ["a", "bab"])
def test_stop_strings(parts: list[str], strings: list[str]) -> None:
    """What comes out is the text before the stop string that is whole first, whatever the pieces are, and is
    never taken back."""
    whole = "".join(parts)
    ends = [(whole.find(each) + len(each), whole.find(each)) for each in strings if each in whole]
    wanted = whole[: min(ends)[1]] if ends else whole
    stops, made = StopStrings(strings), ""
    for part in parts:
        made += stops.put(part)
        assert wanted.startswith(made)
    made += stops.end()
    assert made == wanted
    assert (stops.found is not None) == bool(ends)


def test_a_text_ends_before_a_stop_string_and_has_whole_characters() -> None:
    model, tokenizer = tiny()
    plain = Generator(model, tokenizer)
    options = {"sampling": Sampling(temperature=1.5, seed=3), "max_tokens": 40}
    pieces = list(plain.stream(PROMPT, Options(**options)))
    text = "".join(piece.text for piece in pieces)
    stop = text[5:8]
    found = list(plain.stream(PROMPT, Options(**options, stop=[stop])))
    assert "".join(piece.text for piece in found) == text[: text.index(stop)]
    assert found[-1].finish == "stop"
    assert len(found) < len(pieces)


def test_a_character_of_three_bytes_comes_whole() -> None:
    _, tokenizer = tiny()
    euro = tokenizer.encode("€")
    assert len(euro) == 3
    made = Generation(tokenizer, [5], Options())
    logits = [np.where(np.arange(len(tokenizer)) == id, 9.0, 0.0) for id in euro]
    assert [made.take(each, 100).text for each in logits] == ["", "", "€"]
    made = Generation(tokenizer, [5], Options(max_tokens=2))
    assert [made.take(each, 100).text for each in logits[:2]] == ["", ""]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"max_tokens": 0}, "max_tokens is 0, and a whole number from 1 on is due"),
        ({"stop": "x"}, "stop is 'x', and a list"),
        ({"logprobs": -1}, "logprobs is -1"),
    ],
)
def test_wrong_options_are_said(options: Any, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Options(**options)
    with pytest.raises(ValueError, match="a stop string is empty"):
        StopStrings([""])


class Failing:
    """A constraint that breaks after some tokens."""

    complete = False

    def __init__(self, after: int) -> None:
        self.left = after

    def allowed(self, ends: frozenset[int]) -> Any:
        return np.ones(len(tiny()[1]), bool)

    def advance(self, id: int) -> None:
        self.left -= 1
        if self.left == 0:
            raise ValueError("no way on")


@pytest.mark.parametrize("speculate", [0, 3])
def test_a_text_that_fails_ends_alone(speculate: int) -> None:
    model, tokenizer = tiny()
    alone = ids_of(Generator(model, tokenizer), max_tokens=12)
    slots = Slots(model, tokenizer, rows=2)
    whole = Generation(tokenizer, tokenizer.encode(PROMPT), Options(max_tokens=12))
    broken = Generation(
        tokenizer, [5, 6], Options(Sampling(bias={5: 1000.0}), speculate=speculate, constraint=Failing(3))
    )
    for each in (whole, broken):
        slots.add(each)
    heard = []
    while whole.finish is None:
        heard += slots.step()
    assert [type(piece) for text, piece in heard if text is broken][-1] is ValueError
    assert whole.ids[len(whole.prompt) :] == alone
    assert slots.free == 2


def test_a_step_that_fails_for_one_is_made_again_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model fails whenever a text has the token 7: together, and then alone."""
    model, tokenizer = tiny()
    alone = ids_of(Generator(model, tokenizer), max_tokens=8)
    slots = Slots(model, tokenizer, rows=2)
    forward = model.forward

    def checked(ids: Any, cache: Any, *rest: Any) -> Any:
        made = forward(ids, cache, *rest)  # lengths have grown by then
        if 7 in ids.tolist()[-1] or 7 in ids.tolist()[0]:
            raise MemoryError("no room for 7")
        return made

    monkeypatch.setattr(model, "forward", checked)
    whole = Generation(tokenizer, tokenizer.encode(PROMPT), Options(max_tokens=8))
    broken = Generation(tokenizer, [5, 6], Options(Sampling(bias={7: 1000.0})))
    slots.add(whole)
    slots.add(broken)
    errors = []
    while whole.finish is None:
        errors += [piece for _, piece in slots.step() if isinstance(piece, Exception)]
    assert [str(error) for error in errors] == ["no room for 7"]
    assert whole.ids[len(whole.prompt) :] == alone
