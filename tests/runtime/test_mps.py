"""A service for processes that share a GPU serves those that are forked, and ends with the last of them."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from saccade.runtime.process import mps
from saccade.runtime.process.mps import FOLDER, PROGRAM, MpsService
from tests.patience import HANG

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the service is there under Linux alone")

#: a daemon that notes what it is told
DAEMON = """#!/bin/sh
if [ "$1" = -d ]; then echo "started in $CUDA_MPS_PIPE_DIRECTORY" >> NOTES; exit CODE; fi
read told; echo "$told" >> NOTES
"""


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the daemon that is found on the path of programs notes what happens."""
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.delenv(FOLDER, raising=False)
    monkeypatch.setattr(mps, "COMMON", tmp_path / "nobody")
    install(tmp_path, 0)
    return tmp_path / "notes"


def install(folder: Path, code: int) -> None:
    program = folder / PROGRAM
    program.write_text(DAEMON.replace("NOTES", str(folder / "notes")).replace("CODE", str(code)))
    program.chmod(0o755)


def waits_for(path: Path, there: bool) -> bool:
    end = time.monotonic() + HANG
    while path.exists() != there and time.monotonic() < end:
        time.sleep(0.01)
    return path.exists() == there


def test_it_ends_with_the_last_process_that_holds_it(notes: Path, tmp_path: Path) -> None:
    service = MpsService.start()
    assert service is not None
    assert FOLDER not in os.environ  # who has started it may open a GPU later, when it is gone
    may_end, waiting = os.pipe()
    child = os.fork()
    if not child:
        os.close(waiting)
        service.join()
        (tmp_path / "joined").write_text(os.environ[FOLDER])
        os.read(may_end, 1)
        os._exit(0)
    service.release()
    service.release()  # once is enough
    assert waits_for(tmp_path / "joined", there=True)
    assert notes.read_text() == f"started in {service.folder}\n"
    os.close(waiting)
    os.waitpid(child, 0)
    assert waits_for(Path(service.folder), there=False)
    assert notes.read_text() == f"started in {service.folder}\nquit -t 10\n"
    assert (tmp_path / "joined").read_text() == service.folder


def test_there_is_none_where_it_does_not_start_or_is_not_wanted(
    notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, 1)
    assert MpsService.start() is None
    folder = Path(notes.read_text().split()[-1])
    assert waits_for(folder, there=False)
    notes.unlink()
    with monkeypatch.context() as changed:
        changed.setattr(mps, "settings", replace(mps.settings, mps=False))
        assert MpsService.start() is None
    with monkeypatch.context() as changed:
        changed.setenv(FOLDER, str(tmp_path))  # processes use that one
        assert MpsService.start() is None
    with monkeypatch.context() as changed:
        changed.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
        assert MpsService.start() is None
    monkeypatch.setattr(mps, "COMMON", tmp_path)  # one serves the machine
    assert MpsService.start() is None
    monkeypatch.setenv("PATH", "")
    assert MpsService.start() is None
    assert not notes.exists()
