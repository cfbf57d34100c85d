"""The lines of an OBJ file at machine speed: a scan has tens of thousands, nearly all of them numbers.

    >>> lines = numbers_of(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1/1 2/2 3/3\n")
    >>> lines.triangles.tolist(), [(each.text, each.triangles) for each in lines.others]
    ([[[1, 1], [2, 2], [3, 3]]], [('usemtl red', 0)])

Only the usual forms are known here. A file with any other (vertices counted from the end, a fault) is None,
and is read line by line. Numbers of so many digits that a quotient would round twice are left to Python.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from saccade.reproducible.native import I64, F64s, I64s, U8s, native, scratch_f64, scratch_i64

# Line breaks of a text that are none of bytes, as UTF-8.
ODD_BREAKS = (b"\x0b", b"\x0c", b"\x1c", b"\x1d", b"\x1e", b"\xc2\x85", b"\xe2\x80\xa8", b"\xe2\x80\xa9")
# Powers of ten that floats hold exactly, as they do whole numbers below EXACT: a quotient of both is rounded
# once, as Python's own reading of the text is.
POWERS = np.array([10.0**k for k in range(23)])
EXACT = 1 << 53
TAB, NEWLINE, RETURN, SPACE, PLUS, MINUS, POINT, SLASH, ZERO, NINE = 9, 10, 13, 32, 43, 45, 46, 47, 48, 57
UPPER_E, LOWER_E, F, M, T, U, V = 69, 101, 102, 109, 116, 117, 118
MOST_NUMBERS = 6
# Places in the counts that the loops keep.
AT, BAD, VERTICES, COLOURS, PLACES, TRIANGLES, OTHERS, LONG, HIGHEST, HIGHEST_LINE, COUNTS = range(11)


@dataclass(frozen=True)
class Other:
    """A line that is not numbers, and how many triangles there were before it."""

    text: str
    number: int
    triangles: int


@dataclass(frozen=True)
class Lines:
    """vertices (V, 3), colours (C, 3), places (T, 2); triangles (F, 3, 2): the numbers of the vertex and of
    the place of each corner, 0 for none; others: lines that name materials. highest: the largest number of a
    vertex that a face names, and the line."""

    vertices: npt.NDArray[np.float64]
    colours: npt.NDArray[np.float64]
    places: npt.NDArray[np.float64]
    triangles: npt.NDArray[np.int64]
    others: list[Other]
    highest: tuple[int, int]


def numbers_of(data: bytes) -> Lines | None:
    """What the lines of a file say; None if they are to be read one by one."""
    if any(each in data for each in ODD_BREAKS) or data.count(b"\r") != data.count(b"\r\n"):
        return None
    size, text = len(data) + 1, np.frombuffer(data + b"\n\n\n", np.uint8)  # a look ahead ends in the text
    counts = np.zeros(COUNTS, np.int64)
    none_f, none_i = np.zeros(1), np.zeros(1, np.int64)
    read_lines(text, size, 0, POWERS, none_f, none_f, none_f, none_i, none_i, none_i, counts)
    if counts[BAD]:
        return None
    vertices, colours, places, triangles, others, long = (
        np.zeros((counts[kind], size), kind_of)
        for kind, size, kind_of in (
            (VERTICES, 3, np.float64),
            (COLOURS, 3, np.float64),
            (PLACES, 2, np.float64),
            (TRIANGLES, 6, np.int64),
            (OTHERS, 4, np.int64),
            (LONG, 4, np.int64),
        )
    )
    counts[:] = 0
    arrays = (vertices.ravel(), colours.ravel(), places.ravel(), triangles.ravel(), others.ravel())
    read_lines(text, size, 1, POWERS, *arrays, long.ravel(), counts)
    for first, last, kind, place in long.tolist():
        arrays[kind - VERTICES][place] = float(data[first:last])
    named = [
        Other(data[first:last].decode(errors="replace"), number, before)
        for first, last, number, before in others.tolist()
    ]
    highest = (int(counts[HIGHEST]), int(counts[HIGHEST_LINE]))
    return Lines(vertices, colours, places, triangles.reshape(-1, 3, 2), named, highest)


@native
def skip_spaces(text: U8s, counts: I64s) -> None:
    """counts[AT]: on to the next word or the end of the line."""
    at = counts[AT]
    while text[at] == SPACE or text[at] == TAB or text[at] == RETURN:
        at += 1
    counts[AT] = at


@native
def read_whole(text: U8s, counts: I64s, found: I64s) -> None:
    """found[0]: the whole number at counts[AT], counted from 1, which moves behind it; counts[BAD] if there
    is none."""
    at, value, digits = counts[AT], 0, 0
    while text[at] >= ZERO and text[at] <= NINE:
        value = value * 10 + text[at] - ZERO
        digits += 1
        at += 1
        if digits > 15:
            counts[BAD] = 1
            return
    if value == 0:
        counts[BAD] = 1
    counts[AT] = at
    found[0] = value


@native
def read_number(text: U8s, powers: F64s, counts: I64s, found: F64s, spans: I64s, place: I64) -> None:
    """found[place]: the number at counts[AT], which moves behind it; counts[BAD] if it is none.
    spans[place]: where one begins that cannot be made exactly here, else -1."""
    at, value, digits, after = counts[AT], 0, 0, 0
    negative = text[at] == MINUS
    if text[at] == MINUS or text[at] == PLUS:
        at += 1
    while text[at] >= ZERO and text[at] <= NINE:
        value = value * 10 + text[at] - ZERO
        digits += 1
        at += 1
        value = min(value, EXACT)
    if text[at] == POINT:
        at += 1
        while text[at] >= ZERO and text[at] <= NINE:
            value = value * 10 + text[at] - ZERO
            digits += 1
            after += 1
            at += 1
            value = min(value, EXACT)
    if digits == 0:
        counts[BAD] = 1
        return
    if text[at] == LOWER_E or text[at] == UPPER_E:
        at += 1
        lower = text[at] == MINUS
        if text[at] == MINUS or text[at] == PLUS:
            at += 1
        exponent, digits = 0, 0
        while text[at] >= ZERO and text[at] <= NINE and digits < 4:
            exponent = exponent * 10 + text[at] - ZERO
            digits += 1
            at += 1
        if digits == 0:
            counts[BAD] = 1
            return
        if lower:
            after += exponent
        else:
            after -= exponent
    spans[place] = counts[AT]
    counts[AT] = at
    if value >= EXACT or after > 22 or after < -22:
        return
    spans[place] = -1
    exact = float(value)
    if after >= 0:
        exact = exact / powers[after]
    else:
        exact = exact * powers[-after]
    found[place] = exact * (-1.0 if negative else 1.0)


@native
def read_lines(
    text: U8s,
    size: I64,
    keep: I64,
    powers: F64s,
    vertices: F64s,
    colours: F64s,
    places: F64s,
    triangles: I64s,
    others: I64s,
    long: I64s,
    counts: I64s,
) -> None:
    """Go through the lines of a text that ends with a newline, and count what they hold; with `keep` write it
    into the arrays (see `Lines`; others: begin, end, number of the line, triangles before it;
    long: begin, end, array and place in it of a number that Python is to read)."""
    numbers = scratch_f64(6)
    spans = scratch_i64(6)
    ends = scratch_i64(6)
    whole = scratch_i64(1)
    line = 0
    while counts[AT] < size and counts[BAD] == 0:
        line += 1
        skip_spaces(text, counts)
        begin = counts[AT]
        first = text[begin]
        spaced = text[begin + 1] == SPACE or text[begin + 1] == TAB
        coordinates = first == V and spaced
        texture = first == V and text[begin + 1] == T
        texture = texture and (text[begin + 2] == SPACE or text[begin + 2] == TAB)
        if coordinates or texture:
            counts[AT] = begin + (1 if coordinates else 2)
            got = 0
            skip_spaces(text, counts)
            while text[counts[AT]] != NEWLINE and counts[BAD] == 0:
                if got == MOST_NUMBERS:
                    counts[BAD] = 1
                    return
                read_number(text, powers, counts, numbers, spans, got)
                ends[got] = counts[AT]
                got += 1
                before = counts[AT]
                skip_spaces(text, counts)
                if counts[AT] == before and text[before] != NEWLINE:
                    counts[BAD] = 1
            if counts[BAD] > 0 or (coordinates and got < 3) or got < 1:
                counts[BAD] = 1
                return
            wanted = 3 if coordinates and got < 6 else min(got, 6 if coordinates else 2)
            for k in range(wanted):
                kind = VERTICES if coordinates else PLACES
                kind = COLOURS if k > 2 else kind
                to = counts[kind] * (3 if coordinates else 2) + k % 3
                if spans[k] >= 0:
                    if keep > 0:
                        w = counts[LONG] * 4
                        long[w], long[w + 1], long[w + 2], long[w + 3] = spans[k], ends[k], kind, to
                    counts[LONG] += 1
                elif keep > 0:
                    if kind == VERTICES:
                        vertices[to] = numbers[k]
                    elif kind == COLOURS:
                        colours[to] = numbers[k]
                    else:
                        places[to] = numbers[k]
            if coordinates:
                counts[VERTICES] += 1
                counts[COLOURS] += 1 if got == 6 else 0
            else:
                counts[PLACES] += 1
        elif first == F and spaced:
            counts[AT] = begin + 1
            skip_spaces(text, counts)
            corners, first_vertex, first_place, last_vertex, last_place = 0, 0, 0, 0, 0
            while text[counts[AT]] != NEWLINE:
                read_whole(text, counts, whole)
                vertex, place, slashes = whole[0], 0, 0
                while text[counts[AT]] == SLASH and slashes < 2 and counts[BAD] == 0:
                    slashes += 1
                    counts[AT] += 1
                    if slashes == 2 or text[counts[AT]] != SLASH:
                        read_whole(text, counts, whole)
                        place = whole[0] if slashes == 1 else place
                before = counts[AT]
                skip_spaces(text, counts)
                if counts[BAD] > 0 or (counts[AT] == before and text[before] != NEWLINE):
                    counts[BAD] = 1
                    return
                if vertex >= counts[HIGHEST]:
                    counts[HIGHEST] = vertex
                    counts[HIGHEST_LINE] = line
                if corners == 0:
                    first_vertex, first_place = vertex, place
                elif corners > 1:
                    if keep > 0:
                        t = counts[TRIANGLES] * 6
                        triangles[t], triangles[t + 1] = first_vertex, first_place
                        triangles[t + 2], triangles[t + 3] = last_vertex, last_place
                        triangles[t + 4], triangles[t + 5] = vertex, place
                    counts[TRIANGLES] += 1
                last_vertex, last_place = vertex, place
                corners += 1
        while text[counts[AT]] != NEWLINE:
            counts[AT] += 1
        if text[begin] == U or text[begin] == M:
            if keep > 0:
                o = counts[OTHERS] * 4
                others[o], others[o + 1] = begin, counts[AT]
                others[o + 2], others[o + 3] = line, counts[TRIANGLES]
            counts[OTHERS] += 1
        counts[AT] += 1
