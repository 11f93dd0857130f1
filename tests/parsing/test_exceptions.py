from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelens.events import Elision, Owner, StackFrame
from tracelens.parsing.exceptions import (
    KEPT_FRAMES,
    KEPT_MESSAGE,
    capped,
    kept,
    owner_of,
    read_frames,
    split_exception,
    unwrap,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ValueError: x", ("ValueError", "x")),
        ("ValueError", ("ValueError", "")),
        ("torch._dynamo.exc.UserError: a\nb\n\n", ("torch._dynamo.exc.UserError", "a\nb")),
        ("RuntimeError: \nnext line", ("RuntimeError", "\nnext line")),
        ("ray.exceptions.RayTaskError(OSError): ray::f()", ("ray.exceptions.RayTaskError(OSError)", "ray::f()")),
        ("a.<locals>.MyError: x", ("a.<locals>.MyError", "x")),
        ("no exception here", ("", "no exception here")),
        ("KeyError: \"Unknown key: 'cubin'\"", ("KeyError", "\"Unknown key: 'cubin'\"")),
    ],
)
def test_type_and_message(text, expected):
    assert split_exception(text) == expected


@pytest.mark.parametrize(
    ("type_name", "message", "expected"),
    [
        # torch 2.0 to 2.15: the backend's failure
        (
            "torch._dynamo.exc.BackendCompilerFailed",
            "backend='inductor' raised:\nImportError: no\nmore",
            [("ImportError", 1)],
        ),
        (
            "torch._dynamo.exc.BackendCompilerFailed",
            "backend='compile_fx_wrapper' raised:\nKeyError",
            [("KeyError", 1)],
        ),
        (
            "BackendCompilerFailed",
            "compiler raised RuntimeError: Internal Triton PTX codegen error",
            [("RuntimeError", 0)],
        ),
        (
            "torch._inductor.exc.InductorError",
            "CppCompileError: C++ compile error\n\nCommand:\ng++",
            [("CppCompileError", 0)],
        ),
        (
            "torch._dynamo.exc.BackendCompilerFailed",
            "backend='inductor' raised:\nLoweringException: AssertionError: \n  target: aten.mm",
            [("LoweringException", 1), ("AssertionError", 1)],
        ),
        (
            "torch._inductor.exc.InductorError",
            "RuntimeError: No valid triton configs. OutOfResources: out of resource: shared memory, Required: 1",
            [("RuntimeError", 0), ("OutOfResources", 0)],
        ),
        (
            "InductorError",
            "LoweringException: NoValidChoicesError: nothing",
            [("LoweringException", 0), ("NoValidChoicesError", 0)],
        ),
        ("torch._dynamo.exc.InternalTorchDynamoError", "MemoryError: std::bad_alloc", [("MemoryError", 0)]),
        (
            "torch._dynamo.exc.TorchRuntimeError",
            "Dynamo failed to run FX node with fake tensors: call_function f(x): got RuntimeError('no\\nfake impl')",
            [("RuntimeError", 0)],
        ),
        (
            "RuntimeError",
            "Failed to import /tmp/torchinductor_u/ab/c.py\nSyntaxError: invalid syntax (c.py, line 3)",
            [("SyntaxError", 1)],
        ),
        (
            "cffi.error.VerificationError",
            "CompileError: command 'gcc' failed with exit status 1",
            [("CompileError", 0)],
        ),
        ("RuntimeError", "Unexpected error: RuntimeError: Compiler: cl is not found.", [("RuntimeError", 0)]),
        # none of these quotes an exception
        ("RuntimeError", "CUDA error: device-side assert triggered\nCUDA kernel errors might be", []),
        ("RuntimeError", "Triton Error [CUDA]: device kernel image is invalid", []),
        ("RuntimeError", "PTXAS error: Internal Triton PTX codegen error\n`ptxas` stderr:\nptxas fatal   : Value", []),
        ("OSError", "[Errno 28] No space left on device: '/tmp/x'", []),
        ("KeyError", "'RuntimeError: x'", []),
        ("ValueError", "", []),
        ("RuntimeError", "cannot load: value: wrong: got none('x')", []),
    ],
)
def test_the_exceptions_that_a_message_quotes(type_name, message, expected):
    assert [(quoted.type_name, quoted.line) for quoted in unwrap(type_name, message)] == expected


def test_a_quoted_call_keeps_its_line_breaks():
    (quoted,) = unwrap("TorchRuntimeError", "Failed: got ValueError('one\\ntwo \\'three\\'')")
    assert quoted.message == "one\ntwo 'three'"


@given(st.text(max_size=400), st.text(max_size=60))
def test_any_message_is_unwrapped_to_ever_shorter_ones(message, type_name):
    lengths = [len(message), *(len(quoted.message) for quoted in unwrap(type_name, message))]
    assert all(later <= earlier for earlier, later in pairwise(lengths))


@pytest.mark.parametrize(
    ("path", "owner"),
    [
        ("/home/u/train.py", Owner.USER),
        ("train.py", Owner.USER),
        ("Cell In[3]", Owner.USER),
        ("<ipython-input-3-ab>", Owner.USER),
        ("<stdin>", Owner.USER),
        ("D:\\llm\\example.py", Owner.USER),
        ("/home/u/torch_models/model.py", Owner.USER),
        ("/home/u/my_triton/kernel.py", Owner.USER),
        ("/opt/venv/lib/python3.11/site-packages/torch/_inductor/graph.py", Owner.TORCH),
        ("C:\\ci\\py312\\Lib\\site-packages\\torch\\_dynamo\\eval_frame.py", Owner.TORCH),
        ("C:\\\\ci\\\\site-packages\\\\torch\\\\_dynamo\\\\eval_frame.py", Owner.TORCH),
        ("/data/users/ot/pytorch/torch/_inductor/async_compile.py", Owner.TORCH),
        ("../../v251/lib/python3.11/site-packages/torch/__init__.py", Owner.TORCH),
        ("/usr/local/lib/python3.10/dist-packages/triton/common/build.py", Owner.TRITON),
        ("/opt/triton/python/triton/compiler/compiler.py", Owner.TRITON),
        ("/usr/local/lib/python3.12/dist-packages/vllm/v1/engine/core.py", Owner.PACKAGE),
        ("C:\\Python310\\lib\\subprocess.py", Owner.STANDARD_LIBRARY),
        ("/usr/lib/python3.10/contextlib.py", Owner.STANDARD_LIBRARY),
        ("/home/kwan/.conda/envs/cc/lib/python3.6/subprocess.py", Owner.STANDARD_LIBRARY),
        ("<frozen importlib._bootstrap>", Owner.STANDARD_LIBRARY),
        ("/scratch/torchinductor_root/sh/csh7fm443uxxth4popmjlxgr34nc27blwv4ti46dwlhzl2h44eyp.py", Owner.GENERATED),
        ("/scratch/cache/r9/2r/c2rn3xmcaruksjofhiasjhb3d4dzd3yw6vkzwghemvjy3dbfskrx.py", Owner.GENERATED),
        ("<eval_with_key>.3", Owner.GENERATED),
        ("<string>", Owner.UNKNOWN),
        ("", Owner.UNKNOWN),
    ],
)
def test_owners(path, owner):
    assert owner_of(path) is owner


def stack(count: int) -> str:
    return "".join(f'  File "a.py", line {line}, in f\n    call({line})\n' for line in range(1, count + 1))


@pytest.mark.parametrize("count", [0, 1, 2 * KEPT_FRAMES, 2 * KEPT_FRAMES + 1, 2500])
def test_both_ends_of_a_deep_stack_are_kept(count):
    text = stack(count)
    frames = read_frames(text, 0, len(text))
    lines = [frame.line for frame in frames if isinstance(frame, StackFrame)]
    left_out = [frame.count for frame in frames if isinstance(frame, Elision)]
    if count <= 2 * KEPT_FRAMES:
        assert lines == list(range(1, count + 1))
        assert left_out == []
    else:
        assert lines == [*range(1, KEPT_FRAMES + 1), *range(count - KEPT_FRAMES + 1, count + 1)]
        assert left_out == [count - 2 * KEPT_FRAMES]


def test_a_stack_in_parts_is_kept_at_both_ends():
    text = stack(2500)
    part = read_frames(text, 0, len(text))
    frames = kept(part + part)
    (elision,) = [frame for frame in frames if isinstance(frame, Elision)]
    assert len(frames) == 2 * KEPT_FRAMES + 1
    assert elision.count == 5000 - 2 * KEPT_FRAMES


def test_a_long_message_keeps_both_ends():
    text = "a" * KEPT_MESSAGE + "b" * 1000
    short = capped(text)
    assert short.startswith("aaa")
    assert short.endswith("bbb")
    assert "1000 characters left out" in short
    assert capped(short[:KEPT_MESSAGE]) == short[:KEPT_MESSAGE]
