"""The experiments of Monty's benchmark by their names, each with its twin among ours.

In: a name, such as randrot_noise_77obj_surf_agent. Out: a `Twin`: the objects, which models it recognises
with, our preset and what is changed in it, and the figures that were published for it.

Rules that are the same for both: the object lists; 14 or 3 of the learned rotations, or as many random ones;
the noise; a distant agent recognises with models that were learned by touch (but for `dist_on_distm` and five
modules, which have their own); an episode may end from step 20 on and is cut at 500.

One is another: five modules of ours may end from step 10 on, as they have felt five times as much by then,
and Monty's from step 20 on; `saccade eval ... --set eval.min_steps=20` has Monty's limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase

from saccade.experiment.config.config import override
from saccade.experiment.config.presets import preset
from saccade.experiment.config.sections import ConfigError, unknown
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.plan.rotations import CUBE_VIEWS
from saccade.files.reading import shown

# fmt: off
DISTINCT = (
    "mug", "bowl", "potted_meat_can", "spoon", "strawberry", "mustard_bottle", "dice", "golf_ball",
    "c_lego_duplo", "banana",
)
SIMILAR = (
    "mug", "e_cups", "knife", "fork", "spoon", "c_cups", "d_cups", "cracker_box", "sugar_box", "pudding_box",
)
ALL = (
    "mug", "bowl", "potted_meat_can", "master_chef_can", "i_cups", "spoon", "b_cups", "pitcher_base",
    "knife", "b_marbles", "h_cups", "strawberry", "power_drill", "padlock", "golf_ball", "hammer",
    "softball", "orange", "c_lego_duplo", "c_toy_airplane", "b_lego_duplo", "banana",
    "nine_hole_peg_test", "tomato_soup_can", "baseball", "g_cups", "gelatin_box", "lemon", "plum",
    "racquetball", "plate", "pudding_box", "e_cups", "apple", "j_cups", "foam_brick", "large_marker",
    "peach", "phillips_screwdriver", "a_toy_airplane", "e_lego_duplo", "sugar_box",
    "a_colored_wood_blocks", "c_cups", "pear", "f_cups", "wood_block", "d_lego_duplo", "b_toy_airplane",
    "b_colored_wood_blocks", "g_lego_duplo", "a_lego_duplo", "mini_soccer_ball", "medium_clamp",
    "a_marbles", "extra_large_clamp", "d_cups", "e_toy_airplane", "adjustable_wrench", "rubiks_cube",
    "f_lego_duplo", "a_cups", "skillet_lid", "sponge", "tennis_ball", "spatula", "d_toy_airplane",
    "chain", "scissors", "mustard_bottle", "bleach_cleanser", "tuna_fish_can", "cracker_box", "fork",
    "large_clamp", "dice", "flat_screwdriver",
)
# fmt: on
OBJECTS = {"10distinctobj": DISTINCT, "10simobj": SIMILAR, "77obj": ALL}


@dataclass(frozen=True)
class Published:
    """What its authors published of an experiment; None where they did not. `first`: percent of first
    meetings that were told apart, where objects are not named."""

    correct: float | None = None
    steps: float | None = None
    rotation_error: float | None = None
    first: float | None = None


@dataclass(frozen=True)
class Twin:
    """An experiment of Monty and ours. objects: a key of `OBJECTS`. preset, changes: our config. models: the
    preset it learns its models with, "" where it learns its own."""

    name: str
    objects: str
    preset: str
    models: str
    changes: tuple[str, ...] = ()
    published: Published = Published()

    @property
    def learned(self) -> str:
        """Names what it recognises with: twins of one such name share their models."""
        return f"models_{self.models}_{self.objects}" if self.models else ""


TEN = "10distinctobj"
SURFACE, DISTANT, FIVE = "all_surface_noise", "all_distant_noise", "all_distant_noise_5_modules"
QUIET_SURFACE, QUIET_DISTANT = "all_surface", "all_distant"
# "noise" in the names of ours is random rotations and noise, so rotations without noise take it away again
NO_NOISE = tuple(f"noise.{each}=0" for each in ("location", "pose", "hsv", "curvature", "flags"))


def _views(count: int) -> str:
    return "eval.given=[" + ", ".join(str(list(view)) for view in CUBE_VIEWS[:count]) + "]"


def _base(name: str, objects: str, agent: str, views: int, published: Published | None = None) -> Twin:
    return Twin(
        name, objects, agent, SURFACE, ("eval.rotations=given", _views(views)), published or Published()
    )


def _random(
    name: str, objects: str, agent: str, models: str, epochs: int, published: Published, *changes: str
) -> Twin:
    return Twin(name, objects, agent, models, (f"eval.epochs={epochs}", *changes), published)


def _unnamed(name: str, objects: str, preset: str, published: Published) -> Twin:
    return Twin(name, objects, preset, "", ("train.epochs=10",), published)


TWINS = (
    _base("base_config_10distinctobj_dist_agent", "10distinctobj", QUIET_DISTANT, 14),
    _base("base_config_10distinctobj_surf_agent", "10distinctobj", QUIET_SURFACE, 14),
    Twin(
        "base_config_10distinctobj_noop_agent_mujoco",
        "10distinctobj",
        QUIET_DISTANT,
        SURFACE,
        # a movement too small to sense: the agent looks at one place
        ("eval.rotations=given", _views(14), "policy.hypothesis_testing=false", "policy.step=1e-6"),
    ),
    _base("base_10simobj_surf_agent", "10simobj", QUIET_SURFACE, 14),
    _base("base_77obj_dist_agent", "77obj", QUIET_DISTANT, 3, Published(98.3, 75, 13.7)),
    _base("base_77obj_surf_agent", "77obj", QUIET_SURFACE, 3, Published(100, 43, 2.3)),
    _random("randrot_10distinctobj_surf_agent", TEN, SURFACE, SURFACE, 10, Published(), *NO_NOISE),
    _random(
        "randrot_noise_10distinctobj_dist_agent",
        "10distinctobj",
        DISTANT,
        SURFACE,
        10,
        Published(100, 30, 17.0),
    ),
    _random("randrot_noise_10distinctobj_dist_on_distm", "10distinctobj", DISTANT, DISTANT, 10, Published()),
    _random(
        "randrot_noise_10distinctobj_surf_agent",
        "10distinctobj",
        SURFACE,
        SURFACE,
        10,
        Published(100, 29, 14.4),
    ),
    _random(
        "randrot_noise_10distinctobj_5lms_dist_agent",
        "10distinctobj",
        FIVE,
        FIVE,
        10,
        Published(100, 39, 51.7),
    ),
    _random("randrot_noise_10simobj_dist_agent", "10simobj", DISTANT, SURFACE, 10, Published(95, 172, 25.1)),
    _random("randrot_noise_10simobj_surf_agent", "10simobj", SURFACE, SURFACE, 10, Published(96, 146, 20.5)),
    _random("randrot_noise_77obj_dist_agent", "77obj", DISTANT, SURFACE, 3, Published(94.4, 122, 29.9)),
    _random("randrot_noise_77obj_surf_agent", "77obj", SURFACE, SURFACE, 3, Published(98.3, 92, 23.3)),
    _random("randrot_noise_77obj_5lms_dist_agent", "77obj", FIVE, FIVE, 1, Published(90.9, 35, 54.1)),
    _random(
        "randomrot_rawnoise_10distinctobj_surf_agent",
        "10distinctobj",
        SURFACE,
        SURFACE,
        10,
        Published(75, 16, 83.9),
        "noise.depth=0.001",
    ),
    _unnamed("surf_agent_unsupervised_10distinctobj", TEN, "unsupervised", Published(98.9, first=80)),
    _unnamed(
        "surf_agent_unsupervised_10distinctobj_noise",
        "10distinctobj",
        "unsupervised_noise",
        Published(85.6, first=80),
    ),
    _unnamed("surf_agent_unsupervised_10simobj", "10simobj", "unsupervised", Published(80, first=40)),
    Twin(
        "unsupervised_inference_distinctobj_dist_agent",
        "10distinctobj",
        "swap_distant",
        SURFACE,
        (),
        Published(98, 97),
    ),
    Twin(
        "unsupervised_inference_distinctobj_surf_agent",
        "10distinctobj",
        "swap_surface",
        SURFACE,
        (),
        Published(100, 99),
    ),
)

# What has no twin, by patterns of its names, and why.
WITHOUT = {
    "randrot_noise_10distinctobj_vocus_on_vocusm": "no salience map (VOCUS2) proposes where to look",
    "*_infer_cows_*": "objects with logos, which no folder of YCB scans has; `saccade run compositional` is "
    "ours",
    "world_image_*, *_world_image_on_scanned_model": "RGB-D photos and lab scans, which no folder of YCB "
    "scans has; `saccade run pictures` is ours",
    "randrot_noise_sim_on_scan_monty_world": "lab scans, which no folder of YCB scans has",
    "supervised_pre_training_*, only_surf_agent_training_*": "they learn alone: models are learned when an "
    "experiment needs them",
    "*_mujoco": "the same experiments in another simulator: by their names without it "
    "(but for the noop agent, which has no other)",
}


def twin(name: str) -> Twin:
    """The twin of an experiment, also by its name in another simulator."""
    table = {each.name: each for each in TWINS}
    plain = name.removesuffix("_mujoco")
    found = table.get(name) or table.get(plain)
    if found is not None:
        return found
    for patterns, why in WITHOUT.items():
        if any(fnmatchcase(plain, pattern) for pattern in patterns.split(", ")):
            raise ConfigError(f"{shown(name)} of Monty has no twin: {why}")
    raise unknown("experiment of Monty", name, table)


def recognising_config(
    each: Twin, folder: str, models: str, seed: int, scale: float = 1.0
) -> ExperimentConfig:
    """Our config of a twin, with the scans of a folder (`scale`: metres a unit of theirs) and the models of a
    run."""
    settings = [*_scans(each, folder, scale), f"seed={seed}"]
    if each.models:
        settings += ["train.mode=none", f"train.models={models}"]
    return override(preset(each.preset), [*settings, *each.changes])


def learning_config(each: Twin, folder: str, scale: float = 1.0) -> ExperimentConfig:
    """The config that learns the models a twin recognises with, always from seed 0."""
    return override(preset(each.models), [*_scans(each, folder, scale), "eval.mode=none"])


def _scans(each: Twin, folder: str, scale: float) -> list[str]:
    names = ",".join(OBJECTS[each.objects])
    return [f"objects.folder={folder}", f"objects.names={names}", f"objects.scale={scale!r}"]
