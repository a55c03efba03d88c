"""Hard examples, which are not drawn: special values, long vectors, many ranks, and scenes of several calls.

Each is made by a rule from its numbers of ranks and entries, so that a smaller one is made by the same rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import cycle, product
from typing import Any

import numpy as np

from sparring.checks.examples import Example, cut
from sparring.checks.scenes import SCENES
from sparring.checks.vectors import Vector
from sparring.spans import spans

SPECIAL, LONG, MANY = "special values", "long vectors", "many ranks"
LENGTHS = (1_025, 4_099, 65_537, 131_101, 1_000_003)
"""Just beyond what programs have as the length of a block, a segment, an eager message or a 16-bit count."""
RANKS = (9, 13, 16, 17, 33, 10, 11, 12, 14, 15)
"""Beyond those that are drawn; the first where fewer are wanted."""
SOME = 5
"""Ranks, up to which special values and scenes are tried."""

Column = Callable[[int, np.dtype[Any]], list[Any]]


def halves(p: int, dtype: np.dtype[Any]) -> list[Any]:
    """Next to the largest number, of either sign, and no sum of some of them beyond it."""
    return [np.finfo(dtype).max / (-2) ** (r + 1) for r in range(p)]


def payload(dtype: np.dtype[Any]) -> Any:
    """A NaN with bits of its own."""
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
"""What stands at one index on all ranks, by name; the first rank has what is special."""


def special(p: int, dtype: str) -> list[Vector]:
    """For each rank a vector with an entry, or two, of each kind: the special rank differs from entry to entry."""
    kind, columns = np.dtype(dtype), FLOATS if dtype.startswith("float") else INTEGERS
    made = [np.array(column(p, kind)).astype(kind) for column in columns.values()]
    with np.errstate(all="ignore"):
        table = np.stack([np.roll(column, i) for i, column in enumerate([*made, *made[: len(made) // 2]])], axis=1)
    return [np.ascontiguousarray(x) for x in table]


def numbered(p: int, n: int, dtype: str, call: int = 0) -> list[Vector]:
    """For each rank a vector of any length, all kinds of numbers in it; as floats they are tenths."""
    drawn = [np.arange(n, dtype=np.int64) * (r + 2 + call) % 199 - 99 for r in range(p)]
    return [(x / 10 if dtype.startswith("float") else x).astype(dtype) for x in drawn]


def rule(r: int, n: int, dtype: str) -> str:
    """Rank ``r``'s of these vectors, as Python makes it again."""
    numbers = f"np.arange({n}) * {r + 2} % 199 - 99"
    return f"(({numbers}) / 10).astype(np.{dtype})" if dtype.startswith("float") else f"({numbers}).astype(np.{dtype})"


def examples(kind: str, ranks: Sequence[int], dtypes: Sequence[str]) -> list[Example]:
    """All hard examples of a kind, the most telling first."""
    few, turn = [p for p in ranks if p <= SOME] or [min(ranks)], cycle(dtypes)
    if kind == SPECIAL:
        return [Example(special(p, dtype), kind) for p, dtype in product(sorted(few, key=lambda p: abs(p - 3)), dtypes)]
    if kind == LONG:
        some = [p for p in few if p > 1][:3] or few[:1]
        return [Example(numbered(p, n, next(turn)), kind) for n, p in zip(LENGTHS, cycle(some))]
    if kind == MANY:
        return [Example(numbered(p, 2 * p + 1, next(turn)), kind) for p in RANKS]
    pairs = product(sorted(few, key=lambda p: abs(p - 3)), [name for name, one in SCENES.items() if one.prop == kind])
    return [staged(name, p, next(turn)) for p, name in pairs]


def least(kind: str, dtypes: Sequence[str]) -> int:
    """So many of the first make a kind: each dtype, or each scene."""
    return max(1, sum(one.prop == kind for one in SCENES.values()), len(dtypes) if kind == SPECIAL else 0)


def told(played: Sequence[Example], meaning: str) -> str:
    """What it means that these hold: the lengths, or the numbers of ranks, that were tried."""
    if not played or played[0].prop not in (LONG, MANY):
        return meaning
    if played[0].prop == LONG:
        return f"the sum also of {', '.join(f'{n:,}' for n in sorted({one.n for one in played}))} entries"
    return f"the sum also on {spans(sorted(one.p for one in played))} ranks"


def staged(scene: str, p: int, dtype: str) -> Example:
    """A scene on so many ranks."""
    calls: list[Any] = [numbered(p, p + 3, dtype, call) for call in range(3)]
    rows: list[Vector] = [np.stack(xs) for xs in zip(*calls)]
    return Example(rows, SCENES[scene].prop, scene=scene)


def fewer(example: Example, ranks: Sequence[int]) -> Iterator[Example]:
    """Examples of the same kind with fewer ranks, or with fewer entries, of long vectors with many fewer."""
    p, n = example.p, example.n
    allowed = sorted(q for q in (RANKS if example.prop == MANY else ranks) if q < p)
    if example.prop == SPECIAL:
        yield from (Example(special(q, str(example.xs[0].dtype)), SPECIAL) for q in allowed)
    else:
        yield from (example._replace(xs=example.xs[:q]) for q in allowed)
    pieces = [n // 2**i for i in range(1, n.bit_length())] if example.prop == LONG else [1] * (n > 1)
    yield from (cut(example, slice(n - less)) for less in pieces)
    yield from (cut(example, np.arange(n) != i) for i in range(n) if example.prop == SPECIAL and n > 1)
