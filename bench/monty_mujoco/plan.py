"""Which episodes both sides run.

In: the name of an experiment, a seed. Out: a `Plan`: objects, the rotations of every epoch (drawn as our
runs draw them), the rotations it is learned at, and how many contacts each of these views has.
"""

from __future__ import annotations

from dataclasses import dataclass

from saccade.experiment.plan.plan import plan_eval
from saccade.experiment.plan.rotations import CUBE_VIEWS, Euler, to_euler
from saccade.experiment.report.monty_twins import OBJECTS, Twin, recognising_config, twin

#: the experiment of Monty that learns the models of one: by what our twin of it learns with, and objects
LEARNING = {
    "models_all_surface_noise_10distinctobj": "only_surf_agent_training_10obj_mujoco",
    "models_all_surface_noise_10simobj": "only_surf_agent_training_10simobj_mujoco",
    "models_all_surface_noise_77obj": "only_surf_agent_training_allobj_mujoco",
    "models_all_distant_noise_5_modules_10distinctobj": "supervised_pre_training_5lms_mujoco",
    "models_all_distant_noise_5_modules_77obj": "supervised_pre_training_5lms_all_objects_mujoco",
}


@dataclass(frozen=True)
class Plan:
    """objects in order; shown[e]: the rotation of each in epoch e, degrees about fixed x, y, z; learned: that
    of every view that is learned, of so many contacts."""

    twin: Twin
    objects: tuple[str, ...]
    shown: tuple[tuple[Euler, ...], ...]
    learned: tuple[Euler, ...]
    contacts: int
    seed: int

    @property
    def theirs(self) -> str:
        """The name of Monty's experiment in MuJoCo."""
        return f"{self.twin.name}_mujoco"

    @property
    def learning(self) -> str:
        """The experiment of Monty that learns what this one recognises with."""
        return LEARNING[self.twin.learned]


def plan_of(name: str, folder: str, epochs: int, views: int, contacts: int, seed: int) -> Plan:
    """The plan of an experiment that recognises named objects in random rotations."""
    each = twin(name)
    if each.learned not in LEARNING:
        known = sorted({known.removeprefix("models_") for known in LEARNING})
        raise SystemExit(
            f"{each.name} cannot be run beside Monty: it has no experiment that learns its models; "
            f"those that learn with one of {', '.join(known)} can"
        )
    config = recognising_config(each, folder, "", seed)
    names = OBJECTS[each.objects]
    episodes = [unit.episodes[0] for unit in plan_eval(config, names)]
    found = len(episodes) // len(names)
    if not 1 <= epochs <= found:
        raise SystemExit(f"--epochs {epochs}: {each.name} has 1 to {found}")
    if not 1 <= views <= len(CUBE_VIEWS):
        raise SystemExit(f"--views {views}: there are 1 to {len(CUBE_VIEWS)} to learn at")
    turned = {(episode.epoch, episode.object): to_euler(episode.rotation) for episode in episodes}
    shown = tuple(tuple(turned[epoch, name] for name in names) for epoch in range(epochs))
    return Plan(each, names, shown, CUBE_VIEWS[:views], contacts, seed)
