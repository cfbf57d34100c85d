"""LLVM IR text in, object code out: for this machine, or for another that is named.

    >>> compile_object("double", text)
    b'\\x7fELF...'

llvmlite brings LLVM in a wheel. It is imported on the first compilation only: a process that finds all its
programs in the cache never pays for it (60 ms).

What the optimiser does was chosen by measuring (Neoverse N1, milliseconds to compile a GEMM tile of 8x12 / an
8-op chain / a softmax row / a loop with invariants inside, and whether the code is as fast as any):

    module pipeline -O2         33.0 / 14.6 / 23.1 / 11.6    yes
    module pipeline -O1         31.0 / 14.1 / 22.1 / 10.9    yes
    function simplification     33.0 / 11.9 / 16.7 /  7.9    yes, all four
    SROA, instcombine, GVN ...  25.6 / 10.4 / 12.7 /  5.4    no: half the speed on the fourth (no LICM)

So: always-inlined helpers, then the function simplification pipeline (SROA, early CSE, instcombine, LICM,
GVN, loop rotation, full unrolling of marked loops), nothing that vectorises again what arrives vectorised.
Half of the time is instruction selection and register allocation, whatever was done before; code generation
at level 2 costs the same as at 1. Level 0 without any passes (`quick`) takes a tenth of the time and gives
code 1.3 (chain) to 4 times (GEMM) slower: right for the thread pool's own code, which mostly waits, and for
kernels with next to no work.

llvmlite guards every call with one lock, but LLVM itself only asks that threads share no context. The two
calls that take the time are made past the lock, on a context of their own: two threads compile 21 kernels in
0.18 s, one in 0.35 s.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from ..process.forking import Gate, fork_lock
from ..program import CompileError

#: Changes whenever the same text would compile to other code; part of the key in the cache.
PIPELINE = "inline,function-simplification-2,codegen-2,pic,3"

#: Where a mask is taken apart: one lane, a word of its bits, any or all of them.
_LANES_OF_MASKS = r"extractelement <\d+ x i1>|bitcast <\d+ x i1>|@llvm\.vector\.reduce\.\w+\.v\d+i1"
#: LLVM 22 makes a movmsk of a vpmov*2m and a kmov although the mask is read again or the vector is one of the
#: upper sixteen (llvm-project 198197, 191304): wrong bits. Without AVX-512 there is no vpmov*2m. Parts of it
#: cannot go: without its byte masks (avx512bw) LLVM does not select a pooling of halves.
_NO_SIGNS_TO_MASKS = "-avx512f"
_FIRST_WRONG = 22
#: What instructions that a kernel names itself belong to: LLVM may not know the name of a processor that has
#: them, and then takes it for one without.
_NAMED = {
    r"neon\.[su]dot": "+dotprod",
    r"neon\.usdot": "+i8mm",
    r"vpdpbusd\.(128|256)": "+avxvnni",
    r"vpdpbusd\.512": "+avx512vnni",
}
#: Features that go without another: AVX-512 has instructions of the same name, in an encoding of its own.
_INSTEAD = {"+avxvnni": "+avx512vnni"}


def goes_without_avx512(text: str) -> bool:
    """May a kernel, compiled for x86, have to do without AVX-512? Then it cannot name its instructions."""
    return re.search(_LANES_OF_MASKS, text) is not None


class Target(NamedTuple):
    """A system and a processor in LLVM's words, as "x86_64-pc-windows-msvc" and "x86-64-v3"."""

    triple: str
    cpu: str


_start = fork_lock()
_compiling = Gate()
#: what nobody compiles with at the moment, by the machine it compiles for
_idle: dict[Target | None, list[_Tools]] = {}


class _Tools:
    """Target machines and passes for the host's CPU or another target, for one thread at a time. They serve
    again: making them takes milliseconds, and of what passes take, llvmlite keeps 55 KB for good."""

    def __init__(self, llvm: Any, target: Target | None) -> None:
        if target is None:
            self._target = llvm.Target.from_default_triple()
            self._cpu, self._features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
        else:
            llvm.initialize_all_targets()
            llvm.initialize_all_asmprinters()
            self._target = llvm.Target.from_triple(target.triple)
            self._cpu, self._features = target.cpu, ""
        self._wrong_masks = "x86" in self._target.triple and llvm.llvm_version_info[0] >= _FIRST_WRONG
        self._machines: dict[tuple[int, str], Any] = {}
        self._passes: tuple[Any, Any, Any] | None = None

    def machine(self, level: int, text: str = "") -> Any:
        """The target machine for a kernel."""
        there = self._features.split(",")
        features = [self._features]
        features += [
            f for named, f in _NAMED.items() if re.search(named, text) and _INSTEAD.get(f) not in there
        ]
        if self._wrong_masks and goes_without_avx512(text):
            features.append(_NO_SIGNS_TO_MASKS)
        key = (level, ",".join(filter(None, features)))
        if key not in self._machines:
            self._machines[key] = self._target.create_target_machine(
                cpu=self._cpu, features=key[1], opt=level, reloc="pic", codemodel="small"
            )
        return self._machines[key]

    def builder(self, llvm: Any) -> Any:
        """A new pass builder, for one module: it collects what every run leaves with it."""
        options = llvm.create_pipeline_tuning_options(speed_level=2)
        options.loop_vectorization = options.slp_vectorization = options.loop_interleaving = False
        return llvm.create_pass_builder(self.machine(2), options)

    def passes(self, llvm: Any) -> tuple[Any, Any]:
        """The passes on a module, and on its functions."""
        if self._passes is None:
            builder = self.builder(llvm)
            inline = llvm.create_new_module_pass_manager()
            inline.add_always_inliner_pass()
            self._passes = (inline, builder.getFunctionPassManager(), builder)
        return self._passes[:2]


def compile_object(name: str, text: str, quick: bool = False, target: Target | None = None) -> bytes:
    """The object file of a module that defines @name, for this machine if no other is named, or CompileError
    with LLVM's message. Thread-safe."""
    with _compiling:
        return _compiled(name, text, quick, target, _OBJECT)


def assembly_of(name: str, text: str, quick: bool = False, target: Target | None = None) -> str:
    """The same code as text, for people."""
    with _compiling:
        return _compiled(name, text, quick, target, _ASSEMBLY).decode()


def compile_module(name: str, text: str, options: Any) -> bytes:
    """The object file of a module for this machine after LLVM's own pipeline with these options: for loops
    that nobody has vectorised. Thread-safe, and past llvmlite's lock like kernels."""
    with _compiling:
        llvm = _llvm()
        module = llvm.parse_assembly(text, llvm.create_context())
        with _tools(llvm, None) as tools:
            machine = tools.machine(3)
            builder = llvm.create_pass_builder(machine, options)
            _unlocked(llvm).LLVMPY_RunNewModulePassManager(builder.getModulePassManager(), module, builder)
            return _emit(llvm, name, text, module, machine, _OBJECT)


#: what LLVM is to emit
_ASSEMBLY, _OBJECT = 0, 1


def _compiled(name: str, text: str, quick: bool, target: Target | None, kind: int) -> bytes:
    llvm = _llvm()
    context = llvm.create_context()
    try:
        module = llvm.parse_assembly(text, context)
    except RuntimeError as error:
        raise CompileError(name, text, _explain(str(error), text)) from None
    if name not in {f.name for f in module.functions if not f.is_declaration}:
        raise CompileError(name, text, f"the source defines no function @{name}")
    with _tools(llvm, target) as tools:
        machine = tools.machine(0 if quick else 2, text)
        if not quick:
            _optimise(llvm, module, tools)
        return _emit(llvm, name, text, module, machine, kind)


@contextmanager
def _tools(llvm: Any, target: Target | None) -> Iterator[_Tools]:
    """Those that nobody uses at the moment, or new ones."""
    idle = _idle.setdefault(target, [])
    try:
        tools = idle.pop()
    except IndexError:
        tools = _Tools(llvm, target)
    try:
        yield tools
    finally:
        idle.append(tools)


def _llvm() -> Any:
    """llvmlite.binding, imported and set up once."""
    with _start:
        import llvmlite.binding as llvm

        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        return llvm


def _unlocked(llvm: Any) -> Any:
    """The library's functions without llvmlite's lock; importing llvmlite.binding declared their types."""
    return getattr(llvm.ffi.lib, "_lib", llvm.ffi.lib)


def _optimise(llvm: Any, module: Any, tools: _Tools) -> None:
    inline, simplify = tools.passes(llvm)
    builder = tools.builder(llvm)
    inline.run(module, builder)
    run = _unlocked(llvm).LLVMPY_RunNewFunctionPassManager
    for function in module.functions:
        if not function.is_declaration:
            run(simplify, function, builder)


def _emit(llvm: Any, name: str, text: str, module: Any, machine: Any, kind: int) -> bytes:
    library = _unlocked(llvm)
    with llvm.ffi.OutputString() as message:
        memory = library.LLVMPY_TargetMachineEmitToMemory(machine, module, kind, message)
        if not memory:
            raise CompileError(name, text, str(message))
    try:
        return ctypes.string_at(library.LLVMPY_GetBufferStart(memory), library.LLVMPY_GetBufferSize(memory))
    finally:
        library.LLVMPY_DisposeMemoryBuffer(memory)


def _explain(message: str, text: str) -> str:
    """LLVM's message with the line of the source it points at."""
    place = re.search(r":(\d+):(\d+): ", message)
    if place is None:
        return message
    lines = text.splitlines()
    number = int(place[1])
    line = lines[number - 1] if 0 < number <= len(lines) else ""
    return message if not line or line in message else f"{message}\nline {number}: {line}"
