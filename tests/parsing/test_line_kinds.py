"""Line kinds: the examples of the grammar are of the kinds that they explain, and no other line is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.parsing.strand import strand
from tracelens.parsing.blocks import block_of
from tracelens.parsing.classify import Classifier
from tracelens.parsing.exit_shapes import EXIT_PATTERN, SIGNAL_TEXTS
from tracelens.parsing.line_kinds import kind_of
from tracelens.parsing.tables import END, GRAMMAR_DIR, load_tables

_DECLARED = re.compile(r"((?://[^\n]*\n)+)%declare (\w+)\n")


def documented() -> list[tuple[str, str]]:
    """Return each terminal with the example that stands above it."""
    text = Path(GRAMMAR_DIR, "terminals.lark").read_text("utf-8")
    return [
        (name, comment.split("\n")[0].removeprefix("//").removeprefix(" ")) for comment, name in _DECLARED.findall(text)
    ]


def kinds(text: str) -> list[str]:
    tables = load_tables()
    block = block_of(strand(text))
    return [tables.terminals[token[0]] for token in Classifier(block, tables.numbers).tokens()]


#: Kinds that a line has only because of the lines around it.
BY_CONTEXT = {
    "CUT", "FRAME_SOURCE", "QUOTED_FRAMES", "PARAGRAPH", "PROSE", "NESTED", "EXCEPTION_OPEN", "FIRST_RECORD",
    "CARRIER", "WARNING", "DIAGNOSTICS", "FLOOD", "REPORTED_FLOOD",
}  # fmt: skip


def test_each_terminal_is_declared_and_used_once():
    names = [name for name, _example in documented()]
    assert len(names) == len(set(names))
    assert {*names, END} == set(load_tables().terminals)


@pytest.mark.parametrize(("name", "example"), [pair for pair in documented() if pair[0] not in BY_CONTEXT])
def test_the_example_of_a_kind_is_of_that_kind(name, example):
    assert kind_of(example + "\n") == name


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("FRAME_SOURCE", 'File "a.py", line 1, in f\nx: error\n    return f(x)\n  File "b.py", line 2, in g\n'),
        ("QUOTED_FRAMES", 'from user code:\n   File "/workspace/train.py", line 41, in forward\n    y = x\n'),
        ("CUT", "Traceback (most recent call last):\nepoch 1\n"),
        ("PARAGRAPH", "\nstep=0 loss=1.0777\n"),
        ("FLOOD", "RuntimeError: bad item 7\n" * 20),
        ("REPORTED_FLOOD", "Segmentation fault (core dumped)\n" * 20),
        ("PROSE", "some words\n" * 9),
        ("TEXT", "some words\n" * 8),
        ("NESTED", "   x\n      Traceback (most recent call last):\n"),
        ("EXCEPTION_OPEN", "torch._dynamo.exc.BackendCompilerFailed: backend='inductor' raised:\n"),
        ("EXCEPTION_OPEN", "RuntimeError: Error building extension 'fused': [1/3] c++ -MMD -MF a.o.d\n"),
        ("FIRST_RECORD", "[2022-12-22 03:54:03,390] torch._dynamo.convert_frame: [WARNING] hit\n   function: 'run'\n"),
        ("CARRIER", "2024-01-01 00:00:00,123 - trainer - ERROR - step failed\n"),
        (
            "WARNING",
            "/opt/torch/_inductor/cpp_builder.py:1361: UserWarning: Can't find Python.h in /usr\n  warnings.warn(\n",
        ),
    ],
)
def test_the_kinds_that_lines_have_by_those_around_them(name, text):
    assert name in kinds(text)


@pytest.mark.parametrize(
    "line",
    [
        "step=0 loss=1.0777",
        "Epoch 3:  47%|\u2588\u2588\u2588\u2588\u258b     | 563/1200 [03:12<03:37,  2.93it/s, loss=2.31]",
        "loading model: 0it [00:01, ?it/s]",
        "jx_nest_base 2.014x",
        "the version 2 is not found here",
        "run 12 of 100: ok",
        "x = foo(bar)",
        "a quick error in a sentence, nothing else",
        "done in 3.4 s",
        "(pt) user@host:~$ python run.py",
        "building 'bvh_cuda' extension",
        "Some weights of the model checkpoint were not used when initializing the model.",
        "{'loss': 0.12, 'lr': 1e-4}",
        "https://pytorch.org/docs/main/torch.compiler_troubleshooting.html",
    ],
)
def test_ordinary_lines_are_text(line):
    assert kind_of(line + "\n") == "TEXT"


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("KeyboardInterrupt", "EXCEPTION"),
        ("AssertionError", "EXCEPTION"),
        ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 50.00 MiB.", "EXCEPTION"),
        ("subprocess.CalledProcessError: Command '['ninja', '-v']' returned non-zero exit status 1.", "EXCEPTION"),
        ("filelock._error.Timeout: The file lock '/tmp/x.lock' could not be acquired.", "EXCEPTION"),
        ("ImportError: /lib64/libstdc++.so.6: version `CXXABI_1.3.9' not found", "EXCEPTION"),
        ("concurrent.futures.process.BrokenProcessPool: A process in the process pool was terminated", "EXCEPTION"),
        ("CppCompileError: C++ compile error", "EXCEPTION"),
        ("Error: something else", "NAMED"),
        ("Failed: timeout", "NAMED"),
        ("Note: this is fine", "HINT"),
        ("torch.Size", "NAMED"),
        ("queue.Empty", "NAMED"),
        ("torch.nn.Linear: a layer", "EXCEPTION"),
        ("InductorError                             Traceback (most recent call last)", "HEAD"),
        ("Process EngineCore_DP0: Traceback (most recent call last):", "HEAD"),
        ("Input In [3], in <cell line: 1>()", "NOTEBOOK_FRAME"),
        ("<ipython-input-5-b86fe1e1877f> in <cell line: 11>()", "NOTEBOOK_FRAME"),
        (
            "/usr/local/lib/python3.10/dist-packages/triton/common/build.py in _build(name, src, srcdir)",
            "NOTEBOOK_FRAME",
        ),
        ("C:\\x\\torch\\_dynamo\\eval_frame.py in inner(*args)", "NOTEBOOK_FRAME"),
        ("File ~\\AppData\\Local\\torch\\_dynamo\\eval_frame.py:465, in _fn(*args, **kwargs)", "NOTEBOOK_FRAME"),
        ("torch._dynamo hit config.cache_size_limit (64)", "RECOMPILE_LIMIT"),
        ("torch._dynamo hit config.accumulated_cache_size_limit (256)", "RECOMPILE_LIMIT"),
        ("('Recompiling function forward in a.py:3', \"triggered by the following guard failure: x\")", "RECOMPILING"),
        ("Graph break: from user code at:", "GRAPH_BREAK"),
        ("Graph break (user stack suppressed due to duplicate graph break) in user code at a.py:3", "GRAPH_BREAK"),
        ("skipping cudagraphs for unknown reason", "CUDAGRAPH"),
        ("CUDAGraph supports dynamic shapes by recording a new graph for each distinct input size.", "CUDAGRAPH"),
        ("CUDA compilation error during autotuning: ", "AUTOTUNE_ERROR"),
        ("Failed to benchmark choice 'triton_mm_3'. It will be ignored.", "AUTOTUNE"),
        ("AOTAutograd cache unable to load compiled graph: x", "CACHE"),
        ("FAILED: inplace_abn_cuda.cuda.o ", "NINJA_FAILED"),
        ("FAILED: [code=1] main.o", "NINJA_FAILED"),
        ("FAILED test_a.py::t - ValueError: x", "PYTEST_SUMMARY"),
        ("ninja: error: loading 'build.ninja': No such file or directory", "NINJA_STOPPED"),
        ("[3/4] C:\\cuda\\bin\\nvcc --generate -c a.cu -o a.obj", "NINJA_STEP"),
        ('2 errors detected in the compilation of "a.cu".', "DIAGNOSTIC_END"),
        ("                 from /tmp/tmpu8r89vv9/main.cpp:21:", "DIAGNOSTIC_LEAD"),
        ("main.cpp: In function \u2018void kernel(const float*)\u2019:", "DIAGNOSTIC_LEAD"),
        ("      |          ^~~~~~~~~~", "DIAGNOSTIC_SOURCE"),
        ("/bin/bash: line 1: 25356 Bus error               python -X faulthandler mlp.py", "EXIT"),
        ("Segmentation fault (core dumped)", "EXIT"),
        ("Fatal Python error: Bus error", "EXIT"),
        ("Speicherzugriffsfehler (Speicherabzug geschrieben)", "EXIT"),
        ("-- Process 3 terminated with the following error:", "RELAY"),
        ("Original Traceback (most recent call last):", "RELAY"),
        ("V1201 02:32:13.949000 14743 torch/_dynamo/guards.py:1] [0/8] [__recompiles] text", "RECORD"),
        ("[2023-11-29 22:29:33,093] [0/0] torch._dynamo.convert_frame: [WARNING] text", "RECORD"),
        ("ERROR 01-28 12:00:00 [core.py:396] Traceback (most recent call last):", "RECORD"),
    ],
)
def test_kinds(line, kind):
    assert kind_of(line + "\n") == kind


@pytest.mark.parametrize("text", SIGNAL_TEXTS)
def test_no_gate_hides_the_end_of_a_process(text):
    for line in (
        f"{text[0].upper()}{text[1:]}\n",
        f"bash: line 1: 12 {text}   python a.py\n",
        f"srun: task 0: {text}\n",
    ):
        assert (kind_of(line) == "EXIT") == bool(re.match(EXIT_PATTERN, line))


@given(st.text(st.characters(exclude_characters="\n"), max_size=200))
def test_any_line_has_a_kind_that_the_grammar_knows(line):
    kind = kind_of(line + "\n")
    assert kind in load_tables().numbers or (kind == "" and not line.strip())


@given(st.lists(st.text(st.characters(exclude_characters="\n"), max_size=40), max_size=20))
def test_any_tokens_tile_the_text(lines):
    text = "\n".join(lines)
    block = block_of(strand(text))
    position = 0
    for _kind, start, end, line, count in Classifier(block, load_tables().numbers).tokens():
        assert not block.text[position:start].strip()
        assert start <= end
        assert block.text.count("\n", 0, start) == line
        assert block.text.count("\n", start, end) == count
        position = end
    assert not block.text[position:].strip()


def test_a_line_of_any_length_is_told_by_its_beginning():
    assert kind_of("ValueError: " + "x" * 10_000_000 + "\n") == "EXCEPTION"
