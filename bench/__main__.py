"""``make bench``: the inputs, the rounds, the table."""

from __future__ import annotations

import argparse
import multiprocessing
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.inputs import MEGABYTE, compressors, small_crash, write_crashes, write_dense, write_noise, write_ranks
from bench.measure import Command, CommandError, measure
from bench.table import describe_machine, lay_out
from bench.traces import MIXES, produced_by_tlparse, produced_by_tracelens, tlparse_commands, write_trace

_ROOT = Path(__file__).resolve().parent.parent
_PATTERNS = Path(__file__).with_name("rg-patterns.txt")
_TRACELENS = Path(sys.executable).with_name("tracelens")
_SIZES = {"noise": 1024, "dense": 300, "crashes": 32, "packed": 256, "ranks": 20, "trace": 100}
#: Megabytes of an input by which engines are compared.
_PART = 64
_RIPGREP = "rg -c, 60 patterns"


def _made(write: Callable[[Path, int, Path], str], target: Path, size: int, corpus: Path) -> str:
    """Make an input in a process of its own: the kernel counts ours into the peak of what we start."""
    with multiprocessing.Pool(1) as pool:
        return pool.apply(write, (target, size, corpus))


class Bench:
    """The cases of the bench; each yields one table."""

    def __init__(self, folder: Path, options: argparse.Namespace) -> None:
        """Take where to put inputs, and how large and how often."""
        self._folder = folder
        self._corpus: Path = options.corpus
        self._scale: float = options.scale
        self._rounds: int = options.rounds
        self._tlparse: str | None = options.tlparse

    def noise(self) -> Iterator[str]:
        """Measure a gigabyte of noise, as a file and through a pipe."""
        log = self._folder / "noise.log"
        title = _made(write_noise, log, self._size("noise"), self._corpus)
        commands: dict[str, Command] = {
            "tracelens": self._analyze(log),
            "cat \\| tracelens": self._shell(f"cat {log} | {self._shell_analyze()}"),
            **self._peers(log),
            "wc -l": ["wc", "-l", log],
        }
        bars = {"tracelens": ">= 3, aim 4; < 64 MB", "cat \\| tracelens": "< 64 MB"}
        yield lay_out(title, log.stat().st_size, measure(commands, self._rounds), _RIPGREP, bars)
        yield self._engines("scan alone, noise", log)
        log.unlink()

    def dense(self) -> Iterator[str]:
        """Measure dense compiler logs."""
        log = self._folder / "dense.log"
        title = _made(write_dense, log, self._size("dense"), self._corpus)
        commands: dict[str, Command] = {"tracelens": self._analyze(log), **self._peers(log)}
        bars = {"tracelens": ">= 2, aim 2.5; < 64 MB"}
        yield lay_out(title, log.stat().st_size, measure(commands, self._rounds), _RIPGREP, bars)
        yield self._engines("scan alone, dense", log)
        log.unlink()

    def small(self) -> Iterator[str]:
        """Measure the start: one small crash, in both formats."""
        log = small_crash(self._corpus)
        commands: dict[str, Command] = {
            "tracelens, json": self._analyze(log),
            "tracelens, terminal": [_TRACELENS, "analyze", log],
            "python -I -c pass": [sys.executable, "-I", "-c", "pass"],
        }
        bars = {"tracelens, json": ">= 0.20, aim 0.25", "tracelens, terminal": ">= 0.125, aim 0.167"}
        series = measure(commands, 3 * self._rounds, env={"tracelens, terminal": {"FORCE_COLOR": "1"}})
        yield lay_out("one small crash, cold start", log.stat().st_size, series, "python -I -c pass", bars)

    def packed(self) -> Iterator[str]:
        """Measure packed noise against unpacking it in front."""
        log = self._folder / "packed.log"
        _made(write_noise, log, self._size("packed"), self._corpus)
        size = log.stat().st_size
        for suffix, (program, pack) in compressors().items():
            packed = log.with_name(log.name + suffix)
            pack(log, packed)
            piped = f"{program} -dc \\| tracelens"
            commands: dict[str, Command] = {
                f"tracelens, {suffix}": self._analyze(packed),
                piped: self._shell(f"{program} -dc {packed} | {self._shell_analyze()}"),
                f"{program} -dc": [program, "-dc", packed],
            }
            bars = {f"tracelens, {suffix}": ">= 1"}
            yield lay_out(f"packed noise ({suffix})", size, measure(commands, self._rounds), piped, bars)
            packed.unlink()
        log.unlink()

    def crashes(self) -> Iterator[str]:
        """Measure nothing but crash text: it all goes through the grammar."""
        log = self._folder / "crashes.log"
        title = _made(write_crashes, log, self._size("crashes"), self._corpus)
        commands: dict[str, Command] = {"tracelens": self._analyze(log), **self._peers(log)}
        bars = {"tracelens": ">= 40 MB per CPU s, aim 80"}
        yield lay_out(title, log.stat().st_size, measure(commands, self._rounds), _RIPGREP, bars)
        log.unlink()

    def trace(self) -> Iterator[str]:
        """Measure a structured trace against tlparse, and say what each makes of it."""
        for mix in MIXES:
            folder = self._folder / "trace"
            folder.mkdir()
            trace = folder / "dedicated_log_torch_trace_bench.log"
            title = write_trace(trace, self._size("trace"), self._corpus, mix)
            commands: dict[str, Command] = {"tracelens": self._analyze(trace)}
            if self._tlparse:
                commands |= tlparse_commands(self._tlparse, trace, folder)
            bars = {"tracelens": "x >= 20; < 128 MB"}
            yield lay_out(title, trace.stat().st_size, measure(commands, self._rounds), "tlparse", bars)
            yield f"{produced_by_tracelens(commands['tracelens'])}\n"
            yield f"{produced_by_tlparse(folder / 'rendered')}\n" if self._tlparse else "tlparse is not installed.\n"
            shutil.rmtree(folder)

    def ranks(self) -> Iterator[str]:
        """Measure thousands of interleaved ranks: one log, many processes in it."""
        log = self._folder / "ranks.log"
        title = _made(write_ranks, log, self._size("ranks"), self._corpus)
        commands: dict[str, Command] = {"tracelens": self._analyze(log), **self._peers(log)}
        yield lay_out(title, log.stat().st_size, measure(commands, self._rounds), _RIPGREP, {"tracelens": "< 5 s"})
        log.unlink()

    def huge(self) -> Iterator[str]:
        """Measure memory on ten times the noise, through a pipe."""
        log = self._folder / "noise.log"
        title = _made(write_noise, log, self._size("noise"), self._corpus)
        tenfold = " ".join([str(log)] * 10)
        commands: dict[str, Command] = {
            "cat x 10 \\| tracelens": self._shell(f"cat {tenfold} | {self._shell_analyze()}")
        }
        series = measure(commands, 1)
        bars = {"cat x 10 \\| tracelens": "< 64 MB, aim 40"}
        yield lay_out(f"{title}, ten times", 10 * log.stat().st_size, series, "", bars)
        log.unlink()

    def _size(self, name: str) -> int:
        return max(MEGABYTE, int(_SIZES[name] * MEGABYTE * self._scale))

    def _engines(self, title: str, log: Path) -> str:
        # Pure Python takes a minute for a gigabyte: a part says as much, if it is long enough to forget the start.
        part = log.with_name("part.log")
        with log.open("rb") as source, part.open("wb") as target:
            for _ in range(max(1, min(_PART, log.stat().st_size // MEGABYTE))):
                target.write(source.read(MEGABYTE))
        commands: dict[str, Command] = {
            engine: [sys.executable, "-m", "bench.scan_only", "--engine", engine, part]
            for engine in ("hyperscan", "re2", "python")
        }
        try:
            series = measure({**commands, **self._peers(part)}, self._rounds)
        except CommandError as error:
            return f"### {title}\n\nnot measured: {error}\n"
        text = lay_out(f"{title}, the same 60 patterns", part.stat().st_size, series, _RIPGREP, {"re2": ">= 0.75"})
        part.unlink()
        return text

    def _peers(self, log: Path) -> dict[str, Command]:
        peers: dict[str, Command] = {}
        if shutil.which("rg"):
            peers[_RIPGREP] = ["rg", "-c", "-f", _PATTERNS, log]
        if shutil.which("grep"):
            # The same patterns in the dialect of grep, which is fastest where characters are bytes.
            patterns = self._folder / "grep-patterns.txt"
            written = _PATTERNS.read_text(encoding="utf-8").replace("(?:", "(").replace(r"\d", "[0-9]")
            patterns.write_text(written, encoding="utf-8")
            # What it says must go somewhere, or it ends at the first match.
            peers["grep -c -E, 60 patterns"] = self._shell(f"LC_ALL=C grep -c -E -f {patterns} {log} | cat")
        return peers

    def _analyze(self, log: Path) -> Command:
        return [_TRACELENS, "analyze", "--format", "json", log]

    def _shell_analyze(self) -> str:
        return f"{_TRACELENS} analyze --format json -"

    def _shell(self, script: str) -> Command:
        return ["sh", "-c", script]


_CASES = ("small", "noise", "dense", "crashes", "ranks", "packed", "trace")


def main() -> int:
    """Make the inputs, measure, print and write the tables."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure the installed tracelens command.")
    parser.add_argument("--scale", type=float, default=1.0, help="size of the inputs (1: a gigabyte of noise)")
    parser.add_argument("--rounds", type=int, default=3, help="measured rounds (default: 3)")
    parser.add_argument("--only", action="append", choices=(*_CASES, "huge"), help="measure this; may be repeated")
    parser.add_argument("--corpus", type=Path, default=_ROOT / "corpus", help="where the real logs are")
    parser.add_argument("--tlparse", default=shutil.which("tlparse"), help="tlparse, if it is not on the PATH")
    parser.add_argument("--folder", type=Path, help="where to put the inputs for the time being")
    parser.add_argument("--output", type=Path, default=_ROOT / "build/bench.md", help="where to write the tables")
    options = parser.parse_args()
    if not shutil.which("rg"):
        sys.stderr.write("bench: ripgrep (rg) is not installed, so there is no yardstick for the large logs\n")
    parts = [f"# Bench\n\n{describe_machine(options.rounds)}\n"]
    sys.stdout.write(f"{parts[0]}\n")
    with tempfile.TemporaryDirectory(prefix="tracelens-bench-", dir=options.folder) as folder:
        bench = Bench(Path(folder), options)
        for name in options.only or _CASES:
            for part in getattr(bench, name)():
                parts.append(part)
                sys.stdout.write(f"{part}\n")
                sys.stdout.flush()
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text("\n".join(parts), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
