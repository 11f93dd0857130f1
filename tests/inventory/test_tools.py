"""The tools below torch: each message means what the facts say, in each circumstance."""

from __future__ import annotations

import errno
import os

import pytest
import yaml

from corpus.lab.inventory.tools import FACTS, judge_tools, load_tool_messages

MESSAGES = load_tool_messages()


@pytest.mark.parametrize("tool", sorted({told.tool for told in MESSAGES}))
def test_analyze_says_of_each_message_what_the_facts_say(tool):
    verdicts = judge_tools(told for told in MESSAGES if told.tool == tool)
    assert [str(verdict) for verdict in verdicts if not verdict.is_right] == []


def test_every_circumstance_has_a_place_for_the_message_and_is_used():
    circumstances = yaml.safe_load(FACTS.read_text(encoding="utf-8"))["circumstances"]
    assert all("{message}" in log for log in circumstances.values())
    assert {told.circumstance for told in MESSAGES} == set(circumstances)


def test_same_errno_is_the_cache_in_one_place_and_outside_in_another():
    full = {told.circumstance: told.labels[0] for told in MESSAGES if "[Errno 28]" in told.message}
    assert full["os-inductor"] == full["os-triton"] == full["os-extension"] == "cache/no-space"
    assert {full[name].partition("/")[0] for name in ("os-checkpoint", "os-dataset", "os-shm")} == {"outside"}


@pytest.mark.skipif(os.uname().sysname != "Linux", reason="the texts of errno are those of glibc")
def test_texts_of_errno_are_those_of_the_system():
    told = {message.message for message in MESSAGES if message.tool == "errno"}
    for name in (
        "EACCES",
        "EPERM",
        "EROFS",
        "ENOSPC",
        "EDQUOT",
        "ESTALE",
        "EBUSY",
        "ETXTBSY",
        "EMFILE",
        "ENOLCK",
        "EIO",
    ):
        number = getattr(errno, name)
        assert any(f"[Errno {number}] {os.strerror(number)}" in message for message in told), name


def test_every_tool_that_the_inventory_is_to_cover_is_there():
    assert {told.tool for told in MESSAGES} >= {
        "gcc", "clang", "ld", "as", "nvcc", "ptxas", "msvc", "loader", "cuda", "errno", "nccl", "ninja", "shell",
    }  # fmt: skip
