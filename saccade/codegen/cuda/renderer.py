"""Linear code as CUDA C++.

    extern "C" __global__ void __launch_bounds__(256) map_1024(const u64 *table, u64 a0, u64 o0) { ... }

One variable for each value, one line for each instruction; the compiler does the rest. See
`runtime.cuda.plan` for the arguments, `lower_gpu` for the instructions."""

from __future__ import annotations

import math
import struct
from typing import Final

import numpy as np

from ...graph import dtypes
from ...graph.dtypes import DType
from ...graph.ops import Op
from ...runtime.memory.halves import from_float32
from ..linear.code import Block, Branch, Instruction, Loop, Memory, Value
from ..linear.gpu.code import GIVEN_FIRST, WARP, GpuCode
from ..linear.gpu.memory import VECTOR_SUMS
from ..linear.gpu.narrow import narrow_quotients
from .prelude import COMMON, FOLLOW, PRELUDE, ahead_line, kernel_head

_TYPES: Final = {
    dtypes.bool_: "bool", dtypes.uint8: "u8", dtypes.int8: "i8", dtypes.uint16: "u16", dtypes.int16: "i16",
    dtypes.uint32: "u32", dtypes.int32: "i32", dtypes.uint64: "u64", dtypes.int64: "i64",
    dtypes.float16: "u16", dtypes.bfloat16: "u16", dtypes.float8_e4m3: "u8", dtypes.float8_e5m2: "u8",
    dtypes.float32: "f32", dtypes.float64: "f64",
}  # fmt: skip
NARROW_NAMES: Final = {
    dtypes.float16: "f16",
    dtypes.bfloat16: "bf16",
    dtypes.float8_e4m3: "e4m3",
    dtypes.float8_e5m2: "e5m2",
}
_FUNCTIONS: Final = {
    Op.SQRT: "sqrt", Op.EXP: "exp", Op.EXP2: "exp2", Op.LOG: "log", Op.LOG2: "log2", Op.SIN: "sin",
    Op.COS: "cos", Op.EXPM1: "expm1", Op.LOG1P: "log1p",
    Op.TAN: "tan", Op.ASIN: "asin", Op.ACOS: "acos", Op.ATAN: "atan", Op.SINH: "sinh", Op.COSH: "cosh",
    Op.TANH: "tanh", Op.ERF: "erf", Op.FLOOR: "floor", Op.CEIL: "ceil", Op.TRUNC: "trunc", Op.ROUND: "rint",
    Op.ABS: "fabs", Op.POW: "pow", Op.ATAN2: "atan2", Op.FMA: "fma",
}  # fmt: skip
_FLOAT: Final = {Op.ADD: "+", Op.SUB: "-", Op.DIV: "/"}
_WORDS: Final = {Op.AND: "&", Op.OR: "|", Op.XOR: "^"}
_COMPARE: Final = {Op.LT: "<", Op.LE: "<=", Op.EQ: "==", Op.NE: "!="}
_LOGIC: Final = {
    Op.AND: "&&",
    Op.OR: "||",
    Op.XOR: "!=",
    Op.MAX: "||",
    Op.MIN: "&&",
    Op.ADD: "||",
    Op.MUL: "&&",
}
_WRAPPING: Final = {
    Op.ADD: "plus", Op.SUB: "minus", Op.MUL: "multiply", Op.IDIV: "divide_down",
    Op.TDIV: "divide_towards_zero", Op.IPOW: "power",
    Op.MOD: "rest_of", Op.SHL: "shift_left", Op.SHR: "shift_right",
}  # fmt: skip


def render(code: GpuCode) -> str:
    """The text of a module with this one kernel."""
    return Renderer(code).text()


def type_name(dtype: DType, width: int = 1) -> str:
    return _TYPES[dtype] if width == 1 else f"Vec<{_TYPES[dtype]}, {width}>"


def literal(value: bool | int | float, dtype: DType) -> str:
    if dtype in (dtypes.float32, dtypes.float64):
        return _float_literal(float(value), dtype)
    if dtype in NARROW_NAMES:
        return f"({_TYPES[dtype]}){_narrow_bits(float(value), dtype):#x}u"
    if dtype.is_bool:
        return "true" if value else "false"
    suffix = {64: "ll", 32: ""}.get(dtype.bits, "")
    if dtype.is_unsigned:
        return f"({_TYPES[dtype]}){int(value)}u{suffix}"
    if int(value) == dtype.min and dtype.bits >= 32:  # the magnitude of the smallest integer is no integer
        return f"({_TYPES[dtype]})({int(value) + 1}{suffix} - 1)"
    return f"({_TYPES[dtype]}){int(value)}{suffix}" if dtype.bits != 32 else str(int(value))


def _narrow_bits(value: float, dtype: DType) -> int:
    """The word of a narrow float: an instruction that rounds hides a constant from the compiler."""
    with np.errstate(over="ignore"):
        given = np.asarray(value, np.float32)
        if dtype is dtypes.float16:
            return int(given.astype(np.float16).view(np.uint16))
    return int(from_float32(given, dtype))


def _float_literal(value: float, dtype: DType) -> str:
    if dtype is dtypes.float32:
        try:
            value = struct.unpack("<f", struct.pack("<f", value))[0]
        except OverflowError:
            value = math.copysign(math.inf, value)
    if math.isfinite(value):
        return value.hex() + ("f" if dtype is dtypes.float32 else "")
    if dtype is dtypes.float32:
        bits = "0x7fc00000u" if value != value else "0x7f800000u" if value > 0 else "0xff800000u"
        return f"bits_as<f32>({bits})"
    bits = (
        "0x7ff8000000000000ull"
        if value != value
        else "0x7ff0000000000000ull"
        if value > 0
        else "0xfff0000000000000ull"
    )
    return f"bits_as<f64>({bits})"


#: part of the name of loads of what passes once
PASSING: Final = "_passing"


class Renderer:
    """Prints one kernel."""

    def __init__(self, code: GpuCode) -> None:
        self.code = code
        self.lines: list[str] = []
        self.depth = 1
        spread = code.stride > 1
        self.block_number = f"(u64)blockIdx.x * {code.stride}u % {code.grid}u" if spread else "blockIdx.x"
        self.narrowed: dict[Value, str] = {}  # what a bfloat16 was rounded from
        self.narrow = narrow_quotients(code.body)
        self.passing: list[str] = []  # where the open block read what passes once

    def text(self) -> str:
        code = self.code
        self.prologue()
        first, self.lines = self.lines, []
        self.block(code.body)
        follows = code.overlaps and not any("_once" in line for line in self.lines)
        if follows:
            asked = [ahead_line(address(slot), "blockIdx.x", share) for slot, share in code.ahead]
            first += [*asked, *([] if code.waits_late else [FOLLOW])]
        pairs = code.params + (1 if code.workspace else 0)
        head = kernel_head(code.name, pairs, code.teams * code.team, follows=follows)
        return "\n".join([PRELUDE, COMMON, head, *first, *self.lines, "}", ""])

    def prologue(self) -> None:
        code = self.code
        for memory in code.memories:
            self.lines.append(pointer(memory.dtype, memory.slot))
        team = f"(threadIdx.x / {code.team})" if code.teams > 1 else "0"
        if code.shared:
            self.line("extern __shared__ uint4 shared_memory[];")
            self.line(self.shared_line(0))
        if code.workspace:
            place = f"((u64)blockIdx.x * {code.teams} + {team}) * {code.workspace}"
            self.line(f"u8 *const workspace = buffer_at<u8>({address(code.params)}) + {place};")
        self.tile_lines()
        for variable in code.variables:
            self.line(f"{type_name(variable.dtype)} a_{variable.number};")

    def shared_line(self, start: int) -> str:
        """Where a team has its part of the shared memory, behind so many bytes that are others'."""
        team = f"threadIdx.x / {self.code.team} * {self.code.shared}" if self.code.teams > 1 else "0"
        return f"u8 *const shared = reinterpret_cast<u8 *>(shared_memory) + {start} + {team};"

    def tile_lines(self) -> None:
        for tile in self.code.tiles:
            name = type_name(tile.memory.dtype)
            if tile.space == "private":
                self.line(f"{name} {tile.memory.name}[{tile.elements}];")
            else:
                start = f"{tile.space} + {tile.memory.scratch_offset}"
                self.line(f"{name} *const {tile.memory.name} = reinterpret_cast<{name} *>({start});")

    # --- text

    def line(self, text: str) -> None:
        self.lines.append("  " * self.depth + text)

    def ref(self, value: Value) -> str:
        return literal(value.literal, value.dtype) if value.is_literal else f"v{value.number}"

    def assign(self, item: Instruction, text: str) -> None:
        self.line(f"const {type_name(item.made.dtype, item.made.width)} v{item.made.number} = {text};")

    # --- structure

    def body_text(self) -> str:
        """The body alone, with its variables: a part of another kernel."""
        self.depth = 2
        for variable in self.code.variables:
            self.line(f"{type_name(variable.dtype)} a_{variable.number};")
        self.block(self.code.body)
        return "\n".join(self.lines)

    def block(self, block: Block) -> None:
        around, self.passing = self.passing, []
        for item in block.items:
            if isinstance(item, Loop):
                self.loop(item)
            elif isinstance(item, Branch):
                self.line(f"if ({self.ref(item.condition)}) {{")
                self.inside(item.body)
            else:
                assert isinstance(item, Instruction), item
                getattr(self, "do_" + item.kind)(item)
        self.release()
        self.passing = around

    def release(self) -> None:
        """Behind all accesses, the last blocks of the grid leave the cache as they found it."""
        if self.passing:
            self.line(f"if ({self.block_number} >= {self.code.releases_from}) {{")
            for where in self.passing:
                self.line(f"  release({where});")
            self.line("}")

    def loop(self, loop: Loop) -> None:
        name, kind = f"v{loop.variable.number}", type_name(loop.variable.dtype)
        if loop.unroll:
            self.line(f"#pragma unroll {loop.unroll}")
        self.line(f"for ({kind} {name} = {self.ref(loop.begin)}; {name} < {self.ref(loop.end)}; ++{name}) {{")
        self.inside(loop.body)

    def inside(self, block: Block) -> None:
        self.depth += 1
        self.block(block)
        self.depth -= 1
        self.line("}")

    # --- instructions

    def place(self, memory: Memory, index: Value, offset: int) -> str:
        where = self.ref(index)
        return f"{memory.name} + {where}" + (f" + {offset}" if offset else "")

    def do_place(self, item: Instruction) -> None:
        team = self.code.team
        text = {
            "grid": self.block_number,
            "team": f"threadIdx.x / {team}",
            "thread": f"threadIdx.x % {team}" if self.code.teams > 1 else "threadIdx.x",
        }[item.arg]
        self.assign(item, f"({type_name(item.made.dtype)})({text})")

    def do_given(self, item: Instruction) -> None:
        self.assign(item, f"given_{'zmnkc'[item.arg - GIVEN_FIRST]}")

    def do_load(self, item: Instruction) -> None:
        memory, offset = item.arg
        where, width = self.place(memory, item.args[0], offset), item.made.width
        once = self.once(memory, width)
        if once == PASSING:
            self.passing.append(where)
        if width > 1:
            self.assign(item, f"load_many{once}<{width}>({where})")
        else:
            self.assign(item, f"load_once({where})" if once else f"*({where})")

    def once(self, memory: Memory, width: int) -> str:
        """How a load is named whose buffer the kernel does not write, or that comes by once."""
        if width > 1 and memory.slot in self.code.streamed and memory.slot in self.code.read_only:
            return PASSING
        return self.cached(memory)

    def cached(self, memory: Memory) -> str:
        """The same of a load that may not happen."""
        return "_once" if memory.slot in self.code.read_only and not self.code.early else ""

    def do_guarded_load(self, item: Instruction) -> None:
        memory, offset = item.arg
        where, width = self.place(memory, item.args[0], offset), item.made.width
        once = self.cached(memory)
        if width > 1:
            if once:
                self.assign(item, f"load_many_once_where<{width}>({self.ref(item.args[1])}, {where})")
                return
            value, nothing = f"load_many<{width}>({where})", f"{type_name(memory.dtype, width)}{{}}"
        else:
            value, nothing = f"load_once({where})" if once else f"*({where})", literal(0, memory.dtype)
        self.assign(item, f"{self.ref(item.args[1])} ? {value} : {nothing}")

    def do_store(self, item: Instruction) -> None:
        memory, offset = item.arg
        index, value = item.args
        where = self.place(memory, index, offset)
        if value.width > 1:
            self.line(f"store_many({where}, {self.ref(value)});")
        else:
            self.line(f"*({where}) = {self.ref(value)};")

    def do_atomic(self, item: Instruction) -> None:
        memory, offset, mode = item.arg
        index, value = item.args
        where, new = self.place(memory, index, offset), self.ref(value)
        dtype = memory.dtype
        if mode == "add" and dtype in VECTOR_SUMS and (value.width > 1 or dtype in NARROW_NAMES):
            kind = NARROW_NAMES.get(dtype, "f32")
            many = new if value.width > 1 else f"Vec<{type_name(dtype)}, 1>{{{{{new}}}}}"
            self.line(f"atomic_add_{kind}<{value.width}>({where}, {many});")
            return
        if mode == "add" and dtype.bits >= 32 and not dtype.is_bool:
            self.line(f"atomic_add({where}, {new});")
            return
        name = type_name(dtype)
        old, fresh = (
            ("old", new)
            if dtype not in NARROW_NAMES
            else (f"{NARROW_NAMES[dtype]}_to_f32(old)", f"{NARROW_NAMES[dtype]}_to_f32({new})")
        )
        wide = dtypes.float32 if dtype in NARROW_NAMES else dtype
        op = {"add": Op.ADD, "mul": Op.MUL, "max": Op.MAX, "min": Op.MIN}[mode]
        made = expression(op, [old, fresh], [wide, wide], True)
        made = f"f32_to_{NARROW_NAMES[dtype]}({made})" if dtype in NARROW_NAMES else made
        self.line(f"atomic_update({where}, [=]({name} old) -> {name} {{ return {made}; }});")

    def do_extract(self, item: Instruction) -> None:
        self.assign(item, f"{self.ref(item.args[0])}.at[{item.arg}]")

    def do_pack(self, item: Instruction) -> None:
        self.assign(item, "{{" + ", ".join(self.ref(a) for a in item.args) + "}}")

    def do_get(self, item: Instruction) -> None:
        self.assign(item, f"a_{item.arg.number}")

    def do_set(self, item: Instruction) -> None:
        self.line(f"a_{item.arg.number} = {self.ref(item.args[0])};")

    def do_barrier(self, item: Instruction) -> None:
        self.line(f"team_barrier({item.arg});")

    def do_follow(self, item: Instruction) -> None:
        if self.code.waits_late:
            begun = " && ".join(f"{self.ref(variable)} == 0" for variable in item.args)
            self.line(f"if ({begun}) follow();" if begun else "follow();")

    def do_any(self, item: Instruction) -> None:
        self.assign(item, f"warp_any({self.ref(item.args[0])})")

    def do_least(self, item: Instruction) -> None:
        self.assign(item, f"least({self.typed(item.args[0])}, {self.typed(item.args[1])})")

    def do_most(self, item: Instruction) -> None:
        self.assign(item, f"most({self.typed(item.args[0])}, {self.typed(item.args[1])})")

    def do_shuffle(self, item: Instruction) -> None:
        self.assign(item, f"shuffle_xor({self.typed(item.args[0])}, {item.arg})")

    def do_dot(self, item: Instruction) -> None:
        kinds = ", ".join("i8" if signed else "u8" for signed in item.arg)
        *words, total = map(self.ref, item.args)
        self.assign(item, f"dot_bytes<{kinds}>({', '.join(f'(u32)({word})' for word in words)}, {total})")

    def do_permute(self, item: Instruction) -> None:
        (word, start), (rest, to) = map(self.ref, item.args), item.arg
        self.assign(item, f"put_byte<{to}>({word}, {start}, {rest:#x}u)")

    def do_leave(self, item: Instruction) -> None:
        thread = f"threadIdx.x % {self.code.team}" if self.code.teams > 1 else "threadIdx.x"
        place = f"{item.arg.name}[{thread} / {WARP}]"
        self.line(f"if (threadIdx.x % {WARP} == 0) {place} = {self.ref(item.args[0])};")

    def do_collect(self, item: Instruction) -> None:
        memory, warps = item.arg
        self.assign(item, f"{memory.name}[threadIdx.x % {warps}]")

    def do_bitcast(self, item: Instruction) -> None:
        self.assign(item, f"bits_as<{type_name(item.made.dtype)}>({self.typed(item.args[0])})")

    def do_cast(self, item: Instruction) -> None:
        (given,), target = item.args, item.made.dtype
        value = self.typed(given)
        if given.dtype is dtypes.float32 and target is dtypes.bfloat16:
            self.narrowed[item.made] = value
        if given in self.narrowed and target is dtypes.float32:
            self.assign(item, f"bf16_rounded({self.narrowed[given]})")
        else:
            self.assign(item, cast(value, given.dtype, target))

    def typed(self, value: Value) -> str:
        """The value where a template deduces its type."""
        return f"({type_name(value.dtype)})({self.ref(value)})" if value.is_literal else self.ref(value)

    def do_alu(self, item: Instruction) -> None:
        op, contract = item.arg
        args = [self.typed(a) for a in item.args]
        if item.made in self.narrow:
            over, under = args if op is Op.DIV else (literal(1.0, dtypes.float32), args[0])
            self.assign(item, f"quotient_within_2_ulp({over}, {under})")
            return
        self.assign(item, expression(op, args, [a.dtype for a in item.args], contract))


def pointer(dtype: DType, slot: int) -> str:
    """The line that finds a buffer."""
    name = type_name(dtype)
    return f"  {name} *const p{slot} = buffer_at<{name}>({address(slot)});"


def address(number: int) -> str:
    return f"ADDRESS(a{number}, o{number})"


def cast(value: str, source: DType, target: DType) -> str:
    """The text of a conversion."""
    if source is target:
        return value
    if source in NARROW_NAMES:
        return f"{NARROW_NAMES[source]}_to_f32({value})"
    if target in NARROW_NAMES:
        return f"f32_to_{NARROW_NAMES[target]}({value})"
    if target.is_bool:
        return f"{value} != 0"
    if source.bits == 8 and source.is_int and target is dtypes.float32:
        return f"byte_to_f32({value})"
    if source.is_float and not target.is_float:
        return f"to_{_TYPES[target]}({value})"
    return f"({_TYPES[target]})({value})"


def expression(op: Op, args: list[str], types: list[DType], contract: bool) -> str:
    """The text of an elementwise op."""
    dtype = types[-1]
    if op is Op.WHERE:
        return f"{args[0]} ? {args[1]} : {args[2]}"
    if op in _COMPARE:
        return f"{args[0]} {_COMPARE[op]} {args[1]}"
    if dtype.is_bool:
        return f"!{args[0]}" if op is Op.NOT else f"{args[0]} {_LOGIC[op]} {args[1]}"
    if dtype.is_float:
        return _float_expression(op, args, dtype, contract)
    name = _TYPES[dtype]
    if op is Op.MUL:  # by -1 it is a negative, which has a text of its own
        one = literal(dtype.max if dtype.is_unsigned else -1, dtype)
        others = [arg for arg in args if arg not in (one, f"({name})({one})")]
        op, args = (Op.NEG, others) if len(others) == 1 else (op, args)
    if op in _WRAPPING:
        return f"{_WRAPPING[op]}<{name}>({args[0]}, {args[1]})"
    if op in _WORDS:
        return f"({name})({args[0]} {_WORDS[op]} {args[1]})"
    if op is Op.NOT:
        return f"({name})~{args[0]}"
    if op is Op.NEG:
        return f"negative<{name}>({args[0]})"
    if op is Op.ABS:
        return args[0] if dtype.is_unsigned else f"magnitude<{name}>({args[0]})"
    return f"{'maximum' if op is Op.MAX else 'minimum'}<{name}>({args[0]}, {args[1]})"


def _float_expression(op: Op, args: list[str], dtype: DType, contract: bool) -> str:
    if op is Op.MUL:
        return f"{args[0]} * {args[1]}" if contract else f"times({args[0]}, {args[1]})"
    if op is Op.DIV and dtype is dtypes.float32 and args[0].startswith("v"):  # no constant
        return f"quotient({args[0]}, {args[1]})"
    if op in _FLOAT:
        return f"{args[0]} {_FLOAT[op]} {args[1]}"
    if op is Op.NEG:
        return f"-{args[0]}"
    if op is Op.ISNAN:
        return f"{args[0]} != {args[0]}"
    if op is Op.RECIP:
        return f"{literal(1.0, dtype)} / {args[0]}"
    if op is Op.MOD:
        return f"rest_of({args[0]}, {args[1]})"
    if op is Op.MAX or op is Op.MIN:
        return f"{'maximum' if op is Op.MAX else 'minimum'}({args[0]}, {args[1]})"
    return f"{_FUNCTIONS[op]}{'f' if dtype is dtypes.float32 else ''}({', '.join(args)})"
