from __future__ import annotations

import gzip

import pytest

from tracelens.errors import InputError
from tracelens.source import expand_inputs

NOT_LOGS = {
    "config.yaml": b"compile: true\n",
    "config.json": b'{"hidden_size": 64}\n',
    "train.py": b'raise RuntimeError("Traceback (most recent call last)")\n',
    "state.dat": b"\x80\x04\0\0\0",
}
LOGS = {
    "rank0": b"step 1\n",
    "stderr": b"",
    "rank_1.stdout": b"step 1\n",
    "events.json": b'{"log":"step 1\\n","stream":"stdout"}\n',
    "failed.html": b"Traceback (most recent call last):\n",
    "nul.log": b"\0\0\0step 1\n",
    "packed.log.gz": gzip.compress(b"step 1\n"),
    "torch_compile_debug/run_1/minifier/minifier_launcher.py": b"import torch\n",
}


def test_a_directory_gives_what_looks_like_a_log_and_tells_how_much_does_not(tmp_path):
    for name, data in {**NOT_LOGS, **LOGS}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    first, *others = expand_inputs([str(tmp_path)])
    assert {log.name for log in (first, *others)} == {str(tmp_path / name) for name in LOGS}
    (remark,) = first.remarks
    assert (remark.code, remark.message.partition(" ")[0]) == ("input-passed-over", str(len(NOT_LOGS)))
    assert not any(log.remarks for log in others)


@pytest.mark.parametrize("name", NOT_LOGS)
def test_what_is_named_is_read_whatever_it_looks_like(name, tmp_path):
    (tmp_path / name).write_bytes(NOT_LOGS[name])
    (log,) = expand_inputs([str(tmp_path / name)])
    assert log.remarks == ()
    with pytest.raises(InputError, match="no log in this directory"):
        list(expand_inputs([str(tmp_path)]))
