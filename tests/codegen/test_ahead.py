"""What blocks ask the second cache for before they wait: their shares of a matrix, all of it, and no more."""

from __future__ import annotations

from saccade.codegen.cuda.search.moves import Card
from saccade.codegen.cuda.source import gpu_code, laid_out
from saccade.codegen.cuda.templates.sections.source import sections_source
from saccade.graph import dtypes

from .test_gpu_search import kernel_of


def test_blocks_share_a_matrix_that_is_read_once() -> None:
    kernel = kernel_of(lambda w, x: (w * x).sum(1), (2048, 512), (1, 512))
    code = gpu_code(kernel)
    ((slot, share),) = code.ahead
    assert kernel.params[slot] == (dtypes.float32, 2048 * 512)
    assert share * code.grid == 2048 * 512 * 4
    assert code.early


def test_a_matrix_that_is_read_again_is_not_asked_for() -> None:
    kernel = kernel_of(lambda w, x: (w.unsqueeze(0) * x.unsqueeze(1)).sum(2), (4096, 512), (3, 512))
    assert not any(slot for slot, _ in gpu_code(kernel).ahead)


def test_a_kernel_asks_before_it_waits() -> None:
    kernel = kernel_of(lambda w, x: (w * x).sum(1) + 1, (1024, 1024), (1, 1024))
    text = laid_out(kernel, Card()).source.text.split("__global__")[1]
    assert text.index("ahead(") < text.index("follow();")
    assert "_once" not in text


def test_a_kernel_bound_by_memory_asks_for_nothing() -> None:
    code = gpu_code(kernel_of(lambda w, x: (w * x).sum(1), (16384, 1024), (1, 1024)))
    assert not code.ahead
    assert not code.early


def test_a_large_packed_matrix_begins_early_all_the_same() -> None:
    shapes = (16384, 1024), (1, 1024)
    kernel = kernel_of(lambda w, x: ((w & 15) * x).sum(1), *shapes, dtype=dtypes.int32)
    assert gpu_code(kernel).early


def test_all_sections_of_a_launch_read_alike() -> None:
    """One that may begin early by itself, beside one that may not, reads through the read-only cache."""
    small, large = (gpu_code(kernel_of(lambda x: x.sum(1), (rows, 128))) for rows in (64, 1 << 16))
    assert (small.early, large.early) == (True, False)
    text = sections_source("both", [(small, (0, 1)), (large, (2, 3))], 4).text.split("__global__")[1]
    assert "follow();" not in text
    assert text.count("load_once") + text.count("load_many_once") > 0
    assert "load_many<" not in text
    assert "= *(" not in text


def test_rows_that_are_reduced_alone_are_not_asked_for() -> None:
    assert not gpu_code(kernel_of(lambda x: x.softmax(1), (1024, 1024))).ahead
