"""Which features take part in matching, and how well a stored value fits a sensed one.

A *layout* fixes the columns: features in the order in which their tolerances are listed, each with its
width. Scores are per node and depend on nothing but the node and the percept, so they are computed once per
node and step and gathered by the hypotheses afterwards.

    >>> tolerances = {"hsv": [0.1, 0.2, 0.2], "principal_curvatures_log": [1, 1]}
    >>> layout = FeatureLayout.make(tolerances, {"hsv": [2, 0.5, 0.5]})
    >>> layout.width, layout.hue_columns
    (5, (0,))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from saccade.tensor import Tensor

Floats = npt.NDArray[np.float64]

#: never scored as features: they are the pose itself
POSE_FEATURES = frozenset({"pose_vectors", "pose_fully_defined"})
#: the first of these that is present gives the one curvature of a percept; True means take the largest
#: magnitude
CURVATURES = (
    ("principal_curvatures_log", True),
    ("principal_curvatures", True),
    ("mean_curvature", False),
    ("mean_curvature_sc", False),
    ("gaussian_curvature", False),
    ("gaussian_curvature_sc", False),
)
#: what stands for the curvature of a percept that names none
UNKNOWN_CURVATURE = 10.0


def scalar_curvature(features: Mapping[str, npt.ArrayLike]) -> float:
    """One number for how curved the sensed spot is."""
    for name, largest in CURVATURES:
        if name in features:
            value = np.atleast_1d(np.asarray(features[name], dtype=np.float64))
            return float(np.abs(value).max()) if largest else float(value[0])
    return UNKNOWN_CURVATURE


def sizes(values: Sequence[float] | float) -> tuple[float, ...]:
    return tuple(float(v) for v in np.atleast_1d(np.asarray(values, dtype=np.float64)))


@dataclass(frozen=True)
class FeatureLayout:
    """The scored feature columns of one channel: names in order, and per column a tolerance and a weight."""

    names: tuple[str, ...]
    widths: tuple[int, ...]
    tolerances: tuple[float, ...]
    weights: tuple[float, ...]

    @staticmethod
    def make(
        tolerances: Mapping[str, Sequence[float] | float],
        weights: Mapping[str, Sequence[float] | float] | None = None,
    ) -> FeatureLayout:
        """Columns in the order of `tolerances`; features without given weights get 1 per column."""
        given = dict(weights or {})
        names = tuple(name for name in tolerances if name not in POSE_FEATURES)
        columns: list[float] = []
        column_weights: list[float] = []
        widths = []
        for name in names:
            tolerance = sizes(tolerances[name])
            weight = sizes(given[name]) if name in given else (1.0,) * len(tolerance)
            if len(weight) != len(tolerance):
                raise ValueError(
                    f"feature {name!r} has {len(tolerance)} tolerances but {len(weight)} weights"
                )
            if min(tolerance) <= 0 and name != "object_id":
                raise ValueError(f"tolerances of feature {name!r} must be positive, got {list(tolerance)}")
            widths.append(len(tolerance))
            columns += tolerance
            column_weights += weight
        return FeatureLayout(names, tuple(widths), tuple(columns), tuple(column_weights))

    @property
    def width(self) -> int:
        return len(self.tolerances)

    @property
    def scored(self) -> bool:
        """Whether any feature has weight at all; a channel without any scores 0 everywhere."""
        return sum(self.weights) > 0

    def _columns(self, wanted: str, first_only: bool) -> tuple[int, ...]:
        found: list[int] = []
        column = 0
        for name, width in zip(self.names, self.widths, strict=True):
            if name == wanted:
                found += [column] if first_only else list(range(column, column + width))
            column += width
        return tuple(found)

    @property
    def hue_columns(self) -> tuple[int, ...]:
        """Columns that are circular with period 1."""
        return self._columns("hsv", first_only=True)

    @property
    def identity_columns(self) -> tuple[int, ...]:
        """Columns that are names, not amounts: equal or not."""
        return self._columns("object_id", first_only=False)

    def pack(self, features: Mapping[str, npt.ArrayLike], sender: str = "") -> Floats:
        """The columns of one percept, (F,); a missing or misshapen feature is named."""
        values = []
        for name, width in zip(self.names, self.widths, strict=True):
            if name not in features:
                raise ValueError(f"percept of {sender!r} lacks feature {name!r}; it has {sorted(features)}")
            value = np.atleast_1d(np.asarray(features[name], dtype=np.float64))
            if value.shape != (width,):
                raise ValueError(
                    f"feature {name!r} of {sender!r} has shape {value.shape}, expected ({width},)"
                )
            values.append(value)
        return np.concatenate(values) if values else np.zeros(0)


def feature_evidence(nodes: Tensor, sensed: Tensor, layout: FeatureLayout, increment: float) -> Tensor:
    """How well every node's stored features fit the sensed ones, in [0, increment].

    nodes (..., N, F), sensed (..., F) -> (..., N). A NaN stored with a node makes its score NaN.
    """
    # here, because whoever reads settings needs no tensors: 0.3 s of what the command line imports
    from saccade.cortex.ops import maximum, minimum, where
    from saccade.tensor import Tensor

    if increment <= 0 or not layout.scored:
        shape = (*sensed.shape[:-1], *nodes.shape[len(sensed.shape) - 1 : -1])
        return Tensor.zeros(shape, dtype=nodes.dtype, device=nodes.device)
    total: Tensor | None = None
    weight_sum = sum(layout.weights)
    for column, (tolerance, weight) in enumerate(zip(layout.tolerances, layout.weights, strict=True)):
        stored = nodes[..., column]
        query = sensed[..., column].unsqueeze(-1)
        if column in layout.hue_columns:
            difference = minimum(
                (stored - query).abs(), minimum((stored + 1.0 - query).abs(), (stored - query - 1.0).abs())
            )
        elif column in layout.identity_columns:
            difference = where(stored != query, stored * 0.0 + 1.0, 0.0)
        else:
            difference = (stored - query).abs()
        score = maximum(tolerance - difference, 0.0) * (weight / (tolerance * weight_sum) * increment)
        total = score if total is None else total + score
    assert total is not None
    return total
