"""Moshpit All-Reduce: the mean over many ranks, in rounds of small groups [R21]_.

Ranks lie on a grid with ``d`` sides of length ``m``, no more than one in a cell.  In a round those average
that differ in one digit of their cell alone, each group in two steps: all members send each other their
copies of each other's parts, and then each sends the mean of its own part to all.  The index of the part
that a member looked after takes the place of the digit; so no two of a group meet in the next round,
which goes along the next side.  The key of a group is what its members' cells have in common, ``d - 1`` chunk
indices, of which in each round the oldest makes room for the newest.

Requires: ``p >= 1``; ``m >= 2``; numbers that can be divided.
Ensures:  the results are means, not the sum, and each rank's is its own; in exact arithmetic all are the
mean of all vectors if ``p`` is a power of ``m``, all weights are alike, nobody dies, and there are
``d`` rounds (``rounds`` of 0), whichever part each member looks after.

In any case no entry is beyond the largest and smallest of that place; and all results, each times its weight, add
up to what the vectors do, unless a rank dies in the middle of a round, when some of its messages have been sent, or
fails when its copies have been sent and its means have not.

A rank whose weight is 0 is an auxiliary: it looks after a part, but sends nothing of its own, and keeps
its vector.  A rank whose bandwidth is 0 is a client: it looks after no part.  Other parts are as long as
makes the slowest member fastest, as in the published code, whose linear program has a closed form.

A rank dies, ``(rank, t, sent)``, in round ``t`` after its first ``sent`` messages of that round, or with -1 before
groups are formed: then there is one member less.  Parts that it sent are in the means, with its weight, and
later ones are not; the part it looked after stays as it is on all ranks that do not get its mean.

A rank that is failing, ``(rank, t, sent)``, sends no more in that round either, but stays, hears, and goes on in the
next.  It gets the means that have its copies, and no others: who waited for its copy in vain does not answer it.
Without all its copies sent it has no mean of its own part, which then stays as it is on all ranks.

Where the paper is silent: rounds go along digit 0, 1, ...; a cell is at first the rank; indices are drawn, member
by member; a part without entries is not sent; a mean of one copy is that copy; members send to those after
them in turn; a rank that dies keeps what it had before that round, and hears what is sent in the step in
which it dies; one that fails and dies in a round dies; ranks that are not there may be said to die or to fail;
weights and bandwidths that are not given are 1.

>>> from sparring import run
>>> ran = run("moshpit", [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])
>>> for t, messages in enumerate(ran.trace):
...     print(t, *(f"{src}->{dst}:{list(entries)}" for src, dst, entries in messages))
0 0->1:[2.0] 1->0:[3.0] 2->3:[5.0] 3->2:[8.0]
1 0->1:[2.0] 1->0:[3.0] 2->3:[7.0] 3->2:[6.0]
2 0->3:[2.0] 1->2:[2.0] 2->1:[7.0] 3->0:[7.0]
3 0->3:[5.0] 1->2:[5.0] 2->1:[4.0] 3->0:[4.0]
>>> ran.results[3], run("moshpit", [[1.0, 2.0], [3.0, 4.0]], dead=[[0, 0, 1]]).results
([4.0, 5.0], [[1.0, 2.0], [3.0, 3.0]])
>>> [run("moshpit", [[1.0, 2.0], [3.0, 4.0]], failing=[[0, 0, sent]]).results for sent in range(2)]
[[[1.0, 2.0], [3.0, 4.0]], [[2.0, 3.0], [3.0, 3.0]]]

.. [R21] M. Ryabinin, E. Gorbunov, V. Plokhotnyuk and G. Pekhimenko, "Moshpit SGD: communication-efficient
   decentralized training on heterogeneous unreliable devices", NeurIPS 2021, arXiv:2103.03239.
"""

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

from sparring.spec.core.calling import Between
from sparring.spec.core.compositions import Text
from sparring.spec.core.digits import digit, log, power, prefix, put
from sparring.spec.core.numbers import Bool, Int, where
from sparring.spec.core.rounds import rounds
from sparring.spec.core.vectors import Vector, total
from sparring.spec.library.group_average import AtLeast, Ends, averaging

data = "dense"
agrees = False
averages = True
dtypes = ("float32", "float64")


class Params(NamedTuple):
    """``m``: the largest group; ``rounds``: how many, with 0 one for each side; ``chance``: draws depend on it.

    By rank: ``weights``, of its vector in a mean, and ``bandwidths``, whole numbers.  ``dead``: who dies,
    and ``failing``: who fails, each as ``(rank, t, sent)``.
    """

    m: Annotated[int, Between(2, 2**16)] = 2
    rounds: Annotated[int, Between(0, 2**10)] = 0
    chance: Annotated[int, Between(0)] = 0
    weights: Annotated[Sequence[int], AtLeast(0)] = ()
    bandwidths: Annotated[Sequence[int], AtLeast(0)] = ()
    dead: Annotated[Sequence[Sequence[int]], Ends(-1, once=1)] = ()
    failing: Annotated[Sequence[Sequence[int]], Ends(0, once=2)] = ()


def sides(p: Int, m: Int) -> Int:
    """The least ``d >= 1`` for which a grid of ``m**d`` cells has room for all ranks."""
    return log(where(p > 1, p - 1, 1), m) + 1


def line(z: Int, e: Int, m: Int) -> Int:
    """What is common to the cells of a group, which differ in digit ``e`` alone."""
    return put(z, e, 0, m)


def moved(z: Int, e: Int, c: Int, m: Int) -> Int:
    """The cell of a member that looked after the part with chunk index ``c``."""
    return put(z, e, c, m)


def one_round(t: int, x: Vector, cell: int, d: int, params: Params) -> Text:
    e = t % d
    x, index = yield averaging(x, line(cell, e, params.m), t, params)
    return x, moved(cell, e, index, params.m)


def program(x: Vector, r: int, p: int, params: Params) -> Text:
    d = sides(p, params.m)
    y, _ = yield from rounds(one_round, params.rounds or d, (x, r), d, params)
    return y


def holds(q: Int, cell: Int, t: Int, d: Int, params: Params) -> Bool:
    """After ``t`` rounds the mean of whoever is in this cell has the vector of rank ``q``, once as all that it has."""
    return prefix(q, t, params.m) == prefix(cell, t, params.m)


def everyone(t: Int, d: Int, params: Params) -> Bool:
    """By then each has all."""
    return t >= d


def mate(cell: Int, j: Int, t: Int, d: Int, params: Params) -> Int:
    """On a full grid the cell of one of those who meet in round ``t``, for each ``j`` from 0 to ``m - 1``."""
    return put(cell, t % d, j, params.m)


def place(cell: Int, t: Int, d: Int, params: Params) -> Int:
    """Which of these a cell is."""
    return digit(cell, t % d, params.m)


def requires(p: Int, params: Params) -> Any:
    """Where all have the mean, if weights are alike and nobody dies or fails: on a full grid, with a round a side."""
    full: Any = p == power(params.m, log(p, params.m))
    return full & (params.rounds == 0)


def ensures(x: Vector, p: int) -> Any:
    """What all ranks end with there."""
    return total(x) / p
