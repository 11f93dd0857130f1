from __future__ import annotations

from dataclasses import replace

import pytest

from tests.engine.by_hand import (
    RANK0,
    RANK1,
    chain,
    diagnostic,
    exit_of,
    frame,
    guard,
    in_letters,
    log_of,
    recompile,
    record,
    rule,
    span,
    text,
)
from tracelens.engine.match import Match, Matcher
from tracelens.events import (
    ArtifactPath,
    AutotuneFailure,
    CacheMessage,
    CompilerInvocation,
    CudagraphSkip,
    EnvironmentReport,
    Event,
    GraphBreak,
    GraphText,
    GuardKind,
    Level,
    NinjaBuild,
    Owner,
    RecompileLimit,
    Relation,
)


def matches(condition: str, *events: Event, more: str = "") -> tuple[Match, ...]:
    made = rule(condition, more=more)
    return Matcher(log_of(*events)).matches(made.when, made.unless)


def lines(found: tuple[Match, ...]) -> list[int]:
    return [match.primary.span.line for match in found]


EVENTS: tuple[Event, ...] = (
    chain(
        "KeyError: 'cubin'",
        "torch._dynamo.exc.BackendCompilerFailed: backend='inductor' raised",
        line=10,
        frames=[frame("/home/u/train.py", Owner.USER), frame("/x/torch/_inductor/codecache.py")],
    ),
    record("hit config.recompile_limit", 20),
    CompilerInvocation(span=span(25), program="g++", command="g++ -fopenmp x.cpp", exit_status=1),
    diagnostic("Python.h: No such file or directory", 30, "fatal error", path="/srv/main.c"),
    NinjaBuild(span=span(35), outputs=("a.o", "b.o"), stopped="subcommand failed.", message="FAILED: a.o"),
    guard(GuardKind.SIZE, 40, "tensor 'x' size mismatch"),
    recompile(45, guard(GuardKind.INT, 46), guard(GuardKind.STRING, 47)),
    RecompileLimit(
        span=span(50, 52),
        limit=8,
        setting="recompile_limit",
        function="forward",
        guards=(guard(GuardKind.DTYPE, 52),),
        message="torch._dynamo hit config.recompile_limit (8)",
    ),
    GraphBreak(
        span=span(60), gb_type="call to print", context=None, explanation=None, hints=(), message="Graph break: print"
    ),
    CudagraphSkip(span=span(65), reason="skipping cudagraphs due to mutated inputs", rerecord=False),
    AutotuneFailure(span=span(70), choice="triton_mm_1", message="out of resource"),
    CacheMessage(span=span(75), message="fx graph cache unable to load compiled graph"),
    exit_of("Bus error (core dumped)", 80, signal="SIGBUS"),
    ArtifactPath(span=span(85), kind="minifier", path="/run/minifier_launcher.py"),
    GraphText(span=span(90), kind="graph_code", name="g", code="def forward"),
    EnvironmentReport(span=span(95), facts=(("torch", "2.5.1"), ("os", "Ubuntu 22.04"))),
    text("RuntimeError in plain text", 99),
)


@pytest.mark.parametrize(
    ("condition", "line"),
    [
        ("exception: {type: 'KeyError$', message: cubin}", 12),
        ("exception: {position: outermost}", 15),
        ("exception: {position: innermost}", 12),
        ("exception: {frame: 'train.py:10 in f', type: 'KeyError'}", 12),
        ("exception: {innermost: 'codecache.py', type: 'KeyError'}", 12),
        ("exception: {owner: torch, type: 'KeyError'}", 12),
        ("exception: {headless: false, unfinished: false, type: KeyError}", 12),
        ("record: {level: warning, message: recompile_limit, location: 'convert_frame'}", 20),
        ("invocation: {program: 'g\\+\\+', command: fopenmp, failed: true}", 25),
        ("diagnostic: {severity: [error, fatal error], tool: [gcc], message: 'Python\\.h', path: 'main\\.c$'}", 30),
        ("ninja: {output: 'b\\.o', stopped: subcommand, message: FAILED}", 35),
        ("ninja: {stopped: true}", 35),
        ("guard: {kind: [size], expression: mismatch, source: [x]}", 40),
        ("guard: {kind: [string]}", 47),
        ("guard: {kind: [dtype]}", 52),
        ("recompile: {function: [forward], kind: [string]}", 45),
        (
            "recompile_limit: {setting: '^recompile_limit$', function: forward, kind: [dtype], message: 'hit config'}",
            50,
        ),
        ("graph_break: {type: print, message: Graph}", 60),
        ("cudagraph_skip: {reason: mutated, rerecord: false}", 65),
        ("autotune: {message: resource}", 70),
        ("cache_message: {message: unable}", 75),
        ("exit: {signal: [SIGBUS]}", 80),
        ("exit: {signal: BUS, message: core}", 80),
        ("exit: {signal: true}", 80),
        ("artifact: {kind: minifier, path: launcher}", 85),
        ("graph: {kind: [graph_code]}", 90),
        ("environment: {fact: [os], value: Ubuntu}", 95),
        ("text: {message: plain}", 99),
        ("said: '^KeyError: .cubin'", 12),
        ("said: 'fatal error: Python\\.h'", 30),
        ("said: 'skipping cudagraphs'", 65),
        ("said: 'Bus error'", 80),
        ("said: {pattern: RuntimeError, in: [text]}", 99),
        ("said: {pattern: 'resource|plain', not_in: [text]}", 70),
    ],
)
def test_each_leaf_finds_its_event(condition, line):
    assert lines(matches(condition, *EVENTS)) == [line]


@pytest.mark.parametrize(
    "condition",
    [
        "exception: {type: KeyError, message: hsaco}",
        "exception: {owner: user}",
        "record: {level: error}",
        "invocation: {failed: false}",
        "diagnostic: {severity: [warning]}",
        "ninja: {stopped: false}",
        "guard: {kind: [stride]}",
        "exit: {exit_code: 1}",
        "exit: {signal: false}",
        "cudagraph_skip: {rerecord: true}",
        "environment: {fact: [os], value: '2\\.5'}",
        "said: {pattern: RuntimeError, not_in: [text]}",
        "said: 'g\\+\\+ -fopenmp'",
    ],
)
def test_a_leaf_whose_fields_do_not_all_hold_finds_nothing(condition):
    assert matches(condition, *EVENTS) == ()


def test_a_number_is_not_taken_for_true():
    assert matches("exit: {exit_code: 1}", exit_of("exit", 1))
    assert not matches("exit: {exit_code: 0}", exit_of("exit", 1))


def test_the_first_member_of_an_any_that_a_subject_satisfies_names_it():
    condition = "any:\n- said: 'the (?P<thing>second)'\n- said: 'the (?P<thing>\\w+)'"
    found = matches(condition, text("the first", 1), text("the second", 2))
    assert [(match.primary.span.line, match.captures["thing"]) for match in found] == [(2, "second"), (1, "first")]


def test_an_all_needs_every_member_and_shows_them_as_context():
    condition = "all:\n- said: compile failed\n- said: 'no (?P<tool>\\w+)'\n  within: 5\n"
    (found,) = matches(condition, text("compile failed", 10), text("no gcc", 14))
    assert found.primary.span.line == 10
    assert [proof.span.line for proof in found.context] == [14]
    assert found.captures["tool"] == "gcc"
    assert matches(condition, text("compile failed", 10), text("no gcc", 16)) == ()


def test_what_a_message_took_in_below_stands_after_its_own_words():
    taken_in = record("install failed\nstep 1\nall is well", 10)
    assert matches("all:\n- said: failed\n- said: well\n  after: true\n", taken_in)
    assert not matches("all:\n- said: failed\n- said: well\n  before: true\n", taken_in)
    assert not matches("all:\n- said: well\n- said: failed\n  after: true\n", taken_in)


@pytest.mark.parametrize(
    ("place", "line", "holds"),
    [
        ("before: true", 5, True),
        ("before: true", 15, False),
        ("after: true", 15, True),
        ("after: true", 5, False),
        ("within: 0", 10, False),
        ("within: 5\n  after: true", 15, True),
        ("within: 4\n  after: true", 15, False),
    ],
)
def test_places_are_seen_from_the_primary(place, line, holds):
    condition = f"all:\n- said: primary\n- said: other\n  {place}\n"
    assert bool(matches(condition, text("primary", 10), text("other", line))) is (holds or line == 10)


def test_a_member_of_an_all_may_be_the_primary_itself_unless_it_has_to_stand_elsewhere():
    events = (text("one and two", 1),)
    assert matches("all:\n- said: one\n- said: two\n", *events)
    assert not matches("all:\n- said: one\n- said: two\n  after: true\n", *events)


def test_same_process_and_same_chain():
    events = (text("primary", 10, RANK0), text("other", 11, RANK1))
    assert matches("all:\n- said: primary\n- said: other\n", *events)
    assert not matches("all:\n- said: primary\n- said: other\n  same: process\n", *events)
    both = (chain("ValueError: inner", "RuntimeError: outer", line=1), chain("ValueError: inner", line=50))
    found = matches("all:\n- exception: {message: inner}\n- exception: {message: outer}\n  same: chain\n", *both)
    assert lines(found) == [3]
    inside = (chain("RuntimeError: a\nb\nc\nd", line=1), diagnostic("bad", 5), diagnostic("bad", 90))
    assert lines(matches("all:\n- diagnostic: {}\n- exception: {}\n  same: chain\n", *inside)) == [5]


def test_the_nearest_event_of_the_same_process_is_taken():
    events = (
        text("see far", 1, RANK0),
        text("see near", 19, RANK1),
        text("primary", 20, RANK0),
        text("see late", 40, RANK0),
    )
    (found,) = matches("all:\n- said: primary\n- said: 'see (?P<which>\\w+)'\n", *events)
    assert found.captures["which"] == "far"


def test_absence_is_seen_from_the_primary():
    condition = "all:\n- said: failed\n- not: {said: ignoring, within: 3}\n"
    found = matches(condition, text("failed", 1), text("ignoring", 3), text("failed", 20))
    assert lines(found) == [20]


def test_a_veto_takes_back_single_matches():
    more = "unless:\n  - said: ignoring\n    within: 3\n"
    found = matches("said: failed", text("failed", 1), text("ignoring", 3), text("failed", 20), more=more)
    assert lines(found) == [20]


def test_a_veto_without_a_place_looks_everywhere():
    more = "unless:\n  - all: [{said: ignoring}, {said: this}]\n  - not: {said: failed}\n"
    assert matches("said: failed", text("failed", 1), text("ignoring this", 900), more=more) == ()
    assert matches("said: failed", text("failed", 1), more=more)


def test_nested_groups_stand_beside_the_outer_primary():
    pair = "all: [{said: second}, {said: third, within: 1}]"
    condition = f"all:\n- said: primary\n- any:\n  - {pair}\n  - said: fourth\n  within: 5\n"
    assert matches(condition, text("primary", 10), text("second", 12), text("third", 13))
    assert not matches(condition, text("primary", 10), text("second", 12), text("third", 30))
    assert matches(condition, text("primary", 10), text("fourth", 15))


def test_count_is_per_process_and_knows_what_was_dropped():
    many = [text("again", line, RANK0) for line in range(1, 41)]
    assert matches("said: again\ncount: 40", *many)
    assert not matches("said: again\ncount: 41", *many)
    spread = [
        text(f"again {line}", line, process) for line, process in enumerate((RANK0, RANK1, RANK0, RANK1), start=1)
    ]
    assert not matches("said: again\ncount: 3", *spread)
    assert len(matches("said: again\ncount: 2", *spread)) == 4


def test_recompilations_are_counted_by_function():
    storm = [recompile(line, guard(GuardKind.SIZE, line), function="forward") for line in range(1, 5)]
    calm = [recompile(line, guard(GuardKind.SIZE, line), function=f"f{line}") for line in range(11, 15)]
    found = matches("recompile: {kind: [size]}\ncount: 4", *storm, *calm)
    assert lines(found) == [1, 2, 3, 4]


def test_the_guard_that_matched_fills_the_captures():
    event = recompile(1, guard(GuardKind.SIZE, 2, "size"), guard(GuardKind.INT, 3, "L['n'] == 4"))
    (found,) = matches("recompile: {kind: [int]}", event)
    assert (found.captures["kind"], found.captures["guard"]) == ("int", "L['n'] == 4")
    assert found.primary.guard == 1
    (first,) = matches("recompile: {}", event)
    assert first.captures["kind"] == "size"


@pytest.mark.parametrize(
    ("condition", "captures"),
    [
        (
            "exception: {type: BackendCompilerFailed}",
            {
                "type": "BackendCompilerFailed",
                "message": "backend='inductor' raised",
                "frame": "/x/torch/_inductor/codecache.py:10 in f",
            },
        ),
        ("record: {}", {"message": "hit config.recompile_limit", "location": "torch/_dynamo/convert_frame.py:1"}),
        ("invocation: {}", {"program": "g++"}),
        ("diagnostic: {}", {"message": "Python.h: No such file or directory", "path": "/srv/main.c", "tool": "gcc"}),
        ("ninja: {}", {"message": "FAILED: a.o", "output": "a.o"}),
        ("recompile_limit: {}", {"limit": "8", "setting": "recompile_limit", "function": "forward", "kind": "dtype"}),
        ("graph_break: {}", {"type": "call to print", "message": "Graph break: print"}),
        ("cudagraph_skip: {}", {"reason": "skipping cudagraphs due to mutated inputs"}),
        ("autotune: {}", {"choice": "triton_mm_1", "message": "out of resource"}),
        ("exit: {}", {"signal": "SIGBUS", "message": "Bus error (core dumped)"}),
        ("artifact: {}", {"artifact": "minifier", "path": "/run/minifier_launcher.py"}),
        ("environment: {fact: [torch]}", {"fact": "torch", "value": "2.5.1"}),
        ("said: 'in plain'", {"message": "RuntimeError in plain text"}),
    ],
)
def test_captures_that_need_no_group(condition, captures):
    (found,) = matches(condition, *EVENTS)
    assert captures.items() <= dict(found.captures).items()


def test_a_named_group_wins_over_what_is_automatic():
    (found,) = matches("exception: {message: 'the (?P<type>\\w+)'}", chain("ValueError: the thing"))
    assert found.captures["type"] == "thing"


def test_an_embedded_exception_has_the_frames_of_its_wrapper():
    plain = chain("KeyError: x", "Wrapper: y")
    inner, outer = plain.exceptions
    wrapper = replace(outer, frames=(frame("/a/torch/x.py"),))
    embedded = replace(plain, exceptions=(replace(inner, relation=Relation.EMBEDDED), wrapper))
    assert lines(matches("exception: {type: KeyError, innermost: 'torch/x'}", embedded)) == [3]
    caused = replace(plain, exceptions=(inner, wrapper))
    assert not matches("exception: {type: KeyError, innermost: 'torch/x'}", caused)


def test_thousands_of_matches_are_looked_at_from_both_ends():
    found = matches("said: message", *(text(f"message {in_letters(line)}", line) for line in range(1, 3001)))
    assert len(found) == 500
    assert lines(found)[0] == 1
    assert lines(found)[-1] == 3000


def test_levels_are_exact():
    events = (record("one", 1, Level.ERROR), record("one", 2, Level.INFO))
    assert lines(matches("record: {level: [error, critical]}", *events)) == [1]


def told(*sizes: str) -> list[Event]:
    return [text(f"step {line} rss={size} left", line, RANK0) for line, size in enumerate(sizes, start=1)]


@pytest.mark.parametrize(
    "sizes", [("1.5GiB", "2GiB", "4.25 GiB"), ("900 MB", "1.2 GB", "2 GB"), ("1,000", "1,900", "1,800")]
)
def test_what_a_capture_holds_must_grow(sizes):
    assert lines(matches(r"said: 'rss=(?P<size>\S+(?: [GM]i?B)?)'" + "\ngrows: size", *told(*sizes))) == [3]


@pytest.mark.parametrize("sizes", [("1GB", "2GB"), ("2GB", "2.1GB", "2.2GB"), ("1GB", "9GB", "3GB"), ("x", "y", "z")])
def test_what_is_told_seldom_or_falls_again_does_not_grow(sizes):
    assert not matches(r"said: 'rss=(?P<size>\S+)'" + "\ngrows: size", *told(*sizes))
