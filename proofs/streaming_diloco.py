"""What is asked of Streaming DiLoCo beyond its text: how a rank mixes, and that an outer step is DiLoCo's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sparring.impl import streaming_diloco
from sparring.proofs import ring as ring_proofs
from sparring.proofs import two_shot as two_shot_proofs
from sparring.proofs.functions.ratios import Ratio
from sparring.proofs.logic.obligations import Obligation, iff, n, p, within
from sparring.proofs.reading.annotations import Served, Stated
from sparring.spec import diloco
from sparring.spec.core.model import Page, bound
from sparring.spec.core.numbers import Sym, both
from sparring.spec.core.vectors import Vector

b, x, y, z = (Ratio(Sym.var(name)) for name in "bxyz")
a, c, w = (Sym.var(name) for name in "acw")
ANY = (p >= 1,)

INNER: Mapping[str, Any] = {"ring": ring_proofs, "two_shot": two_shot_proofs}
"""What is proved of the allreduces that it is made of."""
MOST = 7
"""Entries of a vector, which may have fewer than there are parts."""

others = (
    {"fragments": 2, "mix": 0, "delay": 0, "through": "two_shot"},
    {"fragments": 3, "mix": 1000, "rate": 0, "momentum": 0},
    {"fragments": 1, "mix": 250, "momentum": 1000},
)
refused = ({"rate": -1}, {"momentum": -1}, {"momentum": 1001}, {"mix": -1}, {"mix": 1001}, {"fragments": 0},
           {"delay": -1}, {"delay": 2}, {"through": "tree"})  # fmt: skip
shown = {"point": lambda state, r: [*state.point[r]], "momentum": lambda state, r: [*state.momentum[r]]}


def owed(p: int) -> Sequence[Mapping[str, Any]]:  # noqa: ARG001  # as for every page
    """Return the parameters with which all go on from the mean at once: local descent."""
    return [{"rate": 1000, "momentum": 0, "mix": 0, "fragments": 1, "delay": 0}]


def kept(state: Any, xs: Sequence[Any], calls: int) -> Iterator[str]:
    """Yield what is wrong with the number of calls, or with what ranks should have in common."""
    if state.call != calls:
        yield f"after {calls} calls it has counted {state.call}"
    for name, each in state.fields.items():
        if any([*map(repr, one)] != [*map(repr, each[0])] for one in each):
            yield f"after {calls} calls on {len(xs)} ranks not all have the same {name}"


def theorems(page: Page) -> Iterator[Stated]:
    """State what holds of its functions."""
    m: Any = page.module
    yield Stated(
        "mixture",
        "A rank goes on from mix thousandths of its own place and the rest of the part's point, never "
        "beyond either; where all ranks mix nothing of their own, they go on from one place.",
        mixtures(m),
    )
    yield Stated(
        "turns",
        "Each entry has its turn once in so many calls as there are parts, in the order of parts, and none before the "
        f"first call (vectors of up to {MOST} entries).",
        turns(m, page.params["fragments"]),
    )
    yield Stated(
        "momentum",
        "Where a sum is due, point and momentum take DiLoCo's outer step of its mean; elsewhere they stay.",
        steps(m),
    )


def mixtures(m: Any) -> Iterator[Obligation]:
    """State what a mixture is; with ``x`` below ``y`` it lies between them."""
    found = m.mixed(x, y, w)
    yield Obligation("mixture", ANY, found.is_(x * w / 1000 + y * (1000 - w) / 1000))
    between = (*ANY, within(w, 1001), x.top <= y.top)
    yield Obligation("not below", between, x.top * found.bottom <= found.top)
    yield Obligation("not above", between, found.top <= y.top * found.bottom)
    yield Obligation("nothing of its own", ANY, m.mixed(x, y, 0).is_(y))


def turns(m: Any, fragments: int) -> Iterator[Obligation]:
    """State of each entry, by the number of its part, in which calls it has its turn, the one before the first too."""
    for many in range(MOST + 1):
        found = m.turn(Vector([0] * many), a - 1, fragments)
        for i, its in enumerate(found):
            part = ((i + 1) * fragments - 1) // many
            due = both(a >= 1, (a - 1) % fragments == part)
            yield Obligation(f"entry {i} of {many}", (*ANY, a >= 0), iff(its, due))


def steps(m: Any) -> Iterator[Obligation]:
    """State it of one entry, with a sum ``z``."""
    old = m.State(x, b, y)
    params = m.Params(momentum=w)
    right = diloco.moved(diloco.State(x, b), z / p, params)
    now, after = (m.moved(old, due, z, p, params) for due in (True, False))
    yield Obligation("due", ANY, alike(now, right))
    yield Obligation("not due", ANY, alike(after, old))


def alike(one: Any, other: Any) -> Any:
    """Return whether points and momenta are."""
    return both(one.point.is_(other.point), one.momentum.is_(other.momentum))


def certificates(page: Page) -> Mapping[tuple[str, str], tuple[str, tuple[Obligation, ...]]]:
    """Return a fault that is none, with what this rests on."""
    fragments = page.params["fragments"]
    line = "first, end = (bound(call % fragments + more, len(x), fragments) for more in (0, 1))"
    told = "bound(call % fragments + more, len(x), fragments) becomes bound(len(x), call % fragments + more, fragments)"
    same = bound(c, n, fragments) == bound(n, c, fragments)
    parts = Obligation("in either order", (c >= 0, c <= fragments, n >= 0), same)
    return {(line, told): ("where a part begins is found of a product, in either order", (parts,))}


def peers(page: Page, served: Served) -> Iterator[Obligation]:
    """Compare with ``impl``, which cuts parts by itself, takes DiLoCo's momentum, and makes sums by these pages."""
    impl: Any = streaming_diloco
    fragments = page.params["fragments"]
    yield Obligation("parts", (c >= 0, c <= fragments, n >= 0), impl.begin(c, n, fragments) == bound(c, n, fragments))
    yield Obligation("momentum", ANY, impl.pushed(b, w, x).is_(page.module.pushed(b, w, x)))
    through = page.params["through"]
    yield from INNER[through].peers(served(through))
