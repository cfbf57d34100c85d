"""`saccade.nn.optim`: optimisers, rates that change, clipping, running means, loss scaling."""

from .adam import Adam, AdamW
from .average import EMA
from .clip import clip_grad_norm_, clip_grad_value_, get_total_norm
from .lamb import LAMB
from .muon import Muon
from .optimizer import Optimizer
from .scaler import GradScaler
from .schedules import (
    ConstantLR,
    CosineAnnealingLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiStepLR,
    OneCycleLR,
    StepLR,
)
from .sgd import SGD

__all__ = [
    "EMA",
    "LAMB",
    "SGD",
    "Adam",
    "AdamW",
    "ConstantLR",
    "CosineAnnealingLR",
    "ExponentialLR",
    "GradScaler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "Muon",
    "OneCycleLR",
    "Optimizer",
    "StepLR",
    "clip_grad_norm_",
    "clip_grad_value_",
    "get_total_norm",
]
