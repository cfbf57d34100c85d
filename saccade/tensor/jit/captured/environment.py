"""What a function depends on beside its arguments: globals, closed-over variables, attributes, defaults.

    >>> scale = 2.0
    >>> found = environment_of(lambda x: x * scale + model.bias, ())
    >>> found.guards          # `scale` equals 2.0; `model` is that object; `model.bias` is that tensor
    >>> found.tensors         # [model.bias]

The code is read, not run: every name that a function loads is looked up where the function would find it, and
the functions it names are read in turn. Of an object only those attributes count whose names that code
mentions anywhere, so the reading is repeated until no new name is found. That may be more than a call looks
at, which costs a comparison, and is seldom less. What holds numbers for others to change (a bytearray, an
array of another library) is compared by its contents.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from pathlib import Path
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FunctionType,
    GenericAlias,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any, Final, NamedTuple

import numpy as np

from ...core import Core
from ...functional.random import Generator, Key
from ...host import view_of
from ..trace import TraceError
from ..tree import Attributes, is_value
from .guards import CONTAINERS, Guard, Read, Write
from .holders import holder_of

_ATTRIBUTE: Final = frozenset({"LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR"})
#: Ways to reach attributes that are not named in the code.
_DYNAMIC: Final = frozenset({"__dict__", "__getattribute__", "vars", "getattr", "dir", "fields", "asdict"})
#: Ways to find out whether there is an attribute.
_ASKING: Final = frozenset({"hasattr", "getattr", "AttributeError"})
#: Ways to reach globals that are not named in the code.
_ANY_GLOBAL: Final = frozenset({"globals", "eval", "exec"})
#: What a class computes attributes with.
_COMPUTED: Final = frozenset({"__getattr__", "__getattribute__"})
#: Folders that packages are installed into.
_INSTALLED: Final = frozenset({"site-packages", "dist-packages"})
_STANDARD: Final = Path(dis.__file__).parent
#: Code of these packages does what it does whatever the user changes.
_OWN: Final = (
    "saccade.tensor",
    "saccade.graph",
    "saccade.transform",
    "saccade.runtime",
    "saccade.schedule",
    "saccade.codegen",
)
#: A package that sets this to True says the same of itself.
_SAYS_SO: Final = "__jit_library__"


class Usage(NamedTuple):
    """The names a piece of code mentions: globals, and attributes of anything. `bare` are those of them, and
    of its variables, that it uses themselves, not only for an attribute."""

    globals: frozenset[str]
    attributes: frozenset[str]
    bare: frozenset[str]
    codes: tuple[CodeType, ...]

    @property
    def names(self) -> frozenset[str]:
        """Names that attributes of an object may be found by, and ways to do without them."""
        return self.attributes | (self.globals & (_DYNAMIC | _ASKING))


@lru_cache(maxsize=4096)
def usage_of(code: CodeType) -> Usage:
    """The names in a code object and in those of the functions written inside it."""
    globals_: set[str] = set()
    attributes: set[str] = set()
    bare: set[str] = set()
    codes = [code]
    for current in codes:
        codes += [c for c in current.co_consts if isinstance(c, CodeType)]
        attributes.update(
            c for c in current.co_consts if isinstance(c, str) and c.isidentifier()
        )  # getattr(x, "w")
        instructions = list(dis.get_instructions(current))
        for number, instruction in enumerate(instructions):
            kind = instruction.opname
            if not kind.startswith("LOAD_") or kind == "LOAD_CONST":
                continue
            value = instruction.argval
            names = [
                name for name in (value if isinstance(value, tuple) else (value,)) if isinstance(name, str)
            ]
            if kind in _ATTRIBUTE or kind == "LOAD_SUPER_ATTR":
                attributes.update(names)
            elif kind in ("LOAD_GLOBAL", "LOAD_NAME"):
                globals_.update(names)
            following = instructions[number + 1].opname if number + 1 < len(instructions) else ""
            bare.update(names[:-1] if following in _ATTRIBUTE else names)
    return Usage(frozenset(globals_), frozenset(attributes), frozenset(bare), tuple(codes))


@dataclass
class Environment:
    """What was found: guards, and the tensors that are read by reference. `names` are those that count as
    attributes; `mentioned` those that the code turned out to mention."""

    names: frozenset[str] = frozenset()
    mentioned: set[str] = field(default_factory=set)
    guards: list[Guard] = field(default_factory=list)
    tensors: list[Core] = field(default_factory=list)
    _seen: set[object] = field(default_factory=set)
    _keep: list[object] = field(default_factory=list)  # so that no id in _seen is used again

    def _first_time(self, *key: object) -> bool:
        marks = tuple(k if isinstance(k, (str, CodeType)) else id(k) for k in key)
        if marks in self._seen:
            return False
        self._seen.add(marks)
        self._keep.extend(key)
        return True

    # --- code

    def function(self, function: object, bound: tuple[object, ...] = ()) -> None:
        """Everything a callable loads; `bound` are its first positional arguments, where known."""
        if isinstance(function, MethodType):
            self.function(function.__func__, (function.__self__, *bound))
        elif isinstance(function, partial):
            self.guards.append(Guard("an argument of partial", lambda: (function.args, function.keywords)))
            self.function(function.func, (*function.args, *bound))
            self.enter(function.keywords, "a keyword of partial", _NOTHING, True)
        elif isinstance(function, (staticmethod, classmethod)):
            self.function(function.__func__, bound)
        elif isinstance(function, FunctionType):
            self._code(function, bound)
        elif not isinstance(function, type) and "__wrapped__" in getattr(function, "__dict__", ()):
            self.function(vars(function)["__wrapped__"], bound)

    def _code(self, function: FunctionType, bound: tuple[object, ...]) -> None:
        code = function.__code__
        module = function.__module__
        library = module not in (None, "builtins") and _is_library(module)  # those two are made by exec
        if library or not self._first_time(function, *bound):
            return
        usage = usage_of(code)
        self.mentioned |= usage.names
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            self._cell(name, cell, usage)
        place = function.__globals__
        names = usage.globals & place.keys()
        if not usage.globals.isdisjoint(_ANY_GLOBAL):  # globals()["scale"], or data under any name
            names |= {name for name in place if name in usage.attributes or _is_plain_data(place[name])}
            self.guards.append(Guard("the names of globals", lambda: frozenset(place)))
        for name in names:
            read, write = partial(place.get, name), partial(place.__setitem__, name)
            self.visit(read, f"global {name}", usage, name in usage.bare, write)
        for name, value in zip(code.co_varnames, bound, strict=False):
            self.enter(value, name, usage, name in usage.bare)
        for given in ("__defaults__", "__kwdefaults__"):
            if getattr(function, given):
                read = partial(getattr, function, given)
                self.guards.append(Guard(f"a default of {function.__name__}", read))
        defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
        for value in defaults:
            self.enter(value, f"a default of {function.__name__}", usage, True)

    def _cell(self, name: str, cell: CellType, usage: Usage) -> None:
        try:
            cell.cell_contents  # noqa: B018 - an empty cell raises
        except ValueError:
            return
        read, write = lambda: cell.cell_contents, partial(setattr, cell, "cell_contents")
        self.visit(read, f"closed-over {name}", usage, name in usage.bare, write)

    def kind(self, kind: type) -> None:
        """Everything that the methods of a class load, whose objects are taken apart (`tree.Attributes`)."""
        for holder in kind.__mro__:
            if not _is_library(holder.__module__) and self._first_time(holder):
                for name, held in list(vars(holder).items()):
                    if isinstance(held, (FunctionType, property, classmethod, staticmethod)):
                        self.guards.append(Guard(f"{kind.__name__}.{name}", partial(vars(holder).get, name)))
                        method = held.fget if isinstance(held, property) else held
                        self.function(method)

    # --- values

    def visit(self, read: Read, name: str, usage: Usage, bare: bool, write: Write | None = None) -> None:
        """Guard the value found there, and go on to what can be reached from it."""
        value = read()
        if _gives_another_value_each_time(value, usage, bare):
            raise TraceError(
                f"a jit function reads {name}, which gives other values at each call: a replay would repeat "
                f"the first. Read it outside and pass the value, or draw random numbers with Tensor.rand"
            )
        if not isinstance(value, (BuiltinFunctionType, ModuleType)) and not _is_library_class(value):
            self.guards.append(Guard(name, read, write))
        self.enter(value, name, usage, bare)

    def enter(self, value: object, name: str, usage: Usage, bare: bool) -> None:
        """Go through what can be reached from a value that is guarded already."""
        if isinstance(value, Core):
            if self._first_time(value):
                self.tensors.append(value)
        elif isinstance(value, Key):
            self.enter(value.words, name, usage, bare)
        elif is_value(value) or isinstance(value, (np.ndarray, BuiltinFunctionType, Generator, GenericAlias)):
            return  # an alias such as Callable[[int], int] shows the dict of its class, bound anew each time
        elif isinstance(value, dict):
            self._elements(value.values(), name, usage)
        elif isinstance(value, CONTAINERS):
            self._elements(value, name, usage)
        elif isinstance(value, (FunctionType, MethodType, partial, staticmethod, classmethod)):
            self.function(value)
        elif isinstance(value, Attributes):
            self._tree(value, name, usage)
        elif isinstance(value, ModuleType):
            if not _is_library(value.__name__) and self._first_time(value):
                self._attributes(value, vars(value), name, usage)
            elif _is_installed_without_us(value.__name__) and self._first_time(value):
                settings = {k: v for k, v in vars(value).items() if is_value(v)}
                self._attributes(value, settings, name, usage)
        elif _is_memory(value):
            if self._first_time(value):
                self.guards.append(Guard(f"the contents of {name}", partial(_contents, value)))
        else:
            look = holder_of(value)
            if look is not None and self._first_time(value, "held"):
                self.visit(look, f"the contents of {name}", usage, True)
            self._object(value, name, usage, bare)

    def _tree(self, value: Attributes, name: str, usage: Usage) -> None:
        """A model: all it has, for its methods may be of layers, whose code is not read."""
        if self._first_time(value):
            for attribute in list(vars(value)):
                read, write = partial(getattr, value, attribute), partial(setattr, value, attribute)
                self.visit(read, f"{name}.{attribute}", usage, True, write)
            self.kind(type(value))

    def _elements(self, values: Iterable[object], name: str, usage: Usage) -> None:
        for number, value in enumerate(values):
            self.enter(value, f"{name}[{number}]", usage, True)

    def _attributes(self, owner: object, found: dict[str, Any], name: str, usage: Usage) -> None:
        names = self.names
        if not names.isdisjoint(_ASKING):
            there = partial(_known_names, owner, names)
            self.guards.append(Guard(f"which attributes {name} has", there))
        every = list(found.keys() & names if names.isdisjoint(_DYNAMIC) else found)
        for attribute in [key for key in every if hasattr(owner, key)]:
            read, write = partial(getattr, owner, attribute), partial(setattr, owner, attribute)
            self.visit(read, f"{name}.{attribute}", usage, attribute in usage.bare, write)

    def _object(self, value: object, name: str, usage: Usage, bare: bool) -> None:
        """An instance, or a class: its attributes, and its methods, as far as the code mentions them."""
        if not self._first_time(value, "bare" if bare else "named"):
            return
        own = {} if isinstance(value, type) else getattr(value, "__dict__", {})
        self._attributes(value, own, name, usage)
        self.function(value)  # what was wrapped, for callables that say so
        for kind in (value if isinstance(value, type) else type(value)).__mro__:
            if _is_library(kind.__module__):
                continue
            for attribute in list(vars(kind)):
                dunder = attribute.startswith("__") and attribute.endswith("__")
                mentioned = attribute in self.names or attribute in _COMPUTED
                if attribute in own or not (mentioned or (bare and dunder)):
                    continue
                self._class_attribute(value, kind, attribute, f"{name}.{attribute}", usage)

    def _class_attribute(self, owner: object, holder: type, attribute: str, name: str, usage: Usage) -> None:
        """What `holder`, the class of `owner` or one above it, has under that name."""
        held = vars(holder)[attribute]
        if isinstance(held, (property, FunctionType, classmethod, staticmethod)):
            if attribute in self.names or attribute == "__call__":
                self.guards.append(Guard(name, partial(vars(holder).get, attribute)))
            kind = owner if isinstance(owner, type) else type(owner)
            selves: tuple[object, ...] = () if owner is kind or isinstance(held, staticmethod) else (owner,)
            self.function(
                held.fget if isinstance(held, property) else held,
                (kind,) if isinstance(held, classmethod) else selves,
            )
        elif isinstance(held, cached_property):
            self.function(held.func, (owner,))
        elif attribute in self.names and _is_data(held) and hasattr(owner, attribute):
            read, write = partial(getattr, owner, attribute), partial(setattr, owner, attribute)
            self.visit(read, name, usage, attribute in usage.bare, write)


_NOTHING: Final = Usage(frozenset(), frozenset(), frozenset(), ())


def environment_of(
    function: object, bound: tuple[object, ...] = (), others: tuple[object, ...] = ()
) -> Environment:
    """All that `function` reads beside tensors it is given. `bound` are positional arguments that are objects
    (None where they are not), `others` are objects found deeper in the arguments."""
    code = getattr(function, "__code__", None)
    usage = _NOTHING if code is None else usage_of(code)
    names: frozenset[str] = frozenset()
    while True:
        found = Environment(names)
        found.function(function, bound)
        if code is None:
            found.enter(function, "the function", _NOTHING, True)
        for value in others:
            found.enter(value, "an argument", usage, True)
        if found.mentioned <= names:
            return found
        names |= found.mentioned


def _is_plain_data(value: object) -> bool:
    return is_value(value) or isinstance(value, (Core, np.ndarray, *CONTAINERS))


def _known_names(owner: object, names: frozenset[str]) -> frozenset[str]:
    return names & getattr(owner, "__dict__", {}).keys()


def _is_memory(value: object) -> bool:
    """Does it hold numbers that others may change: a bytearray, a memoryview, an array of another library?"""
    if isinstance(value, type):
        return False
    if hasattr(type(value), "__array__"):
        return True
    try:
        memoryview(value)  # type: ignore[arg-type]
    except TypeError:
        return False
    return True


def _contents(value: Any) -> object:
    if not hasattr(type(value), "__array__"):
        return memoryview(value).tobytes()
    # a table of text is an array as well, and torch's tensors may be on a GPU or have gradients
    return view_of(value, None)[0] if _is_torch(value) else np.asarray(value)


def _is_torch(value: object) -> bool:
    return type(value).__module__.partition(".")[0] == "torch"


def _gives_another_value_each_time(value: object, usage: Usage, bare: bool) -> bool:
    """Iterators and the random numbers of other libraries."""
    if isinstance(value, ModuleType):
        other_random = value is np and "random" in usage.attributes
        return other_random or value is np.random or value.__name__ in ("random", "secrets")
    if isinstance(value, (np.random.Generator, np.random.RandomState)):
        return True
    return bare and isinstance(value, Iterator) and not isinstance(value, Core)


def _is_data(held: object) -> bool:
    """Whether an attribute of a class is a value: a slot or a plain default, not something that computes."""
    return isinstance(held, MemberDescriptorType) or not hasattr(held, "__get__")


def _is_library_class(value: object) -> bool:
    return isinstance(value, type) and _is_library(value.__module__)


@lru_cache(maxsize=4096)
def _is_library(module: str | None) -> bool:
    """Code nobody changes between two calls: the standard library, NumPy, the compiler itself, and packages
    that say so."""
    if module is None or module.startswith(_OWN) or module == "saccade":
        return True
    top, *below = module.split(".")
    packages = [".".join([top, *below[:depth]]) for depth in range(len(below) + 1)]
    if any(getattr(sys.modules.get(package), _SAYS_SO, False) is True for package in packages):
        return True
    if top == "saccade":
        return False
    if top in sys.stdlib_module_names and top != "__main__":
        file = getattr(sys.modules.get(top), "__file__", None)
        return file is None or _STANDARD in Path(file).parents  # a file of one's own may be called test.py
    return top == "numpy" or _is_installed_without_us(top)


@lru_cache(maxsize=4096)
def _is_installed_without_us(module: str) -> bool:
    """Of an installed package that names nothing of ours (torch, say): its code computes no tensor of ours,
    and to read all of it would take longer than any program. Of its modules only settings are guarded."""
    package = module.partition(".")[0]
    file = getattr(sys.modules.get(package), "__file__", None)
    if package in ("numpy", "saccade") or file is None or _INSTALLED.isdisjoint(Path(file).parts):
        return False
    parts = [m for name, m in list(sys.modules.items()) if name == package or name.startswith(f"{package}.")]
    return not any(_is_ours(value) for part in parts for value in list(vars(part).values()))


def _is_ours(value: object) -> bool:
    kind = type(value)  # not isinstance, which asks the value itself: some answer with a warning
    if issubclass(kind, ModuleType):
        name = vars(value).get("__name__")
    else:
        name = vars(value).get("__module__") if issubclass(kind, (FunctionType, type)) else kind.__module__
    return type(name) is str and name.partition(".")[0] == "saccade"
