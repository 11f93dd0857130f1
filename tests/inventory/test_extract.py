"""What is a message site, and what it is called."""

from __future__ import annotations

from corpus.lab.inventory.releases import read_release
from corpus.lab.inventory.sites import How
from tests.inventory.release_on_disk import make_release, registry_of, sites_of


def described(sites):
    return [(site.function, site.how.value, site.kind, site.flat) for site in sites]


def test_raise_assert_log_and_warning_are_sites(tmp_path):
    source = """
import logging, warnings
log = logging.getLogger(__name__)

class Cache:
    def load(self, path):
        assert path, f"no path for {self}"
        log.warning("unable to load %s", path)
        log.info("this one is no site")
        warnings.warn("slow", FutureWarning)
        raise RuntimeError(f"broken: {path}")
"""
    assert described(sites_of(tmp_path, source)) == [
        ("Cache.load", "raised", "AssertionError", "no path for {}"),
        ("Cache.load", "logged", "warning", "unable to load {}"),
        ("Cache.load", "warned", "FutureWarning", "slow"),
        ("Cache.load", "raised", "RuntimeError", "broken: {}"),
    ]


def test_passing_on_is_no_site(tmp_path):
    source = """
def load():
    try:
        pass
    except OSError as e:
        raise
    except ValueError as e:
        raise e
    future.exception("no logger")
    assert True
"""
    assert sites_of(tmp_path, source) == ()


def test_exception_is_followed_to_where_it_is_made(tmp_path):
    source = """
def load(cause):
    error = RuntimeError("made above")
    raise error.with_traceback(None)

def other():
    raise make("x")

def make(name):
    return ValueError(f"made in {name}")
"""
    assert [(kind, text) for _, _, kind, text in described(sites_of(tmp_path, source))] == [
        ("RuntimeError", "made above"),
        ("ValueError", "made in {}"),
    ]


def test_message_of_a_class_is_that_of_its_constructor_or_of_its_str(tmp_path):
    source = """
from .exc import CompileFailed, OutOfResources, Plain, Derived

def run(cmd):
    raise CompileFailed(cmd, "see above")

def launch():
    raise OutOfResources(1, 2, "shared memory")

def stop():
    raise Plain("said as it is")

def derive(cmd):
    raise Derived(cmd, "x")

def bare():
    raise NotImplementedError
"""
    classes = """
class CompileFailed(RuntimeError):
    def __init__(self, cmd, output):
        super().__init__("Command:\\n{cmd}\\nOutput:\\n{output}".format(cmd=" ".join(cmd), output=output))

class Derived(CompileFailed):
    pass

class OutOfResources(Exception):
    def __init__(self, required, limit, name):
        self.required, self.limit, self.name = required, limit, name
    def __str__(self):
        return f"out of resource: {self.name}, Required: {self.required}"

class Plain(Exception):
    pass
"""
    sites = sites_of(tmp_path, source, _inductor__exc=classes)
    assert {site.kind: site.flat for site in sites} == {
        "CompileFailed": "Command: {} Output: see above",
        "OutOfResources": "out of resource: shared memory, Required: 1",
        "Plain": "said as it is",
        "Derived": "Command: {} Output: x",
        "NotImplementedError": "",
    }
    printed = {site.kind: site.printed for site in sites}
    assert printed["Plain"] == "torch._inductor.exc.Plain"
    assert printed["NotImplementedError"] == "NotImplementedError"


def test_several_arguments_of_a_builtin_are_printed_as_a_tuple(tmp_path):
    source = 'TEXT = "found %s"\ndef check(version):\n    raise RuntimeError(TEXT, version)\n'
    (site,) = sites_of(tmp_path, source)
    assert site.flat == "('found %s', {})"


def test_message_is_read_from_branches_and_additions_above(tmp_path):
    source = """
def find(name):
    if name:
        message = f"no {name}"
    else:
        message = "nothing"
    message += " on PATH"
    raise RuntimeError(message)
    message = "never"
"""
    assert [site.flat for site in sites_of(tmp_path, source)] == ["no {}", "nothing on PATH"]


def test_constants_of_other_modules_are_known(tmp_path):
    source = """
from . import graph_break_hints
def trace(tx):
    unimplemented(gb_type="Broken op", context=f"{tx}", explanation="Not traced.",
                  hints=[*graph_break_hints.USER_ERROR, "Or do not."])
"""
    hints = 'USER_ERROR = ["Check your code."]\n'
    (site,) = sites_of(tmp_path, source, place="_dynamo/variables/tensor.py", _dynamo__graph_break_hints=hints)
    assert (site.how, site.kind) == (How.BROKEN, "Unsupported")
    assert site.flat == (
        "Broken op Explanation: Not traced. Hint: Check your code. Hint: Or do not. Developer debug context: {}"
    )


def test_graph_breaks_of_the_first_releases_are_plain_messages(tmp_path):
    source = 'def trace():\n    unimplemented("generator")\n'
    (site,) = sites_of(tmp_path, source, place="_dynamo/convert_frame.py")
    assert (site.how, site.flat) == (How.BROKEN, "generator")


def test_graph_breaks_that_torch_lists_are_sites(tmp_path):
    entry = {"Gb_type": "Bad op", "Context": "fn={fn}", "Explanation": "No {x}.", "Hints": ["Do not."]}
    (site,) = read_release(make_release(tmp_path, registry_of({"GB0001": [entry]})))
    assert (site.module, site.function) == ("torch/_dynamo/graph_break_registry", "GB0001")
    assert site.flat == "Bad op Explanation: No {}. Hint: Do not. Developer debug context: fn={}"


def test_same_message_twice_in_a_function_is_one_site(tmp_path):
    source = 'def f(a):\n    assert a, f"bad {a}"\n    assert a > 1, f"bad {a + 1}"\n'
    (site,) = sites_of(tmp_path, source)
    assert site.line == 2


def test_key_survives_a_move_and_another_line(tmp_path):
    source = 'def f():\n    raise RuntimeError("no config 3")\n'
    (old,) = sites_of(tmp_path / "old", source, place="_inductor/triton_heuristics.py")
    (new,) = sites_of(tmp_path / "new", "\n\n" + source, place="_inductor/runtime/triton_heuristics.py")
    assert old.key == new.key
    assert old.key.startswith("torch/_inductor/runtime/triton_heuristics f RuntimeError ")


def test_file_that_no_python_can_read_is_passed_over(tmp_path):
    assert sites_of(tmp_path, "def f(:\n", _inductor__exc='def g():\n    raise ValueError("x")\n')[0].function == "g"
