"""From sensations to percepts: what the sensors felt, laid out as the inputs of the learning modules.

Comes in: a `Sensation` over (rows, sensors), which of them are news (see `change`), and which sensor feeds
which channel. Goes out: a `PerceptBatch` over (rows, modules, channels), filled in place.

    batch = PerceptBatch.empty(rows, modules, channels, width)
    put_sensations(batch, felt, news, sensor=0, module=1, channel=0, layout=layout)

A usable sensation is always present, so that hypotheses are displaced; its features count only when it is
news. A sensation that is not usable (off the object, or no surface could be fitted) is absent.
"""

from __future__ import annotations

import numpy as np

from saccade.cortex.features import CURVATURES, UNKNOWN_CURVATURE, FeatureLayout
from saccade.cortex.messages import PerceptBatch
from saccade.cortex.sense.module import Sensation
from saccade.cortex.sense.surface import Flags, Floats

#: every feature a sensor can report, and how many numbers it has
WIDTHS = {
    "hsv": 3,
    "principal_curvatures_log": 2,
    "principal_curvatures": 2,
    "mean_curvature": 1,
    "gaussian_curvature": 1,
    "object_coverage": 1,
    "depth": 1,
}


def check_features(layout: FeatureLayout) -> None:
    """Refuse what no sensor reports, or reports otherwise."""
    missing = [name for name in layout.names if name not in WIDTHS]
    if missing:
        raise ValueError(f"a sensor cannot report {missing}; it reports {sorted(WIDTHS)}")
    for name, width in zip(layout.names, layout.widths, strict=True):
        if WIDTHS[name] != width:
            raise ValueError(f"feature {name!r} has width {WIDTHS[name]}, the module expects {width}")


def features_of(felt: Sensation, sensor: int) -> dict[str, Floats]:
    """Every feature one sensor can report, by name, each (R, width)."""
    k = felt.curvatures[:, sensor]
    return {
        "hsv": felt.hsv[:, sensor],
        "principal_curvatures_log": felt.curvatures_log[:, sensor],
        "principal_curvatures": k,
        "mean_curvature": (k[:, :1] + k[:, 1:]) / 2,
        "gaussian_curvature": k[:, :1] * k[:, 1:],
        "object_coverage": felt.coverage[:, sensor, None],
        "depth": felt.depth[:, sensor, None],
    }


def put_sensations(
    batch: PerceptBatch,
    felt: Sensation,
    news: Flags,
    *,
    sensor: int,
    module: int,
    channel: int,
    layout: FeatureLayout,
) -> None:
    """Write what `sensor` felt in every row to one channel of one module."""
    check_features(layout)
    features = features_of(felt, sensor)
    columns = [features[name] for name in layout.names]
    usable = felt.usable[:, sensor]
    at = (slice(None), module, channel)
    batch.location[at] = np.where(usable[:, None], felt.location[:, sensor], 0.0)
    batch.pose_vectors[at] = np.where(usable[:, None, None], felt.pose_vectors[:, sensor], np.eye(3))
    batch.pose_fully_defined[at] = felt.pose_fully_defined[:, sensor] & usable
    if columns:
        packed = np.concatenate(columns, axis=1)
        batch.features[:, module, channel, : packed.shape[1]] = np.where(usable[:, None], packed, 0.0)
    batch.curvature[at] = _scalar_curvature(features, layout)
    batch.present[at] = usable
    batch.informative[at] = usable & news[:, sensor]
    batch.on_object[at] = felt.on_object[:, sensor]


def _scalar_curvature(features: dict[str, Floats], layout: FeatureLayout) -> Floats:
    """(R,) the one curvature the neighbour search uses: the first sort of it the module listens to."""
    for name, largest in CURVATURES:
        if name in layout.names:
            return np.asarray(np.abs(features[name]).max(axis=1) if largest else features[name][:, 0])
    return np.full(len(features["hsv"]), UNKNOWN_CURVATURE)
