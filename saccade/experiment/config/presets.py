"""Named experiments, after the benchmarks that users of this kind of system know.

In: a name. Out: an `ExperimentConfig`. Names are built the same way throughout:

    distinct_distant              10 objects that differ, from a distance, at rotations they were learned at
    distinct_surface_noise        the same by touch, random rotations and noise
    similar_..., all_...          10 objects that are alike; all of them
    ..._5_modules                 five sensors and modules that vote
    ..._no_goals                  without moving to where the best two hypotheses differ
    unsupervised, ..._noise       objects are not named; recognise them or learn them as new
    unsupervised_similar          the same with objects that are alike
    swap_distant, swap_surface    objects are exchanged unannounced during recognition
    compositional                 two levels: parts, and objects made of parts
    compositional_monolithic      the same objects, each learned as one thing
    pictures                      a patch moves over flat pictures

    >>> preset("distinct_surface_noise").world.agent
    'surface'
    >>> preset("distinkt_surface_noise")
    Traceback (most recent call last):
    saccade.experiment.config.sections.ConfigError: unknown preset 'distinkt_surface_noise'; did you mean ...
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

from saccade.experiment.config.config import check
from saccade.experiment.config.sections import ConfigError, unknown
from saccade.experiment.config.settings import ExperimentConfig, NoiseConfig

# The noise of the published benchmarks: 2 mm, 2 degrees, a tenth of the colour range and of a log curvature.
NOISE = NoiseConfig(location=0.002, pose=2.0, hsv=0.1, curvature=0.1, flags=0.01)

Change = Callable[[ExperimentConfig], ExperimentConfig]


def _objects(kind: str) -> Change:
    return lambda c: replace(c, objects=replace(c.objects, set=kind))


def _agent(kind: str) -> Change:
    return lambda c: replace(c, world=replace(c.world, agent=kind))


def _wider_match(c: ExperimentConfig) -> ExperimentConfig:
    """A right pose is known to some five degrees, which is 20 mm from one end of a mallet to the other: with
    the usual 10 mm it was given up there, and its half turn kept.
    """
    return replace(c, module=replace(c.module, match_distance=0.0125))


def _settled_pose(c: ExperimentConfig) -> ExperimentConfig:
    """What it takes to tell the turns of an object apart by touch, and not only which object it is.

    Hypotheses are tested at every other step where they differ. A match must explain most of the steps, or it
    is one of poses that came after the right one was given up.
    """
    return replace(
        c,
        policy=replace(c.policy, goal_interval=1),
        eval=replace(c.eval, evidence_per_step=0.7),
    )


def _clear_pose(c: ExperimentConfig) -> ExperimentConfig:
    """An episode ends when one pose explains all that was felt better than any other, from step 20 on: of ten
    scans all whose pose was clear by 12 were turned right, after 21 steps the first of them. Where none is
    clear for 30 steps, nothing tells them apart: after 20, cups and cans were still half a turn off, and 20
    more end no episode otherwise, with a look at every step.
    """
    return replace(
        c,
        module=replace(c.module, symmetry_evidence=30),
        eval=replace(c.eval, margin=12.0, min_steps=20, max_steps=500),
    )


def _noise(epochs: int) -> Change:
    """Random rotations and noise, `epochs` rotations per object."""
    return lambda c: replace(c, noise=NOISE, eval=replace(c.eval, rotations="random", epochs=epochs))


def _trained_rotations(count: int) -> Change:
    """No noise, the first views the objects were learned at."""
    from saccade.experiment.plan.rotations import CUBE_VIEWS

    return lambda c: replace(c, eval=replace(c.eval, rotations="given", given=CUBE_VIEWS[:count]))


def _modules(count: int) -> Change:
    return lambda c: replace(
        c,
        # poses stay alike over twice the percepts of one module, which several feel in fewer steps
        module=replace(
            c.module, count=count, symmetry_evidence=c.module.symmetry_evidence * 2 // max(count, 2)
        ),
        eval=replace(
            c.eval,
            modules_to_match=min(3, count),
            # several modules see as much in half the steps
            min_steps=c.eval.min_steps // 2,
            epochs=1 if c.objects.set == "all" else c.eval.epochs,
        ),
    )


def _no_goals(c: ExperimentConfig) -> ExperimentConfig:
    return replace(c, policy=replace(c.policy, hypothesis_testing=False))


def _unsupervised(c: ExperimentConfig) -> ExperimentConfig:
    return replace(
        c,
        world=replace(c.world, agent="surface"),
        train=replace(c.train, mode="unsupervised", epochs=10, rotations=14, steps=70, together=10),
        # Known ones gained 0.5 to 1.6 a step; of what was new, others gained up to 0.35 and sometimes more.
        # Then the whole, once it was felt, says that it is new.
        eval=replace(c.eval, mode="none", min_steps=50, max_steps=100, evidence_per_step=0.6),
    )


def _swap(c: ExperimentConfig) -> ExperimentConfig:
    return replace(
        c,
        eval=replace(c.eval, mode="swap", rotations="random", epochs=10, max_steps=100, min_steps=100),
    )


def _compositional(c: ExperimentConfig) -> ExperimentConfig:
    """Wholes share nearly all of their surface: by evidence alone the emblem was mistaken in a third of the
    episodes after 300 steps. Laid under what was felt they differ, and are looked at where they do."""
    c = _clear_pose(c)
    return replace(c, objects=replace(c.objects, set="compositional"), module=replace(c.module, levels=2))


def _monolithic(c: ExperimentConfig) -> ExperimentConfig:
    """The counterpart of `compositional`: the same wholes at the same rotations, for one module that knows
    nothing of parts."""
    from saccade.world.objects.compositional import WHOLES

    c = _compositional(c)
    return replace(c, objects=replace(c.objects, names=tuple(WHOLES)), module=replace(c.module, levels=1))


def _pictures(c: ExperimentConfig) -> ExperimentConfig:
    """Flat, so there is no direction to begin with but the sensor's own: more turns are tried. And nothing is
    off the plane: where a surface does not bend, a percept 5 mm above it belongs to no node. Turns and places
    look much alike, so hypotheses are told apart by less: with 20 all episodes ended at the last step.
    """
    return replace(
        c,
        noise=replace(c.noise, location=0.0005),
        eval=replace(c.eval, max_steps=200),
        world=replace(c.world, kind="image", agent="distant"),
        module=replace(c.module, umbilical_poses=16, updater="plain", x_percent_threshold=5.0),
        train=replace(c.train, rotations=4),
    )


@cache
def presets() -> dict[str, tuple[ExperimentConfig, str]]:
    """Every preset with a line that says what it is."""
    table: dict[str, tuple[ExperimentConfig, str]] = {}

    def add(name: str, about: str, *changes: Change) -> None:
        config = ExperimentConfig()
        for change in changes:
            config = change(config)
        table[name] = (check(replace(config, name=name)), about)

    add("default", "12 built-in objects, surface agent, random rotations, noise", _default)
    counts = {"distinct": 10, "similar": 10, "all": 3}
    told = {"distinct": "10 distinct objects", "similar": "10 similar objects", "all": "all built-in objects"}
    for kind, words in told.items():
        for agent in ("distant", "surface"):
            by_touch = (_settled_pose,) if agent == "surface" else ()
            base = (_objects(kind), _agent(agent), _wider_match, _clear_pose, *by_touch)
            noisy = (*base, _noise(counts[kind]))
            add(f"{kind}_{agent}", f"{words}, {agent} agent", *base, _trained_rotations(3))
            add(f"{kind}_{agent}_noise", f"{words}, {agent} agent, random rotations, noise", *noisy)
            add(
                f"{kind}_{agent}_noise_no_goals",
                f"{words}, {agent} agent, noise, goals off",
                *noisy,
                _no_goals,
            )
            five = f"{words}, {agent} agent, noise, 5 modules"
            add(f"{kind}_{agent}_noise_5_modules", five, *noisy, _modules(5))
    unnamed = (_wider_match, _unsupervised)
    add("unsupervised", "10 distinct objects, learned without names", *unnamed)
    add("unsupervised_noise", "10 distinct objects, learned without names, noise", *unnamed, _noise(10))
    alike = (_objects("similar"), *unnamed)
    add("unsupervised_similar", "10 similar objects, learned without names", *alike)
    for agent in ("distant", "surface"):
        add(
            f"swap_{agent}",
            f"10 distinct objects swapped unannounced, {agent} agent",
            _agent(agent),
            _noise(10),
            _swap,
        )
    add(
        "compositional",
        "objects made of parts, two levels of modules",
        _agent("surface"),
        _noise(3),
        _compositional,
    )
    add(
        "compositional_monolithic",
        "the same objects made of parts, each learned as one thing",
        _agent("surface"),
        _noise(3),
        _monolithic,
    )
    add("pictures", "6 flat pictures, turned at random, noise", _noise(3), _pictures)
    return table


def _default(c: ExperimentConfig) -> ExperimentConfig:
    """What `saccade run` does: enough to see it work within a minute on two cores."""
    c = _clear_pose(_settled_pose(c))
    return replace(
        c,
        objects=replace(c.objects, set="all", limit=12),
        world=replace(c.world, agent="surface"),
        noise=NOISE,
        batch=12,
        # models of fewer looks and points: a percept may be farther from one, and explains less of the steps
        module=replace(c.module, node_spacing=0.006, match_distance=0.015),
        train=replace(c.train, rotations=14, steps=150),
        eval=replace(c.eval, rotations="random", epochs=2, max_steps=100, evidence_per_step=0.6),
    )


def preset(name: str) -> ExperimentConfig:
    table = presets()
    if name not in table:
        raise _unknown_preset(name)
    return table[name][0]


def _unknown_preset(name: str) -> ConfigError:
    error = unknown("preset", name, presets())
    return ConfigError(f"{error} (`saccade run --list` shows all)")
