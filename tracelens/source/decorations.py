"""Decorations that can be told from one line alone, and what each says.

Launchers, container runtimes, log daemons and build services put these before
a line in forms that no program prints by itself, so each comes off wherever it
stands, in any order and repeated. Log headers with a level are content, not
decoration: parsing reads them. What only many lines together can show to be a
decoration is in ``columns`` and ``stamps``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache

from tracelens.expressions import expression
from tracelens.source.identity import Owner

_TIME = r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?"
_ZONE = r"(?:Z|[+-]\d\d:?\d\d)"
#: Behind the first digit of the year.
_STAMP_REST = rf"\d{{3}}-\d\d-\d\dT{_TIME}{_ZONE}"
#: What a log daemon writes behind the first letter of the month: `ec 01 12:00:00 host app[123]: `.
_SYSLOG = (
    rf"(?:an|eb|ar|pr|ay|un|ul|ug|ep|ct|ov|ec) [ \d]?\d {_TIME} "
    r"([\w.:-]{0,63}\w) (?:([A-Za-z_(/][^\s:\[\]]{0,63})\[(\d{1,9})\]"
    r"|(kernel|systemd|dockerd|containerd|slurmstepd|slurmd|python3?|ollama|audit|sudo|CRON)):(?: |$)"
)
#: One space belongs to the decoration; more are the line's own.
_GAP = r"(?: |$)"

#: Each kind with the first character of its pattern and the rest, above it who prints it. The first character stands
#: apart because it rules out most kinds, and most lines, at once.
_KINDS: tuple[tuple[str, str, str], ...] = (
    # torch: the excepthook writes `[rank0]: text`, its log handler `[rank0]:text`.
    ("rank", r"\[", r"(?:rank|Rank|RANK)[ _=:]?(\d{1,5})\]:"),
    # torchrun --tee: `[default1]:`, or the role given.
    ("role", r"\[", r"([a-z][a-z_-]{1,24})(\d{1,5})\]:"),
    # mpirun --tag-output `[1,0]<stderr>:`, SageMaker `[1,mpirank:0,algo-1]<stdout>:`.
    ("mpi", r"\[", r"\d{1,6},(?:mpirank:)?(\d{1,5})(?:,[\w.-]{1,64})?\]<std(?:out|err|diag)>:"),
    # Buildkite and Jenkins; Airflow, with the header of its relay of a task's output.
    (
        "bracket",
        r"\[",
        (
            rf"\d{{4}}-\d\d-\d\dT{_TIME}{_ZONE}?(?<=[\dZ])\]{_GAP}"
            r"(?:\{(?:subprocess|logging_mixin|pod_manager|pod_launcher|docker|ssh|spark_submit)\.py:\d+\} [A-Z]+ - )?"
        ),
    ),
    # electron-log, which relays what the program behind a desktop application prints, whatever it says, as information.
    ("electron", r"\[", rf"\d{{4}}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{{3}}\] \[(?:info|warn)\] {_GAP}"),
    # SGLang: `[2025-07-10 14:20:55 TP0] `, on the first line of a record only.
    ("parallel", r"\[", rf"\d{{4}}-\d\d-\d\d {_TIME}((?: (?:DP|TP|PP|EP)\d{{1,4}}){{1,4}})\]{_GAP}"),
    # kubectl logs --prefix.
    ("pod", r"\[", rf"pod/([^\]\s]{{1,200}})\]{_GAP}"),
    # The kernel's ring buffer.
    ("kernel", r"\[", rf" {{0,6}}\d{{1,7}}\.\d{{6}}\]{_GAP}"),
    # Ray `(f pid=1, ip=10.0.0.2) `, vLLM `(EngineCore_DP0 pid=73) `, `(VllmWorker rank=0 pid=9) `.
    (
        "worker",
        r"\(",
        (
            r"(?:([^\n()=]{1,60}(?:\([^\n()]{0,40}\)[^\n()=]{0,40}){0,3}) )?(?:rank=(\d{1,5}) )?"
            rf"pid=(\w{{1,20}})(?:, ip=([\w.:]{{1,45}}))?\){_GAP}"
        ),
    ),
    (
        "service",
        r"\(",
        rf"(raylet|autoscaler|scheduler|gcs_server|log_monitor)(?:, ip=[\w.:]+| \+[\dhms.]+)?\){_GAP}",
    ),
    # GitHub Actions, Azure, docker -t, kubectl --timestamps, CloudWatch, Heroku; then the tags of CRI-O, GitLab,
    # journalctl -o short-iso and Heroku.
    (
        "stamp",
        r"[0-9](?<=\d)",
        (
            rf"{_STAMP_REST}(?:[ \t]|$)(?:std(?:out|err) [FP]{_GAP}|\d\d[OE][ +]"
            rf"|([\w.-]{{1,64}}) ([\w./@-]{{1,64}})\[(\d{{1,9}})\]:{_GAP}|app\[([a-z_-]+\.\d+)\]:{_GAP})?"
        ),
    ),
    # foreman and honcho: `12:34:56 web.1   | `.
    ("foreman", r"[0-9](?<=\d)", rf"\d:\d\d:\d\d ([\w-]{{1,40}}\.\d{{1,4}}) {{1,40}}\|{_GAP}"),
    # TorchServe and SageMaker's model server, which relay what a worker prints; Prefect, what a task prints.
    (
        "model_server",
        r"[0-9](?<=\d)",
        rf"\d{{3}}-\d\d-\d\d[T ]{_TIME} \[[A-Z]{{4,5}} ?\] (W-[\w.-]{{1,100}})-std(?:out|err) [\w.]{{1,100}} -{_GAP}",
    ),
    (
        "task",
        r"[0-9](?<=\d)",
        rf"\d:\d\d:\d\d\.\d{{3}} \| INFO {{4}}\| (?:Task|Flow) run '([^'\n]{{1,100}})' -{_GAP}",
    ),
    # SwarmUI, which relays what a backend prints under a level of its own choice.
    (
        "backend",
        r"[0-9](?<=\d)",
        rf"\d:\d\d:\d\d\.\d{{3}} \[[A-Z][a-z]{{3,6}}\] \[([\w .-]{{1,60}})/STD(?:OUT|ERR)\]{_GAP}",
    ),
    # journalctl and syslog; then with the priority of a raw message, in the old format and in that of RFC 5424.
    ("syslog", r"[JFMASOND]", _SYSLOG),
    ("syslog_raw", r"<", rf"\d{{1,3}}>[JFMASOND]{_SYSLOG}"),
    (
        "syslog_new",
        r"<",
        (
            rf"\d{{1,3}}>1 \d{_STAMP_REST} ([\w.:-]{{1,64}}) (\S{{1,48}}) (?:(\d{{1,9}})|-) \S{{1,32}} "
            rf"(?:-|\[[^\]\n]{{0,200}}\]){_GAP}"
        ),
    ),
    # A rank whose brackets were eaten as markup.
    ("bare_rank", r"r", r"ank ?(\d{1,5}):(?= |$)"),
    # GitHub Actions and Azure.
    ("command", r"#", r"#\[(?:error|warning|notice|command|section|debug|group|endgroup|info|verbose)\]"),
    # docker buildx --progress=plain.
    ("buildkit", r"#", rf"\d{{1,4}} \d{{1,6}}\.\d{{1,3}}{_GAP}"),
    ("buildkite", r"_", r"bk;t=\d{10,16}"),
    # The gutter of a copied Buildkite page.
    (
        "gutter",
        r"[ \t|]",
        # A comma before the milliseconds makes it the header of an early torch record, quoted.
        (
            r"(?:(?<=[ \t])[ \t]?\|)?(?<=\|)[ \t]?\[\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,9})?"
            rf"(?:{_ZONE}| [A-Z]{{3,4}})?\]{_GAP}"
        ),
    ),
)

#: Whether one space after these belongs to them differs from line to line.
UNSURE_GAP = frozenset({"rank", "bare_rank", "role", "mpi"})


@cache
def _one() -> str:
    """Return the pattern of one decoration, its alternatives gathered by their first characters."""
    by_first: dict[str, list[str]] = {}
    for kind, first, rest in _KINDS:
        by_first.setdefault(first, []).append(f"(?P<{kind}>{rest})")
    return " ?(?:" + "|".join(f"{first}(?:{'|'.join(rests)})" for first, rests in by_first.items()) + ")"


@cache
def decoration() -> re.Pattern[str]:
    """Return the pattern of one decoration, whose ``lastgroup`` is its kind."""
    return expression(_one())


@cache
def decorations() -> re.Pattern[str]:
    """Return the pattern of all decorations of a line, whose ``lastgroup`` is the kind of the last."""
    return expression(f"(?:{_one()})+")


@cache
def owner_groups() -> dict[str, tuple[int, ...]]:
    """Return, for each kind that names a process, the groups that say which; two at least."""
    index = decoration().groupindex
    groups = {}
    for kind, (count, _read) in _OWNERS.items():
        first = index[kind] + 1
        groups[kind] = (first, first) if count < 2 else tuple(range(first, first + count))
    return groups


def owner_of(kind: str, values: tuple[str | None, ...]) -> Owner | None:
    """Return the process that a decoration of this kind names with these values; equal ones are one object."""
    return _owner(kind, values)


@lru_cache(maxsize=4096)
def _owner(kind: str, values: tuple[str | None, ...]) -> Owner | None:
    return _OWNERS[kind][1](values)


def _number(value: str | None) -> int | None:
    return int(value) if value is not None and value.isdigit() else None


def _ranked(values: tuple[str | None, ...]) -> Owner:
    return Owner(rank=_number(values[0]))


def _role(values: tuple[str | None, ...]) -> Owner:
    role, number = values
    return Owner(worker=None if role == "default" else f"{role}{number}", local_rank=_number(number))


def _worker(values: tuple[str | None, ...]) -> Owner:
    name, rank, pid, address = values
    # The address is there on the lines of other nodes only, where the same pid may run again.
    words = (word for word in (name, pid, f"({address})" if address else None) if word)
    return Owner(worker=" ".join(words), rank=_number(rank), pid=_number(pid))


def _service(values: tuple[str | None, ...]) -> Owner:
    return Owner(worker=values[0])


def _tagged(values: tuple[str | None, ...]) -> Owner | None:
    host, app, pid, heroku = values
    if heroku is not None:
        return Owner(places=(heroku,))
    return None if app is None else _logged((host, app, pid))


def _logged(values: tuple[str | None, ...]) -> Owner:
    """Read the tags of a log daemon: all ranks of a service write under one pid, so it is a place."""
    host, app, pid, *nameless = values
    app = app or next(iter(nameless), None)
    return Owner(places=(str(host), f"{app} {pid}" if pid else str(app)), pid=_number(pid))


def _pod(values: tuple[str | None, ...]) -> Owner:
    return Owner(places=(str(values[0]),))


def _parallel(values: tuple[str | None, ...]) -> Owner:
    return Owner(worker=str(values[0]).strip(), sticky=True)


#: How many groups of a kind say which process it was, and who reads them.
_OWNERS: dict[str, tuple[int, Callable[[tuple[str | None, ...]], Owner | None]]] = {
    "rank": (1, _ranked),
    "bare_rank": (1, _ranked),
    "role": (2, _role),
    "mpi": (1, _ranked),
    "worker": (4, _worker),
    "service": (1, _service),
    "stamp": (4, _tagged),
    "syslog": (4, _logged),
    "syslog_raw": (4, _logged),
    "syslog_new": (3, _logged),
    "pod": (1, _pod),
    "foreman": (1, _pod),
    "model_server": (1, _pod),
    "task": (1, _pod),
    "backend": (1, _pod),
    "parallel": (1, _parallel),
}
