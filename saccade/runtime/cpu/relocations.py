"""How an ELF object's holes are filled: one function per kind of relocation, for arm64 and x86-64.

A relocation says: at this place, put something made of the symbol's address S, the addend A, the place's own
address P, or the address G of the table entry that holds S. Calls that may be out of reach go to a veneer
instead.

The kinds listed are those LLVM emits for position-independent code in the small code model, which is what
`engine` asks for; any other is refused by its number.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import NamedTuple


class Place(NamedTuple):
    """One hole and everything that could fill it."""

    memory: memoryview
    offset: int  # of the hole in `memory`
    address: int  # P
    symbol: int  # S
    addend: int  # A
    entry: int  # G: where the table holds S
    veneer: int | None  # a near jump to S, for symbols of other libraries

    @property
    def value(self) -> int:
        return self.symbol + self.addend

    def read(self) -> int:
        word: int = struct.unpack_from("<I", self.memory, self.offset)[0]
        return word

    def write(self, word: int) -> None:
        struct.pack_into("<I", self.memory, self.offset, word & 0xFFFFFFFF)


class Target(NamedTuple):
    """The relocations of one machine."""

    name: str
    kinds: dict[int, Callable[[Place], None]]
    veneer_size: int
    write_veneer: Callable[[memoryview, int, int], None]

    def apply(self, kind: int, place: Place) -> None:
        if kind not in self.kinds:
            raise ValueError(f"relocation {kind} of {self.name} code is not supported")
        self.kinds[kind](place)


def _fits(value: int, bits: int, place: Place) -> int:
    """`value` as a signed field of `bits`, refused when it does not fit."""
    if not -(1 << (bits - 1)) <= value < 1 << (bits - 1):
        raise OverflowError(f"code at {place.address:#x} cannot reach {place.symbol:#x}")
    return value & ((1 << bits) - 1)


def _word64(place: Place) -> None:
    struct.pack_into("<Q", place.memory, place.offset, place.value & 0xFFFFFFFFFFFFFFFF)


def _relative64(place: Place) -> None:
    struct.pack_into("<q", place.memory, place.offset, place.value - place.address)


def _relative32(place: Place) -> None:
    place.write(_fits(place.value - place.address, 32, place))


# --- arm64: immediates sit in fields of the instruction word


def _branch(bits: int, shift: int) -> Callable[[Place], None]:
    """A branch: the distance in words goes into `bits` bits at `shift`."""

    def apply(place: Place) -> None:
        target = place.value if place.veneer is None else place.veneer
        distance = _fits((target - place.address) >> 2, bits, place)
        mask = ((1 << bits) - 1) << shift
        place.write(place.read() & ~mask | distance << shift)

    return apply


def _adr(word: int, distance: int, place: Place) -> int:
    """ADR and ADRP: 21 bits, the low two apart from the rest."""
    field = _fits(distance, 21, place)
    return word & ~0x60FFFFE0 | (field & 3) << 29 | (field >> 2) << 5


def _adr_page(place: Place) -> None:
    place.write(_adr(place.read(), (place.value >> 12) - (place.address >> 12), place))


def _adr_near(place: Place) -> None:
    place.write(_adr(place.read(), place.value - place.address, place))


def _adr_entry_page(place: Place) -> None:
    place.write(_adr(place.read(), (place.entry >> 12) - (place.address >> 12), place))


def _low12(scale: int) -> Callable[[Place], None]:
    """The offset within a page, in units of the access's size (2**scale bytes)."""

    def apply(place: Place) -> None:
        place.write(place.read() & ~0x3FFC00 | ((place.value & 0xFFF) >> scale) << 10)

    return apply


def _low12_entry(place: Place) -> None:
    place.write(place.read() & ~0x3FFC00 | ((place.entry & 0xFFF) >> 3) << 10)


def _aarch64_veneer(memory: memoryview, offset: int, address: int) -> None:
    # ldr x16, .+8 ; br x16 ; .quad address
    struct.pack_into("<IIQ", memory, offset, 0x58000050, 0xD61F0200, address)


AARCH64 = Target(
    "arm64",
    {
        257: _word64,  # ABS64
        260: _relative64,  # PREL64
        261: _relative32,  # PREL32
        273: _branch(19, 5),  # LD_PREL_LO19
        274: _adr_near,  # ADR_PREL_LO21
        275: _adr_page,  # ADR_PREL_PG_HI21
        276: _adr_page,  # ADR_PREL_PG_HI21_NC
        277: _low12(0),  # ADD_ABS_LO12_NC
        278: _low12(0),  # LDST8_ABS_LO12_NC
        279: _branch(14, 5),  # TSTBR14
        280: _branch(19, 5),  # CONDBR19
        282: _branch(26, 0),  # JUMP26
        283: _branch(26, 0),  # CALL26
        284: _low12(1),  # LDST16_ABS_LO12_NC
        285: _low12(2),  # LDST32_ABS_LO12_NC
        286: _low12(3),  # LDST64_ABS_LO12_NC
        299: _low12(4),  # LDST128_ABS_LO12_NC
        311: _adr_entry_page,  # ADR_GOT_PAGE
        312: _low12_entry,  # LD64_GOT_LO12_NC
    },
    16,
    _aarch64_veneer,
)


# --- x86-64: immediates are plain little-endian words


def _call32(place: Place) -> None:
    target = place.symbol if place.veneer is None else place.veneer
    place.write(_fits(target + place.addend - place.address, 32, place))


def _entry32(place: Place) -> None:
    place.write(_fits(place.entry + place.addend - place.address, 32, place))


def _x86_veneer(memory: memoryview, offset: int, address: int) -> None:
    # jmp *[rip+2] ; ud2 ; .quad address
    struct.pack_into("<6sHQ", memory, offset, b"\xff\x25\x02\x00\x00\x00", 0x0B0F, address)


X86_64 = Target(
    "x86-64",
    {
        1: _word64,  # 64
        2: _relative32,  # PC32
        4: _call32,  # PLT32
        9: _entry32,  # GOTPCREL
        24: _relative64,  # PC64
        41: _entry32,  # GOTPCRELX
        42: _entry32,  # REX_GOTPCRELX
    },
    16,
    _x86_veneer,
)
