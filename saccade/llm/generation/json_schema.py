"""A JSON schema as a grammar over bytes (`automaton.py`).

schema_grammar({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]})

Every text of the grammar is JSON that keeps to the schema. Not every such JSON is a text of it: properties
come in the order of the schema, those it does not name are left out, and between parts there is at most a
space, or a line break with spaces; alternatives that begin alike are not put into each other without end. A
keyword that is not known here is an error that names it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import unquote

from ...files.reading import shown
from .automaton import NOTHING, Node, Rule, choice, one_of, optional, repeated, sequence, text
from .json_numbers import DIGIT, integers_between

#: Digits of a number, and spaces after a line break: without a bound a model may never come to an end.
MOST_DIGITS: Final = 20
MOSTSPACES: Final = 16
#: References to references that are followed.
MOST_REFERENCES: Final = 100
#: Schemas of a oneOf, each of which is compared with all the others.
MOST_ONE_OF: Final = 1000

#: Keywords that say nothing about what is allowed.
NOTES: Final = frozenset(
    ["title", "description", "default", "examples", "$schema", "$id", "$comment", "deprecated", "readOnly",
     "writeOnly", "$defs", "definitions", "discriminator"]
)  # fmt: skip
#: Keywords by type.
KEYWORDS: Final[dict[str, frozenset[str]]] = {
    "object": frozenset(["properties", "required", "additionalProperties"]),
    "array": frozenset(["items", "prefixItems", "minItems", "maxItems"]),
    "string": frozenset(["minLength", "maxLength"]),
    "integer": frozenset(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"]),
    "number": frozenset(),
    "boolean": frozenset(),
    "null": frozenset(),
}


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < 1e300


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _are_types(value: Any) -> bool:
    kinds = [value] if isinstance(value, str) else value
    return _are_texts(kinds) and bool(kinds) and all(kind in KEYWORDS for kind in kinds)


def _is_some_list(value: Any) -> bool:
    return isinstance(value, list) and bool(value)


#: What the value of a keyword must be, and in words.
FORMS: Final[dict[str, tuple[Callable[[Any], bool], str]]] = {
    "type": (_are_types, f"one of {', '.join(KEYWORDS)}, or a list of them,"),
    "properties": (lambda value: isinstance(value, Mapping), "an object"),
    "required": (_are_texts, "a list of names"),
    **dict.fromkeys(("enum", "anyOf", "oneOf", "allOf"), (_is_some_list, "a list that is not empty")),
    **dict.fromkeys(("minItems", "maxItems", "minLength", "maxLength"), (_is_count, "a whole number")),
    **dict.fromkeys(KEYWORDS["integer"], (_is_number, "a number")),
}


class SchemaError(ValueError):
    """A schema that is wrong, or has a keyword that is not known here; says where and which."""


_HEX: Final = one_of(b"0123456789abcdefABCDEF")
SPACE: Final = choice(NOTHING, text(" "), sequence(text("\n"), repeated(text(" "), 0, MOSTSPACES)))


def _byte_range(first: int, last: int) -> Node:
    return one_of(range(first, last + 1))


def _characters() -> Node:
    """One character of a string: UTF-8, or an escape, but no half of a surrogate pair."""
    tail = _byte_range(0x80, 0xBF)
    plain = one_of(code for code in range(0x20, 0x80) if code not in b'"\\')
    return choice(
        plain,
        sequence(_byte_range(0xC2, 0xDF), tail),
        sequence(one_of([0xE0]), _byte_range(0xA0, 0xBF), tail),
        sequence(one_of([*range(0xE1, 0xED), 0xEE, 0xEF]), tail, tail),
        sequence(one_of([0xED]), _byte_range(0x80, 0x9F), tail),
        sequence(one_of([0xF0]), _byte_range(0x90, 0xBF), tail, tail),
        sequence(_byte_range(0xF1, 0xF3), tail, tail, tail),
        sequence(one_of([0xF4]), _byte_range(0x80, 0x8F), tail, tail),
        sequence(text("\\"), one_of(b'"\\/bfnrt')),
        sequence(text("\\u"), one_of(b"0123456789abcABCefEF"), _HEX, _HEX, _HEX),
        sequence(text("\\u"), one_of(b"dD"), one_of(b"01234567"), _HEX, _HEX),
    )


_CHARACTER: Final = _characters()
_INTEGER: Final = sequence(
    optional(text("-")),
    choice(text("0"), sequence(one_of(b"123456789"), repeated(DIGIT, 0, MOST_DIGITS - 1))),
)
_NUMBER: Final = sequence(
    _INTEGER,
    optional(sequence(text("."), repeated(DIGIT, 1, MOST_DIGITS))),
    optional(sequence(one_of(b"eE"), optional(one_of(b"+-")), repeated(DIGIT, 1, 2))),
)
_BOOLEAN: Final = choice(text("true"), text("false"))


def _string(least: int = 0, most: int | None = None) -> Node:
    return sequence(text('"'), repeated(_CHARACTER, least, most), text('"'))


def _listed(opening: str, items: Node, closing: str) -> Node:
    return sequence(text(opening), SPACE, items, SPACE, text(closing))


def _separated(item: Node, least: int, most: int | None) -> Node:
    """Items with commas between them."""
    if most == 0:
        return NOTHING
    more = repeated(sequence(text(","), SPACE, item), max(least - 1, 0), None if most is None else most - 1)
    some = sequence(item, more)
    return optional(some) if least == 0 else some


def _pairs(value: Node) -> Node:
    """An object with any names."""
    return _listed("{", _separated(sequence(_string(), text(":"), SPACE, value), 0, None), "}")


def _anything() -> Node:
    """Any JSON."""
    value: Node = Rule(lambda: choice(_pairs(value), array, _string(), _NUMBER, _BOOLEAN, text("null")))
    array = Rule(lambda: _listed("[", _separated(value, 0, None), "]"))
    return value


ANYTHING: Final = _anything()


def any_object() -> Node:
    """A JSON object with anything in it."""
    return _pairs(ANYTHING)


def schema_grammar(schema: Any) -> Node:
    """The grammar of a schema; SchemaError where it is wrong or beyond what is known here."""
    reader = _Reader(schema)
    made = reader.node(schema, "#")
    reader.check_references()
    return made


class _Reader:
    """A schema whose references are all into itself."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self.rules: dict[str, Rule] = {}
        self._checked: set[int] = set()

    def check_references(self) -> None:
        """Make what references stand for now, so that errors come now."""
        done: set[str] = set()
        while len(done) < len(self.rules):
            for name in [name for name in self.rules if name not in done]:
                self.rules[name].made()
                done.add(name)

    def node(self, schema: Any, where: str) -> Node:
        if schema is True:
            return ANYTHING
        if not isinstance(schema, Mapping):
            raise SchemaError(f"the schema at {where} is {shown(schema)}, and an object is due")
        told = {key: value for key, value in schema.items() if key not in NOTES}
        if not told:
            return ANYTHING
        for key, (is_right, words) in FORMS.items():
            if key in told and not is_right(told[key]):
                raise SchemaError(f"{key} at {where} is {shown(told[key])}, and {words} is due")
        combining = {
            "$ref": self._reference, "anyOf": self._any_of, "oneOf": self._one_of, "allOf": self._all_of
        }  # fmt: skip
        for key, make in combining.items():
            if key in told:
                self._only(told, {key}, where)
                return make(told[key], f"{where}/{key}")
        if "const" in told or "enum" in told:
            return self._values(told, where)
        kinds = told.pop("type", None)
        if kinds is None:
            kinds = [kind for kind, keys in KEYWORDS.items() if keys & set(told)]
            if len(kinds) != 1:
                self._only(told, frozenset(), where)
        kinds = [kinds] if isinstance(kinds, str) else kinds
        self._only(told, frozenset().union(*(KEYWORDS[kind] for kind in kinds)), where)
        return choice(*(self._typed(kind, told, where) for kind in kinds))

    def _only(self, told: Mapping[str, Any], known: set[str] | frozenset[str], where: str) -> None:
        """No other keywords are there."""
        others = sorted(set(told) - known)
        if others:
            beside = f" beside {', '.join(sorted(known & set(told)))}" if known & set(told) else ""
            raise SchemaError(f"{', '.join(others)} at {where}{beside} is not supported: leave it out")

    def _reference(self, name: Any, where: str) -> Node:
        if not isinstance(name, str) or not (name == "#" or name.startswith("#/")):
            raise SchemaError(
                f"{where} is {shown(name)}, and only references into the schema itself (#/...) are followed"
            )
        if name not in self.rules:
            found = self._found(name, where)
            self.rules[name] = Rule(lambda: self.node(found, name))
        return self.rules[name]

    def _found(self, name: str, where: str) -> Any:
        """The part of the schema that a reference names."""
        found = self.root
        for part in name[1:].split("/")[1:]:
            part = unquote(part).replace("~1", "/").replace("~0", "~")
            if isinstance(found, list) and part.isdecimal() and int(part) < len(found):
                found = found[int(part)]
            elif isinstance(found, Mapping) and part in found:
                found = found[part]
            else:
                raise SchemaError(f"{where} is {shown(name)}, and there is no {shown(part)}")
        return found

    def _any_of(self, parts: Any, where: str) -> Node:
        return choice(*(self.node(part, f"{where}/{number}") for number, part in enumerate(parts)))

    def _one_of(self, parts: Any, where: str) -> Node:
        """Like anyOf, if no value can keep to two of them."""
        if len(parts) > MOST_ONE_OF:
            raise SchemaError(f"{where} has {len(parts)} schemas, and {MOST_ONE_OF} is the most: use anyOf")
        made = self._any_of(parts, where)
        resolved = [self._resolved(part) for part in parts]
        for number, second in enumerate(resolved):
            for first in resolved[:number]:
                if not _apart(first, second):
                    raise SchemaError(
                        f"{where} has schemas that one value may keep to both: use anyOf, or give them "
                        "types, or a required property with a const, that differ"
                    )
        return made

    def _resolved(self, schema: Any) -> Any:
        """What a reference, or references to references, stand for."""
        for _ in range(MOST_REFERENCES):
            if not isinstance(schema, Mapping) or not isinstance(schema.get("$ref"), str):
                break
            schema = self._found(schema["$ref"], "#")
            if id(schema) not in self._checked:  # once: it may hold this very oneOf, or many more of them
                self._checked.add(id(schema))
                self.node(schema, "#")  # which says what is wrong with it
        return schema

    def _all_of(self, parts: Any, where: str) -> Node:
        if len(parts) != 1:
            raise SchemaError(f"{where} is not supported with more than one schema")
        return self.node(parts[0], f"{where}/0")

    def _values(self, told: dict[str, Any], where: str) -> Node:
        """Some values themselves: those of the type that is named, if any."""
        self._only(told, {"const", "enum", "type"}, where)
        values = [told["const"]] if "const" in told else told["enum"]
        if "const" in told and "enum" in told:
            listed = {_as_json(value, where, sort_keys=True) for value in told["enum"]}
            values = [value for value in values if _as_json(value, where, sort_keys=True) in listed]
        kinds = told.get("type")
        if kinds is not None:
            kinds = [kinds] if isinstance(kinds, str) else kinds
            values = [value for value in values if any(_is(value, kind) for kind in kinds)]
        if not values:
            raise SchemaError(f"no value is left at {where}")
        return choice(*(text(_as_json(value, where)) for value in values))

    def _typed(self, kind: str, told: dict[str, Any], where: str) -> Node:
        match kind:
            case "object":
                return self._object(told, where)
            case "array":
                return self._array(told, where)
            case "string":
                return _string(*self._bounds(told, "minLength", "maxLength", where))
            case "integer":
                return self._integer(told, where)
        return {"number": _NUMBER, "boolean": _BOOLEAN, "null": text("null")}[kind]

    def _bounds(self, told: dict[str, Any], lower: str, upper: str, where: str) -> tuple[int, int | None]:
        least, most = told.get(lower, 0), told.get(upper)
        if most is not None and least > most:
            raise SchemaError(f"{lower} at {where} is {least} and {upper} {most}: nothing is allowed")
        return least, most

    def _integer(self, told: dict[str, Any], where: str) -> Node:
        """Bounds may be any numbers: what counts is the whole numbers between them."""
        lows = [math.ceil(told["minimum"])] if "minimum" in told else []
        lows += [math.floor(told["exclusiveMinimum"]) + 1] if "exclusiveMinimum" in told else []
        highs = [math.floor(told["maximum"])] if "maximum" in told else []
        highs += [math.ceil(told["exclusiveMaximum"]) - 1] if "exclusiveMaximum" in told else []
        low, high = max(lows, default=None), min(highs, default=None)
        if low is not None and high is not None and low > high:
            raise SchemaError(f"there is no whole number from {low} to {high}, which {where} asks for")
        furthest = 10**MOST_DIGITS
        if (low is not None and low >= furthest) or (high is not None and high <= -furthest):
            raise SchemaError(f"{where} asks for numbers of more than {MOST_DIGITS} digits")
        return integers_between(low, high, MOST_DIGITS)

    def _array(self, told: dict[str, Any], where: str) -> Node:
        least, most = self._bounds(told, "minItems", "maxItems", where)
        if "prefixItems" in told:
            raise SchemaError(f"prefixItems at {where} is not supported: use an object")
        item = self.node(told.get("items", True), f"{where}/items")
        return _listed("[", _separated(item, least, most), "]")

    def _object(self, told: dict[str, Any], where: str) -> Node:
        properties, required = told.get("properties", {}), told.get("required", [])
        missing, always = [name for name in required if name not in properties], set(required)
        if missing:
            raise SchemaError(f"{where} requires {shown(missing[0])}, which its properties do not describe")
        if not properties:
            others = told.get("additionalProperties", True)
            return (
                text("{}") if others is False else _pairs(self.node(others, f"{where}/additionalProperties"))
            )
        # from the last to the first: what may come after, when nothing came before and when something did
        first: Node = NOTHING
        later: Node = NOTHING
        for name, schema in reversed(list(properties.items())):
            value = self.node(schema, f"{where}/properties/{name}")
            pair = sequence(text(json.dumps(name, ensure_ascii=False) + ":"), SPACE, value, later)
            after = sequence(text(","), SPACE, pair)
            needed = name in always
            first, later = (pair, after) if needed else (choice(pair, first), choice(after, later))
        return _listed("{", first, "}")


def _as_json(value: Any, where: str, sort_keys: bool = False) -> str:
    """A value as JSON says it. Python reads NaN, and 1e999 as infinity, which no JSON says."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=sort_keys)
    except ValueError:
        raise SchemaError(f"{where} has {shown(value)}, which JSON cannot say") from None


def _apart(first: Any, second: Any) -> bool:
    """No value keeps to both schemas, as far as their types and constants tell."""
    if not isinstance(first, Mapping) or not isinstance(second, Mapping):
        return False
    kinds = [_kinds(each) for each in (first, second)]
    if all(kinds) and not kinds[0] & kinds[1]:
        return True
    if not kinds[0] == kinds[1] == {"object"}:
        return False
    shared = set(first.get("required", [])) & set(second.get("required", []))
    for name in shared:
        values = [_constants(each.get("properties", {}).get(name)) for each in (first, second)]
        if all(values) and not values[0] & values[1]:
            return True
    return False


def _kinds(schema: Mapping[str, Any]) -> set[str]:
    """The types that a schema names; an integer is a number too."""
    kinds = schema.get("type", [])
    found = {kinds} if isinstance(kinds, str) else set(kinds)
    return found | {"integer"} if "number" in found else found


def _constants(schema: Any) -> set[str]:
    """The values that a schema lists, as JSON."""
    if not isinstance(schema, Mapping):
        return set()
    values = [schema["const"]] if "const" in schema else schema.get("enum", [])
    if not isinstance(values, list):
        return set()
    return {json.dumps(value, sort_keys=True) for value in values}


def _is(value: Any, kind: Any) -> bool:
    """A value is of a type of JSON."""
    match kind:
        case "null":
            return value is None
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            return type(value) is int
        case "number":
            return type(value) in (int, float)
        case "string":
            return isinstance(value, str)
        case "array":
            return isinstance(value, list)
        case "object":
            return isinstance(value, dict)
    return False
