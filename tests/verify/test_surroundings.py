"""A child gets what can be the fault, and nothing that writes, connects or is secret."""

from __future__ import annotations

from tracelens.verify.surroundings import child_environment


def test_what_writes_or_connects_or_is_secret_stays_behind():
    environ = {
        "PATH": "/bin",
        "CXX": "g++",
        "LD_LIBRARY_PATH": "/opt/lib",
        "TRITON_PTXAS_PATH": "/opt/ptxas",
        "TORCH_TRACE": "/var/trace",
        "TORCHINDUCTOR_FX_GRAPH_REMOTE_CACHE": "1",
        "PYTHONPATH": "/evil",
        "LD_PRELOAD": "x.so",
        "HF_TOKEN": "secret",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "HTTPS_PROXY": "http://user:secret@host",
        "HOME": "/root",
    }
    child = child_environment(environ, frozenset())
    assert {name for name in environ if name in child} == {"PATH", "CXX", "LD_LIBRARY_PATH", "TRITON_PTXAS_PATH"}
    assert child["TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS"] == "0"


def test_what_a_fix_sets_reaches_the_child():
    environ = {"TORCH_COMPILE_DISABLE": "1", "TORCHINDUCTOR_COMPILE_THREADS": "4"}
    child = child_environment(environ, frozenset(environ))
    assert environ.items() <= child.items()


def test_setting_of_ours_gives_way_where_it_would_hide_the_fault():
    name = "TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS"
    assert name not in child_environment({}, frozenset(), unpinned=frozenset({name}))
