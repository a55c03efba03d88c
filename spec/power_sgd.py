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

from typing import Annotated, Any, Literal, NamedTuple

from sparring.spec.core.calling import Between
from sparring.spec.core.compositions import Text
from sparring.spec.core.exchanges import allreduce
from sparring.spec.core.numbers import Int
from sparring.spec.core.sparse import NOTHING
from sparring.spec.core.vectors import Vector, total
from sparring.spec.library.matrices import Shape, crossed, joined, orthonormal, product, redrawn, square

data = "dense"
dtypes = ("float32", "float64")
averages = True
hypotheses = (("W1", "a factor has as many columns as rank says, or fewer where the matrix has fewer rows or columns"),)


class Params(NamedTuple):
    """``rank``: how many columns a factor has; ``columns``: how many the matrix has, 0 for the least square.

    ``rate``: how many times smaller factors must be; ``epsilon``: billionths that are added to a length; ``seed``: of
    the first ``Q``; ``through``: how sums are made.  All but the last as in the published code.
    """

    rank: Annotated[int, Between(1)] = 1
    columns: Annotated[int, Between(0)] = 0
    rate: Annotated[int, Between(0)] = 2
    epsilon: Annotated[int, Between(0)] = 10
    seed: Annotated[int, Between(0)] = 0
    through: Literal["ring", "two_shot"] = "ring"


class State(NamedTuple):
    """``kept``: what was not sent; ``q``: the ``Q`` to begin with, column after column."""

    kept: Any = NOTHING
    q: Any = NOTHING


def worth(m: Int, columns: Int, rank: Int, rate: Int) -> Any:
    """Whether two factors are sent instead of the matrix."""
    return rank * (m + columns) * rate < m * columns


def program(x: Vector, p: int, call: int, state: State, params: Params) -> Text:
    shape = square(x, params.columns, params.rank)
    if not worth(shape.rows, shape.columns, shape.width, params.rate):
        return (yield allreduce(x, through=params.through)) / p, state
    m = x + state.kept
    q = orthonormal(redrawn(state.q, shape, call, params.seed), shape.columns, params.epsilon)
    sums = yield allreduce(product(m, q, shape), through=params.through)
    left = orthonormal(sums, shape.rows, params.epsilon)
    right = (yield allreduce(crossed(m, left, shape), through=params.through)) / p
    y = joined(left, right, shape)
    return y, State(m - y, right)


def alone(x: Vector, p: int, call: int, state: State, params: Params, shape: Shape) -> tuple[Any, Any]:
    """Both factors, as one rank finds them that is given the sum of all matrices."""
    m = total(x + state.kept)
    q = orthonormal(redrawn(state.q, shape, call, params.seed), shape.columns, params.epsilon)
    left = orthonormal(product(m, q, shape), shape.rows, params.epsilon)
    return left, crossed(m, left, shape) / p


def ensures(x: Vector, p: int, call: int, state: State, params: Params) -> Any:
    """What all ranks end with: the product of both factors, or the mean."""
    shape = square(x, params.columns, params.rank)
    if not worth(shape.rows, shape.columns, shape.width, params.rate):
        return total(x) / p
    return joined(*alone(x, p, call, state, params, shape), shape)


def leaves(x: Vector, p: int, call: int, state: State, params: Params) -> dict[str, Any]:
    """The next call begins with the second factor; with the same, where factors are not worth it."""
    shape = square(x, params.columns, params.rank)
    if not worth(shape.rows, shape.columns, shape.width, params.rate):
        return {"q": state.q}
    return {"q": alone(x, p, call, state, params, shape)[1]}


def waiting(state: State) -> Any:
    """What is still to come, of all ranks."""
    return total(state.kept)
