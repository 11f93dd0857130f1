"""What a renderer gets: the answer, and what it has to know of the place it is written to.

Each format is a module ``report/as_<name>.py`` with ``render(document)``.
"""

from __future__ import annotations

from tracelens.findings import Diagnosis, Evidence, EvidenceRole, Finding, Outcome, Replacement
from tracelens.record import Record


class Document(Record):
    """One answer, or the joint answer of several inputs with each of theirs."""

    together: Diagnosis
    #: Each input's own answer; empty where there is only one.
    inputs: tuple[Diagnosis, ...] = ()
    #: What was redacted, ``None`` if nothing was to be.
    replacements: tuple[Replacement, ...] | None = None
    #: The directory that paths are shown relative to, such as the checkout of a CI job.
    workspace: str | None = None
    #: A word that no log can know, for formats that have to fence a log in.
    nonce: str = ""

    @property
    def each(self) -> tuple[Diagnosis, ...]:
        """Return the answer of every input."""
        return self.inputs or (self.together,)

    @property
    def finding(self) -> Finding | None:
        """Return the finding that is the answer, if one is."""
        together = self.together
        return together.findings[0] if together.outcome in (Outcome.DIAGNOSED, Outcome.OUTSIDE) else None

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Return the lines that the answer rests on, those that prove it first."""
        finding = self.finding
        shown = self.together.evidence if finding is None else finding.evidence
        return tuple(sorted(shown, key=lambda item: item.role is not EvidenceRole.ROOT))
