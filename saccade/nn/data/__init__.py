"""`saccade.nn.data`: datasets, and a loader whose batches do not depend on how many processes make them."""

from .collate import collate
from .dataset import ConcatDataset, Dataset, Subset, TensorDataset, item_random, random_split
from .loader import DataLoader
from .workers import WorkerError

__all__ = [
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "Subset",
    "TensorDataset",
    "WorkerError",
    "collate",
    "item_random",
    "random_split",
]
