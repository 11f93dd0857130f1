from __future__ import annotations

from corpus.lab.inventory.ledger import Ledger, load_ledger, order_of, write_ledger

A, B, C = (f"torch/x f RuntimeError 0000000{letter}" for letter in "abc")


def ledger_of(releases: dict[str, set[str]]) -> Ledger:
    read = sorted({version for versions in releases.values() for version in versions}, key=order_of)
    return Ledger(package="torch", read=read, releases=releases, labels=dict.fromkeys(releases, "outside/other"))


def test_what_is_written_is_read_again(tmp_path):
    ledger = ledger_of({A: {"2.0", "2.1", "2.3"}, B: {"2.1", "2.2", "2.3"}, C: {"2.2"}})
    write_ledger(ledger, tmp_path)
    again = load_ledger("torch", tmp_path)
    assert (again.read, again.releases, again.labels) == (ledger.read, ledger.releases, ledger.labels)


def test_runs_of_releases_are_spelled_short_and_the_last_stays_open(tmp_path):
    write_ledger(ledger_of({A: {"2.0", "2.1", "2.3"}, B: {"2.1", "2.2", "2.3"}, C: {"2.2"}}), tmp_path)
    lines = (tmp_path / "torch.txt").read_text(encoding="utf-8").splitlines()
    assert lines[1:] == [
        "# read: 2.0 2.1 2.2 2.3",
        "torch/x",
        "  f RuntimeError 0000000a 2.0-2.1,2.3- outside/other",
        "  f RuntimeError 0000000b 2.1- outside/other",
        "  f RuntimeError 0000000c 2.2 outside/other",
    ]


def test_release_that_was_not_read_is_compared_with_the_one_before_it():
    ledger = ledger_of({A: {"2.9.0"}, B: {"2.9.0", "2.10.0"}})
    assert ledger.keys_of("2.9.1") == {A, B}
    assert ledger.keys_of("2.10.0") == ledger.keys_of("3.0.0") == {B}
    assert ledger.keys_of("1.13.0") == set()


def test_ledger_that_is_not_there_is_empty(tmp_path):
    assert load_ledger("torch", tmp_path).read == []
