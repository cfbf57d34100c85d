"""The views of a recording, as plain data for the page and for `--json`.

    recording = Recording(Path("step.saccade"))
    recording.summary()             # what is in it
    recording.kernels(0)            # of the first computation: times, bytes, the floor, why, moves
    recording.graph(0, 1)           # the graph before and after its second pass, what changed, which rules

Every view reads the records it needs and no others. Lists that have no natural end are cut, and say so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from saccade.files.reading import reading
from saccade.viz.file import AGAIN, RecordingError, RecordingReader
from saccade.viz.machine_code import machine_code
from saccade.viz.views.phases import phases_of
from saccade.viz.views.totals import Totals

#: Nodes of a graph that a page is given; of a larger one, those nearest to the results.
MOST_NODES: Final = 30_000
#: Characters of a text that many nodes, steps or spans may share.
MOST_TEXT: Final = 2_000
#: Steps that are told at once, and those that come with a graph.
MOST_STEPS: Final = 5_000
FIRST_STEPS: Final = 200
_OF_COMPUTATION: Final = frozenset("NPKT")
_NODE_COLUMNS: Final = {"op": "ops", "dtype": "dtypes", "arg": "args", "line": "lines"}


class Recording:
    """A file that is looked at; it may still grow."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._open()

    def _open(self) -> None:
        self.reader = RecordingReader(self.path)
        #: of each computation: where its records are
        self.computations: list[list[int]] = []
        for number, record in enumerate(self.reader.records):
            if record.kind == "C":
                self.computations.append([number])
            elif record.kind in _OF_COMPUTATION and self.computations:
                self.computations[-1].append(number)

    def refresh(self) -> None:
        """Take in what was recorded since."""
        if self.path.exists() and self.path.stat().st_size != self.reader.size:
            self.reader.close()
            self.__dict__.pop("totals", None)
            self._open()

    # --- parts

    def computation(self, number: int) -> dict[str, Any]:
        """A computation's summary and passes, or RecordingError."""
        if not 0 <= number < len(self.computations):
            raise RecordingError(
                f"{self.path} has {len(self.computations)} computations, and no number {number}"
            )
        found: dict[str, Any] = self.reader.read(self.computations[number][0])
        return found

    def _parts(self, number: int, kind: str) -> Iterator[Any]:
        self.computation(number)
        for place in self.computations[number]:
            if self.reader.records[place].kind == kind:
                yield self.reader.read(place)

    def _records(self, kind: str) -> Iterator[Any]:
        for place in self.reader.places(kind):
            yield self.reader.read(place)

    @cached_property
    def totals(self) -> Totals:
        """What all spans come to."""
        ended: dict[str, Any] = next(self._records("E"), {})
        if "totals" in ended:
            return Totals.of(ended["totals"])
        found = Totals()
        for spans in self._records("S"):
            found.add(spans)
        return found

    @property
    def times(self) -> dict[tuple[int, int], list[float]]:
        """By computation and kernel: how often it ran, the best and the sum of its seconds."""
        return self.totals.kernels

    # --- views

    def summary(self) -> dict[str, Any]:
        """What the recording holds, computation by computation."""
        self.refresh()
        header: dict[str, Any] = next(self._records("H"), {})
        listed = [self._told(number) for number in range(len(self.computations))]
        return {
            "name": self.path.name,
            "bytes": self.reader.size,
            "message": self.reader.message,
            "ended": bool(self.reader.places("E")),
            "about": header,
            "computations": listed,
            "ceilings": list(self._records("L")),
            "spans": sum(1 for _ in self.reader.places("S")),
        }

    def _told(self, number: int) -> dict[str, Any]:
        found = self.computation(number)
        passes = found["passes"]
        runs = [seen for (computation, _), seen in self.times.items() if computation == number]
        return {
            "number": number,
            "name": passes[0]["name"] if passes else "",
            "device": found.get("device", ""),
            "seconds": sum(each["seconds"] for each in passes if each["depth"] == 0),
            "passes": len(passes),
            "steps": sum(each["steps"] for each in passes),
            "nodes": found["nodes"],
            "kernels": found["kernels"],
            "bytes": found.get("bytes", 0),
            "flops": found.get("flops", 0),
            "arena": found.get("arena", 0),
            "lines": found.get("lines", []),
            "least": found.get("least"),
            "runs": int(max((seen[0] for seen in runs), default=0)),
            "best": sum(seen[1] for seen in runs),
        }

    def rewrites(self, number: int) -> dict[str, Any]:
        """The passes of a computation, in the order they ran, with the rules that fired in each."""
        fired: dict[int, dict[str, int]] = {}
        for steps in self._parts(number, "P"):
            counts = fired.setdefault(steps["pass"], {})
            for rule in steps["rule"]:
                name = steps["rules"][rule]
                counts[name] = counts.get(name, 0) + 1
        passes = [
            {key: value for key, value in each.items() if key not in ("before", "after")}
            | {"rules": fired.get(place, {}), "graph": bool(each["before"] or each["after"])}
            for place, each in enumerate(self.computation(number)["passes"])
        ]
        return {"computation": number, "passes": passes}

    def graph(self, number: int, place: int) -> dict[str, Any]:
        """A pass: the nodes of its graph before and after as columns, and its steps."""
        passes = self.computation(number)["passes"]
        if not 0 <= place < len(passes):
            raise RecordingError(
                f"{self.path}: computation {number} has {len(passes)} passes, and no number {place}"
            )
        nodes = self._nodes(number)
        before = _below(passes[place]["before"], nodes["src"])
        after = _below(passes[place]["after"], nodes["src"])
        steps = self.steps(number, place)
        changes = steps["steps"]
        steps["steps"] = changes[:FIRST_STEPS]
        within = sorted(
            set(before) | set(after) | {n for s in steps["steps"] for n in (s["before"], s["after"])}
        )
        told = {name: [column[n] for n in within] for name, column in nodes.items()}
        return {
            "computation": number,
            "pass": passes[place],
            "nodes": {"number": within, **told},
            "before": before,
            "after": after,
            "rebuilt": _rebuilt(before, after, nodes, changes),
            "cut": max(len(before), len(after)) >= MOST_NODES,
            **steps,
        }

    def steps(self, number: int, place: int, first: int = 0, most: int = MOST_STEPS) -> dict[str, Any]:
        """What a pass did, one by one, from step `first` on."""
        found: list[dict[str, Any]] = []
        total = 0
        for some in self._parts(number, "P"):
            if some["pass"] != place:
                continue
            rules, sources, lines = (_short(some[name]) for name in ("rules", "sources", "lines"))
            for n, rule in enumerate(some["rule"]):
                if first <= total < first + most:
                    found.append(
                        {
                            "rule": rules[rule],
                            "source": sources[some["source"][n]],
                            "line": lines[some["line"][n]],
                            "before": some["before"][n],
                            "after": some["after"][n],
                        }
                    )
                total += 1
        return {"steps": found, "first": first, "total": total}

    def _nodes(self, number: int) -> dict[str, list[Any]]:
        """All nodes of a computation as columns, texts written out."""
        found: dict[str, list[Any]] = {name: [] for name in (*_NODE_COLUMNS, "shape", "src")}
        for chunk in self._parts(number, "N"):
            for name, table in _NODE_COLUMNS.items():
                texts = _short(chunk[table])
                found[name] += [texts[n] for n in chunk[name]]
            found["shape"] += chunk["shape"]
            found["src"] += chunk["src"]
        return found

    def kernels(self, number: int) -> dict[str, Any]:
        """The kernels of a computation with their times, floors and moves, and the buffers between them."""
        data = next(self._parts(number, "K"), None)
        summary = self._told(number)
        if data is None:
            return {
                "computation": number,
                "summary": summary,
                "kernels": [],
                "buffers": [],
                "backward": False,
            }
        ceilings = {each["device"]: each for each in self._records("L")}
        ceiling = ceilings.get(summary["device"])
        phases = phases_of(data)
        kernels = []
        for place, kernel in enumerate(data["kernels"]):
            count, best, total = self.times.get((number, place), [0, None, None])
            told = {key: value for key, value in kernel.items() if key != "text"}
            floor = _floor(kernel["bytes"], kernel["flops"], ceiling)
            times = {"runs": count, "seconds": best, "total": total, "floor": floor}
            kernels.append(told | times | {"phase": phases.kernels[place]})
        return {
            "computation": number,
            "summary": summary,
            "ceiling": ceiling,
            "parts": data["parts"],
            "kernels": kernels,
            "backward": phases.backward,
            "buffers": [each | {"kept": each["name"] in phases.kept} for each in data["buffers"]],
        }

    def source(self, number: int, place: int) -> dict[str, Any]:
        """The text of a kernel in kernel terms, and its source."""
        kernel, source = self._kernel(number, place)
        return {"name": kernel["name"], "text": kernel["text"], "source": source["text"]}

    def machine(self, number: int, place: int) -> dict[str, Any]:
        """The machine code of a kernel, compiled again from its source."""
        kernel, source = self._kernel(number, place)
        architecture = self.computation(number).get("architecture", "")
        return machine_code(kernel["name"], source["text"], bool(source["quick"]), architecture)

    def _kernel(self, number: int, place: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """A kernel and its source."""
        data: dict[str, Any] = next(self._parts(number, "K"), {"kernels": []})
        if not 0 <= place < len(data["kernels"]):
            raise RecordingError(
                f"{self.path}: computation {number} has {len(data['kernels'])} kernels, no number {place}"
            )
        kernel = data["kernels"][place]
        texts: list[dict[str, Any]] = next(self._parts(number, "T"), [])
        return kernel, texts[kernel["source"]] if kernel["source"] < len(texts) else {
            "text": "",
            "quick": False,
        }

    def timeline(self) -> dict[str, Any]:
        """How many chunks of spans there are, and when everything happened, in nanoseconds."""
        seen = self.totals
        chunks = len(self.reader.places("S"))
        return {"chunks": chunks, "spans": seen.count, "first": seen.first or 0, "last": seen.last}

    def chunk(self, number: int) -> dict[str, Any]:
        """Some spans as columns: start and duration in nanoseconds."""
        found: dict[str, Any] = self.reader.read(self._chunk(number))
        return found

    def chunk_json(self, number: int) -> bytes:
        """The same as the file has it, for a page that wants all of them at once."""
        return self.reader.text(self._chunk(number))

    def _chunk(self, number: int) -> int:
        places = self.reader.places("S")
        if not 0 <= number < len(places):
            raise RecordingError(f"{self.path} has {len(places)} chunks of spans, and no number {number}")
        return places[number]

    def perfetto(self) -> Iterator[str]:
        """The timeline in the format of Chrome, which Perfetto reads, in pieces."""
        with reading(self.path, RecordingError, AGAIN):
            yield from self._events()

    def _events(self) -> Iterator[str]:
        processes: dict[str, int] = {}
        rows: dict[tuple[str, str], int] = {}
        yield '{"traceEvents":['
        comma = ""
        for spans in self._records("S"):
            events, names = [], _short(spans["names"])
            for n, row in enumerate(spans["row"]):
                device, name = spans["rows"][row]
                known = (device, name) in rows
                place = {
                    "pid": processes.setdefault(device, len(processes) + 1),
                    "tid": rows.setdefault((device, name), len(rows) + 1),
                }
                if not known:
                    events.append({"ph": "M", "name": "process_name", **place, "args": {"name": device}})
                    events.append({"ph": "M", "name": "thread_name", **place, "args": {"name": name}})
                times = {"ts": spans["start"][n] / 1000, "dur": spans["duration"][n] / 1000}
                events.append({"ph": "X", "name": names[spans["name"][n]], **place, **times})
            yield comma + ",".join(map(json.dumps, events))
            comma = ","
        yield "]}"


def _short(texts: list[str]) -> list[str]:
    """Texts of a table, each of which may be told many times."""
    return [text[:MOST_TEXT] for text in texts]


def _below(roots: list[int], sources: list[list[int]]) -> list[int]:
    """The nodes that roots are made of, nearest first, at most MOST_NODES."""
    seen = dict.fromkeys(roots)
    waiting = list(seen)
    for node in waiting:
        if len(seen) >= MOST_NODES:
            break
        for source in sources[node]:
            if source not in seen:
                seen[source] = None
                waiting.append(source)
    return list(seen)


def _rebuilt(
    before: list[int], after: list[int], nodes: dict[str, list[Any]], steps: list[dict[str, Any]]
) -> list[int]:
    """Nodes that are others only because something below them is: the same op of corresponding sources. They
    would hide what a pass changed."""
    kept = set(after)
    replaced = {step["before"]: step["after"] for step in steps if step["before"] not in kept}
    columns = [nodes[name] for name in ("op", "dtype", "arg", "shape")]

    def parts(number: int, sources: list[int]) -> tuple[Any, ...]:
        return (*(str(column[number]) for column in columns), tuple(sources))

    known = {parts(n, sources): n for n, sources in enumerate(nodes["src"])}
    images: dict[int, int] = {}
    found: set[int] = set()
    for number in sorted(before):  # sources first
        image = number
        if number not in kept:
            sources = [images.get(source, source) for source in nodes["src"][number]]
            image = known.get(parts(number, sources), number)
            if image in kept and number not in replaced:
                found |= {number, image}
            for _ in range(len(replaced)):
                if image not in replaced:
                    break
                image = replaced[image]
        images[number] = image
    return sorted(found)


def _floor(nbytes: int, flops: int, ceiling: dict[str, Any] | None) -> float | None:
    """The least seconds for so many bytes and operations, at the measured rates of a device."""
    if not ceiling or not ceiling["copy"]:
        return None
    copy, product = float(ceiling["copy"]), float(max(ceiling["products"].values(), default=0.0))
    return max(nbytes / copy, flops / product if product else 0.0)
