"""Moshpit All-Reduce on mpi4py: the mean over many ranks, in rounds of small groups [R21]_.

Ranks lie on a grid with sides of length ``m``.  In each round those that differ in one digit of their cell
average in a group of their own: a member sends each other one a copy of that one's part, and then to all the
mean of its own part.  The index of the part that it looked after takes the place of the digit.

Messages go directly from rank to rank, all of a step without blocking, before any is waited for; no group
needs a communicator of its own.  Parts are added in the order of chunk indices.

MPI cannot tell that a rank is gone, and a receive of what never comes would wait for ever.  So who dies or fails, and
after which message, is a parameter that all ranks know, where peers on a network have timeouts: the rank sends no
more from there on, in all rounds or in this one, nobody waits for what it does not send, and what came of it is
what would have.  It still returns.

.. [R21] M. Ryabinin, E. Gorbunov, V. Plokhotnyuk and G. Pekhimenko, "Moshpit SGD: communication-efficient
   decentralized training on heterogeneous unreliable devices", NeurIPS 2021, arXiv:2103.03239.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from sparring.errors import InputError
from sparring.impl.core.arguments import DTYPES, REFUSED, compare, result
from sparring.impl.core.averaging_groups import Asked, Party, Plan, meetings, planned
from sparring.impl.core.transport import Vector, finish, private

if TYPE_CHECKING:
    from mpi4py.MPI import Intracomm

MOST = np.iinfo(np.int64).max
FLOATS = tuple(dtype for dtype in DTYPES if dtype.kind == "f")


def allreduce(
    comm: Intracomm, x: Vector, /, *, m: int = 2, rounds: int = 0, chance: int = 0, weights: Sequence[int] = (),
    bandwidths: Sequence[int] = (), dead: Sequence[Sequence[int]] = (), failing: Sequence[Sequence[int]] = (),
    out: Vector | None = None, validate: bool = True,
) -> Vector:
    """This rank's average after so many rounds, by default one for each side of the grid.  Collective.

    It is a mean, not a sum, and each rank's own; where the number of ranks is a power of ``m``, all weights are
    alike and nobody dies or fails, it is the mean of all ranks' ``x``, but for rounding.

    ``x``: a contiguous vector of float32 or float64, of any length.  ``m``: at least 2, the largest group.
    ``chance``: a number on which chunk indices depend, which are drawn.  By rank, 1 where the list ends:
    ``weights``, of a rank's vector, 0 for one that only looks after a part; ``bandwidths``, to which parts are
    fitted, 0 for one that looks after none.  ``dead``: who dies, each as ``(rank, round, messages)``: in which
    round, from 0, after how many messages of its own, or with -1 before its group is formed.  A rank that
    dies returns what it had before that round, and an auxiliary its ``x``.  ``failing``: who sends no more in a
    round after so many messages, in the same form, and goes on in the next; it gets the means that have its copies.

    ``out``: where the result goes, ``x`` itself included; by default a new array of ``x``'s class.
    Unless it is ``out``, ``x`` stays as it is.  Beside it a rank needs room for as many copies of its part as
    its group has members, and for one vector.

    Every rank must have the same dtype, length and parameters.  With ``validate``, one exchange of six integers
    a rank makes sure of that first, and a fault on one rank raises InputError on all; without it each
    rank's arguments are still checked, but ranks that differ hang or compute nonsense.

    Two calls on one communicator may not run at the same time in different threads.
    """
    own, asked = private(comm), Asked(m, rounds, chance, weights, bandwidths, dead, failing)
    y = agreed(own, x, out, asked) if validate else checked(x, out, asked)
    now = x
    for one in meetings(own.Get_size(), own.Get_rank(), x.size, asked):
        if one is not None:
            now = averaged(own, now, one, one.ranks.index(own.Get_rank()))
    y[...] = now
    return y


def averaged(comm: Intracomm, x: Vector, one: Party, i: int) -> Vector:
    """Member ``i``'s vector after a round; ``x`` itself where it has no new one."""
    plan = planned(one)
    mean = collected(comm, x, one, plan, i)
    return handed_out(comm, x, mean, one, plan, i)


def collected(comm: Intracomm, x: Vector, one: Party, plan: Plan, i: int) -> Vector:
    """The mean of member ``i``'s part, of the copies that came; where none do, what it has there."""
    own = x[one.part(i)]
    copies = {k: own if k == i else np.empty_like(own) for k in range(len(one.ranks)) if k == i or i in plan.copies[k]}
    receives = [comm.Irecv(copy, one.ranks[k]) for k, copy in copies.items() if k != i]
    sends = [comm.Isend(x[one.part(j)], one.ranks[j]) for j in plan.copies[i]]
    finish([*receives, *sends])
    return weighed([copies[k] for k in plan.came[i]], [one.weights[k] for k in plan.came[i]], own)


def weighed(copies: Sequence[Vector], weights: Sequence[int], own: Vector) -> Vector:
    """Their mean, added in this order; of one copy, that, and of none ``own``."""
    first, *others = copies or [own]
    if not others:
        return first
    total: Vector = first * weights[0]
    for copy, weight in zip(others, weights[1:]):
        total += copy * weight
    total /= sum(weights)
    return total


def handed_out(comm: Intracomm, x: Vector, mean: Vector, one: Party, plan: Plan, i: int) -> Vector:
    """Every mean that comes in its place, and this member's own sent to all that it goes to."""
    y = x.copy()
    y[one.part(i)] = mean
    heard = [j for j in range(len(one.ranks)) if i in plan.means[j]]
    receives = [comm.Irecv(y[one.part(j)], one.ranks[j]) for j in heard]
    finish([*receives, *(comm.Isend(mean, one.ranks[k]) for k in plan.means[i])])
    return y if plan.lived[i] and one.weights[i] else x


def checked(x: Vector, out: Vector | None, asked: Asked) -> Vector:
    """The array that the result goes to; raises InputError for what no rank may pass."""
    y = result(x, out)
    if odd := refused(x, asked):
        raise InputError(odd[0])
    return y


def refused(x: Vector, asked: Asked) -> list[str]:
    """What is wrong with a vector's dtype and the parameters, in words."""
    least, named = {"m": 2, "rounds": 0, "chance": 0}, asked._asdict()
    kinds = " or ".join(map(str, FLOATS))
    points = "must be a rank, a round from 0, and a number of messages"
    return [
        *([f"x has dtype {x.dtype}: a mean needs {kinds}"] if x.dtype not in FLOATS else []),
        *(f"{name} = {named[name]!r}: it must be a whole number, {few} or more, below 2^63"
          for name, few in least.items() if not whole(named[name], few)),
        *(f"{name}: {value!r} must be a whole number, 0 or more, below 2^63"
          for name in ("weights", "bandwidths") for value in named[name] if not whole(value, 0)),
        *(f"dead: {[*one]} {points}, or -1" for one in asked.dead if not point(one, -1)),
        *(f"failing: {[*one]} {points}" for one in asked.failing if not point(one, 0)),
        *(["dead: a rank dies once at most"] if twice(one[:1] for one in asked.dead) else []),
        *(["failing: a rank fails once a round at most"] if twice(one[:2] for one in asked.failing) else []),
    ]


def twice(items: Iterable[Sequence[int]]) -> bool:
    """Whether two are the same."""
    found = [*map(tuple, items)]
    return len({*found}) < len(found)


def point(one: Sequence[Any], least: int) -> bool:
    """Whether it is a rank, a round, and a number of messages that is not less."""
    return len(one) == 3 and all(map(whole, one, (0, 0, least)))


def whole(value: Any, least: int) -> bool:
    """Whether it is a whole number, and not less, that 64 bits can hold."""
    return isinstance(value, Integral) and least <= int(value) <= MOST


def agreed(comm: Intracomm, x: Vector, out: Vector | None, asked: Asked) -> Vector:
    """As :func:`checked`, once all ranks agree.  Collective: one ``Allgather`` of six integers a rank.

    If a rank's arguments are refused, or differ from rank 0's, every rank raises InputError.
    """
    refusal, row = None, [REFUSED] * 6
    try:
        y = checked(x, out, asked)
        row = [DTYPES.index(x.dtype), x.size, int(asked.m), int(asked.rounds), int(asked.chance), *digest(asked)]
    except InputError as error:
        y, refusal = x, error
    told = np.empty((comm.Get_size(), 6), np.int64)
    comm.Allgather(np.array(row, np.int64), told)
    if refusal:
        raise refusal
    compare(told, in_words, "dtype, length and parameters")
    return y


def digest(asked: Asked) -> Vector:
    """One number, of 64 bits, that tells lists of parameters apart."""
    points = [[[*map(int, one)] for one in some] for some in (asked.dead, asked.failing)]
    lists = ([*map(int, asked.weights)], [*map(int, asked.bandwidths)], *points)
    return np.frombuffer(hashlib.blake2b(repr(lists).encode(), digest_size=8).digest(), np.int64)


def in_words(kind: int, n: int, m: int, rounds: int, chance: int, lists: int) -> str:
    """A row of what ranks tell."""
    return (
        f"{DTYPES[kind]}, {n} entries, m={m}, rounds={rounds}, chance={chance}, and weights, bandwidths, dead and "
        f"failing with the digest {lists:x}"
    )
