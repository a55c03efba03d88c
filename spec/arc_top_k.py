"""ARC-Top-K: allreduce of the rows that are largest in the sum, found from a sketch of it [CM25]_.

A rank's vector is the rows of a matrix, of which ``k`` are to be sent.  Multiplied by a narrow random
matrix, the same on all ranks, it is a sketch of a few numbers a row; the sketches are summed by an
ordinary allreduce, and since the sketch of a sum is the sum of sketches, every rank sees how large each
row of the sum is, about.  So all keep the same ``k`` rows, and a second allreduce sums these: values
alone, no index is sent.  Elsewhere the result is zero.

Requires: ``p >= 1``; vectors of one length ``n``; ``k >= 0``; ``sketch >= 1``; ``feedback`` one of ``FEEDBACK``.
Ensures:  in the ``k`` rows whose sketched sums are largest all ranks hold ``x[0] + ... + x[p-1]``, and zeros
elsewhere; with ``ef21`` and ``ef21m`` the sum of what the ranks' estimates are by now.

What is not sent may be remembered, by one of three rules.  With ``ef14`` it is added to the rank's next
vector.  With ``ef21`` each rank has an estimate of its vector, and sends of the difference of both; the
result is the sum of all estimates.  The first call has none yet, and sends whole vectors.  With ``ef21m``
the same is done to a running mean, in which a new vector counts ``momentum`` thousandths.

The result is the sum of the rows; the paper has their mean, which is the sum over ``p``.  No rank and no row is
told apart by that.  The sum of all ranks' memories is that of one rank alone that is given the sum of all
vectors: which rows are kept depends on sums only, and the rest is linear.

Where the paper is silent: rows are ordered by the squared length of their sketch, then by index, NaN first; the
last row is filled up with zeros.  Without ``columns`` the rule of public ports holds: the largest power of two
that divides ``n`` and is less than its root.  An entry of the sketching matrix is the number of ones among 64
drawn bits, less 32: whole, so that every program has its bits, and with the moments that the bound on what is lost
needs (mean 0, variance 16, a fourth moment of at most three times 256); the paper's are normal.  Its products with
a row are added in halves, the upper to the lower, until one is left, and so are the squares of a row's sketch.

>>> from sparring import run
>>> ran = run("arc_top_k", [[5, 1, 0, 2, 0, 1], [0, 4, 3, 0, 1, 0]], k=1, columns=2, sketch=1, through="two_shot")
>>> for t, wire, _ in ran:
...     print(t, *(f"{src}->{dst}:{[*entries]}" for src, dst, entries in wire))
0 0->1:[2, 1] 1->0:[4]
1 0->1:[-45] 1->0:[-28, -9]
2 0->1:[1] 1->0:[0]
3 0->1:[5] 1->0:[5]
>>> ran.results[1]
[5, 5, 0, 0, 0, 0]

.. [CM25] Chen, Ma, Li, He, Dong and Yuan, "ARC-Top-K", arXiv:2510.26709, 2025.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from functools import cmp_to_key, lru_cache
from operator import add, sub
from typing import Any, NamedTuple

from sparring.errors import InputError
from sparring.spec import ring, two_shot
from sparring.spec.core.chance import drawn
from sparring.spec.core.feedback import zero
from sparring.spec.core.model import Page, load
from sparring.spec.core.numbers import Bool, Int, both, either, where
from sparring.spec.core.runner import Message, Outcome, Played, run
from sparring.spec.core.schedule import number, truth
from sparring.spec.core.select import place

data = "dense"
dtypes = ("float32", "float64")

FEEDBACK = ("none", "ef14", "ef21", "ef21m")
ESTIMATES = FEEDBACK[2:]  # rules whose result is the sum of the ranks' estimates
SCHEDULES: Mapping[str, Page] = {"ring": load(ring), "two_shot": load(two_shot)}
BITS = 64
WHOLE = 1000  # thousandths


class Params(NamedTuple):
    """``k``: how many rows are kept; ``columns``: how long a row is, 0 for the rule; ``sketch``: numbers a row.

    ``seed``: of the sketches, which are new in every call; ``feedback``: one of ``FEEDBACK``; ``momentum``:
    thousandths that a new vector counts in a running mean; ``through``: how sums are made, one of ``SCHEDULES``.
    """

    k: int = 2
    columns: int = 0
    sketch: int = 4
    seed: int = 0
    feedback: str = "none"
    momentum: int = 100
    through: str = "ring"


Vector = list[Any]


class State(NamedTuple):
    """``call``: its number; by rank what was not sent, or is estimated, a running mean, and the sum of estimates."""

    call: int = 0
    kept: Sequence[Vector] = ()
    mean: Sequence[Vector] = ()
    sums: Sequence[Vector] = ()


Sums = Generator[list[Message], None, list[Vector]]
Sent = Generator[list[Message], None, tuple[list[list[bool]], list[Vector]]]
Going = Generator[list[Message], None, tuple[list[Vector], State]]


def checked(params: Params) -> None:
    """Raises InputError for a parameter that there is not."""
    for name, least in (("k", 0), ("columns", 0), ("sketch", 1), ("seed", 0), ("momentum", 0)):
        if (value := getattr(params, name)) < least:
            raise InputError(f"{name} = {value}: it must be {least} or more")
    if params.momentum > WHOLE:
        raise InputError(f"momentum = {params.momentum}: it must be {WHOLE} or less, thousandths")
    for name, known in (("feedback", FEEDBACK), ("through", (*SCHEDULES,))):
        if (value := getattr(params, name)) not in known:
            raise InputError(f"{name} = {value!r}: it must be one of {', '.join(known)}")


def length(n: int, columns: int) -> int:
    """How long a row of a vector of ``n`` entries is: ``columns``, or by the rule."""
    powers = (1 << e for e in range(n.bit_length()))
    return columns or max((c for c in powers if n % c == 0 and c * c < n), default=1)


def rows(n: Int, columns: Int) -> Int:
    """How many rows it has, the last filled up."""
    return (n + columns - 1) // columns


def slot(i: Int, c: Int, columns: Int) -> Int:
    """Where entry ``c`` of the ``i``-th row that is there lies."""
    return i * columns + c


def matrix(x: Sequence[Any], columns: int) -> list[Vector]:
    """The rows of a vector."""
    nothing, at = next(map(zero, x), None), range(columns)
    places = [[number(slot(i, c, columns)) for c in at] for i in range(rows(len(x), columns))]
    return [[x[place] if place < len(x) else nothing for place in row] for row in places]


def normal(seed: int, call: int, s: int, c: int) -> int:
    """Entry ``c`` of column ``s`` of a call's sketching matrix."""
    return drawn(seed, call, s, c).bit_count() - BITS // 2


def halved(terms: Sequence[Any]) -> Any:
    """Their sum: the upper half is added to the lower, entry by entry, until one is left."""
    while len(terms) > 1:
        low, high = (len(terms) + 1) // 2, len(terms) // 2
        terms = [*map(add, terms[:high], terms[low:]), *terms[high:low]]
    (total,) = terms
    return total


def sketched(row: Vector, columns: Sequence[Sequence[int]]) -> Vector:
    """A row times the sketching matrix."""
    return [halved([v * z for v, z in zip(row, column)]) for column in columns]


def score(numbers: Vector) -> Any:
    """The squared length of a row's sketch."""
    return halved([v * v for v in numbers])


def before(a: Int, i: Int, b: Int, j: Int) -> Bool:
    """Whether row ``i`` comes before row ``j``; ``a`` and ``b``: which their scores are, of all from the largest on."""
    return either(a < b, both(a == b, i < j))


def first(scores: Vector, k: int) -> list[int]:
    """The ``k`` first rows in that order, ascending."""
    places = [place(v) for v in scores]
    known = {one: i for i, one in enumerate(sorted({*places}))}
    return [*chosen(tuple(known[one] for one in places), k, before)]


@lru_cache(maxsize=1)  # the ranks have the same scores, one after the other
def chosen(at: tuple[int, ...], k: int, earlier: Callable[..., Bool]) -> list[int]:
    """The same; ``at``: which a row's score is, of all from the largest on; ``earlier``: the order."""
    order: Callable[[int], Any] = cmp_to_key(
        lambda i, j: truth(earlier(at[j], j, at[i], i)) - truth(earlier(at[i], i, at[j], j))
    )
    return sorted(sorted(range(len(at)), key=order)[:k])


def summed(xs: Sequence[Vector], through: str) -> Sums:
    """What each rank has of the sum of these."""
    ran = run(SCHEDULES[through], [list(x) for x in xs])
    yield from ran.trace
    return [[v + zero(v) for v in y] for y in ran.results]


def compressed(xs: Sequence[Vector], call: int, params: Params) -> Sent:
    """By rank the rows that it keeps, and the sum of these rows, zeros elsewhere."""
    (n,) = {len(x) for x in xs}
    columns, width = length(n, params.columns), range(params.sketch)
    sketch = [[normal(params.seed, call, s, c) for c in range(columns)] for s in width]
    whole = [matrix(x, columns) for x in xs]
    near = yield from summed([[v for row in m for v in sketched(row, sketch)] for m in whole], params.through)
    kept = [first([score(row) for row in matrix(y, params.sketch)], params.k) for y in near]
    sums = yield from summed([[v for i in at for v in m[i]] for m, at in zip(whole, kept)], params.through)
    inside = [[i // columns in {*at} for i in range(len(x))] for x, at in zip(xs, kept)]
    return inside, [spread(x, at, y, columns) for x, at, y in zip(xs, kept, sums)]


def spread(x: Vector, at: Sequence[int], y: Vector, columns: int) -> Vector:
    """A vector as long as ``x`` that is ``y`` in rows ``at``, one after the other, and zero elsewhere."""
    full = [[zero(v) for v in row] for row in matrix(x, columns)]
    for i, row in zip(at, matrix(y, columns)):
        full[i] = row
    return [v for row in full for v in row][: len(x)]


def waits(sent: Bool, x: Any, nothing: Any) -> Any:
    """What is left of an entry; ``nothing``: a zero of its kind."""
    return where(sent, nothing, x)


def nearer(sent: Bool, estimate: Any, more: Any) -> Any:
    """An estimate to which a difference is added where it was sent."""
    return where(sent, estimate + more, estimate)


def mixed(mean: Any, x: Any, momentum: Any) -> Any:
    """A running mean with a new vector in it, which counts so many thousandths; times ``WHOLE``."""
    return mean * (WHOLE - momentum) + x * momentum


def running(means: Sequence[Vector], xs: Sequence[Vector], params: Params) -> list[Vector]:
    """The running means with new vectors in them; these themselves where there are none."""
    if params.feedback != FEEDBACK[3] or not means:
        return [[*x] for x in xs]
    return [[mixed(m, v, params.momentum) / WHOLE for m, v in zip(mean, x)] for mean, x in zip(means, xs)]


def each(function: Any, *rows: Sequence[Sequence[Any]]) -> list[Vector]:
    """By rank the function of its vectors' entries."""
    return [[*map(function, *some)] for some in zip(*rows)]


def rest(xs: Sequence[Vector], state: State, params: Params) -> Going:
    """A call that adds to a vector what is left of those before, or nothing."""
    given = each(add, xs, state.kept) if state.kept else xs
    sent, sums = yield from compressed(given, state.call, params)
    left = each(waits, sent, given, each(zero, given)) if params.feedback == FEEDBACK[1] else ()
    return sums, State(state.call + 1, left)


def estimated(xs: Sequence[Vector], state: State, params: Params) -> Going:
    """A call whose result is the sum of estimates; the first has none yet, and sends all."""
    if not state.kept:
        sums = yield from summed(xs, params.through)
        return sums, State(state.call + 1, xs, xs, sums)
    change = each(sub, xs, state.kept)
    sent, more = yield from compressed(change, state.call, params)
    sums = each(nearer, sent, state.sums, more)
    return sums, State(state.call + 1, each(nearer, sent, state.kept, change), xs, sums)


def program(xs: Sequence[Any], state: State, params: Params) -> Played:
    """A call: what it sends, step by step; then what came of it."""
    checked(params)
    step = estimated if params.feedback in ESTIMATES else rest
    sums, after = yield from step(running(state.mean, xs, params), state, params)
    return Outcome([like(x, y) for x, y in zip(xs, sums)], [], after)


def like(x: Any, y: Vector) -> Any:
    """``y`` in the class of ``x``."""
    z = x.copy()
    z[:] = y
    return z
