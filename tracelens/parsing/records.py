r"""Headers of log records, in every shape that reaches a torch.compile log.

A header is a fact about the message behind it: the level tells a crash from
something that was reported and survived. ``HEADER_PATTERN`` and
``read_header`` are built from the same table, so they never disagree. Text of
Python and of compilers is never a header: a shape needs a time stamp, a
bracketed level, or an upper-case level with its separator, at the very start.
"""

from __future__ import annotations

import re
from functools import lru_cache

from tracelens.events import CompileId, Level, RecordHeader
from tracelens.expressions import compiled
from tracelens.typed import cache

_WORD = r"(?:DEBUG|INFO|WARN(?:ING)?|ERROR|CRITICAL|FATAL|TRACE|SUCCESS|NOTICE|VERBOSE)"
_LOWER = r"(?:debug|info|warn(?:ing)?|error|critical|fatal)"
_ANY_CASE = rf"(?:{_WORD}|(?i:{_LOWER}))"
_CLOCK = r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
_DAY = r"\d{2,4}[-/.]\d\d(?:[-/.]\d{2,4})?"
_STAMP = rf"(?:{_DAY}[ T_-]{{1,2}}{_CLOCK}(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?|{_CLOCK}(?:-\d{{6}})?)"
_LONG_STAMP = rf"\d{{4}}-\d\d-\d\d[ T]{_CLOCK}"
_COMPILE_ID = r"(?:!\d{1,9}/)?(?:\d{1,9}|-)/(?:\d{1,9}|-)(?:_\d{1,9})?|!\d{1,9}"

# What may stand between a time stamp and the level: names, thread ids. A bare
# word must look like a name, or prose with a level in it would be a header.
_FIELD = r"[\w./<(@][^\s|\[\]]{0,100}"
_BRACKET = r"\[[^\]\n]{1,100}\]"
_NAME_LIKE = r"(?=[^\s|\[\]]{0,100}[.:/_<@(\d])"
_BETWEEN = rf"(?:(?: [-|] )(?P<name>{_FIELD})|(?: {{1,3}}|:){_NAME_LIKE}{_FIELD}|(?: [-|] | {{0,3}}){_BRACKET}){{0,3}}?"
_TO_LEVEL = (
    rf"(?:(?: [-|] ?| {{1,4}}|:)(?P<level>{_WORD})\b"
    rf"|(?: [-|] ?| {{1,4}}|:)?\[ {{0,2}}(?P<level_bracket>{_ANY_CASE}) {{0,4}}\])"
)

# One space ends a header; more is padding of the level, unless a traceback
# line follows, whose own indentation must survive.
_END = r'(?: ?[-|>:]{1,2} {0,3}| (?: {1,4}(?! |File "))?|$)'
_PLACE = (
    r"(?: *\| *(?P<place_bar>[^\s|]{1,200}) +- "  # loguru
    r"|:? ?\[(?P<place_bracket>[\w./\\<>-]{1,120}:\d{1,7}[\w:<>]*|[\w.]{3,120})\]:? "  # DeepSpeed
    r"|:? {1,4}(?P<place_file>[\w./\\-]{1,200}\.\w{1,4}(?::| L)\d{1,7})\]?(?: ?(?:--?|:))? "  # Ray
    r"| - (?P<place_dash>[\w.]{1,120}(?::\d{1,7})?) - "  # transformers' examples
    r"|:? {1,4}(?P<place_logger>[a-z_]\w{0,40}(?:\.[a-z_]\w{0,40}){1,8})(?<!\.py)(?<!\.cpp)(?<!\.cu)(?<!\.h): "
    rf"|{_END})"
)
_STAMPED = rf"{_BETWEEN}{_TO_LEVEL}{_PLACE}"

_MARKS = rf"(?: \[(?P<id>{_COMPILE_ID})\])?(?: \[__(?P<artifact>\w{{1,60}})\]| \[[a-z2-7]{{51}}\])?(?: |$)"

# Shapes by what a line begins with; in each, the first that matches reads it.
# W1201 02:32:13.949000 14743 torch/_dynamo/convert_frame.py:1994] [0/8] [__recompiles] text
_GLOG = (
    r"(?P<level>[VDIWECF])(?P<time>\d{4}(?:\d{4})? \d\d:\d\d:\d{2,10}(?:\.\d{1,9})?) {1,6}\d{1,20} "
    r"(?P<place>[^\]\n]{1,300}:\d{1,7})\]"
    rf"{_MARKS}"
)
_BRACKETED: tuple[str, ...] = (
    # [2023-11-29 22:29:33,093] [0/0] torch._dynamo.convert_frame.__recompiles: [DEBUG] text
    (
        rf"\[(?P<time>{_LONG_STAMP})\] (?:\[(?P<id>{_COMPILE_ID})\] )?"
        r"(?P<place>[A-Za-z_][\w.]{0,200}): \[(?P<level>[A-Z]{4,8})\](?: |$)"
    ),
    # [E624 09:29:06.968323585 ProcessGroupNCCL.cpp:616] text; before torch 2.3 without a time
    (rf"\[(?P<level>[VDIWECF])(?P<time>\d{{3,4}} {_CLOCK})? (?P<place>[\w./\\+-]{{1,200}}:\d{{1,7}})\](?: |$)"),
    # [2025-05-18 11:04:09,331 E 123 456] (raylet) node_manager.cc:3069: text
    (
        rf"\[(?P<time>{_STAMP}) (?P<level>[DIWECF]) \d{{1,9}} \d{{1,9}}\]"
        r"(?: \([\w.-]{1,60}\))?(?: (?P<place>[\w./-]{1,200}:\d{1,7}):)? "
    ),
    # [INFO|trainer.py:123] 2024-01-01 00:00:00,000 >> text, [INFO|2024-01-01 00:00:00] module:12 >> text
    (
        rf"\[(?P<level>{_WORD})\|(?:{_STAMP}|(?P<place>[^\]\n]{{1,120}}))\](?: {_STAMP})?"
        r"(?: (?P<place_behind>[\w.]{1,120}:\d{1,7}))? >> "
    ),
    # [2024-01-01 00:00:00 ERROR] text, [ERROR 2024-01-01 00:00:00 file.py:12] text
    rf"\[(?P<time>{_STAMP})[ |-]{{1,3}}(?P<level>{_WORD})\]:?{_END}",
    (rf"\[(?P<level>{_WORD}|[DIWECF])[ |-]{{1,3}}(?P<time>{_STAMP})(?: (?P<place>[\w.:/-]{{1,120}}))?\]:?{_END}"),
    # [2024-01-01 00:00:00,000][module][ERROR] - text, [2024-01-01 00:00:00] ERROR text
    rf"\[(?P<time>{_STAMP})\]{_STAMPED}",
    # [2025-01-01 00:00:00 TP0] text
    rf"\[(?P<time>{_DAY}[ T]{_CLOCK})(?: [A-Z]{{2,4}}\d{{1,4}}){{0,4}}\](?: |$)",
    # [ERROR] text, [INFO:swift] text, [ERROR  ] 2024-01-01 00:00:00 file.py:12: text
    (rf"\[ ?(?P<level>{_WORD}) {{0,4}}(?::(?P<name>[\w.-]{{1,60}}))?\](?: (?P<time>{_STAMP}))?{_PLACE}"),
    # [TensorRT-LLM][ERROR] text, [TRT] [E] text
    rf"\[(?P<name>[A-Za-z][\w .-]{{0,30}})\] ?\[(?P<level>{_WORD}|[VDIWEF])\]{_PLACE}",
    # [titan] 2026-04-13 21:07:44,310 - root - INFO - text
    rf"\[[A-Za-z][\w -]{{0,20}}\] (?P<time>{_STAMP}){_STAMPED}",
)
_NUMBERED: tuple[str, ...] = (
    # 2024-01-01 00:00:00.123456: E external/xla/cuda_dnn.cc:8310] text
    rf"(?P<time>{_LONG_STAMP}): (?P<level>[VDIWEF]) (?P<place>[^\s\]]{{1,200}}:\d{{1,7}})\](?: |$)",
    # 2024-01-01 00:00:00,123 - name - ERROR - text, loguru, 19:37:45 [ERROR  ] ui.workers: text
    rf"(?P<time>{_STAMP}){_STAMPED}",
)
_LEVELLED: tuple[str, ...] = (
    # ERROR 01-28 12:00:00 [core.py:396] text
    (
        rf"(?P<level>{_WORD}):? {{1,5}}(?P<time>\d\d-\d\d {_CLOCK}) "
        r"(?:\[(?P<place>[^\]\n]{1,120}:\d{1,7})\]|(?P<place_file>[\w./-]{1,120}:\d{1,7})\])(?: |$)"
    ),
    rf"(?P<level>{_WORD}):?(?: {{1,4}}| [-|] )\[?(?P<time>{_STAMP})\]?{_PLACE}",
    # DEBUG    torch.__trace:utils.py:9 text (pytest's captured log)
    rf"(?P<level>{_WORD}) {{1,5}}(?P<place>[\w.]{{1,120}}:[\w.-]{{1,120}}:\d{{1,7}}) ",
    # WARNING:root:text
    rf"(?P<level>{_WORD}):(?P<place>[A-Za-z_][\w./-]{{0,120}}):",
    # ERROR:    text (uvicorn pads to ten), then pip's ERROR: text, then rich's ERROR    text
    r"(?P<level>INFO: {5}|(?:ERROR|DEBUG|TRACE): {4}|WARNING: {2}|CRITICAL: )",
    rf"(?P<level>{_WORD})(?:: ?| [-|] )",
    rf"(?P<level>{_WORD}) {{2,6}}(?! )",
)
_PLACED: tuple[str, ...] = (
    # host:123:456 [0] misc/socket.cc:50 NCCL WARN text; a redacted host is in angle brackets
    (
        r"(?P<place>[\w.<>-]{1,80}:\d{1,9}:\d{1,9}) (?:\[\d{1,3}\] )?(?:[\w./-]{1,80}:\d{1,6} )?"
        r"NCCL (?P<level>INFO|WARN|ERROR|TRACE|ABORT) "
    ),
    # .../torch/_dynamo/guards.py:2772] [16/8] [__recompiles] text: cut by hand, so the level is gone
    rf"(?P<place>(?:\u2026|[\w.~/\\<>-]){{0,200}}\.(?:py|cpp|cc|h):\d{{1,7}})\]{_MARKS}",
    # torch._dynamo.convert_frame: [WARNING] text: the same of torch 2.0 to 2.2
    r"(?P<place>torch\.[\w.]{1,200}): \[(?P<level>[A-Z]{4,8})\](?: |$)",
    # path.py:12: UserWarning: text
    (
        r"(?P<place>[^\s:\[(][^:\n'\"=,;]{0,200}:(?:[\\/][^:\n]{1,300}:)?\d{1,9}): "
        r"(?P<level>[A-Za-z_][\w.]{0,80}Warning|Warning):(?: |$)"
    ),
)

#: A line with a header begins with one of these characters or holds one of these signs.
HEADER_FIRST = frozenset("[0123456789VDIWECFTSN")
HEADER_SIGNS: tuple[str, ...] = ("Warning:", "NCCL ", ".py:", ".cpp:", ".cc:", ".h:", ": [")

#: Matches the beginning of a line with a header; the caller writes ``^`` before
#: it. It is short and fails early, since every line of a log is tried, so a
#: few lines match that ``read_header`` then refuses.
HEADER_PATTERN: str = (
    r"(?:[VDIWECF]\d{4}(?:\d{4})? \d\d:\d\d:\d{2,10}[. ]"
    r"|\[(?:\d\d(?:\d\d)?[-/.:]\d\d[-/.:\d ]{1,6}[^\]\n]{3,60}\]"
    rf"|[VDIWECF](?:\d{{3,4}} \d\d:| [\w./\\+-]{{1,200}}:\d{{1,7}}\]| \d\d)| ?{_WORD}[ \]:|-]"
    rf"|[A-Za-z][\w .-]{{0,30}}\] ?(?:\[(?:{_WORD}|[VDIWEF])\]|\d\d(?:\d\d)?[-/.:]\d\d[-/.:]))"
    rf"|\d\d(?:\d\d)?[-/.:]\d\d[-/.: ]\d\d[^\n]{{1,120}}?(?:\b{_WORD}\b|\[(?i:{_LOWER})\b|: [VDIWEF] )"
    rf"|{_WORD}(?::|  | [-|\d]| \[\d| [\w.]{{1,120}}:[\w.-]{{1,120}}:\d)"
    r"|torch\.[\w.]{1,200}: \[[A-Z]{4,8}\]"
    r"|[^\s:\[(][^:\n'\"=,;]{0,200}:(?:[\\/][^:\n]{1,300}:)?\d{1,9}"
    r"(?:\](?: |$)|: [A-Za-z_][\w.]{0,80}Warning:|: Warning:|:\d{1,9} [^\n]{0,120}?NCCL [A-Z]))"
)


_LEVELS: dict[str, Level] = {
    "V": Level.DEBUG,
    "D": Level.DEBUG,
    "TRACE": Level.DEBUG,
    "VERBOSE": Level.DEBUG,
    "DEBUG": Level.DEBUG,
    "I": Level.INFO,
    "INFO": Level.INFO,
    "NOTICE": Level.INFO,
    "SUCCESS": Level.INFO,
    "W": Level.WARNING,
    "WARN": Level.WARNING,
    "E": Level.ERROR,
    "ERROR": Level.ERROR,
    "C": Level.CRITICAL,
    "F": Level.CRITICAL,
    "FATAL": Level.CRITICAL,
    "ABORT": Level.CRITICAL,
    "CRITICAL": Level.CRITICAL,
}


_ARTIFACT_LOGGER = r"([\w.]{1,200})\.__([a-z][a-z0-9_]{0,60}[a-z0-9])\Z"


@cache
def _compiled(table: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(map(compiled, table))


def _shapes(first: str) -> tuple[re.Pattern[str], ...]:
    """Return the shapes that can begin with this character."""
    if first == "[":
        return _compiled(_BRACKETED)
    if first.isdigit():
        return _compiled(_NUMBERED + _PLACED)
    if first in "VDIWECFTSN":
        return _compiled(_LEVELLED + _PLACED)
    return () if first.isspace() else _compiled(_PLACED)


def read_header(line: str) -> tuple[RecordHeader, int] | None:
    """Return the header at the start of a line and where the message starts.

    The offset leaves the message's own indentation alone, so that a
    traceback printed under a header on every line keeps its shape. The
    message of a Python warning starts behind its category.
    """
    match = compiled(_GLOG).match(line)
    if match:
        return _header(match.group(), match.re), match.end()
    if line:
        for shape in _shapes(line[0]):
            match = shape.match(line)
            if match:
                return _header(match.group(), shape), match.end()
    return None


@lru_cache(maxsize=256)
def _header(text: str, shape: re.Pattern[str]) -> RecordHeader:
    """Take a header apart; cached, for the lines of a record share it."""
    match = shape.match(text)
    fields = match.groupdict() if match else {}
    place = next((fields[key] for key in fields if key.startswith("place") and fields[key]), None)
    place = place or fields.get("name")
    artifact = fields.get("artifact")
    logger = compiled(_ARTIFACT_LOGGER).match(place) if place else None
    if logger:
        place, artifact = logger.groups()
    word = (fields.get("level") or fields.get("level_bracket") or "").strip(" :").upper()
    compile_id = fields.get("id")
    return RecordHeader(
        level=Level.WARNING if word.endswith("WARNING") else _LEVELS.get(word, Level.UNKNOWN),
        location=place,
        compile_id=read_compile_id(compile_id) if compile_id else None,
        artifact=artifact,
        time=fields.get("time"),
    )


_COMPILE_ID_PATTERN = r"(?:!(\d{1,9})/)?(\d{1,9})/(\d{1,9})(?:_(\d{1,9}))?\Z"


def read_compile_id(text: str) -> CompileId | None:
    """Read ``0/2_1`` or ``!0/1/2``; ``None`` where no frame has a number yet."""
    match = compiled(_COMPILE_ID_PATTERN).match(text)
    if match is None:
        return None
    autograd, frame, frame_compile, attempt = match.groups()
    return CompileId(
        frame_id=int(frame),
        frame_compile_id=int(frame_compile),
        compiled_autograd_id=int(autograd) if autograd is not None else None,
        attempt=int(attempt or 0),
    )
