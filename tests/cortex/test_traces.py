"""Every file of the trace folder is compared with by some test."""

from __future__ import annotations

from .traces import FOLDER, names

#: which files which test compares with
COVERED = (
    *names("a_"), *names("b_"), *names("c_"), *names("d_"), *names("g_"),
    *names("e"), *names("f"), *names("h"), *names("i"),
)  # fmt: skip


def test_every_trace_file_is_covered() -> None:
    files = sorted(path.stem for path in FOLDER.glob("*.npz"))
    assert files, f"no trace files in {FOLDER}"
    assert sorted(COVERED) == files
