"""The line of the program that a failure came from."""

from __future__ import annotations

from tests.corpus_cases import diagnose_case
from tracelens.findings import UserFrame


def test_newest_frame_of_the_user_is_named():
    finding = diagnose_case("lab/2.13.0/so-zero").findings[0]
    assert finding.user_frame == UserFrame(
        path="/workspace/mlp.py", line=10, function="<module>", source="y = model(x, w)"
    )


def test_log_without_the_program_names_none():
    assert diagnose_case("reports/041-kernel-image-vllm").findings[0].user_frame is None
