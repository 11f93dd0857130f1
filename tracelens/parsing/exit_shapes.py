"""The lines by which shells, kernels, launchers and schedulers tell of an end.

``EXIT_PATTERN`` finds such lines and is tried on every line of a log;
``SHAPES`` takes them apart. All of them begin a line, save those of the
kernel and of Slurm, which end up behind a progress bar.
"""

from __future__ import annotations

from tracelens.typed import NamedTuple

SIGNALS: dict[int, str] = {
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

#: NTSTATUS values that end a process on Windows, by the signal they amount to.
WINDOWS_STATUS: dict[int, str] = {
    0xC0000005: "SIGSEGV",
    0xC0000006: "SIGBUS",
    0xC0000017: "SIGKILL",
    0xC000001D: "SIGILL",
    0xC0000094: "SIGFPE",
    0xC00000FD: "SIGSEGV",
    0xC000013A: "SIGINT",
    0xC0000374: "SIGABRT",
    0xC0000409: "SIGABRT",
}

#: What strsignal() says, in the locales that translate it; and faulthandler.
SIGNAL_TEXTS: dict[str, str] = {
    "bus error": "SIGBUS",
    "segmentation fault": "SIGSEGV",
    "killed": "SIGKILL",
    "out of memory": "SIGKILL",
    "aborted": "SIGABRT",
    "abort trap": "SIGABRT",
    "abort": "SIGABRT",
    "illegal instruction": "SIGILL",
    "illegal hardware instruction": "SIGILL",
    "floating point exception": "SIGFPE",
    "floating-point exception": "SIGFPE",
    "terminated": "SIGTERM",
    "trace/breakpoint trap": "SIGTRAP",
    "trace trap": "SIGTRAP",
    "hangup": "SIGHUP",
    "bad system call": "SIGSYS",
    "cpu time limit exceeded": "SIGXCPU",
    "file size limit exceeded": "SIGXFSZ",
    "access violation": "SIGSEGV",
    "stack overflow": "SIGSEGV",
    "int divide by zero": "SIGFPE",
    "speicherzugriffsfehler": "SIGSEGV",
    "getötet": "SIGKILL",
    "abgebrochen": "SIGABRT",
    "erreur de segmentation": "SIGSEGV",
    "processus arrêté": "SIGKILL",  # codespell:ignore
    "violación de segmento": "SIGSEGV",
    "errore di segmentazione": "SIGSEGV",
    "falha de segmentação": "SIGSEGV",
    "ошибка сегментирования": "SIGSEGV",
    "убито": "SIGKILL",
    "段错误": "SIGSEGV",
    "已杀死": "SIGKILL",
    "已终止": "SIGTERM",
    "已放弃": "SIGABRT",
}

_TEXT = (
    r"(?:Bus error|Segmentation fault|Killed|Aborted|Abort trap|Illegal instruction|Floating[ -]point exception"
    r"|Terminated|Trace/breakpoint trap|Trace trap|Hangup|Bad system call|CPU time limit exceeded"
    r"|File size limit exceeded|Speicherzugriffsfehler|Getötet|Abgebrochen|Erreur de segmentation"
    r"|Processus arrêté|Violación de segmento|Errore di segmentazione|Falha de segmentação"  # codespell:ignore
    r"|Ошибка сегментирования|Убито|段错误|已杀死|已终止|已放弃)"
)
_ZSH = r"(?:killed|segmentation fault|bus error|abort|terminated|illegal hardware instruction|floating point exception)"
_SIGNAL = r"SIG(?:KILL|SEGV|BUS|ABRT|TERM|ILL|FPE|INT|HUP|QUIT|TRAP|PIPE|SYS|XCPU)"
_SOMEBODY = (
    r"(?:Process|process|Command|command|Container|container|Job|job|Task|task|Worker|worker|Subprocess|subprocess"
    r"|Script|script|Program|program|Child|child|Pod|pod|Rank \d|rank \d|Actor|actor|Engine|engine|Main process"
    r"|main process|Local rank|A worker|One of the)"
)
_HEAP = (
    r"(?:free\(\): |malloc\(\): |munmap_chunk\(\): |realloc\(\): |double free or corruption|corrupted (?:size|double)"
    r"|\*\*\* stack smashing detected|tcache_thread_shutdown)"
)
_KERNEL = r"(?:Out of memory: Kill|Memory cgroup out of memory|oom-kill:|[\w.-]{1,40} invoked oom-killer)"

#: Matches the beginning of a line that tells of an end; the caller writes
#: ``^`` before it. A few lines match that ``read_exit`` then passes over.
EXIT_PATTERN: str = (
    rf"(?:{_TEXT}(?:: \d{{1,2}})?(?:\s*$| *\(| {{2,40}}\S)"
    rf"|\[\d{{1,4}}\][+-]? {{1,6}}(?:\d{{1,9}} {{1,4}})?(?:{_TEXT}|{_ZSH})"
    # /bin/bash: line 1:   123 Bus error
    rf"|[^\s:]{{0,200}}: (?:[^\s:\d]{{1,10}} \d{{1,7}}: )? {{0,6}}\d{{1,9}} {{1,6}}{_TEXT}"
    rf"|zsh: {_ZSH}|fish: Job|Fatal Python error: |Windows fatal exception: |!{{5,}} Segfault"
    rf"|\*\*\* (?:SIG|Aborted at)|terminate called |{_HEAP}|failed \(exitcode: |srun: error: |TERM_[A-Z]{{3,20}}\b"
    r"|=>> PBS: |m(?:pirun|piexec) not|(?:g?make|mingw32-make)(?:\[\d{1,3}\])?: \*\*\* "
    r"|(?:Reason: {1,12})?OOMKilled|DataLoader worker \(pid|\d{1,6} Workers? \(tasks"
    rf"|[Ss]ignal:? (?:\d{{1,2}} \(SIG|{_TEXT})|\['[^\n]{{1,9000}}\] exits with return"
    r"|(?:time|host|rank|exitcode|error_file|traceback) {0,6}: |Root Cause \(first observed|Other Failures:"
    r"|(?:The k|K)ernel (?:appears to have died|died|crashed)|Your session crashed"
    rf"|(?:(?:[Tt]he |[Ee]rror: |ERROR: )?{_SOMEBODY}\b|\(raylet\) )"
    r"[^\n]{0,300}?(?:[Ee]xit|died|kill|crashed|terminated|SIG[A-Z]{3}|finished with|completed with|returned )"
    r"|[\w./-]{1,80} exited with "
    r"|(?:[Ee]xit|EXIT|[Rr]et(?:urn)?)(?:[ _]?(?:[Cc]ode|CODE|[Ss]tatus)[^\n]{0,12}?\d|ed with)"
    rf"|slurmstepd: error: |[^%\n|=(\"']{{0,60}}%\|[^\n]{{0,400}}slurmstepd: error: "
    rf"|{_KERNEL}|\[ {{0,6}}\d{{1,9}}\.\d{{6}}\] {_KERNEL}"
    rf"|[A-Z][a-z]{{2}} {{1,2}}\d{{1,2}} \d\d:[^\n]{{0,80}} kernel: [^\n]{{0,30}}{_KERNEL})"
)


class Shape(NamedTuple):
    """One shape; ``gates`` are texts of which a line must hold one to be tried."""

    gates: tuple[str, ...]
    pattern: str
    signal: str | None = None


_CODE = r"(?P<code>-?\d{1,10})(?!\d|\.\d)"

_OOM_SAYINGS = ("memory pressure (OOM)", "running low on memory", "OUT_OF_MEMORY", "TERM_MEMLIMIT", "OOMKilled")

#: Order counts: the first shape that matches reads the line.
SHAPES: tuple[Shape, ...] = (
    # failed (exitcode: -9) local_rank: 0 (pid: 136) of binary: /usr/bin/python
    Shape(
        ("(exitcode:",),
        rf"failed \(exitcode: {_CODE}\)(?:.{{0,40}}?local_rank: (?P<rank>\d{{1,7}}))?"
        r"(?:.{0,40}?\(pid: (?P<pid>\d{1,9})\))?",
    ),
    Shape(("Fatal Python error",), r"Fatal Python error: (?P<text>.{1,100}?)\Z", "SIGABRT"),
    Shape(("Windows fatal",), r"Windows fatal exception: (?:code 0x(?P<hex>[0-9a-fA-F]{1,8})|(?P<text>.{1,100}?)\Z)"),
    # kernel: Out of memory: Killed process 123 (python) total-vm:…
    Shape(
        ("emory: Kill", "emory: kill"),
        r".{0,400}?[Oo]ut of memory: [Kk]ill(?:ed)? process (?P<pid>\d{1,9})",
        "SIGKILL",
    ),
    Shape(("oom-kill:",), r".{0,400}?oom-kill:(?:.{0,2000}?\bpid=(?P<pid>\d{1,9}))?", "SIGKILL"),
    Shape(
        ("oom-kill", "oom_kill", "invoked oom"),
        r".{0,400}?(?:\d{1,9} oom[-_]kill event|invoked oom-killer|OOM killer)",
        "SIGKILL",
    ),
    # slurmstepd: error: *** STEP 1.0 ON node CANCELLED AT 2024-01-01T00:00:00 DUE TO TIME LIMIT ***
    Shape(("CANCELLED AT",), r".{0,500}?slurmstepd: error: \*\*\* (?:JOB|STEP) .{1,300}? CANCELLED AT ", "SIGTERM"),
    Shape(
        ("srun: error",),
        r"srun: error: \S{1,200}: tasks? (?P<rank>\d{1,7})[\d,-]{0,200}: "
        rf"(?:Exited with exit code {_CODE}|(?P<text>[^(\n]{{1,60}}))",
    ),
    Shape(_OOM_SAYINGS, r".", "SIGKILL"),
    Shape(("PBS: job killed",), r"=>> PBS: job killed: .{0,60}(?:mem|swap)", "SIGKILL"),
    Shape(("TERM_", "PBS: job killed"), r"TERM_[A-Z_]{3,20}\b|=>> PBS: job killed", "SIGTERM"),
    Shape(("available RAM",), r"Your session crashed", "SIGKILL"),
    Shape(("terminate called",), r"terminate called ", "SIGABRT"),
    Shape(("Segfault",), r"!{5,} Segfault", "SIGSEGV"),
    Shape(("(): ", "corrupt", "smashing", "tcache"), _HEAP, "SIGABRT"),
    # Handlers of glog and absl: *** SIGBUS (@0x7f) received by PID 9 (TID 0x7f) from PID 1 ***
    Shape(("*** SIG",), rf"\*\*\* (?P<signal>{_SIGNAL})\b(?:.{{0,60}}?by PID (?P<pid>\d{{1,9}}))?"),
    Shape(("*** Aborted at",), r"\*\*\* Aborted at \d", "SIGABRT"),
    # Signal 7 (SIGBUS) received by PID 9; Open MPI: [host:9] Signal: Segmentation fault (11)
    Shape(
        ("ignal",),
        r"(?:traceback {0,6}: )?(?:\[\S{1,80}\] )?[Ss]ignal:? "
        rf"(?:\d{{1,2}} \((?P<signal>SIG[A-Z]{{2,6}})\)|(?P<text>{_TEXT}))(?:.{{0,40}}?by PID (?P<pid>\d{{1,9}}))?",
    ),
    Shape(("exited on signal",), r".{0,400}?(?:PID (?P<pid>\d{1,9}) .{0,200}?)?exited on signal (?P<number>\d{1,2})\b"),
    # /bin/bash: line 1:   123 Bus error               (core dumped) python train.py
    Shape(
        (": ",),
        r"[^\s:]{0,200}: (?:[^\s:\d]{1,10} \d{1,7}: )? {0,6}(?P<pid>\d{1,9}) {1,6}"
        rf"(?P<text>{_TEXT})(?:\s|\Z)",
    ),
    Shape(("[",), rf"\[\d{{1,4}}\][+-]? {{1,6}}(?:(?P<pid>\d{{1,9}}) {{1,4}})?(?P<text>{_ZSH})\b"),
    Shape(
        ("",),
        rf"(?:\[\d{{1,4}}\][+-]? {{1,6}}(?:(?P<pid>\d{{1,9}}) )?)?(?P<text>{_TEXT})(?:: \d{{1,2}})?"
        r"(?:\s*\Z| *\(.{1,40}?\)| {2,40}\S)",
    ),
    Shape(("zsh: ",), rf"zsh: (?P<text>{_ZSH})\b"),
    Shape(("fish: ",), rf"fish: .{{0,300}}? terminated by signal (?P<signal>{_SIGNAL})"),
    Shape(
        ("DataLoader worker",),
        r".{0,300}?DataLoader worker \(pid(?:\(s\))? (?P<pid>\d{1,9}).{0,300}?\) "
        r"(?:is killed by signal: (?P<text>[A-Z][a-z ]{2,30})|exited unexpectedly)",
    ),
    Shape(("code=killed", "code=dumped"), r".{0,200}?code=(?:killed|dumped), status=(?P<number>\d{1,2})/"),
    # Ray lists SIGKILL and SIGSEGV among its guesses; those are no facts.
    Shape(
        ("was sent SIG", "signal SIG", "by SIG", "with SIG"),
        r"(?!.*potential root cause).{0,300}?(?:pid:? ?(?P<pid>\d{1,9}).{0,60}?)?"
        rf"(?:was sent|with signal|by|by signal|with) (?P<signal>{_SIGNAL})\b",
    ),
    Shape(
        ("***",),
        rf"(?:g?make|mingw32-make)(?:\[\d{{1,3}}\])?: \*\*\* .{{0,1000}}?(?:Error {_CODE}|(?P<text>{_TEXT}))"
        r"(?: \(.{1,40}\))?\s*\Z",
    ),
    # exit code 137, exited with code 139, Exit status 135, exits with return code = -9, EXIT_CODE=1
    Shape(
        ("code", "Code", "CODE", "tatus", "STATUS"),
        r".{0,300}?(?:[Ee]xit(?:ed|s)?|EXIT|[Ff]inished|[Tt]erminated|[Rr]et(?:urn(?:ed|s)?)?)"
        r"(?:[ _]?(?:with|non-zero|exit|return|a)){0,3}[ _]?(?:[Cc]ode|[Ss]tatus|CODE|STATUS)(?: of| is)? ?[:=]? {0,8}"
        rf"{_CODE}(?: \(0x(?P<hex>[0-9a-fA-F]{{8}})\))?",
    ),
    Shape(
        (" died", " crashed"),
        r"(?:(?:The k|K)ernel (?:appears to have died|died|crashed)|A worker died"
        r"|(?:Engine core|[Ww]orker)(?: proc)?\b.{0,100}? died\b)",
    ),
)
