"""Exception lines, the exceptions quoted inside messages, and stack frames.

torch wraps what failed in exceptions of its own and keeps of the first one
only its text: ``BackendCompilerFailed: backend='inductor' raised:`` and then
``ImportError: …``. ``unwrap`` finds the quoted ones, in the wording of every
release. ``read_frames`` reads stack frames and says whose code each is in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from tracelens.events import Elision, Owner, StackFrame
from tracelens.expressions import expression
from tracelens.parsing.line_kinds import THROWN_BY, word_kind
from tracelens.record import Record
from tracelens.typed import cache

#: Frames kept at either end of a stack.
KEPT_FRAMES = 100
#: Characters kept of a message, most of them at its beginning.
KEPT_MESSAGE = 65536
_KEPT_TAIL = 16384
#: How deep exceptions are looked for inside the text of one message.
_MAX_QUOTED = 8
#: Lines of a message below the first on which a quoted exception may stand.
_QUOTED_WITHIN = 3


class Quoted(Record):
    """An exception found in text; ``line`` counts from the first line of that text."""

    type_name: str
    message: str
    line: int


@cache
def _exception_line() -> re.Pattern[str]:
    return expression(r"\s*([A-Za-z_][\w.]*(?:<locals>[\w.]*)?(?:\(\w+\))?)(?:: ?|\s*\Z)", re.DOTALL)


def split_exception(text: str) -> tuple[str, str]:
    """Part the last line(s) of a traceback into the type's name and the message."""
    match = _exception_line().match(text)
    if match is None:
        return "", text.rstrip()
    return match.group(1), capped(text[match.end() :].rstrip())


@cache
def _thrown_by() -> re.Pattern[str]:
    return expression(THROWN_BY)


def cut_thrown(text: str) -> tuple[str, str]:
    """Part what C++ says of an exception of Python that nobody caught: its own words, and the exception."""
    match = _thrown_by().match(text)
    end = match.end() if match else 0
    return text[:end].rstrip(), text[end:]


def capped(text: str) -> str:
    """Return the text, or its beginning and end if it is longer than is useful."""
    if len(text) <= KEPT_MESSAGE:
        return text
    head, tail = text[: KEPT_MESSAGE - _KEPT_TAIL], text[-_KEPT_TAIL:]
    return f"{head}\n[... {len(text) - KEPT_MESSAGE} characters left out ...]\n{tail}"


def is_exception_name(name: str) -> bool:
    """Tell whether a name can only be that of an exception."""
    return word_kind(name, message=False) in {"EXCEPTION", "EXCEPTION_RELAY", "REMOTE"}


_WRAPPERS = frozenset(
    {"BackendCompilerFailed", "InductorError", "LoweringException", "InternalTorchDynamoError", "SubprocException",
     "RayTaskError", "SubgraphLoweringException", "WrapperException", "VerificationError", "ChildFailedError"}
)  # fmt: skip


#: A name at the beginning of a text, with a message behind it or alone on its line.
_NAME = r"(?:[ \t]*\n)?[ \t]*([A-Za-z_][\w.]*)(?::(?: |(?=\n|\Z))|[ \t]*(?=\n|\Z))"


@cache
def _name_first() -> re.Pattern[str]:
    return expression(_NAME)


@cache
def _name_raised() -> re.Pattern[str]:
    """``backend='inductor' raised:``, ``compiler raised``."""
    return expression(rf"[^\n]{{0,500}}?\braised:?{_NAME}")


@cache
def _name_inside() -> re.Pattern[str]:
    return expression(r": ([A-Za-z_][\w.]*): ")


@cache
def _no_configs() -> re.Pattern[str]:
    return expression(r"No valid triton configs\. ([A-Za-z_]\w*): ")


@cache
def _quoted_call() -> re.Pattern[str]:
    return expression(r"got ([A-Za-z_]\w*)\((['\"])(.{0,20000})\2,?\)", re.DOTALL)


def unwrap(type_name: str, message: str) -> tuple[Quoted, ...]:
    """Return the exceptions that a message quotes, each inside the one before."""
    found: list[Quoted] = []
    line = 0
    while len(found) < _MAX_QUOTED:
        quoted = _quoted(type_name, message)
        if quoted is None:
            break
        line += quoted.line
        type_name, message = quoted.type_name, quoted.message
        found.append(Quoted(type_name=type_name, message=message, line=line))
    return tuple(found)


def _quoted(type_name: str, message: str) -> Quoted | None:
    """Return the exception that a message quotes, if it does."""
    wrapper = type_name.rpartition(".")[2].partition("(")[0] in _WRAPPERS
    for pattern in (_name_first, _name_raised, _no_configs):
        match = pattern().match(message)
        if match is not None and _may_be_quoted(match.group(1), wrapper=wrapper):
            return _quoted_at(message, match)
    return _quoted_below(message) or _quoted_inside(message)


def _may_be_quoted(name: str, *, wrapper: bool) -> bool:
    return is_exception_name(name) or (wrapper and name.rpartition(".")[2][:1].isupper())


def _quoted_at(message: str, match: re.Match[str]) -> Quoted:
    line = message.count("\n", 0, match.start(1))
    return Quoted(type_name=match.group(1), message=message[match.end() :].removeprefix("\n").rstrip(), line=line)


def _quoted_below(message: str) -> Quoted | None:
    """Find the exception on one of the lines below the first."""
    start = 0
    for _ in range(_QUOTED_WITHIN):
        start = message.find("\n", start) + 1
        if not start:
            return None
        match = _name_first().match(message, start)
        if match is not None and is_exception_name(match.group(1)) and message[match.end() - 2 : match.end()] == ": ":
            return _quoted_at(message, match)
    return None


def _quoted_inside(message: str) -> Quoted | None:
    """Find the exception in the first line of a message, behind other words."""
    for match in _name_inside().finditer(message, 0, min(1000, (message.find("\n") + 1) or len(message))):
        if is_exception_name(match.group(1)):
            return _quoted_at(message, match)
    call = _quoted_call().search(message, 0, 40000) if "got " in message else None
    if call is None or not is_exception_name(call.group(1)):
        return None
    text = call.group(3).replace("\\n", "\n").replace("\\'", "'").replace('\\"', '"')
    return Quoted(type_name=call.group(1), message=text, line=message.count("\n", 0, call.start(1)))


@cache
def _frame() -> re.Pattern[str]:
    return expression(
        r'[ \t]*(?:> )?File "([^"\n]*)", line (\d{1,18})(?:, in ([^\n]*))?[^\n]*\n'
        r'((?:[ \t]+(?!File ")\S[^\n]*\n){0,32})'
    )


@cache
def _repeated() -> re.Pattern[str]:
    return expression(r"\[Previous line repeated (\d{1,18}) more times?\]")


def read_frames(text: str, start: int, end: int) -> tuple[StackFrame | Elision, ...]:
    """Read the stack frames of ``text[start:end]``, oldest first.

    Of a deep stack only both ends are kept. A source line that lost its
    indentation is still the frame's own.
    """
    total = text.count('File "', start, end)
    if total <= 2 * KEPT_FRAMES:
        return tuple(_each_frame(text, start, end))
    first = list(islice(_each_frame(text, start, end), KEPT_FRAMES))
    position = end
    for _ in range(KEPT_FRAMES):
        position = text.rfind('File "', start, position)
    position = text.rfind("\n", start, position) + 1
    last = list(_each_frame(text, position, end))
    return (*first, Elision(count=max(1, total - len(first) - len(last))), *last)


def _each_frame(text: str, start: int, end: int) -> Iterator[StackFrame | Elision]:
    for match in _frame().finditer(text, start, end):
        path, line, function, below = match.groups()
        if not below and match.end() < end and not text.startswith(('File "', " ", "\t"), match.end()):
            below = text[match.end() : text.find("\n", match.end())]
        yield _stack_frame(path, line, function, below.partition("\n")[0])
        if "[Previous line" in below:
            repeated = _repeated().search(below)
            yield Elision(count=int(repeated.group(1)) if repeated else None)


@cache
def _called_at() -> re.Pattern[str]:
    """A frame as pybind11 prints it."""
    return expression(r"^[ \t]*(\S[^\n]*?)\((\d{1,18})\): ([^\n]+)$", re.MULTILINE)


def read_called_at(text: str) -> tuple[StackFrame | Elision, ...]:
    """Read the frames that pybind11 prints below ``At:``, where the innermost comes first; oldest first."""
    found = [_stack_frame(*match.groups(), "") for match in _called_at().finditer(text)]
    return kept(tuple(reversed(found)))


@lru_cache(maxsize=2048)
def _stack_frame(path: str, line: str, function: str | None, source: str) -> StackFrame:
    """Make a stack frame; cached, for ranks and retries print the same ones again."""
    return StackFrame(
        path=path,
        line=int(line),
        function=function.strip() if function else None,
        source=source.strip()[:1000] or None,
        owner=owner_of(path),
    )


def kept(frames: tuple[StackFrame | Elision, ...]) -> tuple[StackFrame | Elision, ...]:
    """Leave out the middle of a stack that was read in several parts."""
    if len(frames) <= 2 * KEPT_FRAMES + 1:
        return frames
    left_out = frames[KEPT_FRAMES:-KEPT_FRAMES]
    count = sum((frame.count or 1) if isinstance(frame, Elision) else 1 for frame in left_out)
    return (*frames[:KEPT_FRAMES], Elision(count=count), *frames[-KEPT_FRAMES:])


#: Tried in order on a path with forward slashes; the first that is found in it decides.
_OWNERS: tuple[tuple[Owner, str], ...] = (
    (Owner.UNKNOWN, r"\A(?:<string>)?\Z"),
    (
        Owner.GENERATED,
        (
            r"<eval_with_key>|<generated|<torch_package|<dynamo|<fx_|torchinductor_|/torchinductor/|torch_compile_cache"
            r"|/[a-z0-9]{2}/c[a-z2-7]{51}\.py"
        ),
    ),
    (Owner.TRITON, r"(?:site|dist)-packages/(?:pytorch_)?triton/"),
    (Owner.TORCH, r"(?:site|dist)-packages/(?:torch|functorch)/"),
    (Owner.PACKAGE, r"(?:site|dist)-packages/"),
    (Owner.STANDARD_LIBRARY, r"\A<frozen |/lib(?:64)?/python3(?:\.\d+)?/|/(?i:python)3?\d*/(?i:lib)/[a-z_]"),
    (Owner.TRITON, r"(?:^|/)triton/(?:python/triton|compiler|runtime|backends|language|common)/"),
    (
        Owner.TORCH,
        (
            r"(?:^|/)torch/(?:_\w+/|__init__\.py|_\w+\.py|nn/|fx/|utils/|autograd/|cuda/|distributed/|optim/|export/|jit/"
            r"|compiler/|library\.py|testing/|ao/|profiler/)"
        ),
    ),
)


@cache
def _owner(index: int) -> re.Pattern[str]:
    return expression(_OWNERS[index][1])


@lru_cache(maxsize=4096)
def owner_of(path: str) -> Owner:
    """Tell whose code a file belongs to, from its path alone."""
    slashed = path[:4000].replace("\\\\", "/").replace("\\", "/")
    for index, (owner, _pattern) in enumerate(_OWNERS):
        if _owner(index).search(slashed):
            return owner
    return Owner.USER
