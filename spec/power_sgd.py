"""PowerSGD: the mean of all vectors, each taken as a matrix, to within a matrix of low rank [VKJ19]_.

A rank's vector, and what was not sent of those before, is a matrix ``M`` of ``m`` rows.  All ranks have the same
narrow matrix ``Q`` with orthonormal columns.  One allreduce sums ``P = M Q``, whose columns are then made orthonormal;
a second sums ``M' P``, and the mean of these is the new ``Q``.  The result is ``P Q'``.  So instead of whole matrices
ranks send two narrow ones: ``rank`` numbers a row and ``rank`` numbers a column.

With orthonormal columns ``P Q'`` is the mean matrix projected onto the columns of ``P``: what is nearest to it there.
That is what one rank alone would find that is given the mean.  Each rank keeps ``M`` less the result and adds it
to its next vector.  The next call begins with this ``Q``, and so goes on with the power iteration after which the
algorithm is named.

Requires: ``p >= 1``; vectors of one length ``n``; ``rank >= 1``; ``columns``, ``rate``, ``epsilon``, ``seed >= 0``.
Ensures:  all ranks hold the same bits; in exact arithmetic ``p`` times the result and what all ranks keep now make up
what they were given and what they kept before.

A matrix is sent whole, without an error, unless two factors are less than a ``rate``-th of it; so is what has one
row or one column.  The rank is no more than the rows and the columns.

The published code takes a flat vector as the least square that holds it, as ``columns = 0`` does here, but for rows
of nothing but padding.  Columns are made orthonormal by Gram and Schmidt: each is divided by its length plus
``epsilon`` billionths, then its part in the columns after it is removed.

That has a price where the columns of ``P`` depend on each other, as they do where the mean matrix has a lower rank
than asked for.  The first is a little too short, so a second that is parallel to it keeps a little of it, which is
then made a column of a length that counts: the result is up to twice the mean, however small ``epsilon`` is.  What is
too much is in the errors, and is taken back in later calls.  Without ``epsilon`` what rounding left is made a column.

Where the published code is silent, or this page differs:

* The first ``Q`` are not normal numbers: an entry is the number of ones among 64 drawn bits, less 32, the same on all
  ranks and in every program.
* A column of ``Q`` that is all zeros is drawn anew.  In the published code it stays so for ever: after a call in which
  all matrices were zero, nothing would be sent again.
* What is added up to one number is added in halves, the upper to the lower, until one is left.  Of the sums down a
  column, every ``PIECE`` rows are added so, and then their sums.
* Padding is zero in every call: nothing of it is kept.
* NaN or an infinity in a matrix that is not sent whole makes all of the result NaN, and all later ones: lengths are
  NaN then, and so is what is kept.  The squares of very large numbers may overflow, with results of no use.

>>> from sparring import run
>>> ran = run("power_sgd", [[3, 4, 6, 8], [5, 0, 10, 0]], columns=2, rate=0, epsilon=0, through="two_shot")
>>> for t, wire, _ in ran:
...     print(t, *(f"{src}->{dst}:{[round(float(v), 2) for v in entries]}" for src, dst, entries in wire))
0 0->1:[-5.17] 1->0:[-4.98]
1 0->1:[-7.56] 1->0:[-15.12]
2 0->1:[-8.94] 1->0:[-11.18]
3 0->1:[-17.89] 1->0:[-8.94]
>>> [round(float(v), 9) for v in ran.results[1]]  # the mean matrix has rank 1
[4.0, 2.0, 8.0, 4.0]

.. [VKJ19] T. Vogels, S. P. Karimireddy and M. Jaggi, "PowerSGD: Practical low-rank gradient compression for
   distributed optimization", NeurIPS 2019, arXiv:1905.13727, algorithms 1 and 2; and PyTorch's powerSGD_hook.py.
"""

from collections.abc import Generator, Sequence
from fractions import Fraction
from math import isqrt, sqrt
from typing import Any, NamedTuple

from sparring.errors import InputError
from sparring.spec.arc_top_k import SCHEDULES, Vector, each, halved, like, matrix, normal, rows, slot, summed
from sparring.spec.core.feedback import zero
from sparring.spec.core.numbers import Bool, Int
from sparring.spec.core.runner import Message, Outcome, Played
from sparring.spec.core.schedule import number, truth

__all__ = ["SCHEDULES", "normal", "rows", "slot"]

data = "dense"
dtypes = ("float32", "float64")
averages = True

PIECE = 64  # so many rows are added up in halves
BILLION = 10**9


class Params(NamedTuple):
    """``rank``: how many columns a factor has; ``columns``: how many the matrix has, 0 for the least square.

    ``rate``: how many times smaller factors must be; ``epsilon``: billionths that are added to a length; ``seed``: of
    the first ``Q``; ``through``: how sums are made, one of ``SCHEDULES``.  All but the last as in the published code.
    """

    rank: int = 1
    columns: int = 0
    rate: int = 2
    epsilon: int = 10
    seed: int = 0
    through: str = "ring"


Columns = list[Vector]


class Sizes(NamedTuple):
    """Of the matrix, and how many columns its factors have."""

    rows: int
    columns: int
    width: int


class State(NamedTuple):
    """``call``: its number; by rank what was not sent, ``kept``, and the ``Q`` to begin with, column after column."""

    call: int = 0
    kept: Sequence[Vector] = ()
    q: Sequence[Vector] = ()


Going = Generator[list[Message], None, tuple[list[Vector], State]]
Factors = Generator[list[Message], None, list[Columns]]


def checked(params: Params) -> None:
    """Raises InputError for a parameter that there is not."""
    for name, least in (("rank", 1), ("columns", 0), ("rate", 0), ("epsilon", 0), ("seed", 0)):
        if (value := getattr(params, name)) < least:
            raise InputError(f"{name} = {value}: it must be {least} or more")
    if params.through not in SCHEDULES:
        raise InputError(f"through = {params.through!r}: it must be one of {', '.join(SCHEDULES)}")


def side(n: int, columns: int) -> int:
    """How many columns the matrix of a vector of ``n`` entries has: ``columns``, or those of the least square."""
    return columns or isqrt(max(n - 1, 0)) + 1


def worth(m: Int, columns: Int, rank: Int, rate: Int) -> Bool:
    """Whether two factors are sent instead of the matrix."""
    return rank * (m + columns) * rate < m * columns


def entered(x: Any, kept: Any) -> Any:
    """An entry with what was kept of it."""
    return x + kept


def left(given: Any, result: Any) -> Any:
    """What a rank keeps of an entry."""
    return given - result


def mean(total: Any, p: Any) -> Any:
    """Of a sum over ``p`` ranks."""
    return total / p


def begun(q: Vector, x: Columns, call: int, sizes: Sizes, seed: int) -> Columns:
    """The columns of ``Q`` as the call before left it, those of zeros drawn anew; all of ``x``'s kind, at first."""
    have = matrix(q, sizes.columns) or [[zero(v) for v in row] for row, _ in zip(x, range(sizes.width))]
    return [column if any(column) else [v + normal(seed, call, s, c) for c, v in enumerate(column)]
            for s, column in enumerate(have)]  # fmt: skip


def dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    """Of two vectors."""
    return halved([v * w for v, w in zip(a, b)])


def root(x: Any) -> Any:
    """The square root, in its type; of an exact number that is no square a fraction near it."""
    if isinstance(x, (int, Fraction)):
        exact = Fraction(isqrt(x.numerator), isqrt(x.denominator))
        return exact if exact * exact == x else Fraction(sqrt(x))
    return type(x)(sqrt(x))  # of float32 as well: a double's root has digits enough to be rounded twice


def unit(column: Vector, epsilon: int) -> Vector:
    """A column over its length, and ``epsilon``; one without either as it is."""
    size = root(dot(column, column))
    size += type(size)(epsilon) / BILLION
    return [v / size for v in column] if size != 0 else column


def without(column: Vector, one: Vector) -> Vector:
    """What is left of a column without its part in a unit column."""
    part = dot(one, column)
    return [v - part * w for v, w in zip(column, one)]


def orthonormal(columns: Columns, epsilon: int) -> Columns:
    """The columns, each a unit one and without the parts in those before it."""
    if not columns:
        return []
    first = unit(columns[0], epsilon)
    return [first, *orthonormal([without(column, first) for column in columns[1:]], epsilon)]


def product(m: Columns, q: Columns) -> Vector:
    """``M Q``, column after column."""
    return [dot(row, column) for column in q for row in m]


def crossed(m: Columns, p: Columns) -> Vector:
    """``M' P``, column after column."""
    return [down([v * w for v, w in zip(entries, column)]) for column in p for entries in zip(*m)]


def down(terms: Vector) -> Any:
    """The sum of numbers one below the other."""
    return halved([halved(terms[i : i + PIECE]) for i in range(0, len(terms), PIECE)])


def joined(p: Columns, q: Columns) -> Vector:
    """``P Q'``, row after row."""
    return [dot(a, b) for a in zip(*p) for b in zip(*q)]


def first_factor(whole: Sequence[Columns], state: State, sizes: Sizes, params: Params) -> Factors:
    """By rank the columns of ``P``."""
    qs = [begun(q, x, state.call, sizes, params.seed) for x, q in zip(whole, state.q or [[]] * len(whole))]
    mine = [product(x, orthonormal(q, params.epsilon)) for x, q in zip(whole, qs)]
    sums = yield from summed(mine, params.through)
    return [orthonormal(matrix(y, sizes.rows), params.epsilon) for y in sums]


def second_factor(whole: Sequence[Columns], ps: Sequence[Columns], sizes: Sizes, params: Params) -> Factors:
    """By rank the columns of the next ``Q``."""
    sums = yield from summed([crossed(x, one) for x, one in zip(whole, ps)], params.through)
    return [matrix([mean(v, len(whole)) for v in y], sizes.columns) for y in sums]


def factors(given: Sequence[Vector], state: State, sizes: Sizes, params: Params) -> Going:
    """A call that sends two factors."""
    matrices = [matrix(x, sizes.columns) for x in given]
    ps = yield from first_factor(matrices, state, sizes, params)
    qs = yield from second_factor(matrices, ps, sizes, params)
    ys = [joined(one, q)[: len(x)] for one, q, x in zip(ps, qs, given)]
    return ys, State(state.call + 1, each(left, given, ys), [[v for column in q for v in column] for q in qs])


def whole(xs: Sequence[Vector], state: State, params: Params) -> Going:
    """A call that sends all."""
    sums = yield from summed(xs, params.through)
    return [[mean(v, len(xs)) for v in y] for y in sums], state._replace(call=state.call + 1)


def program(xs: Sequence[Any], state: State, params: Params) -> Played:
    """A call: what it sends, step by step; then what came of it."""
    checked(params)
    (n,) = {len(x) for x in xs}
    columns = side(n, params.columns)
    m = number(rows(n, columns))
    width = min(params.rank, m, columns)
    if truth(worth(m, columns, width, params.rate)):
        given = each(entered, xs, state.kept) if state.kept else [[*x] for x in xs]
        ys, after = yield from factors(given, state, Sizes(m, columns, width), params)
    else:
        ys, after = yield from whole([[*x] for x in xs], state, params)
    return Outcome([like(x, y) for x, y in zip(xs, ys)], [], after)
