"""Compiling: what is wrong is told with the kernel's name and LLVM's words; threads compile side by side."""

from __future__ import annotations

import threading

import pytest

from saccade.runtime.cpu.engine import Target, compile_object
from saccade.runtime.program import CompileError

#: a loop over five sign tests, both lanes of each taken apart after all of them
SIGNS = "\n".join(
    [
        "define void @signs(ptr noalias %p, i64 %b, i64 %e, ptr noalias %s) nounwind {",
        "entry:\n  br label %loop\nloop:\n  %n = phi i64 [ %b, %entry ], [ %m, %loop ]",
        "  %pn = getelementptr inbounds i64, ptr %p, i64 %n",
        "  %sn = getelementptr inbounds i8, ptr %s, i64 %n",
    ]
    + [
        f"""  %p{i} = getelementptr inbounds i64, ptr %pn, i64 {i}
  %q{i} = getelementptr inbounds i64, ptr %p{i}, i64 17
  %x{i} = load i64, ptr %p{i}, align 8
  %y{i} = load i64, ptr %q{i}, align 8
  %u{i} = insertelement <2 x i64> poison, i64 %x{i}, i32 0
  %v{i} = insertelement <2 x i64> %u{i}, i64 %y{i}, i32 1"""
        for i in range(5)
    ]
    + [f"  %c{i} = icmp slt <2 x i64> %v{i}, zeroinitializer" for i in range(5)]
    + [
        f"""  %a{i}{j} = extractelement <2 x i1> %c{i}, i32 {j}
  %z{i}{j} = zext i1 %a{i}{j} to i8
  %s{i}{j} = getelementptr inbounds i8, ptr %sn, i64 {i + 17 * j}
  store i8 %z{i}{j}, ptr %s{i}{j}, align 1"""
        for i in range(5)
        for j in range(2)
    ]
    + ["  %m = add nsw i64 %n, 5\n  %d = icmp slt i64 %m, %e\n  br i1 %d, label %loop, label %done"]
    + ["done:\n  ret void\n}\n"]
)
#: vmovmskpd, of the first eight registers; vpmovq2m of an xmm register
MOVMSK, SIGNS_TO_MASK = b"\xc5\xf9\x50", b"\x62\xf2\xfe\x08\x39"
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


def test_lanes_of_masks_are_not_taken_by_what_llvm_gets_wrong() -> None:
    """LLVM 22 makes a movmsk of a mask of signs that is read once more. Where there are no such masks, as
    without AVX-512, it is right."""
    for cpu in ("haswell", "sapphirerapids"):
        code = compile_object("signs", SIGNS, target=Target("x86_64-unknown-linux-gnu", cpu))
        assert MOVMSK in code
        assert SIGNS_TO_MASK not in code
