"""Sequences of several lengths, padded and packed, and recurrent layers over them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade import Tensor, jit, nn

rnn = nn.utils.rnn
LENGTHS = [2, 4, 1]


def sequences(width: int = 3) -> list[Any]:
    rng = np.random.default_rng(0)
    return [rng.standard_normal((n, width)).astype(np.float32) for n in LENGTHS]


def test_packing_and_back() -> None:
    x = [Tensor([1, 2]), Tensor([3, 4, 5, 6]), Tensor([7])]
    packed = rnn.pack_sequence(x, enforce_sorted=False)
    assert packed.data.tolist() == [3, 1, 7, 4, 2, 5, 6]
    assert packed.batch_sizes == (3, 2, 1, 1)
    assert (packed.sorted_indices, packed.unsorted_indices) == ((1, 0, 2), (1, 0, 2))
    assert packed.lengths == LENGTHS
    assert [t.tolist() for t in rnn.unpack_sequence(packed)] == [t.tolist() for t in x]
    padded, lengths = rnn.pad_packed_sequence(packed, batch_first=True, padding_value=-1, total_length=5)
    assert padded.tolist() == [[1, 2, -1, -1, -1], [3, 4, 5, 6, -1], [7, -1, -1, -1, -1]]
    assert lengths.tolist() == LENGTHS
    again = rnn.pack_padded_sequence(padded, lengths, batch_first=True, enforce_sorted=False)
    assert again.data.tolist() == packed.data.tolist()


def test_what_is_refused() -> None:
    x = Tensor.zeros(4, 3)
    with pytest.raises(ValueError, match="do not fall"):
        rnn.pack_padded_sequence(x, LENGTHS)
    for lengths in ([4, 2], [5, 1, 1], [4, 1, 0]):
        with pytest.raises(ValueError, match="between 1 and 4"):
            rnn.pack_padded_sequence(x, lengths)
    with pytest.raises(ValueError, match="total_length=3 is less"):
        rnn.pad_packed_sequence(rnn.pack_padded_sequence(x, [4, 2, 1]), total_length=3)


@pytest.mark.parametrize("name", ["GRU", pytest.param("LSTM", marks=pytest.mark.slow)])
def test_each_sequence_as_if_it_were_alone(name: str) -> None:
    """Results, last states and gradients; the state that is given too."""
    options = {"proj_size": 2} if name == "LSTM" else {}
    layer = getattr(nn, name)(3, 4, bidirectional=True, **options)
    given = [Tensor(x, requires_grad=True) for x in sequences()]
    states = [Tensor.randn(2, 3, n) for n in ([2, 4] if name == "LSTM" else [4])]
    packed = rnn.pack_sequence(given, enforce_sorted=False)
    results, ends = layer(packed, tuple(states) if name == "LSTM" else states[0])
    ends = ends if name == "LSTM" else (ends,)
    together = rnn.unpack_sequence(results)
    (results.data**2).sum().backward()
    pairs = []
    for number, x in enumerate(sequences()):
        alone = Tensor(x, requires_grad=True)
        own = tuple([state[:, number] for state in states])
        found, last = layer(alone, own if name == "LSTM" else own[0])
        pairs.append((together[number], found, 1e-5))
        for end, wanted in zip(ends, last if name == "LSTM" else (last,), strict=True):
            pairs.append((end[:, number], wanted, 1e-5))
        (found**2).sum().backward()
        pairs.append((given[number].grad, alone.grad, 1e-4))
    # as one program: one by one each would compute the steps again
    first, *others = [t.detach() for mine, theirs, _ in pairs for t in (mine, theirs)]
    first.realize(*others)
    values = [t.numpy() for t in (first, *others)]
    for mine, theirs, (*_, rtol) in zip(values[::2], values[1::2], pairs, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=rtol, atol=1e-6)


def test_in_jit() -> None:
    """A packed sequence goes in and comes out; other lengths are another trace."""
    double = jit(lambda packed: packed._replace(data=packed.data * 2))
    for lengths in ([3, 1], [2, 2], [3, 1]):
        packed = rnn.pack_padded_sequence(Tensor.ones(3, 2), lengths)
        made = double(packed)
        assert made.batch_sizes == packed.batch_sizes
        assert made.data.tolist() == [2.0] * 4


@pytest.mark.parametrize("name", ["RNN", pytest.param("LSTM", marks=pytest.mark.slow)])
def test_like_torch(name: str) -> None:
    torch = pytest.importorskip("torch")
    theirs = getattr(torch.nn, name)(3, 4, 2, bidirectional=name == "LSTM")
    ours = getattr(nn, name)(3, 4, 2, bidirectional=name == "LSTM")
    ours.load_state_dict({key: Tensor(t.numpy()) for key, t in theirs.state_dict().items()})
    other = torch.nn.utils.rnn
    found, ends = ours(rnn.pack_sequence([Tensor(x) for x in sequences()], False))
    wanted, last = theirs(other.pack_sequence([torch.tensor(x) for x in sequences()], False))
    assert list(found.batch_sizes) == wanted.batch_sizes.tolist()
    assert list(found.sorted_indices) == wanted.sorted_indices.tolist()
    np.testing.assert_allclose(
        found.data.detach().numpy(), wanted.data.detach().numpy(), rtol=1e-4, atol=1e-6
    )
    for mine, its in zip(ends if name == "LSTM" else [ends], last if name == "LSTM" else [last], strict=True):
        np.testing.assert_allclose(mine.detach().numpy(), its.detach().numpy(), rtol=1e-4, atol=1e-6)
