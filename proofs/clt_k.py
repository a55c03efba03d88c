"""What is claimed of CLT-k beyond its text: whose turn it is, and that the filter loses nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sparring.impl import clt_k
from sparring.proofs import ring, two_shot
from sparring.proofs.functions.ratios import Ratio, unlike
from sparring.proofs.logic.obligations import Obligation, within
from sparring.proofs.logic.obligations import p as ranks
from sparring.proofs.reading.annotations import Served, Stated
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Sym, negate

x, e, a, i = (Sym.var(name) for name in ("x", "e", "a", "i"))
part = unlike("w", 1000)
"""Thousandths of a residual that are added, where a part is left."""

INNER: Mapping[str, Any] = {"ring": ring, "two_shot": two_shot}
"""The theorems of the allreduces that it is made of."""
ANY = (ranks >= 1,)

others: Sequence[Mapping[str, Any]] = (
    {"k": 2, "beta": 100, "through": "two_shot"},
    {"k": 3},
    {"k": 0, "beta": 1},
    {"k": 1, "beta": 999},
)
shown = {"residual": lambda state, r: [*state.residual[r]]}
survivors = {
    "if comm.Get_rank() == root:": "what other ranks find is overwritten by what the leader tells",
    'with np.errstate(over="ignore", invalid="ignore"):  # infinities cancel, and sums overflow':
        "what is added and what is left are found of the same sums, in any order",
}  # fmt: skip
refused: Sequence[Mapping[str, Any]] = ({"k": -1}, {"beta": 0}, {"beta": 1001}, {"through": "tree"})


def owed(p: int) -> Sequence[Mapping[str, Any]]:  # noqa: ARG001  # as for every page
    """Return parameters: some entries of each call, without a filter, by either schedule."""
    return [{"k": 3, "through": through} for through in INNER]


def kept(state: Any, xs: Sequence[Any], calls: int) -> Iterator[str]:
    """Yield what is wrong with the number of calls and the residuals."""
    if state.call != calls:
        yield f"after {calls} calls it has counted {state.call}"
    if [len(one) for one in state.residual] != [len(x) for x in xs]:
        yield f"after call {calls} residuals are not as long as the vectors"


def theorems(page: Page) -> Iterator[Stated]:
    """State what holds of its functions."""
    m: Any = page.module
    yield Stated("result", "In p calls each rank leads once, in the order of ranks.", turns(m))
    yield Stated(
        "conservation",
        "The paper's memory is so many thousandths of what waits: it moves by as many thousandths of "
        "what came and was not sent, and all of it is added.",
        filters(m),
    )
    yield Stated(
        "entries",
        "A rank sends what comes and so many thousandths of what waits; what was not sent of an entry is "
        "left, and without a filter nothing.",
        entries(m),
    )


def turns(m: Any) -> Iterator[Obligation]:
    """State of the first calls, as many as remainders are unfolded for, who leads."""
    calls = (ranks >= 1, within(a, 4 * ranks))
    yield Obligation("rank 0 leads first", ANY, m.leader(0 * ranks, ranks) == 0)
    yield Obligation("a rank leads", calls, within(m.leader(a, ranks), ranks))
    yield Obligation("again after p calls", calls, m.leader(a + ranks, ranks) == m.leader(a, ranks))
    between = (*calls, i >= 1, i < ranks)
    yield Obligation("and not before", between, negate(m.leader(a + i, ranks) == m.leader(a, ranks)))


def filters(m: Any) -> Iterator[Obligation]:
    """State of an entry ``x``, beside which ``e`` waits, what the paper's memory becomes; times ``WHOLE``."""
    memory, sent = part * e, m.filtered(e, x, part)
    yield Obligation("what is sent", ANY, sent == m.WHOLE * x + memory)
    yield Obligation("an entry that waits", ANY, part * (x + e) == memory + part * x)
    after = part * (m.WHOLE * (x + e) - sent)
    moved = m.WHOLE * memory + part * (m.WHOLE * x - sent)
    yield Obligation("an entry that is sent", ANY, after == moved)


def entries(m: Any) -> Iterator[Obligation]:
    """State it of an entry ``x``, beside which ``e`` waits; nothing is left whatever was there, infinities and NaN."""
    for told, beta in (("a part", part), ("all", m.WHOLE)):
        sent = m.entered(Ratio(x), Ratio(e), beta)
        yield Obligation(f"sent with {told}", ANY, sent.is_(x * 1000 + e * beta, 1000))
    yield Obligation("left", ANY, m.left(x, a, part) == x - a)
    yield Obligation("nothing is left", ANY, e + m.left(x, a, m.WHOLE) == e)


def peers(page: Page, served: Served) -> Iterator[Obligation]:
    """Compare with ``impl``, which has leaders and filters in functions of its own, and makes sums by those pages."""
    impl: Any = clt_k
    calls = (ranks >= 1, within(a, 4 * ranks))
    yield Obligation("leaders", calls, impl.leader(a, ranks) == page.module.leader(a, ranks))
    yield Obligation("filters", ANY, impl.filtered(e, x, part) == page.module.filtered(e, x, part))
    through = page.params["through"]
    yield from INNER[through].peers(served(through))
