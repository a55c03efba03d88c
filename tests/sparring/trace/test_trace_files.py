from __future__ import annotations

import json
import os

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sparring.errors import InputError
from sparring.trace import files
from sparring.trace.events import Event, Trace, digest
from sparring.trace.files import encode, read, write, write_rank
from tests.sparring.trace.trace_targets import anonymous

HEADER = '{"format":"sparring trace","version":1,"ranks":2}'
SEND = Event(0, 0, "send", "Isend", 1, 3, 1, None, 2, "float64", 16, digest(b"x"), "mine.py:41", np.zeros(2))
MORE = [
    Event(0, 1, "collective", "Allreduce", -1, -1, 0, None, 8, "uint8", 8, "", "mine.py:50"),
    Event(1, 0, "receive", "Recv", -1, -1, 0, 4, 2, ">f4", 8, "", "Grüße.py:7"),
    Event(1, 1, "send", "send", 0, 0, 0, 0, 1, "object", 21, digest(b""), "<stdin>:1"),
]
TRACE = Trace(2, [SEND, *MORE])


def line(**changes):
    """The send as its line, with other values; None takes a field away."""
    fields = encode(SEND) | changes
    return json.dumps({name: value for name, value in fields.items() if value is not ...})


@pytest.fixture
def file(tmp_path):
    return tmp_path / "trace.jsonl"


def test_what_is_written_is_read(file):
    """All but the payload comes back."""
    write(TRACE, file)
    assert read(file) == anonymous(TRACE)
    assert file.read_text().splitlines()[:2] == [
        HEADER,
        (
            '{"rank":0,"seq":0,"op":"send","call":"Isend","peer":1,"tag":3,"context":1,"step":null,"count":2,'
            f'"dtype":"float64","nbytes":16,"digest":"{digest(b"x")}","where":"mine.py:41"}}'
        ),
    ]


def test_a_folder_is_one_trace(tmp_path):
    """Ranks write their own files, also those that do nothing."""
    for rank in range(3):
        write_rank(rank, 3, [e for e in TRACE.events if e.rank == rank], tmp_path)
    assert read(tmp_path) == Trace(3, anonymous(TRACE).events)


integers = st.integers(0, 2**63 - 1)


@st.composite
def events(draw, ranks, rank, seq):
    """Any event of ``rank``, its ``seq``-th."""
    op = draw(st.sampled_from(["send", "receive", "collective"]))
    dtype = draw(st.sampled_from(["float32", "int64", "bool", "complex128", "object"]))
    count = draw(st.integers(0, 2**40))
    nbytes = draw(integers) if dtype == "object" else count * np.dtype(dtype).itemsize
    peer = -1 if op == "collective" else draw(st.integers(-(op == "receive"), ranks - 1))
    seen = draw(st.binary(max_size=9).map(digest)) if op == "send" else ""
    call, where = (
        draw(st.from_regex("[A-Za-z_]{1,40}", fullmatch=True)),
        draw(st.from_regex(r"\w{1,30}:[0-9]", fullmatch=True)),
    )
    step = draw(st.none() | integers)
    return Event(rank, seq, op, call, peer, draw(integers), draw(integers), step, count, dtype, nbytes, seen, where)


@given(st.data())
@settings(max_examples=30, deadline=None)
def test_any_trace_comes_back(tmp_path_factory, data):
    """Writing and reading is the identity."""
    ranks = data.draw(st.integers(1, 5))
    turns = data.draw(st.lists(st.integers(0, ranks - 1), max_size=8))
    trace = Trace(ranks, [data.draw(events(ranks, r, turns[:i].count(r))) for i, r in enumerate(turns)])
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    write(trace, path)
    assert read(path) == trace


@pytest.mark.parametrize(
    ("text", "at", "words"),
    [
        ("", 1, "the file is empty: the first line must be a header"),
        ("trace\n", 1, "no JSON, Expecting value"),
        (b"\xff\n", 1, "no JSON, 'utf-8' codec can't decode"),
        ("[" * 4000, 1, "no JSON, it is nested too deeply"),
        ("[1]", 1, "[1] is no object: it must have the fields format, version, ranks"),
        ('{"format":"sparring trace"}', 1, "there is no version: it must be 1, the only version that is known here"),
        ('{"format":"otf2","version":1}', 1, "format is 'otf2': it must be one of sparring trace"),
        ('{"format":"sparring trace","version":2,"n":1}', 1, "version is 2: it must be 1, the only version"),
        ('{"format":"sparring trace","version":true}', 1, "version is True: it must be 1"),
        ('{"format":"sparring trace","version":1}', 1, "there is no ranks: it must be an integer from 1 to 4096"),
        (HEADER.replace("2", "0"), 1, "ranks is 0: it must be an integer from 1 to 4096"),
        (HEADER.replace("}", ',"rank":0}'), 1, "this is one rank's file: read the folder that has the files of all"),
        (HEADER.replace("}", ',"n":9}'), 1, "the field 'n' is unknown: there are format, version, ranks"),
        (f"{HEADER}\n\n", 2, "no JSON"),
        (f"{HEADER}\n{line()[:40]}", 2, "no JSON"),
        (f"{HEADER}\n{line()} {line()}", 2, "no JSON, Extra data"),
        (f"{HEADER}\n" + '{"rank":0,"rank":1}', 2, "no JSON, a field comes twice: a line must be one JSON object"),
        (f"{HEADER}\n{' ' * 4096}{line()}", 2, "the line has more than 4096 bytes"),
        (f"{HEADER}\n{line(dtype=...)}", 2, "there is no dtype: it must be one of bool, "),
        (f"{HEADER}\n{line(colour=1)}", 2, "the field 'colour' is unknown"),
        (f"{HEADER}\n{line(rank=2)}", 2, "rank is 2: it must be an integer from 0 to 1"),
        (f"{HEADER}\n{line(rank=False)}", 2, "rank is False: it must be an integer"),
        (f"{HEADER}\n{line(seq=1)}", 2, "seq is 1: the next of rank 0 must be 0"),
        (f"{HEADER}\n{line()}\n{line()}", 3, "seq is 0: the next of rank 0 must be 1"),
        (f"{HEADER}\n{line(op='put')}", 2, "op is 'put': it must be one of send, receive, collective"),
        (f"{HEADER}\n{line(call='I send')}", 2, "call is 'I send': it must be the name of an MPI call"),
        (f"{HEADER}\n{line(peer=2)}", 2, "peer is 2: it must be an integer from -1 to 1"),
        (f"{HEADER}\n{line(peer=-1)}", 2, "peer is -1: a send must name its destination"),
        (f"{HEADER}\n{line(tag=1 << 63)}", 2, "tag is 9223372036854775808: it must be an integer from -1 to"),
        (f"{HEADER}\n{line(step=-1)}", 2, "step is -1: it must be null, or an integer from 0 on"),
        (f"{HEADER}\n{line(count=float('nan'))}", 2, "count is nan: it must be an integer"),
        (f"{HEADER}\n{line(nbytes=17)}", 2, "nbytes is 17: 2 entries of float64 have 16"),
        (f"{HEADER}\n{line(digest='XY')}", 2, "digest is 'XY': it must be 16 hexadecimal digits, or empty"),
        (f"{HEADER}\n{line(digest='')}", 2, "digest is '': a send must have one, nothing else may"),
        (f"{HEADER}\n{line(op='collective', digest='')}", 2, "peer is 1: a collective must have -1"),
        (f"{HEADER}\n{line(where='')}", 2, "where is '': it must be file:line"),
        (f"{HEADER}\n{line(where=chr(27) + '[31m')}", 2, "where is '\\x1b[31m': it must be file:line"),
        (f"{HEADER}\n{line(where=chr(0xD800))}", 2, "where is '\\ud800': it must be file:line"),
    ],
)
def test_what_is_wrong_is_told(file, text, at, words):
    """File, line, what is wrong and what would be right."""
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError) as caught:
        read(file)
    place, told = str(caught.value)[: len(f"{file}:{at}: ")], str(caught.value)
    assert place == f"{file}:{at}: "
    assert words in told and "\n" not in told


def test_files_that_are_none(tmp_path):
    """Nothing there, no rank's file, a pipe."""
    with pytest.raises(InputError, match=r"gone.jsonl: there is no such file; a trace must be one, or a folder"):
        read(tmp_path / "gone.jsonl")
    with pytest.raises(InputError, match=r"rank0.jsonl: there is no such file"):
        read(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="pipe: there is no such file"):
        read(tmp_path / "pipe")


def test_a_file_that_may_not_be_read(file, monkeypatch):
    """The system's reason is given."""
    write(TRACE, file)

    def forbidden(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(file), "open", forbidden)
    with pytest.raises(InputError, match=r"trace.jsonl cannot be read: Permission denied"):
        read(file)


def test_folders_that_are_none(tmp_path):
    """A rank's file is missing, is another's, holds another's event, knows of other ranks, or is of a longer run."""
    for rank in range(2):
        write_rank(rank, 3, [e for e in TRACE.events if e.rank == rank], tmp_path)
    with pytest.raises(InputError, match=r"rank2.jsonl: there is no such file"):
        read(tmp_path)
    third = tmp_path / "rank2.jsonl"
    third.write_text((tmp_path / "rank1.jsonl").read_text())
    with pytest.raises(InputError, match=r"rank2.jsonl:1: rank is 1: it must be 2"):
        read(tmp_path)
    third.write_text((tmp_path / "rank1.jsonl").read_text().replace('"rank":1', '"rank":2', 1))
    with pytest.raises(InputError, match=r"rank2.jsonl:2: rank is 1: it must be 2 in the file of that rank"):
        read(tmp_path)
    third.write_text('{"format":"sparring trace","version":1,"ranks":4,"rank":2}\n')
    with pytest.raises(InputError, match=r"rank2.jsonl:1: ranks is 4, in rank 0's file 3: they must be equal"):
        read(tmp_path)
    write_rank(2, 3, [], tmp_path)
    assert read(tmp_path).ranks == 3
    write_rank(3, 4, [], tmp_path)
    with pytest.raises(InputError, match=r"rank3.jsonl: a rank too many, in rank 0's file there are 3"):
        read(tmp_path)


def test_limits(file, monkeypatch):
    """A file too large, or of too many events, is not read to its end."""
    write(TRACE, file)
    monkeypatch.setattr(files, "EVENTS", 3)
    with pytest.raises(InputError, match=r"trace.jsonl:5: more than 3 events: so many a trace may have"):
        read(file)
    monkeypatch.setattr(files, "BYTES", 100)
    with pytest.raises(InputError, match=rf"has {file.stat().st_size} bytes: a trace may have 100"):
        read(file)


def test_nothing_is_written_that_cannot_be_read(file):
    """What read would refuse, write refuses."""
    with pytest.raises(InputError, match="seq is 0: the next of rank 0 must be 1"):
        write(Trace(2, [SEND, SEND]), file)
    with pytest.raises(InputError, match="rank is 1: it must be 0"):
        write(Trace(1, MORE[1:]), file)
    with pytest.raises(InputError, match="rank is 0: it must be 1 in the file of that rank"):
        write_rank(1, 2, [SEND], file.parent)
    with pytest.raises(InputError, match="ranks is 0"):
        write(Trace(0, []), file)


GOOD = "\n".join([HEADER, *(json.dumps(encode(event)) for event in TRACE.events), ""]).encode()
JUNK = st.binary(max_size=6) | st.sampled_from(
    [b"null", b"-1", b"1e999", b"{", b"]", b'"', b"\\ud800", b"9" * 4400, b"\n"]
)


@given(edits=st.lists(st.tuples(st.integers(0, len(GOOD)), st.integers(0, 30), JUNK), min_size=1, max_size=4))
@example(edits=[(GOOD.index(b"null"), 4, b"9" * 4000)])
@settings(max_examples=200, deadline=None)
def test_a_damaged_file_is_bad_input_at_worst(tmp_path_factory, edits):
    """Whatever a few edits make of a good file, reading it gives a trace or an InputError."""
    data = GOOD
    for at, length, junk in edits:
        data = data[:at] + junk + data[at + length :]
    path = tmp_path_factory.getbasetemp() / "damaged.jsonl"
    path.write_bytes(data)
    try:
        trace = read(path)
    except InputError as error:
        told = str(error)
    else:
        told = f"{path}: {len(trace.events)} events"
    assert told.startswith(str(path))
