"""Training as one jit function: a perceptron learns separable data, and both models follow torch's losses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Tensor, checkpoint, jit, nn, no_grad


def train_step(model: nn.Module, optimizer: nn.optim.Optimizer, x: Tensor, y: Tensor) -> Tensor:
    """Forward, backward and update; the loss."""
    loss = model(x).flatten(0, -2).cross_entropy(y.flatten())
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss


def perceptron(layers: Any) -> Any:
    return layers.Sequential(layers.Linear(784, 32), layers.ReLU(), layers.Linear(32, 10))


def digits(count: int, seed: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Pictures of 28 x 28 that are one of ten patterns and noise."""
    patterns = np.random.default_rng(0).standard_normal((10, 784))
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 10, count)
    return (patterns[labels] + rng.standard_normal((count, 784))).astype(np.float32), labels


def test_a_perceptron_learns() -> None:
    Tensor.manual_seed(0)
    model = perceptron(nn)
    optimizer = nn.optim.Adam(model.parameters(), lr=3e-3)
    step = jit(train_step)
    images, labels = digits(640, 1)
    losses = []
    for start in range(0, 640, 64):
        batch = slice(start, start + 64)
        losses.append(step(model, optimizer, Tensor(images[batch]), Tensor(labels[batch])).item())
    assert step.traces == 1
    assert losses[-1] < 0.2 * losses[0]
    held_out, wanted = digits(200, 2)
    with no_grad():
        found = model(Tensor(held_out)).argmax(1).numpy()
    assert (found == wanted).mean() > 0.95


def transformer(layers: Any, base: type, causal: Any) -> Any:
    """A character model of two blocks, in the words that both libraries know."""

    class Block(base):  # type: ignore[misc]
        def __init__(self, width: int, heads: int) -> None:
            super().__init__()
            self.before, self.after = layers.LayerNorm(width), layers.LayerNorm(width)
            self.attention = layers.MultiheadAttention(width, heads, batch_first=True)
            self.wide, self.narrow = layers.Linear(width, 4 * width), layers.Linear(4 * width, width)
            self.act = layers.GELU()

        def forward(self, x: Any) -> Any:
            y = self.before(x)
            x = x + self.attention(y, y, y, attn_mask=causal(x.shape[1]), need_weights=False)[0]
            return x + self.narrow(self.act(self.wide(self.after(x))))

    class Model(base):  # type: ignore[misc]
        def __init__(self, letters: int = 20, width: int = 16, length: int = 12) -> None:
            super().__init__()
            self.letters, self.places = layers.Embedding(letters, width), layers.Embedding(length, width)
            self.blocks = layers.ModuleList([Block(width, 2) for _ in range(2)])
            self.norm, self.head = layers.LayerNorm(width), layers.Linear(width, letters, bias=False)

        def forward(self, text: Any) -> Any:
            x = self.letters(text) + self.places.weight
            for block in self.blocks:
                x = block(x)
            return self.head(self.norm(x))

    return Model()


TEXT = np.random.default_rng(3).integers(0, 20, 400)


def batches(count: int, length: int = 12) -> list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]:
    rng = np.random.default_rng(4)
    found = []
    for _ in range(count):
        starts = rng.integers(0, len(TEXT) - length - 1, 8)
        pieces = np.stack([TEXT[start : start + length + 1] for start in starts])
        found.append((pieces[:, :-1], pieces[:, 1:]))
    return found


def torch_losses(torch: Any, model: Any, make: Any, data: list[Any]) -> list[float]:
    optimizer = make(model.parameters())
    losses = []
    for x, y in data:
        optimizer.zero_grad()
        logits = model(torch.tensor(x))
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, -2), torch.tensor(y).flatten())
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def our_losses(model: Any, make: Any, data: list[Any]) -> list[float]:
    optimizer, step = make(model.parameters()), jit(train_step)
    return [step(model, optimizer, Tensor(x), Tensor(y)).item() for x, y in data]


def taken_over(ours: Any, theirs: Any) -> Any:
    ours.load_state_dict({name: value.numpy() for name, value in theirs.state_dict().items()})
    return ours


def test_a_perceptron_follows_torch() -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    theirs = perceptron(torch.nn)
    ours = taken_over(perceptron(nn), theirs)
    images, labels = digits(640, 1)
    data = [(images[i : i + 32], labels[i : i + 32]) for i in range(0, 640, 32)]
    wanted = torch_losses(torch, theirs, lambda p: torch.optim.SGD(p, 0.05, momentum=0.9), data)
    found = our_losses(ours, lambda p: nn.optim.SGD(p, 0.05, momentum=0.9), data)
    np.testing.assert_allclose(found, wanted, atol=1e-3)


@pytest.mark.slow
def test_a_character_model_follows_torch() -> None:
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    theirs = transformer(torch.nn, torch.nn.Module, lambda n: torch.ones(n, n, dtype=torch.bool).triu(1))
    ours = transformer(nn, nn.Module, lambda n: Tensor.ones(n, n, dtype="bool").triu(1))
    taken_over(ours, theirs)
    data = batches(20)
    wanted = torch_losses(torch, theirs, lambda p: torch.optim.AdamW(p, 3e-3), data)
    found = our_losses(ours, lambda p: nn.optim.AdamW(p, 3e-3), data)
    assert wanted[-1] < wanted[0]
    np.testing.assert_allclose(found, wanted, atol=1e-3)


def test_checkpoints_take_less_memory() -> None:
    """The same gradients, with what is between the layers computed again."""
    from saccade.explain import explain
    from saccade.runtime.device import Device

    def backward(every: int) -> tuple[int, list[Any]]:
        Tensor.manual_seed(0)
        parts = [nn.Sequential(nn.Linear(32, 32), nn.Tanh()) for _ in range(8)]
        optimizer = nn.optim.SGD([param for part in parts for param in part.parameters()])
        blocks = [parts[n : n + every] for n in range(0, 8, every)]
        x = Tensor(np.linspace(-1, 1, 256 * 32, dtype=np.float32).reshape(256, 32))
        for block in blocks:
            x = checkpoint(nn.Sequential(*block))(x) if every < 8 else nn.Sequential(*block)(x)
        loss = (x**2).sum()
        explained = explain(lambda: loss.backward())
        memory = max(computation.recipe.arena for computation in explained.computations)
        return memory, [param.grad.numpy() for param in optimizer.parameters()]

    (whole, wanted), (less, found) = backward(8), backward(2)
    # kernels that a GPU runs side by side cannot have the same memory in turn
    assert less < (0.85 if Device.default.startswith("cuda") else 0.5) * whole
    for one, two in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-4, atol=1e-5)
