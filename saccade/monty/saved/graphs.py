"""Monty's object graphs as our models: arrays in, `ObjectModel` out, without tbp.monty.

A graph of Monty has `pos` (N, 3), `x` (N, columns) and `feature_mapping`, which says which columns of `x` a
feature has. Graphs learned in a run are in double precision and stay so: near an exact match the root of
1 - cosine turns a rounding error of 6e-8 into 3e-4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from saccade.cortex.features import POSE_FEATURES
from saccade.cortex.models.model import NodeSet

#: columns that say nothing about a place
IGNORED = POSE_FEATURES | {"node_ids"}


class DoubleNodes(NodeSet):
    """Nodes in double precision."""

    dtype: ClassVar[type[np.floating[Any]]] = np.float64


def nodes_of(
    positions: npt.ArrayLike, x: npt.ArrayLike, mapping: Mapping[str, Sequence[int]], where: str
) -> NodeSet:
    """The nodes of one graph; `where` names it in errors."""
    place, columns = np.asarray(positions, np.float64), np.asarray(x, np.float64)
    if place.ndim != 2 or place.shape[1] != 3 or columns.ndim != 2 or len(columns) != len(place):
        raise ValueError(
            f"{where}: pos has shape {place.shape} and x {columns.shape}, expected (N, 3) and (N, columns)"
        )
    parts: dict[str, npt.NDArray[np.float64]] = {}
    for feature, span in mapping.items():
        first, last = (int(n) for n in span)
        if not 0 <= first < last <= columns.shape[1]:
            raise ValueError(
                f"{where}: feature {feature!r} has the columns {first} to {last} of {columns.shape[1]}"
            )
        parts[feature] = columns[:, first:last]
    missing = sorted(POSE_FEATURES - parts.keys())
    if missing:
        raise ValueError(
            f"{where} stores no {' and no '.join(missing)}; it stores {sorted(parts)}. Models need poses: "
            "learn them again with a version of Monty that stores pose_vectors"
        )
    made: Any = DoubleNodes  # whose arrays are of its own dtype
    found: NodeSet = made(
        positions=place,
        pose_vectors=parts["pose_vectors"],
        fully_defined=parts["pose_fully_defined"][:, 0] > 0.5,
        features={name: value for name, value in parts.items() if name not in IGNORED},
    )
    return found


def graph_arrays(nodes: NodeSet) -> tuple[npt.NDArray[Any], npt.NDArray[Any], dict[str, list[int]]]:
    """`pos`, `x` and `feature_mapping` of nodes, in the order Monty writes: node ids and poses first."""
    n = len(nodes)
    columns: list[tuple[str, npt.NDArray[Any]]] = [
        ("node_ids", np.arange(n)[:, None]),
        ("pose_vectors", nodes.pose_vectors.reshape(n, 9)),
        ("pose_fully_defined", nodes.fully_defined[:, None]),
        *nodes.features.items(),
    ]
    mapping, at = {}, 0
    for name, value in columns:
        mapping[name] = [at, at + value.shape[1]]
        at += value.shape[1]
    return nodes.positions, np.concatenate([value for _, value in columns], axis=1), mapping
