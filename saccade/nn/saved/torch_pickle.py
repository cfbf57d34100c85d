"""The pickle inside a torch file, read without running anything: dicts, lists, numbers, texts and tensors.

A pickle is a program for a small stack machine, and Python's own machine may call any function of any module.
This one knows the few instructions and the functions that data is written with: those that make tensors, and
those of `torch_objects`. All else is refused by name.
"""

from __future__ import annotations

import pickletools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from ...files.reading import shown
from ...graph import dtypes
from ...graph.dtypes import DType
from .torch_objects import OBJECTS, Name, attach, keys

#: Instructions of one file: a model of a million tensors has fewer.
MOST_STEPS: Final = 50_000_000
_MARK: Final = object()


@dataclass(frozen=True)
class Storage:
    """Elements of a file: what they are, the name of the member, how many."""

    kind: str
    key: str
    count: int


_KINDS: Final = {
    "DoubleStorage": "float64", "FloatStorage": "float32", "HalfStorage": "float16",
    "BFloat16Storage": "bfloat16", "LongStorage": "int64", "IntStorage": "int32", "ShortStorage": "int16",
    "CharStorage": "int8", "ByteStorage": "uint8", "BoolStorage": "bool", "UntypedStorage": "uint8",
    "ComplexFloatStorage": "complex64", "ComplexDoubleStorage": "complex128",
}  # fmt: skip
_DTYPES: Final = {
    "float64": "float64", "float32": "float32", "float16": "float16", "bfloat16": "bfloat16",
    "int64": "int64", "int32": "int32", "int16": "int16", "int8": "int8", "uint8": "uint8",
    "uint16": "uint16", "uint32": "uint32", "uint64": "uint64", "bool": "bool",
    "float8_e4m3fn": "float8_e4m3", "float8_e5m2": "float8_e5m2",
    "complex64": "complex64", "complex128": "complex128",
}  # fmt: skip


def kind_of(storage: Storage, dtype: str | None = None) -> str:
    """The name of our dtype of a storage, or the given one."""
    if storage.kind not in _KINDS:
        raise ValueError(f"a tensor of {shown(storage.kind)}, which is not known here")
    return _KINDS[storage.kind] if dtype is None else dtype


#: From a storage, where it starts, sizes, strides and a dtype of ours (None: the storage's) to a tensor.
MakeTensor = Callable[[Storage, int, tuple[int, ...], tuple[int, ...], str | None], Any]


class Machine:
    """Runs the instructions."""

    #: functions beside those of tensors, and whether a name may stand in what was read
    objects: ClassVar[Mapping[Name, Callable[..., Any]]] = OBJECTS
    keeps_names: ClassVar[bool] = False

    def __init__(self, tensor: MakeTensor) -> None:
        self._tensor = tensor
        self._stack: list[Any] = []
        self._memo: dict[int, Any] = {}
        self._looked_at = 0
        self._functions: dict[Name, Callable[..., Any]] = {
            **self.objects,
            Name("torch", "Size"): tuple,
            Name("torch._utils", "_rebuild_tensor_v2"): self._rebuild,
            Name("torch._utils", "_rebuild_tensor_v3"): self._rebuild_typed,
            Name("torch._utils", "_rebuild_parameter"): lambda data, *_: data,
            Name("torch._utils", "_rebuild_parameter_with_state"): lambda data, *_: data,
            Name("torch.nn.parameter", "Parameter"): lambda data, *_: data,
        }

    def run(self, data: bytes) -> Any:
        """What the pickle stands for."""
        for number, (instruction, arg, place) in enumerate(pickletools.genops(data)):
            if number > MOST_STEPS:
                raise ValueError(f"it has more than {MOST_STEPS:,} instructions")
            if instruction.name == "STOP":
                return self._stack.pop()
            try:
                self._step(instruction.name, arg)
            except (IndexError, KeyError, TypeError, ValueError) as error:
                raise ValueError(f"instruction {instruction.name} at byte {place}: {error}") from None
        raise ValueError("it has no end")

    def _step(self, name: str, arg: Any) -> None:
        stack = self._stack
        if name in _PUSHED:
            stack.append(_PUSHED[name]() if name in _FRESH else _PUSHED[name])
        elif name in _LITERALS:
            stack.append(arg)
        elif name in ("BINPUT", "LONG_BINPUT", "PUT"):
            self._memo[arg] = stack[-1]
        elif name == "MEMOIZE":
            self._memo[len(self._memo)] = stack[-1]
        elif name in ("BINGET", "LONG_BINGET", "GET"):
            stack.append(self._memo[arg])
        elif name in _SIZES:
            count = _SIZES[name]
            stack[len(stack) - count :] = [tuple(self._last(count))]
        elif name not in ("PROTO", "FRAME"):
            self._build(name, arg)

    def _build(self, name: str, arg: Any) -> None:
        stack = self._stack
        if name == "TUPLE":
            stack.append(tuple(self._marked()))
        elif name == "LIST":
            stack.append(self._marked())
        elif name == "DICT":
            stack.append(_pairs(self._marked()))
        elif name == "APPEND":
            value = stack.pop()
            self._top(list).append(value)
        elif name == "APPENDS":
            values = self._marked()
            self._top(list).extend(values)
        elif name == "SETITEM":
            value, key = stack.pop(), stack.pop()
            keys((key,))
            self._top(dict)[key] = value
        elif name == "SETITEMS":
            items = self._marked()
            self._top(dict).update(_pairs(items))
        elif name == "ADDITEMS":
            values = self._marked()
            self._top(set).update(keys(values))
        elif name == "FROZENSET":
            stack.append(frozenset(keys(self._marked())))
        elif name == "GLOBAL":
            module, _, own = str(arg).partition(" ")
            stack.append(_named(module, own))
        elif name == "STACK_GLOBAL":
            own, module = stack.pop(), stack.pop()
            stack.append(_named(str(module), str(own)))
        elif name in ("REDUCE", "NEWOBJ"):
            args, function = stack.pop(), stack.pop()
            stack.append(self._call(function, args))
        elif name == "BINPERSID":
            stack.append(_storage(stack.pop()))
        elif name == "BUILD":
            state = stack.pop()
            self._count(state if isinstance(state, tuple) else ())
            attach(stack[-1], state)
        else:
            raise ValueError("data is not written with it")

    def _last(self, count: int) -> list[Any]:
        if len(self._stack) < count:
            raise ValueError("there is too little on the stack")
        return self._stack[len(self._stack) - count :]

    def _marked(self) -> list[Any]:
        """All since the last mark."""
        for place in range(len(self._stack) - 1, -1, -1):
            if self._stack[place] is _MARK:
                values = self._stack[place + 1 :]
                del self._stack[place:]
                return values
        raise ValueError("there is no mark")

    def _below_mark(self) -> Any:
        """What is below the last mark, which an instruction adds to."""
        for place in range(len(self._stack) - 1, 0, -1):
            if self._stack[place] is _MARK:
                return self._stack[place - 1]
        raise ValueError("there is no mark")

    def _top(self, kind: type) -> Any:
        if not isinstance(self._stack[-1], kind):
            raise ValueError(f"{kind.__name__} is due, not {type(self._stack[-1]).__name__}")
        return self._stack[-1]

    def _call(self, function: Any, args: Any) -> Any:
        found = self._functions.get(function) if isinstance(function, Name) else None
        if found is None:
            raise refused(function)
        if not isinstance(args, tuple):
            raise ValueError("arguments are due")
        self._count(args)
        return found(*args)

    def _count(self, parts: tuple[Any, ...]) -> None:
        """What is short in a file may be used again and again."""
        self._looked_at += sum([len(part) for part in parts if isinstance(part, (list, tuple, dict))])
        self._looked_at += sum([len(part) // 8 for part in parts if isinstance(part, (str, bytes))])
        if self._looked_at > MOST_STEPS:
            raise ValueError("its lists are used again and again")

    def _rebuild(
        self, storage: Any, offset: Any, size: Any, strides: Any, grad: Any, hooks: Any, marks: Any = None
    ) -> Any:
        return _marked_value(self._made(storage, offset, size, strides, None), marks)

    def _rebuild_typed(
        self,
        storage: Any,
        offset: Any,
        size: Any,
        strides: Any,
        grad: Any,
        hooks: Any,
        dtype: Any,
        marks: Any = None,
    ) -> Any:
        if not isinstance(dtype, DType):
            raise ValueError(f"a dtype is due, not {shown(str(dtype))}")
        return _marked_value(self._made(storage, offset, size, strides, dtype.name), marks)

    def _made(self, storage: Any, offset: Any, size: Any, strides: Any, dtype: str | None) -> Any:
        numbers = (offset, *size, *strides)
        if not isinstance(storage, Storage) or not all(type(n) is int and 0 <= n < 1 << 62 for n in numbers):
            raise ValueError(f"a tensor of size {shown(size)} and strides {shown(strides)}")
        return self._tensor(storage, offset, tuple(size), tuple(strides), dtype)


def _named(module: str, name: str) -> Any:
    """A dtype of torch is ours; any other name stands for itself."""
    if module == "torch" and name in _DTYPES:
        return dtypes.by_name(_DTYPES[name])
    return Name(module, name)


def refused(found: Any) -> ValueError:
    """What is said of something that is no data."""
    what = str(found)[:80] if isinstance(found, Name) else shown(found)
    return ValueError(
        f"it holds {what}, which weights do not need: nothing of the kind is made or run here. Save data, as "
        "model.state_dict() is: tensors, numbers, texts, lists, dicts, sets, arrays of NumPy"
    )


def _marked_value(made: Any, marks: Any) -> Any:
    """torch keeps a view that is negated or conjugated as the memory and a mark: z.conj(), z.conj().imag."""
    if made is None or not marks:
        return made
    if not isinstance(marks, dict) or not marks.keys() <= {"neg", "conj"}:
        raise ValueError(f"a tensor is marked {shown(marks)}, which is not known here")
    made = made.conj() if marks.get("conj") else made
    return -made if marks.get("neg") else made


def _pairs(items: list[Any]) -> dict[Any, Any]:
    if len(items) % 2:
        raise ValueError("a key has no value")
    return dict(zip(keys(items[::2]), items[1::2], strict=True))


def _storage(named: Any) -> Storage:
    """What a persistent name says: ("storage", kind, key, device, count), and once what it is a view of."""
    match named:
        case ("storage", Name(module="torch" | "torch.storage", name=kind), str(key), _, int(count)):
            return Storage(kind, key, count)
        case ("storage", Name(module="torch", name=kind), str(key), _, int(count), None):  # before 1.6
            return Storage(kind, key, count)
    raise ValueError(f"{shown(named)} is no storage")


#: instructions that push a value: one, or a new one each
_FRESH: Final = frozenset({"EMPTY_DICT", "EMPTY_LIST", "EMPTY_TUPLE", "EMPTY_SET"})
_PUSHED: Final[dict[str, Any]] = {
    "EMPTY_DICT": dict,
    "EMPTY_LIST": list,
    "EMPTY_TUPLE": tuple,
    "EMPTY_SET": set,
    "MARK": _MARK,
    "NONE": None,
    "NEWTRUE": True,
    "NEWFALSE": False,
}
_LITERALS: Final = frozenset({
    "BININT", "BININT1", "BININT2", "LONG1", "INT", "BINFLOAT", "BINUNICODE", "SHORT_BINUNICODE",
    "BINUNICODE8", "BINBYTES", "SHORT_BINBYTES", "BINBYTES8", "BYTEARRAY8", "BINSTRING", "SHORT_BINSTRING",
})  # fmt: skip
_SIZES: Final = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}
