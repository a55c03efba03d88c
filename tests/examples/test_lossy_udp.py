"""Real datagrams: what arrives is the page's state for that pattern; nothing hangs; what is none of ours is ignored."""

from __future__ import annotations

import importlib.util
import socket
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from sparring import page, page_runs

FILE = Path(__file__).parents[2] / "examples" / "lossy_udp.py"
PATIENT = {"deadline": 30.0, "buffer": 1 << 20, "twice": 0, "back": 0}
"""A step ends once all packets have come, however busy the machine is."""


@pytest.fixture(scope="module")
def udp():
    """The example as a module."""
    spec = importlib.util.spec_from_file_location("lossy_udp", FILE)
    assert spec and spec.loader
    made = importlib.util.module_from_spec(spec)
    sys.modules["lossy_udp"] = made  # where dataclasses look for it
    spec.loader.exec_module(made)
    yield made
    del sys.modules["lossy_udp"]


def settings(udp, **given):
    return udp.Settings(**{"ranks": 3, "entries": 100, "calls": 5, "packet": 7, "lost": 0, **PATIENT, **given})


@pytest.mark.parametrize(("ranks", "entries"), [(1, 10), (2, 1), (3, 100), (4, 0), (5, 3)])
def test_where_nothing_is_lost_all_have_the_sum_of_the_means(udp, ranks, entries):
    found = udp.played(settings(udp, ranks=ranks, entries=entries))
    for one in found:
        assert [y.tolist() for y in one.results] == [[call] * entries for call in range(1, 6)]
        assert one.counts["sent"] == one.counts["arrived"]
    assert udp.vanished(found) == 0
    assert udp.missing(found) == 0


@pytest.mark.parametrize("lost", [300, 900])
def test_with_drawn_losses_every_state_is_the_pages(udp, lost):
    """The same packets are dropped as the page's masks say, call after call."""
    given = settings(udp, lost=lost, seed=6)
    found = udp.played(given)
    xs = [np.ones((given.calls, given.entries), np.float32)] * given.ranks
    made = page("lossy_two_shot", aggregator="ratio", lost=lost, packet=given.packet, running=1, seed=6)
    runs = [*page_runs.runs(made, xs)]
    for call, ran in enumerate(runs):
        for one, right in zip(found, ran.results, strict=True):
            assert one.results[call].tobytes() == right.tobytes()
    for one, right in zip(found, runs[-1].state.versions, strict=True):
        assert [some.tolist() for some in one.versions] == right
    assert sum(one.counts["dropped"] for one in found) > 0 == udp.vanished(found)


def consistent(udp, found):
    """Each value is as old as its version says, and a rank's own shard is of the last call."""
    for one in found:
        calls = one.settings.calls
        for c, (shard, versions) in enumerate(zip(one.shards, one.versions, strict=True)):
            assert one.replica[shard].tolist() == np.repeat(versions, one.lengths[c]).tolist()
            assert ((versions == calls) if c == one.number else (versions <= calls)).all()


def test_what_comes_late_or_twice_changes_nothing(udp):
    """Held back for a call, or sent once more: a step with a packet held back takes as long as its deadline."""
    given = settings(udp, twice=300, back=100, deadline=0.1, calls=8, entries=600)
    found = udp.played(given)
    consistent(udp, found)
    assert sum(one.counts["late"] for one in found) > 0
    assert sum(one.counts["late"] + one.counts["twice"] for one in found) > given.calls


def test_a_full_buffer_loses_packets_and_nobody_waits_for_them(udp):
    """The system drops what finds no room; two deadlines a call are enough."""
    given = settings(udp, ranks=4, entries=20_000, packet=250, buffer=1, deadline=0.05, calls=10)
    begun = time.monotonic()
    found = udp.played(given)
    assert time.monotonic() - begun < 30
    assert udp.vanished(found) > 0
    assert 0 < udp.missing(found) < 1
    consistent(udp, found)
    worst = max(given.calls - int(some.min()) for one in found for some in one.versions)
    assert all(abs(one.replica - given.calls).max() <= worst for one in found)  # k d after k losses


def test_garbage_is_counted_and_nothing_else(udp):
    """Thrown at a rank all the time it runs: it ends in time, with the right results."""
    given = settings(udp, ranks=2, entries=10, calls=20)
    one, other = udp.opened(given)
    addresses = [each.socket.getsockname() for each in (one, other)]
    stop = threading.Event()

    def throwing():
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as thrower:
            while not stop.is_set():
                for data in (b"", b"LTS1", b"x" * 60, b"y" * 2000):
                    thrower.sendto(data, addresses[0])
                time.sleep(0.001)

    threads = [threading.Thread(target=each.run, args=(addresses, threading.Event())) for each in (one, other)]
    thrower = threading.Thread(target=throwing)
    thrower.start()
    one.socket.recv(1, socket.MSG_PEEK)  # the first is there
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    stop.set()
    thrower.join()
    for each in (one, other):
        each.socket.close()
        assert each.replica.tolist() == [20] * 10
    assert one.counts["malformed"] > 0 == other.counts["malformed"]


def test_a_datagram_is_taken_only_if_all_of_it_is_right(udp):
    lengths = [np.array([3, 2]), np.array([3])]
    values = np.arange(3, dtype=np.float32)
    good = udp.packed(udp.Packet(4, udp.HANDING, 1, 0, values), 0)
    packet = udp.parsed(good, 0, lengths)
    assert packet[:4] == (4, udp.HANDING, 1, 0) and packet.values.tolist() == [0, 1, 2]
    assert udp.parsed(good, 1, lengths) is None  # for somebody else
    for i in range(len(good)):
        assert udp.parsed(good[:i], 0, lengths) is None
        changed = bytearray(good)
        changed[i] ^= 0x40
        assert udp.parsed(bytes(changed), 0, lengths) is None
    assert udp.parsed(good + b"\0", 0, lengths) is None
    wrong = [
        udp.Packet(4, 2, 1, 0, values),
        udp.Packet(4, udp.HANDING, 0, 0, values),
        udp.Packet(4, udp.HANDING, 2, 0, values),
        udp.Packet(4, udp.HANDING, 1, 1, values),
        udp.Packet(4, udp.HANDING, 1, 0, values[:2]),
        udp.Packet(4, udp.COLLECTING, 1, 1, values),
    ]
    assert [udp.parsed(udp.packed(one, 0), 0, lengths) for one in wrong] == [None] * len(wrong)
    assert udp.parsed(udp.packed(udp.Packet(4, udp.COLLECTING, 1, 1, values[:2]), 0), 0, lengths) is not None


def test_it_prints_what_became_of_all_datagrams(udp, capsys):
    assert udp.main(["--ranks", "2", "--entries", "300", "--calls", "3", "--deadline", "5", "--back", "0"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "2 ranks, 3 calls of 300 values, 100 a packet"
    assert lines[1].split() == ["rank", "sent", *udp.KINDS]
    assert all(sum(map(int, line.split()[2:])) > 0 for line in lines[2:4])
    assert "were losses independent: " in lines[-1]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [(["--packet", "0"], "--packet 0: it must be 1 or more"), (["--lost", "1001"], "a share is 1000 thousandths"),
     (["--ranks", "0"], "--ranks 0: it must be 1 or more"), (["--packet", "20000"], "a packet has at most")],
)  # fmt: skip
def test_what_cannot_be_run_is_told(udp, capsys, wrong, sentence):
    with pytest.raises(SystemExit) as ended:
        udp.main(wrong)
    assert ended.value.code == 2
    assert sentence in capsys.readouterr().err
