"""Finding hits: gates are complete, engines report the same, plans can change on the way."""

from __future__ import annotations

import re
import time
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.scan.logs import ENGINES, GRAMMAR, LOGS, PATTERNS, noise, read_log
from tracelens.ruleset.bundled import load_ruleset
from tracelens.scan import finder as finder_module
from tracelens.scan.anchors import compile_anchors
from tracelens.scan.engines import GATE_BITS, GATE_MASK, HyperscanEngine, PythonEngine, Re2Engine, linear_search
from tracelens.scan.gates import COSTS, choose_gates, make_plan
from tracelens.scan.plan import Gate, Plan
from tracelens.scan.prepare import make_finder

ENGINE_CLASSES = (HyperscanEngine, Re2Engine, PythonEngine)
GATES = (
    Gate(b"error", folded=False, expression="", clues=()),
    Gate(b"error: ", folded=False, expression="", clues=()),
    Gate(b"erro", folded=True, expression="", clues=()),
    Gate(b"rror: x", folded=False, expression="", clues=()),
    Gate(b"aaa", folded=False, expression="", clues=()),
    Gate("«no»".encode(), folded=False, expression="", clues=()),
    Gate(b"", folded=False, expression=r"(?:^|\r)E[0-9]{2} ", clues=()),
)


def occurrences(engine_class: type, data: bytes, start: int, end: int) -> list[tuple[int, int]]:
    codes = engine_class(GATES).occurrences(bytearray(b"\n" + data), start + 1, end + 1)
    return [((code >> GATE_BITS) - 1, code & GATE_MASK) for code in codes]


@pytest.mark.parametrize("engine_class", ENGINE_CLASSES)
def test_engine_reports_each_occurrence_of_each_text(engine_class):
    data = "error: x ERROR aaaa «no»\n".encode()
    assert occurrences(engine_class, data, 0, len(data)) == [
        (4, 2), (5, 0), (7, 1), (8, 3), (13, 2), (18, 4), (19, 4), (26, 5),
    ]  # fmt: skip


@pytest.mark.parametrize("engine_class", ENGINE_CLASSES)
def test_engine_sees_nothing_outside_its_stretch(engine_class):
    data = b"error\nerror\nerror\n"
    assert occurrences(engine_class, data, 6, 12) == [(10, 2), (11, 0)]
    assert occurrences(engine_class, data, 6, 10) == [(10, 2)]


@pytest.mark.parametrize("engine_class", ENGINE_CLASSES)
def test_engine_looks_for_expressions_that_demand_no_text(engine_class):
    data = b"E12 a\nxE13 b\n1%\rE14 E15 c\n"
    found = occurrences(engine_class, data, 0, len(data))
    assert {data.rfind(b"\n", 0, place) for place, gate in found if gate == 6} == {-1, 12}


@given(data=st.lists(st.sampled_from([b"error", b"ERR", b"or: x", b"aa", b"\n", b"E12 ", b"\xc2\xabno"])).map(b"".join))
def test_any_bytes_give_the_same_texts_with_every_engine(data):
    texts = [
        [(place, gate) for place, gate in occurrences(each, data, 0, len(data)) if gate != 6] for each in ENGINE_CLASSES
    ]
    assert texts[0] == texts[1] == texts[2]


@pytest.mark.parametrize("anchors", [PATTERNS, GRAMMAR], ids=["patterns", "grammar"])
@pytest.mark.parametrize("engine", ENGINES)
def test_each_match_holds_a_gate_of_its_anchor(anchors, engine):
    compiled = compile_anchors(anchors)
    gates = choose_gates(compiled, COSTS[engine])
    matches = 0
    for each_line in b"".join(map(read_log, LOGS[::9])).split(b"\n"):
        line = b"\n" + each_line
        lowered = line.lower()
        open_anchors = {
            clue.anchor
            for gate in gates
            if gate.expression or gate.text in (lowered if gate.folded else line)
            for clue in gate.clues
            if clue.text in (lowered if gate.folded else line)
        }
        for number, anchor in enumerate(compiled):
            if re.search(anchor.expression.encode(), line, re.MULTILINE):
                assert number in open_anchors
                matches += 1
    assert matches > 100


def test_dearer_gates_are_fewer():
    compiled = compile_anchors(GRAMMAR)
    assert len(choose_gates(compiled, COSTS["python"])) < len(choose_gates(compiled, COSTS["re2"]))


def test_gates_for_hyperscan_have_few_lengths():
    gates = choose_gates(compile_anchors([*GRAMMAR, *load_ruleset().anchors]), COSTS["hyperscan"])
    assert len({len(gate.text) for gate in gates if gate.text}) <= 3
    assert sum(gate.folded for gate in gates) < 5


def test_gates_avoid_what_is_common():
    (anchor,) = compile_anchors(["sudden death of the worker"])
    (gate,) = choose_gates([anchor], COSTS["re2"])
    (other,) = choose_gates([anchor], COSTS["re2"], common=gate.text * 50)
    assert gate.text not in other.text
    assert other.text in b"sudden death of the worker"


def test_plan_survives_json():
    plan = make_plan([*GRAMMAR, "Erreur «é» (?i:fatale)"])
    again = Plan.from_json(plan.to_json())
    assert again.anchors() == plan.anchors()
    assert again.gates() == plan.gates()


@pytest.mark.parametrize("text", ["[1,0,0]", "[7,1,1]\n[]", "{}", "[", "[5,[]]"])
def test_other_json_is_no_plan(text):
    with pytest.raises(ValueError, match=r"."):
        Plan.from_json(text)


@pytest.mark.parametrize("engine", ENGINES)
def test_plan_changes_where_its_gates_are_found_in_vain(engine, monkeypatch):
    monkeypatch.setattr(finder_module, "_WASTE", 2000)
    anchors = ("metric deviates from plan",)
    finder = make_finder(anchors, engine, cache=False)
    gate = finder.plan.gate(0).text
    dull = b"".join(line[:-1] + b" " + gate + b" again\n" for line in noise(5000))
    hit = b"a metric deviates from plan here\n"
    data = bytearray(b"\n" + dull + hit + dull)
    wanted = [(len(dull) + 1, len(dull) + 1 + len(hit))]
    assert finder.hit_lines(data, 1, len(data)) == wanted
    assert finder.plan.gate(0).text not in bytes(dull)
    assert finder.hit_lines(data, 1, len(data)) == wanted


def test_re2_and_re_find_our_anchors_in_the_same_lines():
    compiled = compile_anchors((*GRAMMAR, *PATTERNS, *load_ruleset().anchors[::3]))
    texts = {
        line[:300] for line in b"".join(map(read_log, LOGS[::10])).split(b"\n") if b"rror" in line or b"ot " in line
    }
    lines = sorted(texts)[:: 1 + len(texts) // 60]
    found = 0
    for anchor in compiled:
        plain = re.compile(anchor.expression.encode(), re.MULTILINE).search
        linear = linear_search(anchor.expression)
        hits = [bool(plain(line)) for line in lines]
        assert [bool(linear(line)) for line in lines] == hits
        found += sum(hits)
    assert found > 30


def test_open_ended_repeats_cannot_make_a_search_slow():
    finder = make_finder((r"\w+[^:]*[^;]*[^,]*[^.]*no end",), "python", cache=False)
    data = bytearray(b"\n" + b"no end" * 2 + b"\nthe no" + b"x y " * 3500 + b" en d no en no endx\n")
    started = time.process_time()
    assert finder.hit_lines(data, 1, len(data)) == [(1, 14), (14, len(data))]
    misses = bytearray(b"\n" + b":;,.no end " + b"a b " * 3500 + b"\n")
    finder.hit_lines(misses, 1, len(misses))
    assert time.process_time() - started < 2


def test_long_line_is_hit_by_what_its_anchor_demands():
    finder = make_finder((r"error: \d+ of them",), "python", cache=False)
    for line in (b"error: x of them", b"error: 12 of them"):
        short, long = bytearray(b"\n" + line + b"\n"), bytearray(b"\n" + line + b" " * (32 << 10) + b"\n")
        assert bool(finder.hit_lines(short, 1, len(short))) is (b"12" in line)
        assert finder.hit_lines(long, 1, len(long)) == [(1, len(long))]


def test_engine_that_is_missing_is_an_error_only_if_asked_for(monkeypatch):
    real = __import__("importlib").import_module

    def without_natives(name: str) -> object:
        if name in {"hyperscan", "re2"}:
            raise ImportError(name)
        return real(name)

    monkeypatch.setattr("tracelens.scan.prepare.import_module", without_natives)
    monkeypatch.setattr("tracelens.scan.engines.import_module", without_natives)
    assert make_finder(("never seen before",), "auto", cache=False).engine == "python"
    with pytest.raises(ImportError, match="hyperscan"):
        make_finder(("never seen before",), "hyperscan", cache=False)


FLOODED = st.sampled_from(
    ["RuntimeError: x\n", "ValueError: bad 7\n", "Segmentation fault (core dumped)\n", "step 7\n", "\n"]
)


@cache
def is_hit(line: bytes) -> bool:
    """Tell whether a line by itself is hit, to a finder that has seen no other."""
    return bool(make_finder(GRAMMAR, "python", cache=False).hit_lines(bytearray(b"\n" + line), 1, len(line) + 1))


@given(runs=st.lists(st.tuples(FLOODED, st.integers(1, 9)), max_size=8))
def test_any_flood_is_hit_on_the_lines_that_are_hit_alone(runs):
    finder = make_finder(GRAMMAR, "python", cache=False)
    lines = [line.encode() for line, count in runs for _ in range(count)]
    buffer = bytearray(b"\n" + b"".join(lines))
    expected, start = [], 1
    for line in lines:
        if is_hit(line):
            expected.append((start, start + len(line)))
        start += len(line)
    assert finder.hit_lines(buffer, 1, len(buffer)) == expected
