"""Messages are put into logs as their release prints them."""

from __future__ import annotations

import pytest

from corpus.lab.inventory.dressing import dresses, era_of
from corpus.lab.inventory.filling import fill, value_of
from corpus.lab.inventory.templates import Hole
from tests.inventory.release_on_disk import sites_of

RAISE = 'def f():\n    raise RuntimeError("the moon is full")\n'


def only_log(folder, place, source, era):
    (site,) = sites_of(folder, source, place=place)
    (dress,) = dresses(site, era, {})
    return dress.log


@pytest.mark.parametrize(
    ("place", "era", "line"),
    [
        ("_inductor/codecache.py", (2, 9), "torch._inductor.exc.InductorError: RuntimeError: the moon is full"),
        ("_inductor/codecache.py", (2, 5), "backend='inductor' raised:\nRuntimeError: the moon is full"),
        (
            "_inductor/codecache.py",
            (2, 0),
            "BackendCompilerFailed: debug_wrapper raised RuntimeError: the moon is full",
        ),
        (
            "_inductor/lowering.py",
            (2, 9),
            "InductorError: LoweringException: RuntimeError: the moon is full\n  target:",
        ),
        ("_functorch/aot_autograd.py", (2, 9), "backend='inductor' raised:\nRuntimeError: the moon is full"),
        ("_dynamo/symbolic_convert.py", (2, 9), "exc.InternalTorchDynamoError: RuntimeError: the moon is full"),
        ("_dynamo/symbolic_convert.py", (2, 1), "exc.InternalTorchDynamoError: the moon is full"),
        ("_dynamo/eval_frame.py", (2, 9), "\nRuntimeError: the moon is full\n"),
        ("utils/cpp_extension.py", (2, 9), "\nRuntimeError: the moon is full\n"),
    ],
)
def test_exception_is_wrapped_as_its_release_wraps(tmp_path, place, era, line):
    log = only_log(tmp_path, place, RAISE, era)
    assert line in log
    assert f'site-packages/torch/{place}", line 2, in f\n    raise RuntimeError("the moon is full")' in log


def test_record_has_the_header_of_its_release(tmp_path):
    source = 'def f():\n    log.warning("slow")\n'
    new = only_log(tmp_path / "new", "_inductor/codecache.py", source, (2, 9))
    assert new.startswith("W1201 02:32:13.949000 14743 torch/_inductor/codecache.py:2] [0/0] slow\n")
    old = only_log(tmp_path / "old", "_inductor/codecache.py", source, (2, 1))
    assert old.startswith("[2026-12-01 02:32:13,949] torch._inductor.codecache: [WARNING] slow\n")


def test_warning_names_its_class_and_line(tmp_path):
    log = only_log(tmp_path, "_inductor/codecache.py", 'def f():\n    warnings.warn("slow")\n', (2, 9))
    assert 'torch/_inductor/codecache.py:2: UserWarning: slow\n  warnings.warn("slow")\n' in log


def test_graph_break_ends_a_run_under_fullgraph(tmp_path):
    log = only_log(tmp_path, "_dynamo/convert_frame.py", 'def f():\n    unimplemented("generator")\n', (2, 9))
    assert "torch._dynamo.exc.Unsupported: generator\n\nfrom user code:" in log


def test_kernel_of_triton_is_seen_bare_and_through_inductor(tmp_path):
    source = 'def _build():\n    raise RuntimeError("Failed to find C compiler.")\n'
    (tmp_path / "triton" / "runtime").mkdir(parents=True)
    (site,) = sites_of(tmp_path, source)
    triton = type(site)(**{name: getattr(site, name) for name in site.__slots__} | {"module": "triton/runtime/build"})
    assert [dress.name for dress in dresses(triton, (2, 9), {})] == ["kernel", "inductor"]


def test_triton_speaks_like_the_torch_it_belongs_to():
    assert era_of("triton", (3, 1, 0)) == (2, 5)
    assert era_of("torch", (2, 10, 0)) == (2, 10)


def test_holes_get_ordinary_values_unless_one_is_given():
    template = ("waited ", Hole("wait_seconds"), " s for ", Hole("self.lock_file_path"))
    assert fill(template, {"wait_seconds": "600"}) == f"waited 600 s for {value_of(Hole('self.lock_file_path'))}"
    assert value_of(Hole("self.lock_file_path")).endswith(".lock")
    assert value_of(Hole("zzz")) == "x"
