"""Only what is provably broken is called broken, and nothing is loaded to prove it."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracelens.environment.elf import elf_problem
from tracelens.environment.entries import walk_entries
from tracelens.environment.pickles import pickle_problem
from tracelens.environment.roots import CacheRoot


def problems(root: CacheRoot) -> dict[str, str]:
    errors: list[OSError] = []
    found = {entry.path.name: entry.problem for entry in walk_entries(root, errors.append) if entry.problem}
    assert not errors
    return found


def test_whole_caches_have_no_problem(inductor, triton) -> None:
    assert problems(inductor) == {}
    assert problems(triton) == {}


@pytest.mark.parametrize("share", [0.0, 0.001, 0.01, 0.15, 0.5, 0.99])
def test_a_shared_object_that_is_cut_short_is_broken(shared_object, share) -> None:
    data = shared_object.read_bytes()
    kept = data[: int(len(data) * share)]
    target = shared_object.with_name("cut.so")
    target.write_bytes(kept)
    with target.open("rb") as file:
        problem = elf_problem(file, len(kept))
    assert problem is not None
    assert problem.startswith(("empty", "cut short", "not an ELF file"))


@pytest.mark.parametrize(("data", "problem"), [(b"\0" * 4096, "zeroed"), (b"garbage" * 50, "not an ELF file")])
def test_zeroes_and_garbage_are_no_elf(tmp_path, data, problem) -> None:
    target = tmp_path / "x.cubin"
    target.write_bytes(data)
    with target.open("rb") as file:
        assert elf_problem(file, len(data)) == problem


@given(st.binary(max_size=300))
def test_any_bytes_behind_the_magic_are_judged_without_raising(tmp_path_factory, data) -> None:
    target = tmp_path_factory.mktemp("any") / "x.so"
    whole = b"\x7fELF\x02\x01\x01" + data
    target.write_bytes(whole)
    with target.open("rb") as file:
        elf_problem(file, len(whole))


PICKLED = st.recursive(st.none() | st.integers() | st.text() | st.binary(), st.lists, max_leaves=20)


@given(PICKLED, st.integers(min_value=0, max_value=pickle.HIGHEST_PROTOCOL))
def test_any_whole_pickle_is_whole(value, protocol) -> None:
    data = pickle.dumps(value, protocol)
    if protocol >= 2:
        assert pickle_problem(data) is None


@given(PICKLED, st.data())
def test_any_pickle_that_is_cut_short_is_broken(value, draw) -> None:
    data = pickle.dumps(value, 5)
    length = draw.draw(st.integers(min_value=0, max_value=len(data) - 1))
    assert pickle_problem(data[:length]) is not None


def test_a_pickle_is_never_run(tmp_path) -> None:
    victim = tmp_path / "victim"

    class Evil:
        def __reduce__(self):
            return (os.mkdir, (str(victim),))

    assert pickle_problem(pickle.dumps(Evil())) is None
    assert not victim.exists()


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("ab/cab.py", b"", "empty"),
        ("ab/cab.py", b"def call(args):\n    x = '''\nabc", "does not compile as Python"),
        ("ab/cab.py", b"\0" * 10, "zeroed"),
        ("ab/cab.so", b"", "empty"),
        ("ab/cab.best_config", b'{"XBLOCK": 64}{"XBLOCK": 32}', "does not parse as JSON"),
        ("fxgraph/xy/fkey/digest", b"", "empty"),
        ("fxgraph/xy/fkey/digest", b"garbage", "not a pickle"),
    ],
)
def test_each_kind_of_inductor_file_that_is_broken(inductor, name, content, problem) -> None:
    path = inductor.path / name
    path.write_bytes(content)
    assert problems(inductor)[path.name].startswith(problem)


def test_a_group_that_names_a_missing_file_is_broken(triton) -> None:
    (triton.path / "KERNELHASH" / "add.cubin").unlink()
    assert problems(triton) == {"__grp__add.json": "names add.cubin, which is missing"}


def test_symbolic_links_are_not_followed(inductor, tmp_path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.so").touch()
    (inductor.path / "link").symlink_to(outside)
    (inductor.path / "file.so").symlink_to(outside / "x.so")
    assert problems(inductor) == {}


def test_a_pipe_in_a_cache_does_not_block(inductor) -> None:
    os.mkfifo(inductor.path / "pipe.so")
    assert problems(inductor) == {}


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_what_cannot_be_read_is_told(inductor) -> None:
    (inductor.path / "ab").chmod(0)
    errors: list[OSError] = []
    list(walk_entries(inductor, errors.append))
    assert [Path(error.filename).name for error in errors] == ["ab"]
