"""Object code in, callable addresses out.

    >>> image = load(object_bytes)
    >>> image.address("double")
    281472829231104

On Linux an object file is small enough to place ourselves: map memory, copy the sections that are needed at
run time, apply the relocations, and make the code executable. So a process that finds its programs in the
cache needs no compiler library in memory. Other formats (macOS, Windows) go through LLVM's own loader.

The image is laid out in whole pages, so that no page is ever writable and executable:

    code + veneers | constants + table of far addresses | data
    read, execute  | read                               | read, write

A veneer is a jump through an address stored beside it, for calls to functions (expf in libm) out of a
branch's reach.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import platform
import struct
import sys
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NamedTuple, Protocol

from . import relocations

#: Libraries searched for functions a kernel calls, after what the process has loaded.
_LIBRARIES: Final = ("libm.so.6", "libpthread.so.0", "libgcc_s.so.1")

#: How object files of LLVM begin: ELF, Mach-O, COFF for x86-64 and for arm64.
_ELF: Final = b"\x7fELF"
_FORMATS: Final = (_ELF, b"\xcf\xfa\xed\xfe", b"\x64\x86", b"\x64\xaa")

_ALLOC, _WRITE, _EXEC, _TLS = 0x2, 0x1, 0x4, 0x400
_SYMTAB, _NOBITS, _RELA = 2, 8, 4
_MACHINES: Final = {62: relocations.X86_64, 183: relocations.AARCH64}


class Image(Protocol):
    """Loaded code; it stays mapped while this object lives."""

    def address(self, name: str) -> int: ...


def load(code: bytes) -> Image:
    """Place an object file in memory. ValueError for bytes that are none; OSError for unknown symbols."""
    if not code.startswith(_FORMATS):  # LLVM's own loader would take the process down with it
        raise ValueError(f"not an object file: it begins with {code[:4]!r}")
    if code.startswith(_ELF) and sys.platform == "linux":
        return ElfImage(code)
    return EngineImage(code)


@dataclass
class _Section:
    kind: int
    flags: int
    data: bytes
    size: int
    align: int
    link: int
    info: int
    offset: int = -1  # in the image, once laid out


class ElfImage:
    """An ELF object placed by us; `extent` is where, and how many bytes."""

    def __init__(self, code: bytes) -> None:
        try:
            self._place(code)
        except (struct.error, IndexError, KeyError) as error:
            raise ValueError(f"not a complete object file: {error!r}") from None

    def address(self, name: str) -> int:
        if name not in self._names:
            raise KeyError(f"the object defines no {name!r}, only {', '.join(sorted(self._names))}")
        return self._names[name]

    def _place(self, code: bytes) -> None:
        machine = struct.unpack_from("<H", code, 18)[0]
        if machine not in _MACHINES:
            raise ValueError(f"object code for machine number {machine} cannot run here")
        target = _MACHINES[machine]
        sections = _read_sections(code)
        symbols = _read_symbols(sections)
        relocs = _read_relocations(sections)
        far = sorted({s for _, _, s, _ in relocs if symbols[s].section == 0})
        page = mmap.PAGESIZE

        kept = [s for s in sections if s.flags & _ALLOC]
        code_size = _lay_out([s for s in kept if s.flags & _EXEC], 0)
        veneers = _round_up(code_size, 16)
        constants = _round_up(veneers + len(far) * target.veneer_size, page)
        table = _round_up(_lay_out([s for s in kept if not s.flags & (_EXEC | _WRITE)], constants), 8)
        data = _round_up(table + 8 * len(symbols), page)
        total = _round_up(max(_lay_out([s for s in kept if s.flags & _WRITE], data), data), page)

        view, base = _map(total)
        self.extent = (base, total)
        self._unmap = weakref.finalize(self, _unmap, base, total)
        self._unmap.atexit = False  # worker threads may still run in it while the interpreter ends
        for section in kept:
            view[section.offset : section.offset + len(section.data)] = section.data

        values: list[int] = []
        for number, symbol in enumerate(symbols):
            if symbol.section == 0:
                value = resolve(symbol.name) if number in far else 0
            elif symbol.section < 0xFF00 and sections[symbol.section].offset >= 0:
                value = base + sections[symbol.section].offset + symbol.value
            else:
                value = symbol.value
            values.append(value)
            struct.pack_into("<Q", view, table + 8 * number, value)
        jumps = {number: base + veneers + i * target.veneer_size for i, number in enumerate(far)}
        for number, at in jumps.items():
            target.write_veneer(view, at - base, values[number])
        for target_section, offset, number, (kind, addend) in relocs:
            where = sections[target_section].offset + offset
            place = relocations.Place(
                view,
                where,
                base + where,
                values[number],
                addend,
                base + table + 8 * number,
                jumps.get(number),
            )
            target.apply(kind, place)

        self._names = {
            s.name: v for s, v in zip(symbols, values, strict=True) if s.name and s.section not in (0, 0xFFF1)
        }
        _protect(base, constants, mmap.PROT_READ | mmap.PROT_EXEC)
        _protect(base + constants, data - constants, mmap.PROT_READ)
        _flush(base, base + constants)


class _Symbol(NamedTuple):
    name: str
    section: int
    value: int


def _read_sections(code: bytes) -> list[_Section]:
    start = struct.unpack_from("<Q", code, 40)[0]
    entry, count = struct.unpack_from("<HH", code, 58)
    names = struct.unpack_from("<H", code, 62)[0]
    rows = [struct.unpack_from("<IIQQQQIIQQ", code, start + i * entry) for i in range(count)]
    sections = []
    for name, kind, flags, _, offset, size, link, info, align, _ in rows:
        data = b"" if kind == _NOBITS else code[offset : offset + size]
        if kind != _NOBITS and len(data) != size:
            raise ValueError(f"not a complete object file: a section of {size} bytes has {len(data)}")
        # nothing unwinds through kernels, so the tables for it are left out
        if _string(code, rows[names][4] + name) == ".eh_frame":
            flags &= ~_ALLOC
        if flags & _TLS:
            raise ValueError("thread-local data in a kernel cannot be loaded")
        sections.append(_Section(kind, flags, data, size, max(align, 1), link, info))
    return sections


def _read_symbols(sections: list[_Section]) -> list[_Symbol]:
    for section in sections:
        if section.kind == _SYMTAB:
            strings = sections[section.link].data
            return [
                _Symbol(_string(strings, name), index, value)
                for name, _, _, index, value, _ in struct.iter_unpack("<IBBHQQ", section.data)
            ]
    raise ValueError("not a complete object file: no symbols")


def _read_relocations(sections: list[_Section]) -> list[tuple[int, int, int, tuple[int, int]]]:
    """(section, offset in it, symbol, (kind, addend)) of every relocation of a section that is kept."""
    found = []
    for section in sections:
        if section.kind == _RELA and sections[section.info].flags & _ALLOC:
            for offset, info, addend in struct.iter_unpack("<QQq", section.data):
                found.append((section.info, offset, info >> 32, (info & 0xFFFFFFFF, addend)))
    return found


def _lay_out(sections: list[_Section], offset: int) -> int:
    """Give each section its place from `offset` on; the end."""
    for section in sections:
        section.offset = _round_up(offset, section.align)
        offset = section.offset + section.size
    return offset


def _round_up(value: int, step: int) -> int:
    return -(-value // step) * step


def _string(data: bytes, start: int) -> str:
    return data[start : data.index(b"\0", start)].decode()


# --- what the operating system does


@cache
def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    size, pointer, integer = ctypes.c_size_t, ctypes.c_void_p, ctypes.c_int
    libc.mmap.restype, libc.mmap.argtypes = pointer, (pointer, size, integer, integer, integer, ctypes.c_long)
    libc.munmap.argtypes = (pointer, size)
    libc.mprotect.argtypes = (pointer, size, integer)
    return libc


def _map(size: int) -> tuple[memoryview, int]:
    """Fresh zeroed pages: as writable bytes, and their address.

    Not Python's mmap objects: those unmap when the interpreter drops them, under threads that still run in
    them."""
    address = _libc().mmap(
        None, size, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0
    )
    if address in (None, ctypes.c_void_p(-1).value):
        raise MemoryError(f"cannot map {size} bytes for code: {_error()}")
    return memoryview((ctypes.c_char * size).from_address(address)).cast("B"), address


def _unmap(address: int, size: int) -> None:
    _libc().munmap(address, size)


def _protect(address: int, size: int, rights: int) -> None:
    if size and _libc().mprotect(address, size, rights) != 0:
        raise OSError(f"cannot make code executable: {_error()}; a security policy may forbid it")


def _error() -> str:
    return os.strerror(ctypes.get_errno())


@cache
def _clear_cache() -> Callable[[int, int], None] | None:
    """The compiler runtime's flush of the instruction cache; x86 keeps the caches coherent by itself.

    Where no library offers it, the kernel's own flush must do: Linux synchronises the caches of a page when
    it first becomes executable, and ours do so exactly once, after their last write."""
    if platform.machine() != "aarch64":
        return None
    for library in (None, "libgcc_s.so.1"):
        try:
            function = ctypes.CDLL(library).__getattr__("__clear_cache")
        except (OSError, AttributeError):
            continue
        function.argtypes, function.restype = (ctypes.c_void_p, ctypes.c_void_p), None
        flush: Callable[[int, int], None] = function
        return flush
    return None


def _flush(start: int, end: int) -> None:
    flush = _clear_cache()
    if flush is not None:
        flush(start, end)


@cache
def resolve(name: str) -> int:
    """The address of a C function or variable of this process or the libraries it always has."""
    for library in (None, *_LIBRARIES):
        try:
            address = ctypes.cast(getattr(ctypes.CDLL(library), name), ctypes.c_void_p).value
        except (OSError, AttributeError):
            continue
        if address:
            return address
    raise OSError(
        f"compiled code calls {name!r}, which neither this process nor {', '.join(_LIBRARIES)} defines"
    )


class EngineImage:
    """An object of another format, placed by LLVM."""

    def __init__(self, code: bytes) -> None:
        import llvmlite.binding as llvm

        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        machine = llvm.Target.from_default_triple().create_target_machine()
        self._engine: Any = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        try:
            self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
            self._engine.finalize_object()
        except RuntimeError as error:
            raise ValueError(f"not a complete object file: {error}") from None

    def address(self, name: str) -> int:
        address = int(self._engine.get_function_address(name))
        if not address:
            raise KeyError(f"the object defines no {name!r}")
        return address
