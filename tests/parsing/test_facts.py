from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelens.parsing.facts import FACT_PATTERN, read_facts

#: line as printed, the facts it states
STATED = [
    ("PyTorch version: 2.5.1+cu124", [("torch", "2.5.1+cu124"), ("cuda", "12.4")]),
    ("PyTorch version: 2.11.0.dev20260101+cu130", [("torch", "2.11.0.dev20260101+cu130"), ("cuda", "13.0")]),
    ("PyTorch version: 2.6.0+rocm6.2.4", [("torch", "2.6.0+rocm6.2.4"), ("rocm", "6.2.4")]),
    ("CUDA used to build PyTorch: 12.4", [("cuda", "12.4")]),
    ("OS: Ubuntu 22.04.3 LTS (x86_64)", [("os", "Ubuntu 22.04.3 LTS (x86_64)")]),
    ("GCC version: (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0", [("compiler", "GCC 11.4.0")]),
    ("Clang version: 14.0.0-1ubuntu1.1", [("compiler", "Clang 14.0.0")]),
    ("Python version: 3.11.7 (main, Dec  8 2023, 18:56:57) [GCC 9.4.0] (64-bit runtime)", [("python", "3.11.7")]),
    ("Python version: 3.8 (64-bit runtime)", [("python", "3.8")]),
    ("Python platform: Linux-5.15.0-91-generic-x86_64", [("os", "Linux-5.15.0-91-generic-x86_64")]),
    ("CUDA runtime version: 12.4.131", [("cuda_toolkit", "12.4.131")]),
    ("GPU models and configuration: GPU 0: NVIDIA A100-SXM4-80GB", [("gpu", "NVIDIA A100-SXM4-80GB")]),
    ("GPU 0: NVIDIA H200 (UUID: GPU-123)", [("gpu", "NVIDIA H200")]),
    ("Nvidia driver version: 550.54.15", [("driver", "550.54.15")]),
    ("[pip3] torch==2.5.1", [("torch", "2.5.1")]),
    ("[pip3] pytorch-triton==3.0.0+dedb7bdf33", [("triton", "3.0.0+dedb7bdf33")]),
    (
        "[conda] pytorch      2.0.1     py3.10_cuda11.7_cudnn8.5.0_0    pytorch",
        [("package_manager", "conda"), ("torch", "2.0.1")],
    ),
    ("torch 2.5.1+cu124", [("torch", "2.5.1+cu124"), ("cuda", "12.4")]),
    ("torch                   2.7.0", [("torch", "2.7.0")]),
    ("triton                  3.3.0", [("triton", "3.3.0")]),
    ("triton-windows 3.2.0.post10", [("triton", "3.2.0.post10")]),
    ("torch.__version__  = 1.12.1", [("torch", "1.12.1")]),
    ("torch.version.cuda: 12.4", [("cuda", "12.4")]),
    ("- PyTorch version (GPU?): 2.5.1 (True)", [("torch", "2.5.1")]),
    ("- **PyTorch:** 2.10.0+cpu", [("torch", "2.10.0+cpu")]),
    ("- **GPU:** NVIDIA GeForce RTX 4080", [("gpu", "NVIDIA GeForce RTX 4080")]),
    ("- `torch` version: 2.5.1", [("torch", "2.5.1")]),
    ("PyTorch Version 2.1.0a0+29c30b1", [("torch", "2.1.0a0+29c30b1")]),
    ('"torch_version": "2.5.1",', [("torch", "2.5.1")]),
    ("2.5.1+cu124 12.4 True", [("torch", "2.5.1+cu124"), ("cuda", "12.4")]),
    (
        "Ultralytics 8.3.0 Python-3.11.7 torch-2.5.1 CUDA:0 (Tesla T4, 15102MiB)",
        [("torch", "2.5.1"), ("python", "3.11.7"), ("gpu", "Tesla T4")],
    ),
    ("Requirement already satisfied: torch in /usr/lib/python3.10/site-packages (2.5.1)", [("torch", "2.5.1")]),
    ("vLLM API server version 0.8.5", [("vllm", "0.8.5")]),
    ("Initializing a V1 LLM engine (v0.8.5) with config", [("vllm", "0.8.5")]),
    (
        "| NVIDIA-SMI 550.54.15    Driver Version: 550.54.15    CUDA Version: 12.4 |",
        [("driver", "550.54.15"), ("driver_cuda", "12.4")],
    ),
    ("|   0  NVIDIA A100-SXM4-40GB     On  | 00000000:00:04.0 Off |", [("gpu", "NVIDIA A100-SXM4-40GB")]),
    ("Device: cuda:0 NVIDIA GeForce RTX 4090 : cudaMallocAsync", [("gpu", "NVIDIA GeForce RTX 4090")]),
    ("Cuda compilation tools, release 12.4, V12.4.131", [("cuda_toolkit", "12.4")]),
    ("CUDA_HOME=/usr/local/cuda-12.4", [("cuda_toolkit", "12.4")]),
    ("CUDA_VERSION=12.4.1", [("cuda_toolkit", "12.4.1")]),
    ("CUDA Version 12.4.1", [("cuda", "12.4.1")]),
    ("PyTorch (11.7). Please make sure to use the same CUDA versions.", [("cuda", "11.7")]),
    ("platform linux -- Python 3.11.7, pytest-7.4.3, pluggy-1.3.0", [("os", "Linux"), ("python", "3.11.7")]),
    ("Python 3.10.6 (tags/v3.10.6:9c7b4bd) [MSC v.1932 64 bit (AMD64)]", [("python", "3.10.6"), ("os", "Windows")]),
    ('PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"', [("os", "Debian GNU/Linux 12 (bookworm)")]),
    (
        "Linux host 5.15.0-91-generic #101-Ubuntu SMP x86_64",
        [("os", "Linux host 5.15.0-91-generic #101-Ubuntu SMP x86_64")],
    ),
    ("Windows-11-10.0.22631-SP0", [("os", "Windows-11-10.0.22631-SP0")]),
    ("Microsoft Windows [Version 10.0.22631.2861]", [("os", "Microsoft Windows [Version 10.0.22631.2861]")]),
    ("g++ (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0", [("compiler", "GCC 11.4.0")]),
    ("-- The CXX compiler identification is GNU 9.4.0", [("compiler", "GCC 9.4.0")]),
    ("Microsoft (R) C/C++ Optimizing Compiler Version 19.38.33133 for x64", [("compiler", "MSVC 19.38.33133")]),
    ("NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct", [("driver", "535.129.03")]),
    ("# packages in environment at /opt/conda:", [("package_manager", "conda")]),
]

#: lines that only mention a name
OTHERS = [
    "",
    "text",
    "ROCM used to build PyTorch: N/A",
    "OS: Could not collect",
    "CUDA runtime version: Could not collect",
    "[pip3] torchvision==0.20.1",
    "torchaudio 2.5.1",
    "pytorch-lightning 2.1.0",
    "tritonclient==2.3",
    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
    "Python 2.5 GiB",
    "import torch",
    "torch2trt 2.5",
    "CUDA12.4",
    "PyTorch 2.6 is required",
    "Python 3.12 or later",
]


@pytest.mark.parametrize(("line", "facts"), STATED, ids=[line for line, _ in STATED])
def test_a_line_states_its_facts(line, facts):
    assert read_facts([line]) == tuple(facts)
    assert read_facts([f"    {line}\r"]) == tuple(facts)


@pytest.mark.parametrize("line", [line for line, _ in STATED])
def test_the_pattern_finds_every_line_that_states_a_fact(line):
    assert re.compile("^" + FACT_PATTERN, re.MULTILINE).search(f"text\n{line}\n")


@pytest.mark.parametrize("line", OTHERS)
def test_a_name_without_its_version_is_no_fact(line):
    assert read_facts([line]) == ()


def test_facts_come_in_order_and_once():
    lines = [
        "PyTorch version: 2.5.1+cu124",
        "CUDA used to build PyTorch: 12.4",
        "",
        "torch 2.5.1+cu124",
        "Python 3.11.7",
    ]

    assert read_facts(lines) == (("torch", "2.5.1+cu124"), ("cuda", "12.4"), ("python", "3.11.7"))


@pytest.mark.parametrize("package", ["torch", "triton"])
def test_pip_show_prints_name_and_version_apart(package):
    assert read_facts([f"Name: {package}", "Version: 3.1.0", "Name: numpy", "Version: 2.0.0"]) == ((package, "3.1.0"),)


PARTS = st.sampled_from(
    [
        "torch",
        " ",
        "==",
        "2.5.1",
        "+cu124",
        ": ",
        "triton",
        "Python",
        "3.11.7",
        "CUDA",
        " version",
        "GPU 0: ",
        "NVIDIA A100",
        "OS: ",
        "- ",
        "**",
        "[pip3] ",
        "GCC version: ",
        "(x) ",
        "| ",
        "Name: torch",
        "Version: 2",
        "\n",
        "+cu",
        "9" * 5000,
    ]
)


@given(st.lists(st.one_of(st.text(), st.lists(PARTS, max_size=8).map("".join)), max_size=4))
def test_any_lines_are_read_without_raising(lines):
    facts = read_facts(lines)

    assert len(set(facts)) == len(facts)
    assert all(name and value for name, value in facts)
