"""Models in words that torch and saccade share: each function takes the library, `saccade.nn` or `torch.nn`.

So a model is the same text on both sides of a comparison, and its `state_dict` has the same names.
"""

from .bert import bert
from .efficientnet import efficientnet_lite0
from .gpt import gpt, gpt_block
from .llama import LlamaSize, llama
from .perceptron import convolutional, perceptron
from .resnet import resnet18

__all__ = [
    "LlamaSize",
    "bert",
    "convolutional",
    "efficientnet_lite0",
    "gpt",
    "gpt_block",
    "llama",
    "perceptron",
    "resnet18",
]
