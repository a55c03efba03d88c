"""What is claimed of DEFT beyond its text: how many entries of a layer are selected.

``a`` is how many are wanted, ``e`` how many there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sparring.impl import clt_k as impl_clt_k
from sparring.proofs import clt_k, micro
from sparring.proofs.logic.obligations import Obligation
from sparring.proofs.logic.obligations import p as ranks
from sparring.proofs.micro import CALLS, a, e, shown
from sparring.proofs.reading.annotations import Served, Stated
from sparring.spec import micro as spec_micro
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import both
from sparring.spec.core.vectors import Vector
from sparring.spec.library import layers

__all__ = ["shown"]  # as of MiCRO

others: Sequence[Mapping[str, Any]] = (
    {"k": 3, "layers": 3, "through": "two_shot"},
    {"k": 6, "layers": 1},
    {"k": 0, "layers": 5},
    {"k": 20, "layers": 4},
)
survivors = {
    "def __call__(self, x: Vector, /) -> Vector:": "what was sent is cleared, and the call counted, in any order",
}
refused: Sequence[Mapping[str, Any]] = ({"k": -1}, {"layers": 0}, {"layers": 2**14 + 1}, {"through": "tree"})


def owed(p: int) -> Sequence[Mapping[str, Any]]:  # noqa: ARG001  # as for every page
    """Return parameters: some entries of each layer, by either schedule."""
    return [{"k": 100, "layers": 4, "through": through} for through in micro.INNER]


def kept(state: Any, xs: Sequence[Any], calls: int) -> Iterator[str]:
    """Yield what is wrong with the number of calls and the residuals."""
    yield from clt_k.kept(state, xs, calls)


def theorems(page: Page) -> Iterator[Stated]:
    """State what holds of its functions, and of those that these call."""
    yield Stated(
        "layers",
        "Of each layer that has entries at least one is selected, and never more than it has; otherwise as many as "
        "are wanted.",
        limits(page.module),
    )
    yield Stated(
        "work",
        "Layers of which all are selected are no one's, and others are dealt out by their work (a vector of 4 layers).",
        examples(page.module),
        examples=True,
    )


def examples(m: Any) -> Iterator[Obligation]:
    """State of a vector of four layers whose they are: the first is selected as a whole, the others have one work."""
    found = m.dealt(Vector([9, 9, 1, 1, 0, 1, 0, 0], 0), 2, 4, 3)
    yield Obligation("whose layers are", (ranks >= 1,), found == ([0], [[1, 3], [2]]))


def limits(m: Any) -> Iterator[Obligation]:
    """State it of any numbers; and of the only entry of a layer, which no one selects, since all do."""
    yield Obligation("even if none is wanted", (ranks >= 1,), m.dealt(Vector([9], 0), 1, 1, 0) == ([0], [[]]))
    found = layers.within(a, e)
    yield Obligation("at least one", (e >= 1,), found >= 1)
    yield Obligation("no more than there are", (e >= 0,), both(found >= 0, found <= e))
    yield Obligation("as many as are wanted", (a >= 1, a <= e), found == a)


def peers(page: Page, served: Served) -> Iterator[Obligation]:
    """Compare with ``impl``, which has leaders, parts and bounds in functions of its own."""
    impl: Any = impl_clt_k
    yield Obligation("leaders", CALLS, impl.leader(a, ranks) == page.module.leader(a, ranks))
    yield from micro.parts_alike(spec_micro)
    through = page.params["through"]
    yield from micro.INNER[through].peers(served(through))
