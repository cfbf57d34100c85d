"""JSON schemas as grammars: what a random model writes under them is valid, and every valid spelling of the
kind that is promised is accepted."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.llm import Sampling, Tokenizer
from saccade.llm.generation.automaton import DEAD, Automaton, Bytes, choice, one_of, repeated, sequence, text
from saccade.llm.generation.grammar import JsonConstraint
from saccade.llm.generation.json_numbers import integers_between
from saccade.llm.generation.json_schema import ANYTHING, SchemaError, schema_grammar
from saccade.llm.generation.text import Generation, Options

from .models import tiny

TREE = {
    "$defs": {
        "node": {
            "type": "object",
            "properties": {
                "value": {"type": "integer"},
                "children": {"type": "array", "items": {"$ref": "#/$defs/node"}, "maxItems": 2},
            },
            "required": ["value"],
        }
    },
    "$ref": "#/$defs/node",
}
PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 5},
        "age": {"type": ["integer", "null"]},
        "tags": {"type": "array", "items": {"enum": ["a", "é", 3]}, "minItems": 1, "maxItems": 3},
        "size": {"anyOf": [{"type": "number"}, {"const": "tall"}]},
        "ok": {"type": "boolean"},
    },
    "required": ["name", "size"],
    "additionalProperties": False,
}


def accepts(automaton: Automaton, content: str) -> bool:
    state = automaton.after(automaton.start, content.encode())
    return state != DEAD and automaton.ends(state)


@given(st.text("abc", max_size=7))
def test_the_automaton_equals_a_pattern(content: str) -> None:
    """a(b|bc){1,2}c*a?, which has several ways to read a text."""
    part = choice(text("b"), text("bc"))
    made = sequence(text("a"), repeated(part, 1, 2), repeated(one_of(b"c")), choice(text("a"), text("")))
    wanted = re.fullmatch("a(b|bc){1,2}c*a?", content) is not None
    assert accepts(Automaton(made), content) == wanted


@given(st.integers(-1200, 1200), st.integers(0, 1200), st.booleans(), st.booleans())
def test_integers_between_bounds(low: int, size: int, open_below: bool, open_above: bool) -> None:
    least, most = None if open_below else low, None if open_above else low + size
    automaton = Automaton(integers_between(least, most, 5))
    for number in {
        *range(low - 3, low + 4),
        *range(low + size - 3, low + size + 4),
        0,
        9,
        10,
        100,
        99999,
        -99999,
    }:
        wanted = (least is None or number >= least) and (most is None or number <= most)
        assert accepts(automaton, str(number)) == (wanted and abs(number) < 10**5), number
    assert not accepts(automaton, "-0")
    assert not accepts(automaton, "007")
    assert not accepts(automaton, "123456")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**18), 10**18) | st.floats(-1e90, 1e90)
    .filter(lambda x: x == 0 or abs(x) > 1e-90) | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


ANY = Automaton(ANYTHING)


@given(JSON, st.booleans(), st.sampled_from([None, 0, 2]))
def test_json_is_accepted_and_what_is_none_is_not(value: Any, ascii_only: bool, indent: int | None) -> None:
    content = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    if not re.search(r"\\u[dD][89abAB]", content):  # surrogate pairs are written as characters
        assert accepts(ANY, content)
    for wrong in (content + ",", "[" + content, content + content[-1:] + "x", "{" + content + "}"):
        try:
            json.loads(wrong)
        except ValueError:
            assert not accepts(ANY, wrong)


@pytest.mark.parametrize(
    ("schema", "valid", "invalid"),
    [
        ({"type": "integer"}, ["0", "-12", "7"], ["01", "1.0", "+1", "-", "1e3", "0x1"]),
        ({"type": "number"}, ["0.5", "-1e-9", "12"], [".5", "1.", "NaN", "1e"]),
        ({"type": "string", "minLength": 1, "maxLength": 2}, ['"é"', '"€a"', '"\\n"', '"\\u00e9"'],
         ['""', '"abc"', '"\n"', '"\\ud83d"', "'a'"]),
        ({"enum": ["x", 1, None]}, ['"x"', "1", "null"], ["x", "2"]),
        ({"enum": ["x", 1, True], "type": "integer"}, ["1"], ['"x"', "true"]),
        ({"const": {"a": [1]}}, ['{"a": [1]}'], ['{"a": [2]}']),
        (PERSON, ['{"name": "Zoë", "size": 1.5}',
                  '{"name":"a","age":null,"tags":["a", 3],"size":"tall","ok":true}'],
         ['{"size": 1}', '{"name": "Zoë"}', '{"size": 1, "name": "a"}',
          '{"name": "a", "tags": [], "size": 1}',
          '{"name": "a", "size": 1, "x": 1}', '{"name": "a", "size": 1,}', '{, "name": "a", "size": 1}']),
        (TREE, ['{"value": 1}', '{"value": 1, "children": [{"value": 2, "children": []}, {"value": 3}]}'],
         ['{"children": []}', '{"value": 1, "children": [{}]}']),
        ({"type": "object"}, ["{}", '{"a": {"b": [1, {}]}}'], ["[]", '{"a"}']),
        ({"type": "object", "additionalProperties": {"type": "null"}}, ['{"a": null}'], ['{"a": 1}']),
        ({"properties": {"a": {}}}, ["{}", '{"a": [1]}'], ["1", '{"b": 1}']),
        ({"type": "array", "maxItems": 0}, ["[]"], ["[1]"]),
        ({"allOf": [{"type": "null"}], "description": "x"}, ["null"], ["1"]),
        ({"oneOf": [{"type": "integer"}, {"type": "null"}]}, ["1", "null"], ["true"]),
        ({"oneOf": [{"$ref": "#/$defs/cat"}, {"$ref": "#/$defs/dog"}],
          "discriminator": {"propertyName": "is"},
          "$defs": {kind: {"type": "object", "properties": {"is": {"const": kind}}, "required": ["is"]}
                    for kind in ("cat", "dog")}}, ['{"is": "cat"}', '{"is": "dog"}'], ['{"is": "cow"}']),
        ({"anyOf": [{"type": "null"}, {"$ref": "#/$defs/a%20b"}, {"$ref": "#/$defs/c/anyOf/1"}],
          "$defs": {"a b": {"const": 1}, "c": {"anyOf": [{"const": 2}, {"const": 3}]}}},
         ["null", "1", "3"], ["2"]),
        ({"type": "integer", "exclusiveMinimum": 1.5, "exclusiveMaximum": 4}, ["2", "3"], ["1", "4", "-2"]),
    ],
)  # fmt: skip
def test_schemas(schema: Any, valid: list[str], invalid: list[str]) -> None:
    automaton = Automaton(schema_grammar(schema))
    assert [each for each in valid if not accepts(automaton, each)] == []
    assert [each for each in invalid if accepts(automaton, each)] == []


@pytest.mark.parametrize(
    ("schema", "why"),
    [
        ({"type": "string", "pattern": "a+"}, "pattern at # is not supported"),
        ({"type": "number", "minimum": 3, "multipleOf": 2}, "minimum, multipleOf at # is not supported"),
        ({"type": "integer", "minimum": 3, "maximum": 2}, "there is no whole number from 3 to 2"),
        ({"type": "integer", "exclusiveMinimum": True}, "exclusiveMinimum at # is True, and a number"),
        ({"type": "integer", "minimum": 10**30}, "more than 20 digits"),
        ({"oneOf": [{"type": "integer"}, {"type": "number"}]}, "one value may keep to both"),
        ({"oneOf": [{"type": "object"}, {"type": "object"}]}, "one value may keep to both"),
        ({"type": "object", "properties": {"a": {"format": "date"}}}, "format at #/properties/a is not"),
        ({"$ref": "#/$defs/x"}, r"#/\$ref is '#/\$defs/x', and there is no '\$defs'"),
        ({"$ref": "http://x"}, "only references into the schema itself"),
        ({"$ref": "#", "type": "null"}, r"type at # beside \$ref is not supported"),
        ({"type": "text"}, "type at # is 'text', and one of object, array"),
        ({"type": [{}]}, "type at # is .* and one of object"),
        ({"type": 2, "enum": ["a"]}, "type at # is 2"),
        ({"enum": 2, "const": None}, "enum at # is 2, and a list that is not empty is due"),
        ({"minItems": None, "maxItems": 2}, "minItems at # is None, and a whole number is due"),
        ({"oneOf": [{"$ref": "#/a"}, {"type": "null"}], "title": "x", "definitions": 1, "a": {"$ref": 3}},
         "a at # beside oneOf is not supported"),
        ({"oneOf": [{"$ref": "#/$defs/a"}, {"type": "null"}], "$defs": {"a": {"$ref": 3}}}, "is 3, and only"),
        ({"properties": []}, "properties at # is .* an object is due"),
        ({"type": "string", "minLength": 3, "maxLength": 2}, "minLength at # is 3 and maxLength 2"),
        ({"type": "object", "required": ["a"]}, "# requires 'a', which its properties do not describe"),
        ({"enum": ["x"], "type": "null"}, "no value is left at #"),
        ({"const": True, "enum": [1]}, "no value is left at #"),
        ({"const": float("nan")}, "# has nan, which JSON cannot say"),
        ({"enum": [1, {"a": [-float("inf")]}]}, "which JSON cannot say"),
        ({"properties": {"a": {"$ref": "#a"}}, "$defs": {"a": {"$anchor": "a"}}}, "only references into"),
        ({"anyOf": [{"$ref": "#/anyOf/2"}, {"type": "null"}]}, "and there is no '2'"),
        ([], "an object is due"),
        ({"$defs": {"a": {"pattern": "x"}}, "$ref": "#/$defs/a"}, "pattern at #/\\$defs/a is not supported"),
    ],
)  # fmt: skip
def test_what_is_not_supported_is_named(schema: Any, why: str) -> None:
    with pytest.raises(SchemaError, match=why):
        schema_grammar(schema)


KEYS = [
    "type", "properties", "required", "additionalProperties", "items", "minItems", "maxItems", "minLength",
    "maxLength", "enum", "const", "anyOf", "oneOf", "allOf", "$ref", "$defs", "minimum", "exclusiveMaximum",
    "a", "title", "prefixItems",
]  # fmt: skip
PLAIN = [
    None,
    True,
    0,
    2,
    -1,
    0.5,
    float("inf"),
    "a",
    "object",
    "integer",
    "string",
    "array",
    "#",
    "#/$defs/a",
]
SCHEMAS = st.recursive(
    st.sampled_from(PLAIN),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=8,
)


@given(SCHEMAS)
def test_any_schema_is_read_or_refused(schema: Any) -> None:
    try:
        node = schema_grammar(schema)
    except SchemaError:
        return
    Automaton(node)


def test_a_schema_that_is_only_itself_allows_nothing() -> None:
    with pytest.raises(ValueError, match="refers to itself and allows nothing"):
        JsonConstraint({"$ref": "#"}, tiny()[1])


def nested(schema: Any, levels: int) -> Any:
    """oneOf in oneOf."""
    for _ in range(levels):
        schema = {"oneOf": [{"type": "array", "items": schema}, {"type": "null"}]}
    return schema


def test_a_text_that_can_be_read_in_ever_more_ways_ends_somewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two arrays of each other are read in 2**40 ways after 40 brackets."""
    monkeypatch.setattr("saccade.llm.generation.automaton.MOST_WAYS", 2000)
    item = {"type": "array", "items": {"$ref": "#"}}
    automaton = Automaton(schema_grammar({"anyOf": [item, item]}))
    deep = next(n for n in range(41) if automaton.after(automaton.start, b"[" * n) == DEAD)
    assert 4 < deep < 12
    whole = b"[" * (deep - 1) + b"]" * (deep - 1)
    assert automaton.ends(automaton.after(automaton.start, whole))


def test_a_choice_of_many_is_none_of_too_many_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("saccade.llm.generation.automaton.MOST_WAYS", 50)
    automaton = Automaton(schema_grammar({"enum": [f"name {n}" for n in range(60)]}))
    assert automaton.ends(automaton.after(automaton.start, b'"name 59"'))


def test_a_mask_looks_once_at_each_value_of_an_enum() -> None:
    """Not once for each of 256 bytes, for which a server stood still for seconds."""

    class Counted(frozenset[int]):
        asked = 0

        def __contains__(self, code: object) -> bool:
            Counted.asked += 1
            return super().__contains__(code)

    values = 200
    automaton = Automaton(choice(*(sequence(Bytes(Counted(b"x")), text(f"{n}")) for n in range(values))))
    codes = np.arange(256)
    automaton.step_all(np.full(256, automaton.start), codes)
    assert Counted.asked <= values
    assert [code for code in codes if automaton.next(automaton.start, code) != DEAD] == [ord("x")]


def test_alternatives_in_alternatives_are_read_once() -> None:
    """Not once for each of the 2**60 ways down."""
    automaton = Automaton(schema_grammar(nested({"type": "null"}, 60)))
    assert automaton.ends(automaton.after(automaton.start, b"[[null]]"))


def test_alternatives_that_hold_themselves_by_reference() -> None:
    tree = {"type": "object", "properties": {"x": {"oneOf": [{"$ref": "#/$defs/t"}, {"type": "null"}]}}}
    schema = {"$defs": {"t": tree}, "oneOf": [{"$ref": "#/$defs/t"}, {"type": "string"}]}
    automaton = Automaton(schema_grammar(schema))
    assert automaton.ends(automaton.after(automaton.start, b'{"x":{"x":null}}'))


def test_what_is_kept_of_a_grammar_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = tiny()[1]
    constraint = JsonConstraint({"type": "string", "maxLength": 500}, tokenizer)
    monkeypatch.setattr("saccade.llm.generation.grammar.MASK_BYTES", 5 * len(tokenizer))
    monkeypatch.setattr("saccade.llm.generation.grammar.MOST_STATES", 16)
    assert not constraint.grown
    opening, *letters = (tokenizer.encode(each)[-1] for each in '"abcdefgh')
    for id in [opening, *letters * 2]:
        constraint.allowed(frozenset())
        constraint.advance(id)
        assert len(constraint.grammar._masks) <= 5
    assert constraint.grown


def written(schema: Any, tokenizer: Tokenizer, seed: int, most: int = 300) -> str | None:
    """A text from logits at random; None if it did not come to an end."""
    random = np.random.default_rng(seed)
    constraint = JsonConstraint(schema, tokenizer)
    made = Generation(tokenizer, [1], Options(Sampling(temperature=1, seed=seed), constraint=constraint))
    # what ends a string or a number is likely enough
    bias = np.zeros(len(tokenizer))
    bias[[tokenizer.encode(each)[0] for each in '"]},']] = 5.0
    bias[tokenizer.named["eos"]] = 5.0
    content = ""
    while made.finish is None and made.made < most:
        content += made.take(random.normal(size=len(tokenizer)) + bias, 10**6).text
    return content if made.finish == "stop" else None


def check(value: Any, schema: Any) -> None:
    if schema is PERSON:
        assert set(value) <= set(PERSON["properties"])  # type: ignore[arg-type]
        assert 1 <= len(value["name"]) <= 5
        assert value.get("age") is None or type(value["age"]) is int
        assert 1 <= len(value.get("tags", [3])) <= 3
        assert all(tag in ("a", "é", 3) for tag in value.get("tags", []))
        assert value["size"] == "tall" or type(value["size"]) in (int, float)
        assert value.get("ok", True) in (True, False)
    elif schema is TREE:
        assert type(value["value"]) is int
        assert len(value.get("children", [])) <= 2
        for child in value.get("children", []):
            check(child, schema)
    else:
        assert isinstance(value, dict)


@pytest.mark.parametrize("schema", [PERSON, TREE, None])
def test_texts_at_random_keep_to_the_schema(schema: Any) -> None:
    tokenizer = tiny()[1]
    found = [written(schema, tokenizer, seed) for seed in range(12)]
    whole = [json.loads(each) for each in found if each is not None]
    assert len(whole) >= 4
    for value in whole:
        check(value, schema)


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_the_mask_is_what_each_token_does_alone(seed: int) -> None:
    tokenizer = tiny()[1]
    constraint = JsonConstraint(PERSON, tokenizer)
    automaton = constraint.grammar.automaton
    random = np.random.default_rng(seed)
    for _ in range(int(random.integers(0, 12))):
        allowed = np.flatnonzero(constraint.allowed(frozenset()))
        constraint.advance(int(random.choice(allowed)))
        if constraint.complete:
            return
    mask = constraint.allowed(frozenset())
    for id in range(len(tokenizer)):
        content = constraint.grammar.tokens.texts.get(id)
        alone = content is not None and automaton.after(constraint.state, content) != DEAD
        assert mask[id] == alone
