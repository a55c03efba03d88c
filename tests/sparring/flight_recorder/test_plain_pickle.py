"""Pickles of strangers: plain data comes out as it went in, and nothing else comes out at all."""

from __future__ import annotations

import collections
import os
import pickle
import random
import struct

import pytest

from sparring.errors import InputError
from sparring.flight_recorder import plain_pickle
from tests.sparring.flight_recorder.made_dumps import call, dump

SHARED = ["a", {"b": 1}]
PLAIN = [
    None, True, 0, -1, 255, 65535, -(2**31), 2**62, 1.5, "", "é" * 300, (), (1,), (1, 2), (1, 2, 3),
    (1, 2, 3, 4), [], [[]], {}, {"a": [1, (None, {"b": 2.5})], 5: {}}, [SHARED, SHARED], dump([call()], {"0": [0]}),
]  # fmt: skip


BYTES = [b"", b"x" * 300, {"b": b"c"}]
"""What protocol 2 writes as a call of a function."""


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_plain_data_is_read_as_pickle_reads_it(protocol):
    """Of every kind, and with values that are mentioned again."""
    for value in PLAIN + BYTES * (protocol > 2):
        assert plain_pickle.loads(pickle.dumps(value, protocol)) == value


class Thief:
    """What an attacker would have run."""

    def __reduce__(self):
        return os.system, ("exit 1",)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
@pytest.mark.parametrize("value", [Thief(), print, {1}, collections.OrderedDict(a=1), 1j, [{"entries": Thief()}]])
def test_what_would_look_up_or_call_is_refused(value, protocol, monkeypatch):
    """It is refused by the opcode's name and byte, and nothing is run."""
    ran = []
    monkeypatch.setattr(os, "system", ran.append)
    with pytest.raises(InputError, match=r"^opcode [A-Z_]+ at byte \d+ of the pickle; right: only opcodes of plain"):
        plain_pickle.loads(pickle.dumps(value, protocol))
    assert ran == []


@pytest.mark.parametrize(
    ("opcode", "data"),
    [
        ("GLOBAL", b"cos\nsystem\n."), ("INST", b"(ios\nsystem\n."), ("OBJ", b"(o."), ("NEWOBJ", b")\x81."),
        ("REDUCE", b")R."), ("BUILD", b"}b."), ("PERSID", b"Px\n."), ("BINPERSID", b"NQ."), ("EXT1", b"\x82\x01."),
        ("DUP", b"N2."), ("POP", b"N0."), ("POP_MARK", b"(1."), ("INT", b"I1\n."), ("STRING", b"S'a'\n."),
        ("LONG4", b"\x8b\x01\x00\x00\x00\x01."), ("NEXT_BUFFER", b"\x97."), ("FROZENSET", b"(\x91."),
    ],
)  # fmt: skip
def test_each_opcode_that_is_not_of_plain_data_is_named(opcode, data):
    with pytest.raises(InputError, match=rf"^opcode {opcode} at byte \d+ of the pickle"):
        plain_pickle.loads(b"\x80\x02" + data)


def deep(n, opening=b"]", closing=b"a"):
    return b"\x80\x02" + opening * n + closing * (n - 1) + b"."


def test_depth_is_bounded():
    """As deep as is allowed is read, one deeper is not, and very deep ends as soon."""
    assert plain_pickle.loads(deep(plain_pickle.DEPTH))
    for n in (plain_pickle.DEPTH + 1, 10**5):
        with pytest.raises(InputError, match=r"^values more than 32 deep at byte \d+"):
            plain_pickle.loads(deep(n))


def laughs(n, times):
    """A pickle of a list that holds a list so many times, which holds another so many times, ``n`` lists in all."""
    levels = b"".join(b"]q" + bytes([i]) + b"(" for i in reversed(range(n)))
    return b"\x80\x02" + levels + b"".join(b"Ne" if i == 0 else again(i - 1, times) for i in range(n)) + b"."


def again(number, times):
    return (b"h" + bytes([number])) * (times - 1) + b"e"


def test_mentions_count_as_what_they_stand_for():
    """A few hundred bytes cannot stand for billions of values."""
    assert plain_pickle.loads(laughs(3, 2)) == [[[None], [None]], [[None], [None]]]
    with pytest.raises(InputError, match=r"^the pickle mentions more than"):
        plain_pickle.loads(laughs(20, 10))


@pytest.mark.parametrize(
    "data",
    [
        b"\x80\x02]q\x00h\x00a.",  # a list that holds itself
        b"\x80\x02}q\x00X\x01\x00\x00\x00ah\x00s.",  # a dictionary that does
        b"\x80\x02](]q\x00h\x00Na" + b"e.",  # one that grows between two mentions
    ],
)
def test_what_was_mentioned_again_may_not_grow(data):
    with pytest.raises(InputError, match=r"^a value grows at byte \d+"):
        plain_pickle.loads(data)


BROKEN = [
    b"", b"\x80", b"\x80\x02", b"\x80\x02N", b"\x80\x02.", b"\x80\x02NN.", b"\x80\x02a.", b"\x80\x02e.", b"\x80\x02(e.",
    b"\x80\x02Na.", b"\x80\x02NNa.", b"\x80\x02NNNs.", b"\x80\x02}N\x85s.", b"\x80\x02}(Ne.", b"\x80\x02}(Nu.",
    b"\x80\x02}NNs.", b"\x80\x02}]Ns.", b"\x80\x02}(K\x01NK\x01Nu.", b"\x80\x02h\x00.", b"\x80\x02q\x00.",
    b"\x80\x02t.", b"\x80\x02\x86.", b"\x80\x02X\xff\xff\xff\x7fab.",
    b"\x80\x02X\x01\x00\x00\x00\xff.", b"\x80\x02\xff.",
]  # fmt: skip


@pytest.mark.parametrize("data", BROKEN, ids=range(len(BROKEN)))
def test_a_broken_pickle_gets_a_sentence(data):
    with pytest.raises(InputError, match=r"^broken pickle behind byte \d+ \(.*\); right: one whole pickle"):
        plain_pickle.loads(data)


def test_noise_is_read_or_refused():
    """Whatever bytes are flipped or cut, there is a value or an InputError, and no other end."""
    random_ = random.Random(0)
    whole = pickle.dumps(dump([call(), call(number=2)], {"0": [0, 1]}), protocol=2)
    ends = set()
    for _ in range(2000):
        data = bytearray(whole[: random_.choice([len(whole), random_.randrange(len(whole))])])
        for _ in range(random_.randrange(4)):
            if data:
                data[random_.randrange(len(data))] = random_.randrange(256)
        try:
            plain_pickle.loads(bytes(data))
            ends.add("read")
        except InputError:
            ends.add("refused")
    assert ends == {"read", "refused"}


def test_long_numbers_are_bounded():
    """A number has 255 bytes at most, so that nothing takes long to print."""
    data = b"\x80\x02\x8a\xff" + b"\x01" * 255 + b"."
    assert plain_pickle.loads(data) == int.from_bytes(b"\x01" * 255, "little")
    with pytest.raises(InputError, match="LONG4"):
        plain_pickle.loads(b"\x80\x02\x8b" + struct.pack("<i", 300) + b"\x01" * 300 + b".")
