"""What becomes one kernel, why a boundary is there, and that kernels come in an order that works."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from saccade import Tensor
from saccade.fuzz.programs.draw import draw
from saccade.graph import dtypes
from saccade.graph.dtypes import DType
from saccade.graph.kernels.kernel import range_size
from saccade.graph.node import Node
from saccade.graph.ops import Op
from saccade.graph.verify import verify
from saccade.schedule.cost import CPU, GPU, Machine
from saccade.schedule.kernel_graph import ARENA, KernelGraph
from saccade.schedule.limits import MOST_JOINED, MOST_LOADS, MOST_OF_PLACES, OPERATIONS
from saccade.schedule.schedule import schedule
from tests.schedule.programs import inputs, scheduled


def chain(x: Tensor) -> Tensor:
    return ((((x * 2 + 1).relu() - 3).abs() * 0.5).minimum(4.0) + x).tanh()


def attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return ((q @ k.transpose(-1, -2)) * 0.125).softmax(-1) @ v


ONE_KERNEL: dict[str, tuple[Callable[..., Any], list[tuple[int, ...]]]] = {
    "8 elementwise ops": (chain, [(1 << 20,)]),
    "softmax": (lambda x: x.softmax(-1), [(512, 1024)]),
    "log softmax": (lambda x: x.log_softmax(-1), [(512, 1024)]),
    "layer norm": (lambda x, w, b: x.layer_norm((1024,), w, b), [(512, 1024), (1024,), (1024,)]),
    "convolution, bias, relu": (
        lambda x, w, b: x.conv2d(w, b, padding=1).relu(), [(2, 16, 28, 28), (16, 16, 3, 3), (16,)]
    ),
    "matrix product, bias, gelu": (lambda x, y, b: (x @ y + b).gelu(), [(256, 128), (128, 256), (256,)]),
    "attention": (attention, [(1, 8, 1024, 64)] * 3),
    "normalised matrix product": (lambda x, y: x.layer_norm((16,)) @ y, [(32, 16), (16, 32)]),
    "nearest neighbours": (
        lambda x, y: ((x.unsqueeze(1) - y) ** 2).sum(-1).topk(3, -1, largest=False), [(1000, 3), (500, 3)]
    ),
}  # fmt: skip


@pytest.mark.parametrize("dtype", [dtypes.float32, dtypes.float16, dtypes.bfloat16], ids=str)
@pytest.mark.parametrize("name", ONE_KERNEL)
def test_is_one_kernel(name: str, dtype: DType) -> None:
    build, shapes = ONE_KERNEL[name]
    assert len(scheduled(build, *shapes, dtype=dtype).items) == 1


@pytest.mark.parametrize(
    ("rows", "into", "hidden", "out", "kernels"),
    [
        (456, 128, 512, 128, 2),
        (4096, 8, 512, 512, 2),
        (898, 64, 256, 64, 1),
        (8192, 16, 64, 16, 1),
        (8192, 24, 33, 24, 1),
        (12, 128, 128, 128, 2),  # too few rows for a block: one by one
        (4, 16, 32, 8, 1),
    ],
)
def test_two_products_are_one_kernel_where_their_blocks_stay_in_the_first_cache(
    rows: int, into: int, hidden: int, out: int, kernels: int
) -> None:
    """One thread of AVX-512: the first takes 1,232 us as one kernel, 1,034 as two, the last 281 and 729."""
    shapes = [(rows, into), (into, hidden), (hidden, out)]
    assert len(scheduled(lambda x, a, b: (x @ a).relu() @ b, *shapes).items) == kernels


@pytest.mark.parametrize("keys", [77, 100, 333, 512])
def test_scores_stay_in_a_tile(keys: int) -> None:
    shapes = [(16, keys, 64)] * 3
    assert len(scheduled(attention, *shapes).items) == 1


def test_distances_from_a_mean_are_made_again_from_what_is_in_the_cache() -> None:
    """Storing them moves as much again as the whole norm: 2.5 ms of one thread, 1.0 without."""
    made = scheduled(lambda x, w, b: x.group_norm(8, w, b), (8, 64, 56, 56), (64,), (64,))
    assert len(made.items) == 1


def test_normalised_rows_of_a_large_product_are_stored() -> None:
    """In a tile they would be made a few at a time, and again for each panel: on one thread of a Cascade Lake
    this one took 470 to 710 us so, and takes 290 to 460."""
    _, product = scheduled(lambda x, y: x.layer_norm((256,)) @ y, (256, 256), (256, 256)).items
    assert sum(n.op is Op.FOLD for n in product.kernel.nodes) == 1


@pytest.mark.parametrize("axis", [0, 1, (0, 2)])
def test_norms_written_out_are_one_kernel_along_any_axis(axis: Any) -> None:
    def softmax(x: Tensor) -> Tensor:
        weights = (x - x.amax(axis, keepdim=True)).exp()
        return weights / weights.sum(axis, keepdim=True)

    def norm(x: Tensor) -> Tensor:
        apart = x - x.mean(axis, keepdim=True)
        return apart / ((apart**2).mean(axis, keepdim=True) + 1e-5).sqrt()

    for build in (softmax, norm):
        assert len(scheduled(build, (33, 65, 7)).items) == 1


def test_means_of_the_columns_of_a_large_matrix_are_stored() -> None:
    """The rest goes along rows then; of a small one, or one mean for each row, it is one kernel."""
    for axis, rows, stored in ((0, 8192, True), (1, 8192, False), (0, 256, False)):
        made = scheduled(lambda x, axis=axis: x - x.mean(axis, keepdim=True), (rows, 128))
        assert (len(made.items) > 1) == stored


def test_rows_as_long_as_a_vocabulary_are_one_kernel() -> None:
    for build in (ONE_KERNEL["softmax"][0], lambda x: x.layer_norm((50257,))):
        assert len(scheduled(build, (64, 50257)).items) == 1


def test_a_factor_worked_out_does_not_turn_the_loops_of_a_product() -> None:
    plain = scheduled(lambda x, y: x @ y, (64, 96), (96, 128)).items[0].kernel.order
    for build in (lambda x, y: x.relu() @ y, lambda x, y: x @ (y * 2 + 1)):
        made = scheduled(build, (64, 96), (96, 128)).items
        assert [r.src[0].arg for r in made[0].kernel.order] == [r.src[0].arg for r in plain]


def test_a_value_read_by_two_far_apart_is_stored_once() -> None:
    made = scheduled(lambda x: ((y := (x @ x).exp()) @ x, y @ y), (96, 96))
    stored = [item for item in made.items if item.params[0][0] == ARENA]
    assert len(made.items) == 3
    assert len(stored) == 1


def test_masks_and_places_made_of_what_is_stored_are_made_again() -> None:
    """Moving many columns: neither the mask of a stored count nor the index in range is stored."""

    def moved(flags: Tensor, *columns: Tensor) -> list[Tensor]:
        ones = flags.cast("int32")
        count = ones.sum(-1).cast("int32").contiguous()
        order = Tensor.zeros(12, 4800, dtype="int32").scatter_add(-1, ones.cumsum(-1), ones)
        mask = Tensor.arange(4800, dtype="int32") < count.unsqueeze(-1)
        index = order.clip(0, 4799)
        return [c.gather(-1, index).where(mask, Tensor.empty(())) for c in columns]

    made = scheduled(moved, *[(12, 4800)] * 10)
    stored = [item.kernel.params[slot][0].name for item in made.items for slot in item.kernel.outputs]
    assert stored.count("float32") == 9
    # the count, and the order: filled, then written while the sum runs
    assert stored.count("int32") == 3
    assert len(stored) == 9 + 3


def test_what_all_places_share_is_read_without_the_mask_of_padding() -> None:
    """A number for each channel is there wherever its pixels are: a mask for each lane of it would be as many
    loads as lanes."""

    def normal(x: Tensor, mean: Tensor, scale: Tensor) -> Tensor:
        return ((x - mean) * scale).relu().pad((1, 1, 1, 1))

    (item,) = scheduled(normal, (2, 5, 9, 9), (5, 1, 1), (5, 1, 1)).items
    masked = [n for n in item.kernel.nodes if n.op is Op.LOAD and len(n.src) == 3]
    assert [n.src[0].arg.size for n in masked] == [2 * 5 * 9 * 9]


def test_every_kernel_says_why_it_is_one() -> None:
    for seed in range(80):
        program = draw(seed)
        for item in schedule(program.roots, len(program.inputs)).items:
            assert item.kernel.reason


def test_kernels_are_well_formed_and_loops_are_used() -> None:
    for seed in range(80, 140):
        program = draw(seed)
        for item in schedule(program.roots, len(program.inputs)).items:
            if item.kernel.sink.src[0].op is not Op.SORT:
                verify(item.kernel.sink, "kernel", loops=item.kernel.order)
                assert set(item.kernel.order) == set(item.kernel.sink.ranges)


def written_and_read(made: KernelGraph) -> None:
    """Every byte a kernel reads was written by a kernel before it, whole, and by nothing else since."""
    owner: dict[int, tuple[int, int]] = {}  # arena byte -> (kernel that wrote it, offset of what it wrote)
    done: set[int] = set()
    for number, item in enumerate(made.items):
        outputs = set(item.kernel.outputs)
        for slot, (where, offset) in enumerate(item.params):
            dtype, size = item.kernel.params[slot]
            if slot in outputs:
                continue
            if where == ARENA:
                owners = {owner.get(byte) for byte in range(offset, offset + size * dtype.itemsize)}
                assert len(owners) <= 1
                assert None not in owners
                assert all(o is None or o[1] == offset for o in owners)
            elif where >= made.inputs:
                assert where in done, "an output is read before it is written"
        for slot in outputs:
            where, offset = item.params[slot]
            dtype, size = item.kernel.params[slot]
            done.add(where)
            if where == ARENA:
                owner |= dict.fromkeys(range(offset, offset + size * dtype.itemsize), (number, offset))
                assert offset + size * dtype.itemsize <= made.arena


def test_intermediates_are_whole_when_they_are_read() -> None:
    made = 0
    for seed in range(300):
        program = draw(seed)
        if sum(given.size for given in program.inputs) < 3000:
            plan = schedule(program.roots, len(program.inputs))
            written_and_read(plan)
            made += plan.arena > 0
    assert made > 20


def test_memory_is_used_again() -> None:
    """A long chain of products needs two places, not one for each."""

    def chain_of_products(x: Tensor) -> Tensor:
        for _ in range(8):
            x = (x @ x).contiguous()
        return x

    made = scheduled(chain_of_products, (64, 64))
    assert len(made.items) == 8
    assert made.arena == 2 * 64 * 64 * 4


# --- assignment


def test_an_assignment_does_not_reach_what_was_made_before() -> None:
    x = Tensor(np.arange(6.0, dtype=np.float32))
    before = x + 1
    x[2:4] = 0
    assert before.tolist() == [1, 2, 3, 4, 5, 6]
    assert x.tolist() == [0, 1, 0, 0, 4, 5]


def test_an_assignment_from_itself_reads_the_old_values() -> None:
    x = Tensor(np.arange(6.0, dtype=np.float32))
    x[1:] = x[:-1]
    assert x.tolist() == [0, 0, 1, 2, 3, 4]
    x[:] = x.flip(0)
    assert x.tolist() == [4, 3, 2, 1, 0, 0]


def test_assignments_happen_in_order() -> None:
    x = Tensor(np.zeros(4, np.float32))
    seen = []
    for step in range(4):
        x[step] = step + 1
        seen.append((x * 1).sum())
    x += 10
    assert [s.item() for s in seen] == [1, 3, 6, 10]
    assert x.tolist() == [11, 12, 13, 14]


def test_duplicate_updates_are_written_in_order() -> None:
    index = np.array([1, 1, 0, 1], np.int64)
    out = Tensor(np.zeros(3, np.float32)).scatter(0, Tensor(index), Tensor(np.float32([1, 2, 3, 4])))
    assert out.tolist() == [3, 4, 0]


def test_a_product_of_large_weights_is_stored_and_one_of_small_weights_is_a_tile() -> None:
    """A tile for a few rows would read the weights again for every block of them."""

    def mlp(x: Tensor, up: Tensor, down: Tensor) -> Tensor:
        return (x @ up).gelu() @ down

    assert len(scheduled(mlp, (256, 512), (512, 2048), (2048, 512)).items) == 2
    assert len(scheduled(mlp, (256, 64), (64, 256), (256, 64)).items) == 1
    # of either product, and also from the second cache
    assert len(scheduled(mlp, (256, 8), (8, 512), (512, 512)).items) == 2
    assert len(scheduled(mlp, (256, 120), (120, 1024), (1024, 120)).items) == 2
    assert len(scheduled(mlp, (256, 120), (120, 120), (120, 120)).items) == 1


def test_two_long_products_of_a_map_do_not_share_a_kernel() -> None:
    made = scheduled(lambda x, a, b: (x @ a).silu() * (x @ b), (128, 512), (512, 256), (512, 256))
    assert len(made.items) == 2


def test_a_product_of_halves_is_stored_as_rounded() -> None:
    """What sums of its rows read is half as long then."""
    shapes = (1024, 256), (256, 1000)
    made = scheduled(lambda x, w: (x @ w).relu().sum(1), *shapes, dtype=dtypes.bfloat16, machine=GPU)
    assert [item.kernel.params[0][0] for item in made.items] == [dtypes.bfloat16] * 2


def test_parts_of_a_long_product_do_not_share_a_kernel() -> None:
    """As the gates of a cell: a tile of registers has one pair of factors."""

    def cell(x: Tensor, a: Tensor) -> Tensor:
        keep, new, out = (x @ a)[:, :256], (x @ a)[:, 256:512], (x @ a)[:, 512:]
        return keep.sigmoid() * new.tanh() + out

    made = scheduled(cell, (128, 256), (256, 768))
    assert [sum(n.op is Op.FOLD for n in item.kernel.nodes) for item in made.items] == [1, 0]


@pytest.mark.parametrize("machine", [CPU, GPU], ids=["cpu", "gpu"])
def test_what_is_fetched_at_fetched_places_is_stored_before_it_doubles_too_often(machine: Machine) -> None:
    """x = x[x], eight times, would be 256 loads in a row: each step computes the one before it twice."""
    (x,) = inputs((64,), dtype=dtypes.int64)
    for _ in range(8):
        x = x.gather(0, x % 64)
    made = schedule((x.node,), 1, machine)
    assert 2 <= len(made.items) <= 8
    assert any("loads in a row" in item.reason for item in made.items)
    for item in made.items:
        loads: dict[Node, int] = {}
        for node in item.kernel.nodes:
            loads[node] = (node.op is Op.LOAD) + max([loads[s] for s in node.src], default=0)
        assert max(loads.values()) <= 2 * MOST_LOADS


@pytest.mark.parametrize("machine", [CPU, GPU], ids=["cpu", "gpu"])
def test_a_binary_search_of_what_stays_in_a_cache_is_one_kernel(machine: Machine) -> None:
    """Each step is a load of memory as it is, at a place that the one before found: none is made twice."""
    edges, x, far = inputs((4096,), (5000,), (1 << 24,))
    (item,) = schedule((edges.searchsorted(x).node,), 3, machine).items
    assert sum(n.op is Op.LOAD for n in item.kernel.nodes) == 13 + 1
    assert len(schedule((far.searchsorted(x).node,), 3, machine).items) > 1


@pytest.mark.parametrize("machine", [CPU, GPU], ids=["cpu", "gpu"])
def test_a_chain_of_views_is_stored_before_its_places_are_endless(machine: Machine) -> None:
    """Turned and reshaped again and again, nothing simplifies: 40 in one kernel took 5 s to compile."""
    (x,) = inputs((3, 4))
    for _ in range(100):
        x = x.T.reshape(3, 4).flip(0).pad((0, 0, 1, 1))[1:-1]
    made = schedule((x.node,), 1, machine)
    assert 5 <= len(made.items) <= 40
    assert any("operations in a row" in item.reason for item in made.items)
    assert len({item.kernel for item in made.items}) < len(made.items) / 2  # equal ones are compiled once


def test_a_value_that_is_read_twice_by_each_view_does_not_double_for_ever() -> None:
    """A roll reads what it rolls twice, so ten of them in one kernel would be 1,024 places."""
    (x,) = inputs((3, 4))
    for _ in range(10):
        x = x.roll(1, 1).T.reshape(3, 4)
    made = schedule((x.node,), 1)
    assert all(len(item.kernel.nodes) < 4 * MOST_OF_PLACES for item in made.items)


def test_functions_count_for_what_compiling_them_takes() -> None:
    def waves(x: Tensor) -> Tensor:
        total = x
        for n in range(300):
            total = total + (x * float(n)).sin()
        return total

    made = scheduled(waves, (16,))
    sines = [sum(node.op is Op.SIN for node in item.kernel.nodes) for item in made.items]
    assert sum(sines) == 300
    assert max(sines) <= MOST_JOINED / OPERATIONS[Op.SIN]


# --- places that are arithmetic


def rolled(x: Tensor, by: int) -> Tensor:
    """x (n, m) with row i at place i + by, by a gather."""
    n = x.shape[0]
    return x.index_select(0, (Tensor.arange(n) + (n - by)) % n)


def test_a_gather_at_places_that_are_arithmetic_is_movement() -> None:
    plan = scheduled(lambda x: rolled(x * 2, 3), (8, 64))
    (item,) = plan.items
    loads = [n for n in item.kernel.nodes if n.op is Op.LOAD]
    assert [n.dtype for n in loads] == [dtypes.float32]
    x = np.random.default_rng(0).standard_normal((8, 64)).astype("float32")
    np.testing.assert_array_equal(rolled(Tensor(x), 3).numpy(), np.roll(x, 3, 0))


def test_a_gather_behind_many_gathers_is_looked_at_once() -> None:
    """As in a binary search, every place is read three times by the next: 3 ** 40 ways lead down."""

    def search(x: Tensor) -> Tensor:
        place = Tensor.arange(4, dtype="int64") * 2
        for _ in range(40):
            place = (place + 1).minimum(63).where(x.take(place) < 3, place)
        return place

    x = np.arange(64)
    np.testing.assert_array_equal(search(Tensor(x)).numpy(), [3, 3, 4, 6])


def test_places_of_much_arithmetic_are_read_from_memory() -> None:
    def far(x: Tensor) -> Tensor:
        place = Tensor.arange(8)
        for n in range(400):
            place = (place * place + n) % 8
        return x.take(place)

    place = np.arange(8)
    for n in range(400):
        place = (place * place + n) % 8
    np.testing.assert_array_equal(far(Tensor(np.arange(8))).numpy(), place)


@pytest.mark.parametrize("shape", [(40, 8, 16), (3, 6, 5), (40, 7, 16), (1, 2, 1)])
def test_values_read_from_both_ends_are_a_tile(shape: tuple[int, ...]) -> None:
    """What is summed for pairs (i, n - 1 - i), and read for both of them, stays in the kernel."""
    n = shape[1]
    pairs = (n + 1) // 2

    def program(x: Tensor) -> Tensor:
        first, last = x[:, :pairs], x.flip(1)[:, :pairs]
        weight = ((first * last).tanh() + 2).sqrt() / (first + last)
        place = Tensor.arange(n)
        pair = place.minimum(n - 1 - place).minimum(pairs - 1)
        return x * weight.index_select(1, pair) + x.flip(1)

    x = np.random.default_rng(0).random(shape).astype("float32") + 1
    first, last = x[:, :pairs], x[:, ::-1][:, :pairs]
    weight = np.sqrt(np.tanh(first * last) + 2) / (first + last)
    pair = np.minimum(np.arange(n), n - 1 - np.arange(n))
    np.testing.assert_allclose(program(Tensor(x)).numpy(), x * weight[:, pair] + x[:, ::-1], rtol=1e-5)
    if shape[0] == 40:
        assert len(scheduled(program, shape).items) == 1


def test_sums_that_are_apart_in_memory_are_made_side_by_side(rng: np.random.Generator) -> None:
    """A norm over channels asks a depthwise convolution for all channels of a place, and channels come last:
    one place after the other no two sums would be neighbours."""

    def block(x: Tensor, w: Tensor, up: Tensor) -> Tensor:
        made = x.conv2d(w, padding=3, groups=x.shape[1]).permute(0, 2, 3, 1)
        return made.layer_norm(made.shape[3]) @ up

    first = scheduled(block, (1, 33, 29, 29), (33, 1, 7, 7), (33, 132)).items[0].kernel
    assert [range_size(r) for r in first.order] == [33, 29, 29]
    x, w, up = (rng.normal(size=size).astype(np.float32) for size in ((1, 5, 9, 7), (5, 1, 7, 7), (5, 3)))
    padded, sums = np.pad(x[0], ((0, 0), (3, 3), (3, 3))), np.zeros((5, 9, 7))
    for i, j in np.ndindex(7, 7):
        sums += padded[:, i : i + 9, j : j + 7] * w[:, 0, i, j, None, None]
    wanted = (sums - sums.mean(0)) / np.sqrt(sums.var(0) + 1e-5)
    made = block(Tensor(x), Tensor(w), Tensor(up)).numpy()
    np.testing.assert_allclose(made[0], wanted.transpose(1, 2, 0) @ up, atol=1e-4)


def test_a_convolution_behind_a_convolution_reads_a_padded_copy() -> None:
    """What is padded is a sum, of which it is known too late that it is stored: a tile of it would become a
    mask of every factor."""
    x, a, b = inputs((8, 128, 14, 14), (128, 128, 3, 3), (128, 128, 3, 3))
    y = x.conv2d(a, padding=1).relu().conv2d(b, padding=1)
    items = schedule((y.node,), 3, replace(CPU, pads_in_tiles=False)).items
    assert len(items) == 4, "two copies and two convolutions"
    assert not any(n.op is Op.STAGE for item in items for n in item.kernel.nodes)
