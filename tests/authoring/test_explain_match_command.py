"""``tracelens explain-match``, run as a user runs it."""

from __future__ import annotations

import gzip
import json

from tests.command import CORPUS, run_tracelens

SO_ZERO = CORPUS / "lab/2.13.0/so-zero/input.log"


def test_a_match_is_shown_with_its_line_and_text():
    run = run_tracelens("explain-match", SO_ZERO, "--rule", "TL201")
    shown = run.output.decode()
    assert (run.code, run.errors) == (0, "")
    assert "It matched and is the answer." in shown
    assert "107 │ " in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_a_rule_that_did_not_match_exits_with_one_and_says_what_is_missing():
    run = run_tracelens("explain-match", SO_ZERO, "--rule", "metadata-truncated")
    assert run.code == 1
    assert "It did not match." in run.output.decode()
    assert "type alone: nowhere" in run.output.decode()


def test_json_holds_every_condition(tmp_path):
    packed = tmp_path / "a.log.gz"
    packed.write_bytes(gzip.compress(SO_ZERO.read_bytes()))
    run = run_tracelens("explain-match", packed, "--rule", "TL201", "--format", "json")
    data = json.loads(run.output)
    assert (data["code"], data["fate"]) == ("TL201", "the answer")
    assert data["when"]["condition"] == "any"
    assert data["when"]["members"][0]["seen"][0]["line"] == 107


def test_an_unknown_rule_a_missing_log_and_several_logs_are_refused(tmp_path):
    assert run_tracelens("explain-match", SO_ZERO, "--rule", "TL000").code == 2
    assert run_tracelens("explain-match", tmp_path / "none", "--rule", "TL201").code == 2
    for name in "ab":
        (tmp_path / f"{name}.log").write_text("x\n")
    run = run_tracelens("explain-match", tmp_path, "--rule", "TL201")
    assert run.code == 2
    assert "leads to 2 logs" in run.errors


def test_json_of_a_log_that_is_no_utf_8_is_json(tmp_path):
    log = tmp_path / "train.log"
    text = b"InvalidCxxCompiler: No working C++ compiler found in torch._inductor.config.cpp.cxx: (None, 'g\xe9')"
    log.write_bytes(b"Traceback (most recent call last):\n  File 'a.py', line 1, in <module>\n" + text + b"\n")
    data = json.loads(run_tracelens("explain-match", log, "--rule", "TL101", "--format", "json").output)
    assert "(None, 'g\\xe9')" in json.dumps(data, ensure_ascii=False).replace("\\\\", "\\")


def test_nothing_in_a_log_acts():
    log = b"InvalidCxxCompiler: No working C++ compiler found \x1b[2J##[error]x (None, 'g++')\n"
    run = run_tracelens("explain-match", "-", "--rule", "TL101", stdin=log)
    assert run.code == 0
    assert b"\x1b" not in run.output
    assert b"##[" not in run.output
