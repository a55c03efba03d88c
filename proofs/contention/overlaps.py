"""Finds messages of different sources that can be on one link at one time, whatever the timing.

The model.  A rank posts the sends and the receives of a step, waits for all, and goes on to the next
step.  A transfer lasts from B to E, with B < E, on all links of its route:

    eager       The send is posted before B; E is before the receive's wait ends.
    rendezvous  Send and receive are posted before B; E is before both waits end.

The port of a source serves its transfers one at a time, in any order; so messages of one source never
meet, and only those of different sources are looked at.  A timing is any that obeys all this.

The criterion.  The rules but for the port's make a partial order of events, *happens before*.  Two
transfers of different sources overlap in some timing exactly if neither's E happens before the
other's B.  That they do not otherwise is plain.  If neither does: nothing that must happen before
either B involves the other transfer; let all that must, and it consists of whole transfers, happen one
transfer at a time, then begin both, end both, and let the rest happen one at a time.  The port is
obeyed, since no two other transfers overlap.  So the criterion is sound and complete.

The algorithm.  Step by step every rank has a row of a clock: of how many steps of each rank the waits
are known to be over before it posts.  A wait passes on the rows of those whose posts its messages need:
the sender's, and under rendezvous also the receiver's.  E of a message happens before B of a later one
if a rank that waits for the first is as far in the clock of a rank that must have posted for the
second.  Since clocks only grow, those messages of a pair of ranks that are not ordered are its last ones,
which are counted by bisection; and a pair whose last message every rank knows to be over is not looked
at again before it sends.  With ``p`` ranks and ``T`` steps this takes O(p² T) time and O(p²) space for
the clocks, and for each message the pairs of that kind that share a link with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring.errors import InputError
from sparring.proofs.contention.networks import Edge
from sparring.proofs.contention.traffic import Incidence, Numbers, Routed, Traffic, Transfer

SENDS = ("eager", "rendezvous")
Clock = NDArray[np.signedinteger]
"""``clock[b, a]``: how many steps of rank ``a`` are over before rank ``b`` posts."""


class Overlap(NamedTuple):
    """Two transfers that can be on ``link`` at one time; the first is of the same step or of an earlier one."""

    link: Edge
    first: Transfer
    second: Transfer


class Meetings(NamedTuple):
    """The messages that can meet messages of step ``t``, link by link.

    A message of pair ``second[i]`` can meet ``count[i]`` messages of pair ``first[i]`` on ``link[i]``.
    These are of step ``since[i]`` or later, up to ``t``.
    """

    t: int
    link: Numbers
    first: Numbers
    second: Numbers
    since: Numbers
    count: Numbers  # type: ignore[assignment]  # an entry's name, not tuple's method


def clocks(traffic: Traffic, sends: str) -> Iterator[Clock]:
    """Yield the clock before each step."""
    if sends not in SENDS:
        raise InputError(f"sends={sends!r}; there are {', '.join(SENDS)}")
    narrow = len(traffic.steps) < np.iinfo(np.int16).max  # narrow rows are copied in half the time
    now: Clock = np.zeros((traffic.p, traffic.p), np.int16 if narrow else np.int32)
    for t, step in enumerate(traffic.steps):
        yield now
        src, dst = step.T
        new = now.copy()
        learn(new, now, dst, src)
        if sends == "rendezvous":
            learn(new, now, src, dst)
        np.fill_diagonal(new, t + 1)
        now = new


def learn(new: Clock, now: Clock, to: Numbers, of: Numbers) -> None:
    """Give each rank of ``to`` what the rank beside it in ``of`` knew before the step.

    A rank that is several times in ``to`` learns from all of its partners.
    """
    while len(to):
        ranks, first = np.unique(to, return_index=True)
        new[ranks] = np.maximum(new[ranks], now[of[first]])
        to, of = np.delete(to, first), np.delete(of, first)


def meetings(routed: Routed, sends: str) -> Iterator[Meetings]:
    """Yield all pairs of messages that can meet, by the step of the later one; steps without any are left out."""
    pairs, steps = routed.pairs, len(routed.traffic.steps)
    last = np.full(len(pairs), -1)  # the step of each pair's last message
    live = np.empty(0, np.int64)  # the pairs of which somebody may not know that their last message has ended
    sent = np.sort(np.concatenate([ids * steps + t for t, ids in enumerate(routed.ids)] or [pairs[:, 0]]))
    for t, (ids, clock) in enumerate(zip(routed.ids, clocks(routed.traffic, sends))):
        last[ids] = t
        over = clock.min(axis=0)[pairs[live, int(sends == "eager") :]].max(axis=1)
        live = np.union1d(live[last[live] >= over], ids)
        second, link, first = rivals(routed, ids, live)
        since = known(clock, pairs[first], pairs[second], sends)
        upto = first * steps + t + (first < second)  # two of one step are counted once
        count = np.searchsorted(sent, upto) - np.searchsorted(sent, first * steps + since)
        if (some := count > 0).any():
            yield Meetings(t, link[some], first[some], second[some], since[some], count[some])


def rivals(routed: Routed, ids: Numbers, live: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Return, for each pair in ``ids`` and each of its links, the live pairs of other sources: (pair, link, other)."""
    which, link = routed.ways.of_all(ids)
    owner, crossed = routed.ways.of_all(live)
    order = np.argsort(crossed, kind="stable")
    users = Incidence.of(np.bincount(crossed, minlength=len(routed.links)), live[owner[order]])
    at, other = users.of_all(link)
    second, link = ids[which[at]], link[at]
    apart = routed.pairs[second, 0] != routed.pairs[other, 0]
    return second[apart], link[apart], other[apart]


def known(clock: Clock, first: Numbers, second: Numbers, sends: str) -> Numbers:
    """Return how many steps of a first pair's messages have ended before a second pair's message begins."""
    if sends == "eager":
        return np.asarray(clock[second[:, 0], first[:, 1]], np.int64)
    ends = np.stack([clock[second[:, i], first[:, j]] for i in (0, 1) for j in (0, 1)])
    return np.asarray(ends.max(axis=0), np.int64)


def total(routed: Routed, sends: str) -> int:
    """Return how many (link, transfer, transfer) there are that can meet."""
    return sum(int(m.count.sum()) for m in meetings(routed, sends))


def overlaps(routed: Routed, sends: str) -> Iterator[Overlap]:
    """Yield the overlaps one by one, by the step of the second transfer."""
    return chain.from_iterable(listed(routed, m) for m in meetings(routed, sends))


def listed(routed: Routed, m: Meetings) -> Iterator[Overlap]:
    """Yield one step's overlaps."""
    for link, first, second, since in zip(m.link, m.first, m.second, m.since):
        later = Transfer(m.t, *routed.pairs[second].tolist())
        for t in range(since, m.t + (first < second)):
            if first in routed.ids[t]:
                yield Overlap(routed.links[link], Transfer(t, *routed.pairs[first].tolist()), later)
