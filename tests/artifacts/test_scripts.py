from __future__ import annotations

from tests.artifacts.traces import read, trace_input
from tracelens.events import EnvironmentReport, Unfinished

SCRIPT = """\
import os
os.environ['TORCHINDUCTOR_CACHE_DIR'] = '/scratch/cache'
os.environ['AWS_SECRET_ACCESS_KEY'] = 'not ours'
import torch._inductor.config
torch._inductor.config.triton.store_cubin = False
# torch version: 2.11.0+cu130
# torch cuda version: 13.0
# Cuda compilation tools, release 13.0, V13.0.88
# NVIDIA H200 : 1
    run_repro(mod, load_args, accuracy={accuracy}, command='minify', save_dir='/x')
"""


def facts_of(name: str, text: str) -> dict[str, str]:
    events, _, _ = read(trace_input(text, name))
    return {key: value for event in events if isinstance(event, EnvironmentReport) for key, value in event.facts}


def unfinished_in(name: str, text: str) -> list[str]:
    return [event.message for event in read(trace_input(text, name))[0] if isinstance(event, Unfinished)]


def test_comments_and_settings_are_facts_of_the_machine():
    assert facts_of("x/fx_graph_runnable.py", SCRIPT) == {
        "TORCHINDUCTOR_CACHE_DIR": "/scratch/cache",
        "torch._inductor.config.triton.store_cubin": "False",
        "torch": "2.11.0+cu130",
        "cuda": "13.0",
        "cuda_toolkit": "13.0",
        "gpu": "NVIDIA H200",
    }


def test_minifier_launcher_says_that_something_failed():
    name = "x/minifier_launcher.py"
    assert "failed to compile or to run" in unfinished_in(name, SCRIPT.replace("{accuracy}", "False"))[0]
    assert "other results than eager" in unfinished_in(name, SCRIPT.replace("{accuracy}", "True"))[0]
    assert unfinished_in("x/fx_graph_runnable.py", SCRIPT.replace("{accuracy}", "False")) == []


def test_output_of_collect_env_is_read_as_a_log_is():
    text = "Collecting environment information...\nPyTorch version: 2.5.1+cu124\nOS: Ubuntu 24.04 LTS (x86_64)\n"
    assert facts_of("env.txt", text)["torch"] == "2.5.1+cu124"
    assert facts_of("env.txt", text)["os"].startswith("Ubuntu 24.04")


def test_generated_code_is_not_read():
    assert read(trace_input("# torch version: 2.5.1\n", "x/torchinductor/g/output_code.py"))[0] == []


def test_graph_without_generated_code_is_unfinished():
    files = ["fx_graph_runnable.py", "ir_pre_fusion.txt"]
    folder = "run/torchinductor/model__0_inference_0.0"
    inputs = [trace_input("# torch version: 2.5.1\n", f"{folder}/{name}") for name in files]
    assert [event.message for event in read(*inputs)[0] if isinstance(event, Unfinished)] == [
        "Inductor began the graph model__0_inference_0.0 and wrote no output_code.py for it."
    ]
    done = [*inputs, trace_input("", f"{folder}/output_code.py")]
    assert not any(isinstance(event, Unfinished) for event in read(*done)[0])
