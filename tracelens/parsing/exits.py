"""How processes ended, as shells, kernels, launchers and schedulers tell it.

A crash that prints nothing else is known only from such a line. Each message
becomes one ``ProcessExit``; the table of torchelastic becomes one per rank,
with the rank that failed first marked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from tracelens.events import ProcessExit, RecordHeader
from tracelens.text import Process, Span

_SIGNALS = {
    1: "SIGHUP",
    2: "SIGINT",
    3: "SIGQUIT",
    4: "SIGILL",
    5: "SIGTRAP",
    6: "SIGABRT",
    7: "SIGBUS",
    8: "SIGFPE",
    9: "SIGKILL",
    10: "SIGUSR1",
    11: "SIGSEGV",
    12: "SIGUSR2",
    13: "SIGPIPE",
    14: "SIGALRM",
    15: "SIGTERM",
    24: "SIGXCPU",
    25: "SIGXFSZ",
    31: "SIGSYS",
}

# What strsignal() says, and faulthandler.
_SIGNAL_TEXTS = {
    "Bus error": "SIGBUS",
    "Segmentation fault": "SIGSEGV",
    "Killed": "SIGKILL",
    "Aborted": "SIGABRT",
    "Abort": "SIGABRT",
    "Abort trap": "SIGABRT",
    "Illegal instruction": "SIGILL",
    "Floating point exception": "SIGFPE",
    "Floating-point exception": "SIGFPE",
    "Terminated": "SIGTERM",
    "Trace/breakpoint trap": "SIGTRAP",
    "Hangup": "SIGHUP",
    "Bad system call": "SIGSYS",
    "CPU time limit exceeded": "SIGXCPU",
    "File size limit exceeded": "SIGXFSZ",
    "Speicherzugriffsfehler": "SIGSEGV",
    "Erreur de segmentation": "SIGSEGV",
    "Violación de segmento": "SIGSEGV",
    "Errore di segmentazione": "SIGSEGV",
    "Falha de segmentação": "SIGSEGV",
    "Ошибка сегментирования": "SIGSEGV",
    "段错误": "SIGSEGV",
    "程式記憶體區段錯誤": "SIGSEGV",
    "Getötet": "SIGKILL",
    "Processus arrêté": "SIGKILL",
    "Terminado (killed)": "SIGKILL",
    "已杀死": "SIGKILL",
    "已终止": "SIGTERM",
    "已中止": "SIGABRT",
    "Abgebrochen": "SIGABRT",
}
_WINDOWS_STATUS = {
    0xC0000005: "SIGSEGV",
    0xC0000094: "SIGFPE",
    0xC000001D: "SIGILL",
    0xC00000FD: "SIGSEGV",
    0xC0000409: "SIGABRT",
    0xC0000374: "SIGABRT",
    0xC000013A: "SIGINT",
}
_TEXTS = "|".join(re.escape(text) for text in sorted(_SIGNAL_TEXTS, key=len, reverse=True))

#: Order counts: the first shape found in a line reads it.
_SHAPES: dict[str, str] = {
    # Fatal Python error: Bus error (faulthandler); Fatal Python error: Aborted
    "faulthandler": rf"Fatal Python error: (?P<text>{_TEXTS})|Windows fatal exception: (?P<windows>.{{1,100}})",
    # bash: line 1:   123 Bus error               (core dumped) python train.py
    "shell_job": (
        rf"(?:\S{{1,200}}: )?(?:line )?\d{{1,7}}: {{1,6}}(?P<pid>\d{{1,9}}) {{1,6}}(?P<text>{_TEXTS})(?:: \d{{1,2}})?(?: {{1,40}}\S.*|\s*)\Z"
    ),
    "shell": rf"(?:\[\d{{1,4}}\][+-]? {{1,6}}(?:(?P<pid>\d{{1,9}}) )?)?(?P<text>{_TEXTS})(?:: \d{{1,2}})?(?: *\((?:core dumped|Speicherabzug geschrieben|core généré|核心已转储|吐核)\))?(?: {{2,40}}\S.*|\s*)\Z",
    "zsh": rf"zsh: (?P<text>{_TEXTS.lower()}|bus error|segmentation fault|killed|abort|terminated) .*",
    # Out of memory: Killed process 123 (python) total-vm:…
    "kernel_oom": r".{0,200}?(?:Out of memory|Memory cgroup out of memory)(?::|,) Kill(?:ed)? process (?P<pid>\d{1,9}).*",
    "kernel_kill": r".{0,100}?\boom-kill:.{0,2000}?(?:pid=(?P<pid>\d{1,9})|\Z).*",
    "slurm_oom": r".{0,300}?(?:slurmstepd: |srun: )?(?:error: )?Detected \d{1,9} oom[-_]kill event.*",
    "slurm_cancel": r".{0,300}?slurmstepd: error: \*\*\* (?:JOB|STEP) (?P<job>\S{1,60}) ON \S{1,200} CANCELLED AT \S{1,40}(?P<cause> DUE TO [A-Z ]{1,60})?.*",
    "srun": rf"srun: error: \S{{1,200}}: tasks? (?P<rank>\d{{1,7}})[\d,-]{{0,200}}: (?:(?P<text>{_TEXTS}).*|Exited with exit code (?P<code>\d{{1,5}}))",
    "ray_memory": r".{0,400}?(?:killed due to memory pressure \(OOM\)|Task was killed due to the node running low on memory|worker was killed due to the node running low on memory|ray\.exceptions\.OutOfMemoryError: ).*",
    # failed (exitcode: -9) local_rank: 0 (pid: 136) of binary: /usr/bin/python
    "elastic": r"failed \(exitcode: (?P<code>-?\d{1,10})\)(?: local_rank: (?P<rank>\d{1,7}))?(?: \(pid: (?P<pid>\d{1,9})\))?.*",
    "dataloader": rf".{{0,200}}?DataLoader worker \(pid(?:\(s\))? (?P<pid>\d{{1,9}})[\d, ]{{0,200}}\) (?:is killed by signal: (?P<text>{_TEXTS})|exited unexpectedly).*",
    "worker": r".{0,200}?\b(?:[Ww]orker|[Pp]roc(?:ess)?)\b.{0,100}? died(?: unexpectedly)?\b.*?(?:exit code:? (?P<code>-?\d{1,10}).*)?\Z",
    "core_dump": r".{0,300}?\(core dumped\)\s*\Z",
    "terminate": r"terminate called (?:after throwing an instance of|without an active exception|recursively).*",
    "heap": r"(?:free\(\): |malloc\(\): |munmap_chunk\(\): |realloc\(\): |double free or corruption|corrupted (?:size|double-linked list)|\*\*\* stack smashing detected).*",
    "received_signal": r".{0,200}?[Ss]ignal (?P<number>\d{1,2}) \((?P<signal>SIG[A-Z0-9]{2,8})\) received by PID (?P<pid>\d{1,9}).*",
    "named_signal": r".{0,300}?(?:exited|died|killed|terminated|crashed|failed)\b.{0,60}?\b(?:with|by|from|due to)\b.{0,40}?\b(?P<signal>SIG(?:KILL|SEGV|BUS|ABRT|TERM|ILL|FPE|INT|HUP|QUIT))\b.*",
    "jetbrains": r"Process finished with exit code (?P<code>-?\d{1,10}).*",
    "make": r"(?:g?make|mingw32-make)(?:\[\d{1,3}\])?: \*\*\* .{0,500}?(?:Error (?P<code>\d{1,5})|(?P<text>Killed|Terminated|Segmentation fault|Bus error))\s*\Z",
    "exit_code": r".{0,300}?\b[Ee]xit(?:ed|s)?(?: with)?(?: return)?(?: non-zero)?(?: exit)? ?(?:[Cc]ode|[Ss]tatus)(?: of| is)?[:=]? {0,3}(?P<code>-?\d{1,10})\b.*",
    "return_code": r".{0,300}?\b(?:exits with return code|returned code|return code|returncode)[:= ]{1,3}(?P<code>-?\d{1,10})\b.*",
}

_NAMED_GROUP = re.compile(r"\(\?P<\w+>")


def _uncaptured(pattern: str) -> str:
    return _NAMED_GROUP.sub("(?:", pattern).replace(r"\Z", r"(?=\n|\Z)")


#: Matches a line that tells of an exit; the caller writes ``^`` before it.
EXIT_PATTERN: str = "(?:" + "|".join(map(_uncaptured, _SHAPES.values())) + ")"


@cache
def _shapes() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((name, re.compile(pattern)) for name, pattern in _SHAPES.items())


def read_exit(
    lines: Sequence[tuple[str, Span]], process: Process | None, record: RecordHeader | None
) -> tuple[ProcessExit, ...]:
    """Read every end of a process that these lines tell of."""
    table = _read_table(lines, process, record)
    if table:
        return table
    return tuple(exit_ for text, span in lines if (exit_ := _read_line(text.strip(), span, process, record)))


def _read_line(text: str, span: Span, process: Process | None, record: RecordHeader | None) -> ProcessExit | None:
    for name, pattern in _shapes():
        match = pattern.match(text)
        if match is None:
            continue
        fields = match.groupdict()
        code = _integer(fields.get("code"))
        signal = _signal(name, fields, code)
        if code == 0 and signal is None:
            return None
        return ProcessExit(
            span=span,
            process=process,
            record=record,
            message=text,
            signal=signal,
            exit_code=code,
            pid=_integer(fields.get("pid")),
            rank=_integer(fields.get("rank")),
        )
    return None


def _integer(text: str | None) -> int | None:
    return int(text) if text else None


def _signal(name: str, fields: dict[str, str | None], code: int | None) -> str | None:
    text = fields.get("text")
    if fields.get("signal"):
        return fields["signal"]
    if text:
        lowered = {key.lower(): value for key, value in _SIGNAL_TEXTS.items()}
        return lowered.get(text.lower())
    if name in {"kernel_oom", "kernel_kill", "slurm_oom", "ray_memory"}:
        return "SIGKILL"
    if name in {"terminate", "heap"}:
        return "SIGABRT"
    if name == "slurm_cancel":
        return "SIGTERM"
    return signal_of_code(code)


def signal_of_code(code: int | None) -> str | None:
    """Return the signal behind an exit code, in any of its spellings.

    Python gives ``-9``, shells ``137``, Windows ``0xC0000005`` as a signed or
    an unsigned number. Plain codes have no signal.
    """
    if code is None:
        return None
    if -64 <= code < 0:
        return _SIGNALS.get(-code)
    if 128 < code < 160:
        return _SIGNALS.get(code - 128)
    return _WINDOWS_STATUS.get(code & 0xFFFFFFFF) if abs(code) > 0xFFFF else None


@cache
def _table_row() -> re.Pattern[str]:
    return re.compile(r"\s*(rank|exitcode|error_file|traceback|time|host)\s*: ?(.{0,2000})")


@cache
def _exit_cell() -> re.Pattern[str]:
    return re.compile(r"(-?\d{1,10}) \(pid: (\d{1,9})\)")


def _read_table(
    lines: Sequence[tuple[str, Span]], process: Process | None, record: RecordHeader | None
) -> tuple[ProcessExit, ...]:
    """Read torchelastic's summary; empty where these lines are none."""
    exits: list[ProcessExit] = []
    is_first = False
    rank: int | None = None
    for text, span in lines:
        if "Root Cause (first observed failure)" in text:
            is_first = True
        elif "Other Failures:" in text:
            is_first = False
        row = _table_row().match(text)
        if row is None:
            continue
        if row.group(1) == "rank":
            number = re.match(r"\d{1,7}", row.group(2))
            rank = int(number.group()) if number else None
        elif row.group(1) == "exitcode":
            cell = _exit_cell().match(row.group(2))
            if cell is None:
                continue
            code = int(cell.group(1))
            exits.append(
                ProcessExit(
                    span=span,
                    process=process,
                    record=record,
                    message=text.strip(),
                    signal=signal_of_code(code),
                    exit_code=code,
                    pid=int(cell.group(2)),
                    rank=rank,
                    first_failure=is_first,
                )
            )
    return tuple(exits)
