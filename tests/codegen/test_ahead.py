"""What blocks ask the second cache for before they wait: their shares of a matrix, all of it, and no more."""

from __future__ import annotations

from saccade.codegen.cuda.search.moves import Card
from saccade.codegen.cuda.source import gpu_code, laid_out
from saccade.graph import dtypes

from .test_gpu_search import kernel_of


def test_blocks_share_a_matrix_that_is_read_once() -> None:
    kernel = kernel_of(lambda w, x: (w * x).sum(1), (4096, 512), (1, 512))
    code = gpu_code(kernel)
    ((slot, share),) = code.ahead
    assert kernel.params[slot] == (dtypes.float32, 4096 * 512)
    assert share * code.grid == 4096 * 512 * 4
    assert code.early


def test_a_matrix_that_is_read_again_is_not_asked_for() -> None:
    kernel = kernel_of(lambda w, x: (w.unsqueeze(0) * x.unsqueeze(1)).sum(2), (4096, 512), (3, 512))
    assert not any(slot for slot, _ in gpu_code(kernel).ahead)


def test_a_kernel_that_asks_begins_early_and_reads_nothing_through_the_read_only_cache() -> None:
    kernel = kernel_of(lambda w, x: (w * x).sum(1) + 1, (16384, 1024), (1, 1024))  # 64 MB
    text = laid_out(kernel, Card()).source.text.split("__global__")[1]
    assert text.index("ahead(") < text.index("follow();")
    assert "_once" not in text
