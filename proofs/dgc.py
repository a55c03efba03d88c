"""What is claimed of deep gradient compression beyond its text: what momentum makes of what is given, without masking.

Of an entry ``e`` is the residual, ``b`` the velocity, ``x`` what comes and ``a`` what is sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sparring.proofs.functions.ratios import Ratio, unlike
from sparring.proofs.logic.obligations import Obligation, p
from sparring.proofs.reading.annotations import Served, Stated, subject
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Sym

x, e, a, b = (Sym.var(name) for name in "xeab")
part = unlike("w", 0)
"""Thousandths of a velocity that stay, if any do."""

ANY = (p >= 1,)

others: Sequence[Mapping[str, Any]] = (
    {"k": 2, "masking": 0, "allreduce": "two_shot_sparse"},
    {"k": 3, "momentum": 0, "allreduce": "ring_allgather"},
    {"k": 0, "momentum": 999},
    {"k": 1, "momentum": 500, "allreduce": "ring_allgather"},
)
shown = {"residual": lambda state, r: [*state.residual[r]], "velocity": lambda state, r: [*state.velocity[r]]}
survivors = {
    'fault = "" if allreduce in WAYS else f"allreduce = {allreduce!r}: it must be one of {\', \'.join(WAYS)}"':
        "A name that no module has is refused where it is looked up; what is said of others has tests.",
}  # fmt: skip
refused: Sequence[Mapping[str, Any]] = (
    {"k": -1}, {"momentum": -1}, {"momentum": 1000}, {"masking": 2}, {"masking": -1}, {"allreduce": "tree"},
)  # fmt: skip


def owed(p: int) -> Sequence[Mapping[str, Any]]:  # noqa: ARG001  # as for every page
    """Return parameters with which all is sent at once, as it is: all entries, and no momentum."""
    return [{"k": 100, "momentum": 0}]


def kept(state: Any, xs: Sequence[Any], calls: int) -> Iterator[str]:
    """Yield what is wrong with residuals and velocities."""
    for what, rows in (("residuals", state.residual), ("velocities", state.velocity)):
        if [len(one) for one in rows] != [len(one) for one in xs]:
            yield f"after call {calls} {what} are not as long as the vectors"


def theorems(page: Page) -> Iterator[Stated]:
    """State what holds of its functions."""
    m: Any = page.module
    yield Stated(
        "momentum",
        "Without masking each number comes out 1000 / (1000 - momentum) times, in results, or waits in "
        "residual and velocity.",
        momenta(m),
    )
    yield Stated("no momentum", "Without momentum the velocity is what comes, whatever it was before.", plain(m))


def plain(m: Any) -> Iterator[Obligation]:
    """State that it is the same thing, and no sum: a velocity of infinities leaves no NaN."""
    new = Ratio(x)
    yield Obligation("as it comes", ANY, m.moved(Ratio(b), new, 0) is new)


def momenta(m: Any) -> Iterator[Obligation]:
    """State that ``(1000 - momentum) residual + momentum velocity`` grows by what comes and falls by what is sent.

    It is what waits, of a velocity its own future with it: ``1 + momentum / 1000 + ...`` times as much.
    """
    for told, momentum in (("some momentum", part), ("none", 0)):
        fresh = m.moved(Ratio(b), Ratio(x), momentum)
        u, whole, stays = fresh.top, fresh.bottom, m.WHOLE - momentum  # the next velocity is a fraction
        before = whole * (stays * e + momentum * b)
        after = stays * (whole * e + u - whole * a) + momentum * u
        claim = after + whole * (stays * a) == before + whole * (m.WHOLE * x)
        yield Obligation(f"what waits with {told}", ANY, claim)


def peers(page: Page, served: Served) -> Iterator[Obligation]:
    """State that an implementation adds by that of this page."""
    through = subject(served(page.params["allreduce"]))
    if through.peers:
        yield from through.peers(through.page)
