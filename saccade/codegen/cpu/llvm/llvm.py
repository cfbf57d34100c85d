"""Linear code as LLVM IR.

The function has the signature every CPU kernel has, `void name(ptr params, i64 begin, i64 end, ptr scratch)`.
Accumulators are stack slots that LLVM turns into registers. Here are its structure and memory; `llvm_alu` has
arithmetic, `llvm_lanes` what happens between lanes, `llvm_text` types and lines.
"""

from __future__ import annotations

from collections.abc import Callable

from ....graph import dtypes
from ....graph.dtypes import DType
from ....graph.node import Node, make
from ....graph.ops import Op
from ....runtime.cpu.machine import host_registers
from ...linear.builder import Builder
from ...linear.code import Block, Branch, Code, Instruction, Loop, Memory, Repeat, Value
from .alu import alu_text, masked_load_text, masked_store_text, quotient_text
from .lanes import Lanes
from .text import lanes_of, literal, shuffled, suffix_of, type_name

#: enough zeros for the widest vector: what a guarded load reads where it must not read
ZEROS = 512
#: LLVM branches around a load of zeros it knows, which hoists the test of a whole row; for one lane of a
#: vector it is not to know them: a gather of a million bytes took 2.28 ms on a Cascade Lake, and takes 0.91
KNOWN, UNKNOWN = "%zeros", "%lane.zeros"


def render(code: Code) -> str:
    """The text of a module with this one function."""
    return Renderer(code).text()


class Renderer(Lanes):
    def __init__(self, code: Code) -> None:
        super().__init__(code.name)
        self.code = code
        self.pointers: dict[tuple[str, str, DType], str] = {}
        self.loaded: dict[int, str] = {}
        self.extracted: set[int] = set()  # numbers of values that are a lane of a vector

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
        return f"{self.addend_table()}{head}\nentry:\n{lines}\n  ret void\n}}\n{declares}\n"

    def function(self, name: str, made: Callable[[Node], Node], dtype: DType, width: int) -> str:
        builder, x = Builder(), make(Op.PARAM, dtype, (), "x")
        given = builder.new(dtype, width)
        value, block = builder.evaluate(made(x), {x: given}), builder.stack[0].block
        inside = Renderer(Code(name, block, given, given, [], [], 1, 0))
        inside.block(block)
        self.declared.update(inside.declared)
        kind, lines = type_name(dtype, width), "\n".join(inside.lines)
        head = f"define internal {kind} @{name}({kind} %v{given.number}) cold noinline {{"
        return f"{head}\nentry:\n{lines}\n  ret {kind} {inside.ref(value)}\n}}"

    def prologue(self) -> None:
        for variable in self.code.variables:
            self.line(f"%a{variable.number} = alloca {type_name(variable.dtype, variable.width)}, align 64")
        for zeros in [name for name in (KNOWN, UNKNOWN) if self.declared.pop(name, None) is not None]:
            self.line(f"{zeros} = alloca [{ZEROS} x i8], align 64")
            volatile = "true" if zeros == UNKNOWN else "false"
            self.line(f"call void @llvm.memset.p0.i64(ptr {zeros}, i8 0, i64 {ZEROS}, i1 {volatile})")
            self.declared["memset"] = "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"
        for memory in self.code.memories:
            if memory.slot >= 0:
                self.line(f"%{memory.name}.slot = getelementptr ptr, ptr %params, i64 {memory.slot}")
                self.line(f"%{memory.name} = load ptr, ptr %{memory.name}.slot, align 8")
            else:
                self.line(f"%{memory.name} = getelementptr i8, ptr %scratch, i64 {memory.scratch_offset}")

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
        self.addends_at = None

    # --- instructions

    def instruction(self, item: Instruction) -> None:
        getattr(self, "do_" + item.kind)(item)

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
        width = item.made.width
        self.loaded[item.made.number] = pointer
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

    def do_barrier(self, item: Instruction) -> None:
        """No instruction: what is stored before is loaded as it lies, not put together from registers."""
        self.line('fence syncscope("singlethread") seq_cst')

    def do_prefetch(self, item: Instruction) -> None:
        memory, offset = item.arg
        place = ("ptr", self.place_outside(memory, item.args[0], offset))
        self.line(
            self.intrinsic("llvm.prefetch.p0", "void", [place, ("i32", "0"), ("i32", "3"), ("i32", "1")])
        )

    def do_extract(self, item: Instruction) -> None:
        self.extracted.add(item.made.number)
        super().do_extract(item)

    def do_guarded_load(self, item: Instruction) -> None:
        memory, offset = item.arg
        zeros = UNKNOWN if item.args[1].number in self.extracted else KNOWN
        self.declared[zeros] = ""
        itemsize = memory.dtype.itemsize
        # neighbours of one element under one condition share the choice, as far as the zeros go
        shared = offset >= 0 and (offset + item.made.width) * itemsize <= ZEROS
        pointer = self.pointer(memory, item.args[0], 0 if shared else offset)
        condition = self.ref(item.args[1])
        key = (pointer, condition, memory.dtype)
        safe = self.pointers.get(key)
        if safe is None:
            safe = self.pointers[key] = self.define(f"select i1 {condition}, ptr {pointer}, ptr {zeros}")
        if shared and offset:
            element = type_name(memory.dtype, in_memory=True)
            safe = self.define(f"getelementptr inbounds {element}, ptr {safe}, i64 {offset}")
        self._read(item, safe, memory.dtype)

    def do_masked_load(self, item: Instruction) -> None:
        self.assign(item, masked_load_text(self, item))

    def do_masked_store(self, item: Instruction) -> None:
        self.line(masked_store_text(self, item))

    def do_store(self, item: Instruction) -> None:
        memory, offset, *there = item.arg
        index, value = item.args
        pointer = self.pointer(memory, index, offset)
        in_memory = type_name(memory.dtype, value.width, in_memory=True)
        text = self.ref(value)
        if memory.dtype.is_bool:
            text = self.define(f"zext {type_name(memory.dtype, value.width)} {text} to {in_memory}")
        self._store_lanes(memory.dtype, in_memory, text, pointer, sum(there), value.width)

    def _store_lanes(
        self, dtype: DType, in_memory: str, text: str, pointer: str, there: int, width: int
    ) -> None:
        """Store the lanes of a vector that are not `there` already, register by register and upwards.

        Of one wide store LLVM may write the upper half first, and what was just written may not be written
        again: processors that see lines of memory filled in order need not read them. Otherwise a Neoverse N1
        takes 1.5 times as long for rows of 777, 1.6 times for rows of 65.
        """
        lanes, element = host_registers().bytes // dtype.itemsize, type_name(dtype, in_memory=True)
        while there < width:
            count = 1 << min(lanes, width - there).bit_length() - 1
            part = type_name(dtype, count, in_memory=True)
            if count == width:
                register = text
            elif count == 1:
                register = self.define(f"extractelement {in_memory} {text}, i32 {there}")
            else:
                register = self.define(shuffled(in_memory, text, range(there, there + count)))
            place = (
                self.define(f"getelementptr inbounds {element}, ptr {pointer}, i64 {there}")
                if there
                else pointer
            )
            self.line(f"store {part} {register}, ptr {place}, align {dtype.itemsize}")
            there += count

    def do_get(self, item: Instruction) -> None:
        variable = item.arg
        self.assign(item, f"load {type_name(variable.dtype, variable.width)}, ptr %a{variable.number}")

    def do_set(self, item: Instruction) -> None:
        variable = item.arg
        value = item.args[0]
        self.line(
            f"store {type_name(variable.dtype, variable.width)} {self.ref(value)}, ptr %a{variable.number}"
        )

    def do_bitcast(self, item: Instruction) -> None:
        (value,) = item.args
        source, target = type_name(value.dtype, value.width), type_name(item.made.dtype, item.made.width)
        self.assign(item, f"bitcast {source} {self.ref(value)} to {target}")

    def do_cast(self, item: Instruction) -> None:
        (value,) = item.args
        self.assign(item, self.cast_text(self.ref(value), value.dtype, item.made.dtype, value.width))

    def cast_text(self, value: str, source: DType, target: DType, width: int) -> str:
        s, t = type_name(source, width), type_name(target, width)
        zero = "zeroinitializer" if width > 1 else (literal(0, source))
        if target.is_bool:
            return f"fcmp une {s} {value}, {zero}" if source.is_float else f"icmp ne {s} {value}, {zero}"
        if source.is_float and target.is_float:
            return f"{'fpext' if target.bits > source.bits else 'fptrunc'} {s} {value} to {t}"
        if source.is_float and source.bits >= 32 and target is not dtypes.uint64:
            return self._to_whole(value, source, target, width)
        if source.is_float:
            word = "fptoui" if target.is_unsigned else "fptosi"
            suffix = (
                f"v{width}{suffix_of(target)}.v{width}{suffix_of(source)}"
                if width > 1
                else f"{suffix_of(target)}.{suffix_of(source)}"
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

    def _to_whole(self, value: str, source: DType, target: DType, width: int) -> str:
        """A float as an integer, by way of a signed one of 32 or 64 bits: the nearest end where it is too
        large, 0 for NaN. LLVM's own way takes up to five times as long."""
        made = dtypes.int32 if target.bits < 32 or target is dtypes.int32 else dtypes.int64
        s, wide = type_name(source, width), type_name(made, width)
        bits = type_name(dtypes.bool_, width)
        low, end = (lanes_of(float(v), source, width) for v in (target.min, target.max + 1))
        below = self.define(f"fcmp olt {s} {value}, {low}")
        raised = self.define(f"select {bits} {below}, {s} {low}, {s} {value}")
        inside = self.define(f"fcmp olt {s} {raised}, {end}")
        safe = self.define(f"select {bits} {inside}, {s} {raised}, {s} {lanes_of(0.0, source, width)}")
        whole = self.define(f"fptosi {s} {safe} to {wide}")
        beyond = self.define(f"fcmp oge {s} {value}, {end}")
        most = lanes_of(target.max, made, width)
        chosen = f"select {bits} {beyond}, {wide} {most}, {wide} {whole}"
        if target.bits == made.bits:
            return chosen
        return f"trunc {wide} {self.define(chosen)} to {type_name(target, width)}"

    def do_alu(self, item: Instruction) -> None:
        op, contract = item.arg
        self.assign(item, alu_text(self, op, item.args, contract))

    def do_quotient(self, item: Instruction) -> None:
        x, y, reciprocal, window = (self.ref(a) for a in item.args)
        self.assign(item, quotient_text(self, item.args[0].width, x, y, reciprocal, window))
