"""Vectors as matrices: rows, sums in halves, products, orthonormal columns, and which rows are largest.

A vector is a matrix row after row, the last one filled up with zeros.  A factor, a narrow matrix, is column after
column.  All ranks multiply with the same random columns: an entry is the number of ones among 64 drawn bits, less 32.
That is whole, so that every program has its bits, and has mean 0, variance 16 and a fourth moment of at most three
times 256.

What is added up to one number is added in halves, the upper to the lower, until one is left.  Of the sums down a
column, every ``PIECE`` rows are added so, and then their sums.

Rows are ordered by the squared length of their sketch, the largest first, then by index, NaN before all.  Columns are
made orthonormal by Gram and Schmidt: each is divided by its length plus ``epsilon`` billionths, then its part in the
columns after it is removed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cmp_to_key, lru_cache
from math import isqrt, sqrt
from operator import add
from typing import Any, NamedTuple

from sparring.errors import Undecided
from sparring.spec.core.numbers import Bool, Int, both, either
from sparring.spec.core.schedule import number, truth
from sparring.spec.core.top_k import place
from sparring.spec.core.vectors import Vector, by_length, local
from sparring.spec.library.counter_rng import drawn

BITS = 64
PIECE = 64  # so many rows are added up in halves
BILLION = 10**9

Columns = list[Any]


class Shape(NamedTuple):
    """Of the matrix of a vector of ``n`` entries, of which ``nothing`` is a zero; ``width``: columns of a factor.

    Where a text is read, ``n`` and ``rows`` are terms.
    """

    n: Any
    rows: Any
    columns: int
    width: int
    nothing: Any


def formed(n: Int, columns: int, width: int, found: str) -> Shape:
    """The shape for ``n`` entries, as formulas; raises Undecided without ``columns``, which then are none of ``n``."""
    if columns == 0:
        raise Undecided(f"{found}: -P columns=64 has a cost")
    return Shape(n, rows(n, columns), columns, width, 0)


@by_length(length=lambda n, columns: formed(n, columns, 0, "a row's length follows divisors of n"))
def rows_of(x: Vector, columns: int) -> Shape:
    """Of rows of so many entries; of 0, of the largest power of two that divides ``n`` and is less than its root."""
    return shape(x, columns or below_root(len(x)), 0)


@by_length(length=lambda n, columns, width: formed(n, columns, width, "a square's side follows a root of n"))
def square(x: Vector, columns: int, width: int) -> Shape:
    """Of rows of so many entries; of 0, the least square that holds them; factors are no wider than it is long."""
    return shape(x, columns or isqrt(max(len(x) - 1, 0)) + 1, width)


def shape(x: Vector, columns: int, width: int) -> Shape:
    many = number(rows(len(x), columns))
    return Shape(len(x), many, columns, min(width, many, columns), x.zero)


def below_root(n: int) -> int:
    """The largest power of two that divides ``n`` and is less than its root; 1 where there is none."""
    return max((1 << e for e in range(n.bit_length()) if n % (1 << e) == 0 and 1 << 2 * e < n), default=1)


def rows(n: Int, columns: Int) -> Int:
    """How many rows it has, the last filled up."""
    return (n + columns - 1) // columns


def slot(i: Int, c: Int, columns: Int) -> Int:
    """Where entry ``c`` of the ``i``-th row that is there lies."""
    return i * columns + c


def matrix(x: Any, columns: int, nothing: Any = 0) -> list[Any]:
    """The rows of a vector."""
    entries, at = tuple(x), range(columns)
    places = [[number(slot(i, c, columns)) for c in at] for i in range(number(rows(len(entries), columns)))]
    return [[entries[one] if one < len(entries) else nothing for one in row] for row in places]


def flat(columns: Columns, nothing: Any) -> Vector:
    """A factor as a vector."""
    return Vector([v for column in columns for v in column], nothing)


# -- sums and products


def halved(terms: Sequence[Any]) -> Any:
    """Their sum: the upper half is added to the lower, entry by entry, until one is left."""
    while len(terms) > 1:
        low, high = (len(terms) + 1) // 2, len(terms) // 2
        terms = [*map(add, terms[:high], terms[low:]), *terms[high:low]]
    (total,) = terms
    return total


def down(terms: Sequence[Any]) -> Any:
    """The sum of numbers one below the other."""
    return halved([halved(terms[i : i + PIECE]) for i in range(0, len(terms), PIECE)])


def dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    """Of two vectors."""
    return halved([v * w for v, w in zip(a, b)])


@local(length=lambda m, q, shape: shape.rows * shape.width, linear=True)
def product(m: Vector, q: Vector, shape: Shape) -> Vector:
    """``M Q``, column after column."""
    whole = matrix(m, shape.columns, m.zero)
    return Vector([dot(row, column) for column in matrix(q, shape.columns) for row in whole], m.zero)


@local(length=lambda m, p, shape: shape.columns * shape.width, linear=True)
def crossed(m: Vector, p: Vector, shape: Shape) -> Vector:
    """``M' P``, column after column."""
    whole = matrix(m, shape.columns, m.zero)
    return Vector([down([v * w for v, w in zip(entries, column)]) for column in matrix(p, shape.rows)
                   for entries in zip(*whole)], m.zero)


@local(length=lambda p, q, shape: shape.n)
def joined(p: Vector, q: Vector, shape: Shape) -> Any:
    """``P Q'``, row after row."""
    left, right = matrix(p, shape.rows), matrix(q, shape.columns)
    return Vector([dot(a, b) for a in zip(*left) for b in zip(*right)], shape.nothing)[: shape.n]


# -- orthonormal columns


def root(x: Any) -> Any:
    """The square root, in its type; of an exact number that is no square a fraction near it."""
    if isinstance(x, (int, Fraction)):
        exact = Fraction(isqrt(x.numerator), isqrt(x.denominator))
        return exact if exact * exact == x else Fraction(sqrt(x))
    return type(x)(sqrt(x))  # of float32 as well: a double's root has digits enough to be rounded twice


def unit(column: Sequence[Any], epsilon: int) -> Sequence[Any]:
    """A column over its length, and ``epsilon``; one without either as it is."""
    size = root(dot(column, column))
    size += type(size)(epsilon) / BILLION
    return [v / size for v in column] if size != 0 else column


def without(column: Sequence[Any], one: Sequence[Any]) -> Sequence[Any]:
    """What is left of a column without its part in a unit column."""
    part = dot(one, column)
    return [v - part * w for v, w in zip(column, one)]


def upright(columns: Columns, epsilon: int) -> Columns:
    """The columns, each a unit one and without the parts in those before it."""
    if not columns:
        return []
    first = unit(columns[0], epsilon)
    return [first, *upright([without(column, first) for column in columns[1:]], epsilon)]


@local
def orthonormal(factor: Vector, long: int, epsilon: int) -> Vector:
    """The same of a factor whose columns are so long."""
    return flat(upright(matrix(factor, long), epsilon), factor.zero)


@local(length=lambda q, shape, call, seed: shape.columns * shape.width)
def redrawn(q: Any, shape: Shape, call: int, seed: int) -> Vector:
    """A factor with columns of zeros drawn anew; all of them, where there is none yet."""
    have = matrix(q, shape.columns) if isinstance(q, Vector) else [[shape.nothing] * shape.columns] * shape.width
    return flat([column if any(column) else [v + z for v, z in zip(column, normal(seed, call, s, shape.columns))]
                 for s, column in enumerate(have)], shape.nothing)


# -- the largest rows


def normal(seed: int, call: int, s: int, columns: int) -> list[int]:
    """Column ``s`` of a call's random matrix."""
    return [drawn(seed, call, s, c).bit_count() - BITS // 2 for c in range(columns)]


@lru_cache(maxsize=4)  # all ranks have the same
def normals(seed: int, call: int, many: int, columns: int) -> list[list[int]]:
    """Its first columns."""
    return [normal(seed, call, s, columns) for s in range(many)]


@local(length=lambda x, shape, many, call, seed: shape.rows * many, linear=True)
def sketched(x: Vector, shape: Shape, many: int, call: int, seed: int) -> Vector:
    """Row after row, its products with so many random columns."""
    random = normals(seed, call, many, shape.columns)
    return Vector([dot(row, column) for row in matrix(x, shape.columns, x.zero) for column in random], x.zero)


@local(length=lambda near, shape, many, k: shape.n, most=lambda near, shape, many, k: k * shape.columns)
def largest_rows(near: Vector, shape: Shape, many: int, k: int) -> Vector:
    """Where the entries of the ``k`` rows are whose sketches, of so many numbers, are longest."""
    kept = {*first([dot(row, row) for row in matrix(near, many)], k)}
    return Vector([i // shape.columns in kept for i in range(shape.n)], zero=False)


def before(a: Int, i: Int, b: Int, j: Int) -> Bool:
    """Whether row ``i`` comes before row ``j``; ``a`` and ``b``: which their scores are, of all from the largest on."""
    return either(a < b, both(a == b, i < j))


def first(scores: Sequence[Any], k: int) -> list[int]:
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
