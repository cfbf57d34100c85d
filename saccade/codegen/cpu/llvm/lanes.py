"""Instructions that move, combine or sum the lanes of vectors, as LLVM IR."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from ....runtime.cpu.machine import host_registers
from ...linear.code import Instruction, Value
from .text import Text, lanes_of, literal, shuffled, suffix_of, type_name

#: The instructions of x86 that multiply and add neighbours, by the bits of a register: bytes, and words.
_SHUFFLES: Final = {128: "ssse3.pshuf.b.128", 256: "avx2.pshuf.b", 512: "avx512.pshuf.b.512"}
_PAIRS: Final = {128: "ssse3.pmadd.ub.sw.128", 256: "avx2.pmadd.ub.sw", 512: "avx512.pmaddubs.w.512"}
_DOTS_OF_WORDS: Final = {128: "sse2.pmadd.wd", 256: "avx2.pmadd.wd", 512: "avx512.pmaddw.d.512"}


def _again(count: int, width: int) -> list[int]:
    """The lanes of a vector, over and over."""
    return [lane % width for lane in range(count)]


class Lanes(Text):
    def do_splat(self, item: Instruction) -> None:
        (scalar,) = item.args
        name, width = type_name(scalar.dtype), item.made.width
        whole = f"<{width} x {name}>"
        one = self.define(f"insertelement {whole} poison, {name} {self.ref(scalar)}, i32 0")
        self.assign(
            item,
            f"shufflevector {whole} {one}, {whole} poison, <{width} x i32> zeroinitializer",
        )

    def do_lanes(self, item: Instruction) -> None:
        name, width = type_name(item.made.dtype), item.made.width
        text = ", ".join(f"{name} {literal(v, item.made.dtype)}" for v in item.arg)
        whole = f"<{width} x {name}>"
        self.assign(item, f"select i1 true, {whole} <{text}>, {whole} zeroinitializer")

    def do_extract(self, item: Instruction) -> None:
        (vector,) = item.args
        self.assign(
            item, f"extractelement {type_name(vector.dtype, vector.width)} {self.ref(vector)}, i32 {item.arg}"
        )

    def do_pack(self, item: Instruction) -> None:
        whole = type_name(item.made.dtype, item.made.width)
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
        self.assign(item, shuffled(whole, self.ref(vector), reversed(range(width))))

    def do_shuffle(self, item: Instruction) -> None:
        a, b = item.args
        self.assign(item, shuffled(type_name(a.dtype, a.width), self.ref(a), item.arg, self.ref(b)))

    def do_shift(self, item: Instruction) -> None:
        vector, scalar = item.args
        whole, width = type_name(vector.dtype, vector.width), vector.width
        first = self.define(
            f"insertelement {whole} poison, {type_name(scalar.dtype)} {self.ref(scalar)}, i32 0"
        )
        self.assign(item, shuffled(whole, self.ref(vector), (width, *range(width - 1)), first))

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
        word, width = self.joined(current, "i1", width), width * len(current)
        word = self.define(f"bitcast <{width} x i1> {word} to i{width}")
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
        suffix = f"v{width}{suffix_of(dtype)}"
        if dtype.is_float:
            if item.arg in ("add", "mul"):
                start = (scalar, literal(-0.0 if item.arg == "add" else 1.0, dtype))
                text = self.intrinsic(
                    f"llvm.vector.reduce.f{item.arg}.{suffix}", scalar, [start, *args], "reassoc "
                )
            else:
                text = self.intrinsic(f"llvm.vector.reduce.f{item.arg}imum.{suffix}", scalar, args, "nsz ")
        elif dtype.is_bool:
            word = {"add": "or", "mul": "and", "max": "or", "min": "and"}[item.arg]
            text = self.intrinsic(
                f"llvm.vector.reduce.{word}.v{width}i1", scalar, [(whole, self.ref(vector))]
            )
        else:
            sign = "" if item.arg in ("add", "mul") else "u" if dtype.is_unsigned else "s"
            text = self.intrinsic(f"llvm.vector.reduce.{sign}{item.arg}.{suffix}", scalar, args)
        self.assign(item, text)

    def do_pick(self, item: Instruction) -> None:
        """A register of lanes at a time: what has fewer is made wider first."""
        (index,), dtype, width = item.args, item.made.dtype, item.made.width
        picked = self._picked if host_registers().masks else self._picked_by_eights
        most = host_registers().bytes // (1 if host_registers().masks else 2) // dtype.itemsize
        if width >= most:
            self._by_registers(item, most, picked)
            return
        place, made = type_name(index.dtype, width), type_name(dtype, most)
        if width == 1:
            whole = type_name(index.dtype, most)
            wide = self.define(f"insertelement {whole} poison, {place} {self.ref(index)}, i32 0")
        else:
            wide = self.define(shuffled(place, self.ref(index), _again(most, width)))
        value = picked(replace(item, args=(replace(index, width=most),)), 0, most, wide)
        if width == 1:
            self.assign(item, f"extractelement {made} {value}, i32 0")
        else:
            self.assign(item, shuffled(made, value, range(width)))

    def do_lookup(self, item: Instruction) -> None:
        """A register of bytes at a time; what has fewer than 16 is made wider first."""
        code, table = item.args
        dtype, width = item.made.dtype, item.made.width
        if width >= 16:
            self._by_registers(item, host_registers().bytes, self._looked_up)
            return
        kind, whole = type_name(dtype, width), type_name(dtype, 16)
        wide = self.define(shuffled(kind, self.ref(code), _again(16, width)))
        value = self._in_table(wide, self.ref(table), 16)
        self.assign(item, shuffled(whole, value, range(width)))

    def _looked_up(self, item: Instruction, at: int, size: int) -> str:
        """`size` bytes from lane `at` on."""
        code, table = item.args
        whole = self.define(shuffled("<16 x i8>", self.ref(table), _again(size, 16)))
        return self._in_table(self._part(code, at, size), whole, size)

    def _in_table(self, codes: str, table: str, size: int) -> str:
        """A shuffle within each 16 bytes."""
        kind = f"<{size} x i8>"
        with_tbl = host_registers().byte_shuffle == "tbl"
        name = "aarch64.neon.tbl1.v16i8" if with_tbl else f"x86.{_SHUFFLES[8 * size]}"
        return self.define(self.intrinsic(f"llvm.{name}", kind, [(kind, table), (kind, codes)]))

    def _tables(self, item: Instruction, size: int) -> list[str]:
        """The numbers, so many in a vector."""
        dtype = item.made.dtype
        numbers = [f"{type_name(dtype)} {literal(number, dtype)}" for number in item.arg]
        return [f"<{', '.join(numbers[at : at + size])}>" for at in range(0, len(numbers), size)]

    def _picked(self, item: Instruction, at: int, size: int, index: str = "") -> str:
        """A permutation by a register of indices: of one register of numbers, or of two."""
        places, kind = item.args[0].dtype, type_name(item.made.dtype, size)
        typed = (type_name(places, size), index or self._part(item.args[0], at, size))
        first, *more = self._tables(item, size)
        letter = "s" if item.made.dtype.itemsize == 4 else "d"
        if not more:
            name = f"llvm.x86.avx512.permvar.{letter}f.512"
            return self.define(self.intrinsic(name, kind, [(kind, first), typed]))
        name = f"llvm.x86.avx512.vpermi2var.p{letter}.512"
        return self.define(self.intrinsic(name, kind, [(kind, first), typed, (kind, more[0])]))

    def _picked_by_eights(self, item: Instruction, at: int, size: int, index: str = "") -> str:
        """The same without AVX-512: bit by bit of the index, the lowest three by a permutation where there is
        one."""
        dtype, places = item.made.dtype, type_name(item.args[0].dtype, size)
        place, kind = index or self._part(item.args[0], at, size), type_name(dtype, size)
        if size == 8:
            name, typed = "llvm.x86.avx2.permps", (places, place)
            found = [
                self.define(self.intrinsic(name, kind, [(kind, table), typed]))
                for table in self._tables(item, size)
            ]
        else:
            found = [lanes_of(number, dtype, size) for number in item.arg]
        bit = 16 // len(found)
        while len(found) > 1:
            part = self.define(f"and {places} {place}, {lanes_of(bit, item.args[0].dtype, size)}")
            there = self.define(f"icmp ne {places} {part}, zeroinitializer")
            mask = f"<{size} x i1>"
            found = [
                self.define(f"select {mask} {there}, {kind} {b}, {kind} {a}")
                for a, b in zip(found[::2], found[1::2], strict=True)
            ]
            bit *= 2
        return found[0]

    def do_repeated(self, item: Instruction) -> None:
        """Some neighbours of a vector again and again: as one word in all lanes, which a load spreads, or the
        dot instruction itself. To shuffle bytes LLVM makes them 16 bits wide first, three instructions for
        NEON."""
        (short,), (count, number), width = item.args, item.arg, item.made.width
        kind, times = f"i{8 * short.dtype.itemsize * count}", width // count
        words = f"<{short.width // count} x {kind}>"
        given = self.define(f"bitcast {type_name(short.dtype, short.width)} {self.ref(short)} to {words}")
        whole = self.define(shuffled(words, given, [number] * times))
        self.assign(item, f"bitcast <{times} x {kind}> {whole} to {type_name(short.dtype, width)}")

    def do_dot(self, item: Instruction) -> None:
        size = host_registers().bytes // 4 if item.arg == "vpdpbusd" else 4
        self._by_registers(item, size, self._dot)

    def do_pairs(self, item: Instruction) -> None:
        self._by_registers(item, host_registers().bytes // 2, self._pairs)

    def do_dot_of_words(self, item: Instruction) -> None:
        self._by_registers(item, host_registers().bytes // 4, self._dot_of_words)

    def _by_registers(
        self, item: Instruction, most: int, piece: Callable[[Instruction, int, int], str]
    ) -> None:
        """An instruction in pieces of up to `most` lanes: LLVM has these for single registers."""
        width, dtype = item.made.width, item.made.dtype
        size = min(width, most)
        pieces = [piece(item, at, size) for at in range(0, width, size)]
        kind, whole = type_name(dtype, width), self.joined(pieces, type_name(dtype), size)
        self.assign(item, f"select i1 true, {kind} {whole}, {kind} zeroinitializer")

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

    def _pairs(self, item: Instruction, at: int, size: int) -> str:
        """`size` sums of 16 bits from lane `at` on."""
        return self._of_pairs(item, at, size, _PAIRS[16 * size], "i16", "i8")

    def _dot_of_words(self, item: Instruction, at: int, size: int) -> str:
        """`size` sums of 32 bits from lane `at` on."""
        return self._of_pairs(item, at, size, _DOTS_OF_WORDS[32 * size], "i32", "i16")

    def _of_pairs(self, item: Instruction, at: int, size: int, name: str, wide: str, narrow: str) -> str:
        typed = [(f"<{2 * size} x {narrow}>", self._part(value, 2 * at, 2 * size)) for value in item.args]
        return self.define(self.intrinsic(f"llvm.x86.{name}", f"<{size} x {wide}>", typed))

    def _part(self, value: Value, at: int, size: int) -> str:
        """Some neighbouring lanes of a vector."""
        if value.width == size or value.is_literal:
            return self.ref(value)
        kind = type_name(value.dtype, value.width)
        return self.define(shuffled(kind, self.ref(value), range(at, at + size)))
