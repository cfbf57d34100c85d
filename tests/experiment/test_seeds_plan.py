"""Seeds and plans: found by name, independent of order, spread over all rotations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.experiment.config.config import override
from saccade.experiment.config.presets import preset
from saccade.experiment.config.sections import ConfigError
from saccade.experiment.config.settings import ExperimentConfig
from saccade.experiment.engine.objects import object_names
from saccade.experiment.plan.plan import Unit, eval_units, plan_eval, plan_train, waves
from saccade.experiment.plan.rotations import CUBE_VIEWS, from_euler, random_rotation, to_euler
from saccade.experiment.plan.scenes import scene_of
from saccade.experiment.plan.seeds import draws_of, seed_of
from saccade.reproducible import Draws

NAMES = ["mug", "bowl", "can"]


def config(*settings: str) -> ExperimentConfig:
    return override(ExperimentConfig(), settings)


@given(
    st.lists(st.tuples(st.integers(0, 5), st.text(max_size=3), st.integers(0, 99)), unique=True, min_size=2)
)
def test_places_have_seeds_of_their_own(places: list[tuple[int, str, int]]) -> None:
    seeds = [seed_of(*place) for place in places]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_parts_of_a_place_do_not_run_together() -> None:
    assert seed_of(0, "a", "bc") != seed_of(0, "ab", "c")
    assert seed_of(0, 1) != seed_of(0, "1")


def test_draws_repeat() -> None:
    assert (draws_of(3, "eval", 1).uniform(8) == draws_of(3, "eval", 1).uniform(8)).all()


@given(st.tuples(*[st.floats(-720, 720)] * 3))
def test_euler_angles_round_trip(angles: tuple[float, float, float]) -> None:
    matrix = from_euler(angles)
    assert np.allclose(from_euler(to_euler(matrix)), matrix, atol=1e-6)
    assert np.allclose(matrix @ matrix.T, np.eye(3))


@pytest.mark.parametrize("angles", [(30.0, 90.0, 0.0), (30.0, 270.0, 0.0), (0.0, 90.0, 45.0)])
def test_euler_angles_where_two_axes_meet(angles: tuple[float, float, float]) -> None:
    assert np.allclose(from_euler(to_euler(from_euler(angles))), from_euler(angles), atol=1e-6)


def test_the_views_of_a_cube_are_fourteen_and_differ() -> None:
    views = [from_euler(angles) for angles in CUBE_VIEWS]
    assert len(views) == 14
    # The side of the object that faces the viewer on +z differs from view to view.
    facing = np.array([view.T @ np.array([0.0, 0.0, 1.0]) for view in views])
    distances = np.linalg.norm(facing[:, None] - facing[None], axis=-1) + 9 * np.eye(14)
    assert distances.min() > 0.5


def test_random_rotations_are_uniform() -> None:
    draws = Draws(0)
    sample = np.array([random_rotation(draws) for _ in range(2000)])
    assert np.allclose(np.linalg.det(sample), 1)
    # Uniform rotations have a mean of zero and a mean square of 1/3 in every entry.
    assert abs(sample.mean(axis=0)).max() < 0.06
    assert abs((sample**2).mean(axis=0) - 1 / 3).max() < 0.04


def ids(units: list[Unit]) -> list[str]:
    return [episode.id for unit in units for episode in unit.episodes]


def test_supervised_training_has_a_unit_per_object() -> None:
    units = plan_train(config(), NAMES)
    assert [unit.episodes[0].object for unit in units] == NAMES
    assert all(len(unit.episodes) == 14 for unit in units)
    assert len(set(ids(units))) == 42


def test_waves_are_of_one_epoch_and_not_longer_than_asked_for() -> None:
    (unit,) = plan_train(config("train.mode=unsupervised", "train.epochs=2"), NAMES)
    for together in (1, 2, 100):
        found = waves(unit, together)
        assert [episode for wave in found for episode in wave] == list(unit.episodes)
        assert max(map(len, found)) == min(together, len(NAMES))
        assert all(len({episode.epoch for episode in wave}) == 1 for wave in found)


def test_unsupervised_training_is_one_unit() -> None:
    (unit,) = plan_train(config("train.mode=unsupervised", "train.epochs=4"), NAMES)
    assert [episode.object for episode in unit.episodes] == NAMES * 4
    assert [episode.epoch for episode in unit.episodes[::3]] == [0, 1, 2, 3]


def test_evaluation_has_a_unit_per_episode_and_swaps_a_unit_per_round() -> None:
    plain = plan_eval(config("eval.epochs=2"), NAMES)
    swapped = plan_eval(config("eval.epochs=2", "eval.mode=swap"), NAMES)
    assert [len(unit.episodes) for unit in plain] == [1] * 6
    assert [len(unit.episodes) for unit in swapped] == [3, 3]
    assert ids(plain) == ids(swapped)


def test_given_and_trained_rotations_and_limits() -> None:
    given_angles = plan_eval(config("eval.rotations=given", "eval.given=[[0,90,0],[0,0,90]]"), NAMES)
    assert np.allclose(given_angles[3].episodes[0].rotation, from_euler((0, 0, 90)))
    assert len(plan_eval(config("eval.rotations=trained", "train.rotations=5"), NAMES)) == 15
    assert len(plan_eval(config("eval.episodes=4"), NAMES)) == 4
    assert plan_eval(config("eval.mode=none"), NAMES) == []
    assert plan_train(config("train.mode=none"), NAMES) == []


@pytest.mark.parametrize("mode", ["reset", "swap", "scene", "none"])
@pytest.mark.parametrize("rotations", ["random", "trained", "given"])
def test_units_are_counted_as_they_are_planned(mode: str, rotations: str) -> None:
    fixed = [f"eval.mode={mode}", f"eval.rotations={rotations}", "eval.given=[[0,90,0],[0,0,90]]"]
    for episodes in (0, 1, 4, 6, 50):
        for names in (NAMES, NAMES[:1], []):
            settings = config(*fixed, f"eval.episodes={episodes}", "world.distractors=1", "eval.epochs=3")
            assert eval_units(settings, names) == len(plan_eval(settings, names))


def test_plans_repeat_and_follow_the_seed() -> None:
    def rotations(*settings: str) -> list[list[float]]:
        return [unit.episodes[0].rotation.ravel().tolist() for unit in plan_eval(config(*settings), NAMES)]

    assert rotations() == rotations("batch=64")
    assert rotations() != rotations("seed=1")


@pytest.mark.parametrize("count", [1, 2, 5, 16])
def test_things_in_a_scene_keep_their_distance(count: int) -> None:
    for unit in plan_eval(config(f"world.distractors={count}", "eval.epochs=4"), NAMES):
        places = np.array([each.position for each in scene_of(unit.episodes[0]).objects])
        apart = np.linalg.norm(places[:, None] - places, axis=2) + np.eye(count + 1)
        assert len(places) == count + 1
        assert apart.min() > 0.299


def test_all_objects_of_a_scene_are_asked_for_where_they_stand() -> None:
    """Scenes of three, and one of what is left; whichever is in the middle, all stand as they did."""
    units = plan_eval(config("eval.mode=scene", "world.distractors=2"), NAMES)
    alone = plan_eval(config(), NAMES)
    flat = [episode for unit in units for episode in unit.episodes]
    assert [each.id for each in flat] == [unit.episodes[0].id for unit in alone]
    assert max(len(unit.episodes) for unit in units) == min(3, len(NAMES))
    for unit in units:
        stood = []
        for episode in unit.episodes:
            scene = scene_of(episode)
            assert scene.objects[0].name == episode.object
            assert scene.objects[0].position == (0.0, 0.0, 0.0)
            middle = np.mean([each.position for each in scene.objects], axis=0)
            stood.append({each.name: (each.position - middle, each.rotation) for each in scene.objects})
        for other in stood:
            assert other.keys() == stood[0].keys()
            for name, (place, turn) in other.items():
                np.testing.assert_allclose(place, stood[0][name][0], atol=1e-12)
                np.testing.assert_array_equal(turn, stood[0][name][1])


def test_wholes_are_shown_alike_to_two_levels_and_to_one() -> None:
    """What is learned as one thing is the counterpart of what is made of parts."""
    shown = []
    for name, levels in (("compositional", 2), ("compositional_monolithic", 1)):
        config = preset(name)
        assert config.module.levels == levels
        units = plan_eval(config, object_names(config))
        shown.append([(unit.episodes[0].object, unit.episodes[0].rotation.tolist()) for unit in units])
    assert shown[0] == shown[1]
    assert len(shown[0]) == 18


def test_distractors_are_other_objects() -> None:
    for unit in plan_eval(config("world.distractors=2"), NAMES):
        (episode,) = unit.episodes
        assert len(episode.distractors) == 2
        assert episode.object not in episode.distractors


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        (["eval.epochs=100000"], "eval.epochs"),
        (["train.mode=unsupervised", "train.epochs=99999"], "train.epochs"),
    ],
)
def test_a_phase_that_could_not_be_listed_is_refused(settings: list[str], key: str) -> None:
    names, chosen = [f"object {number}" for number in range(11)], config(*settings)
    with pytest.raises(ConfigError, match=rf"{key} = \d+ with 11 objects .* set it to 90909 or less"):
        (plan_train if "train" in key else plan_eval)(chosen, names)
