"""Tiles of float32 products on a card: the microseconds of each, for products of many shapes.

    python -m bench.gpu_tiles

Kernels alone by device events (captured graphs, inputs in turns), products in one part. What it prints is
what `codegen/cuda/templates/product/match.py` chooses by; run it on another card to see whether that holds
there.
"""

from __future__ import annotations

import numpy as np

from saccade import Tensor
from saccade.codegen.compile import card_of
from saccade.codegen.cuda.search.bench import GpuBench
from saccade.codegen.cuda.search.moves import THREADS, Multiply
from saccade.codegen.cuda.source import laid_out
from saccade.codegen.cuda.templates.product.tiles import COPIED_TILES
from saccade.graph.kernels.kernel import Kernel
from saccade.schedule.products import split_products
from saccade.tensor.programs.form import canonical
from saccade.tensor.programs.prepare import scheduled

DEVICE = "cuda:0"
STAGES = 2
#: rows, columns, sum
SHAPES = (
    (512, 49, 256), (512, 49, 2304), (256, 196, 1152), (128, 784, 576), (256, 256, 256), (512, 512, 512),
    (64, 4096, 1024), (200, 3000, 500), (768, 768, 768), (1000, 1000, 1000), (1024, 1024, 1024),
    (2048, 512, 1024), (1300, 1300, 1300), (1536, 1536, 512), (3000, 3000, 300), (4096, 512, 4096),
    (2048, 2048, 2048), (4096, 4096, 4096),
)  # fmt: skip


def product(m: int, n: int, k: int) -> Kernel:
    """The kernel of a product in one part."""
    a, b = (Tensor(np.zeros(shape, "float32"), device=DEVICE) for shape in ((m, k), (k, n)))
    form, _ = canonical([(a @ b).node])
    return scheduled(form, DEVICE).items[-1].kernel


def times(kernel: Kernel) -> dict[Multiply, float]:
    """Seconds by tile; each must give what the chosen one gives."""
    card, bench = card_of(DEVICE), GpuBench(kernel, DEVICE)
    moves = [Multiply(THREADS, t.rows, t.columns, t.depth, STAGES, t.together) for t in COPIED_TILES]
    first, *others = bench.compiled([laid_out(kernel, card, move).source for move in (None, *moves)])
    if isinstance(first, Exception):
        raise first
    bench.expect(first)
    found = {}
    for move, program in zip(moves, others, strict=True):
        if isinstance(program, Exception):
            raise program
        bench.check(program)
        seconds = bench.seconds(program)
        assert seconds is not None
        found[move] = seconds
    return found


def main() -> None:
    split_products.LEAST_SUM = 1 << 60  # in one part
    names = [f"{tile.rows}x{tile.columns}" for tile in COPIED_TILES]
    print(f"| m, n, k | {' | '.join(names)} | chosen |\n|{'---|' * (len(names) + 2)}")
    for shape in SHAPES:
        kernel = product(*shape)
        chosen = laid_out(kernel, card_of(DEVICE)).move
        assert isinstance(chosen, Multiply)
        cells = [", ".join(map(str, shape)), *(f"{seconds * 1e6:.1f}" for seconds in times(kernel).values())]
        print("|", " | ".join([*cells, f"{chosen.rows}x{chosen.columns}"]), "|", flush=True)


if __name__ == "__main__":
    main()
