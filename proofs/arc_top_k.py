"""What is claimed of ARC-Top-K beyond its text: of its rules, and that the sketch of a sum is the sum of sketches.

Entries are letters.  What is said of rows and of their order is in :mod:`sparring.proofs.functions.matrices`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from sparring.impl import arc_top_k
from sparring.proofs import ring as ring_proofs
from sparring.proofs import two_shot as two_shot_proofs
from sparring.proofs.functions import matrices
from sparring.proofs.functions.ratios import Ratio
from sparring.proofs.logic.obligations import Obligation, i
from sparring.proofs.reading.annotations import Served, Stated
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Sym, where
from sparring.spec.core.vectors import Vector

e, x, w = Sym.var("e"), Sym.var("x"), Sym.var("w")

INNER: Mapping[str, Any] = {"ring": ring_proofs, "two_shot": two_shot_proofs}
"""What is proved of the allreduces that it is made of."""
SENT = i >= 1
"""Any truth: whether a row is sent."""

others = (
    {"k": 1, "columns": 2, "sketch": 1, "feedback": "ef14", "through": "two_shot"},
    {"k": 0, "columns": 3, "sketch": 3, "feedback": "ef21", "seed": 5, "momentum": 0},
    {"k": 3, "columns": 1, "feedback": "ef21m", "momentum": 1000, "through": "two_shot"},
)
long = ({"columns": 70_000, "sketch": 1}, {"columns": 70, "sketch": 1})
shown = {"residual": lambda state, r: [*state.kept[r]] if state.kept else None}
refused = ({"k": -1}, {"columns": -1}, {"columns": 2**18 + 1}, {"sketch": 0}, {"sketch": 1025},
           {"seed": -1}, {"momentum": -1}, {"momentum": 1001},
           {"feedback": "ef15"}, {"through": "tree"})  # fmt: skip
survivors = {"size = max(1, BLOCK // columns)": "How many rows are taken together is for speed; it changes no bit."}


def kept(state: Any, xs: Sequence[Any], calls: int) -> Iterator[str]:  # noqa: ARG001  # as for every page
    """Yield what is wrong with the number of calls."""
    if state.call != calls:
        yield f"after {calls} calls it has counted {state.call}"


def owed(p: int) -> Sequence[Mapping[str, Any]]:  # noqa: ARG001  # as for every page
    """Return the parameters with which what is not sent comes later: this feedback alone."""
    return [{"columns": 3, "sketch": 1, "feedback": "ef14", "through": through} for through in INNER]


def theorems(page: Page) -> Iterator[Stated]:
    """State what holds of its functions."""
    m: Any = page.module
    yield Stated(
        "result",
        "The sketch of a sum is the sum of sketches (vectors of up to 8 entries, in rows of 1 or 3).",
        sketches(m),
    )
    yield Stated(
        "conservation",
        "What is left is added to the next vector; an estimate becomes the vector where that is sent; "
        "in a running mean a new vector counts so many thousandths, and the mean the others.",
        (*rules(m), *means(m)),
    )


def sketches(m: Any) -> Iterator[Obligation]:
    """State what texts are read by: a sketch is linear."""
    for many in matrices.LENGTHS:
        for columns in (1, 3):
            shape = m.rows_of(Vector([0] * many), columns)
            sketch = partial(m.sketched, shape=shape, many=2, call=1, seed=0)
            yield from matrices.additive(f"sketch, rows of {columns}", sketch, many)


def rules(m: Any) -> Iterator[Obligation]:
    """State what rows are sent; and what an estimate becomes."""
    state = m.State(kept=e)
    for rule, given in (("none", x + e), ("ef14", x + e), ("ef21", x - e), ("ef21m", x - e)):
        params = m.Params(feedback=rule)
        yield Obligation(f"{rule}: what enters", matrices.ANY, m.entered(x, state, params) == given)
        if rule in m.ESTIMATES:
            now = m.nearer(SENT, e, m.entered(x, state, params))
            yield Obligation(f"{rule}: an estimate", matrices.ANY, now == where(SENT, x, e))


def means(m: Any) -> Iterator[Obligation]:
    """State that it is with ``ef21m`` and after the first call a running mean; else the vector."""
    state = m.State(mean=Ratio(e))
    now = m.running(Ratio(x), 1, state, m.Params(feedback="ef21m", momentum=w))
    yield Obligation("mean", matrices.ANY, now.is_((1000 - w) * e + w * x, 1000))
    for call, rule in ((0, "ef21m"), (1, "ef21"), (1, "ef14"), (1, "none")):
        now = m.running(Ratio(x), call, state, m.Params(feedback=rule))
        yield Obligation(f"no mean, {rule}", matrices.ANY, now.is_(x, 1))


def peers(page: Page, served: Served) -> Iterator[Obligation]:
    """Compare with ``impl``, which counts rows upwards from below, and has its means in a function of its own."""
    impl: Any = arc_top_k
    yield from matrices.high(impl.high)
    yield Obligation("means", matrices.ANY, impl.mixed(e, x, w) == page.module.mixed(e, x, w))
    yield from of_sums(page, served)


def of_sums(page: Page, served: Served) -> Iterator[Obligation]:
    """State that an implementation makes its sums by those of these pages."""
    through = page.params["through"]
    yield from INNER[through].peers(served(through))
