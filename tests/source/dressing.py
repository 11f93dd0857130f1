"""Plain crash lines, and every decoration that is known to be put before lines like them."""

from __future__ import annotations

import json
from collections.abc import Callable

#: Lines as programs print them, none decorated: what comes off must be exactly what was put on.
_CRASH = r"""Traceback (most recent call last):
  File "/workspace/train.py", line 12, in <module>
    loss = model(x).sum()
           ^^^^^^^^^
  File "/opt/venv/lib/python3.11/site-packages/torch/_inductor/cpp_builder.py", line 108, in cpp_compiler_search
    raise exc.InvalidCxxCompiler
torch._inductor.exc.InductorError: InvalidCxxCompiler: No working C++ compiler found: (None, 'g++')

Set TORCHDYNAMO_VERBOSE=1 for the internal stack trace
W1201 02:32:13.949000 14743 torch/_dynamo/convert_frame.py:1994] [0/8] [__recompiles] Recompiling function f in /a.py:3
[2023-11-29 22:29:33,093] [0/0] torch._dynamo.convert_frame: [WARNING] hit config.cache_size_limit (8)
/tmp/tmpx/main.c:5:10: fatal error: Python.h: No such file or directory
    5 | #include <Python.h>
      |          ^~~~~~~~~~
compilation terminated.
ERROR 01-28 12:00:00 [core.py:396] EngineCore failed
2025-05-18 11:04:09,331 INFO worker.py:1843 -- Connected to Ray cluster.
During handling of the above exception, another exception occurred:
ninja: build stopped: subcommand failed.
FAILED: rms.o
[1/4] c++ -MMD -MF rms.o.d -c rms.cpp -o rms.o
/usr/bin/ld: cannot find -lcuda: No such file or directory
collect2: error: ld returned 1 exit status
RuntimeError: CUDA error: device kernel image is invalid
step 10 | loss 2.31 | lr 0.001"""
CRASH = _CRASH.split("\n")

#: Puts one decoration on a line: its index, the line, and the number of the process.
Dress = Callable[[int, str, int], str]

DRESSES: dict[str, Dress] = {
    "rank of a traceback": lambda _i, line, n: f"[rank{n}]: {line}",
    "rank of a record": lambda _i, line, n: f"[rank{n}]:{line}",
    "rank twice": lambda _i, line, n: f"[rank{n}]:[rank{n}]: {line}",
    "torchrun tee": lambda _i, line, n: f"[default{n}]:{line}",
    "vllm": lambda _i, line, n: f"(EngineCore_DP{n} pid=7{n}) {line}",
    "ray": lambda _i, line, n: f"(RayWorker pid=1{n}, ip=10.0.0.{n}) {line}",
    "ray in colour": lambda _i, line, n: f"\x1b[36m(f pid=1{n})\x1b[0m {line}",
    "srun label": lambda _i, line, n: f"{n}: {line}",
    "mpirun tag": lambda _i, line, n: f"[1,{n}]<stderr>:{line}",
    "github actions": lambda i, line, _n: f"2026-03-24T06:51:{i % 60:02d}.{i * 7919 % 10**7:07d}Z {line}",
    "docker -t": lambda i, line, _n: f"2026-03-24T06:51:{i % 60:02d}.{i * 7919 % 10**9:09d}+00:00 {line}",
    "cri-o": lambda i, line, _n: f"2026-03-24T06:51:{i % 60:02d}.{i * 7919 % 10**9:09d}Z stderr F {line}",
    "gitlab": lambda i, line, _n: f"2026-03-24T06:51:{i % 60:02d}.000000Z 01E {line}",
    "cloudwatch": lambda i, line, _n: f"2025-06-24T17:18:{i % 60:02d}.370-07:00 {line}",
    "docker compose": lambda _i, line, n: f"vllm-{n}  | {line}",
    "kubectl prefix": lambda _i, line, n: f"[pod/x-{n}/main] {line}",
    "journald": lambda i, line, n: f"Dec 01 12:00:{i % 60:02d} host app[12{n}]: {line}",
    "syslog priority": lambda i, line, n: f"<6>Dec  1 12:00:{i % 60:02d} host app[12{n}]: {line}",
    "rfc 5424": lambda i, line, n: f"<14>1 2025-06-24T09:18:{i % 60:02d}Z host app 12{n} - - {line}",
    "kernel": lambda i, line, _n: f"[  123.4567{i % 100:02d}] {line}",
    "buildkite": lambda i, line, _n: f"[2026-02-03T04:05:{i % 60:02d}Z] {line}",
    "buildkite escape": lambda i, line, _n: f"\x1b_bk;t=17000000000{i % 60:02d}\x07{line}",
    "buildkite gutter": lambda i, line, _n: f"  | [2026-02-03T04:05:{i % 60:02d}Z] {line}",
    "docker build": lambda i, line, _n: f"#12 3.{i % 10} {line}",
    "workflow command": lambda _i, line, _n: f"##[error]{line}",
    "stamp": lambda i, line, _n: f"2025-06-24 17:18:{i % 60:02d}  {line}",
    "stamp in brackets": lambda i, line, _n: f"[2025-06-24 17:18:{i % 60:02d}] {line}",
    "clock": lambda i, line, _n: f"17:18:{i % 60:02d} {line}",
    "pdsh": lambda _i, line, n: f"node-{n}: {line}",
    "accelerate": lambda _i, line, _n: f"stderr: {line}",
    "quote": lambda _i, line, _n: f"> {line}",
    "bar": lambda _i, line, _n: f"| {line}",
    "markdown": lambda _i, line, _n: f"    {line}",
    "ansi": lambda _i, line, _n: f"\x1b[31m{line}\x1b[0m",
    "ansi by rsyslog": lambda _i, line, _n: f"#033[31m{line}#033[0m",
    "ansi spelled out": lambda _i, line, _n: f"\\x1b[31m{line}\\x1b[0m",
    "ansi without escape": lambda _i, line, _n: f"[31m{line}[0m",
    "crlf": lambda _i, line, _n: f"{line}\r",
    "json": lambda _i, line, _n: json.dumps({"level": "error", "message": line}),
    "json by docker": lambda _i, line, _n: json.dumps(
        {"log": line + "\n", "stream": "stderr", "time": "2026-01-01T00:00:00Z"}
    ),
    "json by cloud logging": lambda _i, line, _n: json.dumps({"textPayload": line, "severity": "ERROR"}),
}


def dressed(lines: list[str], names: list[str], process: int = 0) -> list[str]:
    """Put decorations on every line, the first name innermost."""
    result = lines
    for name in names:
        result = [DRESSES[name](i, line, process) for i, line in enumerate(result)]
    return result
