"""Padding, patches, cells, transformers and the losses of margins, against torch's of the same name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Tensor, jit, nn

torch = pytest.importorskip("torch")

from .test_layers_like_torch import Case, close, compare, pair  # noqa: E402 (which skips itself without torch)

CASES: list[Case] = [
    ("ReflectionPad2d", ((1, 2, 0, 1),), {}, [(1, 2, 4, 4)]),
    ("Fold", ((4, 5), 2), {}, [(2, 8, 12)]),
    ("Unfold", (2,), {"padding": 1, "stride": 2}, [(1, 2, 5, 4)]),
    ("LPPool2d", (2.0, 2), {}, [(1, 2, 4, 4)]),
    ("GRUCell", (3, 4), {}, [(2, 3), (2, 4)]),
    ("RNNCell", (3, 4, False, "relu"), {}, [(3,), (4,)]),
    *[(f"{kind}Pad1d", (2,), {}, [(1, 2, 4)]) for kind in ("Zero", "Reflection", "Replication", "Circular")],
    *[(f"{kind}Pad3d", (1,), {}, [(1, 1, 3, 3, 3)]) for kind in ("Zero", "Replication", "Circular")],
    ("ConstantPad1d", (1, 2.5), {}, [(2, 3)]),
    ("ConstantPad2d", ((1, 0, 2, 1), 2.5), {}, [(1, 2, 3, 3)]),
    ("LPPool1d", (1.0, 3), {"stride": 2, "ceil_mode": True}, [(1, 2, 8)]),
    ("ChannelShuffle", (2,), {}, [(1, 4, 2, 2)]),
    ("PixelUnshuffle", (2,), {}, [(1, 2, 4, 4)]),
    ("LocalResponseNorm", (3,), {"alpha": 0.1}, [(2, 5, 3)]),
    ("UpsamplingNearest2d", (), {"scale_factor": 2}, [(1, 1, 3, 3)]),
    ("UpsamplingBilinear2d", ((5, 4),), {}, [(1, 1, 3, 3)]),
    ("Softmax2d", (), {}, [(1, 3, 2, 2)]),
    ("PairwiseDistance", (2.0,), {"keepdim": True}, [(3, 4), (3, 4)]),
    ("TransformerEncoderLayer", (8, 2, 12, 0.0), {"activation": "gelu", "norm_first": True}, [(3, 2, 8)]),
    ("TransformerDecoderLayer", (8, 2, 12, 0.0), {"batch_first": True}, [(2, 3, 8), (2, 4, 8)]),
    ("Transformer", (8, 2, 1, 2, 12, 0.0), {}, [(4, 2, 8), (3, 2, 8)]),
]
PARAMS = [
    pytest.param(*case, id=f"{case[0]}-{number}", marks=() if number == 0 else pytest.mark.slow)
    for number, case in enumerate(CASES)
]


@pytest.mark.parametrize(("name", "args", "options", "shapes"), PARAMS)
def test_layers(name: str, args: tuple[Any, ...], options: dict[str, Any], shapes: list[Any]) -> None:
    ours, theirs = pair(name, args, options)
    rng = np.random.default_rng(0)
    compare(ours, theirs, [rng.standard_normal(shape).astype(np.float32) for shape in shapes])


def test_an_lstm_cell_is_a_step_of_the_layer() -> None:
    ours, theirs = pair("LSTMCell", (3, 4), {})
    x = np.random.default_rng(0).standard_normal((2, 3)).astype(np.float32)
    state, wanted = ours(Tensor(x)), theirs(torch.tensor(x))
    for mine, its in zip(ours(Tensor(x), state), theirs(torch.tensor(x), wanted), strict=True):
        close(mine, its)
    with pytest.raises(ValueError, match="state has shape"):
        ours(Tensor(x), (Tensor.zeros(1, 4), Tensor.zeros(1, 4)))


@pytest.mark.slow
def test_a_transformer_with_masks_in_jit() -> None:
    layer = torch.nn.TransformerEncoderLayer(8, 2, 12, 0.0)
    theirs = torch.nn.TransformerEncoder(layer, 2, torch.nn.LayerNorm(8), enable_nested_tensor=False)
    ours = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 12, 0.0), 2, nn.LayerNorm(8))
    first, second = (list(layer.parameters()) for layer in ours.layers)
    assert not {id(p) for p in first} & {id(p) for p in second}
    ours.load_state_dict({key: value.numpy() for key, value in theirs.state_dict().items()})
    x = np.random.default_rng(0).standard_normal((4, 3, 8)).astype(np.float32)
    padding = np.array([[False] * 4, [False, False, True, True], [False, False, False, True]])
    mask = nn.Transformer.generate_square_subsequent_mask(4)
    wanted = theirs(
        torch.tensor(x),
        torch.nn.Transformer.generate_square_subsequent_mask(4),
        torch.tensor(padding),
    )
    step = jit(lambda model, *given: model(*given))
    for _ in range(3):
        close(step(ours, Tensor(x), mask, Tensor(padding)), wanted)


LOSSES: list[tuple[str, dict[str, Any], str]] = [
    ("TripletMarginLoss", {"swap": True}, "xyz"),
    ("TripletMarginWithDistanceLoss", {"margin": 0.5}, "xyz"),
    ("MarginRankingLoss", {"margin": 0.3}, "xys"),
    ("HingeEmbeddingLoss", {}, "xs"),
    ("SoftMarginLoss", {}, "xs"),
    ("CosineEmbeddingLoss", {"margin": 0.1}, "xyr"),
    ("MultiLabelMarginLoss", {}, "xl"),
    ("MultiLabelSoftMarginLoss", {"weight": [1.0, 2.0, 3.0, 4.0]}, "xy"),
    ("MultiMarginLoss", {"p": 2, "weight": [1.0, 2.0, 3.0, 4.0]}, "xc"),
    ("GaussianNLLLoss", {"full": True}, "xyz"),
    ("PoissonNLLLoss", {"log_input": False, "full": True}, "xy"),
]


@pytest.mark.parametrize(
    ("name", "options", "given"),
    [pytest.param(*case, marks=() if case is LOSSES[0] else pytest.mark.slow) for case in LOSSES],
)
def test_losses(name: str, options: dict[str, Any], given: str) -> None:
    rng = np.random.default_rng(0)
    arrays: dict[str, Any] = {key: rng.uniform(0.1, 0.9, (3, 4)).astype(np.float32) for key in "xyz"}
    arrays["s"] = np.sign(rng.standard_normal((3, 4))).astype(np.float32)
    arrays["r"] = np.array([1.0, -1.0, 1.0], np.float32)
    arrays["c"] = np.array([0, 3, 1])
    arrays["l"] = np.array([[0, 2, -1, 1], [3, -1, 0, 0], [1, 0, 2, 3]])
    tensors = {key: value for key, value in options.items() if isinstance(value, list)}
    rest = {key: value for key, value in options.items() if key not in tensors}
    for reduction in ("mean", "none"):
        ours = getattr(nn, name)(**rest, **{k: Tensor(v) for k, v in tensors.items()}, reduction=reduction)
        theirs = getattr(torch.nn, name)(
            **rest, **{k: torch.tensor(v) for k, v in tensors.items()}, reduction=reduction
        )
        x, other = Tensor(arrays["x"], requires_grad=True), torch.tensor(arrays["x"], requires_grad=True)
        result = ours(x, *[Tensor(arrays[key]) for key in given[1:]])
        wanted = theirs(other, *[torch.tensor(arrays[key]) for key in given[1:]])
        close(result, wanted)
        result.sum().backward()
        wanted.sum().backward()
        close(x.grad, other.grad)


@pytest.mark.slow
def test_ctc() -> None:
    rng = np.random.default_rng(0)
    x = torch.tensor(rng.standard_normal((6, 2, 5)).astype(np.float32)).log_softmax(-1).numpy()
    rest = (np.array([[1, 2, 2], [3, 4, 0]]), np.array([6, 5]), np.array([3, 2]))
    close(
        nn.CTCLoss()(Tensor(x), *map(Tensor, rest)),
        torch.nn.CTCLoss()(torch.tensor(x), *map(torch.tensor, rest)),
    )


@pytest.mark.slow
def test_unpooling_puts_values_back() -> None:
    x = np.random.default_rng(0).standard_normal((1, 2, 4, 6)).astype(np.float32)
    found, places = nn.MaxPool2d(2, return_indices=True)(Tensor(x))
    wanted, other = torch.nn.MaxPool2d(2, return_indices=True)(torch.tensor(x))
    close(nn.MaxUnpool2d(2)(found, places), torch.nn.MaxUnpool2d(2)(wanted, other))
    size = [1, 2, 5, 7]
    close(
        nn.MaxUnpool2d(2)(found, places, output_size=size),
        torch.nn.MaxUnpool2d(2)(wanted, other, output_size=size),
    )


@pytest.mark.slow
def test_bags_of_embeddings() -> None:
    index, offsets = np.array([1, 2, 4, 5, 4, 3, 0]), np.array([0, 3])
    for mode in ("mean", "sum", "max"):
        ours, theirs = pair("EmbeddingBag", (6, 3), {"mode": mode, "padding_idx": 4})
        result = ours(Tensor(index), Tensor(offsets))
        wanted = theirs(torch.tensor(index), torch.tensor(offsets))
        close(result, wanted)
        (result**2).sum().backward()
        (wanted**2).sum().backward()
        close(ours.weight.grad, theirs.weight.grad)


def test_lists_and_dicts_of_parameters() -> None:
    many = nn.ParameterList([Tensor.ones(2), nn.Parameter([1.0])])
    named = nn.ParameterDict({"a": Tensor.ones(2)})
    named["b"] = nn.Parameter([2.0])
    assert [name for name, _ in many.named_parameters()] == ["0", "1"]
    assert (list(named), len(many), "b" in named) == (["a", "b"], 2, True)
    assert all(p.requires_grad for p in [*many, *named.values()])
    many[-1] = nn.Parameter([5.0])
    assert many[1].item() == 5.0
    with pytest.raises(KeyError, match="no parameter 'c' among a, b"):
        named["c"]
    with pytest.raises(ValueError, match="takes a number or 4"):
        nn.ZeroPad2d((1, 2))


def test_random_layers_are_the_functions_in_evaluation() -> None:
    x = Tensor([[-1.0, 2.0]])
    assert nn.AlphaDropout(0.5).eval()(x).tolist() == x.tolist()
    assert nn.FeatureAlphaDropout(0.5).eval()(x).tolist() == x.tolist()
    np.testing.assert_allclose(nn.RReLU(0.1, 0.3).eval()(x).numpy(), [[-0.2, 2.0]], rtol=1e-6)
    slopes = -nn.RReLU(0.1, 0.3)(Tensor.full((100,), -1.0)).numpy()
    assert 0.1 <= slopes.min() < slopes.max() <= 0.3
