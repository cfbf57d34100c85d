"""Everything a group of evidence modules agrees on. Modules with equal settings can run as one program.

Settings are values: hashable, so groups are found by comparing them, and complete, so a program depends on
nothing else. Names are those of the theory (match distance in metres, angles in radians unless they say
degrees).

    >>> settings = EvidenceSettings(max_nneighbors=5, updater=BurstSettings(sampling_multiplier=0.7))
    >>> settings.layout("patch_0").names
    ('hsv', 'principal_curvatures_log')
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from saccade.cortex.features import FeatureLayout, sizes

Table = tuple[tuple[str, tuple[float, ...]], ...]
Triple = tuple[float, float, float]

DEFAULT_TOLERANCES: Table = (("hsv", (0.1, 0.2, 0.2)), ("principal_curvatures_log", (1.0, 1.0)))
DEFAULT_WEIGHTS: Table = (
    ("hsv", (2.0, 0.5, 0.5)),
    ("principal_curvatures_log", (1.0, 1.0)),
    ("pose_vectors", (1.0, 1.0, 1.0)),
)


def as_table(values: Table | Mapping[str, Sequence[float] | float]) -> Table:
    """A mapping of feature names to numbers, as a hashable value in the same order."""
    items = values.items() if isinstance(values, Mapping) else values
    return tuple((name, sizes(numbers)) for name, numbers in items)


#: up to where steps of a hypothesis are counted, in one byte: nobody asks but whether it fills the window
OLDEST = 255


@dataclass(frozen=True)
class PlainSettings:
    """All poses are made at the first percept; afterwards evidence only accumulates."""


@dataclass(frozen=True)
class BurstSettings:
    """Hypotheses are added in bursts when no evidence grows fast enough, and removed when theirs does not
    grow.
    """

    sampling_multiplier: float = 0.4
    deletion_trigger_slope: float = 0.5
    sampling_burst_duration: int = 5
    burst_trigger_slope: float = 1.0
    window_size: int = 10
    min_age: int = 5

    def __post_init__(self) -> None:
        if self.sampling_multiplier < 0:
            raise ValueError(f"sampling_multiplier must be at least 0, got {self.sampling_multiplier}")
        if self.window_size < 2:
            raise ValueError(f"window_size must be at least 2 to hold a slope, got {self.window_size}")
        for name in ("window_size", "min_age"):
            if getattr(self, name) > OLDEST:
                raise ValueError(f"{name} must be at most {OLDEST}, for ages are counted so far")


@dataclass(frozen=True)
class EvidenceSettings:
    max_match_distance: float = 0.01
    max_nneighbors: int = 10
    tolerances: Table = DEFAULT_TOLERANCES
    feature_weights: Table = DEFAULT_WEIGHTS
    #: other tolerances for single channels, for example the object ids a lower module sends
    channel_tolerances: tuple[tuple[str, Table], ...] = ()
    #: other weights for single channels
    channel_weights: tuple[tuple[str, Table], ...] = ()
    feature_evidence_increment: float = 1.0
    past_weight: float = 1.0
    present_weight: float = 1.0
    #: which hypotheses are tested: "all", "mean", "median", "p%", "x_percent_threshold" or a number
    evidence_threshold: str | float = "all"
    x_percent_threshold: float = 20.0
    object_evidence_threshold: float = 1.0
    path_similarity_threshold: float = 0.1
    pose_similarity_threshold: float = 0.35
    required_symmetry_evidence: int = 5
    umbilical_num_poses: int = 8
    #: "informed", "uniform" or Euler triples in degrees
    initial_possible_poses: str | tuple[Triple, ...] = "informed"
    vote_evidence_threshold: float = 0.8
    vote_weight: float = 1.0
    vote_neighbours: int = 3
    #: "corrected" moves a vote by R d, "reference" by R^T d
    vote_geometry: str = "corrected"
    updater: PlainSettings | BurstSettings = field(default_factory=PlainSettings)
    #: "voxels", "brute" or "auto" (brute force for small models)
    neighbour_search: str = "auto"
    dtype: str = "float32"
    #: of rotations and of their products with pose vectors. Near an exact match the root of (1 - cosine)
    #: turns a rounding error of 1e-7 into 3e-4, so single precision is only for where that does not matter
    rotation_dtype: str = "float64"

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "tolerances", as_table(self.tolerances))
        put(self, "feature_weights", as_table(self.feature_weights))
        poses = self.initial_possible_poses
        if not isinstance(poses, str):
            put(self, "initial_possible_poses", tuple((float(a), float(b), float(c)) for a, b, c in poses))
        self._check()

    def _check(self) -> None:
        if self.max_match_distance <= 0:
            raise ValueError(f"max_match_distance must be positive, got {self.max_match_distance}")
        if self.max_nneighbors < 1:
            raise ValueError(f"max_nneighbors must be at least 1, got {self.max_nneighbors}")
        if self.umbilical_num_poses < 1:
            raise ValueError(f"umbilical_num_poses must be at least 1, got {self.umbilical_num_poses}")
        if not self.vote_evidence_threshold >= 0:
            raise ValueError(
                f"vote_evidence_threshold must be at least 0, got {self.vote_evidence_threshold}: "
                "a vote's confidence lies in [0, 1]"
            )
        for name, value, allowed in (
            ("vote_geometry", self.vote_geometry, ("corrected", "reference")),
            ("neighbour_search", self.neighbour_search, ("auto", "voxels", "brute")),
            ("dtype", self.dtype, ("float32", "float64")),
            ("rotation_dtype", self.rotation_dtype, ("float32", "float64")),
        ):
            if value not in allowed:
                raise ValueError(f"{name} is {value!r}: use one of {', '.join(allowed)}")
        if isinstance(self.initial_possible_poses, str) and self.initial_possible_poses not in (
            "informed",
            "uniform",
        ):
            raise ValueError(
                f"initial_possible_poses is {self.initial_possible_poses!r}: use informed, uniform or triples"
            )
        self._check_threshold()

    def _check_threshold(self) -> None:
        chosen = self.evidence_threshold
        if isinstance(self.updater, BurstSettings) and chosen != "all":
            raise ValueError(
                f"evidence_threshold is {chosen!r}: the burst updater tests all hypotheses that it keeps, "
                "use 'all'"
            )
        if isinstance(chosen, str) and chosen not in ("all", "mean", "median", "x_percent_threshold"):
            if not chosen.endswith("%"):
                raise ValueError(
                    f"evidence_threshold is {chosen!r}: use all, mean, median, 'p%', x_percent_threshold"
                )
            try:
                float(chosen[:-1])
            except ValueError:
                raise ValueError(f"evidence_threshold {chosen!r} is not a number of percent") from None

    def layout(self, channel: str) -> FeatureLayout:
        """The scored columns of one channel."""
        tolerances = dict(self.channel_tolerances).get(channel, self.tolerances)
        weights = dict(self.channel_weights).get(channel, self.feature_weights)
        return FeatureLayout.make(dict(tolerances), dict(weights))

    @property
    def pose_weights(self) -> tuple[float, float]:
        """Weights of the normal and of the first direction."""
        weights = dict(self.feature_weights).get("pose_vectors", (1.0, 1.0))
        return weights[0], weights[1]

    @property
    def threshold_percent(self) -> float | None:
        """Percent below the module's best evidence at which testing stops, if the threshold is of that
        sort.
        """
        if self.evidence_threshold == "x_percent_threshold":
            return self.x_percent_threshold
        if isinstance(self.evidence_threshold, str) and self.evidence_threshold.endswith("%"):
            return float(self.evidence_threshold[:-1])
        return None
