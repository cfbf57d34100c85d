"""Models in words that torch and saccade share: each function takes the library, `saccade.nn` or `torch.nn`.

So a model is the same text on both sides of a comparison, and its `state_dict` has the same names.
"""

from .bert import bert
from .gpt import gpt, gpt_block
from .perceptron import convolutional, perceptron
from .resnet import resnet18

__all__ = ["bert", "convolutional", "gpt", "gpt_block", "perceptron", "resnet18"]
