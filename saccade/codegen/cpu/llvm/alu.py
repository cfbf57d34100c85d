"""Elementwise ops as LLVM instructions and intrinsics.

Division and shifts are made total here: x // 0 is 0, x % 0 is x, a shift by the width or more is 0 (or the
sign), because LLVM leaves those cases undefined.
"""

from __future__ import annotations

from collections.abc import Callable

from ....graph import dtypes
from ....graph.dtypes import DType
from ....graph.node import Node
from ....graph.ops import Op
from ....runtime.cpu.machine import host_registers
from ...linear.code import Instruction, Value
from ...numerics.double import DOUBLE_FUNCTIONS
from ...numerics.far import FAR
from ...numerics.quotient import START
from .text import Text, lanes_of, shuffled, suffix_of, type_name

_FLOAT = {Op.ADD: "fadd", Op.SUB: "fsub", Op.MUL: "fmul", Op.DIV: "fdiv"}
_INT = {Op.ADD: "add", Op.SUB: "sub", Op.MUL: "mul", Op.AND: "and", Op.OR: "or", Op.XOR: "xor"}
_BOOL = {
    Op.AND: "and", Op.OR: "or", Op.XOR: "xor", Op.MAX: "or", Op.MIN: "and", Op.ADD: "or", Op.MUL: "and",
}  # fmt: skip
_INTRINSIC = {
    Op.SQRT: "sqrt", Op.FLOOR: "floor", Op.CEIL: "ceil", Op.TRUNC: "trunc", Op.ROUND: "roundeven", Op.ABS:
    "fabs", Op.EXP: "exp", Op.EXP2: "exp2", Op.LOG: "log", Op.LOG2: "log2", Op.SIN: "sin", Op.COS: "cos",
    Op.TAN: "tan", Op.ASIN: "asin", Op.ACOS: "acos", Op.ATAN: "atan", Op.SINH: "sinh", Op.COSH: "cosh",
    Op.TANH: "tanh", Op.POW: "pow", Op.MAX: "maximum", Op.MIN: "minimum", Op.FMA: "fma", Op.ATAN2: "atan2",
}  # fmt: skip
#: functions of the C library that LLVM has no intrinsic for
_OF_C = {Op.ERF: "erf", Op.EXPM1: "expm1", Op.LOG1P: "log1p"}
_COMPARE_FLOAT = {Op.LT: "olt", Op.LE: "ole", Op.EQ: "oeq", Op.NE: "une"}


def alu_text(r: Text, op: Op, args: tuple[Value, ...], contract: bool) -> str:
    """The right-hand side of the instruction that computes `op`."""
    dtype, width = args[-1].dtype, args[0].width
    name = type_name(dtype, width)
    refs = [r.ref(a) for a in args]
    if op is Op.WHERE:
        condition = type_name(args[0].dtype, width)
        if dtype.is_float and dtype.bits == 64 and any(a.is_literal and a.literal == 0 for a in args[1:]):
            return _chosen_bits(r, condition, refs, name, dtype, width)
        return f"select {condition} {refs[0]}, {name} {refs[1]}, {name} {refs[2]}"
    if op in (Op.LT, Op.LE, Op.EQ, Op.NE):
        return f"{_compare(op, dtype)} {name} {refs[0]}, {refs[1]}"
    if dtype.is_float:
        return _float_text(r, op, args, refs, name, contract)
    if dtype.is_bool:
        return _bool_text(op, refs, name)
    return _int_text(r, op, args, refs, name)


def _chosen_bits(r: Text, condition: str, refs: list[str], name: str, dtype: DType, width: int) -> str:
    """A choice between a float and zero, as words: of `x < 0 ? x : 0` in float64 LLVM makes a minimum for
    NEON, which is -0 where x is."""
    words = f"i{dtype.bits}" if width == 1 else f"<{width} x i{dtype.bits}>"
    first, second = (r.define(f"bitcast {name} {ref} to {words}") for ref in refs[1:])
    chosen = r.define(f"select {condition} {refs[0]}, {words} {first}, {words} {second}")
    return f"bitcast {words} {chosen} to {name}"


def _compare(op: Op, dtype: DType) -> str:
    if dtype.is_float:
        return f"fcmp {_COMPARE_FLOAT[op]}"
    sign = "u" if dtype.is_unsigned or dtype.is_bool else "s"
    word = {Op.LT: f"{sign}lt", Op.LE: f"{sign}le", Op.EQ: "eq", Op.NE: "ne"}[op]
    return f"icmp {word}"


def _float_text(r: Text, op: Op, args: tuple[Value, ...], refs: list[str], name: str, contract: bool) -> str:
    flags = "contract " if contract else ""
    dtype, width = args[0].dtype, args[0].width
    if op in _FLOAT:
        return f"{_FLOAT[op]} {flags}{name} {refs[0]}, {refs[1]}"
    if op is Op.NEG:
        return f"fneg {name} {refs[0]}"
    if op is Op.ISNAN:
        return f"fcmp uno {name} {refs[0]}, {refs[0]}"
    if op is Op.RECIP:
        return f"fdiv {name} {lanes_of(1.0, dtype, width)}, {refs[0]}"
    suffix = f"v{width}{suffix_of(dtype)}" if width > 1 else suffix_of(dtype)
    if op is Op.MOD:
        return _float_mod(r, dtype, refs, name, suffix)
    if op in _OF_C:
        return _by_lane(r, _OF_C[op] if dtype.bits == 64 else f"{_OF_C[op]}f", args, refs)
    if op in _AT_ZERO and (dtype.bits == 32 or op in DOUBLE_FUNCTIONS):
        return _seldom(r, op, args, refs, name)
    nbytes = width * dtype.itemsize
    if (
        op is Op.FMA
        and args[2].is_literal
        and host_registers().by_lane
        and nbytes % host_registers().bytes == 0
    ):
        refs[2] = r.addend(refs[2], name, nbytes)
    # of zeros of both signs either will do: x86 would compare signs in six instructions, not three
    either = "nsz " if op in (Op.MAX, Op.MIN) and not any(a.is_literal for a in args) else ""
    return r.intrinsic(f"llvm.{_INTRINSIC[op]}.{suffix}", name, [(name, ref) for ref in refs], either)


def _float_mod(r: Text, dtype: DType, refs: list[str], name: str, suffix: str) -> str:
    """x - floor(x / y) * y with the sign of y, as in Python, rounded once.

    A quotient of few digits is known but for one: rounded up to a whole number, it leaves a rest of the other
    sign. Where any has more, or the rest is no number, all lanes take `frem`, a call for each."""
    x, y = refs
    width = int(name[1:].split(" ")[0]) if name.startswith("<") else 1
    bits, zero = type_name(dtypes.bool_, width), lanes_of(0.0, dtype, width)
    quotient = r.define(f"fdiv {name} {x}, {y}")
    whole = r.define(r.intrinsic(f"llvm.floor.{suffix}", name, [(name, quotient)]))
    against = r.define(f"fneg {name} {whole}")
    near = r.define(r.intrinsic(f"llvm.fma.{suffix}", name, [(name, against), (name, y), (name, x)]))
    size = r.define(r.intrinsic(f"llvm.fabs.{suffix}", name, [(name, quotient)]))
    long = r.define(f"fcmp uge {name} {size}, {lanes_of(2.0 ** (dtype.mantissa_bits + 1), dtype, width)}")
    strange = r.define(f"fcmp uno {name} {near}, {near}")
    outside = r.define(f"or {bits} {long}, {strange}")
    if width > 1:
        words = r.define(f"sext {bits} {outside} to <{width} x i{dtype.bits}>")
        outside = r.any_word(words, dtype.bits, width)
    rest = r.define(r.seldom(outside, name, near, lambda: r.define(f"frem {name} {x}, {y}")))
    nonzero = r.define(f"fcmp une {name} {rest}, {zero}")
    rest_negative = r.define(f"fcmp olt {name} {rest}, {zero}")
    y_negative = r.define(f"fcmp olt {name} {y}, {zero}")
    differ = r.define(f"xor {bits} {rest_negative}, {y_negative}")
    adjust = r.define(f"and {bits} {nonzero}, {differ}")
    moved = r.define(f"fadd {name} {rest}, {y}")
    # a rest of 0 has the sign of y too, as in Python
    signed = r.define(r.intrinsic(f"llvm.copysign.{suffix}", name, [(name, rest), (name, y)]))
    return f"select {bits} {adjust}, {name} {moved}, {name} {signed}"


def _power(r: Text, args: tuple[Value, ...], refs: list[str]) -> str:
    """An integer to a power, by repeated squaring in a loop: as many steps as the exponent has bits."""
    dtype = args[0].dtype
    kind = f"i{dtype.bits}"
    function = f"power_{'u' if dtype.is_unsigned else 's'}{dtype.bits}"
    negative = "false" if dtype.is_unsigned else "%below"
    r.declared[function] = f"""define internal {kind} @{function}({kind} %x, {kind} %n) {{
entry:
  %below = icmp slt {kind} %n, 0
  br i1 {negative}, label %inverse, label %loop
inverse:
  %one = icmp eq {kind} %x, 1
  %minus = icmp eq {kind} %x, -1
  %odd = and {kind} %n, 1
  %twice = shl {kind} %odd, 1
  %sign = sub {kind} 1, %twice
  %other = select i1 %minus, {kind} %sign, {kind} 0
  %reciprocal = select i1 %one, {kind} 1, {kind} %other
  ret {kind} %reciprocal
loop:
  %left = phi {kind} [ %n, %entry ], [ %half, %step ]
  %square = phi {kind} [ %x, %entry ], [ %next, %step ]
  %result = phi {kind} [ 1, %entry ], [ %made, %step ]
  %done = icmp eq {kind} %left, 0
  br i1 %done, label %out, label %step
step:
  %bit = trunc {kind} %left to i1
  %product = mul {kind} %result, %square
  %made = select i1 %bit, {kind} %product, {kind} %result
  %half = lshr {kind} %left, 1
  %next = mul {kind} %square, %square
  br label %loop
out:
  ret {kind} %result
}}"""
    return _by_lane(r, function, args, refs)


def _by_lane(r: Text, function: str, args: tuple[Value, ...], refs: list[str]) -> str:
    """A function that only exists for scalars, of a library unless it was written here."""
    scalar, width = type_name(args[0].dtype), args[0].width
    r.declared.setdefault(function, f"declare {scalar} @{function}({', '.join([scalar] * len(args))})")
    if width == 1:
        return f"call {scalar} @{function}({', '.join(f'{scalar} {ref}' for ref in refs)})"
    whole, current = type_name(args[0].dtype, width), "poison"
    for lane in range(width):
        lanes = [r.define(f"extractelement {whole} {ref}, i32 {lane}") for ref in refs]
        value = r.define(f"call {scalar} @{function}({', '.join(f'{scalar} {x}' for x in lanes)})")
        if lane == width - 1:
            return f"insertelement {whole} {current}, {scalar} {value}, i32 {lane}"
        current = r.define(f"insertelement {whole} {current}, {scalar} {value}, i32 {lane}")
    raise AssertionError("a vector has lanes")


def _all_lanes(r: Text, function: str, scalar: str, width: int) -> str:
    """The name of a function that calls another for each of so many floats."""
    r.declared.setdefault(function, f"declare {scalar} @{function}({scalar})")
    name, whole = f"{function}_of_{width}", f"<{width} x {scalar}>"
    lines, made = [], "poison"
    for lane in range(width):
        lines += [
            f"  %x{lane} = extractelement {whole} %x, i32 {lane}",
            f"  %y{lane} = call {scalar} @{function}({scalar} %x{lane})",
            f"  %all{lane} = insertelement {whole} {made}, {scalar} %y{lane}, i32 {lane}",
        ]
        made = f"%all{lane}"
    head = f"define internal {whole} @{name}({whole} %x) cold noinline {{"
    r.declared[name] = "\n".join([head, *lines, f"  ret {whole} {made}", "}"])
    return name


def _far_lanes(r: Text, function: str, made: Callable[[Node], Node], width: int) -> str:
    """The name of a function of so many floats that computes with doubles, two registers at a time."""
    size = min(width, host_registers().bytes // 4)
    part, name = f"{function}_of_{size}", f"{function}_of_{width}"
    if part not in r.declared:
        r.declared[part] = r.function(part, made, dtypes.float32, size)
    if size == width or name in r.declared:
        return name
    kind, piece, found, lines = f"<{width} x float>", f"<{size} x float>", [], []
    for at in range(0, width, size):
        lines.append(f"  %x{at} = {shuffled(kind, '%x', range(at, at + size))}")
        lines.append(f"  %y{at} = call {piece} @{part}({piece} %x{at})")
        found.append(f"%y{at}")
    while len(found) > 1:
        for number, (a, b) in enumerate(zip(found[::2], found[1::2], strict=True)):
            lines.append(f"  %z{size}.{number} = {shuffled(f'<{size} x float>', a, range(2 * size), b)}")
        found, size = [f"%z{size}.{number}" for number in range(len(found) // 2)], 2 * size
    head = f"define internal {kind} @{name}({kind} %x) cold noinline {{"
    r.declared[name] = "\n".join([head, *lines, f"  ret {kind} {found[0]}", "}"])
    return name


#: What these are where every lane is zero: the lane itself, or one. `transcendental` asks for them only
#: beyond its own reach.
_AT_ZERO = {Op.SIN: None, Op.TAN: None, Op.COS: 1.0}


def _seldom(r: Text, op: Op, args: tuple[Value, ...], refs: list[str], name: str) -> str:
    """A function whose argument is almost always zero in all lanes: then nothing is called. What is called is
    a function of its own, of vectors (`far`) or with calls of the library for all lanes: 400 sines in a
    kernel took 8 s to compile with them in line."""
    width, scalar = args[0].width, type_name(args[0].dtype)
    function = _INTRINSIC[op] + ("f" if args[0].dtype.bits == 32 else "")
    if args[0].dtype is dtypes.float32 and op in FAR:
        function = _far_lanes(r, f"far_{function}", FAR[op], width)
    elif width > 1:
        function = _all_lanes(r, function, scalar, width)
    if width == 1:
        r.declared.setdefault(function, f"declare {scalar} @{function}({scalar})")
        asked = r.define(f"fcmp une {name} {refs[0]}, 0.0")
    else:
        bits = args[0].dtype.bits
        asked = r.any_word(r.define(f"bitcast {name} {refs[0]} to <{width} x i{bits}>"), bits, width)
    known = _AT_ZERO[op]
    usual = refs[0] if known is None else lanes_of(known, args[0].dtype, width)
    return r.seldom(asked, name, usual, lambda: r.define(f"call {name} @{function}({name} {refs[0]})"))


def quotient_text(r: Text, width: int, x: str, y: str, reciprocal: str, window: str) -> str:
    """x / y by the reciprocal where every lane of x is in the window, by division otherwise.

    The test looks at the upper byte of each lane, which two steps of taking every other part give cheaply.
    """
    floats, octets = f"<{width} x float>", f"<{width} x i8>"
    value, whole = x, floats
    for part in ("i16", "i8"):
        pairs = f"<{2 * width} x {part}>"
        cut = r.define(f"bitcast {whole} {value} to {pairs}")
        value, whole = r.define(shuffled(pairs, cut, range(1, 2 * width, 2))), f"<{width} x {part}>"
    doubled = r.define(f"shl {octets} {value}, splat (i8 1)")
    place = r.define(f"sub {octets} {doubled}, splat (i8 {START})")
    largest = r.define(r.intrinsic(f"llvm.vector.reduce.umax.v{width}i8", "i8", [(octets, place)]))
    outside = r.define(f"icmp uge i8 {largest}, {window}")
    near = r.define(f"fmul {floats} {x}, {reciprocal}")
    against = r.define(f"fneg {floats} {near}")
    fma = f"llvm.fma.v{width}f32"
    rest = r.define(r.intrinsic(fma, floats, [(floats, against), (floats, y), (floats, x)]))
    quick = r.define(r.intrinsic(fma, floats, [(floats, rest), (floats, reciprocal), (floats, near)]))
    return r.seldom(outside, floats, quick, lambda: r.define(f"fdiv {floats} {x}, {y}"))


def masked_load_text(r: Text, item: Instruction) -> str:
    """Neighbours in memory under a mask of the lanes to read; zeros in the others."""
    memory, offset = item.arg
    index, valid = item.args
    dtype, width = memory.dtype, valid.width
    suffix, start = "i8" if dtype.is_bool else suffix_of(dtype), r.place_outside(memory, index, offset)
    kind = type_name(dtype, width, in_memory=True)
    mask = (f"<{width} x i1>", r.ref(valid))
    args = [("ptr", start), ("i32", str(dtype.itemsize)), mask, (kind, "zeroinitializer")]
    text = r.intrinsic(f"llvm.masked.load.v{width}{suffix}.p0", kind, args)
    return f"trunc {kind} {r.define(text)} to {type_name(dtype, width)}" if dtype.is_bool else text


def masked_store_text(r: Text, item: Instruction) -> str:
    """Neighbours to memory under a mask of the lanes to write."""
    memory, offset = item.arg
    index, value, valid = item.args
    dtype, width = memory.dtype, valid.width
    suffix, start = "i8" if dtype.is_bool else suffix_of(dtype), r.place_outside(memory, index, offset)
    kind, text = type_name(dtype, width, in_memory=True), r.ref(value)
    if dtype.is_bool:
        text = r.define(f"zext {type_name(dtype, width)} {text} to {kind}")
    mask = (f"<{width} x i1>", r.ref(valid))
    args = [(kind, text), ("ptr", start), ("i32", str(dtype.itemsize)), mask]
    return r.intrinsic(f"llvm.masked.store.v{width}{suffix}.p0", "void", args)


def _bool_text(op: Op, refs: list[str], name: str) -> str:
    if op is Op.NOT:
        ones = "true" if not name.startswith("<") else "splat (i1 true)"
        return f"xor {name} {refs[0]}, {ones}"
    word = _BOOL[op]
    return f"{word} {name} {refs[0]}, {refs[1]}"


def _int_text(r: Text, op: Op, args: tuple[Value, ...], refs: list[str], name: str) -> str:
    dtype, width = args[0].dtype, args[0].width
    if op in _INT:
        return f"{_INT[op]} {name} {refs[0]}, {refs[1]}"
    zero = "zeroinitializer" if width > 1 else "0"
    if op is Op.NEG:
        return f"sub {name} {zero}, {refs[0]}"
    if op is Op.NOT:
        return f"xor {name} {refs[0]}, {lanes_of(-1, dtype, width)}"
    suffix = f"v{width}i{dtype.bits}" if width > 1 else f"i{dtype.bits}"
    if op in (Op.MAX, Op.MIN):
        word = ("u" if dtype.is_unsigned else "s") + ("max" if op is Op.MAX else "min")
        return r.intrinsic(f"llvm.{word}.{suffix}", name, [(name, refs[0]), (name, refs[1])])
    if op is Op.ABS and dtype.is_unsigned:
        return f"or {name} {refs[0]}, {zero}"
    if op is Op.ABS:
        return r.intrinsic(f"llvm.abs.{suffix}", name, [(name, refs[0]), ("i1", "false")])
    if op in (Op.SHL, Op.SHR):
        return _shift(r, op, args, refs, name)
    if op is Op.IPOW:
        return _power(r, args, refs)
    return _divide(r, op, args, refs, name)


def _shift(r: Text, op: Op, args: tuple[Value, ...], refs: list[str], name: str) -> str:
    dtype, width = args[0].dtype, args[0].width
    word = "shl" if op is Op.SHL else "lshr" if dtype.is_unsigned else "ashr"
    amount = args[1]
    if amount.is_literal and 0 <= int(amount.literal) < dtype.bits:
        return f"{word} {name} {refs[0]}, {refs[1]}"
    top, bits = lanes_of(dtype.bits - 1, dtype, width), type_name(dtypes.bool_, width)
    too_far = r.define(f"icmp ugt {name} {refs[1]}, {top}")
    safe = r.define(f"select {bits} {too_far}, {name} {top}, {name} {refs[1]}")
    shifted = r.define(f"{word} {name} {refs[0]}, {safe}")
    zero = "zeroinitializer" if width > 1 else "0"
    if word == "ashr":
        return (
            f"select {bits} true, {name} {shifted}, {name} {shifted}"
            if width == 1
            else f"or {name} {shifted}, {zero}"
        )
    return f"select {bits} {too_far}, {name} {zero}, {name} {shifted}"


def _divide(r: Text, op: Op, args: tuple[Value, ...], refs: list[str], name: str) -> str:
    """IDIV and MOD round down, TDIV towards zero; a zero divisor gives 0, or x for MOD."""
    dtype, width = args[0].dtype, args[0].width
    x, y = refs
    zero = "zeroinitializer" if width > 1 else "0"
    one, bits = lanes_of(1, dtype, width), type_name(dtypes.bool_, width)
    divisor = args[1]
    known = divisor.is_literal and int(divisor.literal) > 0
    if not known:
        by_zero = r.define(f"icmp eq {name} {y}, {zero}")
        y = r.define(f"select {bits} {by_zero}, {name} {one}, {name} {y}")
    if dtype.is_unsigned:
        quotient = r.define(f"udiv {name} {x}, {y}")
        rest = r.define(f"urem {name} {x}, {y}") if op is Op.MOD else ""
    else:
        if not known:  # the smallest integer over -1 traps on some machines: compute it as over 1 and negate
            minus = r.define(f"icmp eq {name} {y}, {lanes_of(-1, dtype, width)}")
            safe = r.define(f"select {bits} {minus}, {name} {one}, {name} {y}")
            plain = r.define(f"sdiv {name} {x}, {safe}")
            negated = r.define(f"sub {name} {zero}, {plain}")
            quotient = r.define(f"select {bits} {minus}, {name} {negated}, {name} {plain}")
        else:
            quotient = r.define(f"sdiv {name} {x}, {y}")
        if op is not Op.TDIV:
            product = r.define(f"mul {name} {quotient}, {y}")
            rest = r.define(f"sub {name} {x}, {product}")
            nonzero = r.define(f"icmp ne {name} {rest}, {zero}")
            signs = r.define(f"xor {name} {rest}, {y}")
            differ = r.define(f"icmp slt {name} {signs}, {zero}")
            adjust = r.define(f"and {bits} {nonzero}, {differ}")
            if op is Op.MOD:
                moved = r.define(f"add {name} {rest}, {y}")
                rest = r.define(f"select {bits} {adjust}, {name} {moved}, {name} {rest}")
            else:
                lower = r.define(f"sub {name} {quotient}, {one}")
                quotient = r.define(f"select {bits} {adjust}, {name} {lower}, {name} {quotient}")
    if op is Op.MOD:
        return (
            f"or {name} {rest}, {zero}"
            if known
            else f"select {bits} {by_zero}, {name} {refs[0]}, {name} {rest}"
        )
    return (
        f"or {name} {quotient}, {zero}"
        if known
        else f"select {bits} {by_zero}, {name} {zero}, {name} {quotient}"
    )
