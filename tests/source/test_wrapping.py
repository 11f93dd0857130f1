from __future__ import annotations

import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.source.dressing import dressed
from tests.source.test_strands import lines_of, split

#: A crash with many long lines, of different lengths.
PATH = "/opt/venv/lib/python3.11/site-packages/torch"
_LONG = f"""Traceback (most recent call last):
  File "/workspace/train.py", line 12, in <module>
    loss = f(torch.randn(2, 32, 256)).pow(2).mean(); loss.backward()
           ^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "{PATH}/_dynamo/eval_frame.py", line 511, in __call__
    return super().__call__(*args, **kwargs)
  File "{PATH}/nn/modules/module.py", line 1778, in _wrapped_call_impl
    return self._call_impl(*args, **kwargs)
  File "{PATH}/_inductor/compile_fx.py", line 1079, in _compile_fx_inner
    raise InductorError(e, currentframe()).with_traceback(
  File "{PATH}/_inductor/cpp_builder.py", line 108, in cpp_compiler_search_for_the_platform_at_hand
    raise exc.InvalidCxxCompiler
torch._inductor.exc.InductorError: InvalidCxxCompiler: No working C++ compiler found in \
torch._inductor.config.cpp.cxx: (None, 'g++')

Set TORCHDYNAMO_VERBOSE=1 for the internal stack trace (please do this especially if you're reporting \
a bug to PyTorch). For even more developer context, set TORCH_LOGS="+dynamo"
W1201 02:32:13.949000 14743 torch/_dynamo/convert_frame.py:1994] [0/8] torch._dynamo hit config.recompile_limit (8)
"""
LONG = _LONG.split("\n")[:-1]


def cut(lines: list[str], width: int) -> list[str]:
    return [line[i : i + width] for line in lines for i in range(0, max(1, len(line)), width)]


@pytest.mark.parametrize("width", [60, 72, 80, 97, 100, 113, 120, 132])
def test_lines_cut_at_one_width_are_joined(width):
    pieces = cut(LONG, width)
    (strand,) = split("\n".join(pieces))
    assert lines_of(strand) == LONG
    number = 1
    for line, first, last in zip(LONG, strand.line_numbers, strand.last_line_numbers, strict=True):
        assert (first, last) == (number, number + max(0, len(line) - 1) // width)
        number = last + 1


@pytest.mark.parametrize("name", ["rank of a traceback", "github actions", "quote", "docker compose", "json", "crlf"])
@pytest.mark.parametrize("width", [80, 120])
def test_lines_cut_before_or_after_they_were_decorated_are_joined(name, width):
    (strand,) = split("\n".join(dressed(cut(LONG, width), [name])))
    assert lines_of(strand) == LONG
    (strand,) = split("\n".join(cut(dressed(LONG, [name]), width)))
    assert lines_of(strand) == LONG


def test_one_word_that_a_terminal_broke_is_whole_again():
    text = (
        "Traceback (most recent call last):\n"
        + "x" * 35
        + ": undefined symbol: _ZNK3c1010TensorImpl15inc\nref_pyobjectEv\n"
    )
    assert len(text.split("\n")[1]) == 80
    assert lines_of(split(text)[0])[1].endswith("15incref_pyobjectEv")


def test_a_message_that_a_terminal_broke_in_a_word_is_whole_again_though_frames_are_as_long():
    frames = [
        f'  File "/var/task/numba/core/{name}.py", line {line}, in enable_caching_of_it_all_now'
        for name, line in (("a", 2), ("bc", 16), ("def", 7))
    ]
    message = "RuntimeError: cannot cache function '__shear_dense': no locator available for file 'utils.py'"
    lines = ["Traceback (most recent call last):", *(each for frame in frames for each in (frame, "    f()")), message]
    assert all(72 <= len(frame) < 80 for frame in frames)
    assert lines_of(split("\n".join([*lines[:-1], message[:80], message[80:]]))[0]) == lines


@pytest.mark.parametrize("width", [80, 100])
def test_lines_wrapped_between_words_are_joined_where_frames_prove_it(width):
    wrapped = [
        piece
        for line in LONG[:-2]
        for piece in textwrap.wrap(line, width, break_on_hyphens=False, break_long_words=True) or [""]
    ]
    (strand,) = split("\n".join(wrapped))
    frames = [line for line in LONG if line.startswith("  File ")]
    assert [line for line in lines_of(strand) if line.startswith("  File ")] == frames
    assert LONG[12] in lines_of(strand)


@pytest.mark.parametrize(
    "pieces",
    [
        ['  File "/opt/venv/lib/python3.11/site-', 'packages/torch/_dynamo/guards.py", line 12, in f'],
        ['  File "/opt/venv/lib/python3.11/site-packages/torch/_dynamo/guards.py",', "line 12, in f"],
        ['  File "/opt/venv/lib/python3.11/site-packages/torch/_dynamo/guards.py", line', "12, in f"],
        ['  File "/opt/venv/lib/python3.11/site-packages/torch/_dynamo/guards.py", line 12, in', "f"],
        ['  File "/opt/venv/lib/python3.11/site-packages/torch/_dynamo/guards.py", line 1', "2, in f"],
        ['  File "/opt/venv/lib/python3.11/', "site-packages/torch/", '_dynamo/guards.py", line 12, in f'],
    ],
)
def test_a_frame_torn_over_lines_is_mended(pieces):
    frame = '  File "/opt/venv/lib/python3.11/site-packages/torch/_dynamo/guards.py", line 12, in f'
    (strand,) = split("\n".join(["Traceback (most recent call last):", *pieces, "    return x", "ValueError: x"]))
    assert lines_of(strand) == ["Traceback (most recent call last):", frame, "    return x", "ValueError: x"]
    assert list(strand.last_line_numbers) == [1, 1 + len(pieces), 2 + len(pieces), 3 + len(pieces)]


@pytest.mark.parametrize(
    "lines",
    [
        [
            f"step {i:05d} | loss 0.1234 | lr 1.00e-03 | grad_norm 0.52 | tokens 12345 | time 12 ms/s"[:80]
            for i in range(40)
        ],
        [
            "+" + "-" * 89 + "+",
            *["| NVIDIA-SMI 550.54.15      Driver Version: 550.54.15      CUDA Version: 12.4         |"] * 9,
        ],
        ["=" * 80, "FAILURES of this run", "=" * 80, "and more", "=" * 80, "the end"],
        [
            line
            for i in range(20)
            for line in (
                f"/usr/include/vec512_int.h:{1000 + i}:7: warning: overflow in conversion from int to char",
                f" {1000 + i} |   0x80,",
                "      |   ^~~~",
            )
        ],
        [
            line
            for i in range(20)
            for line in (
                f"/opt/venv/lib/python3.11/site-packages/torch/x.py:{1000 + i}: UserWarning: something",
                "  warnings.warn(",
            )
        ],
        [
            f"{'ruff':.<73}Passed",
            f"{'trim trailing whitespace':.<73}Failed",
            "- hook id: trailing-whitespace",
            f"{'check yaml':.<73}Passed",
            "one hook failed",
        ],
        ["as: BFD (GNU Binutils for Debian) 2.40 assertion fail ../../bfd/elf.c:3108"] * 20,
        [f"2025-05-18 11:04:09,{100 + i} INFO worker.py:1843 -- Connected to Ray cluster." for i in range(9)]
        + ["/w/a.c:5:10: fatal error: x"],
    ],
)
def test_lines_of_one_length_by_nature_stay(lines):
    (strand,) = split("\n".join(lines) + "\n")
    assert lines_of(strand) == lines


@settings(max_examples=100)
@given(
    st.lists(
        st.text(alphabet="abc xyz.:/", min_size=1, max_size=59).map(str.rstrip).filter(bool), min_size=1, max_size=30
    )
)
def test_any_short_lines_are_never_joined(lines):
    (strand,) = split("\n".join(lines) + "\n")
    assert len(lines_of(strand)) == len(lines)


def test_records_are_joined_whose_rests_had_no_room():
    head = "W1201 02:32:45.865000 14918 torch/_inductor/codecache.py:1716] [0/0]"
    lines = [f"{head} fx graph cache unable to load compiled graph", f"{head} Traceback (most recent call last):"]
    lines += [f'{head}   File "{PATH}/_inductor/codecache.py", line 1714, in iterate_over_candidates']
    lines += [f"{head}     yield pickle.loads(content), content, True", f"{head} _pickle.UnpicklingError: pickle data"]
    cut = [part for line in lines for part in textwrap.wrap(line, 100, break_on_hyphens=False)]
    (strand,) = split("\n".join(cut))
    assert [" ".join(line.split()) for line in lines_of(strand)] == [" ".join(line.split()) for line in lines]


def test_lines_below_records_of_one_template_are_their_own():
    lines = [each for i in range(10, 30) for each in (f"INFO step {i} {'x' * 70}", f"loss-of-{i} 2.31")]
    assert lines_of(split("\n".join(lines))[0]) == lines
