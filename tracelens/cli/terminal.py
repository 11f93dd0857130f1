"""Write answers for reading: whole reports with what to type next, or a line for each input."""

from __future__ import annotations

from collections.abc import Sequence

from tracelens.cli.next_steps import next_steps
from tracelens.cli.output import layout_for_output, write_lines
from tracelens.findings import Diagnosis
from tracelens.report.layout import lay_out_report, lay_out_verdict
from tracelens.typed import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse


def write_terminal(
    together: Diagnosis, inputs: Sequence[Diagnosis], options: argparse.Namespace, path: str | None
) -> None:
    """Write the joint answer and those of the inputs, which are none where there is only one."""
    layout = layout_for_output(path)
    each = inputs or (together,)
    if options.quiet:
        write_lines([lay_out_verdict(answer, layout) for answer in each], path)
        return
    # A redacted answer must not name what it came from.
    steps = () if options.redact else next_steps(each, options, layout)
    write_lines([*lay_out_report(together, inputs, layout), *steps], path)
