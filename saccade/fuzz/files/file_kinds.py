"""Every kind of file that is read: whole examples, how a folder with one is read, and which error may come.

    kind = all_kinds()["ply"]
    kind.read(folder)            # a Mesh, or one of kind.errors

Whoever adds a reader adds a line here, and the attack (`files.attack`) finds it.
"""

from __future__ import annotations

import importlib.util
import io
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np
from rich.console import Console

from ...codegen.cpu.heuristic import optimise
from ...codegen.moves.moves import Move, moves_made
from ...codegen.moves.text import from_json, to_json
from ...codegen.search.saved import replay
from ...cortex.models.storage import INDEX, NODES, load_models
from ...cortex.models.tensor_file import FileError, read_arrays
from ...experiment.config import config as configs
from ...experiment.config.sections import ConfigError
from ...experiment.engine.memory import load_memory
from ...experiment.errors import RunError
from ...experiment.record.record import RunFolder
from ...experiment.report.chart_picture import render
from ...experiment.report.compare import compare
from ...experiment.report.plots import charts_of
from ...experiment.report.report import comparison_tables, objects_table, summary_table
from ...files import json_text
from ...files.npz import read_npz
from ...files.reading import FAILURES
from ...graph.kernels.kernel import Kernel
from ...graph.kernels.text import digest_of
from ...graph.ops import Op
from ...llm.files.gguf import Gguf, GgufError
from ...llm.files.load import load as load_model
from ...llm.model.bert import Encoder
from ...llm.model.config import ConfigError as ModelError
from ...llm.model.config import LlamaConfig
from ...llm.tokenizer.parts import TokenizerError
from ...llm.tokenizer.tokenizer import Tokenizer
from ...monty.saved.models import read_models
from ...nn.saved.checkpoint import Checkpoint
from ...nn.saved.mapped import StateError
from ...nn.saved.state import load
from ...runtime.cache.searched import ResultsError, read_file
from ...schedule.schedule import schedule
from ...tensor import Tensor
from ...tensor.functional.random import default_generator
from ...viz.file import RecordingError
from ...viz.server import view_of
from ...viz.views.minds import RunView
from ...viz.views.recording import Recording
from ...world.fields import sdf
from ...world.formats import prepared
from ...world.formats.formats import read_mesh
from ...world.formats.packages import CATALOGUE, prepare
from ...world.formats.png import ImageError, read_png
from ...world.meshes import bvh, texture
from ...world.meshes.mesh import Mesh, MeshError
from ..kernels import dataset
from ..kernels.dataset import DataSet, DataSetError
from ..programs.draw import draw
from . import file_corpus as corpus
from .file_corpus import Files
from .gguf_corpus import gguf_files
from .model_corpus import config_files, encoder_files, folder_files, model_bytes
from .recording_corpus import packed_records, records, trace_arrays
from .tokenizer_corpus import tokenizer_files
from .weights_corpus import checkpoint_files, legacy_files, monty_files, training

Errors = tuple[type[Exception], ...]


def _as_is(files: Files) -> Files:
    return files


@dataclass(frozen=True)
class Kind:
    """A kind of file.

    whole: examples. attacked: the files of a folder that are damaged. read: raises one of `errors` for a
    folder it cannot read, which names the file if `named`. mended: the folder after the damage with sums and
    packing that fit it, so that the damage gets past them; always, if it is `packed`.
    """

    name: str
    whole: tuple[Files, ...]
    attacked: tuple[str, ...]
    read: Callable[[Path], object]
    errors: Errors
    named: bool = True
    mended: Callable[[Files], Files] = _as_is
    packed: bool = False


@cache
def all_kinds() -> dict[str, Kind]:
    """All kinds, by name; pictures that need Pillow where that is installed."""
    found = [*_meshes(), *_packages(), *_models(), *_weights_of_others(), *_language_models(), *_runs(),
             *_recordings(), *_others()]  # fmt: skip
    if importlib.util.find_spec("PIL") is not None:
        found.append(_photos())
    return {kind.name: kind for kind in found}


# --- meshes and pictures


def _meshes() -> list[Kind]:
    made = corpus.mesh_files()
    attacked = {
        "mtl": ("m.mtl", "p.png"),
        "msh": ("a.msh", "a.msh", "a.png"),
        "gltf": ("a.gltf", "a.gltf", "b.bin"),
    }
    found = [
        Kind(name, tuple(files), attacked.get(name, (f"a.{name}",)), _mesh, (MeshError,))
        for name, files in made.items()
    ]
    pictures = tuple({"a.png": data} for data in corpus.pictures())
    return [*found, Kind("png", pictures, ("a.png",), _png, (ImageError,))]


def _mesh(folder: Path) -> Mesh:
    """The mesh of a folder, with all that a reader promises of it."""
    (path,) = (path for path in folder.iterdir() if path.name in MESHES)
    mesh = read_mesh(path)
    if not (np.isfinite(mesh.vertices).all() and 0 <= mesh.colors.min() <= mesh.colors.max() <= 1):
        raise AssertionError("a mesh was read whose numbers are none")
    if not (len(mesh.faces) and 0 <= mesh.faces.min() <= mesh.faces.max() < len(mesh.vertices)):
        raise AssertionError("a mesh was read whose faces name no vertices")
    return mesh


MESHES = {f"a.{ending}" for ending in ("obj", "stl", "ply", "msh", "glb", "gltf")}


def _png(folder: Path) -> object:
    return read_png(folder / "a.png", raw=True), read_png(folder / "a.png")


def _photos() -> Kind:
    """Pictures that are read through Pillow."""
    from PIL import Image

    made = []
    for form in texture.FORMATS:
        file = io.BytesIO()
        colors = np.random.default_rng(1).integers(0, 255, (9, 7, 3)).astype(np.uint8)
        Image.fromarray(colors).save(file, form)
        made.append({"a.jpg": file.getvalue()})
    return Kind(
        "photo", tuple(made), ("a.jpg",), lambda folder: texture.read_picture(folder / "a.jpg"), (ImageError,)
    )


def _packages() -> list[Kind]:
    made = {name: tuple(files) for name, files in corpus.package_files().items()}
    packed = {"urdf": corpus.tarred, "catalogue": corpus.zipped}
    attacked = {"urdf": ("random_urdfs/7/7.urdf",), "catalogue": (CATALOGUE,)}
    found = []
    for name, whole in made.items():
        pack = packed.get(name)
        mended = _as_is if pack is None else (lambda files, pack=pack: {"a.whl": pack(files)})
        names = attacked.get(name, ("a.whl",))
        found.append(Kind(name, whole, names, _package, (MeshError,), mended=mended, packed=pack is not None))
    return found


def _package(folder: Path) -> object:
    return prepare(folder / "a.whl", folder / "out", largest=2.0, smallest=0.005)


# --- models and runs


def _models() -> list[Kind]:
    torch = corpus.torch_files()
    whole_torch = tuple({"a": corpus.archived(files)} for files in torch)
    return [
        Kind("tensors", tuple(corpus.tensor_files()), ("a",), lambda f: read_arrays(f / "a"), (FileError,)),
        Kind(
            "models",
            tuple(corpus.model_files()),
            (INDEX, NODES),
            load_models,
            (FileError,),
            mended=corpus.with_checksum,
        ),
        Kind("weights", tuple(corpus.weight_files()), ("a",), _weights, (StateError,)),
        Kind("torch", whole_torch, ("a",), _weights, (StateError,)),
        Kind(
            "torch pickle",
            tuple(torch),
            ("a/data.pkl",),
            _weights,
            (StateError,),
            mended=lambda files: {"a": corpus.archived(files)},
            packed=True,
        ),
        Kind("memory", tuple(corpus.memory_files()), ("memory.json",), load_memory, (FileError,)),
    ]


def _weights(folder: Path) -> object:
    """Everything that a file of weights holds, read."""
    found = load(folder / "a")
    return [tensor.clone().tolist() for tensor in _tensors_in(found)]


def _tensors_in(value: object) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (Mapping, Namespace)):
        for part in (vars(value) if isinstance(value, Namespace) else value).values():
            yield from _tensors_in(part)
    elif isinstance(value, (list, tuple, set, frozenset)):
        for part in value:
            yield from _tensors_in(part)


def _weights_of_others() -> list[Kind]:
    """Files of torch before 1.6, of a training that goes on, and of Monty."""
    monty, pack = tuple(monty_files()), lambda files: {"a": corpus.archived(files)}
    return [
        Kind("torch legacy", tuple(legacy_files()), ("a",), _weights, (StateError,)),
        Kind("checkpoint", tuple(checkpoint_files()), ("a",), _checkpoint, (StateError,)),
        Kind("monty", monty, ("a/data.pkl",), _monty, (StateError,), mended=pack, packed=True),
    ]


def _checkpoint(folder: Path) -> object:
    """A training that goes on: the next batch."""
    parts = training()
    values = Checkpoint(folder / "a", **parts).load()
    return values, next(iter(parts["loader"]), None), default_generator.next_key()


def _monty(folder: Path) -> object:
    return read_models(folder / "a")


def _language_models() -> list[Kind]:
    texts, metadata = tokenizer_files()
    errors = (GgufError, TokenizerError)
    models = ({"a.gguf": model_bytes()}, *config_files())
    folders, encoders = tuple(folder_files()), tuple(encoder_files())
    own = (StateError, ModelError, *errors)
    return [
        Kind("gguf", tuple(gguf_files()), ("a.gguf",), _gguf, (GgufError,)),
        Kind("tokenizer", tuple(texts), ("tokenizer.json",), _tokenizer, (TokenizerError,)),
        Kind("gguf tokenizer", tuple(metadata), ("a.gguf",), _tokenizer, errors),
        Kind("language model", models, ("a.gguf", "config.json"), _model, (*errors, ModelError)),
        Kind("model folder", folders, tuple(name for each in folders for name in each), _folder, own),
        Kind(
            "encoder", encoders, tuple(encoders[0]), lambda folder: Encoder.from_folder(folder).ids("a"), own
        ),
    ]


def _model(folder: Path) -> object:
    """The sizes in a config.json; or a model with its weights laid out and its tokenizer, as `saccade chat`
    has it before it runs."""
    (path,) = folder.iterdir()
    if path.suffix == ".json":
        return LlamaConfig.from_json(path)
    loaded = load_model(path, activations="int8")
    return loaded.name, loaded.model.config, loaded.tokenizer.encode("hello world")


def _folder(folder: Path) -> object:
    """A model before it is talked to: its chat template runs in a sandbox, with errors of its own."""
    loaded = load_model(folder)
    return loaded.model.config, loaded.tokenizer.encode("hello"), loaded.template.given


def _tokenizer(folder: Path) -> object:
    """A tokenizer, the ids of a text, and the text of those."""
    (path,) = folder.iterdir()
    found = (Tokenizer.from_json if path.suffix == ".json" else Tokenizer.from_gguf)(path)
    ids = found.encode("hello world's <s> é€ 日本\n\n  1234 </s>")
    if not all(0 <= number < len(found) for number in ids):
        raise AssertionError("a text has ids that are no tokens")
    return found.decode(ids, skip_special=False)


def _gguf(folder: Path) -> object:
    """All metadata of a file, the bytes of its tensors, and the programs that unpack them."""
    file = Gguf(folder / "a.gguf")
    programs = [tensor.dequantised() for tensor in file.values()]
    if any(made.shape != tensor.shape for made, tensor in zip(programs, file.values())):
        raise AssertionError("a tensor was read whose values have another shape")
    return file.metadata, [tensor.raw().clone().tolist() for tensor in file.values()]


def _runs() -> list[Kind]:
    whole = tuple(corpus.run_files())
    config = whole[0]["config.toml"]
    names = {
        "run": "run.json",
        "episodes": "episodes.csv",
        "summary": "summary.json",
        "trace": "traces/eval-000000.npz",
    }
    found = [
        Kind(
            name,
            whole,
            (file,),
            _run,
            (RunError,),
            mended=corpus.with_row_sums if name == "episodes" else _as_is,
        )
        for name, file in names.items()
    ]
    small = (
        b'seed = 3\nname = "x"\n[eval]\ngiven = [[0, 90.5, 1e1]]\nrotations = "given"\n[noise]\nhsv = 0.5\n'
    )
    texts = ({"a.toml": config}, {"a.toml": small})
    return [*found, Kind("config", texts, ("a.toml",), _config, (ConfigError,))]


def _config(folder: Path) -> object:
    return configs.check(configs.load(folder / "a.toml"))


def _run(folder: Path) -> object:
    """Everything that commands show of a run."""
    run = RunFolder.open(folder)
    console = Console(width=150, file=io.StringIO())
    comparison = compare([run, run])
    for table in comparison_tables(comparison, 150):
        console.print(table)
    summary = run.summary()
    if summary is not None:
        console.print(summary_table(summary, 150), objects_table(summary))
    charts = charts_of(run)
    return [render([chart], "svg") for chart in charts.values()]


# --- recordings


def _recordings() -> list[Kind]:
    whole, file = records(), packed_records(records())
    trace, arrays = "traces/eval-000000.npz", trace_arrays()
    run = {**corpus.run_files()[0], trace: corpus.npz(**arrays)}
    return [
        Kind("episode", (run,), (trace,), _episode, (RunError,)),
        Kind("recording", (file,), ("a.saccade",), _recording, (RecordingError,)),
        Kind("records", (whole,), tuple(whole), _recording, (RecordingError,), True, packed_records, True),
    ]


def _recording(folder: Path) -> object:
    """All that the page shows of a recording, but for machine code, which a process of its own makes."""
    found = Recording(folder / "a.saccade")
    try:
        views = ("summary", "rewrites", "graph", "kernels", "source", "memory", "timeline", "chunk")
        places = {"computation": "0", "pass": "1"}
        return [json_text.to_json(view_of(found, view, places)) for view in views], list(found.perfetto())
    finally:
        found.reader.close()


def _episode(folder: Path) -> object:
    """An episode as the page replays it."""
    run, name = RunView(folder), {"id": "eval-000000"}
    told = view_of(run, "episode", name)
    return json_text.to_json(told), view_of(run, "patches", name), view_of(run, "cloud", name)


# --- what searches and caches keep


def _others() -> list[Kind]:
    kept = corpus.cache_files()
    readers: dict[str, Callable[[bytes], object]] = {
        "prepared": prepared.unpacked,
        "field": sdf.stored_field,
        "tree": partial(bvh.unpacked, count=corpus.TREE_FACES),
    }
    # what is wrong with something kept is never told: it is made again
    found = [
        Kind(name, tuple(kept[name]), ("a",), _reading(read), FAILURES, named=False)
        for name, read in readers.items()
    ]
    # past the sums of the archive that arrays are kept in
    arrays = tuple({"x.npy": data} for data in corpus.arrays())
    inside = Kind("npy", arrays, ("x.npy",), _reading(read_npz), FAILURES, False, _zipped, packed=True)
    results = tuple(corpus.result_files())
    moves = tuple({str(k): to_json(moves_made(optimise(each))).encode()} for k, each in enumerate(_kernels()))
    some = DataSet((), {digest_of(each): each for each in _kernels()})
    kernels = tuple(corpus.folder_of(lambda folder, form=form: some.write(folder, form)) for form in (0, 1))
    return [
        *found,
        inside,
        Kind("results", results, ("a.json",), lambda folder: read_file(folder / "a.json"), (ResultsError,)),
        Kind("moves", moves, ("0", "1", "2"), _moves, (ValueError,), named=False),
        Kind("kernels", kernels, (dataset.NAME, f"{dataset.NAME}.gz"), DataSet.read, (DataSetError,)),
    ]


def _zipped(files: Files) -> Files:
    return {"a": corpus.zipped(files)}


def _reading(read: Callable[[bytes], object]) -> Callable[[Path], object]:
    return lambda folder: read((folder / "a").read_bytes())


def _moves(folder: Path) -> object:
    """The kernel that a file has the number of, with the moves that it holds."""
    (path,) = folder.iterdir()
    moves = from_json(path.read_text(errors="replace"))
    return replay(_kernels()[int(path.name)], [move for move in moves if isinstance(move, Move)])


@cache
def _kernels() -> tuple[Kernel, ...]:
    programs = [draw(seed) for seed in range(3)]
    found = [item.kernel for p in programs for item in schedule(p.roots, len(p.inputs)).items]
    return tuple(kernel for kernel in found if kernel.sink.src[0].op is not Op.SORT)[:3]
