"""Input made to break a reader: no traceback, no hang, nothing live in the output."""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import signal
import subprocess
import time

import pytest

from tests.command import COMMAND, CORPUS, Run, run_command, run_tracelens

MAX_CPU_SECONDS = 10
NO_COMPILER = (
    "torch._inductor.exc.InductorError: InvalidCxxCompiler: No working C++ compiler found in"
    " torch._inductor.config.cpp.cxx: (None, '{}')\n"
)
TRACEBACK = "Traceback (most recent call last):\n"
FRAME = '  File "/app/train.py", line {}, in step\n    return step(x)\n'
DIRECT_CAUSE = "\nThe above exception was the direct cause of the following exception:\n\n"


def frames(count: int) -> bytes:
    text = TRACEBACK + "".join(FRAME.format(number) for number in range(count))
    return (text + "RecursionError: maximum recursion depth exceeded\n").encode()


def chain(count: int) -> bytes:
    links = (f"{TRACEBACK}{FRAME.format(number)}ValueError: link {number}\n" for number in range(count))
    return DIRECT_CAUSE.join(links).encode()


def brackets(opening: str, *, before: str = "") -> bytes:
    return (before + opening * 200_000 + "\n").encode()


LOGS = {
    "empty": b"",
    "one newline": b"\n",
    "no last newline": b"Segmentation fault (core dumped)",
    "NULs": bytes(1_000_000),
    "NULs between letters": b"\0".join(bytes([byte]) for byte in TRACEBACK.encode()) * 1000,
    "random bytes": random.Random(20_260_101).randbytes(2_000_000),
    "a line of 50 MB": b"x" * 50_000_000,
    "a line of 50 MB of tracebacks": TRACEBACK.strip().encode() * (50_000_000 // len(TRACEBACK)),
    "50 MB of carriage returns": b"\r 12%|###   | 12/100 [00:01<00:09,  9.9it/s]" * 1_100_000,
    "a million newlines": b"\n" * 1_000_000,
    "200,000 frames": frames(200_000),
    "20,000 chained exceptions": chain(20_000),
    "200,000 square brackets": brackets("["),
    "200,000 round brackets in a record": brackets("(", before="W1201 02:32:13.949000 14743 torch/x.py:1] [0/8] "),
    "200,000 rank prefixes": brackets("[rank0]:"),
    "200,000 quote marks": brackets("> "),
    "200,000 braces in JSON": brackets('{"log":'),
    "200,000 unclosed quotes in a guard": brackets("L['x'][", before="- tensor 'x' size mismatch "),
    "200,000 spaces in an exception": ("RuntimeError:" + " " * 200_000 + "!\n").encode(),
    "200,000 exclamation marks of a group": brackets(
        "  | ", before="  + Exception Group Traceback (most recent call last):\n"
    ),
    "names and quotes before spelled-out tracebacks": (
        "".join(f" {chr(92) * count}{quote}" for count in range(8) for quote in "'\"")
        + "y" * 3500
        + TRACEBACK.replace("\n", r"\n File 'a'" + "\n")
    ).encode()
    * 3000,
    "lone surrogates": b"\xed\xa0\x80\xed\xbf\xbf" * 1000,
    "half of a UTF-16 file": b"\xff\xfe" + TRACEBACK.encode("utf-16-le")[:-1],
}


def assert_well_behaved(run: Run) -> None:
    assert run.code in (0, 1, 2), run.errors
    assert "Traceback" not in run.errors
    assert run.cpu_seconds < MAX_CPU_SECONDS
    assert not live_sequences(run.output.decode(errors="replace"))
    assert not live_sequences(run.errors)


def live_sequences(text: str) -> list[str]:
    """Return control characters a terminal acts on, and lines a CI runner obeys."""
    control = re.findall(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    return control + re.findall(r"^\s*(?:::\w+.*::|##\[|##vso\[)", text, re.MULTILINE)


@pytest.mark.parametrize("output_format", ["terminal", "json"])
@pytest.mark.parametrize("name", LOGS)
def test_hostile_log_is_answered(name, output_format, tmp_path):
    log = tmp_path / "hostile.log"
    log.write_bytes(LOGS[name])
    run = run_tracelens("analyze", "--format", output_format, log)
    assert_well_behaved(run)
    assert run.code in (0, 1)
    if output_format == "json":
        assert json.loads(run.output)["outcome"] in ("clean", "outside", "unexplained")


@pytest.mark.parametrize("name", ["empty", "one newline", "a million newlines", "a line of 50 MB"])
def test_log_without_a_failure_is_clean(name):
    run = run_tracelens("analyze", "--format", "json", "-", stdin=LOGS[name])
    assert json.loads(run.output)["outcome"] == "clean"


@pytest.mark.parametrize("name", ["200,000 frames", "20,000 chained exceptions"])
def test_failure_of_any_size_is_seen(name):
    run = run_tracelens("analyze", "--format", "json", "-", stdin=LOGS[name])
    assert json.loads(run.output)["outcome"] in ("outside", "unexplained")


DRESSED_UP = {
    "clears the screen": "\x1b[2J\x1b[H",
    "sets the title": "\x1b]0;owned\x07",
    "links elsewhere": "\x1b]8;;http://example.com\x1b\\click\x1b]8;;\x1b\\",
    "C1 controls": "\x9b31m\x90q\x9c",
    "goes back": "\b\b\b\x7f\x0b\x0c",
    "turns text around": "\u202etxt.exe\u2066",
    "rich markup": "[red]red[/red] [link=http://example.com]x[/link] [/path]",
    "GitHub commands": "\n::error file=app.py::owned\n##[error]owned\n##vso[task.complete]owned\n",
}


@pytest.mark.parametrize("output_format", ["terminal", "json"])
@pytest.mark.parametrize("name", DRESSED_UP)
def test_evidence_is_shown_and_never_acts(name, output_format):
    log = (TRACEBACK + FRAME.format(1) + NO_COMPILER.format("g++" + DRESSED_UP[name])).encode()
    run = run_tracelens("analyze", "--format", output_format, "-", stdin=log)
    assert_well_behaved(run)
    assert b"toolchain/cxx-missing" in run.output


@pytest.mark.parametrize("output_format", ["terminal", "json", "markdown", "sarif", "html", "github"])
def test_byte_that_is_no_text_is_told_in_every_format(output_format):
    log = TRACEBACK.encode() + b"RuntimeError: no kernel image is available for \x9b\n"
    run = run_tracelens("analyze", "--format", output_format, "-", stdin=log)
    assert run.code in (0, 1), run.errors
    assert r"available for \x9b" in run.output.decode().replace(r"\\x9b", r"\x9b")


def test_rich_markup_in_evidence_survives_in_colour():
    log = (TRACEBACK + FRAME.format(1) + NO_COMPILER.format("[red]g++[/path]")).encode()
    run = run_tracelens("analyze", "-", stdin=log, env={**os.environ, "FORCE_COLOR": "1", "COLUMNS": "200"})
    plain = re.sub(rb"\x1b\[[0-9;]*m", b"", run.output)
    assert run.output != plain
    assert b"[red]g++[/path]" in plain
    assert not live_sequences(plain.decode())


def test_name_of_an_input_never_acts(tmp_path):
    log = tmp_path / "\x1b[2J[red]::error::x.log"
    log.write_text("fine\n")
    for output_format in ("terminal", "json"):
        assert_well_behaved(run_tracelens("analyze", "--format", output_format, log))
    assert_well_behaved(run_tracelens("analyze", tmp_path / "\x1b[2J[red]missing.log"))


def test_truncated_gzip_is_read_as_far_as_it_goes(tmp_path):
    whole = (CORPUS / "lab/2.13.0/inductor-no-gxx/input.log").read_bytes()
    log = tmp_path / "cut.log.gz"
    noise = random.Random(1).randbytes(100_000).hex().encode()
    log.write_bytes(gzip.compress(whole + noise)[:-20_000])
    run = run_tracelens("analyze", "--format", "json", log)
    assert_well_behaved(run)
    answer = json.loads(run.output)
    assert answer["label"] == "toolchain/cxx-missing"
    assert answer["diagnostics"]


def test_gzip_cut_in_its_header_is_no_traceback(tmp_path):
    log = tmp_path / "cut.log.gz"
    log.write_bytes(gzip.compress(b"x")[:7])
    assert_well_behaved(run_tracelens("analyze", log))


BOMBS = {
    "decompression bomb": bytes(1_000_000),
    "decompresses to more than 200.0 MiB": (b"x" * 99 + b"\n") * 10_000,
}


@pytest.mark.parametrize("complaint", BOMBS)
def test_decompression_bomb_ends_with_a_clear_error(complaint, tmp_path):
    log = tmp_path / "bomb.gz"
    with gzip.open(log, "wb", compresslevel=1) as file:
        for _ in range(300):
            file.write(BOMBS[complaint])
    run = run_tracelens("analyze", "--max-size", "200M", log)
    assert_well_behaved(run)
    assert run.code == 2
    assert run.output == b""
    assert f"bomb.gz: {complaint}" in run.errors.replace("it decompresses", "decompresses")


@pytest.mark.parametrize("name", ["missing.log", "empty-folder", "nothing-*.log"])
def test_input_that_is_not_there_is_a_usage_error(name, tmp_path):
    (tmp_path / "empty-folder").mkdir()
    run = run_tracelens("analyze", tmp_path / name)
    assert_well_behaved(run)
    assert run.code == 2
    assert name in run.errors
    assert run.output == b""


def test_directory_is_read_file_by_file(tmp_path):
    for rank in range(3):
        (tmp_path / f"rank{rank}.log").write_text(TRACEBACK + FRAME.format(1) + NO_COMPILER.format("g++"))
    run = run_tracelens("analyze", tmp_path)
    assert_well_behaved(run)
    assert run.code == 0
    assert all(f"rank{rank}.log".encode() in run.output for rank in range(3))


@pytest.mark.parametrize("pattern", ["", "*"])
def test_broken_file_does_not_hide_the_guilty_one_behind_it(pattern, tmp_path):
    (tmp_path / "a.log").write_text("fine\n")
    (tmp_path / "b.log.gz").write_bytes(gzip.compress(b"x")[:10])
    (tmp_path / "c.log").write_text(TRACEBACK + FRAME.format(1) + NO_COMPILER.format("g++"))
    run = run_tracelens("analyze", "--format", "json", tmp_path / pattern)
    assert_well_behaved(run)
    assert run.code == 2
    assert "b.log.gz" in run.errors
    assert json.loads(run.output)["label"] == "toolchain/cxx-missing"


@pytest.mark.parametrize("output_format", ["terminal", "json"])
def test_closed_pipe_is_no_traceback(output_format):
    reader, writer = os.pipe()
    os.close(reader)
    log = CORPUS / "lab/2.13.0/inductor-no-gxx/input.log"
    command = [COMMAND, "analyze", "--format", output_format, log]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, timeout=60, check=False)
    os.close(writer)
    assert done.stderr == b""


SHELL_RUNS = {
    "no standard output": ("analyze {log} >&-", 0),
    "no standard output for JSON": ("analyze --format json {log} >&-", 0),
    "no standard error": ("analyze missing.log 2>&-", 2),
    "no streams at all": ("analyze {log} <&- >&- 2>&-", 0),
    "full disk": ("analyze {log} >/dev/full", 2),
    "full disk in colour": ("analyze {log} >/dev/full", 2),
    "full disk for errors": ("analyze missing.log 2>/dev/full", 2),
    "full disk for the version": ("--version >/dev/full", 2),
    "full disk for cache paths": ("cache paths >/dev/full", 2),
    "no standard output for cache paths": ("cache paths >&-", 0),
}


@pytest.mark.parametrize("name", SHELL_RUNS)
def test_exit_code_holds_where_nothing_can_be_written(name):
    command, code = SHELL_RUNS[name]
    log = CORPUS / "lab/2.13.0/inductor-no-gxx/input.log"
    env = {**os.environ, "FORCE_COLOR": "1"} if "colour" in name else None
    run = run_command("sh", "-c", f"{COMMAND} {command.format(log=log)}", env=env)
    assert_well_behaved(run)
    assert run.code == code
    assert (">/dev/full" in command and "2>" not in command) == ("cannot be written" in run.errors)


@pytest.mark.parametrize("arguments", [["--bogus"], ["analyze", "x.log", "--bogus"], ["analyze", "--format"], [""]])
def test_complaint_about_arguments_never_acts(arguments):
    *before, last = arguments
    run = run_tracelens(*before, f"{last}\n::error::owned\x1b[2J")
    assert_well_behaved(run)
    assert run.code == 2
    assert "owned" in run.errors


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_cache_folder_of_any_name_is_quoted_and_never_acts(encoding, tmp_path):
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/\n::error::owned\x1b[2J 'q' $HOME \xc3\xa9\xff")
    env = {**os.environ, "TRITON_CACHE_DIR": folder, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    run = run_tracelens("cache", "paths", env=env)
    assert_well_behaved(run)
    assert run.code == 0
    shell = ["bash", "-c", 'source /dev/stdin; printf %s "$TRITON_CACHE_DIR"']
    said = subprocess.run(shell, input=run.output, capture_output=True, check=True, timeout=60).stdout
    assert os.path.dirname(said) == os.fsencode(folder)  # noqa: PTH120  # bytes


def test_interrupt_is_no_traceback():
    child = subprocess.Popen(
        [COMMAND, "analyze", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert child.stdin is not None
    # More than a pipe holds: once it is written, the command is known to be reading.
    child.stdin.write(b"step 1 loss 2.0\n" * 100_000)
    child.stdin.flush()
    started = time.monotonic()
    child.send_signal(signal.SIGINT)
    output, errors = child.communicate(timeout=60)
    assert time.monotonic() - started < MAX_CPU_SECONDS
    assert child.returncode in (130, -signal.SIGINT)
    assert b"Traceback" not in output + errors
