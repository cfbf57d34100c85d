"""Modules as plain objects: what is in them, saved state, jit and grad over a model."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from saccade import Tensor, grad, jit, nn, no_grad
from saccade.tensor.jit.trace import TraceError, buffer_of

SCALE = 2.0


class Block(nn.Module):
    def __init__(self) -> None:
        self.layers = [nn.Linear(3, 4), nn.Linear(4, 3)]
        self.norm = nn.BatchNorm1d(3)
        self.gain = nn.Parameter([1.0, 1.0, 1.0])
        self.again = self.layers[0]
        self.register_buffer("offset", Tensor([0.5]), persistent=False)
        self.plain = Tensor([1.0])

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x).tanh()
        return self.norm(x) * self.gain * SCALE + self.offset


def test_names() -> None:
    block = Block()
    names = [name for name, _ in block.named_parameters()]
    assert names == [
        "gain",
        "layers.0.weight",
        "layers.0.bias",
        "layers.1.weight",
        "layers.1.bias",
        "norm.weight",
        "norm.bias",
    ]
    assert [name for name, _ in block.named_buffers()] == [
        "offset",
        "norm.running_mean",
        "norm.running_var",
        "norm.num_batches_tracked",
    ]
    saved = block.state_dict()
    assert "again.weight" in saved
    assert "offset" not in saved
    assert "plain" not in saved
    assert [name for name, _ in block.named_modules()] == ["", "layers.0", "layers.1", "norm"]
    assert len(list(block.parameters())) == 7


def test_a_frozen_parameter_stays_one() -> None:
    layer = nn.Linear(2, 2)
    layer.requires_grad_(False)
    assert len(list(layer.parameters())) == 2
    assert not layer(Tensor([[1.0, 2.0]])).requires_grad


def test_modes() -> None:
    block = Block()
    assert all(not module.training for module in block.eval().modules())
    assert all(module.training for module in block.train().modules())
    found: list[str] = []
    block.apply(lambda module: found.append(type(module).__name__))
    assert found[-1] == "Block"


def test_in_words() -> None:
    model = nn.Sequential(nn.Linear(2, 3, bias=False), nn.ReLU(), nn.Sequential(nn.Dropout(0.1)))
    assert repr(model) == (
        "Sequential(\n  (0): Linear(in_features=2, out_features=3, bias=False)\n  (1): ReLU()\n"
        "  (2): Sequential(\n    (0): Dropout(p=0.1)\n  )\n)"
    )


def test_state_goes_from_one_to_another() -> None:
    first, second = Block(), Block()
    places = [buffer_of(param.realize().node).address for param in second.parameters()]
    assert second.load_state_dict(first.state_dict()) == ([], [])
    x = Tensor(np.ones((4, 3), np.float32) * np.arange(3, dtype=np.float32))
    first.eval()
    second.eval()
    assert np.array_equal(first(x).detach().numpy(), second(x).detach().numpy())
    assert places == [buffer_of(param.realize().node).address for param in second.parameters()]
    assert all(param.requires_grad for param in second.parameters())


def test_all_differences_of_a_state_in_one_message() -> None:
    layer = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    before = {name: tensor.tolist() for name, tensor in layer.state_dict().items()}
    state: dict[str, Any] = dict(layer.state_dict())
    del state["0.bias"]
    state["extra"] = Tensor([1.0])
    state["1.weight"] = Tensor.zeros(4, 4)
    state["0.weight"] = "no tensor"
    with pytest.raises(ValueError, match=r"0\.bias is missing") as error:
        layer.load_state_dict(state)
    for part in (
        "extra is not in the model",
        "1.weight has shape (4, 4) instead of (1, 3)",
        "0.weight has shape str",
    ):
        assert part in str(error.value)
    assert {name: tensor.tolist() for name, tensor in layer.state_dict().items()} == before
    del state["1.weight"], state["0.weight"]
    assert layer.load_state_dict(state, strict=False) == (["0.weight", "0.bias", "1.weight"], ["extra"])


def test_to_another_dtype() -> None:
    block = Block()
    params = list(block.parameters())
    (block(Tensor.rand(4, 3)) ** 2).sum().backward()
    block.double()
    assert [id(param) for param in block.parameters()] == [id(param) for param in params]
    assert {param.dtype.name for param in block.parameters()} == {"float64"}
    assert all(
        param.requires_grad and param.is_leaf and param.grad.dtype.name == "float64" for param in params
    )
    assert dict(block.named_buffers())["norm.num_batches_tracked"].dtype.name == "int64"
    block.zero_grad()
    assert block(Tensor.rand(4, 3, dtype="float64")).dtype.name == "float64"


def test_copies() -> None:
    block = Block()
    for other in (copy.deepcopy(block), pickle.loads(pickle.dumps(block))):
        assert other.again is other.layers[0]
        assert [name for name, _ in other.named_parameters()] == [
            name for name, _ in block.named_parameters()
        ]
        for mine, its in zip(block.parameters(), other.parameters(), strict=True):
            assert its.requires_grad
            assert its is not mine
            assert its.tolist() == mine.tolist()
        (other(Tensor.rand(4, 3)) ** 2).sum().backward()
        assert block.gain.grad is None
        assert other.gain.grad is not None


def test_containers() -> None:
    chain = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))
    assert (len(chain), len(chain[:2]), type(chain[-1]).__name__) == (3, 2, "Linear")
    assert chain(Tensor.rand(5, 2)).shape == (5, 1)
    many = nn.ModuleList([nn.Linear(1, 1) for _ in range(12)])
    assert [name for name, _ in many.named_children()] == [str(n) for n in range(12)]
    many[1] = nn.Identity()
    assert [type(module).__name__ for module in many][:2] == ["Linear", "Identity"]
    with pytest.raises(IndexError, match="12"):
        many[12]
    with pytest.raises(TypeError, match="int"):
        nn.ModuleList([3])  # type: ignore[list-item]
    named = nn.ModuleDict({"a": nn.Linear(1, 2)})
    named["b"] = nn.ReLU()
    assert (named.keys(), "a" in named, len(named)) == (["a", "b"], True, 2)


def test_what_layers_refuse() -> None:
    with pytest.raises(TypeError, match="needs dim"):
        nn.Softmax()
    with pytest.raises(TypeError, match="does not take 'size'"):
        nn.ReLU(size=3)
    with pytest.raises(ValueError, match="groups"):
        nn.Conv2d(3, 4, 3, groups=2)
    with pytest.raises(ValueError, match="heads"):
        nn.MultiheadAttention(10, 4)
    with pytest.raises(ValueError, match="not take shape"):
        nn.BatchNorm2d(3)(Tensor.rand(2, 3))
    with pytest.raises(ValueError, match="no variance"):
        nn.BatchNorm1d(3)(Tensor.rand(1, 3))
    with pytest.raises(NotImplementedError, match="forward"):
        nn.Module()(1)


def test_dropout_is_for_training() -> None:
    x = Tensor.ones(1000)
    drop = nn.Dropout(0.25)
    kept = drop(x)
    assert set(kept.tolist()) == {0.0, np.float32(1 / 0.75).item()}
    assert drop.eval()(x).tolist() == x.tolist()
    channels = nn.Dropout2d(0.5)(Tensor.ones(8, 16, 2, 2)).numpy()
    assert (channels.min((2, 3)) == channels.max((2, 3))).all()
    assert set(channels.ravel().tolist()) == {0.0, 2.0}


# --- models as arguments


def slopes(model: nn.Module, x: Tensor) -> dict[str, Any]:
    model.zero_grad()
    (model(x) ** 2).sum().backward()
    return {name: param.grad.numpy().copy() for name, param in model.named_parameters()}


def test_grad_and_jit_take_a_model() -> None:
    model, x = Block().double(), Tensor(np.arange(12.0).reshape(4, 3) / 7, dtype="float64")
    wanted = slopes(model, x)
    count = model.norm.num_batches_tracked.item()  # type: ignore[attr-defined]

    def loss(block: Block, x: Tensor) -> Tensor:
        return (block(x) ** 2).sum()

    found = grad(loss)(model, x)
    assert model.norm.num_batches_tracked.item() == count + 1  # type: ignore[attr-defined]
    traced = jit(grad(loss))(model, x)
    assert model.norm.num_batches_tracked.item() == count + 2  # type: ignore[attr-defined]
    for other in (found, traced):
        assert isinstance(other, Block)
        for (name, value), given in zip(wanted.items(), _parameters(other), strict=True):
            np.testing.assert_allclose(given.numpy(), value, rtol=1e-9, atol=1e-9, err_msg=name)


def _parameters(block: Block) -> list[Tensor]:
    """What is where the parameters are."""
    return [value for _, value in block._tensors("_parameters") if value is not None][:7]


def test_one_trace_for_models_of_one_kind() -> None:
    evaluate = jit(no_grad(lambda model, x: model(x)))
    x = Tensor.rand(4, 3)
    for model in (Block().eval(), Block().eval()):
        assert np.allclose(evaluate(model, x).numpy(), model(x).detach().numpy(), atol=1e-6)
    assert evaluate.traces == 1
    evaluate(Block().train(), x)
    assert evaluate.traces == 2


def test_globals_that_a_model_reads_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    evaluate = jit(no_grad(lambda model, x: model(x)))
    model, x = Block().eval(), Tensor.rand(4, 3)
    before = evaluate(model, x).numpy()
    monkeypatch.setitem(globals(), "SCALE", 4.0)
    assert np.allclose(evaluate(model, x).numpy() - 0.5, 2 * (before - 0.5), atol=1e-6)


def test_a_captured_model_is_seen_as_it_is() -> None:
    model, x = nn.Sequential(nn.Linear(3, 2), nn.Dropout(0.5)).eval(), Tensor([[1.0, 2.0, 3.0]])
    evaluate = jit(no_grad(lambda x: model(x)))

    def agrees() -> bool:
        with no_grad():
            return bool(np.allclose(evaluate(x).numpy(), model(x).numpy(), atol=1e-6))

    assert agrees()
    with no_grad():
        model[0].weight.mul_(2)
    assert agrees()
    model[0].weight = nn.Parameter(np.ones((2, 3), np.float32))
    assert agrees()
    model[0] = nn.Linear(3, 2)
    assert agrees()
    model.train()
    assert 0.0 in Tensor.stack([evaluate(x) for _ in range(8)]).flatten().tolist()


def test_a_model_is_not_changed_inside_jit() -> None:
    class Counting(nn.Module):
        def __init__(self) -> None:
            self.calls = 0

        def forward(self, x: Tensor) -> Tensor:
            self.calls += 1
            return x

    with pytest.raises(TraceError, match="other values"):
        jit(lambda model, x: model(x))(Counting(), Tensor([1.0]))


def test_functions_by_name() -> None:
    functional = nn.functional
    x = Tensor([[-1.0, 2.0]])
    assert functional.relu(x).tolist() == [[0.0, 2.0]]
    assert functional.linear(x, Tensor([[1.0, 1.0]])).tolist() == [[1.0]]
    assert functional.embedding(Tensor([1]), Tensor([[1.0], [2.0]])).tolist() == [[2.0]]
    for name in dir(functional):
        assert callable(getattr(functional, name))
    with pytest.raises(AttributeError, match="nothing"):
        functional.nothing


def test_hooks_see_and_change_what_goes_in_and_out() -> None:
    layer = nn.Linear(2, 1)
    layer.load_state_dict({"weight": Tensor([[1.0, 1.0]]), "bias": Tensor([0.0])})
    x, seen = Tensor([[1.0, 2.0]]), []
    before = layer.register_forward_pre_hook(lambda module, given: given[0] * 10)
    behind = layer.register_forward_hook(lambda module, given, made: made + 1)
    with layer.register_forward_hook(lambda module, given, made: seen.append(made.item())):
        assert nn.Sequential(layer)(x).item() == 31
    assert jit(lambda layer, x: layer(x))(layer, x).item() == 31
    before.remove()
    assert layer(x).item() == 4
    behind.remove()
    behind.remove()
    assert layer(x).item() == 3
    assert seen == [31]


def test_functions_in_place() -> None:
    x = Tensor([-1.0, 2.0])
    assert nn.functional.leaky_relu(x, 0.5).tolist() == [-0.5, 2.0]
    assert x.tolist() == [-1.0, 2.0]
    assert nn.functional.leaky_relu(x, 0.5, True) is x
    assert x.tolist() == [-0.5, 2.0]
    assert nn.functional.relu(input=x, inplace=True).tolist() == x.tolist() == [0.0, 2.0]
    with pytest.raises(TypeError, match="positional"):
        nn.functional.relu(x, True, True)


def test_parameters_as_one_vector_and_sequences_as_one_tensor() -> None:
    layer = nn.Linear(2, 1)
    nn.utils.vector_to_parameters(Tensor([1.0, 2.0, 3.0]), layer.parameters())
    assert (layer.weight.tolist(), layer.bias.tolist()) == ([[1.0, 2.0]], [3.0])
    assert nn.utils.parameters_to_vector(layer.parameters()).tolist() == [1.0, 2.0, 3.0]
    rows = [Tensor([[1, 2]]), Tensor([[3, 4], [5, 6]])]
    pad = nn.utils.rnn.pad_sequence
    assert pad(rows).tolist() == [[[1, 2], [3, 4]], [[0, 0], [5, 6]]]
    assert pad(rows, True, -1, "left").tolist() == [[[-1, -1], [1, 2]], [[3, 4], [5, 6]]]
    assert nn.optim.lr_scheduler.StepLR is nn.optim.StepLR


def test_attention_with_a_cache_is_that_of_the_whole_text() -> None:
    Tensor.manual_seed(0)
    layer, x = nn.MultiheadAttention(16, 4, num_kv_heads=2, batch_first=True), Tensor.randn(2, 5, 16)
    with no_grad():
        whole = layer(x, x, x, is_causal=True)[0].numpy()
        cache, made = layer.new_cache(2, 6), []
        for start, end in [(0, 3), (3, 4), (4, 5)]:
            new = x[:, start:end]
            made.append(layer(new, new, new, is_causal=True, cache=cache, start=start)[0].numpy())
        np.testing.assert_allclose(np.concatenate(made, 1), whole, rtol=1e-5, atol=1e-6)
        with pytest.raises(ValueError, match="words 5 to 10 do not fit a cache of 6"):
            layer(x, x, x, cache=cache, start=5)
