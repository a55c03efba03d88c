"""What is asked of SparseLoCo beyond its text: what waits, how long messages are, and what they are made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from sparring.impl.codecs import chunked_top_k
from sparring.impl.core import alltoall
from sparring.proofs.functions.ratios import Ratio
from sparring.proofs.logic.obligations import Obligation, p
from sparring.proofs.reading.annotations import Served, Stated
from sparring.proofs.reading.rotation import peers_of
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Sym

a, b, w = (Sym.var(name) for name in "abw")
e, x, y, z = (Ratio(Sym.var(name)) for name in "exyz")
ANY = (p >= 1,)
WIDTHS = (4, 8)
"""Bytes of an entry."""
PLACES = ((1, 1), (256, 1), (257, 2), (65537, 4))
"""Entries of a chunk, and bytes of a place in it."""
TOPS = (1, 9)
"""How many entries of a chunk are told, if it has so many."""
BITS = (0, 3, 8)
"""Of a code; of eight codes these are the bytes."""

others = ({"chunk": 4, "top": 2}, {"chunk": 5, "top": 9, "bits": 0, "rate": 700, "decay": 1000},
          {"chunk": 1, "top": 1, "bits": 3, "decay": 0, "rate": 0}, {"chunk": 256})  # fmt: skip
refused = ({"rate": -1}, {"decay": -1}, {"decay": 1001}, {"chunk": 0}, {"top": 0}, {"bits": -1}, {"bits": 9},
           {"chunk": 2**32 + 1}, {"top": 2**32 + 1})  # fmt: skip
survivors = {
    "def _summed(self, waiting: Vector) -> Vector:":
        "What was read of a rank may be taken from what waits before messages come: their sum is another array.",
}  # fmt: skip
shown = {"residual": lambda state, r: [*state.residual[r]], "point": lambda state, r: [*state.point[r]]}


def owed(p: int) -> Sequence[Mapping[str, Any]]:  # noqa: ARG001  # as for every page
    """Return the parameters with which all is sent as it is: local descent."""
    return [{"chunk": 4, "top": 4, "bits": 0}]


def theorems(page: Page) -> Iterator[Stated]:
    """State what holds of its functions."""
    m: Any = page.module
    yield Stated(
        "conservation",
        "What is read of a rank and what waits then make up its way back, and of what waited the part "
        "that counts on; without decay all of it.",
        waiting(m),
    )
    yield Stated("outer step", "All ranks go from the point against the mean, rate thousandths of it.", steps(m))
    yield Stated(
        "messages",
        "A message has of each chunk that is begun, for each entry told, a place of 1, 2 or 4 bytes; then "
        "these entries, or two numbers and their codes, which fill bytes (chunks of 1, 256, 257 and 65537 entries, of "
        "which 1 or 9 are told, of 4 and of 8 bytes, as they are or in 3 or 8 bits).",
        messages(m),
    )


def waiting(m: Any) -> Iterator[Obligation]:
    """State what enters, and what is left of it."""
    state = m.State(x, e)
    given = m.entered(y, state, m.Params(decay=w))
    yield Obligation("enters", ANY, given.is_(e * w / 1000 + x - y))
    yield Obligation("nothing is lost", ANY, (m.left(given, z) + z).is_(given))


def steps(m: Any) -> Iterator[Obligation]:
    """State where ranks go on, from ``x`` with the mean ``y``."""
    yield Obligation("step", ANY, m.moved(x, y, w).is_(x - y * w / 1000))


def messages(m: Any) -> Iterator[Obligation]:
    """State how long messages are; ``b`` chunks are begun, the last of which has ``a`` entries."""
    for (chunk, place), top, bits, width in product(PLACES, TOPS, BITS, WIDTHS):
        told = min(top, chunk)
        entries = 2 * width + bits * -(-told // 8) if bits else told * width
        found = m.ChunkedTopK(chunk, top, bits).octets(chunk * (b - 1) + a, width)
        some = (b >= 1, a >= 1, a <= chunk)
        yield Obligation(f"{told} of {chunk}, {bits} bits, {width} bytes", some, found == b * (told * place + entries))
    yield Obligation("no entries", ANY, m.ChunkedTopK(4, 2, 2).octets(0, 4) == 0)


def peers(page: Page, served: Served) -> Iterator[Obligation]:
    """Compare with ``impl``, which has neighbours of its own, and counts chunks."""
    impl: Any = alltoall
    yield from peers_of(served("direct_allgather"), impl.above, impl.below)
    code = page.module.ChunkedTopK(*(page.params[name] for name in ("chunk", "top", "bits")))
    for width in WIDTHS:
        chunks = chunked_top_k.chunks(a, code.chunk)
        yield Obligation(f"sizes, {width} bytes", (a >= 0,), chunks * code.octets(1, width) == code.octets(a, width))
