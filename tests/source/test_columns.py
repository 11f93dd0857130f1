from __future__ import annotations

import pytest

from tests.source.dressing import CRASH
from tests.source.test_strands import lines_of, names_of, split

PLAIN = [line for line in CRASH if line]


@pytest.mark.parametrize("marks", ["> ", ">", "> > ", ">> ", ">>", "| ", "stderr: ", "stdout: "])
def test_marks_before_every_line_come_off(marks):
    (strand,) = split("\n".join(marks + line for line in PLAIN))
    assert lines_of(strand) == PLAIN


def test_lines_numbered_by_cat_lose_their_numbers():
    (strand,) = split("\n".join(f"{i:6}\t{line}" for i, line in enumerate(PLAIN, 1)))
    assert lines_of(strand) == PLAIN


def test_tables_of_numbers_stay():
    lines = [f"{7 - i}\tvalue" for i in range(8)]
    assert lines_of(split("\n".join(lines))[0]) == lines


def test_padded_labels_name_ranks():
    strands = split("".join(f"{rank:2}: {line}\n" for line in PLAIN for rank in (3, 12)))
    assert names_of(strands) == ["rank 3", "rank 12"]
    assert [lines_of(strand) for strand in strands] == [PLAIN, PLAIN]


def test_numbers_that_all_differ_are_no_ranks():
    lines = [f"{i}: code();" for i in range(40, 60)]
    assert lines_of(split("\n".join(lines))[0]) == lines


def test_services_of_one_width_are_told_apart():
    text = "".join(f"{name:<9} | {line}\n" for line in PLAIN for name in ("vllm-1", "gateway-2"))
    strands = split(text)
    assert names_of(strands) == ["vllm-1", "gateway-2"]
    assert [lines_of(strand) for strand in strands] == [PLAIN, PLAIN]


@pytest.mark.parametrize(
    "lines",
    [
        ["| a   | b |", "| --- | - |", "| c   | d |", "| e   | f |", "| g   | h |"],
        ["Name | Value", "Total | 12", "Mean | 3", "Median | 4"],
        ["INFO     | module | one", "INFO     | module | two", "INFO     | module | three", "INFO     | module | four"],
        ["conv1: Conv2d", "conv2: Conv2d", "conv3: Conv2d", "conv4: Conv2d", "conv5: Conv2d"],
        ["collect2: error: ld returned 1 exit status"] * 12,
        ["cc1plus: warning: command-line option is valid for C but not C++"] * 12,
        ["ERROR: one", "ERROR: two", "ERROR: three", "ERROR: four", "ERROR: five"],
        [">>> import torch", ">>> torch.compile(f)", ">>> f(x)", ">>> g(x)"],
        [">       return fn(x)", "", "a.py:3: ValueError"],
    ],
)
def test_what_is_no_column_stays(lines):
    (strand,) = split("\n".join(lines) + "\n")
    assert lines_of(strand) == lines
    assert strand.process is None


def test_hosts_are_told_apart():
    text = "".join(f"{host}: {line}\n" for line in PLAIN for host in ("gpu-node07", "10.0.0.3"))
    strands = split(text)
    assert names_of(strands) == ["gpu-node07", "10.0.0.3"]
    assert lines_of(strands[0]) == PLAIN


def test_a_quoted_part_of_a_mail_is_unquoted_and_the_rest_stays():
    (strand,) = split("\n".join(["Hello,", "", *[f"> {line}" for line in PLAIN], "", "Same here."]))
    assert lines_of(strand) == ["Hello,", "", *PLAIN, "", "Same here."]


def test_an_empty_line_behind_each_of_a_service_makes_no_table_of_it():
    text = "".join(f"vllm-0  | {line}\nvllm-0  | \n" for line in PLAIN)
    strand = split(f"Here it is:\n\n{text}")[-1]
    assert [line for line in lines_of(strand) if line] == PLAIN


def test_names_of_services_in_brackets_come_off_and_tell_processes_apart():
    header = "V0520 10:13:07.330000 1 torch/_dynamo/guards.py:2997] [0/1] [__recompiles] Recompiling"
    rows = [f"[web] {header}", "[router] GET / 200", f"[web] {header}", "[web] done"]
    web, router = split("\n".join(rows) + "\n")
    assert lines_of(web) == [header, header, "done"]
    assert lines_of(router) == ["GET / 200"]


def test_tags_of_a_program_stay():
    rows = ["[train] step 1", "[train] step 2", "[eval] loss 3", "[train] step 4"]
    assert lines_of(split("\n".join(rows) + "\n")[0]) == rows
