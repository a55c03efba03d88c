"""Ok-Topk: allreduce of the largest entries, by thresholds and balanced regions [LH22]_.

A rank sends the entries that reach its threshold, the ``k``-th largest magnitude of its vector some
calls ago.  The vector is cut into ``p`` regions in which ranks have about as many such entries each,
and rank ``c`` adds up region ``c``: a rank sends to the ranks after it in turn, so that no two send to
the same one, a few messages at a time.  Of the sums those stay that reach a threshold of their own.
Where a rank has too many of them, they are dealt out anew in equal shares; then all are gathered, by
Bruck's algorithm.  What a rank did not send, or sent in vain, is its residual: it is added to its
next vector.

Thresholds are found anew every ``tau_prime`` calls, that of the sums by gathering all of them; the
regions every ``tau`` calls: their bounds are the means of those that cut each rank's entries evenly.

Requires: ``p >= 1``; vectors of one length ``n``; ``k >= 0``; ``tau``, ``tau_prime``, ``bucket`` at least 1.
Ensures:  all ranks hold the same entries, each the sum of what the ranks selected there; in exact
arithmetic what they hold and all residuals add up to ``x[0] + ... + x[p-1]``.

Between these calls thresholds follow what is found, as in the published code, whose factors for it are
1.008 to 1.036: one that more than ``4 k / 3`` entries reached grows by ``gain`` thousandths, and one
that fewer than ``2 k / 3`` reached shrinks; with a ``gain`` of 0 they stay, as in the paper.

Each rank sends at most ``6 k (p - 1) / p`` words while no rank selects more than ``k`` entries, it has
``k / p`` of them in its own region, and at most ``k`` sums stay and are always dealt out, as with a
``trigger`` of 1.  Thresholds and bounds that are some calls old promise none of this, nor does a
``trigger`` of 4.  Bounds and sizes are exchanged apart; no trace has them.
A threshold is a size (``spec/library/thresholds.py``); regions and shares are those of ``spec/core/regions.py`` and
``spec/core/balancing.py``.

Where the paper is silent: all entries that equal the threshold are selected, those that are zero
never; of fewer than ``k`` entries all are; NaN comes before all numbers.  Thresholds of whole numbers
are rounded down.

>>> from sparring import run
>>> ran = run("oktopk", [[5, 1, 0, 2], [0, 4, 3, 0]], k=2, trigger=1)
>>> for t, wire, _ in ran:
...     print(t, *(f"{src}->{dst}:{entries}" for src, dst, entries in wire))
0 0->1:[3:2] 1->0:[1:4]
1 0->1:[0:5 1:4] 1->0:[2:3 3:2]
2 0->1:[1:4]
3 0->1:[0:5] 1->0:[1:4]
>>> ran.results[1], ran.residuals
([0:5 1:4], [[1:1 2:0 3:2], [0:0 2:3 3:0]])

.. [LH22] S. Li and T. Hoefler, "Near-optimal sparse allreduce for distributed deep learning",
   PPoPP 2022, arXiv:2201.07598.
"""

from typing import Annotated, Any, NamedTuple

from sparring.spec.core.balancing import uneven
from sparring.spec.core.calling import Between
from sparring.spec.core.compositions import Text
from sparring.spec.core.exchanges import allgather, apart, balance, reduce_scatter
from sparring.spec.core.numbers import Bool, Int
from sparring.spec.core.regions import Regions, even, means
from sparring.spec.core.sparse import SparseVector
from sparring.spec.core.top_k import Place
from sparring.spec.core.vectors import UNSET, by_rank, total, where
from sparring.spec.library.thresholds import count, reaching, scaled, threshold

data = "selected"
hypotheses = (
    ("H1", "no rank selects more than k entries"),
    ("H2", "floor(k/p) or ceil(k/p) of them lie in each region"),
    ("H3", "at most k sums stay"),
    ("H4", "an index is a word; sizes and bounds, which are exchanged apart, are none"),
)


class Params(NamedTuple):
    """``k``: how many entries are wanted; ``tau``, ``tau_prime``: after how many calls bounds and thresholds are new.

    ``trigger``: sums are dealt out anew where a rank has more than so many times the mean; ``bucket``:
    how many messages a rank sends at a time; ``gain``: by how many thousandths a threshold may change
    from call to call.  The periods, and this, are those of the published code.
    """

    k: Annotated[int, Between(0)] = 100
    tau: Annotated[int, Between(1)] = 64
    tau_prime: Annotated[int, Between(1)] = 32
    trigger: Annotated[int, Between(0)] = 4
    bucket: Annotated[int, Between(1)] = 4
    gain: Annotated[int, Between(0)] = 12


class State(NamedTuple):
    """``local``: the rank's threshold; ``least``: that of sums; ``bounds``: where regions begin, and the last ends."""

    local: Any = UNSET
    least: Any = UNSET
    bounds: Regions = UNSET


def due(call: Int, period: Int) -> Any:                return call % period == 0
def many(found: Int, k: Int) -> Bool:                  return 3 * found > 4 * k
def few(found: Int, k: Int) -> Bool:                   return 3 * found < 2 * k
def change(found: Int, k: Int) -> Any:                 return where(many(found, k), 1, where(few(found, k), -1, 0))


def followed(least: Place, found: Int, params: Params) -> Place:
    """A threshold that so many entries have reached, as it is in the next call."""
    return scaled(least, change(found, params.k), params.gain)


def program(x: SparseVector, p: int, call: int, state: State, params: Params) -> Text:
    local, least, bounds = state
    if due(call, params.tau_prime):
        local = threshold(x, params.k)
    mine = x.only(sent := reaching(x, local))
    if due(call, params.tau):
        bounds = means((yield apart(even(mine, p))))
    sums = yield reduce_scatter(mine, through="rotation", bounds=bounds, bucket=params.bucket)
    if due(call, params.tau_prime):
        least = threshold((yield allgather(sums, through="bruck_allgather")), params.k)
    kept = sums.only(reaching(sums, least))
    sizes = yield apart(count(kept))
    if uneven(sizes, params.trigger):
        kept = yield balance(kept, sizes)
    y = yield allgather(kept, through="bruck_allgather")
    after = State(followed(local, count(mine), params), followed(least, count(y), params), bounds)
    return y, x.only(~(sent & y.support())), after


def ensures(x: SparseVector, p: int, call: int, state: State, params: Params) -> tuple[SparseVector, State]:
    """What all ranks end with, and what a rank remembers."""
    local, least, bounds = state
    new = due(call, params.tau_prime)
    local = where(new, threshold(x, params.k), local)
    mine = x.only(reaching(x, local))
    sums = total(mine)
    least = where(new, threshold(sums, params.k), least)
    y = sums.only(reaching(sums, least))
    bounds = where(due(call, params.tau), means(by_rank(even(mine, p))), bounds)
    local = scaled(local, change(count(mine), params.k), params.gain)
    least = scaled(least, change(count(y), params.k), params.gain)
    return y, State(local, least, bounds)
