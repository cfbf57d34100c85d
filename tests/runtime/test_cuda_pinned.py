"""What is sent to a GPU goes through a ring of pinned memory: nobody waits before it is full."""

from __future__ import annotations

from pathlib import Path

from .fake_gpu import CLOCK, NEEDS_A_DRIVER, run

pytestmark = NEEDS_A_DRIVER

#: sends arrays of some sizes (in elements of 8 bytes) and compares; `behind` a kernel that ends when somebody
#: waits for it
SEND = (
    CLOCK
    + """
import logging
import saccade.runtime.cuda.memory.pinned as pinned

device = Device["cuda"]
queue = device.main
tiny = device.plan([Launch(kernel("tiny"), ((0, 0),))], 1)
told = []
logging.getLogger(pinned.__name__).setLevel(logging.DEBUG)
logging.getLogger(pinned.__name__).addFilter(lambda record: told.append(record.getMessage()))

def busy():
    device.settle()
    hold()
    tiny([address(x)])
    assert not queue.idle()

def send(sizes, behind=False):
    '''The waits it took, and whether all that was sent arrived.'''
    arrays = [np.random.default_rng(n).integers(0, 1 << 60, size) for n, size in enumerate(sizes)]
    sources, blocks = [a.copy() for a in arrays], [device.allocate(a.nbytes) for a in arrays]
    waits = queue.sent.waits
    if behind:
        busy()
    for source, block in zip(sources, blocks):
        queue.copy_in(block.address, source.ctypes.data, source.nbytes)
        source[:] = -1  # it is the caller's again
    waited = queue.sent.waits - waits
    device.settle()
    return waited, all((arrived(b, len(a)) == a).all() for a, b in zip(arrays, blocks))

def arrived(block, size):
    return np.ctypeslib.as_array((ctypes.c_int64 * size).from_address(block.address))
"""
)


def test_little_is_sent_without_waiting(driver: Path) -> None:
    code = """
        print(*send([5] * 500))
        print(*send([1, 40, 7000, 3] * 100, behind=True), told)
        random = np.random.default_rng(0)
        for turn in range(20):                              # round and round, with what is not copied yet
            print(*send(random.integers(1, 30_000, 30), behind=True))
    """
    out = run(driver, SEND + code.replace("\n        ", "\n")).splitlines()
    assert out == ["0 True", "0 True []", *["0 True"] * 20]


def test_a_full_ring_waits_for_its_oldest_copies(driver: Path) -> None:
    code = """
        whole = pinned.RING_BYTES // 8
        for sizes in ([whole // 4] * 5, [whole // 2, whole // 2, 1], [3 * whole], [1, whole, whole // 3] * 2):
            waited, all_there = send(sizes, behind=True)
            print(waited > 0, all_there, len(told) == waited)
            told.clear()
        print(*send([whole // 2, whole // 2 - 16], behind=True))    # as much as there is
        print(*send([1]))
    """
    out = run(driver, SEND + code.replace("\n        ", "\n")).splitlines()
    assert out == [*["True True True"] * 4, "0 True", "0 True"]


def test_reading_does_not_hold_up_sending(driver: Path) -> None:
    """A thread waits for a result behind a kernel that takes long; another one sends meanwhile."""
    code = """
        import threading
        send([4])
        busy()
        waiting, sent = threading.Event(), threading.Event()

        def read():
            print("read", x.numpy().sum())

        def during():  # the reader waits: the kernel ends when the other thread has sent
            waiting.set()
            sent.wait()
            driver.fake_release()

        clock.during = during
        reader = threading.Thread(target=read)
        reader.start()
        source = np.arange(4)
        block = device.allocate(32)
        waiting.wait()
        queue.copy_in(block.address, source.ctypes.data, 32)
        print("sent")
        sent.set()
        reader.join()
    """
    assert run(driver, SEND + code.replace("\n        ", "\n")).splitlines() == ["sent", "read 28.0"]


def test_a_piece_whose_copy_failed_is_used_again_when_the_queue_is_empty(driver: Path) -> None:
    code = """
        send([4])
        source, block = np.arange(4), device.allocate(32)
        busy()
        driver.fake_fault(b"refuse", ctypes.c_long(1), ctypes.c_long(0))  # the event behind the copy
        try:
            queue.copy_in(block.address, source.ctypes.data, 32)
        except MemoryError as error:
            print(error)
        driver.fake_fault(b"none", ctypes.c_long(0), ctypes.c_long(0))
        source[:] = 7
        print([piece.copied for piece in queue.sent._sent], *send([4] * 9), arrived(block, 4))
        send([1])
        print(len(queue.sent._sent))
    """
    out = run(driver, SEND + code.replace("\n        ", "\n")).splitlines()
    assert out[0].startswith("creating an event failed")
    assert out[1:] == ["[None] 0 True [0 1 2 3]", "1"]
