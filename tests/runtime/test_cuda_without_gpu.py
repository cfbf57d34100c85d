"""The GPU runtime on a driver that runs nothing (fake_driver.c): order, errors, memory, several devices.

Each test is a process of its own, because the driver is chosen when the process starts."""

from __future__ import annotations

import textwrap
from pathlib import Path
from types import SimpleNamespace

import pytest

from .fake_gpu import CLOCK, NEEDS_A_DRIVER, REPLAYED, run

pytestmark = NEEDS_A_DRIVER


# --- errors


def test_a_kernel_that_does_not_end_is_reported_and_given_up(driver: Path, tmp_path: Path) -> None:
    code = """
        import warnings
        from saccade.runtime.cuda.errors import CudaError

        plan = Device["cuda"].plan([Launch(kernel("endless_loop"), ((0, 0),))], 1)
        plan([address(x)])
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                Device["cuda"].queue.synchronize()
            except CudaError as error:
                print(error.lost, error)
        print(caught[0].message)
    """
    code = CLOCK + textwrap.dedent(code)
    out = run(driver, code, SACCADE_CUDA_TIMEOUT="1", TMPDIR=str(tmp_path)).splitlines()
    assert out[0].startswith("True gave up after 1 s")
    assert "endless_loop" in out[0]
    assert "has been busy" in out[1]
    assert "endless_loop" in out[1]
    (source,) = tmp_path.glob("saccade-*/failed kernels/endless_loop.cu")
    assert source.read_text() == "// endless_loop"


def test_work_that_ended_while_nobody_looked_is_not_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread without a core for longer than the limit asks once more."""
    from saccade.runtime.cuda.streams import event

    answers, times = iter([False, False, True]), iter([0.0, 1e9])
    monkeypatch.setattr(event, "time", SimpleNamespace(perf_counter=lambda: next(times)))
    event.wait_until(lambda: next(answers), str)
    assert list(answers) == list(times) == []


def test_cached_code_that_the_driver_refuses_is_compiled_again(driver: Path) -> None:
    out = run(
        driver,
        """
        from saccade.runtime.cache.cache import shared_cache
        from saccade.runtime.cuda.errors import CudaError

        device, store = Device["cuda"], shared_cache()
        source = Source("first", "// first", 1, 1, grid=1, block=32)
        store.put(compiler._key(source, device.arch), b"refused by the driver")
        device.compile([source])
        print(store.discarded, store.get(compiler._key(source, device.arch)))
        compiler.compile_cubin = lambda source, arch: b"refused as well"
        try:
            kernel("second")
        except CudaError as error:
            print(error.lost, error)
        """,
    )
    again, refused = out.splitlines()
    assert again == "1 b'no code'"
    assert refused.startswith("False loading kernel 'second' failed")


def test_a_lost_context_is_said_wherever_it_shows(driver: Path, tmp_path: Path) -> None:
    code = """
        from saccade.runtime.cuda.errors import CudaError

        device = Device["cuda"]
        device.plan([Launch(kernel("faulty_store"), ((0, 0),))], 1)([address(x)])
        for attempt in (device.queue.synchronize, lambda: device.allocate(1 << 20), x.numpy, (x + 1).realize):
            try:
                attempt()
            except CudaError as error:
                print(error.lost, error)
    """
    out = run(driver, code, TMPDIR=str(tmp_path)).splitlines()
    assert len(out) == 4
    for line in out:
        assert line.startswith("True")
        assert "illegal memory access" in line
        assert "context is lost" in line
        assert "faulty_store" in line
        assert str(tmp_path) in line


def test_each_kernel_can_be_waited_for(driver: Path) -> None:
    code = """
        device = Device["cuda"]
        names = ("good", "faulty", "innocent")
        plan = device.plan([Launch(kernel(name), ((0, 0),)) for name in names], 1)
        try:
            plan([address(x)])
        except RuntimeError as error:
            print(error)
    """
    out = run(driver, code, SACCADE_CUDA_CHECK="1")
    assert "Kernels queued last: faulty (" in out
    assert "innocent" not in out


@pytest.mark.parametrize("allowed", [True, False])
def test_kernels_begin_early_if_their_loads_see_what_is_written(driver: Path, allowed: bool) -> None:
    code = """
        Tensor.arange(1000, device="cuda").contiguous().realize()      # reads nothing
        print(driver.fake_early())
        large = Tensor.zeros(3_000_000, device="cuda").contiguous().realize()
        print(driver.fake_early())
        (large + 1).realize()                                          # reads what nobody writes
        Device["cuda"].plan([Launch(kernel("of_ones_own"), ((0, 0),))], 1)([address(x)])
        print(driver.fake_early())
        (x + 1).realize()                                              # is over in the time of a launch
        print(driver.fake_early())
    """
    out = run(driver, code, SACCADE_CUDA_OVERLAP=str(int(allowed))).split()
    assert out == (["1", "2", "2", "3"] if allowed else ["0"] * 4)


def test_who_reads_weights_first_begins_early_in_graphs_that_write_none_of_them(driver: Path) -> None:
    """One by one, kernels may begin before those of another program have ended, which may write weights."""
    code = """
        source = Source("product", "follow();", 1, 2, grid=1, block=32, settled=(1,))
        (program,) = Device["cuda"].compile([source])

        def made(*written):
            plan = Device["cuda"].plan([Launch(program, ((1, 0), (0, 0)))] * 3, 2)
            plan.inputs, plan.written = 1, written
            return plan

        def early(plan, *addresses):
            before = driver.fake_early()
            plan(addresses)
            return driver.fake_early() - before

        y = Tensor(np.ones(8, np.float32), device="cuda").realize()
        plan, weights, out = made(), address(x), address(y)
        print(early(plan, weights, out), early(plan, weights, out), early(plan, weights, weights))
        plan = made(0)
        print(early(plan, weights, out), early(plan, weights, out))
    """
    assert run(driver, code).splitlines() == ["0 3 0", "0 0"]


def test_running_out_of_memory_leaves_the_process_usable(driver: Path) -> None:
    code = """
        device = Device["cuda"]
        kept = device.allocate(10 << 20)
        freed = device.allocate(40 << 20)
        del freed
        print(device.allocate(50 << 20).nbytes >> 20)        # the kept memory had to go
        try:
            device.allocate(1 << 30)
        except MemoryError as error:
            print(error)
        print(device.memory_in_use() >> 20, x.numpy().sum())
    """
    out = run(driver, code, FAKE_BYTES=str(64 << 20)).splitlines()
    assert out[0] in ("50", "52")
    assert "1.0 GiB" in out[1]
    assert "of 64.0 MiB" in out[1]
    assert out[2] == "10 28.0"


# --- several devices


def test_a_forked_process_is_told_that_it_has_no_gpu(driver: Path) -> None:
    code = """
        import os
        from saccade.runtime.cuda.errors import CudaError

        @jit
        def step(y):
            return y * 2

        step(x), step(x)
        child = os.fork()
        if not child:
            fresh = lambda: Tensor([1.0], device="cuda").realize()
            for attempt in (x.numpy, (x + 1).realize, lambda: step(x), fresh):
                try:
                    print("gave", attempt())
                except CudaError as error:
                    print(error.lost, error, flush=True)
            os._exit(0)
        os.waitpid(child, 0)
        print(len(x.numpy()))
    """
    *out, last = run(driver, code).splitlines()
    assert last == "8"
    assert len(out) == 4
    for line in out:
        assert line.startswith("True device 'cuda:0' was opened before this process was forked")
        assert "'spawn'" in line


def test_devices_are_numbered(driver: Path) -> None:
    code = """
        for name in ("cuda:7", "cuda:2"):
            try:
                Device[name]
            except RuntimeError as error:
                print(error)
        listed = [status for status in Device.list() if "cuda" in status.name]
        print(Device.default, [status.name for status in listed], listed[1].about)
        y = Tensor([1.0, 2.0], device="cuda:1").realize()
        log()
        z = y.to("cuda").realize()
        print(z.device, z.numpy().tolist(), [line.split()[-1] for line in log() if "copy" in line])
    """
    out = run(driver, code, FAKE_GPUS="2", SACCADE_DEVICE="auto").splitlines()
    assert out[0] == "there is no 'cuda:7': this machine has 2 GPU(s), cuda:0 to cuda:1"
    assert "cuda:2" in out[1]
    assert out[2] == "cuda:0 ['cuda:0', 'cuda:1'] fake 1, 1.0 GiB, sm_90a"
    assert out[3] == "cuda:0 [1.0, 2.0] ['peer', 'out']"


# --- queues


def test_a_replay_is_one_call_of_the_driver(driver: Path) -> None:
    code = """
        kept = [program(x) for _ in range(3)]
        log()
        for _ in range(3):        # two buffers in turn
            y = program(x)
            y = program(x)
            print(log())
    """
    out = run(driver, REPLAYED + textwrap.dedent(code)).splitlines()
    assert out[2] == "['graph 1', 'graph 1']"


def test_streams_wait_for_what_they_use_and_for_nothing_else(driver: Path) -> None:
    code = """
        first, second = stream(device="cuda"), stream(device="cuda")
        with first:
            a = (x + 1).realize()
        log()
        with second:
            b = (x + 1).realize()                 # both only read x
        print("readers", [line for line in log() if "wait" in line])
        with second:
            c = (a + 1).realize()                 # written by the first stream
        print("reader", [line.split()[0] for line in log()])
        with second:
            d = (a + 2).realize()                 # it has waited for that already
        print("again", [line for line in log() if "wait" in line])
        with first:
            del a                                 # read by the second stream
            e = (x + 3).realize()                 # the same memory
        print("reuse", [line.split()[0] for line in log()])
        f = (c + e).realize()                     # the main queue, after both
        print("both", [line.split()[0] for line in log()])
        assert first.queue is not second.queue
    """
    told = dict(line.split(" ", 1) for line in run(driver, code).splitlines())
    assert told["readers"] == "[]"
    assert told["reader"] == "['wait', 'launch']"
    assert told["again"] == "[]"
    assert told["reuse"] == "['wait', 'launch']"
    assert told["both"] == "['wait', 'wait', 'launch']"


def test_events_order_streams(driver: Path) -> None:
    code = """
        first, second = stream(1, device="cuda"), stream(2, device="cuda")
        assert stream(1, device="cuda").queue is first.queue
        assert stream(0, device="cuda").queue is Device["cuda"].main
        with first, second, first:
            assert Device["cuda"].queue is first.queue
        assert Device["cuda"].queue is Device["cuda"].main
        event = first.record()
        log()
        second.wait(event)
        second.wait(first)
        second.synchronize()
        print(event.done(), second.done(), log())
    """
    assert run(driver, code).startswith("True True ['wait")


def test_memory_is_shared_by_dlpack(driver: Path) -> None:
    code = """
        y = Tensor.from_dlpack(x)
        print(address(y) == address(x), y.device, y.numpy().tolist() == x.numpy().tolist())
        print(x.__dlpack_device__(), np.from_dlpack(x.to("cpu")).tolist()[:2])
        capsule = x.__dlpack__(stream=1)
        del capsule, y
        gc.collect()
        Device["cuda"].debts.pay()
        try:
            x.__dlpack__(stream=0)
        except ValueError as error:
            print(error)
        try:
            x.__dlpack__(dl_device=(2, 1))
        except BufferError as error:
            print(error)
    """
    out = run(driver, code).splitlines()
    assert out[0] == "True cuda:0 True"
    assert out[1] == "(2, 0) [0.0, 1.0]"
    assert "ambiguous" in out[2]
    assert "(2, 1)" in out[3]


def test_an_array_of_no_elements_may_have_any_strides(driver: Path) -> None:
    """torch says (1, 1) of one of shape (37, 0)."""
    code = """
        import saccade.runtime.cuda.memory.sharing as sharing

        def nothing(capsule, unpack=sharing.unpack):
            array = unpack(capsule)
            array.shape, array.strides = (37, 0), (1, 1)
            return array

        sharing.unpack = nothing
        print(Tensor.from_dlpack(x).shape)
    """
    assert run(driver, code) == "(37, 0)\n"


def test_a_trace_shows_queues_and_copies(driver: Path) -> None:
    code = """
        from saccade import trace

        log()
        with trace() as timeline:
            with stream(device="cuda"):
                y = program(x)
            y.numpy()
        for span in timeline.spans:
            print(span.device, span.row, span.name, round(span.seconds * 1e6), sep="|")
        print([line for line in log() if "graph" in line])
    """
    out = run(driver, REPLAYED + textwrap.dedent(code)).splitlines()
    kernels = [line.split("|") for line in out if "|map" in line]
    assert len(kernels) == 3
    assert {(device, row, seconds) for device, row, _, seconds in kernels} == {("cuda:0", "stream 1", "1")}
    assert any("cuda:0|main|copy from the GPU" in line for line in out)
    assert any(line.startswith("host|MainThread|3 kernels on cuda:0") for line in out)
    assert out[-1] == "[]"  # launched one by one


# --- calls of one plan on the same memory

CALLS = """
from saccade.tensor.jit.bound import Inbox, bind

step = jit(lambda state, given: (state.flip(0) + given[:8].cast("float32"), given * 2))

def loop(queue=None):
    '''Two calls whose states are each other's, and the inboxes they take turns in.'''
    boxes = [Inbox((16,), "float64", "cuda") for _ in range(2)]
    one = step(x, boxes[0].tensor)
    two = step(one[0], boxes[1].tensor)
    calls = [bind(step, (two[0], boxes[0].tensor), one, [boxes[0]], 1),
             bind(step, (one[0], boxes[1].tensor), two, [boxes[1]], 1)]
    for call in calls * 2:
        call.run()          # the first time launches, the second captures
    return calls, boxes
"""


def test_a_bound_call_sends_and_reads_with_one_call_of_the_driver(driver: Path) -> None:
    code = """
        calls, boxes = loop()
        log()
        boxes[0].ready()
        boxes[0].array[:] = 7
        calls[0].run()
        print(log())
        print(buffer_of(boxes[0].tensor.node).numpy().tolist()[:2])      # what the kernel of the graph copied
        result = calls[0].read()
        print(result.shape, result.dtype, calls[0].read() is result, log()[1:])
        from saccade.runtime.watch.debug import listening
        with listening() as runs:
            calls[0].run()
            calls[0].read()
        print(len(runs), [line.split()[0] for line in log()])
    """
    out = run(driver, CALLS + textwrap.dedent(code)).splitlines()
    assert out[0] == "['graph 1']"
    assert out[1] == "[7.0, 7.0]"
    assert out[2] == "(16,) float64 True []"
    assert out[3] == "1 ['copy', 'launch', 'launch', 'copy']", "watched, it is like any other"


@pytest.mark.parametrize(
    ("name", "told"), [("endless_loop", "gave up after 1 s"), ("faulty_store", "illegal memory access")]
)
def test_a_result_that_does_not_come_is_given_up(driver: Path, tmp_path: Path, name: str, told: str) -> None:
    code = f"""
        from saccade.runtime.cuda.errors import CudaError

        device = Device["cuda"]
        plan = device.plan([Launch(kernel("{name}"), ((0, 0),))], 1)
        call = device.call(plan, [address(x)], [], (address(x), 32))
        call.run()
        try:
            call.read()
        except CudaError as error:
            print(error)
    """
    out = run(driver, CLOCK + textwrap.dedent(code), SACCADE_CUDA_TIMEOUT="1", TMPDIR=str(tmp_path))
    assert told in out
    assert f"queued last: {name}" in out


def test_calls_on_streams_wait_only_when_others_touch_their_memory(driver: Path) -> None:
    code = """
        def words():
            return [line.split()[0] for line in log()]

        own = stream(device="cuda")
        with own:
            calls, boxes = loop()
            for call in calls * 2:
                call.run()
        log()
        for call in calls * 2:
            call.run()
        print("alone", words())
        seen = (calls[0].outputs[0] + 1).realize()       # on the main queue, after all the stream has
        print("read", words())
        calls[0].run()                                   # writes what was read: after the reader
        print("after", words())
        for call in calls[::-1] * 2:
            call.run()
        print("again", words())
    """
    told = dict(line.split(" ", 1) for line in run(driver, CALLS + textwrap.dedent(code)).splitlines())
    assert told["alone"] == "['graph', 'graph', 'graph', 'graph']"
    assert told["read"] == "['wait', 'launch']"
    assert told["after"] == "['wait', 'graph']"
    assert told["again"] == "['graph', 'graph', 'graph', 'graph']"


def test_graphs_that_nobody_calls_are_given_back(driver: Path) -> None:
    code = """
        device = Device["cuda"]
        calls, boxes = loop()
        print(len(device.worn))
        del calls, boxes
        gc.collect()
        print(len(device.worn))
        calls, boxes = loop()
        device.debts.pay()
        print(len(device.worn), len(device.debts._open))
    """
    assert run(driver, CALLS + textwrap.dedent(code)).split("\n")[:3] == ["0", "2", "0 0"]


def test_kernels_that_nobody_has_are_unloaded(driver: Path) -> None:
    code = """
        from saccade.tensor.programs import realize

        realize._MOST_FAMILIES = 2
        realize.ready_at_any_length = lambda *_: None
        for n in range(1, 16):
            y = Tensor(np.ones(n, np.float32), device="cuda")
            (y * 2).realize()
        gc.collect()
        (x * 3).realize()
        print(log().count("unload 0"))
    """
    assert int(run(driver, textwrap.dedent(code))) >= 8  # a queue knows its last four


def test_kernels_for_memory_that_stays_keep_their_module(driver: Path) -> None:
    """They are compiled once more, for all calls of a plan, and are not unloaded between two of them."""
    code = """
        many = [Tensor(np.full(8, n, np.float32), device="cuda").realize() for n in range(9)]
        add = jit(lambda *xs: (sum(xs[1:], xs[0]) * 0.5, xs[0] + xs[8]))
        results = [add(*many) for _ in range(2)]
        first = bind(add, tuple(many), results[0])
        first.run(); first.run()
        for n in range(5):
            (Tensor(np.ones(20 + n, np.float32), device="cuda") * 7).realize()
            gc.collect()
        second = bind(add, tuple(many), results[1])
        second.run(); second.run()
        print("ran")
    """
    assert run(driver, CALLS + textwrap.dedent(code)).strip() == "ran"


def test_numbers_of_a_call_are_the_arguments_of_a_kernel(driver: Path) -> None:
    code = """
        for n in range(2, 8):
            y = x * n
            if n == 7:
                log()
            y.realize()
        print(log())
        f = jit(lambda x, n: x * n)
        for n in range(6):
            if n == 5:
                log()
            f(x, n)
        print(log())
    """
    told = run(driver, textwrap.dedent(code)).splitlines()
    assert told[0] == told[1] == "['launch 1 write_table', 'launch 1 map_8']"  # no copy, no event, no wait


def test_a_searched_function_replays_what_was_found(driver: Path, tmp_path: Path) -> None:
    told = run(
        driver,
        """
        import sys
        from pathlib import Path
        from saccade.codegen.cuda.search.bench import GpuBench
        from saccade.runtime.cache import searched

        GpuBench.seconds = lambda bench, program, most=0: 1 / program.source.block  # nothing runs here
        loaded = []
        load = Device["cuda"]._load
        Device["cuda"]._load = lambda source, code: loaded.append(source) or load(source, code)

        def chain(y):
            for _ in range(3):
                y = (y.flip(0) + 1).contiguous()
            return y

        y = Tensor(np.ones(5000, np.float32), device="cuda").realize()
        plain, better = jit(chain), jit(chain, search=30.0)
        for step in (plain, better):
            step(y)
            print(loaded[-1].block)  # of the program, after those that were tried
            step(y)
            step(y)
            print(log()[-1])
        path, target = Path(sys.argv[1]), searched.target_of("cuda:0")
        print(searched.write_file(path, target), searched.import_file(path, [target])[0])
        """,
        str(tmp_path / "found.json"),
    )
    before, replayed, after, again, results = told.splitlines()
    assert int(before) < int(after) == 1024
    assert replayed == again == "graph 1"
    assert results == "1 fake 0 sm_90a"
