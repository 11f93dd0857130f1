"""What a scan may be told, and what it tells of itself.

Every bound of the scan stands here. Regions depend on these options and on
the input alone: never on the engine, nor on how the input arrives in pieces.
"""

from __future__ import annotations

from tracelens.record import Record
from tracelens.typed import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from tracelens.findings import Diagnostic

EngineName: TypeAlias = Literal["auto", "hyperscan", "re2", "python"]

_KIB = 1 << 10
_MIB = 1 << 20


class ScanOptions(Record):
    """The bounds of a scan; lengths are in bytes unless they say lines."""

    #: Which engine looks for anchors; "auto" takes the fastest that is installed.
    engine: EngineName = "auto"
    #: Inputs up to this size are one region and load no engine at all.
    whole_bytes: int = 512 * _KIB
    #: How much is read at once: small enough to stay in a core's own cache.
    read_bytes: int = 512 * _KIB
    #: Longer lines are data: only their ends and what surrounds a hit is kept.
    line_bytes: int = 512 * _KIB
    #: The beginning and the end of an input are regions always: banners, last words.
    head_lines: int = 200
    tail_lines: int = 400
    end_bytes: int = 64 * _KIB
    #: Context around hits, and around the block that a hit stands in.
    before_lines: int = 16
    before_bytes: int = 8 * _KIB
    after_lines: int = 24
    after_bytes: int = 16 * _KIB
    #: Lines around a region up to this length can show that it is one that was there before.
    edge_bytes: int = 4 * _KIB
    #: How far a block is followed without another hit, back and forth.
    back_bytes: int = 48 * _KIB
    growth_bytes: int = 512 * _KIB
    #: Hits no further apart than this are in one region without a closer look.
    join_bytes: int = 4 * _KIB
    #: A region that has grown past this is cut at the next fresh start.
    region_bytes: int = 768 * _KIB
    #: Regions are kept up to this sum; twice, as new kinds of lines get as much again.
    keep_bytes: int = 8 * _MIB
    #: The last of the regions that were not kept.
    keep_last_bytes: int = 4 * _MIB
    #: Keep hyperscan's database in the user's cache directory.
    cache: bool = True

    def __post_init__(self) -> None:
        """Refuse bounds that the window cannot honour."""
        if self.read_bytes > self.line_bytes:
            message = "read_bytes must not be larger than line_bytes"
            raise ValueError(message)
        if min(self.read_bytes, self.line_bytes // 16) < 1:
            message = "read_bytes and line_bytes are too small"
            raise ValueError(message)

    @property
    def history_bytes(self) -> int:
        """Return how much of what was already scanned can still become part of a region."""
        # One more, so that a line that has lost its beginning is always found too long.
        return 1 + max(
            self.end_bytes, self.back_bytes + self.before_bytes + self.edge_bytes, self.after_bytes, self.join_bytes
        )


class ScanLedger:
    """What a scan did; it grows while the regions are drawn.

    ``lines`` counts newlines and nothing else, plus a last line without one.
    ``hit_lines`` stays 0 where no engine ran. ``dropped`` counts regions that
    were found and not handed out, ``omitted_bytes`` what was left out of lines
    longer than the limit.
    """

    __slots__ = (
        "bytes",
        "dropped",
        "dropped_bytes",
        "engine",
        "hit_lines",
        "lines",
        "omitted_bytes",
        "regions",
    )

    def __init__(self) -> None:
        """Begin with a scan that has done nothing."""
        self.lines = 0
        self.bytes = 0
        self.hit_lines = 0
        self.regions = 0
        self.dropped = 0
        self.dropped_bytes = 0
        self.omitted_bytes = 0
        self.engine = "none"

    def __eq__(self, other: object) -> bool:
        """Compare what was counted."""
        if not isinstance(other, ScanLedger):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    __hash__ = None  # type: ignore[assignment] # it grows

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Say what the reader of an answer must know of this scan."""
        from tracelens.findings import Diagnostic

        remarks = []
        if self.dropped:
            remarks.append(
                Diagnostic(
                    code="scan-dropped",
                    message=f"{self.dropped:,} regions ({self.dropped_bytes:,} bytes) repeat lines seen many times"
                    " before and were not read: occurrences are counted too low",
                )
            )
        if self.omitted_bytes:
            remarks.append(
                Diagnostic(
                    code="scan-long-lines",
                    message=f"{self.omitted_bytes:,} bytes in the middle of very long lines hold no anchor"
                    " and were not read",
                )
            )
        return tuple(remarks)
