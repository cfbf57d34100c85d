"""Monty's experiment configs as plain dicts, composed by hydra; what resolvers would make is read as data.

    names()                          # all experiments in the installed tbp.monty, or in another conf folder
    tree = composed("base_77obj_dist_agent")

Values such as `${np.array:[1, 2]}` and `${monty.class:some.Class}` become lists and names; no class is
imported. What depends on a machine, as `${oc.env:MONTY_DATA}`, stays text.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_CALL = re.compile(r"\$\{([\w.]+):(.*)\}", re.DOTALL)
_PLACE = re.compile(r"\$\{([\w.]+)\}")


def conf_folder() -> Path:
    """Where the installed tbp.monty keeps its configs."""
    spec = find_spec("tbp.monty") if find_spec("tbp") else None
    if spec is None or not spec.submodule_search_locations:
        raise ImportError(
            "tbp.monty, whose configs are asked for, is not installed: pip install 'saccade[monty]', or name "
            "a folder of configs with --conf",
            name="tbp.monty",
        )
    return Path(next(iter(spec.submodule_search_locations))) / "conf"


def names(folder: Path | None = None) -> list[str]:
    """The experiments of a conf folder: files that say what they run, in the words `experiment=` takes."""
    base = (folder or conf_folder()) / "experiment"
    files = sorted(base.rglob("*.yaml"))
    if not files:
        raise FileNotFoundError(f"{base} holds no experiments (*.yaml): it is no conf folder of Monty")
    return [str(f.relative_to(base).with_suffix("")) for f in files if "experiment:" in f.read_text("utf-8")]


def composed(name: str, folder: Path | None = None) -> dict[str, Any]:
    """A whole config by name, with values in place of references. What a folder of one's own lacks comes from
    the installed tbp.monty, but for the experiment itself."""
    if folder is not None and name not in names(folder):
        raise ValueError(f"{folder / 'experiment'} has no experiment {name!r}")
    try:
        from hydra import compose, initialize_config_dir
        from hydra.core.global_hydra import GlobalHydra
        from hydra.errors import HydraException
        from omegaconf import OmegaConf
    except ImportError as error:
        raise ImportError(
            "Monty's configs are composed by hydra, which is not installed: pip install 'saccade[monty]'",
            name=error.name,
        ) from error
    GlobalHydra.instance().clear()
    try:
        with initialize_config_dir(str((folder or conf_folder()).resolve()), version_base=None):
            found = OmegaConf.to_container(compose("experiment", overrides=[f"experiment={name}"]))
    except HydraException as error:
        raise ValueError(f"{name!r} cannot be composed: {str(error).splitlines()[0]}") from error
    assert isinstance(found, dict)
    whole = {str(key): value for key, value in found.items()}
    return {key: resolved(value, whole) for key, value in whole.items()}


def resolved(value: Any, whole: Mapping[str, Any], depth: int = 0) -> Any:
    """A value with arrays, names of classes and references to other keys put in."""
    if depth > 20:
        raise ValueError(f"{value!r} refers to itself")
    if isinstance(value, dict):
        return {str(key): resolved(one, whole, depth) for key, one in value.items()}
    if isinstance(value, list):
        return [resolved(one, whole, depth) for one in value]
    if not isinstance(value, str):
        return value
    place = _PLACE.fullmatch(value)
    if place is not None:
        found = _at(whole, place[1].split("."))
        return value if found is None else resolved(found, whole, depth + 1)
    call = _CALL.fullmatch(value)
    return value if call is None else _called(call[1], call[2], value)


def _called(name: str, argument: str, text: str) -> Any:
    if name == "monty.class":
        return argument
    try:
        given = ast.literal_eval(argument)
        if name == "np.array" or name == "np.list_eval":
            return given
        if name == "np.ones":
            return [1.0] * int(given)
    except (ValueError, SyntaxError, TypeError):
        return text
    return text


def _at(tree: Any, path: list[str]) -> Any:
    for part in path:
        if not isinstance(tree, Mapping) or part not in tree:
            return None
        tree = tree[part]
    return tree
