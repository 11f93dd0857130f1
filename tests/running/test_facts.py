"""What a log cannot know becomes part of the one diagnosis."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.command import COMMAND, CORPUS, run_command
from tests.running.commands import answer_in, caches_in, run_python
from tracelens.api import analyze_text
from tracelens.environment.memory import MemoryKills
from tracelens.events import Observation, ProcessExit
from tracelens.findings import Confidence
from tracelens.running.command import Ended
from tracelens.running.copying import BoundedCopy
from tracelens.running.facts import Watcher
from tracelens.running.family import Family
from tracelens.topics import Topic

DIE = "import os; os.kill(os.getpid(), {})"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def library(folder):
    """Return a library in Inductor's cache."""
    place = folder / "torchinductor_me" / "ab" / "cab.main.so"
    place.parent.mkdir(parents=True)
    shutil.copy(sys.executable, place)
    return place


def ended_by(number: int, folder: Path, program: str = DIE, *options: str):
    answer = folder / "answer.json"
    done = run_python(
        program.format(int(number)), "--format", "json", "-o", str(answer), *options, env=caches_in(folder)
    )
    return done, answer_in(answer)


@pytest.mark.parametrize("number", [signal.SIGBUS, signal.SIGSEGV])
def test_silent_crash_with_a_broken_library_is_the_cache(number, folder, library):
    os.truncate(library, library.stat().st_size // 5)
    done, answer = ended_by(number, folder)
    assert done.code == 128 + number
    first = answer["findings"][0]
    assert (answer["label"], first["code"], first["confidence"]) == ("cache/truncated-artifact", "TL201", "likely")
    assert str(library) in first["evidence"][0]["text"]
    assert first["fixes"][0]["commands"] == [f"rm -f {library}"]
    assert str(library) in done.errors


def test_broken_library_that_the_loader_names_is_certain(folder, library):
    library.write_bytes(b"")
    program = f"raise ImportError({f'{library}: file too short'!r}) from SystemExit({{}})"
    _, answer = ended_by(1, folder, program)
    first = answer["findings"][0]
    assert (first["code"], first["confidence"]) == ("TL201", "certain")


@pytest.mark.parametrize("number", [signal.SIGBUS, signal.SIGSEGV])
def test_silent_crash_with_sound_caches_accuses_none(number, folder, library):
    assert library.exists()
    _, answer = ended_by(number, folder)
    assert answer["label"] == "outside/other"


def test_broken_library_is_not_accused_of_an_ordinary_end(folder, library):
    library.write_bytes(b"")
    _, answer = ended_by(0, folder, "raise SystemExit({} + 3)")
    assert answer["outcome"] == "unexplained"
    assert answer["findings"] == []


def test_command_is_described(folder):
    program = "import os, time; time.sleep(1); os._exit({})"
    settings = {**caches_in(folder), "TORCH_LOGS": "recompiles", "SECRET_TOKEN": "hush"}
    answer = folder / "answer.json"
    run_python(program.format(7), "--format", "json", "-o", str(answer), env=settings)
    seen = {check["name"]: check["detail"] for check in answer_in(answer)["checks"]}
    assert seen["command"].startswith("exit code 7 after ")
    assert seen["inductor cache directory"] == f"{folder}/torchinductor_me (by default)"
    assert "TORCH_LOGS=recompiles" in seen["settings"]
    assert "hush" not in answer.read_text()


def test_directory_that_only_the_command_knows_is_looked_into(folder, library):
    os.truncate(library, 1000)
    other = folder / "elsewhere"
    library.parents[1].rename(other)
    program = f"""
import os, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import os, time; time.sleep(1); os.kill(os.getpid(), 7)"],
                         env={{**os.environ, "TORCHINDUCTOR_CACHE_DIR": {str(other)!r}}})
raise SystemExit(128 - child.wait())
"""
    answer = folder / "answer.json"
    done = run_python(program, "--format", "json", "-o", str(answer), env=caches_in(folder))
    assert done.code == 135, done.errors
    assert answer.exists(), done.errors
    assert answer_in(answer)["label"] == "cache/truncated-artifact"
    assert str(other) in answer_in(answer)["findings"][0]["evidence"][0]["text"]


def test_baton_that_nobody_holds_ends_the_wait(folder):
    baton = folder / ".cache" / "torch_extensions" / "py311_cpu" / "ops" / "lock"
    baton.parent.mkdir(parents=True)
    baton.touch()
    done, answer = ended_by(60, folder, "import time; time.sleep({})", "--hang-after", "1")
    assert done.code == 128 + signal.SIGTERM
    assert (answer["label"], answer["findings"][0]["code"]) == ("cache/stale-lock", "TL241")
    assert str(baton) in answer["findings"][0]["evidence"][0]["text"]


def test_lock_is_named_with_its_holder_and_workers_are_ended_as_well(folder):
    lock = folder / "torchinductor_me" / "locks" / "c1.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    program = """
import subprocess, sys
worker = subprocess.Popen([sys.executable, "-c", "import time; time.sleep({})"], start_new_session=True)
print(worker.pid, flush=True)
worker.wait()
"""
    with lock.open("w") as held:
        holder = subprocess.Popen(["/bin/sleep", "60"], pass_fds=[held.fileno()])
        fcntl.flock(held, fcntl.LOCK_EX)
        try:
            done, answer = ended_by(77, folder, program, "--hang-after", "1")
        finally:
            holder.kill()
            holder.wait()
    assert (answer["label"], answer["findings"][0]["code"]) == ("cache/stale-lock", "TL243")
    proof = answer["findings"][0]["evidence"][0]["text"]
    assert str(lock) in proof
    assert f"pid {os.getpid()}" in proof
    assert not _lives(int(done.output))


def test_silence_without_a_lock_is_left_alone(folder):
    done, answer = ended_by(2, folder, "import time; time.sleep({})", "--hang-after", "0.4")
    assert (done.code, answer["outcome"]) == (0, "clean")


def test_busy_silence_is_left_alone(folder):
    baton = folder / ".cache" / "torch_extensions" / "lock"
    baton.parent.mkdir(parents=True)
    baton.touch()
    program = "import time\nend = time.monotonic() + {}\nwhile time.monotonic() < end: pass"
    assert ended_by(2, folder, program, "--hang-after", "0.4")[0].code == 0


def test_real_kill_for_memory_is_counted(folder):
    group = Path("/sys/fs/cgroup/memory/tracelens-test")
    try:
        group.mkdir(exist_ok=True)
        (group / "memory.limit_in_bytes").write_text("150M")
    except OSError as error:
        pytest.skip(f"no memory group can be made: {error}")
    program = f"""
import os
with open("{group}/cgroup.procs", "w") as file: file.write("0")
os.execv({str(COMMAND)!r}, ["tracelens", "run", "--format", "json", "-o", "{folder}/answer.json", "--",
         {sys.executable!r}, "-c", "x = bytearray(400_000_000)\\nfor at in range(0, len(x), 4096): x[at] = 1"])
"""
    try:
        done = run_command(sys.executable, "-c", program, env=caches_in(folder))
    finally:
        group.rmdir()
    assert done.code == 128 + signal.SIGKILL
    assert answer_in(folder / "answer.json")["label"] == "outside/host-oom"


def facts_of(ended: Ended, monkeypatch, *, group: int = 0, machine: int = 0):
    """Return the facts of an end during which counts of the kernel rose."""
    before, after = MemoryKills(group=2, machine=7), MemoryKills(group=2 + group, machine=7 + machine)
    monkeypatch.setattr("tracelens.running.facts.count_memory_kills", lambda: after)
    return Watcher({}, before).facts(ended, Family(os.getpid()), BoundedCopy())


def an_end(number: int | None, code: int = 1) -> Ended:
    return Ended(exit_code=128 + number if number else code, signal=number, seconds=1.0, hung=False)


@pytest.mark.parametrize("rise", [{"group": 1}, {"machine": 1}])
def test_kill_with_the_kernels_count_risen_is_memory(rise, monkeypatch):
    answer = analyze_text("epoch 1\n", facts=facts_of(an_end(signal.SIGKILL), monkeypatch, **rise))
    assert (answer.label, answer.confidence) == ("outside/host-oom", Confidence.LIKELY)
    assert "oom_kill" in answer.findings[0].evidence[0].text


def test_kill_after_recompiles_is_their_memory(monkeypatch):
    log = (CORPUS / "lab" / "2.13.0" / "seq-static-logs" / "input.log").read_text(errors="surrogateescape")
    answer = analyze_text(log, facts=facts_of(an_end(signal.SIGKILL), monkeypatch, group=1))
    assert answer.label == "dynamic-shapes/recompile-memory"


def test_count_of_the_machine_alone_proves_nothing_of_an_ordinary_end(monkeypatch):
    facts = facts_of(an_end(None), monkeypatch, machine=3)
    assert [type(fact) for fact in facts] == [ProcessExit]


def test_count_of_the_group_tells_of_a_killed_worker(monkeypatch):
    facts = facts_of(an_end(None), monkeypatch, group=1)
    assert [fact.topic for fact in facts if isinstance(fact, Observation)] == [Topic.MEMORY_KILL]


def test_versions_are_those_of_the_torch_that_was_loaded(folder):
    packages = folder / "lib" / "python3.12" / "site-packages"
    (packages / "torch" / "lib").mkdir(parents=True)
    (packages / "triton-3.6.0.dist-info").mkdir()
    (packages / "torch" / "version.py").write_text(
        "__version__ = '2.11.0+cu130'\ndebug = False\ncuda: Optional[str] = '13.0'\n"
    )
    shutil.copy(sys.executable, packages / "torch" / "lib" / "libtorch_cpu.so")
    program = f"""
import mmap, time
file = open({str(packages / "torch" / "lib" / "libtorch_cpu.so")!r}, "rb")
mapped = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
time.sleep(1 + {{}})
raise SystemExit(1)
"""
    environment = ended_by(0, folder, program)[1]["environment"]
    known = {name: environment[name] for name in ("torch", "cuda", "triton", "python")}
    assert known == {"torch": "2.11.0+cu130", "cuda": "13.0", "triton": "3.6.0", "python": "3.12"}


def _lives(pid: int) -> bool:
    for _ in range(20):
        try:
            state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
        except OSError:
            return False
        if state == "Z":
            return False
        time.sleep(0.1)
    return True
