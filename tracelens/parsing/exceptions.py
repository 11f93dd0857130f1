"""Exception lines, the exceptions quoted inside messages, and stack frames.

torch wraps what failed in exceptions of its own and keeps of the first one
only its text: ``BackendCompilerFailed: backend='inductor' raised:`` and then
``ImportError: …``. ``unwrap`` finds the quoted ones, in the wording of every
release. ``read_frames`` reads stack frames and says whose code each is in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice

from tracelens.events import Elision, Owner, StackFrame
from tracelens.parsing.line_kinds import QUALIFIED_NAME

#: Frames kept at either end of a stack.
KEPT_FRAMES = 100
#: Characters kept of a message, most of them at its beginning.
KEPT_MESSAGE = 65536
_KEPT_TAIL = 16384
#: How deep exceptions are looked for inside the text of one message.
_MAX_QUOTED = 8

_ANY_NAME = r"(?:[A-Za-z_]\w*\.)*[A-Z]\w*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoted:
    """An exception found in text; ``line`` counts from the first line of that text."""

    type_name: str
    message: str
    line: int


@cache
def _exception_line() -> re.Pattern[str]:
    return re.compile(r"\s*([A-Za-z_][\w.]*(?:<locals>[\w.]*)?(?:\(\w+\))?)(?:: ?|\s*\Z)", re.DOTALL)


def split_exception(text: str) -> tuple[str, str]:
    """Part the last line(s) of a traceback into the type's name and the message."""
    match = _exception_line().match(text)
    if match is None:
        return "", text.rstrip()
    return match.group(1), capped(text[match.end() :].rstrip())


def capped(text: str) -> str:
    """Return the text, or its beginning and end if it is longer than is useful."""
    if len(text) <= KEPT_MESSAGE:
        return text
    head, tail = text[: KEPT_MESSAGE - _KEPT_TAIL], text[-_KEPT_TAIL:]
    return f"{head}\n[... {len(text) - KEPT_MESSAGE} characters left out ...]\n{tail}"


@cache
def _is_exception() -> re.Pattern[str]:
    return re.compile(rf"{QUALIFIED_NAME}\Z")


def is_exception_name(name: str) -> bool:
    """Tell whether a name can only be that of an exception."""
    return _is_exception().match(name) is not None


_WRAPPERS = frozenset(
    {"BackendCompilerFailed", "InductorError", "LoweringException", "InternalTorchDynamoError", "SubprocException",
     "RayTaskError", "SubgraphLoweringException", "WrapperException", "VerificationError", "ChildFailedError"}
)  # fmt: skip


@cache
def _quotes() -> tuple[re.Pattern[str], ...]:
    """How a message quotes another exception: the name is group 1, its message follows."""
    return (
        re.compile(rf"\s*({QUALIFIED_NAME})(?::[ \n]|\s*(?:\n|\Z))"),
        re.compile(rf"[^\n]{{0,500}}?\braised:?\s+({QUALIFIED_NAME})(?:: ?|\s*(?:\n|\Z))"),
        re.compile(rf"No valid triton configs\. ({_ANY_NAME}): "),
        re.compile(rf"[^\n]{{0,500}}:[ \t]*\n(?:[ \t]*\n)?[ \t]*({QUALIFIED_NAME})(?:: |\s*(?:\n|\Z))"),
        re.compile(rf"[^\n]{{0,1000}}\n(?:[^\n]{{0,1000}}\n){{0,2}}({QUALIFIED_NAME}): "),
        re.compile(rf"[^\n]{{0,200}}?: ({QUALIFIED_NAME}): "),
    )


@cache
def _quoted_call() -> re.Pattern[str]:
    return re.compile(rf"got ({_ANY_NAME})\((['\"])(.{{0,20000}})\2,?\)", re.DOTALL)


@cache
def _quoted_by_wrapper() -> re.Pattern[str]:
    return re.compile(rf"(?:backend=[^\n]{{1,300}} raised:\s*|compiler raised )?({_ANY_NAME})(?:: ?|\s*(?:\n|\Z))")


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
    patterns = _quotes()
    if type_name.rpartition(".")[2].partition("(")[0] in _WRAPPERS:
        patterns = (_quoted_by_wrapper(), *patterns)
    for pattern in patterns:
        match = pattern.match(message)
        if match is not None:
            line = message.count("\n", 0, match.start(1))
            return Quoted(type_name=match.group(1), message=message[match.end() :].rstrip(), line=line)
    call = _quoted_call().search(message, 0, 40000) if "got " in message else None
    if call is not None:
        text = call.group(3).replace("\\n", "\n").replace("\\'", "'").replace('\\"', '"')
        return Quoted(type_name=call.group(1), message=text, line=message.count("\n", 0, call.start(1)))
    return None


@cache
def _frame() -> re.Pattern[str]:
    return re.compile(
        r'[ \t]*File "([^"\n]*)", line (\d{1,18})(?:, in ([^\n]*))?[^\n]*\n((?:[ \t]+(?!File ")\S[^\n]*\n){0,32})'
    )


@cache
def _repeated() -> re.Pattern[str]:
    return re.compile(r"\[Previous line repeated (\d{1,18}) more times?\]")


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
    return re.compile(_OWNERS[index][1])


@lru_cache(maxsize=4096)
def owner_of(path: str) -> Owner:
    """Tell whose code a file belongs to, from its path alone."""
    slashed = path[:4000].replace("\\\\", "/").replace("\\", "/")
    for index, (owner, _pattern) in enumerate(_OWNERS):
        if _owner(index).search(slashed):
            return owner
    return Owner.USER
