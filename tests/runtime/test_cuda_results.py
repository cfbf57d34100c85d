"""Results of a replayed program that were dropped are handed out again, on a driver that runs nothing."""

from __future__ import annotations

import textwrap
from pathlib import Path

from .fake_gpu import NEEDS_A_DRIVER, REPLAYED, run

pytestmark = NEEDS_A_DRIVER


def test_a_result_is_handed_out_again_when_nothing_of_it_is_held(driver: Path) -> None:
    code = """
        hold = {
            "tensor": lambda y: y,
            "node": lambda y: y.node,
            "parts": lambda y: y.node.src,
            "source": lambda y: y.node.src[0],
            "buffer": lambda y: buffer_of(y.node),
            "memory": lambda y: buffer_of(y.node)._owner,
            "sum": lambda y: y + 1,
            "view": lambda y: y.reshape(2, 4),
            "capsule": lambda y: y.__dlpack__(stream=1),
        }
        for name, of in hold.items():
            y = program(x)
            place, held = address(y), of(y)
            del y
            during = place in [address(program(x)) for _ in range(6)]
            del held
            gc.collect()
            print(name, during, place in [address(program(x)) for _ in range(6)])
        log()
        program(x)
        print(log())
    """
    *told, last = run(driver, REPLAYED + textwrap.dedent(code)).splitlines()
    assert len(told) == 9
    assert all(line.endswith(" False True") for line in told), told
    assert last == "['graph 1']"


def test_results_that_are_kept_have_memory_of_their_own(driver: Path) -> None:
    code = """
        kept = [program(x) for _ in range(10)]
        print(len({address(y) for y in kept}))
        state = x
        places = []
        for _ in range(12):                       # a state that goes round: its memory goes round too
            state = program(state)
            places.append(address(state))
        print(len(set(places[4:])), [a == b for a, b in zip(places, places[1:])].count(True))
    """
    out = run(driver, REPLAYED + textwrap.dedent(code)).splitlines()
    assert out == ["10", "2 0"]


def test_on_several_streams_memory_goes_back_to_the_allocator(driver: Path) -> None:
    code = """
        y = program(x)
        place = address(y)
        other = stream(device="cuda")
        with other:
            z = (y + 1).realize()
        del y
        log()
        with other:
            places = [address(program(x)) for _ in range(3)]
        print(place in places, [line for line in log() if "wait" in line])
        y = program(x)                            # overwrites what the other stream reads
        print(address(y) == place, [line.split()[0] for line in log()])
    """
    out = run(driver, REPLAYED + textwrap.dedent(code)).splitlines()
    assert out == ["False []", "True ['wait', 'graph']"]


def test_large_results_go_back_to_the_allocator(driver: Path) -> None:
    code = """
        large = Tensor(np.zeros(1 << 20, np.float32), device="cuda").realize()
        for _ in range(4):
            program(large)
        cached = Device["cuda"].main.memory.cached
        y = program(large)
        print(cached - Device["cuda"].main.memory.cached >> 20)
    """
    assert run(driver, REPLAYED + textwrap.dedent(code)).splitlines() == ["4"]


def test_threads_get_results_of_their_own(driver: Path) -> None:
    code = """
        import sys
        from threading import Barrier, Thread

        sys.setswitchinterval(1e-6)
        start, found = Barrier(4), []

        def work():
            start.wait()
            for _ in range(300):
                mine = [program(x), program(x)]
                found.append((address(mine[0]), address(mine[1])))
                others.append(mine)
                others.remove(mine)

        others = []
        threads = [Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(len(found), sum(a == b for a, b in found))
    """
    assert run(driver, REPLAYED + textwrap.dedent(code)).splitlines() == ["1200 0"]


def test_a_replay_that_fails_says_so(driver: Path, tmp_path: Path) -> None:
    code = """
        from saccade.runtime.cuda.errors import CudaError

        Device["cuda"].plan([Launch(kernel("faulty_store"), ((0, 0),))], 1)([address(x)])
        for _ in range(2):
            try:
                program(x)
            except CudaError as error:
                print(error.lost, "faulty_store" in str(error))
    """
    out = run(driver, REPLAYED + textwrap.dedent(code), TMPDIR=str(tmp_path)).splitlines()
    assert out == ["True True", "True True"]
