"""`saccade.nn.data`: datasets, and a loader whose batches do not depend on how many processes make them."""

from .collate import collate
from .dataset import ConcatDataset, Dataset, Subset, TensorDataset, item_random, random_split
from .loader import DataLoader
from .samplers import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)
from .workers import WorkerError

__all__ = [
    "BatchSampler",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "WorkerError",
    "collate",
    "item_random",
    "random_split",
]
