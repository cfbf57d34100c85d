"""From graph to memory: `realize` computes nodes and returns them as reshaped buffers.

A graph is first written down in canonical form (form.py). The same computation on other buffers has the same
form, so everything that was worked out for it is found again: in this process as an `Executable` of a
`Family`, on disk as a `Recipe`. Scheduling and code generation are imported when neither has it. What was
computed before is known by its key (graph_key.py), and no form is written."""

from __future__ import annotations

from contextlib import nullcontext
from importlib import import_module
from typing import Final

from ...graph import node as graph_nodes
from ...graph.node import Node, hold, walk
from ...graph.ops import Op
from ...graph.rewriting.passes import again, recording
from ...runtime.cache.cache import key_of, shared_cache
from ...runtime.cache.compiler_digest import compiler_digest, edited
from ...runtime.cache.turns import turn
from ...runtime.config import settings
from ...runtime.device import Device
from ...runtime.executable import Executable, executable_of
from ...runtime.memory.buffer import Buffer
from ...runtime.process.collection import collection_paused
from ...runtime.program import Program
from ...runtime.recipe import Recipe
from ...runtime.watch.debug import watching
from ..gradients import leaves
from ..gradients.budget import within
from ..gradients.tape import tapes
from ..jit.number import is_given
from ..jit.trace import buffer_of, tracing
from .family import Family, Ready, WordsOf, given
from .form import Form, Numbers, Structure, canonical, hole_types, value_of
from .graph_key import Key, graph_key
from .lengths import Lengths, ready_at_any_length
from .searching import current_search, search_kernels

#: Families of computations kept ready in this process, each of a few programs, and the bytes of all their
#: sources: a program takes about twice its source.
_MOST_FAMILIES: Final = 1024
_MOST_BYTES: Final = 1 << 27
_MOST_KNOWN: Final = 1024
#: Devices whose sources are text, so that a recipe can be kept on disk.
_KEPT: Final = frozenset({"cpu", "cuda"})

#: What lowers for a GPU.
_COMPILER: Final = ("saccade.tensor.programs.prepare", "saccade.codegen.cuda.source")

_ASSIGN, _BUFFER, _RESHAPE = Op.ASSIGN, Op.BUFFER, Op.RESHAPE


class Families(dict[tuple[Structure, str], Family]):
    """Families of computations by structure and device. known: the same, by the key of a graph and the
    device. nbytes: at most so many have the sources of all their programs; counting takes a millisecond."""

    def __init__(self) -> None:
        super().__init__()
        self.known: dict[tuple[Key, str], Family] = {}
        self.nbytes = 0

    def clear(self) -> None:
        super().clear()
        self.known.clear()
        self.nbytes = 0


_executables = Families()


def is_realized(node: Node) -> bool:
    return node.op is Op.BUFFER or (node.op is Op.RESHAPE and node.src[0].op is Op.BUFFER)


def realize(nodes: list[Node]) -> list[Node]:
    """The nodes as memory that exists: each becomes a RESHAPE of a BUFFER (or the BUFFER itself). Stores do
    not happen here (see `stores`): an ASSIGN is its value."""
    if len(nodes) > 1 or nodes[0].op is Op.ASSIGN:
        nodes = [value_of(node) for node in nodes]
    trace = tracing.trace
    if trace is not None:
        trace.note_reads(nodes)
    if tapes.open:
        plain = nodes
        for tape in reversed(tapes.open):
            plain = tape.unmarked(plain)
        made = _realized(plain)
        for tape in tapes.open:
            tape.remember(nodes, made)
        return made
    made = _realized(nodes)
    if leaves.recording():
        leaves.remember(nodes, made)
    return made


def realize_one(node: Node) -> Node:
    """`realize` for one node, as most calls are."""
    op = node.op
    if op is _ASSIGN or tracing.trace is not None or tapes.open:
        return realize([node])[0]
    if op is _BUFFER or (op is _RESHAPE and node.src[0].op is _BUFFER):
        return node
    if leaves.recording():
        return realize([node])[0]
    key, numbers, inputs = graph_key((node,))
    family = _executables.known.get((key, inputs[0].device if inputs else Device.default))
    if family is None or graph_nodes.observer is not None or current_search() is not None or again():
        return _computed([node], None)[0]
    words = None
    result = family.single.get(numbers)
    if result is None:
        found = family.find_single(numbers)
        if found is None:
            return _computed([node], None)[0]
        result, words = found
    family.used = True
    addresses = [buffer._address or buffer.address for buffer in inputs]  # most have one: no call
    if words is not None:
        memory = result.executable.written(words)  # which is this call's alone
        addresses.append(memory.address)
    return result.run(addresses)


def _realized(nodes: list[Node]) -> list[Node]:
    if len(nodes) == 1:
        return nodes if is_realized(nodes[0]) else _computed(nodes, None)
    wanted = [node for node in dict.fromkeys(nodes) if not is_realized(node)]
    done: dict[Node, Node] = {}
    for device, group in by_device(wanted).items():
        done.update(zip(group, _computed(group, device), strict=True))
    return [done.get(node, node) for node in nodes]


def _computed(nodes: list[Node], device: str | None) -> list[Node]:
    """What one device computes, as memory; without a name, it is the device of the inputs."""
    key, numbers, inputs = graph_key(nodes)
    if device is None:
        device = inputs[0].device if inputs else Device.default
    family = _executables.known.get((key, device))
    if family is None or graph_nodes.observer is not None:  # who is told where forms come from
        form, _ = canonical(nodes)
        family = _executables.get((form[0], device))
        found = at_any_length(form, device) if family is None else None
        if found is not None:
            buffers = run_ready(*found, [buffer.address for buffer in inputs])
            return [hold(buffer, node.dtype, node.shape) for buffer, node in zip(buffers, nodes, strict=True)]
        if family is not None:
            family.used = True
        family = family_of(form[0], device)
        if len(_executables.known) >= _MOST_KNOWN:
            _executables.known.clear()
        _executables.known[key, device] = family
    else:
        family.used = True
    if family.copies:
        return _computed_of_copies(nodes)
    results = family.results
    if results is None:
        results = family.results = [(node.dtype, node.shape) for node in nodes]
    executable, words = ready(family, numbers)
    buffers = run_ready(executable, words, [buffer.address for buffer in inputs])
    return [hold(buffer, *result) for buffer, result in zip(buffers, results, strict=True)]


def run_ready(executable: Executable, words: bytes | None, addresses: list[int]) -> list[Buffer]:
    """The results for inputs at these addresses, a list that is used up, and these words."""
    if words is not None:
        memory = executable.written(words)  # which is this call's alone
        addresses.append(memory.address)
    return executable.run(addresses)


def _computed_of_copies(nodes: list[Node]) -> list[Node]:
    """The same for nodes with parts that are copied from other devices, which is done first."""
    there = without_copies(nodes)
    left = list(dict.fromkeys(node for node in there if not is_realized(node)))
    made = _computed(left, nodes[0].device or Device.default) if left else []
    done = dict(zip(left, made, strict=True))
    return [done.get(node, node) for node in there]


def by_device(nodes: list[Node]) -> dict[str, list[Node]]:
    """The nodes by where they are computed; constants go to the default device."""
    groups: dict[str, list[Node]] = {}
    for node in nodes:
        groups.setdefault(node.device or Device.default, []).append(node)
    return groups


# --- computations that are ready


def executable_for(form: Form, device: str) -> Ready:
    """The computation a form describes, ready to run, and the words that it is given if it is a family's."""
    return at_any_length(form, device) or ready(family_of(form[0], device), form[1])


def is_known(form: Form, device: str) -> bool:
    """Is there a program for computations of this structure?"""
    return (form[0], device) in _executables


def at_any_length(form: Form, device: str) -> Ready | None:
    """A program for all lengths, where there is one and none that knows the length of this form. Who looks at
    memory or at passes is shown the computation at its own length."""
    if is_known(form, device) or watching.observer is not None or again():
        return None
    if current_search() is not None or within.nbytes is not None:
        return None
    return ready_at_any_length(form, device, make_executable)


def executable_given(form: Form, device: str) -> tuple[Executable, WordsOf]:
    """The computation of a traced form, whose numbers are expressions where each call gives them, and how the
    words for it are made."""
    structure, numbers = form
    types = hole_types(structure)
    columns = [(dtype, n.key if is_given(n) else n) for n, dtype in zip(numbers, types, strict=True)]
    varying = [hole for hole, number in enumerate(numbers) if is_given(number)]
    wanted = given(columns, varying, numbers)
    places = {wanted[hole].word: (numbers[hole].place, types[hole]) for hole in varying}
    words = WordsOf([places[word] for word in range(len(places))])
    search = current_search()
    if search is not None:
        search_kernels((structure, wanted), device, search)
    return family_of(structure, device).given(wanted, make_executable).executable, words


def ready(family: Family, numbers: Numbers) -> Ready:
    """The program of a family for some numbers: from this process, from disk, or made now."""
    search = current_search()
    if search is None and again():
        return family.specialise(numbers, make_executable), None
    found = family.find(numbers) if search is None else None
    if found is not None:
        return found
    if any(map(is_given, numbers)):
        return ready(family, family.settled(numbers))
    if search is None:
        made = family.add(numbers, make_executable)
    else:
        search_kernels((family.structure, numbers), family.device, search)
        made = family.specialise(numbers, make_executable), None
    _make_room(made[0].recipe.nbytes)
    return made


def family_of(structure: Structure, device: str) -> Family:
    """The computations of a structure; a new one takes the place of another where there are too many."""
    family = _executables.get((structure, device))
    if family is not None:
        family.used = True
        return family
    return _executables.setdefault((structure, device), Family(structure, device))


def _make_room(added: int) -> None:
    """Forget families while there are too many, after a program with sources of so many bytes: those made
    longest ago, but for the last, and for those that were asked for since it last came to that."""
    _executables.known.clear()
    _executables.nbytes += added
    if _executables.nbytes > _MOST_BYTES:
        _executables.nbytes = sum(family.nbytes for family in list(_executables.values()))
    count = len(_executables)
    if count <= _MOST_FAMILIES and _executables.nbytes <= _MOST_BYTES:
        return
    for key, family in list(_executables.items()) * 2:
        if count == 1 or (count <= _MOST_FAMILIES and _executables.nbytes <= _MOST_BYTES):
            return
        if _executables.pop(key, None) is None:
            continue
        if family.used:
            family.used = False
            _executables[key] = family
        else:
            count -= 1
            _executables.nbytes -= family.nbytes


def computed() -> list[tuple[Form, str]]:
    """What this process has computed, as far as it is kept: forms and devices."""
    return [(form, family.device) for family in list(_executables.values()) for form in family.forms()]


def make_executable(form: Form | Lengths, device: str) -> Executable:
    with collection_paused():
        made = _found_or_made(form, device)
    made.form = form
    return made


def _found_or_made(form: Form | Lengths, device: str) -> Executable:
    """From disk, or compiled now."""
    kind = device.partition(":")[0]
    text = repr(form)
    if (
        kind not in _KEPT or recording() or " at 0x" in text
    ):  # an address in a repr means nothing to another process
        recipe, programs = _prepare(form, device)
        return executable_of(recipe, device, programs)
    from ...runtime.cache.searched import generation, target_of  # spared to a process that computes nothing

    cache = shared_cache()
    found_by_search = generation(target_of(device)) if settings.searched else "off"
    key = key_of(
        "recipe 2", text, kind, _target(device), str(settings.threads), compiler_digest(), found_by_search,
        str(settings.wgmma), str(settings.tf32), str(settings.winograd), str(settings.graph_nodes),
        str(settings.graph_bytes),
    )  # fmt: skip

    def load() -> Executable | None:
        return cache.load(key, lambda data: executable_of(Recipe.from_bytes(data), device))

    found = load()
    if found is not None:
        return found
    # Of the CPU's kernels each is compiled by one process already, and whoever would wait has a core for it.
    # Those of a GPU are compiled by all cores of the machine, whichever process asks.
    if kind == "cuda":
        for name in _COMPILER:  # before the turn: half a second, in which others would wait
            import_module(name)
    with turn(cache.usable_folder(), key) if kind == "cuda" else nullcontext(False) as made:
        found = load() if made else None
        if found is not None:
            return found
        recipe, programs = _prepare(form, device)
        if not edited():  # else the compiler that ran is not the one the key says
            cache.put(key, recipe.to_bytes())
    return executable_of(recipe, device, programs)


def _prepare(form: Form | Lengths, device: str) -> tuple[Recipe, list[Program]]:
    from .prepare import prepare  # the compiler: a process that finds its recipes is spared importing it

    return prepare(form, device)


def _target(device: str) -> str:
    """The processor that code for this device runs on. Cards of one architecture may differ in what layouts
    depend on (`codegen.compile.card_of`): an H100 has 114 or 132 multiprocessors."""
    if device == "cpu":
        from ...runtime.cpu.build import processor

        return processor()
    gpu = Device[device]
    card = getattr(gpu, "shared_limit", None), getattr(gpu, "processors", None)
    return f"{getattr(gpu, 'arch', device)} {card}"


# --- between devices


def without_copies(nodes: list[Node]) -> list[Node]:
    """Copies between devices happen first; what remains is on one device."""
    copies = [n for n in walk(tuple(nodes)) if n.op is Op.COPY]
    if not copies:
        return nodes
    done: dict[Node, Node] = {}
    for copy in copies:
        if copy.src[0].device is None:  # made of constants: any device can compute it
            done[copy] = copy.src[0].substitute(done)
            continue
        (source,) = realize([copy.src[0].substitute(done)])
        buffer = buffer_of(source)
        moved = Buffer(buffer.size, buffer.dtype, copy.arg)
        moved.copy_from_buffer(buffer)
        done[copy] = hold(moved, copy.dtype, copy.shape)
    return [n.substitute(done) for n in nodes]
