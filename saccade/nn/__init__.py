"""`saccade.nn`: layers, losses, optimisers and saved state, by torch's names, on plain objects."""

from typing import TYPE_CHECKING

from saccade.lazy import names_of

if TYPE_CHECKING:
    from . import data, functional, init, optim, utils
    from .containers import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
    from .layers.activation import (
        CELU,
        ELU,
        GELU,
        GLU,
        SELU,
        AlphaDropout,
        Dropout,
        Dropout1d,
        Dropout2d,
        Dropout3d,
        FeatureAlphaDropout,
        Hardshrink,
        Hardsigmoid,
        Hardswish,
        Hardtanh,
        LeakyReLU,
        LogSigmoid,
        LogSoftmax,
        Mish,
        PReLU,
        ReLU,
        ReLU6,
        RReLU,
        Sigmoid,
        SiLU,
        Softmax,
        Softmax2d,
        Softmin,
        Softplus,
        Softshrink,
        Softsign,
        Tanh,
        Tanhshrink,
        Threshold,
    )
    from .layers.attention import MultiheadAttention
    from .layers.cells import GRUCell, LSTMCell, RNNCell
    from .layers.convolution import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
    from .layers.embedding import Embedding, EmbeddingBag
    from .layers.linear import Bilinear, Flatten, Identity, Linear, Unflatten
    from .layers.normalization import (
        BatchNorm1d,
        BatchNorm2d,
        BatchNorm3d,
        GroupNorm,
        InstanceNorm1d,
        InstanceNorm2d,
        InstanceNorm3d,
        LayerNorm,
        RMSNorm,
    )
    from .layers.padding import (
        CircularPad1d,
        CircularPad2d,
        CircularPad3d,
        ConstantPad1d,
        ConstantPad2d,
        ConstantPad3d,
        ReflectionPad1d,
        ReflectionPad2d,
        ReflectionPad3d,
        ReplicationPad1d,
        ReplicationPad2d,
        ReplicationPad3d,
        ZeroPad1d,
        ZeroPad2d,
        ZeroPad3d,
    )
    from .layers.patches import (
        ChannelShuffle,
        Fold,
        LocalResponseNorm,
        LPPool1d,
        LPPool2d,
        LPPool3d,
        MaxUnpool1d,
        MaxUnpool2d,
        MaxUnpool3d,
        PixelShuffle,
        PixelUnshuffle,
        Unfold,
        Upsample,
        UpsamplingBilinear2d,
        UpsamplingNearest2d,
    )
    from .layers.pooling import (
        AdaptiveAvgPool1d,
        AdaptiveAvgPool2d,
        AdaptiveAvgPool3d,
        AdaptiveMaxPool1d,
        AdaptiveMaxPool2d,
        AdaptiveMaxPool3d,
        AvgPool1d,
        AvgPool2d,
        AvgPool3d,
        MaxPool1d,
        MaxPool2d,
        MaxPool3d,
    )
    from .layers.recurrent import GRU, LSTM, RNN
    from .layers.transformer import (
        Transformer,
        TransformerDecoder,
        TransformerDecoderLayer,
        TransformerEncoder,
        TransformerEncoderLayer,
    )
    from .loss import (
        BCELoss,
        BCEWithLogitsLoss,
        CosineSimilarity,
        CrossEntropyLoss,
        HuberLoss,
        KLDivLoss,
        L1Loss,
        MSELoss,
        NLLLoss,
        SmoothL1Loss,
    )
    from .margins import (
        CosineEmbeddingLoss,
        CTCLoss,
        GaussianNLLLoss,
        HingeEmbeddingLoss,
        MarginRankingLoss,
        MultiLabelMarginLoss,
        MultiLabelSoftMarginLoss,
        MultiMarginLoss,
        PairwiseDistance,
        PoissonNLLLoss,
        SoftMarginLoss,
        TripletMarginLoss,
        TripletMarginWithDistanceLoss,
    )
    from .module import Module, Parameter
    from .saved import state
    from .saved.checkpoint import Checkpoint

#: for jit: layers and optimisers have their state in objects, which are guarded
__jit_library__ = True

#: modules, and the names that are in them
_HOMES = {
    ".containers": "ModuleDict ModuleList ParameterDict ParameterList Sequential",
    ".layers.activation": """
        CELU ELU GELU GLU SELU AlphaDropout Dropout Dropout1d Dropout2d Dropout3d
        FeatureAlphaDropout Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid
        LogSoftmax Mish PReLU ReLU ReLU6 RReLU Sigmoid SiLU Softmax Softmax2d Softmin Softplus
        Softshrink Softsign Tanh Tanhshrink Threshold
    """,
    ".layers.attention": "MultiheadAttention",
    ".layers.cells": "GRUCell LSTMCell RNNCell",
    ".layers.convolution": "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d",
    ".layers.embedding": "Embedding EmbeddingBag",
    ".layers.linear": "Bilinear Flatten Identity Linear Unflatten",
    ".layers.normalization": """
        BatchNorm1d BatchNorm2d BatchNorm3d GroupNorm InstanceNorm1d InstanceNorm2d InstanceNorm3d
        LayerNorm RMSNorm
    """,
    ".layers.padding": """
        CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d
        ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d
        ReplicationPad3d ZeroPad1d ZeroPad2d ZeroPad3d
    """,
    ".layers.patches": """
        ChannelShuffle Fold LocalResponseNorm LPPool1d LPPool2d LPPool3d MaxUnpool1d MaxUnpool2d
        MaxUnpool3d PixelShuffle PixelUnshuffle Unfold Upsample UpsamplingBilinear2d
        UpsamplingNearest2d
    """,
    ".layers.pooling": """
        AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d
        AdaptiveMaxPool3d AvgPool1d AvgPool2d AvgPool3d MaxPool1d MaxPool2d MaxPool3d
    """,
    ".layers.recurrent": "GRU LSTM RNN",
    ".layers.transformer": """
        Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder
        TransformerEncoderLayer
    """,
    ".loss": """
        BCELoss BCEWithLogitsLoss CosineSimilarity CrossEntropyLoss HuberLoss KLDivLoss L1Loss
        MSELoss NLLLoss SmoothL1Loss
    """,
    ".margins": """
        CosineEmbeddingLoss CTCLoss GaussianNLLLoss HingeEmbeddingLoss MarginRankingLoss
        MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss PairwiseDistance
        PoissonNLLLoss SoftMarginLoss TripletMarginLoss TripletMarginWithDistanceLoss
    """,
    ".module": "Module Parameter",
    ".saved.checkpoint": "Checkpoint",
}
#: names that are modules themselves
_MODULES = {
    "data": ".data",
    "functional": ".functional",
    "init": ".init",
    "optim": ".optim",
    "state": ".saved.state",
    "utils": ".utils",
}

__all__ = [
    "CELU",
    "ELU",
    "GELU",
    "GLU",
    "GRU",
    "LSTM",
    "RNN",
    "SELU",
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AlphaDropout",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "Bilinear",
    "CTCLoss",
    "ChannelShuffle",
    "Checkpoint",
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "CosineEmbeddingLoss",
    "CosineSimilarity",
    "CrossEntropyLoss",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "Embedding",
    "EmbeddingBag",
    "FeatureAlphaDropout",
    "Flatten",
    "Fold",
    "GRUCell",
    "GaussianNLLLoss",
    "GroupNorm",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "Identity",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "KLDivLoss",
    "L1Loss",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "LSTMCell",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LocalResponseNorm",
    "LogSigmoid",
    "LogSoftmax",
    "MSELoss",
    "MarginRankingLoss",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
    "Mish",
    "Module",
    "ModuleDict",
    "ModuleList",
    "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "MultiheadAttention",
    "NLLLoss",
    "PReLU",
    "PairwiseDistance",
    "Parameter",
    "ParameterDict",
    "ParameterList",
    "PixelShuffle",
    "PixelUnshuffle",
    "PoissonNLLLoss",
    "RMSNorm",
    "RNNCell",
    "RReLU",
    "ReLU",
    "ReLU6",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "Tanh",
    "Tanhshrink",
    "Threshold",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
    "Unflatten",
    "Unfold",
    "Upsample",
    "UpsamplingBilinear2d",
    "UpsamplingNearest2d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
    "data",
    "functional",
    "init",
    "optim",
    "state",
    "utils",
]

__getattr__ = names_of(
    __name__, {name: home for home, names in _HOMES.items() for name in names.split()}, _MODULES
)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
