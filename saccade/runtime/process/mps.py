"""NVIDIA's Multi-Process Service (MPS) for the processes of one run: kernels of all run side by side.

Without it a driver gives a GPU to one process after the other, by time slices, and small kernels of eight
processes leave most of it idle; opening it eight times takes a second, as the contexts are made one by one.

    service = MpsService.start()    # None where there is no such thing, or one serves this machine already
    ...                             # processes are forked: each calls `join` before it opens the GPU
    service.release()               # those that were forked keep it

The control daemon has a folder of its own, so nobody else meets it. It is told to quit when the last process
that holds the service is gone, however it ended: a shell waits for the end of a pipe that all of them hold.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from ..config import settings

PROGRAM: Final = "nvidia-cuda-mps-control"
FOLDER: Final = "CUDA_MPS_PIPE_DIRECTORY"
#: where a service of the whole machine is found by everybody
COMMON: Final = Path("/tmp/nvidia-mps/control")
#: starts the daemon; then a shell of its own waits for the end of standard input, and tells it to quit.
#: Whoever still computes then has ten seconds: killed processes take a while to be gone
_KEEPER: Final = """
"$0" -d || { rm -rf "$CUDA_MPS_PIPE_DIRECTORY"; exit 1; }
exec 3<&0
{ cat <&3; echo "quit -t 10" | "$0"; rm -rf "$CUDA_MPS_PIPE_DIRECTORY"; } &
"""


class MpsService:
    """A service that was started here, and the end of the pipe that keeps it."""

    def __init__(self, folder: str, held: int) -> None:
        self.folder, self._held = folder, held

    @staticmethod
    def start() -> MpsService | None:
        """One for the processes that are forked from now on; None where it is not wanted (SACCADE_MPS=0), not
        installed, or does not start."""
        program = shutil.which(PROGRAM)
        if not settings.mps or program is None or os.environ.get(FOLDER) or COMMON.exists():
            return None
        end, held = os.pipe()
        try:
            folder = tempfile.mkdtemp(prefix="saccade-mps-")
            subprocess.run(
                ["/bin/sh", "-c", _KEEPER, program],
                stdin=end,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, FOLDER: folder, "CUDA_MPS_LOG_DIRECTORY": folder},
                start_new_session=True,  # Ctrl-C is not for it
                check=True,
            )
        except (OSError, subprocess.CalledProcessError):  # a machine without folders for this, or a shell
            os.close(held)
            return None
        finally:
            os.close(end)
        return MpsService(folder, held)

    def join(self) -> None:
        """Use it in this process, which has not opened a GPU yet."""
        os.environ[FOLDER] = self.folder

    def release(self) -> None:
        """Hold it no longer here."""
        if self._held >= 0:
            os.close(self._held)
            self._held = -1
