"""Files of dumps: both forms, their ranks, and what is no dump."""

from __future__ import annotations

import json
import os
import pickle

import pytest

from sparring.errors import InputError
from sparring.flight_recorder import dumps
from tests.sparring.flight_recorder.made_dumps import call, dump, job


def test_both_forms_say_the_same(tmp_path):
    """A pickle and JSON of the same calls are the same dump, but for the lines; a rank may have called nothing."""
    calls = {0: [call()], 11: [call(number=2, done=False)], 12: []}
    one, two = (dumps.read(job(tmp_path / form, calls, form)) for form in ("pickle", "json"))
    assert [*one] == [*two] == [0, 11, 12] and one[12].entries == two[12].entries == []
    assert [e.frames[1].line for e in one[11].entries] == [10] and two[11].entries[0].frames == []
    assert one[11].pg_config["0"].known == two[11].pg_config["0"].known == {0, 11, 12}
    assert [e.input_sizes for e in one[0].entries] == [e.input_sizes for e in two[0].entries] == [[[4]]]


@pytest.mark.parametrize("name", ["trace_3", "nccl_trace_rank_3", "3", "host3.3.pkl", "x3.json", "a\n3"])
def test_the_rank_ends_the_name(tmp_path, name):
    (tmp_path / name).write_bytes(pickle.dumps(dump([call()], {}), protocol=2))
    assert [*dumps.read(tmp_path)] == [3]


def test_a_folder_of_other_files_is_no_job(tmp_path):
    """Names without a rank, other contents and folders do not count; one dump among them does."""
    for name, data in (("store", b"\x80"), ("log0.txt", b"{"), ("core.7", b"\x7fELF"), ("empty1", b"")):
        (tmp_path / name).write_bytes(data)
    (tmp_path / "folder2").mkdir()
    os.mkfifo(tmp_path / "pipe3")
    assert not dumps.is_job(tmp_path) and not dumps.is_job(tmp_path / "nowhere") and not dumps.is_job(print)
    job(tmp_path, {5: [call()]})
    assert dumps.is_job(str(tmp_path)) and [*dumps.read(tmp_path)] == [5]


def written(data):
    return data if isinstance(data, bytes) else json.dumps(data).encode()


GOOD = dump([call()], {"0": [0]})
WRONG = [
    (b"{", "truncated"),
    (b"\x80\x02}", "broken pickle behind byte 2"),
    (b"\x80\x02cos\nsystem\n(X\x01\x00\x00\x00atR.", "opcode GLOBAL at byte 2 of the pickle"),
    (b'{"version": "2.10", "entries": ' + b"[" * 10**5, "right: a flight-recorder dump"),
    (b'{"version": "2.10", "entries": [], "x": ' + b"[" * 10**5, "right: a flight-recorder dump"),
    ({}, "missing required field `version`"),
    (b'{"version": "2.9", "version": "2.10", "entries": []}', "a field comes twice"),
    ({**GOOD, "version": "3.0"}, "a dump of version '3.0'; right: 2.0 to 2.10"),
    ({**GOOD, "version": "2.1" + "0" * 99}, "a dump of version"),
    ({**GOOD, "pg_config": {"0": {"ranks": "[0, 999999999]"}}}, "a group has rank 999999999; right: ranks below 65536"),
    ({**GOOD, "entries": [{**call(), "collective_seq_id": 2**63}]}, "right: a flight-recorder dump"),
    (pickle.dumps({**GOOD, "entries": [{**call(), "record_id": 2**2000}]}, 2), "right: a flight-recorder dump"),
    ({**GOOD, "entries": {}}, "Expected `array`, got `object`"),
    ({**GOOD, "entries": [{**call(), "input_sizes": [[-1]]}]}, "Expected `int` >= 0"),
    ({**GOOD, "entries": [{**call(), "profiling_name": 5}]}, "Expected `str`, got `int`"),
    ({**GOOD, "entries": [{**call(), "profiling_name": "x" * 5000}]}, "Expected `str` of length <= 4096"),
    ({**GOOD, "entries": [{**call(), "process_group": ["0"]}]}, "Expected `array` of length 2"),
]


@pytest.mark.parametrize(("data", "why"), WRONG, ids=range(len(WRONG)))
def test_what_is_no_dump_gets_a_sentence(tmp_path, data, why):
    """With the file's name; its twin is read."""
    job(tmp_path, {0: [call()]})
    assert [*dumps.read(tmp_path)] == [0]
    (tmp_path / "nccl_trace_rank_1").write_bytes(written(data))
    with pytest.raises(InputError) as told:
        dumps.read(tmp_path)
    assert str(tmp_path / "nccl_trace_rank_1") in str(told.value) and why in str(told.value)
    assert "; right: " in str(told.value) and len(str(told.value)) < 400


def test_too_much_is_refused(tmp_path, monkeypatch):
    """Too large a file, too many bytes in all, too many entries, too high a rank, two dumps of one rank."""
    job(tmp_path, {0: [call()] * 3})
    for name, most, why in (("SIZE", 99, "more than 99 bytes"), ("TOTAL", 99, "bytes together; at most 99 are read")):
        with monkeypatch.context() as patched:
            patched.setattr(dumps, name, most)
            with pytest.raises(InputError, match=why):
                dumps.read(tmp_path)
    (tmp_path / "x0").write_bytes(b"{")
    with pytest.raises(InputError, match="and x0 are both of rank 0; right: one dump a rank"):
        dumps.read(tmp_path)
    (tmp_path / "x0").rename(tmp_path / "x999999999")
    with pytest.raises(InputError, match="would be of rank 999999999; right: a name that ends in a rank below 65536"):
        dumps.read(tmp_path)
    with pytest.raises(InputError, match="of length <= 131072"):
        dumps.decoded(written({**GOOD, "entries": [{"process_group": ["", ""], "profiling_name": ""}] * (2**17 + 1)}))
