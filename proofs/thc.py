"""What is proved of tensor homomorphic compression, for every number of ranks, whatever the vectors hold.

Codes are letters: ``q`` is a sum of codes of ``a`` ranks, ``x`` one of ``b`` more.  ``d`` is the least entry,
``e`` the step: claims are linear in both, so that they hold of real numbers if they hold of whole ones.  ``k``
is the power of two whose exponent is ``ceil(log2(p))``, of which no more is used than that ``p <= k``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sparring.impl.core import everyone
from sparring.impl.core import wholes as impl_wholes
from sparring.proofs.core.obligations import Obligation, c, i, n, p, r, within
from sparring.proofs.core.parts import Bounded, Played
from sparring.proofs.core.rotation import TURN, of_chunks, of_ports, of_waiting, rotation, same_codes
from sparring.proofs.core.supplement import Stated
from sparring.proofs.cost import quantised
from sparring.proofs.cost.oktopk import sharing
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Int, Sym, both, where

a, b, d, e, k, q, x, y = (Sym.var(name) for name in ("a", "b", "d", "e", "k", "q", "x", "y"))

PLANES = (8, 4, 2, 1)
"""Bits of a plane's numbers."""
ENDS = "least and greatest entries"
WIDE = range(1, 21)
"""Bits of codes and of sums whose messages' sizes are proved."""

others = ({"bits": 1, "seed": 7}, {"bits": 3}, {"bits": 8, "seed": 1})
refused = ({"bits": 0}, {"bits": 9}, {"seed": -1})

faults: Mapping[str, Mapping[str, Any]] = {
    "sends to the next rank but one": {"dst": lambda r, j, p: (r + j + 1) % p},
    "chunks of equal length, the rest dropped": {"bound": lambda c, n, p: c * (n // p)},
    "an owner keeps a sum of its own": {"taken": lambda r, c, total, read: where(r == c, total, read)},
    "the least entry is read once and not p times": {"value": lambda low, step, q, p: low + step * q},
    "a greatest code that needs one bit more": {"most": lambda bits: 1 << bits},
    "a last byte that is not full is not told": {"octets": lambda c, bits: c * bits // 8},
    "all ranks send to the same one": {"dst": lambda r, j, p: j},
}

asked = {
    "bound": lambda c, n, p: 0 <= c <= p,
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
    bits = page.params["bits"]
    yield Stated(
        "result", "What is read of a sum of codes is the sum of what is read of each, for any codes, any grid and any "
        "number of ranks; each chunk is added up once, at its rank, from one message of each other rank; and no sum of "
        f"p codes of {bits} bits needs more than {bits} + ceil(log2(p)) bits.",
        (*homomorphic(m), *rotation(m), *room(m, bits)), "the least entry is read once and not p times",
    )  # fmt: skip
    yield Stated(
        "agreement", "Codes add up alike in any order, and of each chunk all ranks take what is read from the same "
        "sums, its own rank included.", (*orders(m), *same_codes(m), *rotation(m)), "an owner keeps a sum of its own",
    )  # fmt: skip
    yield of_chunks(m)
    yield of_waiting(m)
    yield of_ports(m)
    yield Stated(
        "volume", f"A message of c numbers of up to {WIDE[-1]} bits has room for all, with less than a byte more for "
        "each plane; so with n = 8 p e a rank sends p - 1 times as many bytes as e times the bits of a code and of a "
        "sum are, two numbers to each other rank besides, and with fewer entries no more.",
        volume(m), "a last byte that is not full is not told",
    )  # fmt: skip


def homomorphic(m: Any) -> Iterator[Obligation]:
    """By induction over the ranks, from none."""
    yield Obligation("of no rank", (), m.value(d, e, 0, 0) == 0)
    whole = m.value(d, e, m.sums(q, x), a + b)
    yield Obligation("of more ranks", (), whole == m.value(d, e, q, a) + m.value(d, e, x, b))
    yield Obligation("a code is read on the grid", (), m.value(d, e, x, 1) == d + e * x)


def room(m: Any, bits: int) -> Iterator[Obligation]:
    """By induction, a sum of ``a`` codes is at most ``a`` times the greatest; ``p`` of them are below ``k 2^bits``."""
    most = m.most(bits)
    codes = (a >= 0, q >= 0, q <= a * most, x >= 0, x <= most)
    yield Obligation("a code has room", (x >= 0, x <= most), x < 1 << bits)
    yield Obligation("one more rank", codes, both(m.sums(q, x) >= 0, m.sums(q, x) <= (a + 1) * most))
    yield Obligation("all ranks", (p >= 1, p <= k, q >= 0, q <= p * most), q < k * (1 << bits))


def orders(m: Any) -> Iterator[Obligation]:
    """What makes an order of addition no matter."""
    yield Obligation("any two may change places", (), m.sums(x, y) == m.sums(y, x))
    yield Obligation("brackets may move", (), m.sums(m.sums(q, x), y) == m.sums(q, m.sums(x, y)))


def volume(m: Any) -> Iterator[Obligation]:
    """How long messages are: of one plane, and of all that a width has."""
    yield from sharing(m)
    for bits in PLANES:
        yield from sizes(m, bits)
    for bits in WIDE:
        parts = [m.octets(a, plane) for plane in planes(bits)]
        yield Obligation(f"planes, {bits} bits", (a >= 0,), m.octets(a, bits) == sum(parts[1:], parts[0]))


def planes(bits: int) -> Sequence[int]:
    """The widths of a number's planes, of which the last ones make up less than eight."""
    return [8] * (bits // 8) + [width for width in PLANES[1:] if bits & width]


def sizes(m: Any, bits: int) -> Iterator[Obligation]:
    """The bytes of a plane."""

    def octets(c: Int) -> Int:
        size: Int = m.octets(c, bits)
        return size

    yield Obligation(f"none, {bits} bits", (), octets(0) == 0)
    yield Obligation(f"room for all, {bits} bits", (a >= 0,), 8 * octets(a) >= bits * a)
    yield Obligation(f"and no more, {bits} bits", (a >= 0,), 8 * octets(a) <= bits * a + 7)
    yield Obligation(f"fewer entries, {bits} bits", (a >= 0, b >= a), octets(a) <= octets(b))
    yield Obligation(f"full bytes, {bits} bits", (e >= 0,), octets(8 * e) == bits * e)


def bounded(page: Page) -> Bounded:
    """What a call sends at most; raises InputError for parameters that the page does not take.

    Sums have ``d = ceil(log2(p))`` bits more than codes.  The planes of a number have as many bits together, and
    each takes no more bytes than bits for every eight numbers.
    """
    m: Any = page.module
    m.checked(m.Params(**page.params))
    bits = page.params["bits"]
    return quantised.bounded(
        quantised.of_vectors(m, ENDS, lambda c: 2 * quantised.width, adds=False),
        quantised.of_chunks(m, quantised.COPIES, 0, lambda c: m.octets(c, bits)),
        quantised.of_chunks(m, quantised.SUMS, 1, lambda c: (bits + d) * ((c + 7) // 8), (*eights(m),)),
    )


def eights(m: Any) -> Iterator[Obligation]:
    """What planes take."""
    for bits in PLANES:
        yield Obligation(f"eight at a time, {bits} bits", (a >= 0,), m.octets(a, bits) <= bits * ((a + 7) // 8))


def played(page: Page, ranks: int) -> Iterator[Played]:
    """Calls that are counted beside it; with eight numbers to a chunk all bytes are full."""
    return quantised.calls(page, ranks, (ENDS, quantised.COPIES, quantised.SUMS), 8)


def peers(page: Page) -> Iterator[Obligation]:
    """``impl/thc.py`` has neighbours, blocks and sizes of its own."""
    impl: Any = everyone
    m: Any = page.module
    yield Obligation("to whom", TURN, impl.above(r, i, p) == m.dst(r, i, p))
    yield Obligation("from whom", TURN, impl.below(r, i, p) == m.src(r, i, p))
    yield Obligation("blocks", (p >= 1, n >= 0, within(c)), impl.begin(c, n, p) == m.bound(c, n, p))
    for bits in WIDE:
        yield Obligation(f"sizes, {bits} bits", (a >= 0,), impl_wholes.size(a, bits) == m.octets(a, bits))
