from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.source.test_strands import lines_of, split
from tracelens.source.codes import has_hidden_codes, is_clean
from tracelens.source.controls import rows_of


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[38;5;208mred\x1b[K", "red"),
        ("\x1b]8;;https://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]unterminated text", "]unterminated text"),
        ("\x1b_bk;t=1700000000000\x07text", "text"),
        ("\x9b31mred\x9b0m", "red"),
        ("#033[2mdim#033[0m", "dim"),
        ("^[[31mred^[[0m", "red"),
        ("\\x1b[31mred\\x1b[0m", "red"),
        ("\\u001b[31mred\\u001b[0m", "red"),
        ("\\033[1;31mred\\033[0m", "red"),
        ("\u241b[31mred\u241b[0m", "red"),
        ("[1;36mtext[0;0m", "text"),
        ("[2mtext[22m[K", "text"),
        ("\ufffd[31mred\ufffd[0m", "red"),
        ("a\0b\x01c\x7fd", "abcd"),
        ("a\u200bb\ufeffc", "abc"),
        ("\xa0\xa0\xa0\xa0return x", "    return x"),
        ("text\r", "text"),
        ("text\r\r", "text"),
        ("tab\tstays", "tab\tstays"),
        ("File &quot;/a.py&quot;, line 1, in &lt;module&gt; &amp;&amp; x", 'File "/a.py", line 1, in <module> && x'),
    ],
)  # fmt: skip
def test_what_a_terminal_would_swallow_comes_off(raw, plain):
    (strand,) = split(f"first line\n{raw}\n")
    assert lines_of(strand) == ["first line", plain]


@pytest.mark.parametrize(
    "line",
    [
        "origins=OrderedSet([mm])",
        "x = a[0]",
        "[m",
        "if (a && b) return;",
        "vector<int> v; &lt",
        "see issue #012 and #015",
    ],
)
def test_what_only_looks_like_a_code_stays(line):
    (strand,) = split(line + "\n")
    assert strand.text == line + "\n"


def test_a_carriage_return_begins_a_row_of_the_same_line():
    (strand,) = split("a\n\r 10%\r 20%\rRuntimeError: x\nb\n", 7)
    assert lines_of(strand) == ["a", " 10%", " 20%", "RuntimeError: x", "b"]
    assert list(strand.line_numbers) == [7, 8, 8, 8, 9]


@pytest.mark.parametrize(
    "bar",
    [
        "  0%|          | 0/28 [00:00<?, ?it/s]",
        "100%|██████████| 73/73 [00:04<00:00, 17.11it/s]",
        "Preparing: 46%|████▋     | 31/67 [29:02<35:12, 58.67s/it]",
        "5it [00:01,  4.98it/s]",
        "Epoch 0: 5%|▌| 1/20 [00:01<00:20, 0.93it/s, v_num=0, loss=2.5]",
        "model.safetensors: 12%|█▏| 1.2G/9.9G [01:02<07:01, 20.5MB/s]",
    ],
)
def test_a_bar_goes_that_a_message_was_glued_to(bar):
    (strand,) = split(f"{bar}\r{bar}slurmstepd: error: x\n{bar}\n")
    assert lines_of(strand) == ["slurmstepd: error: x", bar]
    assert list(strand.line_numbers) == [1, 2]


def test_rsyslog_spells_other_controls_too():
    (strand,) = split("#033[31mred#033[0m#015#012next#011tab\n")
    assert lines_of(strand) == ["red", "next\ttab"]


def test_a_line_of_50_megabytes_keeps_its_head_and_tail():
    line = "head " + "x" * (50 << 20) + " tail"
    started = time.process_time()
    (strand,) = split(f"before\n{line}\nRuntimeError: x\n")
    assert time.process_time() - started < 5
    before, cut, after = lines_of(strand)
    assert (before, after) == ("before", "RuntimeError: x")
    assert len(cut) < 200_000
    assert cut.startswith("head xxx")
    assert cut.endswith("xxx tail")
    assert "characters left out" in cut
    assert list(strand.line_numbers) == [1, 2, 3]


def test_a_line_that_was_only_redrawn_is_no_row():
    bar = "Epoch 3:  47%|####7     | 188/400 [02:11<02:28,  1.43it/s]"
    assert rows_of(f"one\n{bar}\r{bar}\ntwo\n", 1).texts == ["one", "two"]
    assert rows_of(f"{bar}\r{bar}\n", 1).texts == [""]


@pytest.mark.parametrize(
    "margin",
    [
        "    ",
        "      ",
        "> ",
        ">     ",
        "> [rank0]:[rank0]: ",
        "2025-06-24 17:18:00  ",
        "[17:18:00] ",
        "vllm-0  | ",
        "12: ",
        "2026-03-24T06:51:01.0000000Z ",
    ],
)
def test_what_decorates_a_line_stays_where_its_bar_goes(margin):
    bar = "Epoch 3:  47%|####7     | 188/400 [02:11<02:28,  1.43it/s]"
    assert rows_of(f"{margin}{bar}\rTraceback\n", 1).texts == [f"{margin}Traceback"]
    # A bar without a name pads its number to three digits.
    nameless = bar.removeprefix("Epoch 3: ")
    assert rows_of(f"{margin}{nameless}\rTraceback\n", 1).texts == [f"{margin}Traceback"]


def test_a_bar_redrawn_for_hours_keeps_its_ends():
    line = "\r".join(f"step {i}" for i in range(1_000_000))
    rows = rows_of(f"{line}\nnext\n", 1)
    assert rows.texts[0] == "step 0"
    assert rows.texts[-2:] == ["step 999999", "next"]
    assert set(rows.numbers) == {1, 2}
    assert sum(map(len, rows.texts)) < 5 << 20


def test_many_long_lines_take_linear_time():
    started = time.process_time()
    rows = rows_of(("y" * 300_000 + "\n") * 100, 1)
    assert time.process_time() - started < 5
    assert len(rows.texts) == 100
    assert {len(text) for text in rows.texts} == {131_072 + len("…[168,928 characters left out]…")}


@given(st.text(alphabet=st.characters(max_codepoint=0x2FFF)))
def test_any_text_that_is_clean_has_nothing_to_take_off(text):
    if is_clean(text) and not has_hidden_codes(text) and text and max(text) < "\u200c":
        assert rows_of(text, 1).texts == (text.removesuffix("\n") if text != "\n" else "").split("\n")


@given(st.text())
def test_any_row_has_no_control_character_left(text):
    for row in rows_of(text or "x", 1).texts:
        assert is_clean(row)


def test_a_bar_that_was_erased_is_no_row():
    bar = "Epoch 3:  47%|####     | 188/400 [02:11<02:28,  1.43it/s]"
    assert rows_of(f"above\n{bar}\r\nbelow\n", 1).texts == ["above", "below"]
    assert rows_of(f"{bar}\r\n", 1).texts == [""]
