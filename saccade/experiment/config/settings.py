"""The settings of an experiment: frozen dataclasses, a section each, and `ExperimentConfig` of all of them.

    >>> ExperimentConfig().world.agent
    'distant'

Every field is declared with `setting(default, help, ...)`: the help line becomes the comment in the written
TOML, and `low`, `high` and `choices` are what `check` in `config.py` enforces.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from saccade import extend
from saccade.experiment.config.sections import setting


@dataclass(frozen=True)
class ObjectsConfig:
    """Which objects are learned and recognised."""

    folder: str = setting("", "folder of meshes (OBJ, STL, PLY, GLB, msh); empty: the built-in objects")
    set: str = setting(
        "distinct",
        "which of the built-in objects",
        choices=("distinct", "similar", "all", "compositional", "nested"),
    )
    names: tuple[str, ...] = setting((), "only these objects, in this order; empty: the whole set")
    limit: int = setting(0, "at most so many objects of the set; 0: all", low=0, high=1_000_000)
    scale: float = setting(
        1.0, "factor from the mesh's unit to metres (0.001 for millimetres)", low=1e-9, high=1e9
    )
    images: str = setting("", "folder of pictures for world.kind = image; empty: the built-in pictures")
    width: float = setting(0.1, "metres across that a picture is shown", low=0.001, high=10.0)


@dataclass(frozen=True)
class WorldConfig:
    """Where the sensor moves and what moves it."""

    kind: str = setting(
        "mesh",
        "triangles, exact; distance fields on the device; flat pictures",
        choices=partial(extend.names, "world"),
    )
    agent: str = setting(
        "distant", "rotates at a distance, or follows the surface", choices=("distant", "surface")
    )
    distance: float = setting(0.0, "metres kept from the surface; 0: the agent's own", low=0.0, high=10.0)
    distractors: int = setting(
        0, "other objects in the scene; eval.mode = scene asks for them", low=0, high=16
    )
    rays: str = setting(
        "auto",
        "where rays are cast and patches sensed in recognition; auto: on a GPU if it has rows enough",
        choices=("auto", "host", "device"),
    )


@dataclass(frozen=True)
class SensorConfig:
    """What a sensor module sees and which features it passes on."""

    module: str = setting(
        "camera", "what turns patches into sensations", choices=partial(extend.names, "sensor_module")
    )
    pixels: int = setting(16, "edge of the square patch; curvature takes more than 9 pixels", low=4, high=256)
    patch: float = setting(0.0, "metres seen by a patch; 0: the agent's own", low=0.0, high=1.0)
    spacing: float = setting(
        0.0, "metres between the patches of several modules; 0: the agent's own", low=0.0, high=1.0
    )
    features: tuple[str, ...] = setting(
        ("hsv", "principal_curvatures_log"), "features passed on beside location and pose"
    )
    change_filter: bool = setting(True, "pass on features only where they changed enough")
    change_distance: float = setting(
        0.01, "metres after which a percept counts as changed", low=0.0, high=10.0
    )


@dataclass(frozen=True)
class ModuleConfig:
    """The learning modules."""

    count: int = setting(1, "learning modules, each with its own sensor, that vote", low=1, high=1024)
    kind: str = setting(
        "evidence", "how a module recognises", choices=partial(extend.names, "learning_module")
    )
    kinds: tuple[str, ...] = setting(
        (),
        "the kind of each module that has a sensor, where they differ; empty: all are of module.kind",
        choices=partial(extend.names, "learning_module"),
    )
    updater: str = setting(
        "burst", "all hypotheses at once, or bursts of new ones", choices=("plain", "burst")
    )
    slope_to_stay: float = setting(
        0.5,
        "evidence per step that a hypothesis of bursts must gain lately, or it goes",
        low=-100.0,
        high=100.0,
    )
    sampling: float = setting(
        0.4, "hypotheses that a step of a burst adds, per point of a model", low=0.0, high=64.0
    )
    match_distance: float = setting(0.01, "metres within which a model point counts", low=1e-4, high=10.0)
    neighbours: int = setting(10, "model points looked at per hypothesis", low=1, high=64)
    evidence_threshold: str = setting(
        "80%", "which hypotheses the plain updater tests: all, mean, median, or a percentage; bursts: all"
    )
    x_percent_threshold: float = setting(
        20.0, "percent below the best that still counts", low=0.0, high=100.0
    )
    object_evidence_threshold: float = setting(
        1.0, "evidence an object needs to be reported", low=-1e6, high=1e6
    )
    path_similarity: float = setting(
        0.015, "metres within which possible locations are one", low=0.0, high=10.0
    )
    pose_similarity: float = setting(
        0.35, "radians within which possible rotations are one", low=0.0, high=4.0
    )
    symmetry_evidence: int = setting(
        10, "checks with the same hypotheses that prove a symmetry", low=1, high=1_000_000
    )
    umbilical_poses: int = setting(8, "start rotations where no direction is defined", low=1, high=64)
    past_weight: float = setting(1.0, "weight of the evidence so far", low=0.0, high=1000.0)
    present_weight: float = setting(1.0, "weight of this step's evidence", low=0.0, high=1000.0)
    vote: str = setting("corrected", "how votes are displaced", choices=("corrected", "reference", "off"))
    vote_threshold: float = setting(
        0.8, "scaled evidence above which a hypothesis is voted", low=0.0, high=1.0
    )
    vote_weight: float = setting(1.0, "weight of a vote beside own evidence", low=0.0, high=1000.0)
    node_spacing: float = setting(0.005, "metres between the points of a model", low=1e-5, high=1.0)
    max_nodes: int = setting(2000, "most points of a model", low=1, high=1_000_000)
    max_size: float = setting(1.0, "metres across that a model may have", low=0.001, high=100.0)
    levels: int = setting(
        1, "levels of modules: each above the first has one, fed with what is recognised below", low=1, high=8
    )

    @property
    def each_kind(self) -> tuple[str, ...]:
        """The kind of each module that has a sensor."""
        return self.kinds or (self.kind,) * self.count


@dataclass(frozen=True)
class PolicyConfig:
    """How the agent moves."""

    motion: str = setting(
        "auto", "movement when nothing is aimed at", choices=partial(extend.names, "motor_policy")
    )
    hypothesis_testing: bool = setting(True, "jump to where the best two hypotheses differ most")
    goal_interval: int = setting(10, "steps that must pass between two such jumps", low=0, high=1_000_000)
    step: float = setting(
        0.0, "metres (surface) or degrees (distant) of one movement; 0: the agent's own", low=0.0, high=360.0
    )


@dataclass(frozen=True)
class NoiseConfig:
    """Gaussian noise (standard deviations) on what is sensed during evaluation."""

    location: float = setting(0.0, "metres", low=0.0, high=10.0)
    pose: float = setting(0.0, "degrees", low=0.0, high=360.0)
    hsv: float = setting(0.0, "of 1", low=0.0, high=10.0)
    curvature: float = setting(0.0, "of the log curvature", low=0.0, high=100.0)
    flags: float = setting(
        0.0, "probability that a defined pose is reported as undefined or back", low=0.0, high=1.0
    )
    depth: float = setting(0.0, "metres on each pixel of raw depth", low=0.0, high=10.0)


@dataclass(frozen=True)
class TrainConfig:
    """The learning phase."""

    mode: str = setting(
        "supervised",
        "named objects at known rotations, from scratch without names, or nothing learned",
        choices=("supervised", "unsupervised", "none"),
    )
    rotations: int = setting(14, "views of each object: 6 faces, then 8 corners of a cube", low=1, high=14)
    steps: int = setting(300, "exploration steps of one view", low=1, high=100_000)
    epochs: int = setting(10, "times each object is met when learning without names", low=1, high=100_000)
    together: int = setting(
        1,
        "meetings of an epoch without names that run side by side, each with what was known before them",
        low=1,
        high=4096,
    )
    overlap: float = setting(
        0.7, "share of an unnamed object that must lie on a model to be of it", low=0.0, high=1.0
    )
    misfit: float = setting(
        1.2,
        "standard errors that its surface may be off the model's; felt twice it is 0.9 at most",
        low=0.0,
        high=1000.0,
    )
    models: str = setting("", "run folder (or model folder) with models to start from")


@dataclass(frozen=True)
class EvalConfig:
    """The recognition phase."""

    mode: str = setting(
        "reset",
        "fresh start per object, swapped unannounced, or all objects of a scene in turn",
        choices=("reset", "swap", "scene", "none"),
    )
    rotations: str = setting("random", "rotations shown", choices=("random", "trained", "given"))
    given: tuple[tuple[float, float, float], ...] = setting(
        (), "degrees about x, y, z for rotations = given", low=-360.0, high=360.0
    )
    epochs: int = setting(3, "times each object is shown with random rotations", low=1, high=100_000)
    episodes: int = setting(0, "stop after so many episodes; 0: all", low=0, high=1_000_000)
    min_steps: int = setting(40, "steps matched before an episode may end", low=0, high=1_000_000)
    max_steps: int = setting(500, "steps after which an episode is timed out", low=1, high=1_000_000)
    settle: bool = setting(
        True, "report the pose that explains best all that was felt, not that of the strongest hypothesis"
    )
    margin: float = setting(
        0.0,
        "squared residuals by which all other poses must explain what was felt worse for an episode to end; "
        "0: it ends by evidence alone",
        low=0.0,
        high=1e6,
    )
    modules_to_match: int = setting(
        1, "modules that must agree on the object to end an episode", low=1, high=1024
    )
    evidence_per_step: float = setting(
        0.4,
        "evidence per step that a match needs; right ones gain about 1, new ones have little",
        low=0.0,
        high=1000.0,
    )


@dataclass(frozen=True)
class RecordingConfig:
    """What is written beside the episode rows and the summary."""

    traces: bool = setting(False, "per-step traces of every episode (npz)")
    hypotheses: int = setting(
        0, "strongest hypotheses of an object that traces keep at each step", low=0, high=2000
    )
    clouds: int = setting(2, "objects, the likeliest first, of which they keep them", low=1, high=10_000)
    plots: bool = setting(True, "pictures")
    picture: str = setting("svg", "format of the pictures; png needs matplotlib", choices=("svg", "png"))
    loggers: tuple[str, ...] = setting(
        (), "who else is told of steps and episodes", choices=partial(extend.names, "logger")
    )
    parquet: bool = setting(True, "episode rows as Parquet too, where pyarrow is installed")


@dataclass(frozen=True)
class ExperimentConfig:
    """A whole experiment; `saccade run --print-config` shows one with all its comments."""

    name: str = setting("default", "name of the experiment")
    seed: int = setting(0, "seed of everything random", low=0, high=2**63 - 1)
    batch: int = setting(1, "episodes run side by side, or a few more", low=1, high=1_000_000)
    device: str = setting("auto", "auto, cpu, cuda, ...")
    backend: str = setting(
        "auto",
        "how modules are run; on a GPU streams has a queue for each module, group-streams one for each group",
        choices=("auto", "sequential", "threads", "streams", "group-streams", "stacked"),
    )
    extensions: tuple[str, ...] = setting((), "Python modules to import, which register parts of one's own")
    objects: ObjectsConfig = ObjectsConfig()
    world: WorldConfig = WorldConfig()
    sensor: SensorConfig = SensorConfig()
    module: ModuleConfig = ModuleConfig()
    policy: PolicyConfig = PolicyConfig()
    noise: NoiseConfig = NoiseConfig()
    train: TrainConfig = TrainConfig()
    eval: EvalConfig = EvalConfig()
    recording: RecordingConfig = RecordingConfig()
