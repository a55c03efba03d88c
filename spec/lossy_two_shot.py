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

from typing import Annotated, Any, Literal, NamedTuple

from sparring.spec.core.calling import Between
from sparring.spec.core.compositions import Text
from sparring.spec.core.exchanges import own_chunk
from sparring.spec.core.numbers import Bool, Int
from sparring.spec.core.vectors import Vector, each, owned, plain, total, where
from sparring.spec.library.lossy_links import (
    Collected,
    Losing,
    came,
    checked,
    collect,
    hand,
    newest,
    over,
    over_senders,
    owns,
    versions_held,
    weighed,
    zeros,
)

__all__ = ["checked"]  # what parameters may not be together

data = "dense"
agrees = False
averages = True
dtypes = ("float32", "float64")

hypotheses = (("H1", "every packet is sent once, and none again"),)



class Params(NamedTuple):
    """``aggregator``: see above; ``lost``: thousandths of all packets; ``packet``: entries of one.

    ``running``: 1 where shards add up their means, else 0; ``seed``: what losses are drawn from.
    """

    aggregator: Literal["ht", "ratio", "ratio0", "zero"] = "ht"
    lost: Annotated[int, Between(0, 1000)] = 100
    packet: Annotated[int, Between(1)] = 256
    running: Annotated[int, Between(0, 1)] = 0
    seed: Annotated[int, Between(0)] = 0


class State(NamedTuple):
    """``replicas``: of all shards, what a rank has; ``versions``: by shard and packet the call in which it was sent."""

    replicas: Any = 0
    versions: Any = 0


def fresh(version: Int, call: Int) -> Bool: return version == call  # whether a packet counts, and has not come late


def there(version: Int, v: Any, call: Int) -> Any:
    """What an owner has of a sender's entry."""
    return where(fresh(version, call), v, 0)


def share(version: Int, own: Bool, v: Any, call: Int, lost: int) -> Any:
    """The same with ``ht``."""
    v = there(version, v, call)
    return where(own, v, weighed(v, lost))


def mean(got: Collected, call: int, p: int, params: Params) -> Any:
    """What an owner makes of what arrives."""
    if params.aggregator == "ht":
        return over_senders(share, got.version, got.own, got.entries, call, params.lost) / p
    sums = over_senders(there, got.version, got.entries, call)
    return sums / p if params.aggregator == "zero" else each(over, sums, over_senders(there, got.version, 1, call))


def over_links(links: Any, x: Vector, r: int, p: int, call: int, state: State, params: Params) -> Text:
    """A call over any links."""
    now, held = call + 1, zeros(x) + state.replicas
    got = yield collect(x, links, params.packet, now, own=params.aggregator != "ratio0")
    new = mean(got, now, p, params)
    new = where(params.running == 1, own_chunk(held, r, p) + new, new)
    back = yield hand(plain(new), links, params.packet, now)
    replica = where(each(fresh, back.version, now), back.entries, held)
    return replica, State(replica, newest(state.versions, back.packets, now))


def program(x: Vector, r: int, p: int, call: int, state: State, params: Params) -> Text:
    return (yield from over_links(Losing(params.seed, params.lost), x, r, p, call, state, params))


def ensures(x: Vector, r: int, p: int, call: int, state: State, params: Params) -> Any:
    """What a rank ends with: where the owner's packet comes what that made, else what it had."""
    links, kind = (Losing(params.seed, params.lost), params.packet, call + 1), params.aggregator
    came_in = came(x, "owner", *links, own=kind != "ratio0")
    got = where(came_in, x, 0)
    sums = total(where(owns(x), got, weighed(got, params.lost)) if kind == "ht" else got)
    made = sums / p if kind in ("ht", "zero") else over(sums, total(where(came_in, 1, 0)))
    new = where(params.running == 1, owned(own_chunk(state.replicas, r, p)) + made, made)
    return where(came(x, "rank", *links), new, state.replicas)


def leaves(x: Vector, r: int, p: int, call: int, state: State, params: Params) -> dict[str, Any]:
    """A rank's replicas are what it ends with; of each packet it has the version that came last."""
    came_now = versions_held(x, Losing(params.seed, params.lost), params.packet, call + 1)
    replica = ensures(x, r, p, call, state, params)
    return {"replicas": replica, "versions": newest(state.versions, came_now, call + 1)}
