"""What a person writes for torch, drawn at random: one expression, shapes and dtypes of every kind, both
libraries. Where torch gives a value, ours is that value with that shape and dtype."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade import Tensor

torch = pytest.importorskip("torch")

#: of a tensor x and another of the same shape and dtype y
EXPRESSIONS = """
x + y; x - y; x * y; x / y; x // 3; x % 3; 7 % (y.abs() + 1); x.fmod(2); x ** 2; -x; abs(x); x.square()
x // 0.3; x == y; x < 1; x >= y; (x > 0) & (y > 0); (x > 0) | (y < 1); ~(x > 0); x.logical_xor(y)
x.sign(); x.relu(); x.maximum(y); x.minimum(0.5); x.clamp(-1, 1); x.clamp_min(0); x.where(x > 0, y)
x.masked_fill(x > 0, 3); x.exp(); x.abs().sqrt(); x.abs().log1p(); x.sin(); x.tanh(); x.sigmoid()
x.atan2(y); x.copysign(y); x.round(); x.floor(); x.trunc(); x.isnan(); x.nan_to_num(); x.reciprocal()
x.lerp(y, 0.3); x.hypot(y); x.erf(); x.logaddexp(y); x.sum(); x.sum(-1); x.sum(0, keepdim=True)
x.double().prod(); x.mean(); x.mean(-1, True); x.amax(-1); x.amin(); (x > 0).any(0); (x > 0).all()
x.argmax(-1); x.argmin(); x.var(-1); x.std(0, correction=0); x.logsumexp(-1); x.norm(); x.norm(1, -1)
x.count_nonzero(-1); x.nansum(-1); x.cumsum(-1); x.cumprod(0); x.cummax(0).values; x.logcumsumexp(0)
x.aminmax().max; x.sort(-1).values; x.sort(0, descending=True)[0]; x.argsort(-1, stable=True)
x.float().median(); x.topk(1, 0)[0]; x.diff(); x.double().softmax(-1); x.float().log_softmax(0)
x.quantile(0.3); x.unique(); x.flatten(); x.reshape(-1); x.unsqueeze(-1); x.squeeze()
x.transpose(0, -1); x.flip(0); x.roll(1, -1); x.repeat(2, *[1] * (x.ndim - 1)); x.expand(2, *x.shape)
x.tile(2); x.chunk(2); x.unbind(-1); x.movedim(0, -1); x[..., 0]; x[1:]; x[..., ::2]; x[None]; x[x > 0]
x[-1]; x.diag_embed(); x.narrow(0, 0, 1); x.index_select(0, i); x.gather(0, x.long() * 0)
x.scatter_add(0, x.long() * 0, y); x.index_add(0, i, y[:2]); x.index_fill(0, i, 1)
x.masked_select(x > 0); x.nonzero(); x.take(i); x.float(); x.int(); x.tril(); x.triu(1)
x.float() @ y.float().mT; x.long().matmul(y.long().mT); x.addcmul(x, y); x.dist(y); x.isclose(y)
x.equal(y); x.tolist()
""".replace("\n", ";").split(";")
DTYPES = ("float32", "float64", "float16", "int64", "int32", "uint8", "bool")
TOLERANCE = {"float16": 4e-3, "float32": 1e-5, "float64": 1e-10}


def plain(result: Any) -> Any:
    if isinstance(result, (list, tuple)):
        return [plain(part) for part in result]
    return np.asarray(result.numpy()) if hasattr(result, "numpy") else np.asarray(result)


def differs(ours: Any, theirs: Any) -> str:
    if isinstance(theirs, list):
        if not isinstance(ours, list) or len(ours) != len(theirs):
            return "another structure"
        return next((found for a, b in zip(ours, theirs, strict=True) if (found := differs(a, b))), "")
    if (ours.shape, ours.dtype) != (theirs.shape, theirs.dtype):
        return f"{ours.dtype}{ours.shape} instead of {theirs.dtype}{theirs.shape}"
    if theirs.dtype.kind == "f":
        bound = TOLERANCE[theirs.dtype.name]
        close = np.isclose(ours, theirs, rtol=bound, atol=bound, equal_nan=True)
    else:
        close = ours == theirs
    return "" if np.all(close) else f"{ours} instead of {theirs}"


@given(
    st.sampled_from([e.strip() for e in EXPRESSIONS if e.strip()]),
    st.sampled_from(DTYPES),
    st.lists(st.sampled_from((0, 1, 2, 3, 5, 17)), max_size=3).map(tuple),
    st.integers(0, 2**32 - 1),
)
def test_an_expression_is_worth_what_torch_says(
    expression: str, dtype: str, shape: tuple[int, ...], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    spread = rng.standard_normal((2, *shape)) * 2
    if np.dtype(dtype).kind in "iu":
        spread = spread.clip(0 if dtype == "uint8" else None)
    arrays = spread.astype(dtype)

    def evaluate(make: Any) -> Any:
        names = {"x": make(arrays[0]), "y": make(arrays[1]), "i": make(np.array([0, 0]))}
        return plain(eval(expression, {}, names))

    try:
        theirs = evaluate(lambda a: torch.from_numpy(a.copy()))
    except (RuntimeError, TypeError, IndexError, ValueError, NotImplementedError):
        return  # torch refuses it, each kind of mistake in its own way: there is nothing to compare with
    found = differs(evaluate(Tensor), theirs)
    assert not found, f"{expression} of {dtype}{shape}: {found}"
