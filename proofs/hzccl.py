"""What is claimed of hZCCL beyond its text: how far off the result is, and where it is NaN.

In exact arithmetic, with the error bound ``e`` as the unit, so that a step is 2: ``k`` is what the bounds of the ranks
add up to that have been added, ``m`` that of one more.  That codes are rounded to the nearest, and that results are NaN
where a sum is so great, is tested (``tests/spec/test_spec_hzccl.py``); the first is a hypothesis here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sparring.impl import hzccl
from sparring.impl.codecs import difference_blocks
from sparring.impl.core import alltoall
from sparring.proofs.flash import between
from sparring.proofs.logic.obligations import Obligation, p
from sparring.proofs.reading.annotations import Served, Stated
from sparring.proofs.reading.rotation import peers_of
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Sym, both
from sparring.spec.library.fixed_point import BITS, FAR, LARGEST

a, b, d, k, m, q, v = (Sym.var(name) for name in "abdkmqv")

others: Sequence[Mapping[str, int]] = ({"exponent": 0}, {"exponent": -64}, {"exponent": 64}, {"exponent": 27})
"""With the last, 1 has the most steps if there is one rank."""
survivors = {
    "y[:] = np.where(codes < FAR - LARGEST, codes, np.nan) * unit": "no sum is twice the largest, as is proved below",
}
refused: Sequence[Mapping[str, int]] = ({"exponent": -65}, {"exponent": 65})


def owed(p: int) -> Sequence[Mapping[str, Any]]:  # noqa: ARG001  # as for every page
    """Return parameters: a bound much smaller than entries, and one about as large."""
    return [{}, {"exponent": 2}]


def off(xs: Sequence[Any], params: Mapping[str, Any]) -> float:
    """Return what the theorem on the error says."""
    return float(len(xs) * 2.0 ** -params["exponent"])


def theorems(page: Page) -> Iterator[Stated]:
    """State all theorems on its functions."""
    exponent = page.params["exponent"]
    yield Stated(
        "error",
        "If a code is a whole number nearest to its entry in steps, an entry of the result is off by at most "
        f"p 2**{-exponent}.",
        error(page, exponent),
    )
    yield Stated(
        "unsound entries",
        "A sum with the code of an entry that has none is more than twice as great as any sum without, for up to 2**26 "
        "ranks.",
        unsound(page.module),
    )


def error(page: Page, exponent: int) -> Iterator[Obligation]:
    """State what the codes of each rank put an entry off, and what those of all do."""
    step = page.module.step(page.module.Vector([], 0.0), exponent)
    yield Obligation("a step is twice the bound", (), bool(step == 2 * 2.0**-exponent))
    nearest = (2 * q - 1 <= v, v <= 2 * q + 1)
    yield Obligation("a code is read within the bound", nearest, between(2 * q - v, 1))
    yield Obligation("errors add up", (k >= 0, m >= 0, between(a, k), between(b, m)), between(a + b, k + m))


def unsound(module: Any) -> Iterator[Obligation]:
    """State how large sums of codes are: of all with one, each at most ``m``; and of others with what has none."""
    power = (p - 1).bit_length()
    yield Obligation("ranks are no more than their power of two", (p >= 1,), p <= 1 << power, encoding="bits")
    yield Obligation("which times the most is no more", (p >= 1,), module.most(p) << power <= LARGEST, encoding="bits")
    yield Obligation("nor are ranks", (p >= 1, p <= d, m >= 0, d * m <= LARGEST), p * m <= LARGEST)
    sums = (k >= 0, m >= 1, k + m <= LARGEST)
    yield Obligation("sums add up", (k >= 0, m >= 0, between(a, k), between(b, m)), between(a + b, k + m))
    yield Obligation("no sum of codes is greater", (*sums, between(q, k + m)), q <= LARGEST)
    yield Obligation("every sum with one of what has none is", (*sums, q >= -k), q + FAR > 2 * LARGEST)


def peers(page: Page, served: Served) -> Iterator[Obligation]:
    """Compare with ``impl/hzccl.py``, which has neighbours, parts, codes and sizes of its own."""
    impl: Any = alltoall
    for name in ("direct_reduce_scatter", "direct_allgather"):
        yield from peers_of(served(name), impl.above, impl.below, impl.begin)
    own: Any = hzccl
    yield Obligation("codes", (), both(own.FAR == FAR, own.LARGEST == LARGEST))
    yield Obligation("the most steps", (p >= 1,), own.most(p) == page.module.most(p), encoding="bits")
    yield Obligation("bits of sums", (p >= 1,), own.wide(p) == page.module.wide(BITS, p), encoding="bits")
    size = page.module.Differences(d).octets(a, 0)
    yield Obligation("sizes", (a >= 0, d >= 0), difference_blocks.room(a, d) == size)
