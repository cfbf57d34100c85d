"""What `bench.training` times: a training step or a batch of small factorisations, ours and torch's.

A case makes a function of no arguments for a contender: `saccade`, `torch`, `torch.compile` or `numpy`. Both
libraries build the same models (`saccade.examples.models`) on the same data.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from saccade.examples.models import LlamaSize, gpt, gpt_block, perceptron, resnet18

Step = Callable[[], object]


@dataclass(frozen=True)
class TrainingCase:
    """`make(contender, device)` gives a step. `goal` is the ratio to reach: a peer's time over ours."""

    name: str
    goal: float
    make: Callable[[str, str], Step]
    peers: tuple[str, ...] = ("torch",)
    #: bytes that have to be read and written, for cases that are judged by the rate of a copy
    nbytes: int = 0


class Library:
    """What both libraries spell differently, on a device."""

    def __init__(self, contender: str, device: str) -> None:
        self.contender, self.device = contender, device
        self.ours = contender == "saccade"
        if self.ours:
            from saccade import Tensor, nn

            Tensor.manual_seed(0)
            self.nn: Any = nn
            self.optim: Any = nn.optim
        else:
            import torch

            torch.manual_seed(0)
            self.nn, self.optim = torch.nn, torch.optim

    def tensor(self, array: Any, dtype: str | None = None) -> Any:
        if self.ours:
            from saccade import Tensor

            made = Tensor(array, device=self.device)
            return (made if dtype is None else made.cast(dtype)).realize()
        import torch

        found = torch.tensor(array, device=self.device)
        return found if dtype is None else found.to(getattr(torch, dtype))

    def placed(self, model: Any, dtype: str = "float32") -> Any:
        if self.ours:
            return model.to(dtype, device=self.device)
        import torch

        return model.to(self.device, getattr(torch, dtype))

    def compiled(self, step: Callable[..., Any]) -> Callable[..., Any]:
        """jit of ours, and torch.compile where that is the contender."""
        if self.ours:
            from saccade import jit

            return jit(step)
        if self.contender == "torch.compile":
            import torch

            compiled: Callable[..., Any] = torch.compile(step)
            return compiled
        return step

    def training(self, model: Any, optimizer: Any, x: Any, y: Any) -> Step:
        """Forward, backward and update."""

        def loss_of(model: Any, x: Any, y: Any) -> Any:
            logits = model(x)
            return self.nn.functional.cross_entropy(logits.reshape(-1, logits.shape[-1]), y.reshape(-1))

        if self.ours:

            def whole(model: Any, optimizer: Any, x: Any, y: Any) -> Any:
                loss = loss_of(model, x, y)
                loss.backward()
                optimizer.step()
                optimizer.zero_grad()
                return loss

            step = self.compiled(whole)
            return lambda: step(model, optimizer, x, y).realize()
        forward = self.compiled(loss_of)

        def run() -> Any:
            optimizer.zero_grad()
            loss = forward(model, x, y)
            loss.backward()
            optimizer.step()
            return loss

        return run


def mlp(contender: str, device: str) -> Step:
    lib, rng = Library(contender, device), np.random.default_rng(0)
    model = lib.placed(perceptron(lib.nn, 784, 512, 512, 10))
    x = lib.tensor(rng.standard_normal((512, 784), dtype=np.float32))
    y = lib.tensor(rng.integers(0, 10, 512))
    return lib.training(model, lib.optim.Adam(model.parameters(), lr=1e-3), x, y)


def block(contender: str, device: str) -> Step:
    """Forward and backward of one GPT block, gradients of the input too."""
    lib, rng = Library(contender, device), np.random.default_rng(0)
    model = lib.placed(gpt_block(lib.nn, 384, 6))
    x = lib.tensor(rng.standard_normal((8, 256, 384), dtype=np.float32)).requires_grad_()

    def both(model: Any, x: Any) -> Any:
        loss = (model(x) ** 2).mean()
        loss.backward()
        grads = [tensor.grad for tensor in (x, *model.parameters())]
        for tensor in (x, *model.parameters()):
            tensor.grad = None
        return loss, grads

    if lib.ours:
        step = lib.compiled(both)
        return lambda: step(model, x)
    forward = lib.compiled(lambda model, x: (model(x) ** 2).mean())

    def theirs() -> Any:
        loss = forward(model, x)
        loss.backward()
        grads = [tensor.grad for tensor in (x, *model.parameters())]
        for tensor in (x, *model.parameters()):
            tensor.grad = None
        return loss, grads

    return theirs


def resnet_forward(contender: str, device: str) -> Step:
    lib, rng = Library(contender, device), np.random.default_rng(0)
    model = lib.placed(resnet18(lib.nn)).eval()
    x = lib.tensor(rng.standard_normal((1, 3, 224, 224), dtype=np.float32))
    if lib.ours:
        from saccade import no_grad

        step = lib.compiled(lambda model, x: model(x))

        def ours() -> Any:
            with no_grad():
                return step(model, x).realize()

        return ours
    import torch

    forward = lib.compiled(lambda x: model(x))

    def theirs() -> Any:
        with torch.no_grad():
            return forward(x)

    return theirs


def resnet_step(contender: str, device: str) -> Step:
    lib, rng = Library(contender, device), np.random.default_rng(0)
    model = lib.placed(resnet18(lib.nn))
    x = lib.tensor(rng.standard_normal((8, 3, 224, 224), dtype=np.float32))
    y = lib.tensor(rng.integers(0, 1000, 8))
    return lib.training(model, lib.optim.SGD(model.parameters(), lr=0.01, momentum=0.9), x, y)


def gpt2_step(contender: str, device: str) -> Step:
    """GPT-2 small: 12 layers, width 768, length 1024, batch 16, all in bfloat16."""
    lib, rng = Library(contender, device), np.random.default_rng(0)
    model = lib.placed(gpt(lib.nn, 50304, 1024, 768, 12, 12, tied=True), "bfloat16")
    text = rng.integers(0, 50304, (16, 1025))
    x, y = lib.tensor(text[:, :-1]), lib.tensor(text[:, 1:])
    return lib.training(model, lib.optim.AdamW(model.parameters(), lr=1e-4), x, y)


def attention_backward(contender: str, device: str) -> Step:
    """Gradients of queries, keys and values; B4 H16 S4096 D128 in bfloat16."""
    lib, rng = Library(contender, device), np.random.default_rng(0)
    made = [rng.standard_normal((4, 16, 4096, 128), dtype=np.float32) for _ in range(4)]
    q, k, v, slope = (lib.tensor(array, "bfloat16") for array in made)
    if lib.ours:
        from saccade import jit, vjp

        def gradients(q: Any, k: Any, v: Any, slope: Any) -> Any:
            return vjp(lambda *a: lib.nn.functional.scaled_dot_product_attention(*a), q, k, v)[1](slope)

        step = jit(gradients)
        return lambda: step(q, k, v, slope)
    leaves = [tensor.requires_grad_() for tensor in (q, k, v)]
    attention = lib.compiled(lib.nn.functional.scaled_dot_product_attention)

    def both() -> Any:
        attention(*leaves).backward(slope)
        grads = [leaf.grad for leaf in leaves]
        for leaf in leaves:
            leaf.grad = None
        return grads

    return both


def shapes_of_gpt(layers: int, width: int, letters: int) -> list[tuple[int, ...]]:
    """The parameters of a GPT."""
    each: list[tuple[int, ...]] = [
        (3 * width, width), (3 * width,), (width, width), (width,), (4 * width, width), (4 * width,),
        (width, 4 * width), (width,), (width,), (width,), (width,), (width,),
    ]  # fmt: skip
    return [(letters, width), (1024, width), *(each * layers), (width,), (width,)]


def update_of(shapes: list[tuple[int, ...]], name: str) -> Callable[[str, str], Step]:
    """A step of an optimiser over tensors of these shapes, which all have a gradient."""

    def make(contender: str, device: str) -> Step:
        lib = Library(contender, device)
        if lib.ours:
            from saccade import Tensor

            params = [Tensor.full(s, 0.5, device=device).realize().requires_grad_() for s in shapes]
            for param in params:
                param.grad = Tensor.full(param.shape, 0.25, device=device).realize()
        else:
            import torch

            params = [torch.full(s, 0.5, device=device, requires_grad=True) for s in shapes]
            for param in params:
                param.grad = torch.full_like(param, 0.25)
        optimizer: Any = getattr(lib.optim, name)(params, lr=1e-3)
        run: Step = optimizer.step
        return run

    return make


def nbytes_of(shapes: list[tuple[int, ...]]) -> int:
    """Parameter, gradient and both means read, three of them written: 28 bytes an element."""
    return 28 * sum(int(np.prod(shape)) for shape in shapes)


def sorting(contender: str, device: str) -> Step:
    lib = Library(contender, device)
    x = lib.tensor(np.random.default_rng(0).standard_normal(1_000_000, dtype=np.float32))
    if lib.ours:
        from saccade import jit

        step = jit(lambda x: x.sort()[0])
        return lambda: step(x).realize()
    return lambda: x.sort()


def factors(name: str) -> Callable[[str, str], Step]:
    """A factorisation of 10,000 symmetric positive matrices of 8 x 8."""

    def make(contender: str, device: str) -> Step:
        a = np.random.default_rng(0).standard_normal((10_000, 8, 8), dtype=np.float32)
        a = a @ a.transpose(0, 2, 1) + 8 * np.eye(8, dtype=np.float32)
        if contender == "numpy":
            return lambda: getattr(np.linalg, name)(a)
        lib = Library(contender, device)
        x = lib.tensor(a)
        if lib.ours:
            import saccade

            step = saccade.jit(lambda x: getattr(saccade.linalg, name)(x))
            return lambda: step(x)
        import torch

        return lambda: getattr(torch.linalg, name)(x)

    return make


def sizing(contender: str, device: str) -> Step:
    """A whole training step of Llama-3.1-8B in bfloat16 with AdamW, 2,048 tokens; for the null device."""
    import saccade
    from saccade.examples.sizing import everything, step

    saccade.Device.default = device
    given = everything(LlamaSize(), batch=1, length=2048)
    return lambda: step(*given)


TEN_MILLION: list[tuple[int, ...]] = [*([(1024, 1024)] * 9), *([(1024,)] * 9), (512, 1024)]
BILLION = shapes_of_gpt(24, 1792, 50304)
BOTH = ("torch", "torch.compile")
CPU_CASES = (
    TrainingCase("MLP 784-512-512-10, batch 512, Adam", 1.1, mlp, BOTH),
    TrainingCase("GPT block forward+backward, d384 h6 s256 b8", 1.0, block, BOTH),
    TrainingCase("ResNet-18 forward, batch 1", 1.0, resnet_forward, BOTH),
    TrainingCase("ResNet-18 training step, batch 8", 0.9, resnet_step, BOTH),
    TrainingCase("Adam, 10M parameters", 0.9, update_of(TEN_MILLION, "Adam"), nbytes=nbytes_of(TEN_MILLION)),
    TrainingCase("sort 1M float32", 1.0, sorting),
    TrainingCase("SVD of 10,000 8x8", 3.0, factors("svd"), ("numpy", "torch")),
    TrainingCase("Cholesky of 10,000 8x8", 3.0, factors("cholesky"), ("numpy", "torch")),
)
CUDA_CASES = (
    TrainingCase("GPT-2 small training step bf16, b16 s1024", 1.0, gpt2_step, BOTH),
    TrainingCase("attention backward bf16, B4 H16 S4096 D128", 0.85, attention_backward),
    TrainingCase("AdamW, 1 billion parameters", 0.9, update_of(BILLION, "AdamW"), nbytes=nbytes_of(BILLION)),
    *CPU_CASES[:2],
    CPU_CASES[3],
)
SIZING = TrainingCase("Llama-3.1-8B with AdamW, 2,048 tokens", 0.0, sizing, ())


def case_named(name: str) -> TrainingCase:
    return next(case for case in (*CPU_CASES, *CUDA_CASES, SIZING) if case.name == name)
