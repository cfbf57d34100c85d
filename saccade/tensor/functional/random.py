"""Random numbers that are functions: of a key and of where they stand, nothing else.

Element i of a draw is Threefry-2x32 with 20 rounds (Salmon et al. 2011, "Parallel random numbers: as easy as
1, 2, 3") of the counter i under a key, computed with integer tensor ops. So the same key gives the same
numbers on every device and under any schedule, and a draw costs no memory traffic. Keys are data, not
constants: drawing again runs the same compiled kernel.

    >>> first, second = Key(7).split()
    >>> Tensor.rand(3, key=first).tolist() == Tensor.rand(3, key=first).tolist()     # explicit keys
    True
    >>> Tensor.manual_seed(7)                                  # or the next draw of the global generator
    >>> Tensor.rand(3).tolist() == Tensor.rand(3).tolist()
    False
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from ...graph import dtypes
from ...graph.dtypes import DType
from ...graph.node import Node, Shape, make
from ...graph.ops import Op
from .. import build
from ..core import DTypeLike, Operand
from ..jit.trace import TraceError, current_trace
from ..reductions.ordering import Ordering
from ..shapes.creation import checked_shape
from .functional import Functional

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_PARITY = 0x1BD11BDA
_MASK = 0xFFFFFFFF


def threefry(key: tuple[Any, Any], counter: tuple[Any, Any], word: Any) -> tuple[Any, Any]:
    """Two random words from a key and a counter. `word` brings arithmetic on uint32: nodes, or Python
    integers."""
    schedule = (key[0], key[1], word.xor(word.xor(key[0], key[1]), word.constant(_PARITY)))
    x, y = word.add(counter[0], schedule[0]), word.add(counter[1], schedule[1])
    for block in range(5):
        for rotation in _ROTATIONS[block % 2]:
            x = word.add(x, y)
            y = word.xor(word.rotate(y, rotation), x)
        x = word.add(x, schedule[(block + 1) % 3])
        y = word.add(word.add(y, schedule[(block + 2) % 3]), word.constant(block + 1))
    return x, y


class PythonWords:
    """uint32 arithmetic on Python integers."""

    @staticmethod
    def constant(value: int) -> int:
        return value

    @staticmethod
    def add(a: int, b: int) -> int:
        return (a + b) & _MASK

    @staticmethod
    def xor(a: int, b: int) -> int:
        return a ^ b

    @staticmethod
    def rotate(a: int, bits: int) -> int:
        return ((a << bits) | (a >> (32 - bits))) & _MASK


class NodeWords:
    """uint32 arithmetic on nodes of one shape."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape

    def constant(self, value: int) -> Node:
        return build.full(value, dtypes.uint32, self.shape)

    @staticmethod
    def add(a: Node, b: Node) -> Node:
        return make(Op.ADD, dtypes.uint32, (a, b))

    @staticmethod
    def xor(a: Node, b: Node) -> Node:
        return make(Op.XOR, dtypes.uint32, (a, b))

    def rotate(self, a: Node, bits: int) -> Node:
        up = make(Op.SHL, dtypes.uint32, (a, self.constant(bits)))
        return make(Op.OR, dtypes.uint32, (up, make(Op.SHR, dtypes.uint32, (a, self.constant(32 - bits)))))


def checked_seed(seed: object) -> int:
    if not isinstance(seed, (int, np.integer)) or not 0 <= seed < 1 << 64:
        raise ValueError(f"a seed is an integer between 0 and 2**64 - 1, not {seed!r}")
    return int(seed)


class Key:
    """Where a stream of random numbers starts: two words, held in a tensor of shape (2,) and dtype uint32."""

    __slots__ = ("words",)

    def __init__(self, seed: int | Functional) -> None:
        if not isinstance(seed, Functional):
            number = checked_seed(seed)
            self.words: Functional = Functional(np.array([number & _MASK, number >> 32], np.uint32))
        else:
            if seed.shape != (2,) or seed.dtype is not dtypes.uint32:
                raise ValueError(f"a key is 2 words of uint32, not {seed.dtype.name} of shape {seed.shape}")
            self.words = Functional._of(seed.node)

    def split(self, count: int = 2) -> list[Key]:
        """Independent keys: the words at counters (0, 1), (1, 1), ... of this one."""
        x, y = self.words_at((count,), 1)
        return [Key(Functional.stack([Functional._of(x)[i], Functional._of(y)[i]])) for i in range(count)]

    def fold_in(self, number: int) -> Key:
        """The key for step `number`: `split` without making all of them."""
        lo, hi = (
            Functional(np.array([part], np.uint32)).node for part in (number & _MASK, 1 + (number >> 32))
        )
        x, y = threefry(self._pair((1,)), (lo, hi), NodeWords((1,)))
        return Key(Functional.cat([Functional._of(x), Functional._of(y)]))

    def _pair(self, shape: Shape) -> tuple[Node, Node]:
        """Both words of the key, at every position of a shape."""
        first, second = (build.slice_(self.words.node, ((i, 1, 1),)) for i in (0, 1))
        return build.broadcast(build.reshape(first, ()), shape), build.broadcast(
            build.reshape(second, ()), shape
        )

    def words_at(self, shape: Shape, stream: int = 0) -> tuple[Node, Node]:
        """Two words for every element, from its index; streams are told apart in the counter's upper word."""
        count = build.element_count(shape)
        index = make(Op.IOTA, dtypes.int64, (), count)
        low = build.cast(index, dtypes.uint32)
        high = build.full(stream, dtypes.uint32, (count,))
        if count > _MASK:
            above = build.cast(
                build.binary(Op.SHR, index, build.full(32, dtypes.int64, (count,))), dtypes.uint32
            )
            high = build.binary(
                Op.ADD, high, build.binary(Op.SHL, above, build.full(1, dtypes.uint32, (count,)))
            )
        x, y = threefry(self._pair((count,)), (low, high), NodeWords((count,)))
        return build.reshape(x, shape), build.reshape(y, shape)


class Generator:
    """The convenient stream: a seed and a count of draws, each draw with a key of its own."""

    def __init__(self, seed: int | None = None) -> None:
        self.seed(int.from_bytes(os.urandom(8)) if seed is None else seed)

    def seed(self, seed: int) -> None:
        if current_trace() is not None:
            raise TraceError("a jit function cannot seed the generator: seed it outside, or pass a Key")
        seed = checked_seed(seed)
        self._words = (seed & _MASK, seed >> 32)
        #: keys taken so far
        self.draws = 0

    def state_dict(self) -> dict[str, int]:
        """What brings the same numbers again: `load_state_dict` goes on from here."""
        return {"seed": self._words[0] | self._words[1] << 32, "draws": self.draws}

    def load_state_dict(self, state: Mapping[str, int]) -> None:
        seed, draws = state["seed"], state["draws"]
        if type(draws) is not int or draws < 0:
            raise ValueError(f"{draws!r} draws: a number is due, 0 or more")
        self.seed(seed)
        self.draws = draws

    def next_key(self) -> Key:
        trace = current_trace()
        if trace is not None:
            return Key(Functional._of(trace.random_key(self)))
        draw = self.draws
        self.draws += 1
        words = threefry(self._words, (draw & _MASK, 1 + (draw >> 32)), PythonWords)
        try:
            return Key(Functional(np.array(words, np.uint32)))
        except BaseException:
            self.take_back(draw)
            raise

    def take_back(self, draw: int) -> None:
        """What the draw with this number was for has failed: it is the next one again, unless others
        followed."""
        if self.draws == draw + 1:
            self.draws = draw


default_generator = Generator()


def drawn_words(shape: Shape, key: Key | None, device: str | None) -> tuple[Node, Node]:
    """Two words for every element, computed on the device: only the key travels there."""
    chosen = key or default_generator.next_key()
    return (chosen if device is None else Key(chosen.words.to(device=device))).words_at(shape)


class Random(Ordering):
    __slots__ = ()

    @classmethod
    def manual_seed(cls, seed: int) -> None:
        """Start the global stream anew."""
        default_generator.seed(seed)

    @classmethod
    def _unit(cls, shape: Shape, dtype: DType, key: Key | None, device: str | None) -> Self:
        """Uniform on [0, 1): as many random bits as the dtype's significand holds, over a power of two."""
        x, y = drawn_words(shape, key, device)
        digits = dtype.mantissa_bits + 1
        if digits <= 24:
            wide = cls._of(build.binary(Op.SHR, x, build.full(32 - digits, dtypes.uint32, shape)))
            return (wide.cast(dtypes.float32) * 2.0**-digits).cast(dtype)
        high = cls._of(x).cast(dtypes.uint64) >> 6
        low = cls._of(y).cast(dtypes.uint64) >> 5
        return ((high << 27) | low).cast(dtype) * 2.0**-digits

    @classmethod
    def rand(
        cls,
        *size: Any,
        dtype: DTypeLike = None,
        device: str | None = None,
        key: Key | None = None,
        requires_grad: bool = False,
    ) -> Self:
        """Uniform on [0, 1); of complex numbers, both parts are."""
        wanted = None if dtype is None else dtypes.of(dtype)
        if wanted is not None and wanted.is_complex:
            pairs = cls.rand(*checked_shape(size), 2, dtype=wanted.part, device=device, key=key)
            return cls._paired(pairs).requires_grad_(requires_grad)
        drawn = cls._unit(checked_shape(size), _float_dtype(dtype, "rand"), key, device)
        return drawn.requires_grad_(requires_grad)

    @classmethod
    def randn(
        cls,
        *size: Any,
        dtype: DTypeLike = None,
        device: str | None = None,
        key: Key | None = None,
        requires_grad: bool = False,
    ) -> Self:
        """Standard normal, by Box and Muller: one word gives the radius, the other the angle. Of complex
        numbers, each part has half of the variance."""
        if dtype is not None and dtypes.of(dtype).is_complex:
            part = dtypes.of(dtype).part
            drawn = cls.randn(*checked_shape(size), 2, dtype=part, device=device, key=key)
            return cls._paired(drawn * math.sqrt(0.5)).requires_grad_(requires_grad)
        shape, wanted = checked_shape(size), _float_dtype(dtype, "randn")
        x, y = drawn_words(shape, key, device)
        within = dtypes.float64 if wanted is dtypes.float64 else dtypes.float32
        # (word + 1) / 2**32 lies in (0, 1], so its logarithm is finite; 24 bits are what float32 holds
        shift, scale = (0, 2.0**-32) if within is dtypes.float64 else (8, 2.0**-24)
        radius = ((cls._of(x) >> shift).cast(within) + 1) * scale
        angle = (cls._of(y) >> shift).cast(within) * (2 * math.pi * scale)
        return ((radius.log() * -2).sqrt() * angle.cos()).cast(wanted).requires_grad_(requires_grad)

    @classmethod
    def _paired(cls, pairs: Self) -> Self:
        """(..., 2) as complex numbers."""
        re, im = (pairs.select(-1, which).node for which in (0, 1))
        return cls._of(build.complex_(re, im))

    @classmethod
    def randint(
        cls,
        low: int,
        high: Any = None,
        size: Any = None,
        *,
        dtype: DTypeLike = None,
        device: str | None = None,
        key: Key | None = None,
    ) -> Self:
        """Integers from low to high - 1: `randint(low, high, size)` or `randint(high, size)`."""
        if size is None:
            low, high, size = 0, low, high
        if size is None or isinstance(high, (tuple, list)):
            raise TypeError("randint needs a size: randint(low, high, size) or randint(high, size)")
        if low >= high:
            raise ValueError(f"randint needs low < high, not {low} and {high}")
        shape, span = checked_shape((size,)), int(high) - int(low)
        x, y = (cls._of(part).cast(dtypes.uint64) for part in drawn_words(shape, key, device))
        # a word times the span, over 2**32, is below the span; wide spans take both words and a remainder
        drawn = (x * span) >> 32 if span <= 1 << 32 else ((x << 32) | y) % span
        return (drawn.cast(dtypes.int64) + low).cast(dtype or dtypes.int64)

    @classmethod
    def uniform(
        cls,
        *size: Any,
        low: float = 0.0,
        high: float = 1.0,
        dtype: DTypeLike = None,
        device: str | None = None,
        key: Key | None = None,
        requires_grad: bool = False,
    ) -> Self:
        if not low <= high:
            raise ValueError(f"uniform needs low <= high, not {low} and {high}")
        drawn = cls.rand(*size, dtype=dtype, device=device, key=key) * (high - low) + low
        return drawn.requires_grad_(requires_grad)

    @classmethod
    def normal(
        cls,
        mean: float = 0.0,
        std: float = 1.0,
        size: Any = (),
        *,
        dtype: DTypeLike = None,
        device: str | None = None,
        key: Key | None = None,
        requires_grad: bool = False,
    ) -> Self:
        if isinstance(std, (int, float)) and not std >= 0:
            raise ValueError(f"normal needs a standard deviation of at least 0, not {std}")
        drawn = cls.randn(*checked_shape((size,)), dtype=dtype, device=device, key=key) * std + mean
        return drawn.requires_grad_(requires_grad)

    @classmethod
    def randperm(
        cls, n: int, *, dtype: DTypeLike = None, device: str | None = None, key: Key | None = None
    ) -> Self:
        """0 to n - 1 in random order: the order of n random 64-bit numbers."""
        checked_shape((n,))
        x, y = (cls._of(part).cast(dtypes.int64) for part in drawn_words((n,), key, device))
        return ((x << 32) | y).argsort(0).cast(dtype or dtypes.int64)

    def rand_like(
        self, *, dtype: DTypeLike = None, key: Key | None = None, requires_grad: bool = False
    ) -> Self:
        drawn = self.rand(*self.shape, dtype=dtype or self.dtype, device=self.device, key=key)
        return drawn.requires_grad_(requires_grad)

    def randn_like(
        self, *, dtype: DTypeLike = None, key: Key | None = None, requires_grad: bool = False
    ) -> Self:
        drawn = self.randn(*self.shape, dtype=dtype or self.dtype, device=self.device, key=key)
        return drawn.requires_grad_(requires_grad)

    def bernoulli(self, p: Operand | None = None, *, key: Key | None = None) -> Self:
        """1 with the probability each element holds (or with p), else 0."""
        chance = self if p is None else p
        return (self._unit(self.shape, dtypes.float32, key, self.device) < chance).cast(self.dtype)

    def dropout(self, p: float = 0.5, training: bool = True, *, key: Key | None = None) -> Self:
        """Zero with probability p, the rest scaled so that the mean stays."""
        if not 0 <= p <= 1:
            raise ValueError(f"a dropout probability lies between 0 and 1, not {p}")
        if not training or p == 0:
            return self
        if p == 1:
            return self * 0
        kept = self._unit(self.shape, dtypes.float32, key, self.device) >= p
        return kept._choose(self * (1 / (1 - p)), 0.0)

    def multinomial(self, num_samples: int, replacement: bool = False, *, key: Key | None = None) -> Self:
        """Indices drawn with the weights along the last axis. The weights are checked, which waits for them;
        in jit, or on a device that computes nothing, they are not, and where too few are above 0 draws
        without replacement go on to those that are 0."""
        n = self.shape[-1] if self.ndim else 0
        if self.ndim not in (1, 2) or num_samples < 1 or (not replacement and num_samples > n):
            raise ValueError(
                f"cannot draw {num_samples} of {n} without replacement from weights of shape {self.shape}"
            )
        self._check_weights(num_samples, replacement)
        if replacement:
            running = self.float().cumsum(-1)
            where = (
                self._unit((*self.shape[:-1], num_samples), dtypes.float32, key, self.device)
                * running[..., -1:]
            )
            return running.searchsorted(where, right=True).clamp_max(n - 1)
        # the smallest of independent exponential times belongs to i with probability proportional to its rate
        waits = -(1 - self._unit(self.shape, dtypes.float32, key, self.device)).log()
        times = (self > 0)._choose(waits / self.float(), math.inf)
        return times.topk(num_samples, -1, largest=False).indices

    def _check_weights(self, samples: int, replacement: bool) -> None:
        if current_trace() is not None or self.device.partition(":")[0] == "null":
            return
        weights = self.realize().float()
        if not bool(((weights >= 0) & weights.isfinite()).all()):
            raise ValueError("multinomial needs weights that are finite and at least 0: NaN, inf or less")
        fewest = int((weights > 0).sum(-1).amin()) if self.numel() else samples
        if fewest < (1 if replacement else samples):
            raise ValueError(
                f"cannot draw {samples} with{'' if replacement else 'out'} replacement: "
                f"{fewest} of {self.shape[-1]} weights are above 0"
            )


def _float_dtype(dtype: DTypeLike, verb: str) -> DType:
    wanted = dtypes.float32 if dtype is None else dtypes.of(dtype)
    if not wanted.is_float:
        raise TypeError(f"{verb} makes floats, not {wanted.name}: use randint, or cast the result")
    return wanted
