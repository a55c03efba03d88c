"""What is asked of DeMo beyond its text: what counts on of a momentum and what stays, and how long messages are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sparring.impl.codecs import chunked_top_k
from sparring.impl.core import alltoall
from sparring.proofs.functions.ratios import Ratio
from sparring.proofs.logic.obligations import Obligation, p
from sparring.proofs.reading.annotations import Served, Stated
from sparring.proofs.reading.rotation import peers_of
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Sym
from sparring.spec.core.vectors import Vector

a, b, w = (Sym.var(name) for name in "abw")
x, y, z = (Ratio(Sym.var(name)) for name in "xyz")
ANY = (p >= 1,)
WIDTHS = (4, 8)
"""Bytes of an entry."""
PLACES = ((1, 1), (64, 1), (257, 2))
"""Entries of a chunk, and bytes of a place in it."""
TOPS = (1, 9)
"""How many frequencies of a chunk are told, if it has so many."""

others: Sequence[Mapping[str, int]] = (
    {"chunk": 4, "top": 2},
    {"chunk": 5, "top": 9, "signs": 0, "decay": 500},
    {"chunk": 1, "top": 1, "decay": 0},
    {"chunk": 300, "top": 2, "signs": 0, "decay": 1000},
)
long: Sequence[Mapping[str, int]] = ({"chunk": 4, "top": 2},)
refused: Sequence[Mapping[str, int]] = (
    {"decay": -1}, {"decay": 1001}, {"chunk": 0}, {"chunk": 1025}, {"top": 0}, {"top": 1025}, {"signs": 2},
    {"signs": -1},
)  # fmt: skip
survivors = {
    "def _summed(self, momentum: Vector) -> Vector:":
        "What was read of a rank may be taken from its momentum before messages come: their sum is another array.",
}  # fmt: skip
shown = {"residual": lambda state, r: [*state.momentum[r]]}


def owed(p: int) -> Sequence[Mapping[str, int]]:  # noqa: ARG001  # as for every page
    """Return the parameters with which all is sent as it is: chunks of one entry, which are their own frequency."""
    return [{"chunk": 1, "top": 1, "signs": 0}]


def theorems(page: Page) -> Iterator[Stated]:
    """State what holds of its functions."""
    m: Any = page.module
    yield Stated(
        "conservation",
        "What is sent of a momentum and what stays make up the part of it that counted on, and the vector.",
        staying(m),
    )
    yield Stated("signs", "All ranks go by the sign of the sum (2.5, 0 and -7), or by the sum.", ways(m))
    yield Stated(
        "messages",
        "A message has of each chunk that is begun, for each frequency told, a place of 1 or 2 bytes and the "
        "number (chunks of 1, 64 and 257 entries, of which 1 or 9 are told, of 4 and of 8 bytes).",
        messages(m),
    )


def ways(m: Any) -> Iterator[Obligation]:
    """State where all ranks go, of a few numbers, and of any."""
    for v, told in ((2.5, 1), (0.0, 0), (-7.0, -1)):
        yield Obligation(f"the sign of {v}", ANY, [*m.gone(Vector([v]), 1)] == [told])
    yield Obligation("the sum", ANY, next(iter(m.gone(Vector([a]), 0))) == a)
    yield Obligation("no sign", ANY, [*m.gone(Vector([2.5]), 0)] == [2.5])


def staying(m: Any) -> Iterator[Obligation]:
    """State what enters, and what is left of it."""
    given = m.entered(x, y, w)
    yield Obligation("enters", ANY, given.is_(y * w / 1000 + x))
    yield Obligation("nothing is lost", ANY, (m.left(given, z) + z).is_(given))


def messages(m: Any) -> Iterator[Obligation]:
    """State how long messages are; ``b`` chunks are begun, the last of which has ``a`` entries."""
    for chunk, place in PLACES:
        for top in TOPS:
            some, told = (b >= 1, a >= 1, a <= chunk), min(top, chunk)
            for width in WIDTHS:
                found = m.ChunkedTopK(chunk, top, 0).octets(chunk * (b - 1) + a, width)
                yield Obligation(f"{told} of {chunk}, {width} bytes", some, found == b * told * (place + width))


def peers(page: Page, served: Served) -> Iterator[Obligation]:
    """Compare with ``impl``, which has neighbours of its own, and counts chunks."""
    impl: Any = alltoall
    yield from peers_of(served("direct_allgather"), impl.above, impl.below)
    code = page.module.ChunkedTopK(page.params["chunk"], page.params["top"], 0)
    for width in WIDTHS:
        chunks = chunked_top_k.chunks(a, code.chunk)
        yield Obligation(f"sizes, {width} bytes", (a >= 0,), chunks * code.octets(1, width) == code.octets(a, width))
