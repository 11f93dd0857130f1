"""Compilers and ninja in a strand: what stands together comes out together."""

from __future__ import annotations

import pytest

from tests.parsing.strand import chain, corpus_text, events_of, innermost, parsed
from tracelens.events import (
    CompilerDiagnostic,
    CompilerInvocation,
    ExceptionChain,
    NinjaBuild,
    Text,
)
from tracelens.parsing.line_kinds import kind_of

NEW = """\
In file included from /usr/include/a.h:3,
                 from /x/main.cpp:21:
/x/main.cpp: In function \u2018int main()\u2019:
/x/main.cpp:5:10: error: \u2018bb\u2019 was not declared in this scope
    5 |   return bb;
      |          ^~
      |          b
compilation terminated.
"""
OLD = """\
/x/ATen/ATen.h:4:2: error: #error C++14 or later compatible compiler is required to use ATen.
 #error C++14 or later compatible compiler is required to use ATen.
  ^
"""


def test_a_diagnostic_keeps_what_stands_around_it():
    (event,) = events_of(CompilerDiagnostic, NEW)
    assert (event.path, event.line, event.column, event.severity) == ("/x/main.cpp", 5, 10, "error")
    assert event.context is not None
    assert event.context.startswith("/x/main.cpp: In function")
    assert event.context.endswith("|          b")
    assert (event.span.line, event.span.end_line) == (4, 7)


def test_the_source_that_an_old_compiler_quotes_is_context():
    (event,) = events_of(CompilerDiagnostic, OLD)
    assert event.context is not None
    assert event.context.endswith("  ^")
    assert event.span.end_line == 3


def test_a_diagnostic_that_is_indented_is_found():
    (event,) = events_of(CompilerDiagnostic, "      /tmp/x.c:1:10: fatal error: Python.h: No such file or directory\n")
    assert event.severity == "fatal error"


def test_lines_around_a_diagnostic_that_are_not_its_own_stay_text():
    text = "before\n" + NEW + "after\n"
    said = [event.message for event in events_of(Text, text)]
    assert said[0] == "before"
    assert said[-1] == "after"


@pytest.mark.parametrize(
    ("line", "outputs"),
    [
        ("FAILED: main.o ", ("main.o",)),
        ("FAILED: [code=1] main.o", ("main.o",)),
        ("FAILED: main.o [code=2]", ("main.o",)),
        ("FAILED: a.o b.o", ("a.o", "b.o")),
        ("FAILED: E:/x/ms_deform_attn_cuda.obj ", ("E:/x/ms_deform_attn_cuda.obj",)),
    ],
)
def test_the_outputs_of_a_failed_edge(line, outputs):
    (build,) = events_of(NinjaBuild, line + "\n")
    assert (build.outputs, build.stopped) == (outputs, None)


def test_the_end_of_a_build():
    (build,) = events_of(NinjaBuild, "ninja: build stopped: subcommand failed.\n")
    assert (build.outputs, build.stopped) == ((), "subcommand failed")
    (error,) = events_of(NinjaBuild, "ninja: error: loading 'build.ninja': No such file or directory\n")
    assert error.stopped is None
    assert "loading" in error.message


def test_the_steps_of_a_build_are_commands():
    text = corpus_text("reports/272-cuda-runtime-h-cc1plus-libtinfo-noise")
    programs = [event.program.rpartition("/")[2] for event in events_of(CompilerInvocation, text)]
    assert programs == ["nvcc", "nvcc", "c++", "ninja"]
    assert [build.outputs for build in events_of(NinjaBuild, text)] == [("multi_tensor_adam.cuda.o",), ()]
    assert any(event.message.startswith("cuda_runtime.h") for event in events_of(CompilerDiagnostic, text))


def test_the_build_of_an_extension_inside_a_message():
    text = corpus_text("reports/078-cxx-too-old-aten-error-directive")
    found = chain(text)
    assert [exception.type_name for exception in found.exceptions] == ["subprocess.CalledProcessError", "RuntimeError"]
    assert len(events_of(CompilerDiagnostic, text)) == 2
    assert [event.program for event in events_of(CompilerInvocation, text)] == ["ninja", "c++"]
    assert [build.stopped for build in events_of(NinjaBuild, text)] == ["subcommand failed"]


def test_command_and_output_of_a_compile_error():
    text = corpus_text("lab/2.13.0/codegen-bad-cpp")
    found = chain(text)
    assert [exception.type_name for exception in found.exceptions] == [
        "CppCompileError",
        "torch._inductor.exc.InductorError",
    ]
    assert "Output:" in innermost(found).message
    diagnostics = events_of(CompilerDiagnostic, text)
    assert diagnostics[0].severity == "error"
    assert len(diagnostics) > 100


def test_output_that_stands_before_the_traceback_is_not_in_its_message():
    text = corpus_text("reports/105-cuda-h-missing-conda-forge")
    assert events_of(CompilerDiagnostic, text)[0].message == "cuda.h: No such file or directory"
    assert "cuda.h" not in events_of(ExceptionChain, text)[0].exceptions[-1].message


def test_output_that_stands_below_an_ordinary_exception_is_not_in_its_message():
    text = "ValueError: x\n" + NEW
    assert innermost(chain(text)).message == "x"
    assert len(events_of(CompilerDiagnostic, text)) == 1


def test_a_program_that_a_message_announces_is_in_it():
    text = (
        "RuntimeError: PTXAS error: Internal Triton PTX codegen error\n`ptxas` stderr:\n"
        "ptxas fatal   : Value 'sm_121a' is not defined for option 'gpu-name'\n\nRepro command: ptxas -v\n"
    )
    assert "sm_121a" in innermost(chain(text)).message
    assert events_of(CompilerDiagnostic, text)[0].tool == "ptxas"


def test_every_event_of_a_build_knows_its_lines():
    for event in parsed(corpus_text("lab/2.13.0/ext-inline-type-error")).events:
        assert event.span.line <= event.span.end_line


def test_the_command_of_a_launcher_is_no_compiler():
    failed = "Command '['/usr/bin/python3', 'train.py', '-x']' returned non-zero exit status 1."
    assert events_of(CompilerInvocation, f"subprocess.CalledProcessError: {failed}\n") == []


def test_a_build_that_pip_has_indented():
    text = (
        "      running build_ext\n      gcc -pthread -I/usr/include -c src/bvh.cpp -o build/bvh.o\n"
        "      [1/2] c++ -MMD -MF main.o.d -c main.cpp\n      FAILED: main.o\n"
        "      src/bvh.cpp:3:10: fatal error: cuda.h: No such file or directory\n          3 | #include <cuda.h>\n"
    )
    assert [event.program for event in events_of(CompilerInvocation, text)] == ["gcc", "c++"]
    assert [event.message for event in events_of(CompilerDiagnostic, text)] == ["cuda.h: No such file or directory"]
    assert [event.outputs for event in events_of(NinjaBuild, text)] == [("main.o",)]


def test_a_line_that_only_looks_like_a_diagnostic_stays_text():
    line = "settings.yml:12:3: Values of the first group: none"
    assert kind_of(line + "\n") == "DIAGNOSTIC"
    assert [event.message for event in events_of(Text, line + "\n")] == [line]


def test_cmake_tells_what_is_wrong_below():
    text = "CMake Error at CMakeLists.txt:12 (message):\n  CUDA not found.\n\n  Install it.\n\nnext\n"
    (event,) = events_of(CompilerDiagnostic, text)
    assert (event.tool, event.message) == ("cmake", "CUDA not found.\n\nInstall it.")
