"""What is asked of DiLoCo beyond its text: that its outer step is Nesterov's, and without momentum a mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sparring.impl import diloco
from sparring.proofs import ring as ring_proofs
from sparring.proofs import two_shot as two_shot_proofs
from sparring.proofs.functions.ratios import Ratio
from sparring.proofs.logic.obligations import Obligation, p
from sparring.proofs.reading.annotations import Served, Stated
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Sym

b, g, x = (Ratio(Sym.var(name)) for name in "bgx")
v, w = Sym.var("v"), Sym.var("w")
"""Thousandths: of a rate, and of a momentum."""
ANY = (p >= 1,)

INNER: Mapping[str, Any] = {"ring": ring_proofs, "two_shot": two_shot_proofs}
"""What is proved of the allreduces that it is made of."""

others = ({"rate": 1000, "momentum": 0, "through": "two_shot"}, {"rate": 0, "momentum": 1000})
refused = ({"rate": -1}, {"momentum": -1}, {"momentum": 1001}, {"through": "tree"})
shown = {"point": lambda state, r: [*state.point[r]], "momentum": lambda state, r: [*state.momentum[r]]}


def owed(p: int) -> Sequence[Mapping[str, Any]]:  # noqa: ARG001  # as for every page
    """Return the parameters with which all go on from the mean: local descent."""
    return [{"rate": 1000, "momentum": 0, "through": through} for through in INNER]


def theorems(page: Page) -> Iterator[Stated]:
    """State what holds of its functions."""
    m: Any = page.module
    yield Stated(
        "momentum",
        "The outer step is Nesterov's: a second point, the rate times the momentum's part ahead, moves "
        "against the new momentum alone, whose gradient is taken at the first. Without momentum and with rate 1 a step "
        "ends where the gradient says.",
        (*ahead(m), *without(m)),
    )


def ahead(m: Any) -> Iterator[Obligation]:
    """State that ``u = x + rate part b``, of which the gradient is taken at ``u - rate part b``, loses ``rate b'``."""
    old, params = m.State(x, b), m.Params(rate=v, momentum=w)
    new = m.moved(old, g, params)
    yield Obligation("momentum", ANY, new.momentum.is_(b * w / 1000 + g))
    yield Obligation("ahead", ANY, second(new, params).is_(second(old, params) - new.momentum * v / 1000))


def second(state: Any, params: Any) -> Any:
    """Return the second point."""
    return state.point + state.momentum * params.momentum / 1000 * params.rate / 1000


def without(m: Any) -> Iterator[Obligation]:
    """State that then the gradient is all of the step."""
    new = m.moved(m.State(x, b), g, m.Params(rate=1000, momentum=0))
    yield Obligation("no momentum", ANY, new.point.is_(x - g))


def peers(page: Page, served: Served) -> Iterator[Obligation]:
    """Compare with ``impl``, which has the formula of a momentum once more, and sums of these pages."""
    impl: Any = diloco  # its function is typed for numbers and run here on symbols
    yield Obligation("momentum", ANY, impl.pushed(b, w, g).is_(page.module.pushed(b, w, g)))
    through = page.params["through"]
    yield from INNER[through].peers(served(through))
