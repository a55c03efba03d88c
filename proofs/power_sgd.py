"""What is proved of PowerSGD, for every number of ranks, whatever the vectors hold.

Entries and sizes are letters; where a row is cut, ``p`` is its length.  What the two allreduces prove, their own
pages do, whose obligations are among these.  What is said of projections, which need roots and fractions, is in
:mod:`sparring.proofs.compression.low_rank`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from sparring.impl import arc_top_k as rows_of_impl
from sparring.impl import power_sgd
from sparring.proofs import arc_top_k as rows_of
from sparring.proofs.arc_top_k import INNER, LENGTHS, astray
from sparring.proofs.core import obligations
from sparring.proofs.core.iterations import NOTHING
from sparring.proofs.core.obligations import Obligation, iff, p, q
from sparring.proofs.core.supplement import Stated
from sparring.proofs.cost.power_sgd import bounded, fewer, played
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Int, Sym, both, negate

__all__ = ["bounded", "played"]

a, b, d, e, k, x, y = (Sym.var(name) for name in "abdekxy")
m_, columns, rank, rate = (Sym.var(name) for name in ("m", "columns", "rank", "rate"))

ANY = (p >= 1,)
SIZES = (m_ >= 0, columns >= 1, rank >= 0, rate >= 0)

others = ({"columns": 2, "rate": 0, "through": "two_shot"}, {"columns": 3, "rank": 2, "rate": 0, "epsilon": 0},
          {"rank": 3, "rate": 0, "seed": 5}, {"rate": 9})  # fmt: skip
long = ({"columns": 70_000, "rate": 0}, {"columns": 1061, "rank": 2, "rate": 0})
shown = {"residual": lambda state, r: state.kept[r] if state.kept else NOTHING}
refused = ({"rank": 0}, {"columns": -1}, {"rate": -1}, {"epsilon": -1}, {"seed": -1}, {"through": "tree"})

faults: Mapping[str, Mapping[str, Any]] = {
    "what was kept is not added": {"entered": lambda x, kept: x},
    "all is kept": {"left": lambda given, result: given},
    "rows overlap": {"slot": lambda i, c, columns: i + c},
    "a term is added twice": {"dot": lambda a, b: sum((v * w for v, w in zip(a, b)), a[0] * b[0])},
    "the last row is dropped": {"rows": lambda n, columns: n // columns},
    "columns are not counted": {"worth": lambda m, columns, rank, rate: rank * m * rate < m * columns},
    "a row of nothing but padding": {"rows": lambda n, columns: n // columns + 1},
    "sums go astray": {"SCHEDULES": astray},
}


def kept(state: Any, xs: Sequence[Any], calls: int) -> Iterator[str]:  # noqa: ARG001  # as for every page
    """What is wrong with the number of calls."""
    if state.call != calls:
        yield f"after {calls} calls it has counted {state.call}"


SPEED = "How many are taken together is for speed; it changes no bit."
survivors = {
    "np.add(mine, x, out=mine) if self._calls else np.copyto(mine, x)":
        "Zeros wait before the first call; adding them changes no number, the sign of a zero alone.",
    "size = min(columns, BLOCK // PIECE)": SPEED,
    "size = max(1, BLOCK // (columns * len(p)))": SPEED,
}  # fmt: skip


def theorems(page: Page) -> Iterator[Stated]:
    """All of them."""
    m: Any = page.module
    inner = m.SCHEDULES[page.params["through"]]
    yield Stated(
        "result", "What is sent of a sum of matrices is the sum of what is sent of each (products of up to 8 terms), "
        "and is added once for each rank: so both factors are those of one rank alone that is given the mean of all "
        "matrices, once columns have length 1.",
        (*rows_of.places(m), *linear(m), *roots(m), *obligations.result(inner)), "rows overlap",
    )  # fmt: skip
    yield Stated(
        "agreement", "Both sums have the same bits on all ranks, and everything else follows from these and from what "
        "ranks draw alike.",
        (*obligations.agreement(inner, INNER[page.params["through"]].same),), "sums go astray",
    )  # fmt: skip
    yield Stated(
        "conservation", "At each entry p times the result and what all ranks keep make up what they were given and "
        "what they kept before, in exact arithmetic, call after call.",
        (*mass(m),), "what was kept is not added",
    )  # fmt: skip
    yield Stated(
        "partition", "The rows cut [0, n), the last filled up with less than a row; factors are sent where they are "
        "less than a rate-th of the matrix, and never for a single row or column unless the rate is 0.",
        (*rows_of.rows(m), *chosen(m)), "the last row is dropped",
    )  # fmt: skip
    yield Stated(
        "deadlock", "Posting all of a step of either sum and then waiting never deadlocks, with synchronous sends.",
        (*obligations.schedule(inner),), "sums go astray",
    )  # fmt: skip
    yield rows_of.contended(inner)
    yield Stated(
        "volume", "In a call that sends factors, of up to w columns, these have w numbers a row and w a column, each "
        "set summed by 2 (p - 1) messages of a chunk from each rank: at most 2 (p - 1) e words of a sum of up to p e "
        "entries. Else one sum of n entries is sent so.",
        (*rows_of.rows(m), *fewer(), *chosen(m), *rows_of.volume(inner)), "a row of nothing but padding",
    )  # fmt: skip


def linear(m: Any) -> Iterator[Obligation]:
    """A product with a sum is the sum of the products; of ``p`` ranks that have the same it is ``p`` times it."""
    for many in LENGTHS:
        first, second, by = ([Sym.var(f"{letter}{at}") for at in range(many)] for letter in "xyz")
        whole = m.dot([u + v for u, v in zip(first, second)], by)
        yield Obligation(f"product of {many}", ANY, whole == m.dot(first, by) + m.dot(second, by))
        terms: Int = 0
        for u, v in zip(first, by):
            terms = terms + u * v
        yield Obligation(f"{many} terms", ANY, m.dot(first, by) == terms)
        total: Int = 0
        for u in first:
            total = total + u
        yield Obligation(f"{many} one below the other", ANY, m.down(first) == total)


def roots(m: Any) -> Iterator[Obligation]:
    """Of exact numbers: of a square its root, of others a fraction near it."""
    for top, bottom in ((0, 1), (2, 1), (2, 3), (5, 4)):
        root = m.root(Fraction(top * top, bottom * bottom))
        same = both(p * root.numerator == p * top, p * root.denominator == p * bottom)
        yield Obligation(f"root of the square of {top}/{bottom}", ANY, same)
    near = abs(m.root(2) ** 2 - 2) * 10**15
    yield Obligation("near the root of 2", ANY, p * int(near) <= p - 1)


def mass(m: Any) -> Iterator[Obligation]:
    """``q`` ranks were given ``a`` and had kept ``b``; the result is ``y``, and they keep ``d`` now."""
    so_far = (*ANY, a + b == q * y + d)
    now = m.left(m.entered(x, e), y)
    yield Obligation("with each rank", so_far, a + x + b + e == (q + 1) * y + d + now)
    yield Obligation("a call after the others", (*ANY, a == b + d, d + x == y + e), a + x == b + y + e)


def chosen(m: Any) -> Iterator[Obligation]:
    """When factors are sent."""
    less = rank * (m_ + columns) * rate < m_ * columns
    yield Obligation("less than the matrix", SIZES, iff(m.worth(m_, columns, rank, rate), less))
    for many in (1, 2, 3):
        yield Obligation(f"one column, rate {many}", SIZES, negate(m.worth(m_, 1, 1, many)))
        yield Obligation(f"one row, rate {many}", SIZES, negate(m.worth(1, columns, 1, many)))


def peers(page: Page) -> Iterator[Obligation]:
    """``impl/power_sgd.py`` counts rows upwards from below, and compares sizes the other way round."""
    impl: Any = power_sgd
    counts: Any = rows_of_impl
    m: Any = page.module
    yield Obligation("no rows", ANY, counts.high(0 * p, p) == m.rows(0 * p, p))
    yield Obligation("rows", (p >= 1, k >= 0, e >= 1, e <= p), counts.high(p * k + e, p) == m.rows(p * k + e, p))
    alike = iff(impl.pays(m_, columns, rank, rate), m.worth(m_, columns, rank, rate))
    yield Obligation("factors are sent", SIZES, alike)
    through = page.params["through"]
    yield from INNER[through].peers(m.SCHEDULES[through])
