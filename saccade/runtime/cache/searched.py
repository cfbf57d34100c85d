"""What searches found: the moves of a kernel as text, for one kind of processor or card (its `target`).

    keep(kernel_text, Result("product", '[{"move": "Split", ...}]', before=2e-3, after=1e-3), target)
    find(kernel_text, target)   # in this process, the next one, until the cache lets it go
    write_file(path, target)    # all of them, for another machine of the kind: read_file(path) there

Results are looked for in three places, in this order:

    the cache on disk            what was searched or imported here
    a file                       `search_results(path)`, or SACCADE_SEARCH_RESULTS
    the package                  `saccade/searched/`, a file for each card that results are shipped for

A result takes effect for whatever is compiled after it. `generation` changes with every result, so that
what was compiled before can be told from what is compiled after. Nothing is read before the first kernel is
compiled.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import warnings
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from ...files.reading import Place, parse_json, read_json, reading, shown
from ..config import settings
from ..device import Device
from .cache import key_of, shared_cache

#: Part of every key and of every file: raise it when the same moves come to mean something else.
VERSION: Final = 2
#: Where the package has its results.
SHIPPED: Final = Path(__file__).resolve().parents[2] / "searched"

_given: Path | None = settings.search_results


class Result(NamedTuple):
    """The moves found for a kernel, and the seconds it took with the heuristic's and with these."""

    name: str
    moves: str
    before: float = 0.0
    after: float = 0.0


class ResultsError(ValueError):
    """A file of results that cannot be used here."""


def target_of(device: str) -> str:
    """The kind of processor or card that results on a device are for."""
    if device == "cpu":
        from ..cpu.build import processor

        return processor()
    return str(getattr(Device[device], "card", device))


def keep(kernel: str, result: Result, target: str) -> None:
    """Store what was found for a kernel, which is given as text."""
    _put({digest_of(kernel): result}, target)


def _put(results: dict[str, Result], target: str) -> None:
    store = shared_cache()
    for digest, result in results.items():
        store.put(_key(digest, target), json.dumps(result._asdict()).encode())
    store.put(_index_key(target), " ".join(dict.fromkeys([*_index(target), *results])).encode())
    store.put(_generation_key(target), os.urandom(8))
    generation.cache_clear()


def find(kernel: str, target: str) -> Result | None:
    """The result for a kernel, if any."""
    digest = digest_of(kernel)
    return _kept(digest, target) or _defaults(target).get(digest)


def discard(kernel: str, target: str, reason: str) -> None:
    """Forget a result that turned out to be no good, and say so."""
    digest = digest_of(kernel)
    kept = shared_cache().get(_key(digest, target)) is not None
    if kept:
        shared_cache().discard(_key(digest, target), reason)
    done = "discarded" if kept else "ignored"
    warnings.warn(f"{done} the search result {digest[:16]} for {target}: {reason}", stacklevel=3)
    _defaults(target).pop(digest, None)


@cache  # read once: part of the key of everything compiled
def generation(target: str) -> str:
    """Another text after each result; empty while there is none."""
    found = shared_cache().get(_generation_key(target))
    files = [f"{path} {status.st_size} {status.st_mtime_ns}" for path, status in _files(target)]
    return " ".join([*([] if found is None else [found.hex()]), *files])


def described(target: str) -> str:
    """All that is found for a target as a short name, the same wherever the same was found; or "none"."""
    kept = {digest: result for digest in _index(target) if (result := _kept(digest, target)) is not None}
    moves = {digest: result.moves for digest, result in ({**_defaults(target), **kept}).items()}
    return digest_of(json.dumps(moves, sort_keys=True))[:16] if moves else "none"


def digest_of(kernel: str) -> str:
    return hashlib.sha256(kernel.encode()).hexdigest()


def _kept(digest: str, target: str) -> Result | None:
    return shared_cache().load(_key(digest, target), lambda data: _result(parse_json(data)))


def _result(fields: object) -> Result:
    """A result from the parts of a JSON text, or ValueError."""
    match fields:
        case {"name": str(name), "moves": str(moves), "before": int() | float() as before,
              "after": int() | float() as after}:  # fmt: skip
            return Result(name, moves, float(before), float(after))
    raise ValueError(f"it is no search result: {shown(fields)}")


def _key(digest: str, target: str) -> str:
    return key_of(f"moves {VERSION}", digest, target)


def _index(target: str) -> list[str]:
    return shared_cache().load(_index_key(target), lambda data: data.decode().split()) or []


def _index_key(target: str) -> str:
    return key_of(f"moves index {VERSION}", target)


def _generation_key(target: str) -> str:
    return key_of(f"moves generation {VERSION}", target)


# --- files


def search_results(path: str | os.PathLike[str] | None) -> None:
    """Use the results of a file, where this process's own searches have none; None: of no file.

    It takes effect for what is compiled afterwards, on processors and cards of the kind it was written for.
    """
    global _given
    if path is not None:
        read_file(Path(path))  # so that a file that cannot be used is refused here
    _given = None if path is None else Path(path)
    generation.cache_clear()
    _defaults.cache_clear()


def write_file(path: Path, target: str) -> int:
    """Write all results for a target to a file of JSON; how many there were."""
    results = {digest: result for digest in _index(target) if (result := _kept(digest, target)) is not None}
    entries = [{"kernel": digest, **result._asdict()} for digest, result in sorted(results.items())]
    content = {"saccade search results": VERSION, "target": target, "results": entries}
    path.write_text(json.dumps(content, indent=1) + "\n")
    return len(entries)


def read_file(path: Path) -> tuple[str, dict[str, Result]]:
    """The target of a file and its results; ResultsError if it is none of this version."""
    with reading(path, ResultsError, "write one with saccade search --export") as place:
        return _parsed(path, read_json(path), place)


def _parsed(path: Path, content: object, place: Place) -> tuple[str, dict[str, Result]]:
    match content:
        case {"saccade search results": int(version)} if version != VERSION:
            raise ResultsError(
                f"{path} has search results of version {version}, and this saccade reads version {VERSION}: "
                f"search again, or install the saccade that wrote it"
            )
        case {"saccade search results": int(), "target": str(target), "results": list(entries)}:
            results = {}
            for number, each in enumerate(entries):
                place.where = f"result {number}"
                result = _result(each)
                results[str(each["kernel"])] = result
            return target, results
    raise ResultsError(f"{path} is no file of search results: write one with saccade search --export")


def import_file(path: Path, targets: Iterable[str]) -> tuple[str, int]:
    """Keep the results of a file, which has to be for one of these targets; which, and how many."""
    target, results = read_file(path)
    known = list(targets)
    if target not in known:
        raise ResultsError(
            f"{path} has results for {target!r}, and this machine has {', '.join(map(repr, known))}: "
            f"search here, or import a file that was exported on such a machine"
        )
    _put(results, target)
    return target, len(results)


@cache
def _defaults(target: str) -> dict[str, Result]:
    """By digest: what is shipped, and over it what a given file has."""
    found: dict[str, Result] = {}
    for path, _ in _files(target):
        written_for, results = read_file(path)
        if written_for == target:
            found |= results
    return found


def _files(target: str) -> list[tuple[Path, os.stat_result]]:
    """The files that may have results for a target, those that count more later."""
    found = []
    for path in (shipped_file(target), _given):
        if path is not None:
            try:
                found.append((path, path.stat()))
            except FileNotFoundError:
                if path is _given:
                    raise ResultsError(f"there is no file of search results {path}") from None
    return found


def shipped_file(target: str) -> Path:
    """Where the package has results for a target, if it has any."""
    return SHIPPED / f"{re.sub(r'[^a-z0-9]+', '-', target.lower()).strip('-')}.json"
