"""One hand-made answer that has everything a report can show."""

from __future__ import annotations

import pytest

from tracelens.findings import (
    Confidence,
    Coverage,
    Diagnosis,
    Diagnostic,
    Environment,
    Evidence,
    EvidenceRole,
    Finding,
    Fix,
    FixKind,
    NotHelpful,
    Outcome,
    PipelineStage,
    Risk,
    RootCause,
    Severity,
    Stage,
    StageStatus,
)
from tracelens.text import Span

ROOT_LINE = (
    "torch._inductor.exc.InductorError: InvalidCxxCompiler: No working C++ compiler found in "
    "torch._inductor.config.cpp.cxx: (None, 'g++')"
)


@pytest.fixture
def finding() -> Finding:
    """Return a finding with two pieces of evidence and two fixes."""
    return Finding(
        code="TL101",
        label="toolchain/cxx-missing",
        title="No C++ compiler for this process",
        summary="Inductor compiles its CPU kernels with $CXX or g++; neither exists on this PATH.",
        severity=Severity.FATAL,
        confidence=Confidence.CERTAIN,
        stage=Stage.CPP,
        rank=3,
        process="rank 3",
        occurrences=8,
        ranks=tuple(range(8)),
        evidence=(
            Evidence(
                span=Span(line=1242, end_line=1242), text="    raise InvalidCxxCompiler", role=EvidenceRole.CONTEXT
            ),
            Evidence(span=Span(line=1243, end_line=1243), text=ROOT_LINE, role=EvidenceRole.ROOT),
        ),
        fixes=(
            Fix(
                id="install-gxx",
                title="Install a C++ compiler",
                kind=FixKind.SHELL,
                commands=("sudo apt-get install -y g++",),
                risk=Risk.SAFE,
                needs_root=True,
                platform="Debian 12",
                proven="lab/2.13.0/fix-cxx-env",
            ),
            Fix(
                id="cxx",
                title="Use another compiler",
                kind=FixKind.ENV,
                commands=("export CXX=clang++",),
                risk=Risk.REVIEW,
                needs_root=False,
                platform=None,
                proven=None,
            ),
        ),
        because="It is the innermost exception; the others only wrap it.",
        not_helpful=(NotHelpful(advice="clearing the cache", why="nothing was built yet."),),
    )


@pytest.fixture
def diagnosis(finding: Finding) -> Diagnosis:
    """Return an answer built on that finding."""
    statuses = {
        Stage.CPP: StageStatus.FAILED,
        Stage.TRITON: StageStatus.UNKNOWN,
        Stage.RUNTIME: StageStatus.NOT_REACHED,
    }
    return Diagnosis(
        outcome=Outcome.DIAGNOSED,
        root_cause=RootCause.TOOLCHAIN,
        label=finding.label,
        confidence=finding.confidence,
        findings=(finding,),
        environment=Environment(torch="2.5.1+cu124", python="3.11", ranks=8),
        pipeline=tuple(PipelineStage(stage=stage, status=statuses.get(stage, StageStatus.PASSED)) for stage in Stage),
        coverage=Coverage(lines=48211, parsed=120, unparsed=3),
        diagnostics=(Diagnostic(code="truncated-input", message="the gzip stream ends early", line=48211),),
        source="train.log",
    )
