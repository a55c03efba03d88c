"""What is claimed of MiCRO beyond its text: whose parts these are, and how the threshold follows.

``a`` is a number of calls or of entries found, ``e`` a wanted number, ``i`` another rank or call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sparring.impl import micro
from sparring.proofs import ring, two_shot
from sparring.proofs.exchanges.volumes import BOX
from sparring.proofs.logic.obligations import RANKS, Obligation, iff, j, n, r, within
from sparring.proofs.logic.obligations import p as ranks
from sparring.proofs.reading.annotations import Served, Stated
from sparring.spec.core.model import Page, bound
from sparring.spec.core.numbers import Sym, both, negate

a, e, i = (Sym.var(name) for name in ("a", "e", "i"))

INNER: Mapping[str, Any] = {"ring": ring, "two_shot": two_shot}
"""The theorems of the allreduces that it is made of."""
CALLS = (*RANKS, within(a, 4 * ranks))
"""A rank and a call, of as many as remainders are unfolded for."""
COUNTS = (a >= 0, e >= 0)

others: Sequence[Mapping[str, Any]] = (
    {"k": 3, "first": 3_000_000, "gain": 500, "through": "two_shot"},
    {"k": 1, "first": 1, "gain": 999},
    {"k": 6, "first": 10**9, "gain": 900},
    {"k": 0, "gain": 0},
)
shown = {"residual": lambda state, r: [*state.residual[r]]}
survivors = {
    "def __call__(self, x: Vector, /) -> Vector:": "what was sent is cleared, and the call counted, in any order",
    'with np.errstate(over="ignore", invalid="ignore"):  # infinities cancel, and sums overflow':
        "the sum and the next threshold are found of the same entries, in any order",
}  # fmt: skip
refused: Sequence[Mapping[str, Any]] = (
    {"k": -1}, {"first": 0}, {"first": 2**53 + 1}, {"gain": -1}, {"gain": 1000}, {"through": "tree"},
)  # fmt: skip


def owed(p: int) -> Sequence[Mapping[str, Any]]:  # noqa: ARG001  # as for every page
    """Return parameters: thresholds that soon let pass all that waits, by either schedule."""
    return [{"k": 100, "gain": 900, "through": through} for through in INNER]


def kept(state: Any, xs: Sequence[Any], calls: int) -> Iterator[str]:
    """Yield what is wrong with the number of calls, the residuals and the threshold that ranks share."""
    if state.call != calls:
        yield f"after {calls} calls it has counted {state.call}"
    if [len(one) for one in state.residual] != [len(x) for x in xs]:
        yield f"after call {calls} residuals are not as long as the vectors"
    if any(one != state.least[0] for one in state.least):
        yield f"after {calls} calls ranks differ in the threshold"


def theorems(page: Page) -> Iterator[Stated]:
    """State what holds of its functions."""
    m: Any = page.module
    yield Stated(
        "parts",
        "In a call each part is one rank's and no other's; in p calls a rank has each part once.",
        parts(m),
    )
    yield Stated(
        "thresholds",
        "A threshold that more than 1.1 k entries reached grows by as many thousandths as the gain, one that more "
        "than 0.909 k reached by a quarter of that, and one that fewer reached shrinks.",
        following(m),
    )


def parts(m: Any) -> Iterator[Obligation]:
    """State who selects where; ``i`` is another rank, or a later call."""
    another = (*CALLS, within(i, ranks), negate(i == r))
    later = (*CALLS, i >= 1, i < ranks)
    own = m.part(a + r, ranks)
    yield Obligation("a part", CALLS, within(own, ranks))
    yield Obligation("not another rank's", another, negate(own == m.part(a + i, ranks)))
    yield Obligation("some rank's", CALLS, m.part(a + (r - a) % ranks, ranks) == r)
    yield Obligation("again after p calls", CALLS, m.part(a + ranks + r, ranks) == own)
    yield Obligation("and not before", later, negate(m.part(a + i + r, ranks) == own))


def following(m: Any) -> Iterator[Obligation]:
    """State it for ``e`` wanted entries, of which ``a`` are found, and for a gain of ``i``."""
    given, whole = (*COUNTS, i >= 1, i < 1000), 4 * m.WHOLE
    changed = m.change(a, e, i)
    yield Obligation("it grows", given, iff(changed == whole + 4 * i, 10 * a > 11 * e))
    yield Obligation("a little", given, iff(changed == whole + i, both(1000 * a > 909 * e, 10 * a <= 11 * e)))
    yield Obligation("else it shrinks", given, iff(changed == whole - 4 * i, 1000 * a <= 909 * e))
    yield Obligation("and is something still", given, changed >= 4)
    yield Obligation("with no gain it stays", COUNTS, m.change(a, e, 0) == whole)


def peers(page: Page, served: Served) -> Iterator[Obligation]:
    """Compare with ``impl``, which has parts and counts in functions of its own, and makes sums by those pages."""
    yield from alike(page.module)
    through = page.params["through"]
    yield from INNER[through].peers(served(through))


def alike(m: Any) -> Iterator[Obligation]:
    """State that the implementation's parts and counts are the page's."""
    yield from parts_alike(m)
    yield Obligation("many", COUNTS, iff(micro.many(a, e), m.many(a, e)))
    yield Obligation("enough", COUNTS, iff(micro.enough(a, e), m.enough(a, e)))


def parts_alike(m: Any) -> Iterator[Obligation]:
    """State it of parts."""
    impl: Any = micro
    yield Obligation("parts", CALLS, impl.part(a + r, ranks) == m.part(a + r, ranks))
    yield Obligation("where they begin", BOX, impl.begin(j, n, ranks) == bound(j, n, ranks))
