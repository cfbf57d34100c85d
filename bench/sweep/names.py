"""The names a program may use: ours and torch's, each as one module.

ours().gelu(x), ours().cat((a, b)), torchs().fft.rfft(x)
"""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import Final

#: types by the names both have
NUMBERS: Final = ("uint8", "int8", "int16", "int32", "int64", "float32", "float64", "complex64")


@cache
def ours() -> ModuleType:
    """Methods of Tensor as functions, and what the package has beside them."""
    import saccade
    from saccade import Tensor, fft, linalg
    from saccade.nn import functional

    made = ModuleType("names_of_saccade")
    vars(made).update({name: getattr(Tensor, name) for name in dir(Tensor) if not name.startswith("_")})
    vars(made).update(where=saccade.where, fft=fft, linalg=linalg, embedding=functional.embedding)
    vars(made).update({name: getattr(saccade.dtypes, name) for name in NUMBERS})
    return made


@cache
def torchs() -> ModuleType:
    """torch, and torch.nn.functional over it. A module, because torch.compile looks through modules."""
    import torch
    from torch.nn import functional

    made = ModuleType("names_of_torch")
    for module in (torch, functional):
        found = {name: value for name, value in vars(module).items() if not name.startswith("_")}
        vars(made).update(found)
    vars(made)["int_mm"] = torch._int_mm  # the int8 product has no public name
    return made
