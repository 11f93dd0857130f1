"""The best graph for a question comes first, and the next best where it cannot be read."""

from __future__ import annotations

from tests.command import CORPUS
from tests.verify.graph.material import found_graph, script
from tracelens.events import CompileId
from tracelens.record import replace
from tracelens.verify.graph import FoundGraph, GraphKind, Purpose, Question, Refusal, RefusalCode, choose, find_graphs

FIRST = CompileId(frame_id=0, frame_compile_id=0)
SECOND = CompileId(frame_id=0, frame_compile_id=1)
PRINTED = """class <lambda>(torch.nn.Module):
    def forward(self, arg0_1: "f32[{0}]"):
        relu: "f32[{0}]" = torch.ops.aten.relu.default(arg0_1)
        return (relu,)"""


def graph(text, kind=GraphKind.FX_GRAPH_RUNNABLE, compile_id=FIRST, position=0) -> FoundGraph:
    return replace(found_graph(text, kind), compile_id=compile_id, position=position)


def test_a_failure_is_compiled_from_the_script_and_a_cache_entry_hit_by_the_graph_of_dynamo():
    found = find_graphs(paths=[CORPUS / "artifacts/2.13.0/torch-trace-failed"])
    failure = choose(found, Question(purpose=Purpose.FAILURE, compile_id=FIRST)).graph
    cache = choose(found, Question(purpose=Purpose.CACHE, compile_id=FIRST)).graph
    assert failure is not None
    assert cache is not None
    assert failure.found.kind is GraphKind.FX_GRAPH_RUNNABLE
    assert cache.found.kind is GraphKind.DYNAMO_OUTPUT


def test_the_compile_in_question_comes_before_the_better_kind():
    found = [graph(script()), graph(PRINTED.format(4), GraphKind.AOT_FORWARD, SECOND)]
    choice = choose(found, Question(purpose=Purpose.FAILURE, compile_id=SECOND))
    assert choice.graph is not None
    assert choice.graph.found.compile_id == SECOND


def test_a_script_without_bodies_gives_way_to_the_printed_graph_of_its_compile():
    body = script(init="        self.true_graph_0 = <lambda>()", body="        relu = self.true_graph_0")
    found = [graph(PRINTED.format(4), GraphKind.AOT_FORWARD), graph(body)]
    choice = choose(found, Question(purpose=Purpose.FAILURE, compile_id=FIRST))
    assert choice.graph is not None
    assert choice.graph.found.kind is GraphKind.AOT_FORWARD
    assert [refusal.code for refusal in choice.refused] == [RefusalCode.SUBGRAPH]


def test_a_printed_graph_without_constants_gives_way_to_the_script():
    constant = PRINTED.format(4).replace(
        "return (relu,)", "constant = self._tensor_constant0\n        return (constant,)"
    )
    found = [graph(constant, GraphKind.GRAPH_CODE, position=0), graph(script(), position=1)]
    choice = choose(found, Question(purpose=Purpose.CACHE, compile_id=FIRST))
    assert choice.graph is not None
    assert choice.graph.found.kind is GraphKind.FX_GRAPH_RUNNABLE
    assert [refusal.code for refusal in choice.refused] == [RefusalCode.ATTRIBUTE]


def test_the_backward_script_of_a_trace_is_its_second():
    found = [graph(script(), position=position) for position in (0, 1)]
    backward = choose(found, Question(purpose=Purpose.FAILURE, compile_id=FIRST, backward=True)).graph
    forward = choose(found, Question(purpose=Purpose.FAILURE, compile_id=FIRST, backward=False)).graph
    assert forward is not None
    assert backward is not None
    assert (forward.found.position, backward.found.position) == (0, 1)


def test_the_script_of_the_minifier_is_of_the_failing_graph():
    found = [graph(script(), position=0), graph(script(), GraphKind.MINIFIER_AOT, None, position=1)]
    choice = choose(found, Question(purpose=Purpose.FAILURE, compile_id=SECOND))
    assert choice.graph is not None
    assert choice.graph.found.kind is GraphKind.MINIFIER_AOT


def test_sizes_of_a_script_are_used_for_a_printed_graph_of_its_compile():
    load_args = "    reader.symint(6, expr='s77')\n    buf0 = reader.storage(None, 24*s77)\n"
    load_args += "    reader.tensor(buf0, (s77, 6), is_leaf=True)"
    sized = script(load_args=load_args).replace("forward(self, arg0_1)", "forward(self, s77, arg0_1)")
    found = [graph(PRINTED.format("s77"), GraphKind.GRAPH_CODE), graph(sized)]
    choice = choose(found, Question(purpose=Purpose.CACHE, compile_id=FIRST))
    assert choice.graph is not None
    assert (choice.graph.symbols, choice.graph.chosen_symbols) == ((("s77", 6),), ())


def test_recompiles_are_replayed_on_the_last_graph_of_a_frame():
    found = [graph(PRINTED.format(size), GraphKind.GRAPH_CODE, position=size) for size in (4, 5)]
    choice = choose(found, Question(purpose=Purpose.RECOMPILE, compile_id=FIRST))
    assert choice.graph is not None
    assert choice.graph.found.position == 5


def test_a_trace_full_of_graphs_that_are_refused_is_given_up():
    found = [graph("", position=position) for position in range(1_000)]
    choice = choose(found, Question(purpose=Purpose.FAILURE), read=refuse)
    assert choice.graph is None
    assert 10 < len(choice.refused) < 100


def refuse(found, _hints):
    return Refusal(found=found, code=RefusalCode.OPERATOR, construct="operator of another library", line=1)


def test_nothing_found_is_nothing_chosen():
    choice = choose([], Question(purpose=Purpose.FAILURE))
    assert (choice.graph, choice.refused) == (None, ())
