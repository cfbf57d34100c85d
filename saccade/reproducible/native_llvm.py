"""Loops written in Python (`native`) as LLVM's code.

In: a function of the subset. Out: object code. Whoever finds that in the cache needs nothing of this file,
nor LLVM; its text is part of the key there.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Protocol, runtime_checkable

import llvmlite.binding as llvm
from llvmlite import ir

from ..runtime.cpu.engine import compile_module

I64_, I32_, U8_, BOOL_ = ir.IntType(64), ir.IntType(32), ir.IntType(8), ir.IntType(1)
F64_, F32_ = ir.DoubleType(), ir.FloatType()
POINTER = ir.PointerType()
ELEMENTS = {"F64s": F64_, "F32s": F32_, "I64s": I64_, "I32s": I32_, "U8s": U8_}
SCALARS = {"I64": I64_, "F64": F64_}
COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}


@runtime_checkable
class Loops(Protocol):
    """A function of the subset, `native.Native`: names and kinds of its parameters, and its text."""

    name: str
    python: Callable[..., None]
    parameters: list[tuple[str, str]]

    @property
    def definition(self) -> ast.FunctionDef: ...


def compiled(function: Loops) -> bytes:
    """The object code of a function and of all that it calls. Kernels arrive vectorised and these loops do
    not, so the passes are others."""
    module = ir.Module(function.name)
    define(function, module, {})
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    return compile_module(function.name, str(module), options)


def define(function: Loops, module: ir.Module, done: dict[str, ir.Function]) -> ir.Function:
    """Add `function`, and those it calls, to the LLVM module."""
    if function.name in done:
        return done[function.name]
    types = [POINTER if kind in ELEMENTS else SCALARS[kind] for _, kind in function.parameters]
    made = ir.Function(module, ir.FunctionType(ir.VoidType(), types), function.name)
    done[function.name] = made
    Translator(function, made, module, done).run()
    return made


class Translator:
    """Walks the syntax tree of one function and emits it. Every variable is a stack slot; LLVM makes
    registers of them."""

    def __init__(
        self, source: Loops, made: ir.Function, module: ir.Module, done: dict[str, ir.Function]
    ) -> None:
        self.source, self.made, self.module, self.done = source, made, module, done
        self.entry = made.append_basic_block("entry")
        self.body = made.append_basic_block("body")
        self.slots = ir.IRBuilder(self.entry)
        self.at = ir.IRBuilder(self.body)
        self.variables: dict[str, tuple[ir.Value, ir.Type]] = {}
        self.arrays: dict[str, tuple[ir.Value, ir.Type]] = {}
        self.loops: list[tuple[ir.Block, ir.Block]] = []

    def run(self) -> None:
        for argument, (name, kind) in zip(self.made.args, self.source.parameters, strict=True):
            if kind in ELEMENTS:
                self.arrays[name] = (argument, ELEMENTS[kind])
            else:
                self.store(name, argument)
        self.block(self.source.definition.body)
        if not self.at.block.is_terminated:
            self.at.ret_void()
        self.slots.branch(self.body)

    def refuse(self, node: ast.AST, why: str) -> TypeError:
        return TypeError(f"{self.source.name}, line {getattr(node, 'lineno', 0)}: {why}: {ast.unparse(node)}")

    # -- statements

    def block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            if self.at.block.is_terminated:
                return
            method = getattr(self, "do_" + type(statement).__name__, None)
            if method is None:
                raise self.refuse(statement, "not in the compiled part of Python")
            method(statement)

    def do_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            self.call_native(node.value)
        elif not isinstance(node.value, ast.Constant):
            raise self.refuse(node, "an expression without effect")

    def do_Return(self, node: ast.Return) -> None:
        self.at.ret_void()

    def do_Pass(self, node: ast.Pass) -> None:
        return

    def do_Break(self, node: ast.Break) -> None:
        self.at.branch(self.loops[-1][1])

    def do_Continue(self, node: ast.Continue) -> None:
        self.at.branch(self.loops[-1][0])

    def do_Assign(self, node: ast.Assign) -> None:
        target, value = node.targets[0], node.value
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            values = [self.value(v) for v in value.elts]
            for name, v in zip(target.elts, values, strict=True):
                self.assign(name, v)
        elif (
            isinstance(value, ast.Call)
            and isinstance(value.func, ast.Name)
            and value.func.id.startswith("scratch_")
        ):
            assert isinstance(target, ast.Name)
            element = F64_ if value.func.id == "scratch_f64" else I64_
            count = self.value(value.args[0])
            if not isinstance(count, ir.Constant):
                raise self.refuse(value, "how large a local array is must be a constant")
            self.arrays[target.id] = (self.slots.alloca(element, count.constant), element)
        else:
            self.assign(target, self.value(value))

    def do_AugAssign(self, node: ast.AugAssign) -> None:
        read = ast.copy_location(ast.BinOp(self.as_read(node.target), node.op, node.value), node)
        self.assign(node.target, self.value(read))

    def as_read(self, target: ast.expr) -> ast.expr:
        if isinstance(target, ast.Name):
            return ast.copy_location(ast.Name(target.id, ast.Load()), target)
        assert isinstance(target, ast.Subscript)
        return ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target)

    def assign(self, target: ast.expr, value: ir.Value) -> None:
        if isinstance(target, ast.Name):
            self.store(target.id, value)
        elif isinstance(target, ast.Subscript):
            address, element = self.element(target)
            self.at.store(self.narrow(value, element), address)
        else:
            raise self.refuse(target, "cannot be assigned to")

    def store(self, name: str, value: ir.Value) -> None:
        if name not in self.variables:
            self.variables[name] = (self.slots.alloca(value.type, name=name), value.type)
        slot, kind = self.variables[name]
        if kind != value.type:
            value = self.convert(value, kind, name)
        self.at.store(value, slot)

    def convert(self, value: ir.Value, kind: ir.Type, name: str) -> ir.Value:
        if kind == F64_ and value.type == I64_:
            return self.at.sitofp(value, F64_)
        raise TypeError(f"{self.source.name}: variable {name!r} was {kind} first and is given {value.type}")

    def do_If(self, node: ast.If) -> None:
        test = self.truth(node.test)
        then, other, after = (self.made.append_basic_block(n) for n in ("then", "else", "after"))
        self.at.cbranch(test, then, other)
        for block, statements in ((then, node.body), (other, node.orelse)):
            self.at.position_at_end(block)
            self.block(statements)
            if not self.at.block.is_terminated:
                self.at.branch(after)
        self.at.position_at_end(after)

    def do_While(self, node: ast.While) -> None:
        head, body, after = (self.made.append_basic_block(n) for n in ("head", "loop", "after"))
        self.at.branch(head)
        self.at.position_at_end(head)
        self.at.cbranch(self.truth(node.test), body, after)
        self.at.position_at_end(body)
        self.loops.append((head, after))
        self.block(node.body)
        self.loops.pop()
        if not self.at.block.is_terminated:
            self.at.branch(head)
        self.at.position_at_end(after)

    def do_For(self, node: ast.For) -> None:
        assert isinstance(node.target, ast.Name)
        assert isinstance(node.iter, ast.Call)
        bounds = [self.value(a) for a in node.iter.args]
        start, stop = (ir.Constant(I64_, 0), bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
        counter = self.slots.alloca(I64_)
        self.at.store(start, counter)
        head, body, step, after = (self.made.append_basic_block(n) for n in ("head", "loop", "step", "after"))
        self.at.branch(head)
        self.at.position_at_end(head)
        now = self.at.load(counter, typ=I64_)
        self.at.cbranch(self.at.icmp_signed("<", now, stop), body, after)
        self.at.position_at_end(body)
        self.store(node.target.id, now)
        self.loops.append((step, after))
        self.block(node.body)
        self.loops.pop()
        if not self.at.block.is_terminated:
            self.at.branch(step)
        self.at.position_at_end(step)
        self.at.store(self.at.add(self.at.load(counter, typ=I64_), ir.Constant(I64_, 1)), counter)
        self.at.branch(head)
        self.at.position_at_end(after)

    def call_native(self, node: ast.Call) -> None:
        assert isinstance(node.func, ast.Name)
        callee = self.source.python.__globals__.get(node.func.id)
        if not isinstance(callee, Loops):
            raise self.refuse(node, "only native functions can be called as statements")
        arguments = [
            self.arrays[a.id][0] if isinstance(a, ast.Name) and a.id in self.arrays else self.value(a)
            for a in node.args
        ]
        self.at.call(define(callee, self.module, self.done), arguments)

    # -- expressions

    def element(self, node: ast.Subscript) -> tuple[ir.Value, ir.Type]:
        assert isinstance(node.value, ast.Name)
        base, kind = self.arrays[node.value.id]
        return self.at.gep(base, [self.value(node.slice)], source_etype=kind), kind

    def narrow(self, value: ir.Value, element: ir.Type) -> ir.Value:
        if element == F32_:
            return self.at.fptrunc(self.widen(value, F64_), F32_)
        if element in (I32_, U8_):
            return self.at.trunc(value, element)
        return self.widen(value, element)

    def widen(self, value: ir.Value, kind: ir.Type) -> ir.Value:
        return self.at.sitofp(value, F64_) if kind == F64_ and value.type == I64_ else value

    def truth(self, node: ast.expr) -> ir.Value:
        value = self.value(node)
        if value.type == BOOL_:
            return value
        if value.type == I64_:
            return self.at.icmp_signed("!=", value, ir.Constant(I64_, 0))
        raise self.refuse(node, "a float is not a condition")

    def value(self, node: ast.expr) -> ir.Value:
        method = getattr(self, "of_" + type(node).__name__, None)
        if method is None:
            raise self.refuse(node, "not in the compiled part of Python")
        found: ir.Value = method(node)
        return found

    def of_Constant(self, node: ast.Constant) -> ir.Value:
        if isinstance(node.value, bool):
            return ir.Constant(BOOL_, int(node.value))
        if isinstance(node.value, int):
            return ir.Constant(I64_, node.value)
        assert isinstance(node.value, float)
        return ir.Constant(F64_, node.value)

    def of_Name(self, node: ast.Name) -> ir.Value:
        if node.id in self.variables:
            slot, kind = self.variables[node.id]
            return self.at.load(slot, typ=kind)
        outer = self.source.python.__globals__.get(node.id)
        if isinstance(outer, (int, float)):
            return self.of_Constant(ast.Constant(outer))
        raise self.refuse(node, "not assigned before it is read")

    def of_Subscript(self, node: ast.Subscript) -> ir.Value:
        address, kind = self.element(node)
        value = self.at.load(address, typ=kind)
        if kind == F32_:
            return self.at.fpext(value, F64_)
        if kind == U8_:
            return self.at.zext(value, I64_)
        return self.at.sext(value, I64_) if kind == I32_ else value

    def of_UnaryOp(self, node: ast.UnaryOp) -> ir.Value:
        if isinstance(node.op, ast.Not):
            return self.at.not_(self.truth(node.operand))
        value = self.value(node.operand)
        return self.at.fneg(value) if value.type == F64_ else self.at.neg(value)

    def of_BinOp(self, node: ast.BinOp) -> ir.Value:
        left, right = self.value(node.left), self.value(node.right)
        floats = isinstance(node.op, ast.Div) or F64_ in (left.type, right.type)
        if floats:
            left, right = self.widen(left, F64_), self.widen(right, F64_)
        names = {
            ast.Add: "add",
            ast.Sub: "sub",
            ast.Mult: "mul",
            ast.Div: "div",
            ast.FloorDiv: "sdiv",
            ast.Mod: "srem",
        }
        name = names.get(type(node.op))
        if name is None or (floats and name in ("sdiv", "srem")):
            raise self.refuse(node, "this operator is not in the compiled part of Python")
        return getattr(self.at, "f" + name if floats else name)(left, right)

    def of_Compare(self, node: ast.Compare) -> ir.Value:
        left, right = self.value(node.left), self.value(node.comparators[0])
        sign = COMPARE[type(node.ops[0])]
        if F64_ in (left.type, right.type):
            return self.at.fcmp_ordered(sign, self.widen(left, F64_), self.widen(right, F64_))
        return self.at.icmp_signed(sign, left, right)

    def of_BoolOp(self, node: ast.BoolOp) -> ir.Value:
        result = self.slots.alloca(BOOL_)
        after = self.made.append_basic_block("decided")
        for part in node.values:
            value = self.truth(part)
            self.at.store(value, result)
            more = self.made.append_basic_block("more")
            yes, no = (more, after) if isinstance(node.op, ast.And) else (after, more)
            self.at.cbranch(value, yes, no)
            self.at.position_at_end(more)
        self.at.branch(after)
        self.at.position_at_end(after)
        return self.at.load(result, typ=BOOL_)

    def of_IfExp(self, node: ast.IfExp) -> ir.Value:
        test, left, right = self.truth(node.test), self.value(node.body), self.value(node.orelse)
        return self.at.select(test, left, right)

    def of_Call(self, node: ast.Call) -> ir.Value:
        assert isinstance(node.func, ast.Name)
        name, values = node.func.id, [self.value(a) for a in node.args]
        if name in ("min", "max"):
            # like Python, keep the first unless the second is less: a comparison with NaN is false
            first, second = values
            sign = "<" if name == "min" else ">"
            if first.type == I64_ and second.type == I64_:
                return self.at.select(self.at.icmp_signed(sign, second, first), second, first)
            first, second = self.widen(first, F64_), self.widen(second, F64_)
            return self.at.select(self.at.fcmp_ordered(sign, second, first), second, first)
        if name == "int":
            return self.at.fptosi(values[0], I64_)
        if name == "float":
            return self.widen(values[0], F64_)
        if name == "abs" and values[0].type == I64_:
            zero = ir.Constant(I64_, 0)
            return self.at.select(
                self.at.icmp_signed("<", values[0], zero), self.at.neg(values[0]), values[0]
            )
        intrinsics = {"abs": "llvm.fabs", "sqrt": "llvm.sqrt", "floor": "llvm.floor"}
        if name not in intrinsics:
            raise self.refuse(node, "this function is not in the compiled part of Python")
        found = self.at.call(self.module.declare_intrinsic(intrinsics[name], [F64_]), values)
        return self.at.fptosi(found, I64_) if name == "floor" else found
