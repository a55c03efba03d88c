"""Reduce-scatter and broadcast over real datagrams, of which some get lost, come late, or come twice.

python examples/lossy_udp.py --ranks 4 --calls 50 --buffer 2048

Every rank is a thread with a UDP socket on 127.0.0.1.  Nothing is sent again.  A rank waits for the packets
of a step until all have come or its time is over, and goes on with what it has.  Packets get lost in three
ways: where the receiver's buffer is full the system drops them; a share of them, drawn from a seed, is
dropped by the receiver; and some are held back by their sender, to come a call late.  Some are sent twice.

A datagram is a header of fixed length and float32 values, nothing else: whatever else comes in is counted and
thrown away.  All vectors are ones, so that a shard grows by 1 in each call, and a stale replica lies behind
by just as many calls as it has missed: the farthest that steps of this length can take it.
"""

from __future__ import annotations

import argparse
import socket
import struct
import sys
import threading
import time
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring.impl.core.counter_rng import happens
from sparring.impl.lossy_two_shot import COLLECTING, HANDING, mean, sizes
from sparring.impl.two_shot import cut

HOST = "127.0.0.1"
MAGIC = b"LTS1"
HEADER = struct.Struct("!4sBHHIIHI")  # magic, step, source, destination, call, packet, values, checksum of all the rest
VALUE = np.dtype("<f4")
MOST = (65_507 - HEADER.size) // VALUE.itemsize  # values that a datagram can hold
TWICE, BACK = 2, 3  # what repeated and delayed packets are drawn for, beside the two steps
KINDS = ("arrived", "dropped", "late", "early", "twice", "malformed")
"""What a datagram that is read may be: of its step and in time; dropped by chance; of an earlier step; of a call that
is more than one ahead; there already; or none of ours."""


class Settings(NamedTuple):
    """``lost``, ``twice``, ``back``: thousandths dropped at the receiver, sent twice, and held back for a call.

    ``packet``: values of one; ``buffer``: bytes of a receiver's buffer; ``deadline``: seconds for a step.
    """

    ranks: int = 4
    entries: int = 4000
    calls: int = 50
    packet: int = 100
    lost: int = 100
    twice: int = 20
    back: int = 20
    seed: int = 0
    buffer: int = 1 << 20
    deadline: float = 0.25


class Packet(NamedTuple):
    """A packet, and where it belongs."""

    call: int
    step: int
    source: int
    number: int
    values: NDArray[Any]


def packed(packet: Packet, to: int) -> bytes:
    """The datagram."""
    body = packet.values.astype(VALUE).tobytes()
    fields = (packet.step, packet.source, to, packet.call, packet.number, packet.values.size)
    return HEADER.pack(MAGIC, *fields, checksum(fields, body)) + body


def checksum(fields: tuple[int, ...], body: bytes) -> int:
    """Of all but the magic."""
    return zlib.crc32(body, zlib.crc32(struct.pack("!6I", *fields)))


def parsed(data: bytes, me: int, lengths: Sequence[NDArray[Any]]) -> Packet | None:
    """The packet that this is, if it is for rank ``me`` and all is well; ``lengths``: by shard those of its packets."""
    if len(data) < HEADER.size:
        return None
    magic, *fields, said = HEADER.unpack_from(data)
    step, source, to, call, number, many = fields
    body = data[HEADER.size :]
    if magic != MAGIC or said != checksum(tuple(fields), body) or step not in (COLLECTING, HANDING):
        return None
    if to != me or source == me or source >= len(lengths):
        return None
    shard = lengths[me if step == COLLECTING else source]
    if number >= shard.size or many != shard[number] or len(body) != many * VALUE.itemsize:
        return None
    return Packet(call, step, source, number, np.frombuffer(body, VALUE))


@dataclass
class Rank:
    """One rank: its socket, what it has, and what it has counted."""

    number: int
    settings: Settings
    socket: socket.socket
    replica: NDArray[Any] = field(init=False)
    versions: list[NDArray[Any]] = field(init=False)
    counts: Counter[str] = field(default_factory=Counter)
    ages: list[float] = field(default_factory=list)
    squares: list[float] = field(default_factory=list)
    results: list[NDArray[Any]] = field(default_factory=list)
    waiting: dict[tuple[int, int, int, int], NDArray[Any]] = field(default_factory=dict)
    dropped: set[tuple[int, int, int, int]] = field(default_factory=set)
    held_back: list[tuple[int, bytes]] = field(default_factory=list)
    arrivals: int = 0

    def __post_init__(self) -> None:
        n, p = self.settings.entries, self.settings.ranks
        self.shards = [slice(cut(c, n, p), cut(c + 1, n, p)) for c in range(p)]
        self.lengths = [sizes(shard, self.settings.packet) for shard in self.shards]
        self.replica = np.zeros(n, VALUE)
        self.versions = [np.zeros(some.size, np.int64) for some in self.lengths]

    def run(self, addresses: Sequence[Any], stop: threading.Event) -> None:
        """All calls, until there are no more or ``stop`` says so."""
        for call in range(1, self.settings.calls + 1):
            if stop.is_set():
                return
            self.collect(np.ones(self.settings.entries, VALUE), call, addresses)
            self.hand(call, addresses)
            self.results.append(self.replica.copy())
            others = [some for c, some in enumerate(self.versions) if c != self.number]
            aged = np.array([call - version for some in others for version in some.tolist()] or [0])
            self.ages.append(float(aged.mean()))
            self.squares.append(float((aged**2).mean()))

    def collect(self, x: NDArray[Any], call: int, addresses: Sequence[Any]) -> None:
        """The first step, and what it makes of this rank's shard."""
        late, self.held_back = self.held_back, []
        for to, data in late:
            self.send(to, data, addresses)
        others = self.others()
        for q in others:
            self.send_shard(x[self.shards[q]], Packet(call, COLLECTING, self.number, 0, x), q, q, addresses)
        mine = self.shards[self.number]
        copies = np.zeros((self.settings.ranks, mine.stop - mine.start), VALUE)
        there = np.zeros(copies.shape, np.bool_)
        copies[self.number], there[self.number] = x[mine], True
        for packet in self.received(call, COLLECTING):
            at = self.place(self.number, packet.number)
            copies[packet.source, at], there[packet.source, at] = packet.values, True
        self.replica[mine] += mean(copies, there, self.number, aggregator="ratio", lost=0)
        self.versions[self.number][:] = call

    def hand(self, call: int, addresses: Sequence[Any]) -> None:
        """The second step: what comes is what this rank has now, and nothing else changes."""
        own = self.replica[self.shards[self.number]]
        for q in self.others():
            self.send_shard(own, Packet(call, HANDING, self.number, 0, own), self.number, q, addresses)
        for packet in self.received(call, HANDING):
            at = self.place(packet.source, packet.number)
            self.replica[self.shards[packet.source]][at] = packet.values
            self.versions[packet.source][packet.number] = packet.call
            self.arrivals += 1

    def others(self) -> list[int]:
        """All other ranks, the next one first."""
        return [(self.number + d) % self.settings.ranks for d in range(1, self.settings.ranks)]

    def place(self, shard: int, number: int) -> slice:
        """Where a packet lies in its shard."""
        start = number * self.settings.packet
        return slice(start, start + int(self.lengths[shard][number]))

    def send_shard(self, values: NDArray[Any], like: Packet, shard: int, to: int, addresses: Sequence[Any]) -> None:
        """All packets of a shard; some twice, some not before the next call."""
        seed = self.settings.seed
        for i in range(self.lengths[shard].size):
            data = packed(like._replace(number=i, values=values[self.place(shard, i)]), to)
            drawn = (like.call, like.step, like.source, to, i)
            if happens(seed, BACK, *drawn, thousandths=self.settings.back):
                self.held_back.append((to, data))
                continue
            for _ in range(1 + bool(happens(seed, TWICE, *drawn, thousandths=self.settings.twice))):
                self.send(to, data, addresses)

    def send(self, to: int, data: bytes, addresses: Sequence[Any]) -> None:
        """One datagram."""
        self.socket.sendto(data, addresses[to])
        self.counts["sent"] += 1

    def wanted(self, call: int, step: int) -> set[tuple[int, int, int, int]]:
        """The packets of a step that may come."""
        return {
            (call, step, q, i)
            for q in self.others()
            for i in range(self.lengths[self.number if step == COLLECTING else q].size)
        }

    def received(self, call: int, step: int) -> Iterator[Packet]:
        """The packets of this step that come in time, each once; never waits for longer than the deadline."""
        wanted, end = self.wanted(call, step), time.monotonic() + self.settings.deadline
        while not wanted <= self.waiting.keys() | self.dropped and (left := end - time.monotonic()) > 0:
            self.socket.settimeout(left)
            try:
                data = self.socket.recv(HEADER.size + self.settings.packet * VALUE.itemsize + 1)
            except TimeoutError:
                break
            self.sort(data, call, step)
        for key in sorted(wanted & self.waiting.keys()):
            self.counts["arrived"] += 1
            yield Packet(*key, self.waiting.pop(key))
        self.dropped -= wanted

    def sort(self, data: bytes, call: int, step: int) -> None:
        """What comes in: of this step or of one ahead, where each packet has one place; late, twice, or nothing."""
        packet = parsed(data, self.number, self.lengths)
        if packet is None or packet.call > call + 1:
            self.counts["malformed" if packet is None else "early"] += 1
            return
        key = (packet.call, packet.step, packet.source, packet.number)
        if key[:2] < (call, step):
            self.counts["late"] += 1
        elif key in self.waiting or key in self.dropped:
            self.counts["twice"] += 1
        elif happens(self.settings.seed, packet.call, packet.step, packet.source, self.number, packet.number,
                     thousandths=self.settings.lost):  # fmt: skip
            self.counts["dropped"] += 1
            self.dropped.add(key)
        else:
            self.waiting[key] = packet.values


def opened(settings: Settings) -> list[Rank]:
    """All ranks, each with a socket of its own."""
    ranks = []
    for number in range(settings.ranks):
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, settings.buffer)
        made.bind((HOST, 0))
        ranks.append(Rank(number, settings, made))
    return ranks


def played(settings: Settings) -> list[Rank]:
    """All ranks after all calls; raises what the first of them raised, TimeoutError if one does not end."""
    ranks, faults, stop = opened(settings), list[Exception](), threading.Event()
    addresses = [one.socket.getsockname() for one in ranks]

    def running(one: Rank) -> None:
        try:
            one.run(addresses, stop)
        except Exception as fault:  # noqa: BLE001  # whatever it is, it is told by whoever started the rank
            faults.append(fault)
            stop.set()

    threads = [threading.Thread(target=running, args=(one,), daemon=True) for one in ranks]
    end = time.monotonic() + 60 + 2 * settings.calls * settings.deadline
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))
    for one in ranks:
        one.counts["late"] += unread(one.socket)
        one.socket.close()
    if faults:
        raise faults[0]
    if any(thread.is_alive() for thread in threads):
        raise TimeoutError(f"a rank has not ended {settings.calls} calls of {settings.deadline} s a step")
    return ranks


def unread(one: socket.socket) -> int:
    """How many datagrams nobody has read, and nobody will."""
    many, _ = 0, one.setblocking(False)
    while True:
        try:
            one.recv(1)
        except BlockingIOError:
            return many
        many += 1


def vanished(ranks: Sequence[Rank]) -> int:
    """How many datagrams were sent and never read: what the system dropped."""
    return sum(one.counts["sent"] - sum(one.counts[kind] for kind in KINDS) for one in ranks)


def missing(ranks: Sequence[Rank]) -> float:
    """The share of packets of the second step that were not there in time, over all calls."""
    settings = ranks[0].settings
    many = sum((settings.ranks - 1) * some.size for some in ranks[0].lengths) * settings.calls
    return 1 - sum(one.arrivals for one in ranks) / many if many else 0.0


def told(ranks: Sequence[Rank]) -> Iterator[str]:
    """The table."""
    settings, share = ranks[0].settings, missing(ranks)
    yield f"{settings.ranks} ranks, {settings.calls} calls of {settings.entries} values, {settings.packet} a packet"
    yield " ".join(f"{name:>10}" for name in ("rank", "sent", *KINDS))
    for one in ranks:
        yield " ".join(f"{x:>10}" for x in (one.number, one.counts["sent"], *(one.counts[kind] for kind in KINDS)))
    yield f"never read: {vanished(ranks)}; not there in time: {share:.1%} of the packets of the second step"
    if share < 1:
        drifts = (
            ("mean distance", "ages", share / (1 - share)),
            ("mean square", "squares", share * (1 + share) / (1 - share) ** 2),
        )
        for name, what, formula in drifts:
            found = np.mean([getattr(one, what) for one in ranks])
            yield f"{name} of a value from its owner's: {found:.3f}; were losses independent: {formula:.3f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it; 2 for what cannot be run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    for name, value in Settings()._asdict().items():
        parser.add_argument(f"--{name}", type=type(value), default=value)
    settings = Settings(**vars(parser.parse_args(arguments)))
    least = Settings(1, 0, 0, 1, 0, 0, 0, 0, 1, 0.0)
    for name, value, floor in zip(settings._fields, settings, least, strict=True):
        if value < floor:
            parser.error(f"--{name} {value}: it must be {floor} or more")
    if settings.packet > MOST or max(settings.lost, settings.twice, settings.back) > 1000:
        parser.error(f"a packet has at most {MOST} values, and a share is 1000 thousandths at most")
    for line in told(played(settings)):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
