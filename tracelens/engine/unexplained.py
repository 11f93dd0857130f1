"""What to say of a failure that no rule explains: what was seen, and one command.

The command is chosen by what this log lacks, so that the next one has it. It
is the command that the user ran, as far as the log names it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tracelens.engine.environment import Machine
from tracelens.engine.failures import Failure
from tracelens.engine.fields import said_by
from tracelens.engine.log import Log
from tracelens.events import CompilerDiagnostic, Event, ExceptionChain, NinjaBuild, ProcessExit, Unfinished
from tracelens.expressions import expression
from tracelens.findings import Unexplained
from tracelens.ruleset.model import Kind

_SEEN_LENGTH = 300
_VERBOSE = 'TORCH_LOGS="+dynamo,+inductor" TORCHDYNAMO_VERBOSE=1'
_DEAD_POOL = expression(
    r"closed pool|[Ss]ubprocess exited unexpectedly|process pool was terminated abruptly|BrokenProcessPool"
    r"|SubprocPool|compile worker"
)
_FILTERED = expression(r"TORCHDYNAMO_VERBOSE=1|_dynamo frames|remove_dynamo_frames")
_DEVICE = expression(
    r"CUDA error|CUBLAS_STATUS|CUDNN_STATUS|HIP error|device-side assert|cudaError|illegal memory access"
)
_COLLECTIVE = expression(r"NCCL|ProcessGroup|TCPStore|Gloo|collective", re.IGNORECASE)
_BUILD = expression(r"Error building extension|CalledProcessError|CppCompileError|ninja|returned non-zero exit status")
_ELASTIC = expression(r"ChildFailedError|torch\.distributed\.elastic|error_file")
_COMPILE = expression(
    r"torch[/\\._]+(?:_dynamo|_inductor|_functorch)|BackendCompilerFailed|InductorError|triton", re.IGNORECASE
)


def explain_failure(failure: Failure, log: Log, machine: Machine) -> Unexplained:
    """Return what was seen of a failure and the one command that would tell more."""
    seen = failure.seen if len(failure.seen) <= _SEEN_LENGTH else f"{failure.seen[: _SEEN_LENGTH - 1]}…"
    return Unexplained(seen=seen, next_command=_next_command(failure, log, machine))


def _next_command(failure: Failure, log: Log, machine: Machine) -> str:
    event = log.events[failure.event]
    said = _all_said(event)
    settings = next((settings for applies, settings in _LACKS if applies(event, said, log)), "")
    script = machine.script or "your_script.py"
    if settings == _WHOLE_LOG:
        return f"python {script} > whole.log 2>&1"
    if settings == _EVERY_RANK:
        return f"torchrun --tee 3 --log-dir logs --nproc-per-node {machine.environment.ranks or 2} {script}"
    if settings.startswith("python "):
        return f"{settings} {script}"
    if "windows" in machine.platforms:
        # cmd has no `NAME=value command`, and takes quotes as part of the value.
        assignments = re.findall(r'(\w+)="?([^" ]*)"?', settings)
        return " && ".join([*(f'set "{name}={value}"' for name, value in assignments), f"python {script}"])
    return f"{settings} python {script}"


def _all_said(event: Event) -> str:
    if isinstance(event, ExceptionChain):
        return "\n".join(f"{said_by(exception)[:8000]}" for exception in event.exceptions[:32])
    return str(getattr(event, "message", ""))


_WHOLE_LOG = "the whole log"
_EVERY_RANK = "the log of every rank"


def _is_cut(event: Event, _said: str, _log: Log) -> bool:
    return isinstance(event, ExceptionChain) and (event.unfinished or event.headless)


def _has_dead_pool(_event: Event, said: str, _log: Log) -> bool:
    return bool(_DEAD_POOL.search(said))


def _hides_rank(event: Event, said: str, _log: Log) -> bool:
    return bool(_ELASTIC.search(said)) or (isinstance(event, ProcessExit) and event.first_failure)


def _died_silently(event: Event, _said: str, _log: Log) -> bool:
    return isinstance(event, ProcessExit) and bool(event.signal)


def _was_killed(event: Event, said: str, _log: Log) -> bool:
    return isinstance(event, Unfinished) and "killed" in said


def _is_unfinished(event: Event, _said: str, _log: Log) -> bool:
    return isinstance(event, Unfinished)


def _lacks_compiler_output(event: Event, said: str, log: Log) -> bool:
    has_errors = any(
        isinstance(log.events[number], CompilerDiagnostic) for number in log.by_kind.get(Kind.DIAGNOSTIC, ())
    )
    return not has_errors and (isinstance(event, NinjaBuild) or bool(_BUILD.search(said)))


def _says(pattern: re.Pattern[str]) -> Callable[[Event, str, Log], bool]:
    def applies(_event: Event, said: str, _log: Log) -> bool:
        return bool(pattern.search(said))

    return applies


def _is_compiling(event: Event, said: str, _log: Log) -> bool:
    if isinstance(event, ExceptionChain):
        paths = (getattr(frame, "path", "") for exception in event.exceptions for frame in exception.frames)
        if any(_COMPILE.search(path) for path in paths):
            return True
    return bool(_COMPILE.search(said))


def _is_anything(_event: Event, _said: str, _log: Log) -> bool:
    return True


#: What a log may lack, and the settings that bring it; the first that applies is asked for.
_LACKS: tuple[tuple[Callable[[Event, str, Log], bool], str], ...] = (
    (_has_dead_pool, "TORCHINDUCTOR_COMPILE_THREADS=1"),
    (_was_killed, "python -X faulthandler"),
    (_is_unfinished, _VERBOSE),
    (_is_cut, _WHOLE_LOG),
    (_hides_rank, _EVERY_RANK),
    (_died_silently, "python -X faulthandler"),
    (_lacks_compiler_output, "TORCHINDUCTOR_COMPILE_THREADS=1 MAX_JOBS=1"),
    (_says(_DEVICE), "CUDA_LAUNCH_BLOCKING=1"),
    (_says(_COLLECTIVE), "NCCL_DEBUG=INFO TORCH_NCCL_TRACE_BUFFER_SIZE=2000"),
    (_says(_FILTERED), "TORCHDYNAMO_VERBOSE=1"),
    (_is_compiling, _VERBOSE),
    (_is_anything, "TORCH_COMPILE_DISABLE=1"),
)
