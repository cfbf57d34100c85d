"""Linear code as LLVM IR.

The function has the signature every CPU kernel has, `void name(ptr params, i64 begin, i64 end, ptr scratch)`.
Accumulators are stack slots that LLVM turns into registers. bool is i1 in registers and i8 in memory.
"""

from __future__ import annotations

import struct

from ...graph import dtypes
from ...graph.dtypes import DType
from ...graph.ops import Op
from ...runtime.cpu.machine import host_registers
from ..linear.code import Block, Branch, Code, Instruction, Loop, Memory, Repeat, Value

#: enough zeros for the widest vector: what a guarded load reads where it must not read
ZEROS = 512


def render(code: Code) -> str:
    """The text of a module with this one function."""
    return Renderer(code).text()


def type_name(dtype: DType, width: int = 1, *, in_memory: bool = False) -> str:
    if dtype.is_bool:
        name = "i8" if in_memory else "i1"
    elif dtype is dtypes.float64:
        name = "double"
    elif dtype is dtypes.float32:
        name = "float"
    elif dtype is dtypes.float16:
        name = "half"
    else:  # integers; bfloat16 and float8 travel as their bits
        name = f"i{dtype.bits}"
    return name if width == 1 else f"<{width} x {name}>"


def literal(value: bool | int | float, dtype: DType) -> str:
    if dtype.is_float and dtype in (dtypes.float64, dtypes.float32, dtypes.float16):
        number = float(value)
        if dtype is dtypes.float32:
            number = _round_to_float32(number)
        if dtype is dtypes.float16:
            return f"0xH{struct.unpack('<H', _half_bits(number))[0]:04X}"
        return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"
    if dtype.is_bool:
        return "true" if value else "false"
    return str(int(value))


def _round_to_float32(number: float) -> float:
    try:
        return float(struct.unpack("<f", struct.pack("<f", number))[0])
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def _half_bits(number: float) -> bytes:
    try:
        return struct.pack("<e", number)
    except OverflowError:
        return struct.pack("<e", float("inf") if number > 0 else float("-inf"))


class Renderer:
    def __init__(self, code: Code) -> None:
        self.code = code
        self.lines: list[str] = []
        self.labels = 0
        self.temporaries = 0
        self.declared: dict[str, str] = {}
        self.pointers: dict[tuple[str, str, DType], str] = {}
        self.loaded: dict[int, str] = {}

    def text(self) -> str:
        code = self.code
        self.block(code.body)
        body = self.lines
        self.lines = []
        self.prologue()
        declares = "\n".join(self.declared.values())
        begin, end = f"i64 %v{code.begin.number}", f"i64 %v{code.end.number}"
        head = f"define void @{code.name}(ptr noalias %params, {begin}, {end}, ptr noalias %scratch) {{"
        lines = "\n".join(self.lines + body)
        return f"{head}\nentry:\n{lines}\n  ret void\n}}\n{declares}\n"

    def prologue(self) -> None:
        for variable in self.code.variables:
            self.line(f"%a{variable.number} = alloca {type_name(variable.dtype, variable.width)}, align 64")
        if any(kind == "zeros" for kind in self.declared):
            self.line(f"%zeros = alloca [{ZEROS} x i8], align 64")
            self.line(f"call void @llvm.memset.p0.i64(ptr %zeros, i8 0, i64 {ZEROS}, i1 false)")
            self.declared["memset"] = "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"
            del self.declared["zeros"]
        for memory in self.code.memories:
            if memory.slot >= 0:
                self.line(f"%{memory.name}.slot = getelementptr ptr, ptr %params, i64 {memory.slot}")
                self.line(f"%{memory.name} = load ptr, ptr %{memory.name}.slot, align 8")
            else:
                self.line(f"%{memory.name} = getelementptr i8, ptr %scratch, i64 {memory.scratch_offset}")

    # --- text

    def line(self, text: str) -> None:
        self.lines.append("  " + text)

    def label(self) -> str:
        self.labels += 1
        return f"L{self.labels}"

    def temp(self) -> str:
        self.temporaries += 1
        return f"%t{self.temporaries}"

    def define(self, text: str) -> str:
        name = self.temp()
        self.line(f"{name} = {text}")
        return name

    def intrinsic(self, name: str, result: str, args: list[tuple[str, str]], flags: str = "") -> str:
        """Text of a call, its declaration noted."""
        self.declared[name] = f"declare {result} @{name}({', '.join(t for t, _ in args)})"
        return f"call {flags}{result} @{name}({', '.join(f'{t} {a}' for t, a in args)})"

    def ref(self, value: Value) -> str:
        if not value.is_literal:
            return f"%v{value.number}"
        text = literal(value.literal, value.dtype)
        if value.width == 1:
            return text
        return "splat (" + type_name(value.dtype) + " " + text + ")"

    # --- structure

    def block(self, block: Block) -> None:
        for item in block.items:
            if isinstance(item, Loop):
                self.loop(item)
            elif isinstance(item, Repeat):
                self.repeat(item)
            elif isinstance(item, Branch):
                self.branch(item)
            else:
                self.instruction(item)

    def loop(self, loop: Loop) -> None:
        before, head, body, after = (self.label() for _ in range(4))
        variable = f"%v{loop.variable.number}"
        self.line(f"br label %{before}")
        self.lines.append(f"{before}:")
        self.line(f"br label %{head}")
        self.lines.append(f"{head}:")
        latch = f"{head}.latch"
        self.line(
            f"{variable} = phi i64 [ {self.ref(loop.begin)}, %{before} ], [ {variable}.next, %{latch} ]"
        )
        going = self.define(f"icmp slt i64 {variable}, {self.ref(loop.end)}")
        self.line(f"br i1 {going}, label %{body}, label %{after}")
        self.region(body, loop.body, latch)
        self.lines.append(f"{latch}:")
        self.line(f"{variable}.next = add nsw i64 {variable}, 1")
        self.line(f"br label %{head}")
        self.begin(after)

    def repeat(self, repeat: Repeat) -> None:
        head, body, after = (self.label() for _ in range(3))
        kind = type_name(repeat.variable.dtype)
        self.line(f"br label %{head}")
        self.lines.append(f"{head}:")
        left = self.define(f"load {kind}, ptr %a{repeat.variable.number}")
        going = self.define(f"icmp ne {kind} {left}, 0")
        self.line(f"br i1 {going}, label %{body}, label %{after}")
        self.region(body, repeat.body, head)
        self.begin(after)

    def branch(self, branch: Branch) -> None:
        yes, after = self.label(), self.label()
        self.line(f"br i1 {self.ref(branch.condition)}, label %{yes}, label %{after}")
        self.region(yes, branch.body, after)
        self.begin(after)

    def region(self, name: str, body: Block, after: str) -> None:
        """A body that begins at a label and goes on at another."""
        self.begin(name)
        self.block(body)
        self.line(f"br label %{after}")

    def begin(self, name: str) -> None:
        """Go on at a label, where no address that was computed before it is at hand."""
        self.lines.append(f"{name}:")
        self.pointers.clear()

    # --- instructions

    def instruction(self, item: Instruction) -> None:
        getattr(self, "do_" + item.kind)(item)

    def assign(self, item: Instruction, text: str) -> None:
        assert item.result is not None
        self.line(f"%v{item.result.number} = {text}")

    def pointer(self, memory: Memory, index: Value, offset: int) -> str:
        key = (memory.name, self.ref(index), memory.dtype)
        element = type_name(memory.dtype, in_memory=True)
        base = self.pointers.get(key)
        if base is None:
            base = self.pointers[key] = self.define(
                f"getelementptr inbounds {element}, ptr %{memory.name}, i64 {self.ref(index)}"
            )
        if offset == 0:
            return base
        return self.define(f"getelementptr inbounds {element}, ptr {base}, i64 {offset}")

    def do_load(self, item: Instruction) -> None:
        memory, offset = item.arg
        self._read(item, self.pointer(memory, item.args[0], offset), memory.dtype)

    def _read(self, item: Instruction, pointer: str, dtype: DType) -> None:
        assert item.result is not None
        width = item.result.width
        self.loaded[item.result.number] = pointer
        text = f"load {type_name(dtype, width, in_memory=True)}, ptr {pointer}, align {dtype.itemsize}"
        if dtype.is_bool:
            byte = self.define(text)
            text = f"trunc {type_name(dtype, width, in_memory=True)} {byte} to {type_name(dtype, width)}"
        self.assign(item, text)

    def do_again(self, item: Instruction) -> None:
        (value,) = item.args
        kind, place = type_name(value.dtype, value.width), self.loaded[value.number]
        # volatile: LLVM would take a second load of the same place for waste
        self.assign(item, f"load volatile {kind}, ptr {place}, align {value.dtype.itemsize}")

    def do_prefetch(self, item: Instruction) -> None:
        memory, _ = item.arg
        element, index = type_name(memory.dtype, in_memory=True), self.ref(item.args[0])
        # not inbounds: the row after the last is nobody's
        place = ("ptr", self.define(f"getelementptr {element}, ptr %{memory.name}, i64 {index}"))
        self.line(
            self.intrinsic("llvm.prefetch.p0", "void", [place, ("i32", "0"), ("i32", "3"), ("i32", "1")])
        )

    def do_guarded_load(self, item: Instruction) -> None:
        memory, offset = item.arg
        self.declared["zeros"] = ""
        assert item.result is not None
        itemsize = memory.dtype.itemsize
        # neighbours of one element under one condition share the choice, as far as the zeros go
        shared = offset >= 0 and (offset + item.result.width) * itemsize <= ZEROS
        pointer = self.pointer(memory, item.args[0], 0 if shared else offset)
        condition = self.ref(item.args[1])
        key = (pointer, condition, memory.dtype)
        safe = self.pointers.get(key)
        if safe is None:
            safe = self.pointers[key] = self.define(f"select i1 {condition}, ptr {pointer}, ptr %zeros")
        if shared and offset:
            element = type_name(memory.dtype, in_memory=True)
            safe = self.define(f"getelementptr inbounds {element}, ptr {safe}, i64 {offset}")
        self._read(item, safe, memory.dtype)

    def do_masked_load(self, item: Instruction) -> None:
        from .llvm_alu import masked_load_text

        self.assign(item, masked_load_text(self, item))

    def do_store(self, item: Instruction) -> None:
        memory, offset = item.arg
        index, value = item.args
        pointer = self.pointer(memory, index, offset)
        in_memory = type_name(memory.dtype, value.width, in_memory=True)
        text = self.ref(value)
        if memory.dtype.is_bool:
            text = self.define(f"zext {type_name(memory.dtype, value.width)} {text} to {in_memory}")
        self.line(f"store {in_memory} {text}, ptr {pointer}, align {memory.dtype.itemsize}")

    def do_get(self, item: Instruction) -> None:
        variable = item.arg
        self.assign(item, f"load {type_name(variable.dtype, variable.width)}, ptr %a{variable.number}")

    def do_set(self, item: Instruction) -> None:
        variable = item.arg
        value = item.args[0]
        self.line(
            f"store {type_name(variable.dtype, variable.width)} {self.ref(value)}, ptr %a{variable.number}"
        )

    def do_splat(self, item: Instruction) -> None:
        assert item.result is not None
        (scalar,) = item.args
        name, width = type_name(scalar.dtype), item.result.width
        whole = f"<{width} x {name}>"
        one = self.define(f"insertelement {whole} poison, {name} {self.ref(scalar)}, i32 0")
        self.assign(
            item,
            f"shufflevector {whole} {one}, {whole} poison, <{width} x i32> zeroinitializer",
        )

    def do_lanes(self, item: Instruction) -> None:
        assert item.result is not None
        name, width = type_name(item.result.dtype), item.result.width
        text = ", ".join(f"{name} {literal(v, item.result.dtype)}" for v in item.arg)
        whole = f"<{width} x {name}>"
        self.assign(item, f"select i1 true, {whole} <{text}>, {whole} zeroinitializer")

    def do_extract(self, item: Instruction) -> None:
        (vector,) = item.args
        self.assign(
            item, f"extractelement {type_name(vector.dtype, vector.width)} {self.ref(vector)}, i32 {item.arg}"
        )

    def do_pack(self, item: Instruction) -> None:
        assert item.result is not None
        whole = type_name(item.result.dtype, item.result.width)
        current = "poison"
        for lane, scalar in enumerate(item.args):
            text = (
                f"insertelement {whole} {current}, {type_name(scalar.dtype)} {self.ref(scalar)}, i32 {lane}"
            )
            if lane == len(item.args) - 1:
                self.assign(item, text)
            else:
                current = self.define(text)

    def do_reverse(self, item: Instruction) -> None:
        (vector,) = item.args
        whole, width = type_name(vector.dtype, vector.width), vector.width
        lanes = ", ".join(f"i32 {lane}" for lane in reversed(range(width)))
        self.assign(
            item, f"shufflevector {whole} {self.ref(vector)}, {whole} poison, <{width} x i32> <{lanes}>"
        )

    def do_shuffle(self, item: Instruction) -> None:
        a, b = item.args
        whole = type_name(a.dtype, a.width)
        lanes = ", ".join(f"i32 {lane}" if lane >= 0 else "i32 poison" for lane in item.arg)
        self.assign(
            item,
            f"shufflevector {whole} {self.ref(a)}, {whole} {self.ref(b)}, <{len(item.arg)} x i32> <{lanes}>",
        )

    def do_shift(self, item: Instruction) -> None:
        vector, scalar = item.args
        whole, width = type_name(vector.dtype, vector.width), vector.width
        first = self.define(
            f"insertelement {whole} poison, {type_name(scalar.dtype)} {self.ref(scalar)}, i32 0"
        )
        lanes = ", ".join(f"i32 {lane}" for lane in (width, *range(width - 1)))
        self.assign(
            item, f"shufflevector {whole} {self.ref(vector)}, {whole} {first}, <{width} x i32> <{lanes}>"
        )

    def do_any(self, item: Instruction) -> None:
        (vector,) = item.args
        whole = type_name(vector.dtype, vector.width)
        self.assign(
            item,
            self.intrinsic(f"llvm.vector.reduce.or.v{vector.width}i1", "i1", [(whole, self.ref(vector))]),
        )

    def do_bits(self, item: Instruction) -> None:
        width, current = item.args[0].width, [self.ref(vector) for vector in item.args]
        while len(current) & (len(current) - 1):
            current.append("zeroinitializer")
        while len(current) > 1:
            lanes = ", ".join(f"i32 {lane}" for lane in range(2 * width))
            kind, pairs = f"<{width} x i1>", zip(current[::2], current[1::2], strict=True)
            width *= 2
            current = [
                self.define(f"shufflevector {kind} {a}, {kind} {b}, <{width} x i32> <{lanes}>")
                for a, b in pairs
            ]
        word = self.define(f"bitcast <{width} x i1> {current[0]} to i{width}")
        self.assign(item, f"zext i{width} {word} to i64" if width < 64 else f"or i64 {word}, 0")

    def do_first_bit(self, item: Instruction) -> None:
        word = ("i64", self.ref(item.args[0]))
        self.assign(item, self.intrinsic("llvm.cttz.i64", "i64", [word, ("i1", "false")]))

    def do_horizontal(self, item: Instruction) -> None:
        (vector,) = item.args
        dtype, width = vector.dtype, vector.width
        scalar, whole, args = (
            type_name(dtype),
            type_name(dtype, width),
            [(type_name(dtype, width), self.ref(vector))],
        )
        suffix = f"v{width}{_suffix(dtype)}"
        if dtype.is_float:
            if item.arg in ("add", "mul"):
                start = (scalar, literal(-0.0 if item.arg == "add" else 1.0, dtype))
                text = self.intrinsic(
                    f"llvm.vector.reduce.f{item.arg}.{suffix}", scalar, [start, *args], "reassoc "
                )
            else:
                text = self.intrinsic(f"llvm.vector.reduce.f{item.arg}imum.{suffix}", scalar, args)
        elif dtype.is_bool:
            word = {"add": "or", "mul": "and", "max": "or", "min": "and"}[item.arg]
            text = self.intrinsic(
                f"llvm.vector.reduce.{word}.v{width}i1", scalar, [(whole, self.ref(vector))]
            )
        else:
            sign = "" if item.arg in ("add", "mul") else "u" if dtype.is_unsigned else "s"
            text = self.intrinsic(f"llvm.vector.reduce.{sign}{item.arg}.{suffix}", scalar, args)
        self.assign(item, text)

    def do_repeated(self, item: Instruction) -> None:
        """A short vector again and again."""
        assert item.result is not None
        (short,) = item.args
        whole, width = type_name(short.dtype, short.width), item.result.width
        lanes = ", ".join(f"i32 {lane % short.width}" for lane in range(width))
        self.assign(
            item, f"shufflevector {whole} {self.ref(short)}, {whole} poison, <{width} x i32> <{lanes}>"
        )

    def do_dot(self, item: Instruction) -> None:
        """By registers: LLVM has these instructions for single ones."""
        assert item.result is not None
        width = item.result.width
        size = min(width, host_registers().bytes // 4 if item.arg == "vpdpbusd" else 4)
        pieces = [self._dot(item, at, size) for at in range(0, width, size)]
        while len(pieces) > 1:
            kind, lanes = f"<{size} x i32>", ", ".join(f"i32 {i}" for i in range(2 * size))
            pieces = [
                self.define(f"shufflevector {kind} {a}, {kind} {b}, <{2 * size} x i32> <{lanes}>")
                for a, b in zip(pieces[::2], pieces[1::2], strict=True)
            ]
            size *= 2
        self.assign(item, f"or <{width} x i32> {pieces[0]}, zeroinitializer")

    def _dot(self, item: Instruction, at: int, size: int) -> str:
        """`size` sums from lane `at` on."""
        sums, *factors = item.args
        parts = [self._part(sums, at, size), *(self._part(factor, 4 * at, 4 * size) for factor in factors)]
        whole, of_bytes = f"<{size} x i32>", f"<{4 * size} x i8>"
        if item.arg == "vpdpbusd":  # takes the bytes as words
            words = [self.define(f"bitcast {of_bytes} {part} to {whole}") for part in parts[1:]]
            typed = [(whole, part) for part in (parts[0], *words)]
            return self.define(self.intrinsic(f"llvm.x86.avx512.vpdpbusd.{32 * size}", whole, typed))
        typed = list(zip((whole, of_bytes, of_bytes), parts, strict=True))
        return self.define(self.intrinsic(f"llvm.aarch64.neon.{item.arg}.v4i32.v16i8", whole, typed))

    def _part(self, value: Value, at: int, size: int) -> str:
        """Some neighbouring lanes of a vector."""
        if value.width == size or value.is_literal:
            return self.ref(value)
        kind, lanes = type_name(value.dtype, value.width), ", ".join(f"i32 {at + i}" for i in range(size))
        return self.define(f"shufflevector {kind} {self.ref(value)}, {kind} poison, <{size} x i32> <{lanes}>")

    def do_bitcast(self, item: Instruction) -> None:
        assert item.result is not None
        (value,) = item.args
        source, target = type_name(value.dtype, value.width), type_name(item.result.dtype, item.result.width)
        self.assign(item, f"bitcast {source} {self.ref(value)} to {target}")

    def do_cast(self, item: Instruction) -> None:
        assert item.result is not None
        (value,) = item.args
        self.assign(item, self.cast_text(self.ref(value), value.dtype, item.result.dtype, value.width))

    def cast_text(self, value: str, source: DType, target: DType, width: int) -> str:
        s, t = type_name(source, width), type_name(target, width)
        zero = "zeroinitializer" if width > 1 else (literal(0, source))
        if target.is_bool:
            return f"fcmp une {s} {value}, {zero}" if source.is_float else f"icmp ne {s} {value}, {zero}"
        if source.is_float and target.is_float:
            return f"{'fpext' if target.bits > source.bits else 'fptrunc'} {s} {value} to {t}"
        if source.is_float:
            word = "fptoui" if target.is_unsigned else "fptosi"
            suffix = (
                f"v{width}{_suffix(target)}.v{width}{_suffix(source)}"
                if width > 1
                else f"{_suffix(target)}.{_suffix(source)}"
            )
            return self.intrinsic(f"llvm.{word}.sat.{suffix}", t, [(s, value)])
        unsigned = source.is_unsigned or source.is_bool
        if target.is_float:
            return f"{'uitofp' if unsigned else 'sitofp'} {s} {value} to {t}"
        source_bits = 1 if source.is_bool else source.bits
        if target.bits == source_bits:
            return f"bitcast {s} {value} to {t}"
        word = "trunc" if target.bits < source_bits else "zext" if unsigned else "sext"
        return f"{word} {s} {value} to {t}"

    def do_alu(self, item: Instruction) -> None:
        op, contract = item.arg
        assert item.result is not None
        from .llvm_alu import alu_text

        self.assign(item, alu_text(self, op, item.args, item.result, contract))

    def do_quotient(self, item: Instruction) -> None:
        from .llvm_alu import quotient_text

        x, y, reciprocal, window = (self.ref(a) for a in item.args)
        self.assign(item, quotient_text(self, item.args[0].width, x, y, reciprocal, window))


def _suffix(dtype: DType) -> str:
    return f"f{dtype.bits}" if dtype.is_float else f"i{1 if dtype.is_bool else dtype.bits}"


__all__ = ["Op", "render"]
