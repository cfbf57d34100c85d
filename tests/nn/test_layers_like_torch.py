"""Layers against torch's of the same name and weights: results, and gradients of weights and inputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Tensor, nn

torch = pytest.importorskip("torch")

Case = tuple[str, tuple[Any, ...], dict[str, Any], list[tuple[int, ...]]]

CASES: list[Case] = [
    ("Linear", (5, 3), {}, [(2, 4, 5)]),
    ("Linear", (5, 3, False), {}, [(5,)]),
    ("Bilinear", (4, 5, 3), {}, [(2, 4), (2, 5)]),
    ("Conv1d", (4, 6, 3, 2, 1), {}, [(2, 4, 9)]),
    ("Conv2d", (4, 6, 3, 1, 1, 1, 2), {}, [(2, 4, 6, 5)]),
    ("Conv2d", (2, 3, (3, 2)), {"padding": (1, 2), "padding_mode": "reflect"}, [(1, 2, 6, 5)]),
    ("Conv2d", (2, 3, 3), {"padding": "same", "bias": False}, [(1, 2, 6, 5)]),
    ("Conv3d", (2, 3, 2), {}, [(1, 2, 4, 4, 4)]),
    ("ConvTranspose1d", (3, 2, 3, 2, 1, 1), {}, [(2, 3, 5)]),
    ("ConvTranspose2d", (4, 6, 3, 2), {"groups": 2}, [(1, 4, 3, 4)]),
    ("ConvTranspose3d", (2, 1, 2), {"bias": False}, [(1, 2, 3, 3, 3)]),
    ("BatchNorm1d", (4,), {}, [(6, 4)]),
    ("BatchNorm1d", (4,), {"momentum": None}, [(3, 4, 5)]),
    ("BatchNorm2d", (3,), {"affine": False}, [(4, 3, 2, 2)]),
    ("BatchNorm2d", (3,), {"track_running_stats": False}, [(4, 3, 2, 2)]),
    ("LayerNorm", ((3, 4),), {}, [(2, 3, 4)]),
    ("LayerNorm", (4,), {"elementwise_affine": False}, [(2, 3, 4)]),
    ("RMSNorm", (4,), {"eps": 1e-6}, [(2, 3, 4)]),
    ("GroupNorm", (2, 6), {}, [(2, 6, 3)]),
    ("InstanceNorm1d", (3,), {}, [(2, 3, 7)]),
    ("InstanceNorm2d", (3,), {"affine": True, "track_running_stats": True}, [(2, 3, 4, 4)]),
    ("MaxPool1d", (2,), {}, [(1, 2, 7)]),
    ("MaxPool2d", (3, 2, 1), {}, [(1, 2, 7, 7)]),
    ("AvgPool2d", (2,), {"padding": 1, "count_include_pad": False}, [(1, 2, 6, 6)]),
    ("AvgPool3d", (2,), {}, [(1, 2, 4, 4, 4)]),
    ("AdaptiveAvgPool2d", ((2, 3),), {}, [(1, 2, 5, 6)]),
    ("AdaptiveMaxPool1d", (3,), {}, [(2, 2, 7)]),
    ("Flatten", (), {}, [(2, 3, 4)]),
    ("Unflatten", (1, (2, 3)), {}, [(2, 6)]),
    ("PixelShuffle", (2,), {}, [(1, 8, 2, 3)]),
    ("Upsample", (), {"scale_factor": 2}, [(1, 2, 3, 3)]),
    ("PReLU", (3,), {}, [(2, 3, 4)]),
    ("Identity", (54,), {"unused": 1}, [(2, 3)]),
    ("CosineSimilarity", (1,), {}, [(3, 4), (3, 4)]),
    *[
        (name, (), {}, [(3, 4)])
        for name in str.split(
            "ReLU ReLU6 LeakyReLU ELU CELU SELU GELU SiLU Mish Sigmoid LogSigmoid Tanh Tanhshrink Softplus "
            "Softsign Softshrink Hardshrink Hardtanh Hardsigmoid Hardswish GLU"
        )
    ],
    ("LeakyReLU", (0.2,), {}, [(3, 4)]),
    ("Threshold", (0.1, 20.0), {}, [(3, 4)]),
    ("GELU", ("tanh",), {}, [(3, 4)]),
    ("Softmax", (1,), {}, [(3, 4)]),
    ("LogSoftmax", (-1,), {}, [(3, 4)]),
    ("Softmin", (0,), {}, [(3, 4)]),
]
#: tried in every run; the others are slow together
FIRST = {
    "Linear-0",
    "Conv2d-4",
    "ConvTranspose1d-8",
    "BatchNorm1d-11",
    "LayerNorm-15",
    "MaxPool2d-22",
    "GELU-40",
}
PARAMS = [
    pytest.param(*case, id=name, marks=() if name in FIRST else pytest.mark.slow)
    for case, name in [(case, f"{case[0]}-{number}") for number, case in enumerate(CASES)]
]


def test_the_first_are_there() -> None:
    assert {param.id for param in PARAMS} >= FIRST


def pair(name: str, args: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, Any]:
    """Ours and torch's, with torch's weights."""
    torch.manual_seed(0)
    theirs = getattr(torch.nn, name)(*args, **options)
    ours = getattr(nn, name)(*args, **options)
    ours.load_state_dict({key: value.numpy() for key, value in theirs.state_dict().items()})
    return ours, theirs


def close(ours: Tensor, theirs: Any, tolerance: float = 2e-5) -> None:
    np.testing.assert_allclose(ours.numpy(), theirs.detach().numpy(), rtol=tolerance, atol=tolerance)


def compare(ours: Any, theirs: Any, given: list[np.ndarray[Any, Any]]) -> None:
    """Results, gradients, and what both keep."""
    mine = [Tensor(x, requires_grad=True) for x in given]
    other = [torch.tensor(x, requires_grad=True) for x in given]
    result, wanted = ours(*mine), theirs(*other)
    close(result, wanted)
    weights = np.random.default_rng(1).standard_normal(wanted.shape).astype(np.float32)
    (result * Tensor(weights)).sum().backward()
    (wanted * torch.tensor(weights)).sum().backward()
    for x, y in zip(mine, other, strict=True):
        close(x.grad, y.grad, 1e-4)
    for (key, x), (other_key, y) in zip(ours.named_parameters(), theirs.named_parameters(), strict=True):
        assert key == other_key
        close(x.grad, y.grad, 1e-4)
    for (key, x), (other_key, y) in zip(ours.named_buffers(), theirs.named_buffers(), strict=True):
        assert key == other_key
        close(x, y)


@pytest.mark.parametrize(("name", "args", "options", "shapes"), PARAMS)
def test_layers(name: str, args: tuple[Any, ...], options: dict[str, Any], shapes: list[Any]) -> None:
    ours, theirs = pair(name, args, options)
    rng = np.random.default_rng(0)
    given = [rng.standard_normal(shape).astype(np.float32) for shape in shapes]
    compare(ours, theirs, given)
    if list(theirs.buffers()):
        ours.eval()
        theirs.eval()
        ours.zero_grad()
        theirs.zero_grad()
        compare(ours, theirs, given)


@pytest.mark.parametrize(
    "name", ["RNN", *[pytest.param(name, marks=pytest.mark.slow) for name in ("GRU", "LSTM")]]
)
@pytest.mark.parametrize(
    "options",
    [{}, pytest.param({"num_layers": 2, "bidirectional": True, "batch_first": True}, marks=pytest.mark.slow)],
)
def test_recurrent(name: str, options: dict[str, Any]) -> None:
    ours, theirs = pair(name, (3, 4), options)
    x = np.random.default_rng(0).standard_normal((5, 2, 3)).astype(np.float32)
    compare(lambda_first(ours), lambda_first(theirs), [x])
    (results, state), (wanted, other) = ours(Tensor(x[:, 0])), theirs(torch.tensor(x[:, 0]))
    close(results, wanted)
    for mine, its in zip(*((s if isinstance(s, tuple) else (s,)) for s in (state, other)), strict=True):
        close(mine, its)
    again = theirs(torch.tensor(x), None)[1]
    given = tuple(Tensor(s.detach().numpy()) for s in (again if isinstance(again, tuple) else (again,)))
    close(ours(Tensor(x), given if name == "LSTM" else given[0])[0], theirs(torch.tensor(x), again)[0])
    with pytest.raises(ValueError, match="state has shape"):
        ours(Tensor(x), (Tensor.zeros(1, 1, 1),) * 2 if name == "LSTM" else Tensor.zeros(1, 1, 1))


def lambda_first(module: Any) -> Any:
    """A recurrent layer as a function to its results alone, with the weights it has."""

    class First:
        named_parameters, named_buffers = module.named_parameters, module.named_buffers

        def __call__(self, x: Any) -> Any:
            return module(x)[0]

    return First()


@pytest.mark.parametrize(
    ("options", "mask"),
    [
        ({}, "causal"),
        pytest.param({}, "padding", marks=pytest.mark.slow),
        pytest.param({"bias": False, "batch_first": True}, "none", marks=pytest.mark.slow),
        pytest.param({"kdim": 6, "vdim": 10}, "causal", marks=pytest.mark.slow),
    ],
)
def test_attention(options: dict[str, Any], mask: str) -> None:
    ours, theirs = pair("MultiheadAttention", (8, 2), options)
    rng = np.random.default_rng(0)
    query, key, value = (
        rng.standard_normal((3, 3, width)).astype(np.float32)
        for width in (8, options.get("kdim", 8), options.get("vdim", 8))
    )
    masks: dict[str, Any] = {}
    if mask == "causal":
        masks["attn_mask"] = np.triu(np.ones((3, 3), bool), 1)
    elif mask == "padding":
        masks["key_padding_mask"] = np.array([[False, False, True]] * 3)
    wanted, weights = theirs(
        *map(torch.tensor, (query, key, value)), **{k: torch.tensor(v) for k, v in masks.items()}
    )
    given = {k: Tensor(v) for k, v in masks.items()}
    result, shown = ours(*map(Tensor, (query, key, value)), **given)
    close(result, wanted)
    close(shown, weights)
    alone, none = ours(*map(Tensor, (query, key, value)), need_weights=False, **given)
    assert none is None
    close(alone, wanted)


def test_grouped_attention_is_attention_with_repeated_heads() -> None:
    grouped = nn.MultiheadAttention(8, 4, batch_first=True, num_kv_heads=2)
    plain = nn.MultiheadAttention(8, 4, batch_first=True)
    q, k, v = grouped.in_proj_weight.detach().split([8, 4, 4], 0)
    repeated = [w.unflatten(0, (2, 2)).repeat_interleave(2, 0).flatten(0, 1) for w in (k, v)]
    state = {
        **plain.state_dict(),
        "in_proj_weight": q.cat([q, *repeated], 0),
        **{k: t for k, t in grouped.state_dict().items() if "out" in k},
    }
    plain.load_state_dict(state)
    x = Tensor.rand(2, 5, 8)
    for weights in (False, True):
        wanted = plain(x, x, x, need_weights=weights)[0]
        np.testing.assert_allclose(
            grouped(x, x, x, need_weights=weights)[0].detach().numpy(), wanted.detach().numpy(), atol=1e-5
        )


def test_embedding() -> None:
    ours, theirs = pair("Embedding", (6, 3, 1), {})
    index = np.array([[0, 1], [5, 1]])
    (ours(Tensor(index)) ** 2).sum().backward()
    (theirs(torch.tensor(index)) ** 2).sum().backward()
    close(ours.weight.grad, theirs.weight.grad)


SLOW_LOSSES = [
    pytest.param(*case, marks=pytest.mark.slow)
    for case in [
        ("L1Loss", {}),
        ("SmoothL1Loss", {"beta": 0.5}),
        ("HuberLoss", {"delta": 0.5}),
        ("KLDivLoss", {"log_target": True}),
        ("BCELoss", {}),
        ("BCEWithLogitsLoss", {"pos_weight": [1.0, 2.0, 3.0, 4.0]}),
        ("NLLLoss", {"weight": [1.0, 2.0, 3.0, 4.0], "ignore_index": 1}),
        ("CrossEntropyLoss", {"label_smoothing": 0.1}),
    ]
]


@pytest.mark.parametrize(
    "reduction", ["mean", *[pytest.param(other, marks=pytest.mark.slow) for other in ("sum", "none")]]
)
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("MSELoss", {}),
        ("CrossEntropyLoss", {"weight": [1.0, 2.0, 3.0, 4.0]}),
        *SLOW_LOSSES,
    ],
)
def test_losses(name: str, options: dict[str, Any], reduction: str) -> None:
    tensors = {k: v for k, v in options.items() if isinstance(v, list)}
    rest = {**{k: v for k, v in options.items() if k not in tensors}, "reduction": reduction}
    ours = getattr(nn, name)(**rest, **{k: Tensor(v) for k, v in tensors.items()})
    theirs = getattr(torch.nn, name)(**rest, **{k: torch.tensor(v) for k, v in tensors.items()})
    rng = np.random.default_rng(0)
    x, y = (rng.uniform(0.1, 0.9, (3, 4)).astype(np.float32) for _ in range(2))
    target = np.array([0, 3, 1]) if name in ("NLLLoss", "CrossEntropyLoss") else y
    mine, other = Tensor(x, requires_grad=True), torch.tensor(x, requires_grad=True)
    result, wanted = ours(mine, Tensor(target)), theirs(other, torch.tensor(target))
    close(result, wanted)
    result.sum().backward()
    wanted.sum().backward()
    close(mine.grad, other.grad)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("xavier_uniform_", (2.0,)),
        pytest.param("xavier_normal_", (), marks=pytest.mark.slow),
        ("kaiming_uniform_", (0.1, "fan_out")),
        ("kaiming_normal_", (0.0, "fan_in", "relu")),
        ("uniform_", (-1.0, 3.0)),
        ("normal_", (1.0, 0.5)),
        ("trunc_normal_", (0.0, 1.0, -1.0, 1.0)),
        ("constant_", (0.5,)),
        ("ones_", ()),
        ("zeros_", ()),
    ],
)
def test_initial_values(name: str, args: tuple[Any, ...]) -> None:
    """The mean, the spread and the bounds of torch's."""
    Tensor.manual_seed(0)
    torch.manual_seed(0)
    ours = getattr(nn.init, name)(Tensor.zeros(200, 300), *args).numpy()
    theirs = getattr(torch.nn.init, name)(torch.zeros(200, 300), *args).numpy()
    spread = max(float(theirs.std()), 1e-9)
    assert abs(ours.mean() - theirs.mean()) < 0.03 * spread + 1e-6
    assert abs(ours.std() - theirs.std()) < 0.02 * spread
    assert ours.min() > theirs.min() - 0.8 * spread - 1e-6
    assert ours.max() < theirs.max() + 0.8 * spread + 1e-6


@pytest.mark.parametrize("shape", [(4, 6), (6, 4), (4, 2, 3)])
def test_orthogonal(shape: tuple[int, ...]) -> None:
    made = nn.init.orthogonal_(Tensor.zeros(*shape), 2.0).numpy().reshape(shape[0], -1)
    small = made @ made.T if made.shape[0] <= made.shape[1] else made.T @ made
    np.testing.assert_allclose(small, 4 * np.eye(len(small)), atol=1e-5)


def test_every_name_of_functional_is_there() -> None:
    """`dir` tells what there is, and all of it is a function; what torch's users reach for is in it."""
    for name in dir(nn.functional):
        assert callable(getattr(nn.functional, name)), name
    for name in ("grid_sample", "ctc_loss", "triplet_margin_loss", "max_unpool2d", "embedding_bag", "unfold"):
        assert name in dir(nn.functional)
    x = Tensor([[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]])
    assert nn.functional.unfold(x, (2, 2)).tolist() == [[[1, 2], [2, 3], [4, 5], [5, 6]]]
