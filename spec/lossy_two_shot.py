"""Two-shot allreduce over links that lose packets: nothing is sent again, and what is lost stays stale [WBO25]_.

Cut every vector into ``p`` shards, of which rank ``r`` owns shard ``r``.  In the first step every rank
sends each other rank its copy of the shard that the other owns; the owner makes a mean of what arrives.
In the second it sends this to everybody, and whoever does not get it keeps what it had.  A shard travels
in packets of ``packet`` entries, and each packet is lost by itself, with ``lost`` thousandths' probability.

How the owner makes a mean of what arrives is one of ``AGGREGATORS``; its own copy needs no packet:

- ``ht`` adds its own copy and ``1 / (1 - loss)`` times what arrives, and divides by ``p``: right in
  expectation, after Horvitz and Thompson; not for a loss of 1;
- ``ratio`` divides the sum of what is there by how much is there: the own copy weighs too much;
- ``ratio0`` does the same, but the own copy is lost as often as the others'; 0 where nothing is left;
- ``zero`` adds what is there and divides by ``p``: what is lost counts as zero.

With ``running`` 1 a shard is the sum of its means of all calls, as parameters are that move by them;
with 0 it is the mean of its last call.  At first all is zero.

Requires: ``p >= 1``; vectors of one length, of numbers that can be divided; a loss of 0 to 1000 thousandths.
Ensures:  rank ``r`` holds each packet as it was after the last call in which it arrived, its own shard
as it is; where nothing is lost, all ranks hold ``(x[0] + ... + x[p-1]) / p``, added in the order of ranks.

A packet has a version, the number of its call, from 1 on.  Only packets of this very call count: one that
comes late is as good as lost.  It has a place of its own, so that a second copy changes nothing, and in
which order packets come does not matter.  A trace has all that is sent, also what gets lost.  Losses are
drawn at the receiver from ``seed``, call, step, sender, receiver and packet, so that every rank, and every
implementation, knows them.

The paper's abstract has the two ideas; packets, aggregators and what a stale rank does are our own design.

>>> from fractions import Fraction
>>> from sparring import run
>>> xs = [[Fraction(3), Fraction(6)], [Fraction(5), Fraction(8)]]
>>> for t, wire, _ in run("lossy_two_shot", xs, lost=0):
...     print(t, *(f"{src}->{dst}:{'|'.join(map(str, msg))}" for src, dst, msg in wire))
0 0->1:6 1->0:5
1 0->1:4 1->0:7
>>> [[*map(str, y)] for y in run("lossy_two_shot", xs, lost=1000, aggregator="zero").results]
[['3/2', '0'], ['0', '4']]

.. [WBO25] E. Weintraub, R. Banner and A. Orda, "Distributed training under packet loss", arXiv:2507.07114, 2025.
"""

from collections.abc import Callable, Generator, Sequence
from typing import Any, NamedTuple

from sparring.errors import InputError
from sparring.spec.core.cells import copy
from sparring.spec.core.chance import happens
from sparring.spec.core.model import bound
from sparring.spec.core.numbers import Bool, Int
from sparring.spec.core.runner import Message, Outcome, Played
from sparring.spec.core.schedule import number, truth

data = "dense"
agrees = False
averages = True
dtypes = ("float32", "float64")

AGGREGATORS = ("ht", "ratio", "ratio0", "zero")
WHOLE = 1000  # thousandths
COLLECTING, HANDING = 0, 1  # the two steps


class Params(NamedTuple):
    """``aggregator``: one of ``AGGREGATORS``; ``lost``: thousandths of all packets; ``packet``: entries of one.

    ``running``: 1 where shards add up their means, else 0; ``seed``: what losses are drawn from.
    """

    aggregator: str = "ht"
    lost: int = 100
    packet: int = 256
    running: int = 0
    seed: int = 0


class State(NamedTuple):
    """``call``: its number; by rank ``replicas``, whole vectors, and by shard and packet their ``versions``."""

    call: int = 0
    replicas: Sequence[Sequence[Any]] = ()
    versions: Sequence[Sequence[Sequence[int]]] = ()


class Packet(NamedTuple):
    """Some entries of a shard, and the number of the call in which they were sent; 0: never."""

    version: int
    entries: Sequence[Any]


Packets = Sequence[Packet]
Sent = Generator[list[Message], None, None]
Channel = Callable[[int, int, int, int, Packet], Packets]
"""``channel(step, src, dst, i, sent)``: what the receiver gets in time as packet ``i`` of this step from this rank."""


def checked(params: Params) -> None:
    """Raises InputError for a parameter that is none."""
    if params.aggregator not in AGGREGATORS:
        raise InputError(f"aggregator = {params.aggregator!r}: it must be one of {', '.join(AGGREGATORS)}")
    for name, least, most in (("lost", 0, WHOLE), ("packet", 1, None), ("running", 0, 1), ("seed", 0, None)):
        if (value := getattr(params, name)) < least or (most is not None and value > most):
            raise InputError(f"{name} = {value}: it must be {least} {'or more' if most is None else f'to {most}'}")
    if params.aggregator == "ht" and params.lost == WHOLE:
        raise InputError(f"lost = {WHOLE} with aggregator ht: what never arrives has no weight; right is less")


def dst(r: Int, j: Int, p: Int) -> Int:
    return (r + j + 1) % p  # where message j goes, j = 0, ..., p - 2


def src(r: Int, j: Int, p: Int) -> Int:
    return (r - j - 1) % p


def begins(i: Int, start: Int, packet: Int) -> Int:
    return start + i * packet  # where packet i of a shard begins that begins at start


def fresh(version: Int, call: Int) -> Bool:
    return version == call  # whether a packet counts, and has not come late


def losing(params: Params) -> Channel:
    """Each packet arrives once, or is lost."""
    def arriving(step: int, src: int, dst: int, i: int, sent: Packet) -> Sequence[Packet]:
        lost = happens(params.seed, sent.version, step, src, dst, i, thousandths=params.lost)
        return [] if lost else [sent]

    return arriving


def packets(c: int, n: int, p: int, packet: int) -> list[slice]:
    """Where the packets of shard ``c`` lie."""
    start, end = number(bound(c, n, p)), number(bound(c + 1, n, p))
    many = -((start - end) // packet)
    starts = [number(begins(i, start, packet)) for i in range(many)]
    return [slice(a, min(a + packet, end)) for a in starts]


def received(held: Packet, came: Sequence[Packet], call: int) -> Packet:
    """What is held once all these have come, one after the other."""
    for one in came:
        held = one if truth(fresh(one.version, call)) else held
    return held


def collected(sent: Sequence[Packet], r: int, i: int, own: bool, call: int, channel: Channel) -> list[Any]:
    """By rank its copy of packet ``i`` of rank ``r``'s shard, None where none came; ``own``: ``r`` has its own."""
    came = [[s] if own and q == r else channel(COLLECTING, q, r, i, s) for q, s in enumerate(sent)]
    got = [received(Packet(0, ()), some, call) for some in came]
    return [one.entries if one.version else None for one in got]


def mean(parts: Sequence[Any], r: int, zero: Any, params: Params) -> Any:
    """One entry of rank ``r``'s shard; ``parts``: by rank its copy, None where it is not there."""
    weight = (zero + WHOLE) / (WHOLE - params.lost) if params.aggregator == "ht" else zero + 1
    terms = [x if q == r else x * weight for q, x in enumerate(parts) if x is not None]
    many = len(terms) if params.aggregator.startswith("ratio") else len(parts)
    return sum(terms, zero) / many + zero if terms else zero


def aggregated(parts: Sequence[Any], r: int, zeros: Sequence[Any], params: Params) -> list[Any]:
    """A packet of rank ``r``'s shard, entry by entry."""
    return [mean([None if x is None else x[e] for x in parts], r, zero, params) for e, zero in enumerate(zeros)]


def begun(xs: Sequence[Any], state: State, cuts: Sequence[Sequence[slice]]) -> State:
    """The state that a call may change; at first of zeros of the vectors' kind, which nobody has sent."""
    replicas = [copy(y) for y in (state.replicas if state.call else xs)]
    if state.call:
        return state._replace(replicas=replicas)
    for y in replicas:
        y[:] = [type(v)(0) for v in y]
    return State(0, replicas, [[[0] * len(some) for some in cuts] for _ in xs])


def made(xs: Sequence[Any], r: int, cuts: Sequence[slice], state: State, params: Params, channel: Channel) -> Packets:
    """The packets of rank ``r``'s shard, as it makes them of what arrives."""
    call, own, news = state.call + 1, params.aggregator != "ratio0", []
    for i, cut in enumerate(cuts):
        there = collected([Packet(call, x[cut]) for x in xs], r, i, own, call, channel)
        held = state.replicas[r][cut]
        moves = aggregated(there, r, [type(v)(0) for v in held], params)
        news.append(Packet(call, [a + b for a, b in zip(held, moves)] if params.running else moves))
    return news


def handed(news: Sequence[Packets], state: State, cuts: Sequence[Sequence[slice]], channel: Channel) -> State:
    """The state after the second step: each rank has what arrived, and keeps the rest."""
    p, call = len(news), state.call + 1
    replicas: list[Any] = [*state.replicas]
    versions = [[[*some] for some in rank] for rank in state.versions]
    places = [(r, c, i) for r in range(p) for c, some in enumerate(cuts) for i in range(len(some))]
    for r, c, i in places:
        came = [news[c][i]] if c == r else channel(HANDING, c, r, i, news[c][i])
        held = received(Packet(versions[r][c][i], replicas[r][cuts[c][i]]), came, call)
        replicas[r][cuts[c][i]], versions[r][c][i] = held.entries, held.version
    return State(call, replicas, versions)


def exchanged(parts: Callable[[int, int], Any], p: int) -> Sent:
    """A step in which all send to all others, at once; none where there are no others."""
    step = [Message(r, d, parts(r, d)) for r in range(p) for j in range(p - 1) for d in [number(dst(r, j, p))]]
    yield from filter(None, [step])


def called(xs: Sequence[Any], state: State, params: Params, channel: Channel) -> Played:
    """A call over any channel."""
    p, (n,) = len(xs), {len(x) for x in xs}
    cuts = [packets(c, n, p, params.packet) for c in range(p)]
    shards = [slice(number(bound(c, n, p)), number(bound(c + 1, n, p))) for c in range(p)]
    state = begun(xs, state, cuts)
    yield from exchanged(lambda r, d: xs[r][shards[d]], p)
    news = [made(xs, r, cuts[r], state, params, channel) for r in range(p)]
    yield from exchanged(lambda r, d: [v for packet in news[r] for v in packet.entries], p)
    state = handed(news, state, cuts, channel)
    return Outcome([copy(y) for y in state.replicas], [], state)


def program(xs: Sequence[Any], state: State, params: Params) -> Played:
    """A call over links that lose packets by chance."""
    checked(params)
    return (yield from called(xs, state, params, losing(params)))
