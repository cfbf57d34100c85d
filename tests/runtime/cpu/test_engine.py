"""Compiling: what is wrong is told with the kernel's name and LLVM's words; threads compile side by side."""

from __future__ import annotations

import threading

import pytest

from saccade.runtime.cpu.engine import compile_object
from saccade.runtime.program import CompileError

NOTHING = "define void @nothing(ptr %p, i64 %b, i64 %e, ptr %s) nounwind {\n  ret void\n}\n"


def test_wrong_syntax_names_the_kernel_and_the_line() -> None:
    text = NOTHING.replace("ret void", "%x = fadd float %y, 1.0\n  ret void")
    with pytest.raises(CompileError, match="kernel 'nothing' does not compile") as caught:
        compile_object("nothing", text)
    assert "undefined value '%y'" in str(caught.value)
    assert "%x = fadd float %y, 1.0" in str(caught.value)
    assert (caught.value.name, caught.value.text) == ("nothing", text)


def test_wrong_types_are_errors() -> None:
    text = NOTHING.replace("ret void", "%x = add i64 %b, 1.0\n  ret void")
    with pytest.raises(CompileError, match="nothing"):
        compile_object("nothing", text)


def test_a_function_under_another_name_is_an_error() -> None:
    with pytest.raises(CompileError, match="defines no function @something"):
        compile_object("something", NOTHING)
    with pytest.raises(CompileError, match="defines no function @nothing"):
        compile_object("nothing", "declare void @nothing(ptr, i64, i64, ptr)")


def test_compiling_works_after_an_error_and_is_deterministic() -> None:
    with pytest.raises(CompileError):
        compile_object("nothing", "define rubbish")
    assert compile_object("nothing", NOTHING) == compile_object("nothing", NOTHING)


def test_threads_compile_the_same_code() -> None:
    texts = [NOTHING.replace("ret void", f"store i64 {i}, ptr %p\n  ret void") for i in range(24)]
    expected = [compile_object("nothing", text) for text in texts]
    got: dict[int, bytes] = {}

    def work(start: int) -> None:
        for i in range(start, len(texts), 4):
            got[i] = compile_object("nothing", texts[i])

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [got[i] for i in range(len(texts))] == expected
