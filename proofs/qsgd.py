"""What is proved of QSGD's schedule and messages, for every number of ranks, whatever the vectors hold.

``a`` is what a rank has at an index, ``b`` what is read of it.  What levels lose is proved in
``proofs/compression/levels.py``, over the real numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sparring.impl import qsgd as impl_qsgd
from sparring.impl.core import everyone
from sparring.proofs.core.obligations import RANKS, Obligation, i, p, q, r, s
from sparring.proofs.core.parts import Bounded, Played
from sparring.proofs.core.rotation import TURN, of_ports, of_waiting, rotation
from sparring.proofs.core.supplement import Stated
from sparring.proofs.cost import quantised
from sparring.proofs.thc import PLANES, planes, sizes
from sparring.spec.core import wholes
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Int, Sym, where

a, b = Sym.var("a"), Sym.var("b")

CODES = "codes of vectors"
WIDTHS = (4, 8)
"""Bytes of an entry."""

others = ({"levels": 1, "seed": 5}, {"levels": 3, "by_max": 1}, {"levels": 65536})
refused = ({"levels": 0}, {"levels": 65537}, {"seed": -1}, {"by_max": 2}, {"by_max": -1})

faults: Mapping[str, Mapping[str, Any]] = {
    "sends to the next rank but one": {"dst": lambda r, j, p: (r + j + 1) % p},
    "a rank adds its own vector as it is": {"taken": lambda r, q, own, read: where(r == q, own, read)},
    "signs are not told": {"octets": lambda c, levels, size: size + (c * levels.bit_length() + 7) // 8},
    "all ranks send to the same one": {"dst": lambda r, j, p: j},
}

asked = {
    "dst": lambda r, j, p: 0 <= r < p and 1 <= j < p,
    "src": lambda r, j, p: 0 <= r < p and 1 <= j < p,
}


def kept(state: Any, xs: Sequence[Any], i: int) -> Iterator[str]:
    """What is wrong with the number of calls, all that is kept."""
    if state.call != i:
        yield f"after {i} calls it has counted {state.call}, on {len(xs)} ranks"


def theorems(page: Page) -> Iterator[Stated]:
    """All of them."""
    m: Any = page.module
    levels = page.params["levels"]
    yield Stated(
        "result", "Each rank adds up what is read of each rank's vector once, from one message of each other rank.",
        (*rotation(m),), "sends to the next rank but one",
    )  # fmt: skip
    yield Stated(
        "agreement", "Any two ranks add up the same numbers, what is read from codes, their own included; and in the "
        "order of the ranks.", (*same_reads(m), *rotation(m)), "a rank adds its own vector as it is",
    )  # fmt: skip
    yield of_waiting(m)
    yield of_ports(m)
    yield Stated(
        "volume", f"A rank sends p - 1 messages of a unit and {levels.bit_length() + 1} bits an entry, in planes that "
        "are filled up to bytes.", volume(m, levels), "signs are not told",
    )  # fmt: skip


def same_reads(m: Any) -> Iterator[Obligation]:
    """Whatever rank ``q`` has, and what is read of it."""
    yield Obligation("two ranks", RANKS, m.taken(r, q, a, b) == m.taken(s, q, a, b))
    yield Obligation("what is read", RANKS, m.taken(r, q, a, b) == b)


def volume(m: Any, levels: int) -> Iterator[Obligation]:
    """How long messages are, of entries of 4 and of 8 bytes."""
    for plane in PLANES:
        yield from sizes(wholes, plane)
    parts = [wholes.octets(a, plane) for plane in planes(levels.bit_length() + 1)]
    for width in WIDTHS:
        yield Obligation(f"a unit and planes, {width} bytes", (a >= 0,),
                         m.octets(a, levels, width) == sum(parts, width))  # fmt: skip


def bounded(page: Page) -> Bounded:
    """What a call sends at most; raises InputError for parameters that the page does not take."""
    m: Any = page.module
    m.checked(m.Params(**page.params))

    def sizes(c: Int) -> Int:
        octets: Int = m.octets(c, page.params["levels"], quantised.width)
        return octets

    return quantised.bounded(quantised.of_vectors(m, CODES, sizes, adds=True))


def played(page: Page, ranks: int) -> Iterator[Played]:
    """Calls that are counted beside it."""
    return quantised.calls(page, ranks, (CODES,), cut=False)


def peers(page: Page) -> Iterator[Obligation]:
    """``impl/qsgd.py`` has neighbours and sizes of its own."""
    impl: Any = everyone
    m: Any = page.module
    levels = page.params["levels"]
    yield Obligation("to whom", TURN, impl.above(r, i, p) == m.dst(r, i, p))
    yield Obligation("from whom", TURN, impl.below(r, i, p) == m.src(r, i, p))
    for width in WIDTHS:
        yield Obligation(f"sizes, {width} bytes", (a >= 0,),
                         impl_qsgd.size(a, levels, width) == m.octets(a, levels, width))  # fmt: skip
