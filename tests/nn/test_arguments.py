"""Arguments of torch's constructors and functions: their order, and what they do."""

from __future__ import annotations

from inspect import Parameter, signature
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, jit, nn

torch = pytest.importorskip("torch")
F = nn.functional
rng = np.random.default_rng(0)
#: torch has them for calls of ten years ago: `reduction` says the same
OLD = {"size_average", "reduce", "min_value", "max_value"}


def _names(made: Any) -> list[str]:
    plain = (Parameter.POSITIONAL_OR_KEYWORD,)
    return [p.name for p in signature(made).parameters.values() if p.kind in plain]


def test_constructors_have_torchs_order() -> None:
    found = {}
    for name in nn.__all__:
        theirs = getattr(torch.nn, name, None)
        if isinstance(theirs, type) and issubclass(theirs, torch.nn.Module):
            expected = [word for word in _names(theirs.__init__)[1:] if word not in OLD]
            found[name] = (_names(getattr(nn, name))[: len(expected)], expected)
    assert len(found) > 130
    assert {name: both for name, both in found.items() if both[0] != both[1]} == {}


@pytest.mark.parametrize("bag", [False, True])
def test_tables_with_a_largest_norm_and_shared_gradients(bag: bool) -> None:
    table = rng.standard_normal((7, 3)).astype("float32") * 3
    numbers = rng.integers(0, 5, (4, 2))
    results = []
    for lib, tensor in ((nn, Tensor), (torch.nn, torch.tensor)):
        # torch 2.13 divides gradients of bags by the counts of other rows: see the next test
        shared = {} if bag else {"scale_grad_by_freq": True}
        options = {"max_norm": 1.5, "padding_idx": -1, "_weight": tensor(table), **shared}
        made = (lib.EmbeddingBag if bag else lib.Embedding)(7, 3, **options)
        if not made.weight.requires_grad:
            made.weight.requires_grad_()
        (made(tensor(numbers)) ** 2).sum().backward()
        results.append([made.weight.detach().numpy(), made.weight.grad.numpy()])
    for ours, theirs in zip(*results, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


def test_rows_of_bags_share_their_gradient() -> None:
    weight = Tensor.ones(5, 1).requires_grad_()
    numbers = Tensor([[0, 1], [1, 3], [3, 3], [1, 4]])
    F.embedding_bag(numbers, weight, mode="sum", scale_grad_by_freq=True).sum().backward()
    np.testing.assert_allclose(weight.grad.numpy().ravel(), [1, 1, 0, 1, 1], rtol=1e-6)


def test_frozen_tables() -> None:
    table = nn.Embedding.from_pretrained(Tensor([[1.0], [2.0]]), freeze=True)
    assert not table.weight.requires_grad
    with pytest.raises(ValueError, match="has not 3 rows of 1"):
        nn.Embedding(3, 1, _weight=Tensor([[1.0], [2.0]]))
    with pytest.raises(ValueError, match="padding_idx=3"):
        F.embedding(Tensor([1]), Tensor([[1.0], [2.0]]), 3)


def test_attention_to_keys_that_belong_to_no_word() -> None:
    theirs = torch.nn.MultiheadAttention(8, 2, 0.0, True, True, True)
    ours = nn.MultiheadAttention(8, 2, 0.0, True, True, True)
    ours.load_state_dict(theirs.state_dict())
    x, padding = rng.standard_normal((5, 3, 8)).astype("float32"), rng.random((3, 5)) > 0.6
    mask = np.triu(np.ones((5, 5), bool), 1)
    made, weights = ours(*[Tensor(x)] * 3, Tensor(padding), attn_mask=Tensor(mask))
    given = [torch.tensor(x)] * 3
    expected, shares = theirs(*given, torch.tensor(padding), attn_mask=torch.tensor(mask))
    np.testing.assert_allclose(made.detach().numpy(), expected.detach().numpy(), atol=1e-5)
    np.testing.assert_allclose(weights.detach().numpy(), shares.detach().numpy(), atol=1e-5)


def test_where_adaptive_maxima_are() -> None:
    x = rng.integers(0, 4, (2, 3, 7, 5)).astype("float32")  # many are equal
    values, places = nn.AdaptiveMaxPool2d((3, 2), return_indices=True)(Tensor(x))
    theirs = torch.nn.AdaptiveMaxPool2d((3, 2), return_indices=True)(torch.tensor(x))
    assert np.array_equal(values.numpy(), theirs[0].numpy())
    assert np.array_equal(places.numpy(), theirs[1].numpy())


def test_norms_without_a_bias() -> None:
    for made in (nn.BatchNorm1d(4, bias=False), nn.GroupNorm(2, 4, bias=False)):
        assert [name for name, _ in made.named_parameters()] == ["weight"]
        assert made(Tensor.ones(3, 4, 2)).shape == (3, 4, 2)


def test_functions_take_their_tensor_by_name() -> None:
    x, y = Tensor([[1.0, 2.0]]), Tensor([1])
    assert F.cross_entropy(input=x, target=y).item() == x.cross_entropy(y).item()
    assert jit(lambda x: F.softmax(input=x, dim=1))(x).tolist() == x.softmax(1).tolist()
    assert F.triplet_margin_loss(anchor=x, positive=x, negative=x).item() == 1.0
    assert F.relu is F.relu
    with pytest.raises(TypeError, match="softmax needs input"):
        F.softmax(dim=1)


def test_parts_by_their_names() -> None:
    model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
    model.add_module("head", nn.Linear(3, 1))
    assert model.get_submodule("1") is model[1]
    assert model.get_submodule("") is model
    assert model.get_parameter("0.weight") is model[0].weight
    assert model.get_buffer("1.running_mean").shape == (3,)
    assert [name for name, _ in model[0].named_parameters("first", recurse=False)] == [
        "first.weight",
        "first.bias",
    ]
    assert list(model.parameters(recurse=False)) == []
    with pytest.raises(AttributeError, match="no module '7'"):
        model.get_submodule("7")
    with pytest.raises(TypeError, match=r"use nn\.Parameter"):
        model.register_parameter("w", Tensor([1.0]))
