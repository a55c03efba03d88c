"""Two-shot allreduce over links that lose packets, on mpi4py: the losses are masks at the receiver [WBO25]_.

Rank ``r`` owns shard ``r`` of every vector.  All ranks send each other their copies of each other's
shards at once; the owner makes a mean of those packets that its mask lets through, and sends it to all
others, who keep what they had of the packets that theirs does not.

MPI loses nothing: every message is sent and received in full, and what a mask says is lost is not looked
at.  Masks are drawn from seed, call, step, sender, receiver and packet, so that every rank knows all of
them without a word, and a run can be repeated.  Packets are added in the order of ranks, none twice.
Zeros of a result are +0.0, never -0.0.

.. [WBO25] E. Weintraub, R. Banner and A. Orda, "Distributed training under packet loss", arXiv:2507.07114, 2025.
"""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from sparring.errors import InputError
from sparring.impl.core.arguments import alike, check_vector
from sparring.impl.core.counter_rng import happens
from sparring.impl.core.residual_state import Copied, place, settle
from sparring.impl.core.transport import Vector, private
from sparring.impl.two_shot import above, cut, shot

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

AGGREGATORS = ("ht", "ratio", "ratio0", "zero")
WHOLE = 1000
"""Thousandths."""
COLLECTING, HANDING = 0, 1
FLOATS = tuple(map(np.dtype, ("float32", "float64")))

Mask = NDArray[np.bool_]


class Allreduce(Copied):
    """The mean of vectors of ``n`` float32 or float64 entries, as far as it arrives.

    ``aggregator``: how a shard's owner makes a mean of what arrives: ``ht`` weighs it by the inverse of its
    probability, ``ratio`` divides by how much there is, ``ratio0`` so, but its own part may be lost too,
    ``zero`` takes what is lost for zero.  ``lost``: thousandths of all packets, of ``packet`` entries each;
    less than 1000 for ``ht``.  ``running``: 1 where a shard is the sum of the means of all calls, else 0.
    ``seed``: what losses are drawn from.  All are the same on every rank.

    Made collectively.  With ``validate``, one exchange of a few integers a rank makes sure of that, here and
    in each call; a fault on one rank raises InputError on all, and leaves what they hold as it was.
    """

    def __init__(
        self, comm: Intracomm, n: int, *, aggregator: str = "ht", lost: int = 100, packet: int = 256,
        running: int = 0, seed: int = 0, validate: bool = True,
    ) -> None:
        self._comm, self._validate = private(comm), validate
        numbers = {"n": (n, 0), "lost": (lost, 0), "packet": (packet, 1), "running": (running, 0), "seed": (seed, 0),
                   "aggregator": place(aggregator, AGGREGATORS)}
        settle(self._comm, numbers, validate, refusal(aggregator, lost, running))
        self._n, self._lost, self._packet, self._seed = int(n), int(lost), int(packet), int(seed)
        self._aggregator, self._running, self._calls = aggregator, bool(running), 0
        p = self._comm.Get_size()
        self._shards = [slice(cut(c, self._n, p), cut(c + 1, self._n, p)) for c in range(p)]
        self._sizes = [sizes(shard, self._packet) for shard in self._shards]
        self._versions = [np.zeros(some.size, np.int64) for some in self._sizes]
        self._replica: Vector | None = None

    @property
    def versions(self) -> NDArray[np.int64]:
        """By packet, in the order of shards, the number of the call that what this rank has is from; 0: of none."""
        return np.concatenate(self._versions)

    def __call__(self, x: Vector, /) -> Vector:
        """What this rank has of the mean, a new vector.  Collective.

        ``x``: a contiguous vector of ``n`` entries, the same dtype in all calls; it stays as it is.
        Two calls on one communicator may not run at the same time in different threads.
        """
        held = self._admitted(x)
        p, r, self._calls = self._comm.Get_size(), self._comm.Get_rank(), self._calls + 1
        self._versions[r][:] = self._calls
        others, mine = [above(r, d, p) for d in range(1, p)], held[self._shards[r]]
        copies = np.empty((p, mine.size), x.dtype)
        copies[r] = x[self._shards[r]]
        leaving, coming = {q: x[self._shards[q]] for q in others}, {q: copies[q] for q in others}
        shot(self._comm, leaving, coming)
        news = self._aggregated(copies, r)
        np.add(mine if self._running else 0, news, out=mine)  # also to zero: -0.0 becomes +0.0
        came = np.empty_like(held)
        shot(self._comm, dict.fromkeys(others, mine), {q: came[self._shards[q]] for q in others})
        for q in others:
            self._take(came, q, r)
        return held.copy()

    def _take(self, came: Vector, source: int, r: int) -> None:
        """Of a shard, what arrives of it at rank ``r``; ``came``: all that was sent."""
        shard, arrived = self._shards[source], self._arrived(HANDING, source, r, source)
        self._versions[source][arrived] = self._calls
        held = cast("Vector", self._replica)
        np.copyto(held[shard], came[shard], where=np.repeat(arrived, self._sizes[source]))

    def _admitted(self, x: Vector) -> Vector:
        """What this rank has so far.  Raises InputError for what no call may have."""
        fault = None
        try:
            self._check(x)
        except InputError as error:
            fault = error
        if self._validate:
            alike(self._comm, x, fault)
        elif fault:
            raise fault
        if self._replica is None:
            self._replica = np.zeros_like(x)
        return self._replica

    def _check(self, x: Vector) -> None:
        check_vector("x", x)
        if x.dtype not in FLOATS:
            raise InputError(f"x has dtype {x.dtype}: it must be float32 or float64, since means are divided")
        if x.size != self._n:
            raise InputError(f"x has {x.size} entries: this Allreduce was made for {self._n}")
        if self._replica is not None and x.dtype != self._replica.dtype:
            raise InputError(f"x has dtype {x.dtype}, the calls before {self._replica.dtype}: all need one dtype")

    def _arrived(self, step: int, source: int, to: int, shard: int) -> Mask:
        """By packet of a shard, whether it arrives."""
        many = np.arange(self._sizes[shard].size)
        return ~happens(self._seed, self._calls, step, source, to, many, thousandths=self._lost)

    def _aggregated(self, copies: Vector, r: int) -> Vector:
        """A mean of what arrives; ``copies``: by rank all entries of rank ``r``'s shard, which are written to."""
        arrived = np.stack([self._arrived(COLLECTING, q, r, r) for q in range(len(copies))])
        if self._aggregator != "ratio0":
            arrived[r] = True
        there = np.repeat(arrived, self._sizes[r], axis=1)
        return mean(copies, there, r, aggregator=self._aggregator, lost=self._lost)


def allreduce(
    comm: Intracomm, x: Vector, /, *, aggregator: str = "ht", lost: int = 100, packet: int = 256,
    running: int = 0, seed: int = 0, validate: bool = True,
) -> Vector:
    """One call of a new :class:`Allreduce`: what does not arrive is zero.  Collective."""
    made = Allreduce(comm, np.size(x), aggregator=aggregator, lost=lost, packet=packet, running=running,
                     seed=seed, validate=validate)
    return made(x)


def refusal(aggregator: str, lost: Any, running: Any) -> str:
    """What is wrong with these, apart from numbers that are none or negative; empty where nothing is."""
    if aggregator not in AGGREGATORS:
        return f"aggregator = {aggregator!r}: it must be one of {', '.join(AGGREGATORS)}"
    for name, number, most in (("lost", lost, WHOLE), ("running", running, 1)):
        if isinstance(number, Integral) and int(number) > most:
            return f"{name} = {number}: it must be 0 to {most}"
    if aggregator == "ht" and lost == WHOLE:
        return f"lost = {WHOLE} with aggregator ht: what never arrives has no weight; right is less"
    return ""


def sizes(shard: slice, packet: int) -> NDArray[np.int64]:
    """How many entries each packet of a shard has."""
    ends = np.append(np.arange(shard.start, shard.stop, packet), shard.stop)
    return np.diff(ends)


def mean(copies: Vector, there: Mask, r: int, *, aggregator: str, lost: int) -> Vector:
    """Of rank ``r``'s shard, what this aggregator makes of those entries that are there.

    ``copies``: by rank all its entries, which are written to; ``there``: as many truths; ``lost``: thousandths.
    """
    every = range(len(copies))
    if aggregator == "ht":
        weight = copies.dtype.type(WHOLE) / copies.dtype.type(WHOLE - lost)
        for q in (q for q in every if q != r):
            np.multiply(copies[q], weight, out=copies[q])
    total = np.zeros(copies.shape[1:], copies.dtype)
    for q in every:
        np.add(total, copies[q], out=total, where=there[q])
    many = there.sum(axis=0) if aggregator.startswith("ratio") else len(copies)
    np.divide(total, np.maximum(many, 1).astype(total.dtype), out=total)
    return total
