"""Weights that others wrote, whole and small: of torch before version 1.6, of a training, of Monty.

The pickles are written by hand, so that neither torch nor Monty is needed and a seed is a file everywhere.
"""

from __future__ import annotations

import pickle
import pickletools
import struct
from typing import Any

import numpy as np

from ... import nn
from ...nn.data import DataLoader
from ...nn.optim import Adam
from ...nn.saved.torch_legacy import MAGIC
from ...tensor import Tensor
from .file_corpus import Files, written


def legacy_files() -> list[Files]:
    """Two tensors of one storage, one of another, and a number."""
    sizes = {"protocol_version": 1001, "little_endian": True, "type_sizes": {"short": 2, "int": 4, "long": 4}}
    first = _mapping(
        w=_tensor("FloatStorage", "0", 6, 0, (2, 3), (3, 1)),
        turned=_tensor("FloatStorage", "0", 6, 0, (3, 2), (1, 3)),
        n=_tensor("LongStorage", "1", 1, 0, (), ()),
        epoch=_plain(3),
    )
    told = [_plain(1001), _plain(sizes), first, _plain(["0", "1"])]
    pickles = b"".join(b"\x80\x02" + each + b"." for each in told)
    memory = [np.arange(6, dtype="<f4"), np.array([7], "<i8")]
    storages = b"".join(struct.pack("<q", each.size) + each.tobytes() for each in memory)
    return [{"a": MAGIC + pickles + storages}]


def monty_files() -> list[Files]:
    """The members of a model.pt: one object of one channel, in Monty's graph and in torch_geometric's."""
    random = np.random.default_rng(5)
    mapping = {"pose_vectors": [0, 9], "pose_fully_defined": [9, 10], "hsv": [10, 13]}
    parts = {
        "pos": _array(random.normal(size=(4, 3))),
        "x": _array(random.normal(size=(4, 13))),
        "feature_mapping": _plain(mapping),
    }
    own = _object("NumpyGraph", _mapping(**parts))
    store = _object("GlobalStorage", _mapping(_mapping=_mapping(**parts)))
    found = []
    for graph in (own, _object("Data", _mapping(_store=store))):
        model = _object("GridObjectModel", _mapping(object_id=_plain("mug"), _graph=graph))
        memory = _mapping(graph_memory=_mapping(mug=_mapping(patch_0=model)))
        told = b"\x80\x03" + _mapping(lm_dict=b"}(" + _plain(0) + memory + b"u", sm_dict=b"}") + b"."
        found.append({"a/data.pkl": told, "a/byteorder": b"little"})
    return found


def training() -> dict[str, Any]:
    """What a checkpoint is of."""
    model = nn.Linear(2, 1)
    numbers = {"weight": Tensor([[0.5, -1.0]]), "bias": Tensor([0.25])}
    model.load_state_dict(numbers)
    loader = DataLoader(list(range(6)), batch_size=2, shuffle=True)
    return {"model": model, "optimizer": Adam(model.parameters(), lr=0.1), "loader": loader}


def checkpoint_files() -> list[Files]:
    """The file of a training, as `nn.Checkpoint` writes it; of a generator that is the same in every run."""
    parts = {name: part.state_dict() for name, part in training().items()}
    state = {"values": {"step": 3}, "generator": {"seed": 5, "draws": 2}, **parts}
    return [{"a": written(lambda path: nn.state.save(state, path))}]


# --- pickles


def _plain(value: object) -> bytes:
    """Plain values, without the frame of a pickle."""
    return pickletools.optimize(pickle.dumps(value, 2))[2:-1]


def _mapping(**values: bytes) -> bytes:
    return b"}(" + b"".join(_plain(name) + value for name, value in values.items()) + b"u"


def _tuple(*values: bytes) -> bytes:
    return b"(" + b"".join(values) + b"t"


def _name(module: str, name: str) -> bytes:
    return f"c{module}\n{name}\n".encode()


def _object(name: str, state: bytes) -> bytes:
    return _name("tbp.monty", name) + b")\x81" + state + b"b"


def _array(values: np.ndarray[Any, Any]) -> bytes:
    """An array as NumPy pickles it."""
    kind = _name("numpy", "dtype") + _plain(("f8", False, True)) + b"R"
    kind += _plain((3, "<", None, None, None, -1, -1, 0)) + b"b"
    data = values.astype("<f8").tobytes()
    state = _tuple(_plain(1), _plain(values.shape), kind, _plain(False), _bytes(data))
    made = _name("numpy.core.multiarray", "_reconstruct")
    return made + _tuple(_name("numpy", "ndarray"), _plain((0,)), _bytes(b"b")) + b"R" + state + b"b"


def _bytes(data: bytes) -> bytes:
    return b"B" + struct.pack("<I", len(data)) + data


def _tensor(
    kind: str, key: str, count: int, offset: int, size: tuple[int, ...], strides: tuple[int, ...]
) -> bytes:
    """A tensor in a storage, as torch wrote it before version 1.6."""
    storage = _tuple(_plain("storage"), _name("torch", kind), _plain(key), _plain("cpu"), _plain(count), b"N")
    hooks = _name("collections", "OrderedDict") + b")R"
    given = _tuple(storage + b"Q", *map(_plain, (offset, size, strides, False)), hooks)
    return _name("torch._utils", "_rebuild_tensor_v2") + given + b"R"
