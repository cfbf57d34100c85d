"""Writes names.md: every public name of torch, and what it is here.

    python docs/names.py > docs/names.md        # needs torch; the page names its version

A name is there, there under another name, or not, with the reason. Reasons are rules over names, first match
first; a name without one is simply not written yet.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any, Final

import torch

import saccade
from saccade import Tensor, array_api, dtypes, fft, linalg, nn, special

#: other names that do the same
ELSEWHERE: Final = {
    "tensor": "Tensor(data)", "as_tensor": "Tensor.from_numpy", "func": "saccade.grad, vjp, vmap, ...",
    "compile": "saccade.jit", "load": "nn.state.load", "save": "nn.state.save",
    "triangular_solve": "linalg.solve_triangular", "GradScaler": "nn.optim.GradScaler",
    "asarray": "Tensor(data)", "mvlgamma": "special.multigammaln",
    "inference_mode": "saccade.no_grad", "igamma": "special.gammainc", "igammac": "special.gammaincc",
}  # fmt: skip
#: names that are modules here and there
ROOMS: Final = ("fft", "functional", "init", "linalg", "lr_scheduler", "nn", "optim", "rnn", "special")
#: modules of torch that list what is theirs; elsewhere such lists leave names out that people use
LISTED: Final = (torch.nn.utils.rnn, torch.optim.lr_scheduler)
#: why whole families are not there
REASONS: Final = (
    (
        r"quantiz|qint|quint|q_scale|q_zero|q_per|fake_quant|qscheme|fbgemm|int_repr",
        "no quantised dtypes: packed weights are tensor programs (llm)",
    ),
    (
        r"[sS]parse|coo|csr|csc|bsr|bsc|coalesce|ccol|crow|row_indices|col_indices|is_sparse|smm|"
        r"hspmm|saddmm|sspaddmm",
        "no sparse layouts: use gather, scatter and segment_reduce",
    ),
    (
        r"cuda|cudnn|miopen|mkldnn|xpu|mps|hip|ipu|mtia|maia|vulkan|xla|nnpack|metal|onednn|openmp",
        "a device is a name: to(device='cuda')",
    ),
    (
        r"^sym_|Sym(Int|Float|Bool)|symint",
        "lengths that change are Dim and Number",
    ),
    (
        r"jit|script|ScriptModule|trace|Graph|export|onnx|fx|dynamo|inductor|compiler|library|"
        r"ops$|classes$",
        "torch's own compilers: use saccade.jit",
    ),
    (
        r"distributed|rpc|DataParallel|futures|multiprocessing|share_memory|is_shared",
        "one process for now",
    ),
    (
        r"Storage|storage|data_ptr|untyped|layout|strided|memory_format|channels_last|"
        r"contiguous_format|preserve_format|is_contiguous|names$|^names|rename|align_(as|to|"
        r"tensors)|refine_names|named_tensor",
        "memory is the compiler's: no strides, storages or named dimensions to ask for",
    ),
    (
        r"^(Bool|Byte|Char|Double|Float|Half|Int|Long|Short|BFloat16)Tensor|Type$|TypePtr|^type|"
        r"DispatchKey|Dict|ListType|Alias|Argument|Benchmark|Call|Code|Compl|Concrete|Dead|Deep|"
        r"Disable|Enum|Error|Execution|Fatal|File|Future|Gradient|Guard|IODesc|Interface|Lite|"
        r"LockingLogger|Logger|Module$|Node|Operator|Opt|Outof|Parse|PRIV|PyTorch|Self|Serial|"
        r"Share|Stream|Event|Thread|Throughput|Tracing|Type|Use|Value|Any$|Set|Tag$|Size$|Out",
        "inner parts of torch",
    ),
    (
        r"_copy$|_out$|_backward|_forward|autocast|hooks?$|hook_|register_|set_|get_(num|default|"
        r"deterministic|float32|rng|device)|is_(anomaly|autocast|inference|deterministic|warn|"
        r"vulkan|nonzero|conj|neg|distributed)|inference_mode|deterministic|anomaly|warn|"
        r"num_threads|backends|profiler|overrides|utils|hub|package|testing|random$|special$|"
        r"types$|typename|version|torch$|sys$|math$|os$|importlib|inspect|functools|builtins|"
        r"ctypes|glob$|itertools|platform|textwrap|threading|pickle|warnings|contextlib|abstract",
        "modules, settings and hooks of torch",
    ),
    (
        r"resolve_conj|resolve_neg|is_conj|is_neg|conj_physical|set_data|retain_grad|retains_grad|"
        r"grad_fn|output_nr|is_inference|version$|resize|set_$|apply_|map_|map2_|to_mkldnn|"
        r"pin_memory|is_pinned|record_stream|reinforce|grad_dtype|volatile|itemsize|dim_order|"
        r"nested|lobpcg|geqrf|ormqr|orgqr|lu_unpack|ldl|householder|Lazy|"
        r"Parametr|Uninitialized",
        "not needed so far: say so if you miss it",
    ),
)


def public(owner: object) -> list[str]:
    """Names of torch's own, which a module may list: not those that it imports from elsewhere."""
    listed = getattr(owner, "__all__", None) if owner in LISTED else None
    names = [name for name in (dir(owner) if listed is None else listed) if not name.startswith("_")]
    return sorted(
        [n for n in names if not is_standard(getattr(owner, n, None))], key=lambda n: (n.lower(), n)
    )


def is_standard(found: object) -> bool:
    home = found.__name__ if isinstance(found, ModuleType) else getattr(found, "__module__", None)
    return isinstance(home, str) and home.partition(".")[0] in sys.stdlib_module_names - {"builtins"}


def reason(name: str) -> str:
    return next((told for pattern, told in REASONS if re.search(pattern, name)), "not written yet")


def table(title: str, names: Iterable[str], find: Callable[[str], str | None]) -> list[str]:
    """The names that are there in one line; the others by reason."""
    there: list[str] = []
    elsewhere: list[str] = []
    missing: dict[str, list[str]] = {}
    for name in names:
        found = find(name)
        if found == name:
            there.append(name)
        elif found:
            elsewhere.append(f"{name} ({found})")
        else:
            missing.setdefault(reason(name), []).append(name)
    lines = [f"## {title}", "", f"There ({len(there)}): {', '.join(there)}.", ""]
    if elsewhere:
        lines += [f"Under another name ({len(elsewhere)}): {', '.join(elsewhere)}.", ""]
    if missing:
        lines += ["| not there, because | names |", "|---|---|"]
        lines += [f"| {why} | {', '.join(some)} |" for why, some in sorted(missing.items())]
        lines.append("")
    return lines


def among(*places: tuple[str, Any]) -> Callable[[str], str | None]:
    """Where a name is found: itself in the first of the places, or a path in another."""

    def find(name: str) -> str | None:
        for number, (prefix, owner) in enumerate(places):
            found = getattr(owner, name, None)
            # a module that happens to have the name of a function is none
            if found is not None and (name in ROOMS or not isinstance(found, (ModuleType, bool))):
                return name if number == 0 else f"{prefix}.{name}"
        return ELSEWHERE.get(name) or None

    return find


def main() -> None:
    tensor, top = ("Tensor", Tensor), ("saccade", saccade)
    layers, losses, factors = ("nn", nn), ("nn.functional", nn.functional), ("linalg", linalg)
    waves, standard = ("fft", fft), ("array_api", array_api)
    print("# Names\n")
    version = torch.__version__.partition("+")[0]
    print(
        f"Every public name of torch {version}: there, there under another name, or not, and why. Written by"
    )
    print("`python docs/names.py`. Of the array API standard all names are there: see array_api.md.\n")
    parts = [
        table("torch.Tensor", public(torch.Tensor), among(tensor, top, losses, factors, waves)),
        table(
            "torch",
            public(torch),
            among(tensor, top, factors, losses, layers, ("dtypes", dtypes), waves, standard),
        ),
        table("torch.nn", public(torch.nn), among(layers, losses, tensor)),
        table(
            "torch.nn.utils",
            public(torch.nn.utils),
            among(("nn.utils", nn.utils), ("nn.utils.rnn", nn.utils.rnn)),
        ),
        table("torch.nn.utils.rnn", public(torch.nn.utils.rnn), among(("nn.utils.rnn", nn.utils.rnn))),
        table("torch.nn.functional", public(torch.nn.functional), among(losses, tensor)),
        table("torch.optim", public(torch.optim), among(("nn.optim", nn.optim))),
        table(
            "torch.optim.lr_scheduler",
            public(torch.optim.lr_scheduler),
            among(("nn.optim.lr_scheduler", nn.optim.lr_scheduler), ("nn.optim", nn.optim)),
        ),
        table("torch.linalg", public(torch.linalg), among(("linalg", linalg), tensor)),
        table("torch.fft", public(torch.fft), among(waves)),
        table("torch.special", public(torch.special), among(("special", special))),
    ]
    print("\n".join(line for part in parts for line in part).rstrip())


if __name__ == "__main__":
    main()
