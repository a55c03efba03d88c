"""Hard examples, which are not drawn: special values, long vectors, many ranks, and scenes of several calls.

Each is made by a rule from its numbers of ranks and entries, so that a smaller one is made by the same rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import cycle, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring import sparse_lists
from sparring.checks.examples.drawn import cut
from sparring.checks.ranks import scenes
from sparring.ranges import spans
from sparring.refinement.example import Example
from sparring.refinement.vectors import Vector, source
from sparring.sparse import Sparse

SPECIAL, LONG, MANY, EXPECTATION = "special values", "long vectors", "many ranks", "expectation"
LENGTHS = (
    1_025, 65_536, 4_099, 131_101, 1_000_003, 320, 1_023, 65_537, 8_193, 16_387, 32_771, 262_147, 524_309, 2_097_169,
    4_194_319,
)  # fmt: skip
"""Lengths just beyond what programs use for a block, a segment, an eager message or a 16-bit count; two of whole
blocks, whose last one is not short, and one just below.

Those after the first eight are tried only if more examples are asked for.
"""
RANKS = (9, 13, 16, 17, 33, 10, 11, 12, 14, 15)
"""Numbers of ranks beyond those that are drawn; only the first are tried if fewer examples are wanted."""
SPECIAL_RANKS = (3, 2, 1, 4, 5)
"""Numbers of ranks on which all special values are tried at once, the most telling first."""
SCENE_RANKS = (3, 2, 4, 8, 5, 1)
"""Numbers of ranks for scenes, in turn; half of 8 are as many as a program may treat in a way of its own."""
LONG_RANKS = (2, 4, 7, 6, 3)
"""Numbers of ranks for long vectors, in turn: the longest usual ones are tried on 7, 6 and 3, since code that switches
to another algorithm there often treats ranks beyond a power of two wrongly, or only the first of them rightly."""
LONGEST_OF_PAGES = 16_387
"""The most entries where a page's bits are judged, which takes a page about a second."""
LONG_CALLS = LENGTHS[2]
"""The length of vectors in every second scene of a kind: several calls, parts of the ranks or other arrays may take
another path where vectors are long."""
LONG_SPECIAL = LENGTHS[7]
"""The length of long vectors of special values."""
LONGEST, FEW = 100_000, 4_096
"""The length from which on sparse vectors have few entries, and how many these are."""

FEW_LEFT = 100
"""The most entries from which single ones are taken away."""

Column = Callable[[int, np.dtype[Any]], list[Any]]


def halves(p: int, dtype: np.dtype[Any]) -> list[Any]:
    """Return numbers near the largest one, of either sign, no sum of which overflows."""
    return [np.finfo(dtype).max / (-2) ** (r + 1) for r in range(p)]


def payload(dtype: np.dtype[Any]) -> Any:
    """Return a NaN with a payload of its own."""
    return (np.array(np.nan, dtype).view(f"u{dtype.itemsize}") + 5).view(dtype)


FLOATS: Mapping[str, Column] = {
    "negative": lambda p, dtype: [-0.1 * (r + 1) for r in range(p)],
    "large": lambda p, dtype: [(-1) ** r * (70_000.5 + r) for r in range(p)],
    "NaN": lambda p, dtype: [payload(dtype), *[1.5] * (p - 1)],
    "infinite": lambda p, dtype: [np.inf, *[-1.5] * (p - 1)],
    "-infinite": lambda p, dtype: [-np.inf, *[1.5] * (p - 1)],
    "both infinities": lambda p, dtype: [np.inf, -np.inf, *[1.5] * p][:p],
    "-0.0": lambda p, dtype: [-0.0] * p,
    "zeros": lambda p, dtype: [0.0, *[-0.0] * (p - 1)],
    "subnormal": lambda p, dtype: [(2 * r - 3) * np.finfo(dtype).smallest_subnormal for r in range(p)],
    "largest": halves,
    "cancelling": lambda p, dtype: [2.0**60, *[1.0] * p, -(2.0**60)][-p:],
}
INTEGERS: Mapping[str, Column] = {
    "negative": lambda p, dtype: [-1 - r for r in range(p)],
    "large": lambda p, dtype: [(-1) ** r * (70_001 + r) for r in range(p)],
    "beyond floats": lambda p, dtype: [2 ** (24 if dtype.itemsize == 4 else 53) + 1 + 2 * r for r in range(p)],
    "wrapping": lambda p, dtype: [np.iinfo(dtype).max, *[1] * (p - 1)],
    "wrapping below": lambda p, dtype: [np.iinfo(dtype).min, *[-1] * (p - 1)],
}
"""The values of all ranks at one index, by name; the first rank has the special value."""


def columns(dtype: str) -> Mapping[str, Column]:
    """Return the special values of a dtype."""
    return FLOATS if dtype.startswith("float") else INTEGERS


def special(p: int, dtype: str) -> list[Vector]:
    """Return for each rank a vector with one or two entries of each kind; the special rank differs by entry."""
    kind = np.dtype(dtype)
    made = [np.array(column(p, kind)).astype(kind) for column in columns(dtype).values()]
    with np.errstate(all="ignore"):
        table = np.stack([np.roll(column, i) for i, column in enumerate([*made, *made[: len(made) // 2]])], axis=1)
    return [np.ascontiguousarray(x) for x in table]


def short(p: int, dtype: str, *, sparse: bool) -> Iterator[list[Vector]]:
    """Yield vectors of fewer entries than ranks, so many that each kind of special value is in one of them."""
    whole = Example((sparse_special if sparse else special)(p, dtype), SPECIAL)
    for at in range(0, len(columns(dtype)), p - 1):
        yield [*cut(whole, slice(at, min(at + p - 1, len(columns(dtype))))).xs]


def long_special(p: int, dtype: str, *, sparse: bool) -> list[Vector]:
    """Return for each rank a long vector of special values, over and over; sparse ones have few entries."""
    at = np.arange(0, LONG_SPECIAL, LONG_SPECIAL // FEW if sparse else 1, dtype=scenes.width(np.dtype(dtype)))
    table: list[Any] = special(p, dtype)
    rows = [x[np.arange(at.size) % x.size] for x in table]
    return [Sparse(at, x, LONG_SPECIAL) for x in rows] if sparse else [*rows]


def over_and_over(x: Any) -> str:
    """Return the Python expression of a vector of :func:`long_special`, or of the beginning of one."""
    values = sparse_lists.values(x)
    again = f"np.resize({source(values[: len(special(1, str(x.dtype))[0])])}, {values.size})"
    return f"sparring.Sparse({source(x.indices)}, {again}, {x.n})" if isinstance(x, Sparse) else again


def special_examples(ranks: Sequence[int], dtypes: Sequence[str], *, sparse: bool) -> Iterator[Example]:
    """Yield vectors of special values, then short and long ones, for which programs have a path of their own."""
    few = [p for p in SPECIAL_RANKS if p in ranks] or [min(ranks)]
    specials = sparse_special if sparse else special
    yield from (Example(specials(few[0], dtype), SPECIAL) for dtype in dtypes)
    some = cycle([p for p in LONG_RANKS if p in ranks] or few[:1])
    yield from (Example(long_special(p, dtype, sparse=sparse), SPECIAL) for p, dtype in zip(some, dtypes))
    most = max([p for p in ranks if p <= max(RANKS)], default=1)
    if most > 1:
        yield from (Example(xs, SPECIAL) for dtype in dtypes for xs in short(most, dtype, sparse=sparse))
    yield from (Example(specials(p, dtype), SPECIAL) for p, dtype in product(few[1:], dtypes))


def numbered(p: int, n: int, dtype: str, call: int = 0) -> list[Vector]:
    """Return for each rank a vector of length ``n`` with numbers of all kinds; as floats they are tenths."""
    drawn = [np.arange(n, dtype=np.int64) * (r + 2 + call) % 199 - 99 for r in range(p)]
    return [(x / 10 if dtype.startswith("float") else x).astype(dtype) for x in drawn]


def partly(x: NDArray[Any], r: int, every: int) -> Sparse:
    """Return rank ``r``'s sparse vector of every ``every``-th entry of ``x``, on even ranks with the last entry."""
    at = np.arange(x.size - 1 - r % 2, -1, -every, dtype=scenes.width(x.dtype))[::-1]
    return Sparse(at, x[at], x.size)


def sparse_special(p: int, dtype: str) -> list[Vector]:
    """Return for each rank a sparse vector: the special values on all ranks, then again on some."""
    table: list[Any] = special(p, dtype)
    some = [partly(x, r, 2) for r, x in enumerate(table)]
    return [
        Sparse(
            np.append(np.arange(x.size), x.size + part.indices).astype(scenes.width(x.dtype)),
            np.append(x, part.values),
            2 * x.size,
        )
        for x, part in zip(table, some)
    ]


def sparse_numbered(p: int, n: int, dtype: str) -> list[Vector]:
    """Return for each rank a sparse vector of length ``n``; long ones have only a part of the entries."""
    table: list[Any] = numbered(p, n, dtype)
    return [partly(x, r, spread(n)) for r, x in enumerate(table)]


def spread(n: int) -> int:
    """Return the distance of present entries of a sparse vector: of very long vectors few are present."""
    return 1 if n < LONGEST else n // FEW


def rule(r: int, n: int, dtype: str, call: int = 0, *, sparse: bool = False) -> str:
    """Return the Python expression of rank ``r``'s vector of :func:`numbered`, or :func:`sparse_numbered`."""
    numbers = f"np.arange({n}) * {r + 2 + call} % 199 - 99"
    x = f"(({numbers}) / 10).astype(np.{dtype})" if dtype.startswith("float") else f"({numbers}).astype(np.{dtype})"
    at = f"at := np.arange({n - 1 - r % 2}, -1, -{spread(n)}, np.{scenes.width(np.dtype(dtype))})[::-1]"
    return f"sparring.Sparse({at}, {x}[at], {n})" if sparse else x


def examples(kind: str, ranks: Sequence[int], dtypes: Sequence[str], *, sparse: bool = False) -> Iterator[Example]:
    """Return all hard examples of a kind, the most telling first; each is made when it is asked for."""
    few, turn = [p for p in ranks if p in SPECIAL_RANKS] or [min(ranks)], cycle(dtypes)
    numbers = sparse_numbered if sparse else numbered
    if kind == SPECIAL:
        return special_examples(ranks, dtypes, sparse=sparse)
    if kind == LONG:
        return (Example(numbers(p, n, next(turn)), kind) for n, p in zip(LENGTHS, cycle(long_ranks(ranks))))
    if kind == MANY:
        return (Example(numbers(p, 2 * p + 1, next(turn)), kind) for p in RANKS)
    plays = product(enumerate([p for p in SCENE_RANKS if p in ranks] or few[:1]), scenes.of(kind, sparse=sparse))
    long = kind != EXPECTATION  # on average entries that are seldom sent are what they should be only after many calls
    return (staged(name, p, next(turn), LONG_CALLS if i % 2 and long else p + 3) for (i, p), name in plays)


def long_ranks(ranks: Sequence[int]) -> Sequence[int]:
    """Return on which of these numbers of ranks long vectors are tried."""
    few = [p for p in ranks if p in SPECIAL_RANKS] or [min(ranks)]
    return [p for p in LONG_RANKS if p in ranks] or [p for p in few if p > 1][:3] or few[:1]


def long_series(ranks: Sequence[int], dtypes: Sequence[str], calls: int) -> Iterator[Example]:
    """Yield long vectors where a page's bits are judged: so many calls, one after the other."""
    lengths = (n for n in LENGTHS if n <= LONGEST_OF_PAGES)
    for n, p, dtype in zip(lengths, cycle(long_ranks(ranks)), cycle(dtypes)):
        played: list[Any] = [numbered(p, n, dtype, call) for call in range(calls)]
        yield Example([np.stack(xs) for xs in zip(*played)] if calls > 1 else played[0], LONG)


def special_series(ranks: Sequence[int], dtypes: Sequence[str], calls: int) -> Iterator[Example]:
    """Yield vectors of special values where a page's bits are judged: in each call they are at other places."""
    for p, dtype in product([p for p in SPECIAL_RANKS if p in ranks] or [min(ranks)], dtypes):
        xs: list[Any] = special(p, dtype)
        rows = [np.stack([np.roll(x, call) for call in range(calls)]) for x in xs] if calls > 1 else xs
        yield Example(rows, SPECIAL)


def least(kind: str, dtypes: Sequence[str], *, sparse: bool) -> int:
    """Return how many of the first examples a kind needs: one for each dtype, or for each scene."""
    return max(1, len(scenes.of(kind, sparse=sparse)), len(dtypes) if kind == SPECIAL else 0)


def describe_played(played: Sequence[Example], meaning: str) -> str:
    """Say what it means that these examples hold: the lengths, or the numbers of ranks, that were tried."""
    if not played or played[0].prop not in (LONG, MANY):
        return meaning
    what = next(words for words in ("the mean", "the same", "the sum") if meaning.startswith(words))
    if played[0].prop == LONG:
        lengths = ", ".join(f"{n:,}" for n in sorted({one.n for one in played}))
        return f"{what} also where n = {lengths}"
    return f"{what} also on {spans(sorted({one.p for one in played}))} ranks"


def staged(scene: str, p: int, dtype: str, n: int) -> Example:
    """Make the example of a scene on ``p`` ranks with vectors of length ``n``."""
    calls: list[Any] = [numbered(p, n, dtype, call) for call in range(3)]
    if scene == "often" and p > 1:  # what divides by a rank's norm is wrong where that is 0
        calls[0][-1][:] = 0
    rows: list[Vector] = [np.stack(xs) for xs in zip(*calls)]
    return Example(rows, scenes.SCENES[scene].prop, scene=scene)


def fewer(example: Example, ranks: Sequence[int]) -> Iterator[Example]:
    """Yield examples of the same kind with fewer ranks, or fewer entries: first half of them, in the end one less."""
    p, n, dtype, sparse = example.p, example.n, str(example.xs[0].dtype), isinstance(example.xs[0], Sparse)
    allowed = sorted(q for q in (RANKS if example.prop == MANY else ranks) if q < p)
    if example.prop == SPECIAL:
        yield from (Example((sparse_special if sparse else special)(q, dtype), SPECIAL) for q in allowed)
    else:
        yield from (example._replace(xs=example.xs[:q]) for q in allowed)
    pieces = [n // 2**i for i in range(1, n.bit_length())]
    if example.prop == LONG and sparse:  # made by the rule anew, so other entries are present
        yield from (example._replace(xs=sparse_numbered(p, n - less, dtype)) for less in pieces)
    else:
        yield from (cut(example, slice(n - less)) for less in pieces)
    yield from (cut(example, np.arange(n) != i) for i in range(n) if example.prop == SPECIAL and 1 < n <= FEW_LEFT)
