from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelens.parsing.diagnostics import DIAGNOSTIC_PATTERN, INVOCATION_PATTERN, read_diagnostic, read_invocation
from tracelens.text import Span

LINE = Span(line=1, end_line=1)

#: line as printed, tool, severity, path, line, column
DIAGNOSTICS = [
    # gcc, clang and their drivers
    ("a.cpp:1:2: fatal error: Python.h: No such file or directory", "gcc", "fatal error", "a.cpp", 1, 2),
    ("a.cpp:1:10: fatal error: 'omp.h' file not found", "clang", "fatal error", "a.cpp", 1, 10),
    ("/a b/x.hpp:7:3: warning: overflow in conversion from \u2018int\u2019", "gcc", "warning", "/a b/x.hpp", 7, 3),
    ("a.cpp:3:1: error: expected '}'", "compiler", "error", "a.cpp", 3, 1),
    ("a.cpp:3: error: \u2018x\u2019 was not declared", "gcc", "error", "a.cpp", 3, None),
    ("fatal error: 'omp.h' file not found", "clang", "fatal error", None, None, None),
    ("error: command '/usr/bin/g++' failed with exit code 1", "compiler", "error", None, None, None),
    ("g++: error: unrecognized command line option '-std=c++20'", "gcc", "error", None, None, None),
    ("g++: fatal error: Killed signal terminated program cc1plus", "gcc", "fatal error", None, None, None),
    ("g++: internal compiler error: Killed (program cc1plus)", "gcc", "fatal error", None, None, None),
    ("cc1plus: fatal error: x.cpp: No such file or directory", "gcc", "fatal error", None, None, None),
    ("cc1plus: all warnings being treated as errors", "gcc", "error", None, None, None),
    ("cc1plus: out of memory allocating 65536 bytes after a total of 1 bytes", "gcc", "error", None, None, None),
    ("gcc: error: x.c: No such file or directory", "gcc", "error", None, None, None),
    ("x86_64-conda-linux-gnu-c++: error: unrecognized", "driver", "error", None, None, None),
    ("cc: error: x", "driver", "error", None, None, None),
    ("clang++-14: error: unsupported option '-fopenmp'", "clang", "error", None, None, None),
    ("clang: error: linker command failed with exit code 1", "clang", "error", None, None, None),
    ("icpx: error: unknown argument: '-fsycl-x'", "clang", "error", None, None, None),
    ("<command-line>: fatal error: foo.h: No such file or directory", "gcc", "fatal error", None, None, None),
    # the same in other languages
    ("a.cpp:1:2: schwerwiegender Fehler: Python.h: Datei nicht gefunden", "compiler", "fatal error", "a.cpp", 1, 2),
    ("a.cpp:1:2: Fehler: x", "compiler", "error", "a.cpp", 1, 2),
    ("a.cpp:1:2: erreur\u00a0: x", "compiler", "error", "a.cpp", 1, 2),
    ("a.cpp:1:2: erreur fatale : Python.h : Aucun fichier", "compiler", "fatal error", "a.cpp", 1, 2),
    ("a.cpp:1:2: error fatal: Python.h: No existe", "compiler", "fatal error", "a.cpp", 1, 2),
    ("a.cpp:1:2: \u9519\u8bef\uff1ax", "compiler", "error", "a.cpp", 1, 2),
    ("a.cpp:12: \u9519\u8bef\uff1ax", "compiler", "error", "a.cpp", 12, None),
    ("a.cpp:1:2: \u81f4\u547d\u9519\u8bef\uff1aPython.h", "compiler", "fatal error", "a.cpp", 1, 2),
    ("a.cpp:1:2: \u30a8\u30e9\u30fc: x", "compiler", "error", "a.cpp", 1, 2),
    ("a.cpp:1:2: \u043e\u0448\u0438\u0431\u043a\u0430: x", "compiler", "error", "a.cpp", 1, 2),
    ("g++: Fehler: nicht erkannte Option", "gcc", "error", None, None, None),
    # nvcc, ptxas
    ("file.cu(12): error: no suitable conversion", "nvcc", "error", "file.cu", 12, None),
    ("file.cu(12): error #20: identifier is undefined", "nvcc", "error", "file.cu", 12, None),
    ("file.cu(12): warning #20012-D: annotation ignored", "nvcc", "warning", "file.cu", 12, None),
    (r"E:\a b\x.cu(65): error: no suitable conversion", "nvcc", "error", r"E:\a b\x.cu", 65, None),
    ("a.h(252) (col. 9): catastrophic error: error while writing", "nvcc", "fatal error", "a.h", 252, None),
    ("nvcc fatal   : Unsupported gpu architecture 'compute_120'", "nvcc", "fatal error", None, None, None),
    ("nvcc error   : 'cicc' died with status 0xC0000005", "nvcc", "error", None, None, None),
    ("nvlink error   : Undefined reference to 'x' in 'y'", "nvcc", "error", None, None, None),
    ("ptxas fatal   : Value 'sm_121a' is not defined for option 'gpu-name'", "ptxas", "fatal error", None, None, None),
    ("ptxas /x/x.ptx, line 12; error   : Unknown modifier '.bf16'", "ptxas", "error", "/x/x.ptx", 12, None),
    (
        "ptxas application ptx input, line 9; fatal   : Unsupported .version 8.7",
        "ptxas",
        "fatal error",
        "application ptx input",
        9,
        None,
    ),
    ("ptxas info    : 0 bytes gmem", "ptxas", "info", None, None, None),
    # MSVC
    ("file.cpp(12): error C2039: 'x': is not a member of 'y'", "msvc", "error", "file.cpp", 12, None),
    (r"C:\a b\f.cpp(3): fatal error C1083: Cannot open include file", "msvc", "fatal error", r"C:\a b\f.cpp", 3, None),
    ("main.cpp(3): warning C4819: encoding", "msvc", "warning", "main.cpp", 3, None),
    ("main.cpp(3): schwerwiegender Fehler C1083: Datei", "msvc", "fatal error", "main.cpp", 3, None),
    ("main.cpp(3): erreur C2039: x", "msvc", "error", "main.cpp", 3, None),
    ("main.cpp(3): \u81f4\u547d\u9519\u8bef C1083: x", "msvc", "fatal error", "main.cpp", 3, None),
    ("main.cpp(3): unheard word C1083: x", "msvc", "fatal error", "main.cpp", 3, None),
    ("foo.obj : unheard LNK2019: x", "msvc", "error", "foo.obj", None, None),
    ("LINK : unheard LNK1104: x", "msvc", "fatal error", "LINK", None, None),
    ("cl : unheard D9002 : x", "msvc", "warning", "cl", None, None),
    ("cl : unheard D8021 : x", "msvc", "error", "cl", None, None),
    ("main.cpp(3): note: see declaration of 'x'", "msvc", "note", "main.cpp", 3, None),
    ("LINK : fatal error LNK1181: cannot open input file 'python311.lib'", "msvc", "fatal error", "LINK", None, None),
    ("foo.obj : error LNK2019: unresolved external symbol", "msvc", "error", "foo.obj", None, None),
    ("cl : Command line error D8021 : invalid numeric argument", "msvc", "error", "cl", None, None),
    ("cl : Command line warning D9002 : ignoring unknown option", "msvc", "warning", "cl", None, None),
    # linkers and the assembler
    ("/usr/bin/ld: cannot find -lcuda: No such file or directory", "ld", "error", None, None, None),
    ("/opt/conda/compiler_compat/ld: cannot find -lpthread", "ld", "error", None, None, None),
    ("ld.lld: error: unable to find library -lcuda", "ld", "error", None, None, None),
    ("/usr/bin/ld.gold: fatal error: x.so: cannot open", "ld", "fatal error", None, None, None),
    ("/usr/bin/ld: /tmp/x.o: in function `main':", "ld", "note", None, None, None),
    ("/usr/bin/ld: skipping incompatible /lib32/libcuda.so when searching for -lcuda", "ld", "note", None, None, None),
    ("a.cpp:(.text+0x12): undefined reference to `foo()'", "ld", "error", "a.cpp", None, None),
    ("/usr/bin/ld: a.cpp:(.text+0x12): undefined reference to `foo()'", "ld", "error", "a.cpp", None, None),
    ("Undefined symbols for architecture arm64:", "ld", "error", None, None, None),
    ("ld: library not found for -lomp", "ld", "error", None, None, None),
    ("ld: warning: directory not found for option '-L/x'", "ld", "warning", None, None, None),
    ("collect2: fatal error: cannot find 'ld'", "ld", "fatal error", None, None, None),
    ("collect2.exe: error: ld returned 1 exit status", "ld", "error", None, None, None),
    ("C:/mingw64/x86_64-w64-mingw32/bin/ld.exe: cannot find -lcuda", "ld", "error", None, None, None),
    ("/x/x.s:12: Error: no such instruction: `vmovdqu8'", "as", "error", "/x/x.s", 12, None),
    ("as: unrecognized option '--gdwarf-5'", "as", "error", None, None, None),
    ("as: BFD (GNU Binutils) 2.40 assertion fail ../../bfd/elf.c:3027", "as", "error", None, None, None),
    # shells
    ("/bin/sh: 1: g++: not found", "shell", "error", None, None, None),
    ("bash: line 1: ninja: command not found", "shell", "error", None, None, None),
    ("build.sh: line 3: nvcc: command not found", "shell", "error", None, None, None),
    ("zsh: command not found: ninja", "shell", "error", None, None, None),
    ("/usr/bin/env: 'ninja': No such file or directory", "shell", "error", None, None, None),
    ("make: g++: No such file or directory", "shell", "error", None, None, None),
    ("/bin/sh: 1: nvcc: Permission denied", "shell", "error", None, None, None),
    ("'cl' is not recognized as an internal or external command,", "shell", "error", None, None, None),
    ("'cl' \u4e0d\u662f\u5185\u90e8\u6216\u5916\u90e8\u547d\u4ee4", "shell", "error", None, None, None),
    ('Der Befehl "cl" ist entweder falsch geschrieben oder', "shell", "error", None, None, None),  # codespell:ignore
    ("'cl' n'est pas reconnu en tant que commande interne", "shell", "error", None, None, None),
    ("cl : The term 'cl' is not recognized as the name of a cmdlet", "shell", "error", None, None, None),
    # loaders
    (
        "ninja: /lib/libc.so.6: version `GLIBC_2.34' not found (required by ninja)",
        "loader",
        "error",
        "/lib/libc.so.6",
        None,
        None,
    ),
    (
        "sh: /opt/lib/libtinfo.so.6: no version information available",
        "loader",
        "warning",
        "/opt/lib/libtinfo.so.6",
        None,
        None,
    ),
    ("./a.out: error while loading shared libraries: libfoo.so: cannot open", "loader", "error", "./a.out", None, None),
    (
        "/usr/bin/python3: symbol lookup error: /x.so: undefined symbol: _ZN",
        "loader",
        "error",
        "/usr/bin/python3",
        None,
        None,
    ),
    ("dyld[123]: Library not loaded: @rpath/libomp.dylib", "loader", "error", None, None, None),
    ("Error loading shared library libgomp.so.1: No such file", "loader", "error", None, None, None),
    # cmake, Triton, LLVM
    ("CMake Error at CMakeLists.txt:12 (find_package):", "cmake", "error", "CMakeLists.txt", 12, None),
    ("CMake Warning (dev) at x.cmake:12 (message):", "cmake", "warning", "x.cmake", 12, None),
    ("CMake Error: The source directory does not exist", "cmake", "error", None, None, None),
    ("/k.py:56:24: error: Failures have been detected while processing", "mlir", "error", "/k.py", 56, 24),
    ("error: Failures have been detected while processing an MLIR pass pipeline", "mlir", "error", None, None, None),
    ("note: Pipeline failed while executing [`TritonGPUx`]", "mlir", "note", None, None, None),
    ("loc(\"/k.py\":56:24): error: 'tt.load' op", "mlir", "error", "/k.py", 56, 24),
    ("LLVM ERROR: Cannot select: intrinsic", "llvm", "fatal error", None, None, None),
    ("PLEASE submit a bug report to https://example.org", "llvm", "fatal error", None, None, None),
    (
        "python3: /s/mlir/Value.cpp:12: void f(): Assertion `x' failed.",
        "llvm",
        "fatal error",
        "/s/mlir/Value.cpp",
        12,
        None,
    ),
    ("Error: Internal Compiler Error (codegen): there was an error", "nvcc", "fatal error", None, None, None),
]

#: lines of other programs that only look alike
OTHERS = [
    "",
    "RuntimeError: a.cpp:1:2: x",
    "torch._inductor.exc.CppCompileError: C++ compile error",
    "train.py: error: unrecognized arguments: --x",
    "slurmstepd: error: Detected 1 oom_kill event",
    "ninja: build stopped: subcommand failed.",
    "ERROR: Failed building wheel",
    "gcc: 12.2.0",
    "gcc version 12.2.0 (Debian)",
    "x.py:12: in f",
    "x.py:12: UserWarning: x",
    "12:30:45: foo: bar",
    "/pytorch/aten/Indexing.cu:1290: indexSelect: block: [1,0,0] Assertion `x` failed.",
    '  File "a.py", line 2, in f',
    "return f(x): y",
]


@pytest.mark.parametrize(
    ("line", "reading"), [(line, reading) for line, *reading in DIAGNOSTICS], ids=[d[0] for d in DIAGNOSTICS]
)
def test_a_diagnostic_says_who_where_and_how_grave(line, reading):
    found = read_diagnostic(line, LINE, None, None)

    assert found is not None
    assert [found.tool, found.severity, found.path, found.line, found.column] == reading


@pytest.mark.parametrize("line", [line for line, *_ in DIAGNOSTICS])
def test_the_pattern_finds_every_diagnostic_that_is_read(line):
    assert re.compile("^" + DIAGNOSTIC_PATTERN, re.MULTILINE).search(f"text\n{line}\n")


@pytest.mark.parametrize("line", OTHERS)
def test_lines_of_other_programs_are_no_diagnostics(line):
    assert read_diagnostic(line, LINE, None, None) is None


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a.cpp:1:2: fatal error: Python.h: No such file", "Python.h: No such file"),
        ("a.cpp:1:2: \u9519\u8bef\uff1aPython.h", "Python.h"),
        ("main.cpp(3): fatal error C1083: Cannot open", "C1083: Cannot open"),
        ("main.cpp(3): \u81f4\u547d\u9519\u8bef C1083: x", "C1083: x"),
        ("g++: internal compiler error: Killed", "internal compiler error: Killed"),
        ("/usr/bin/ld: cannot find -lcuda", "cannot find -lcuda"),
        ("/bin/sh: 1: g++: not found", "g++: not found"),
        ("zsh: command not found: ninja", "command not found: ninja"),
        (
            "ninja: /l.so: version `GLIBC_2.34' not found (required by ninja)",
            "version `GLIBC_2.34' not found (required by ninja)",
        ),
        ("ptxas /tmp/x.ptx, line 12; error   : Unknown modifier", "Unknown modifier"),
        ("   a.cpp:1:2: error: indented", "indented"),
    ],
)
def test_the_message_is_what_stands_behind_place_and_severity(line, message):
    found = read_diagnostic(line, LINE, None, None)

    assert found is not None
    assert found.message == message


@pytest.mark.parametrize(
    ("line", "program", "command", "status"),
    [
        (
            (
                "subprocess.CalledProcessError: Command '['/usr/bin/gcc', '/tmp/x/main.c', '-O3', \"-DX='a'\"]' "
                "returned non-zero exit status 1."
            ),
            "/usr/bin/gcc",
            "/usr/bin/gcc /tmp/x/main.c -O3 -DX='a'",
            1,
        ),
        (
            "Command 'ptxas -v x.ptx 2> /tmp/log' returned non-zero exit status 255.",
            "ptxas",
            "ptxas -v x.ptx 2> /tmp/log",
            255,
        ),
        ("Command '['ninja', '-v']' died with <Signals.SIGKILL: 9>.", "ninja", "ninja -v", -9),
        ("g++ a.cpp -shared -o a.so", "g++", "g++ a.cpp -shared -o a.so", None),
        ("[1/3] c++ -MMD -MF x.o.d -c a.cpp", "c++", "c++ -MMD -MF x.o.d -c a.cpp", None),
        (
            "[2/3] /usr/local/cuda-12.4/bin/nvcc -c a.cu",
            "/usr/local/cuda-12.4/bin/nvcc",
            "/usr/local/cuda-12.4/bin/nvcc -c a.cu",
            None,
        ),
        ("+ gcc -c a.c", "gcc", "gcc -c a.c", None),
        ("cl /nologo /c x.cpp", "cl", "cl /nologo /c x.cpp", None),
        (
            r'"C:\Program Files\CUDA\bin\nvcc.exe" -c x.cu',
            r"C:\Program Files\CUDA\bin\nvcc.exe",
            r'"C:\Program Files\CUDA\bin\nvcc.exe" -c x.cu',
            None,
        ),
        (
            "x86_64-conda-linux-gnu-c++ -c a.cpp",
            "x86_64-conda-linux-gnu-c++",
            "x86_64-conda-linux-gnu-c++ -c a.cpp",
            None,
        ),
        ("ninja -v", "ninja", "ninja -v", None),
        ("[1/2] sccache c++ -c a.cpp", "c++", "sccache c++ -c a.cpp", None),
        ("/usr/bin/ccache /opt/bin/nvcc -c a.cu", "/opt/bin/nvcc", "/usr/bin/ccache /opt/bin/nvcc -c a.cu", None),
        ("Repro command: /opt/ptxas -v a.ptx -o a.o", "/opt/ptxas", "/opt/ptxas -v a.ptx -o a.o", None),
    ],
)
def test_an_invocation_has_program_command_and_status(line, program, command, status):
    found = read_invocation(line, LINE, None, None)

    assert found is not None
    assert (found.program, found.command, found.exit_status) == (program, command, status)
    assert re.match(INVOCATION_PATTERN, line)


@pytest.mark.parametrize(
    "line",
    [
        "g++: error: x",
        "gcc version 12",
        "ninja: build stopped",
        "nvcc fatal   : x",
        "clang is great",
        "return cc -c",
        "",
    ],
)
def test_text_about_compilers_is_no_invocation(line):
    assert not re.match(INVOCATION_PATTERN, line)


def test_an_empty_line_runs_nothing():
    assert read_invocation("  ", LINE, None, None) is None


def test_a_status_without_its_command_is_a_command_line():
    found = read_invocation("Command gcc' returned non-zero exit status 1", LINE, None, None)

    assert found is not None
    assert found.exit_status is None


PARTS = st.sampled_from([
    "a.cpp", ":1", ":2: ", "(12)", ": ", "error", "fatal error", "warning C4819", "note", "g++", "/bin/ld", "9" * 5000,
    ", line 3; ", "'", '"', "Command '", "['gcc', '-c']", "' returned non-zero exit status 1", " : ", "C:\\", "/",
    "\uff1a", "\u9519\u8bef", "undefined reference to `f'", "(.text+0x1)", "Assertion `x' failed", "loc(", "ptxas ",
    "[1/2] ", "CMake Error", " at ", "LNK1181", "version `G' not found",
])  # fmt: skip


@given(st.one_of(st.text(), st.lists(PARTS, max_size=12).map("".join)))
def test_any_line_is_read_without_raising(line):
    found = read_diagnostic(line, LINE, None, None)
    read_invocation(line, LINE, None, None)

    assert found is None or found.severity in {"fatal error", "error", "warning", "note", "info"}
