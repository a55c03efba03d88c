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

from collections.abc import Collection, Generator, Sequence
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from sparring.errors import InputError
from sparring.spec import bruck_allgather
from sparring.spec.core.model import bound, load
from sparring.spec.core.numbers import Bool, Int, both, where
from sparring.spec.core.runner import Message, Outcome, Played, run
from sparring.spec.core.schedule import number, truth
from sparring.spec.core.select import place, top
from sparring.spec.core.sparse import SparseVector, total

data = "selected"
ALL, NONE = (True, 0), (False, -1)  # thresholds that all entries reach, and that none does
WHOLE = 1000  # thousandths


class Params(NamedTuple):
    """``k``: how many entries are wanted; ``tau``, ``tau_prime``: after how many calls bounds and thresholds are new.

    ``trigger``: sums are dealt out anew where a rank has more than so many times the mean; ``bucket``:
    how many messages a rank sends at a time; ``gain``: by how many thousandths a threshold may change
    from call to call.  The periods, and this, are those of the published code.
    """

    k: int = 100
    tau: int = 64
    tau_prime: int = 32
    trigger: int = 4
    bucket: int = 4
    gain: int = 12


class State(NamedTuple):
    """``call``: its number; ``local``: each rank's threshold; ``least``: that of sums; ``bounds``: of the regions."""

    call: int = 0
    local: Sequence[Any] = ()
    least: Any = NONE
    bounds: Sequence[int] = ()


Sent = Generator[list[Message], None, list[SparseVector]]


def checked(params: Params) -> None:
    """Raises InputError for a parameter that is no number of calls or messages."""
    for name, least in (("tau", 1), ("tau_prime", 1), ("trigger", 0), ("bucket", 1), ("gain", 0)):
        if (value := getattr(params, name)) < least:
            raise InputError(f"{name} = {value}: it must be {least} or more")


def threshold(values: Sequence[Any], k: int) -> tuple[bool, Any]:
    """The size of the ``k``-th largest; where there are fewer, of any."""
    sizes = [place(values[i]) for i in top(values, k)]
    return (max(sizes) if sizes else NONE) if len(sizes) == k else ALL


def reaching(x: SparseVector, least: tuple[bool, Any]) -> SparseVector:
    """The entries that are at least as large as a threshold, and not zero."""
    return x.at(i for i, v in zip(x.indices, x.values) if v != 0 and place(v) <= least)


def followed(least: tuple[bool, Any], found: int, params: Params) -> tuple[bool, Any]:
    """A threshold that so many entries have reached, as it is in the next call."""
    more = WHOLE + params.gain
    if truth(many(found, params.k)):
        return scaled(least, more, WHOLE)
    return scaled(least, WHOLE, more) if truth(few(found, params.k)) else least


def many(found: Int, k: Int) -> Bool:
    return 3 * found > 4 * k


def few(found: Int, k: Int) -> Bool:
    return 3 * found < 2 * k


def scaled(least: tuple[bool, Any], by: int, over: int) -> tuple[bool, Any]:
    """``by / over`` times a threshold; NaN, or one that nothing reaches, stays."""
    size = abs(least[1])
    return (True, -(size * by // over if isinstance(size, int) else size / over * by)) if least[0] else least


def even(indices: Sequence[int], n: int, p: int) -> list[int]:
    """Where all regions but the first begin that cut one rank's entries evenly."""
    m = len(indices)
    return [indices[number(bound(c, m, p))] if m else number(bound(c, n, p)) for c in range(1, p)]


def mean(total: Int, p: Int) -> Int:
    """Where a region begins, if all ranks' proposals make so much together."""
    return total // p


def dst(r: Int, i: Int, p: Int) -> Int:
    return (r + i) % p  # the i-th that rank r sends to, i = 1, ..., p - 1


def src(r: Int, i: Int, p: Int) -> Int:
    return (r - i) % p


def later(a: Int, b: Int) -> Int:
    return where(a < b, b, a)


def sooner(a: Int, b: Int) -> Int:
    return where(a < b, a, b)


def uneven(sizes: Sequence[int], trigger: int) -> bool:
    """Whether a rank has more than ``trigger`` times the mean."""
    return max(sizes) * len(sizes) > trigger * sum(sizes)


def split_and_reduce(xs: Sequence[SparseVector], bounds: Sequence[int], bucket: int) -> Sent:
    """Rank ``c`` adds up region ``c``: its own entries, then those of the ranks before it, in turn."""
    p, [*_, n] = len(xs), bounds
    pieces = [[x.piece(*cut).within(cut[0], n) for cut in pairwise(bounds)] for x in xs]
    sums = [pieces[r][r] for r in range(p)]
    for first in range(1, p, bucket):
        turns = range(first, min(first + bucket, p))
        yield [Message(r, d, pieces[r][d]) for r in range(p) for d in (number(dst(r, i, p)) for i in turns)]
        sums = [sum((pieces[number(src(r, i, p))][r] for i in turns), sums[r]) for r in range(p)]
    return sums


def balance(xs: Sequence[SparseVector]) -> Sent:
    """Of all entries in the order of ranks, rank ``j`` gets the ``j``-th of ``p`` equal shares."""
    p, begins = len(xs), [*accumulate((len(x.indices) for x in xs), initial=0)]
    shares = [number(bound(j, begins[p], p)) for j in range(p + 1)]

    def part(i: int, j: int) -> SparseVector:  # of rank i's entries those in rank j's share
        start, end = later(begins[i], shares[j]), sooner(begins[i + 1], shares[j + 1])
        return xs[i].at(xs[i].indices[max(start - begins[i], 0) : max(end - begins[i], 0)])

    parts = [[part(i, j) for j in range(p)] for i in range(p)]
    yield [Message(i, j, parts[i][j]) for i in range(p) for j in range(p) if i != j and parts[i][j].indices]
    return [total([parts[i][j] for i in range(p)]) for j in range(p)]


def given(sent: Bool, stays: Bool) -> Bool:
    """Whether a rank's entry is in the result: it was sent, and the sum at its index stays."""
    return both(sent, stays)


def remaining(x: SparseVector, sent: Collection[int], stay: Collection[int]) -> SparseVector:
    """What a rank has left; ``sent``: the indices that it selected, ``stay``: those of the result."""
    return x.at(i for i in x.indices if not truth(given(i in sent, i in stay)))


def gathered(xs: Sequence[SparseVector]) -> Sent:
    """All ranks' entries on every rank."""
    ran = run(load(bruck_allgather), xs)
    yield from ran.trace
    return ran.results


def selected(xs: Sequence[SparseVector], state: State, params: Params) -> tuple[list[SparseVector], State]:
    """What each rank sends; with thresholds and bounds that are new where their time has come."""
    p, [n, *_] = len(xs), [x.n for x in xs]
    if state.call % params.tau_prime == 0:
        state = state._replace(local=[threshold(x.values, params.k) for x in xs])
    found = [reaching(x, least) for x, least in zip(xs, state.local)]
    if state.call % params.tau == 0:
        inner = [number(mean(sum(cs), p)) for cs in zip(*(even(x.indices, n, p) for x in found))]
        state = state._replace(bounds=[0, *inner, n])
    return found, state


def program(xs: Sequence[SparseVector], state: State, params: Params) -> Played:
    """A call: what it sends, step by step; then what came of it."""
    checked(params)
    mine, state = selected(xs, state, params)
    sums = yield from split_and_reduce(mine, state.bounds, params.bucket)
    if state.call % params.tau_prime == 0:
        every = yield from gathered(sums)
        state = state._replace(least=threshold(every[0].values, params.k))
    kept = [reaching(x, state.least) for x in sums]
    if uneven([len(x.indices) for x in kept], params.trigger):
        kept = yield from balance(kept)
    ys = yield from gathered(kept)
    local = [followed(least, len(m.indices), params) for least, m in zip(state.local, mine)]
    state = state._replace(local=local, least=followed(state.least, len(ys[0].indices), params))
    left = [remaining(x, {*m.indices}, {*y.indices}) for x, m, y in zip(xs, mine, ys)]
    return Outcome(ys, left, state._replace(call=state.call + 1))
