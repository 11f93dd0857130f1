"""The scan leaves nothing out that the answer needs: with and without it, findings are the same."""

from __future__ import annotations

import io

import pytest

from tests.scan.logs import LOGS, noise, read_log
from tracelens.api import analyze_feed
from tracelens.findings import Diagnosis, Diagnostic
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
        (finding.code, finding.severity, [evidence.span.line for evidence in finding.evidence])
        for finding in diagnosis.findings
    ]
    return diagnosis.outcome, diagnosis.label, findings, diagnosis.coverage.lines


@pytest.mark.parametrize("path", LOGS[3::25], ids=lambda path: "/".join(path.parts[-4:-1]))
def test_log_in_noise_gets_the_answer_that_reading_all_of_it_gives(path):
    data = BEFORE + read_log(path) + b"\n" + AFTER
    assert answer(data, SCANNED) == answer(data, WHOLE)
