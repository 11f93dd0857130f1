"""What single looks see on machines that are not at hand: GPUs, old libraries, full disks."""

from __future__ import annotations

import faulthandler
import os
import shutil
import signal
import sys
import sysconfig
import tempfile
import time
from contextlib import nullcontext

import pytest

from tests.environment.conftest import a_root
from tests.environment.machines import CUDA_TORCH, a_python, labels, program, read
from tracelens.engine.topics import rules_of_topics
from tracelens.environment.gpu import look_at_gpu
from tracelens.environment.isolation import Probe, run_probes
from tracelens.environment.libraries import look_at_libstdcxx
from tracelens.environment.observations import failed, passed
from tracelens.environment.programs import run_program
from tracelens.environment.roots import CacheKind
from tracelens.environment.storage import look_at_folder, too_long
from tracelens.environment.toolchain import look_at_cxx
from tracelens.findings import CheckStatus, Outcome
from tracelens.record import replace
from tracelens.ruleset.bundled import load_ruleset
from tracelens.topics import Topic

SMI = "NVIDIA H200, 9.0, 580.65.06"
#: What ptxas 13.0 and 11.0 list in their help, abridged.
PTXAS = "Allowed values for this option:  'compute_75','sm_75','sm_90','sm_90a','sm_100'."
PTXAS_OLD = "Allowed values for this option:  'compute_52','sm_52','sm_70','sm_75','sm_80'."


def wait():
    time.sleep(60)
    return ()


def crash():
    faulthandler.disable()  # pytest's own
    os.kill(os.getpid(), signal.SIGSEGV)


def fail():
    message = "no such thing"
    raise OSError(message)


def test_looks_that_cannot_be_taken_are_named_and_take_no_other_with_them():
    probes = [
        Probe(name="slow", look=wait, seconds=0.5),
        Probe(name="crashing", look=crash),
        Probe(name="failing", look=fail),
        Probe(name="fine", look=lambda: (passed("fine", "yes"),)),
    ]
    started = time.monotonic()
    checks = run_probes(probes)
    assert time.monotonic() - started < 10
    assert [(check.name, check.status) for check in checks] == [
        ("slow", CheckStatus.NOT_RUN),
        ("crashing", CheckStatus.NOT_RUN),
        ("failing", CheckStatus.NOT_RUN),
        ("fine", CheckStatus.PASSED),
    ]
    assert "longer than" in checks[0].detail
    assert "Segmentation fault" in checks[1].detail
    assert checks[2].detail == "OSError: no such thing"
    assert read(*checks).outcome is Outcome.CLEAN


@pytest.mark.parametrize("interrupted", [False, True])
def test_program_of_a_look_that_is_stopped_ends_with_it(interrupted, tmp_path):
    def look():
        with tempfile.TemporaryDirectory(dir=tmp_path, prefix="work-") as work:
            run_program(["sh", "-c", f"echo $$ > {tmp_path}/new && mv {tmp_path}/new {tmp_path}/pid; sleep 60"], {}, 50)
            return (passed("slow", work),)

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 1.0 if interrupted else 30.0)
    try:
        with pytest.raises(KeyboardInterrupt) if interrupted else nullcontext():
            assert (
                "longer than" in run_probes([Probe(name="slow", look=look, seconds=40 if interrupted else 1)])[0].detail
            )
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    pid = int((tmp_path / "pid").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert [entry.name for entry in tmp_path.iterdir()] == ["pid"]


def test_every_topic_has_a_rule_that_speaks_of_it():
    # Sound caches clear a suspicion; they are nothing to speak of by themselves.
    assert set(rules_of_topics(load_ruleset())) == set(Topic) - {Topic.SOUND_CACHES}


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ here")
@pytest.mark.parametrize(
    ("settings", "label"),
    [
        ({"CXX": "/opt/gcc-99/bin/g++"}, "toolchain/cxx-missing"),
        ({"CXX": "/usr/lib"}, "toolchain/cxx-missing"),
        ({"CXX": "g++ -nostdinc++"}, "toolchain/std-headers"),
        ({"CXX": "g++ -nostdinc"}, "toolchain/std-headers"),
        ({"GCC_EXEC_PREFIX": "/opt/gcc-99/lib/gcc/"}, "toolchain/compiler-incomplete"),
    ],
)
def test_what_the_compiler_says_is_read_as_a_log(settings, label):
    python = replace(a_python(), environ={**os.environ, **settings}, include=sysconfig.get_paths()["include"])
    assert label in {name for name, _ in labels(*look_at_cxx(python))}


@pytest.fixture
def gpu_machine(tmp_path):
    """Return a folder of programs as on a machine with an H200, and its torch."""
    bin_folder = tmp_path / "bin"
    program(bin_folder, "nvidia-smi", SMI)
    ptxas = program(tmp_path / "site-packages" / "triton" / "backends" / "nvidia" / "bin", "ptxas", PTXAS)
    assert ptxas.exists()
    return bin_folder, replace(CUDA_TORCH, home=str(tmp_path / "site-packages" / "torch"))


def gpu_labels(machine, **environ: str):
    folder, torch = machine
    checks = look_at_gpu(a_python(torch, PATH=f"{folder}:/usr/bin:/bin", **environ))
    return labels(*(check for check in checks if "libcuda" not in check.name))


def test_gpu_that_fits_gives_no_finding(gpu_machine):
    assert gpu_labels(gpu_machine) == []


@pytest.mark.parametrize(
    ("triton", "found"),
    [("3.4.0", ("abi/torch-triton-mismatch", "TL482")), (None, ("toolchain/triton-missing", "TL135"))],
)
def test_triton_of_another_release_is_named(triton, found, gpu_machine):
    folder, torch = gpu_machine
    assert gpu_labels((folder, replace(torch, triton=triton))) == [found]


@pytest.mark.parametrize(
    ("home", "says", "found"),
    [
        (":/usr/local/cuda", None, ("toolchain/cuda-toolkit-missing", "TL141")),
        ("/opt/no-cuda", None, ("toolchain/cuda-toolkit-missing", "TL141")),
        (None, "Cuda compilation tools, release 11.8, V11.8.89", ("abi/cuda-mismatch", "TL421")),
    ],
)
def test_mistakes_with_the_toolkit_are_named(home, says, found, gpu_machine):
    folder, _ = gpu_machine
    if says:
        program(folder, "nvcc", says)
    assert gpu_labels(gpu_machine, **({"CUDA_HOME": home} if home else {})) == [found]


def test_toolkit_of_the_same_cuda_is_fine(gpu_machine):
    program(gpu_machine[0], "nvcc", "Cuda compilation tools, release 13.0, V13.0.48")
    assert gpu_labels(gpu_machine) == []


def test_assembler_that_does_not_know_the_gpu_is_named(gpu_machine, tmp_path):
    ptxas = program(tmp_path / "old", "ptxas", PTXAS_OLD)
    assert gpu_labels(gpu_machine, TRITON_PTXAS_PATH=str(ptxas)) == [("abi/ptx-version", "TL441")]
    assert gpu_labels(gpu_machine, TRITON_PTXAS_PATH="/opt/none/ptxas") == [("toolchain/cuda-toolkit-missing", "TL144")]


def test_gpu_that_is_too_old_for_triton_is_named(gpu_machine):
    program(gpu_machine[0], "nvidia-smi", "Tesla P100-PCIE-16GB, 6.0, 535.54")
    assert gpu_labels(gpu_machine) == [("abi/gpu-unsupported", "TL471")]


def test_triton_needs_a_c_compiler_and_libcuda(gpu_machine):
    folder, torch = gpu_machine
    (check,) = (c for c in look_at_gpu(a_python(torch, PATH=str(folder))) if "libcuda" in c.name)
    assert labels(check) == [("toolchain/cc-missing", "TL110")]


def test_library_that_lacks_what_torch_needs_is_named(tmp_path):
    (tmp_path / "torch" / "lib").mkdir(parents=True)
    (tmp_path / "torch" / "lib" / "libc10.so").write_bytes(b"\0GLIBCXX_3.4.9\0GLIBCXX_3.4.99\0")
    torch = replace(CUDA_TORCH, home=str(tmp_path / "torch"))
    (check,) = look_at_libstdcxx(a_python(torch, path=sys.executable))
    assert labels(check) == [("abi/glibcxx", "TL411")]
    assert "GLIBCXX_3.4.99" in read(check).findings[0].title


def test_driver_that_is_older_than_the_cuda_of_torch_is_named(gpu_machine):
    folder, _ = gpu_machine
    header = "| NVIDIA-SMI 535.54   Driver Version: 535.54   CUDA Version: 12.2 |"
    script = f'#!/bin/sh\n[ "$1" ] && echo "NVIDIA H200, 9.0, 535.54" || echo "{header}"\n'
    (folder / "nvidia-smi").write_text(script)
    assert gpu_labels(gpu_machine) == [("abi/driver-too-old", "TL451")]


def test_directory_that_windows_would_refuse_is_named():
    assert list(too_long("C:\\t")) == []
    (trouble,) = too_long("C:\\Users\\" + "a" * 120)
    assert labels(failed("inductor cache directory", trouble.words, trouble.topic)) == [("cache/path-limit", "TL292")]


def test_what_stands_where_a_cache_is_to_be_is_named(tmp_path):
    file, pipe, link = tmp_path / "file", tmp_path / "pipe", tmp_path / "link"
    file.touch()
    os.mkfifo(pipe)
    link.symlink_to(tmp_path / "nowhere")
    for path in (file, pipe, link, file / "below"):
        checks = look_at_folder(a_root(CacheKind.INDUCTOR, path), a_python())
        assert labels(*checks) == [("cache/path-limit", "TL293")]
    assert labels(*look_at_folder(a_root(CacheKind.INDUCTOR, tmp_path / "new"), a_python())) == []
