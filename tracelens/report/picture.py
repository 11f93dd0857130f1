"""Draw the matrix: one bar for the step of each mode, as an SVG file that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

from tracelens.report.harmless import harmless_line
from tracelens.verification import ModeRun

_WIDTH, _ROW, _LEFT, _RIGHT, _TOP = 720, 28, 150, 230, 56
_FONT = "font-family='system-ui, sans-serif' font-size='13'"
_COLOURS = {"faster": "#2e7d32", "slower": "#c62828", "eager": "#546e7a", "failed": "#9e9e9e"}


def render_matrix_svg(modes: Sequence[ModeRun], title: str) -> str:
    """Return the picture as text; shorter bars are faster."""
    height = _TOP + _ROW * len(modes) + 16
    longest = max((mode.step_ms for mode in modes if mode.step_ms), default=1.0)
    lines = [
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{_WIDTH}' height='{height}' viewBox='0 0 {_WIDTH} {height}'>",
        f"<rect width='{_WIDTH}' height='{height}' fill='white'/>",
        f"<text x='16' y='24' {_FONT} font-weight='bold'>{_safe(title)}</text>",
        f"<text x='16' y='44' {_FONT} fill='#546e7a'>milliseconds a step (median), gain over eager, first call</text>",
    ]
    for number, mode in enumerate(modes):
        lines += _bar(mode, _TOP + _ROW * number, longest)
    return "\n".join([*lines, "</svg>", ""])


def _bar(mode: ModeRun, top: int, longest: float) -> Iterator[str]:
    yield f"<text x='{_LEFT - 8}' y='{top + 18}' text-anchor='end' {_FONT}>{_safe(mode.mode)}</text>"
    if mode.step_ms is None:
        yield f"<text x='{_LEFT}' y='{top + 18}' {_FONT} fill='{_COLOURS['failed']}'>{_safe(mode.status)}</text>"
        return
    width = max(2.0, (_WIDTH - _LEFT - _RIGHT) * mode.step_ms / longest)
    yield f"<rect x='{_LEFT}' y='{top + 5}' width='{width:.1f}' height='{_ROW - 10}' fill='{_colour(mode)}'/>"
    words = f"{mode.step_ms:.3g} ms"
    if mode.gain is not None:
        words += f", {mode.gain:.2f}x"
    if mode.first_call_s is not None:
        words += f", {mode.first_call_s:.1f} s"
    yield f"<text x='{_LEFT + width + 8:.1f}' y='{top + 18}' {_FONT}>{_safe(words)}</text>"


def _colour(mode: ModeRun) -> str:
    if mode.mode == "eager" or mode.gain is None:
        return _COLOURS["eager"]
    return _COLOURS["faster" if mode.gain > 1 else "slower"]


def _safe(text: str) -> str:
    return escape(harmless_line(text))
