"""The scan leaves nothing out that the answer needs: with and without it, findings are the same."""

from __future__ import annotations

import io
import random
import re

import pytest

from tests.scan.logs import LOGS, noise, read_log, scan
from tracelens.api import analyze_feed
from tracelens.findings import Diagnosis, Diagnostic, Outcome
from tracelens.ruleset.bundled import load_ruleset
from tracelens.scan import ScanOptions

BEFORE, AFTER = b"".join(noise(450)), b"".join(noise(650, seed=1))
WHOLE, SCANNED = ScanOptions(whole_bytes=1 << 30), ScanOptions(whole_bytes=0)


class Feed(io.BytesIO):
    """A log in memory."""

    remarks: tuple[Diagnostic, ...] = ()


def answer(data: bytes, options: ScanOptions) -> tuple[object, ...]:
    diagnosis: Diagnosis = analyze_feed(Feed(data), load_ruleset(), options=options)
    findings = [
        (
            finding.code,
            finding.severity,
            finding.ranks,
            finding.occurrences,
            [evidence.span.line for evidence in finding.evidence],
        )
        for finding in diagnosis.findings
    ]
    return diagnosis.outcome, diagnosis.label, findings, diagnosis.coverage.lines


@pytest.mark.parametrize("path", LOGS[3::25], ids=lambda path: "/".join(path.parts[-4:-1]))
def test_log_in_noise_gets_the_answer_that_reading_all_of_it_gives(path):
    data = BEFORE + read_log(path) + b"\n" + AFTER
    assert answer(data, SCANNED) == answer(data, WHOLE)


OBJECTS = b"".join(b'{"level":"info","msg":"step %d"}\n' % number for number in range(2000))


@pytest.mark.parametrize(
    "told",
    [
        b'{"level":"error","msg":"f","error.type":"pkg.Bad","error.message":"it broke"}',
        b'{"level": "error", "msg": "f", "error": {"kind": "ValueError", "message": "bad value"}}',
        b'{"level":50,"msg":"f","err":{"type":"pkg.Bad","message":"it broke"}}',
        b'{"errorType":"ValueError","errorMessage":"bad value","stackTrace":["  File \\"/a.py\\", line 3, in f\\n"]}',
        b'{"ts":1,"msg":"f","exc_type":"pkg.Bad","exc_value":"it broke"}',
    ],
)
def test_failure_that_fields_tell_of_is_found_in_a_large_log(told):
    data = OBJECTS + told + b"\n" + OBJECTS
    assert answer(data, SCANNED) == answer(data, WHOLE)
    assert answer(data, WHOLE)[0] is not Outcome.CLEAN


STAMP = re.compile(rb"(?m)^([VDIWEC]\d{4}) \d\d:\d\d:\d\d\.(\d+) +\d+ ")
#: What runs with TORCH_LOGS print that went well, and what others print that did not.
DENSE = [data for data in map(read_log, LOGS) if len(STAMP.findall(data)) > 800 and b"Traceback (most" not in data]
#: Not those of a rank that says so once: whose the undecorated lines far below are shows only when all is read.
OTHERS = [
    data
    for data in map(read_log, LOGS)
    if len(data) < 60_000 and len(STAMP.findall(data)) < 100 and not re.search(rb"(?i)(?:rank[ =]?|\b[TPD]P)\d", data)
]
#: The last of a dense log, from which one turn of a long log is made.
TURN = 120_000


def printed_at(second: int, turn: bytes) -> bytes:
    """Return what another process printed at another time."""
    return STAMP.sub(rb"\g<1> 10:20:%02d.\g<2> %d " % (second, 1000 + second), turn)


def interleaved(seed: int) -> bytes:
    """Return a dense log that says the same again and again at other times, with other logs in it."""
    generator = random.Random(seed)
    turn = generator.choice(DENSE)[-TURN:].partition(b"\n")[2]
    parts = []
    for second in range(generator.randrange(6, 12)):
        stamped = printed_at(second, turn)
        cut = stamped.find(b"\n", generator.randrange(len(stamped))) + 1
        other = generator.choice(OTHERS) + b"\n" if generator.random() < 0.3 else b""
        parts += [stamped[:cut], other, stamped[cut:]]
    return b"".join(parts)


@pytest.mark.parametrize("seed", range(3))
def test_dense_log_that_repeats_itself_gets_the_answer_that_reading_all_of_it_gives(seed):
    data = interleaved(seed)
    assert answer(data, SCANNED) == answer(data, WHOLE)


@pytest.mark.parametrize("number", range(len(DENSE)))
def test_what_a_dense_log_says_again_is_not_read_again(number):
    turn = DENSE[number][-TURN:].partition(b"\n")[2]
    read = [
        sum(len(region.text) for region in scan(b"".join(printed_at(second, turn) for second in range(turns)))[0])
        for turns in (4, 40)
    ]
    assert read[1] < read[0] * 1.1
