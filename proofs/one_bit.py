"""What is proved of the 1-bit allreduce, for every number of ranks, whatever the vectors hold.

Entries are letters: claims are linear and have no constants, so that they hold of all rational numbers if they
hold of whole ones, and of real ones, too.  ``a`` is what some ranks had at an index, errors included, ``b``
what is read of it, ``e`` what they keep; ``x`` is one rank's more, ``d`` what is read of that.  Of the server's
numbers ``k``, ``u`` and ``v`` are ``p`` times its error before, its error after and the result: the functions
are linear, and so need no division.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

from sparring.impl.core import everyone
from sparring.impl.core import signs as impl_signs
from sparring.proofs.core.obligations import Obligation, c, i, n, p, r, within
from sparring.proofs.core.parts import Bounded, Played
from sparring.proofs.core.rotation import TURN, of_chunks, of_ports, of_waiting, rotation, same_codes
from sparring.proofs.core.supplement import Stated
from sparring.proofs.cost import quantised
from sparring.proofs.cost.oktopk import sharing
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Int, Sym, where

a, b, d, e, f, k, u, v, x, y = (Sym.var(name) for name in ("a", "b", "d", "e", "f", "k", "u", "v", "x", "y"))

WIDTHS = (4, 8)
"""Bytes of an entry."""

others = ({"norm": 1},)
refused = ({"norm": 0}, {"norm": 3})

faults: Mapping[str, Mapping[str, Any]] = {
    "sends to the next rank but one": {"dst": lambda r, j, p: (r + j + 1) % p},
    "chunks of equal length, the rest dropped": {"bound": lambda c, n, p: c * (n // p)},
    "an owner keeps its mean as it is": {"taken": lambda r, c, total, read: where(r == c, total, read)},
    "an error is not added": {"together": lambda x, error: x},
    "an error with the wrong sign": {"kept": lambda m, read: read - m},
    "a last byte that is not full is not told": {"octets": lambda c, width: width + c // 8},
    "all ranks send to the same one": {"dst": lambda r, j, p: j},
}

asked = {
    "bound": lambda c, n, p: 0 <= c <= p,
    "dst": lambda r, j, p: 0 <= r < p and 1 <= j < p,
    "src": lambda r, j, p: 0 <= r < p and 1 <= j < p,
}

shown = {"residual": lambda state, r: state.worker[r], "server_residual": lambda state, r: state.server[r]}


def kept(state: Any, xs: Sequence[Any], i: int) -> Iterator[str]:
    """What is wrong with the errors, whose entries are finite whatever the vectors hold."""
    n, p = len(xs[0]), len(xs)
    if [len(error) for error in state.worker] != [n] * p or sum(map(len, state.server)) != n or len(state.server) != p:
        yield f"after call {i} errors are not those of {p} ranks and their chunks of {n} entries"
    if not all(isfinite(value) for error in (*state.worker, *state.server) for value in error):
        yield f"after call {i} an error is not finite"


def theorems(page: Page) -> Iterator[Stated]:
    """All of them."""
    m: Any = page.module
    yield Stated(
        "result", "Each chunk is averaged once, at its rank, from one message of each other rank, and comes from "
        "there to all.", (*rotation(m),), "sends to the next rank but one",
    )  # fmt: skip
    yield Stated(
        "agreement", "Of each chunk all ranks take what is read from the same codes, its own rank included.",
        (*same_codes(m), *rotation(m)), "an owner keeps its mean as it is",
    )  # fmt: skip
    yield Stated(
        "conservation", "At each entry, whatever scales and signs are, p times the results of any number of calls, "
        "all worker errors and p times the server's error add up to what all ranks had in these calls and the errors "
        "before, in exact arithmetic.", (*mass(m),), "an error is not added",
    )  # fmt: skip
    yield of_chunks(m)
    yield of_waiting(m)
    yield of_ports(m)
    yield Stated(
        "volume", "A message of c entries has a scale and c bits, filled up to bytes; so with n = 8 p e a rank sends "
        "2 (p - 1) messages of e bytes and a scale, and with fewer entries no more.",
        volume(m), "a last byte that is not full is not told",
    )  # fmt: skip


def mass(m: Any) -> Iterator[Obligation]:
    """Over one more rank, over both sides of a call, and over one more call."""
    had = m.together(x, y)
    yield Obligation("what a rank keeps", (), m.kept(had, d) + d == x + y)
    yield Obligation("one more rank", (a == b + e,), a + (x + y) == (b + d) + (e + m.kept(had, d)))
    owner = m.together(b, k)  # p times the mean and p times the error before
    yield Obligation("one call", (a == b + e, u == m.kept(owner, v)), a + k == v + e + u)
    # a: all that was put in, and the errors at first; b: all results; c: both errors now; d, f: the next call's
    yield Obligation("one more call", (a == b + c, d + c == e + f), a + d == (b + e) + f)


def volume(m: Any) -> Iterator[Obligation]:
    """How long messages are, of entries of 4 and of 8 bytes."""
    yield from sharing(m)
    for width in WIDTHS:
        yield from sizes(m, width)


def sizes(m: Any, width: int) -> Iterator[Obligation]:
    """The messages of one type."""

    def octets(c: Int) -> Int:
        size: Int = m.octets(c, width)
        return size

    what = f"{width} bytes"
    yield Obligation(f"a scale, {what}", (), octets(0) == width)
    yield Obligation(f"room for all signs, {what}", (a >= 0,), 8 * (octets(a) - width) >= a)
    yield Obligation(f"and no more, {what}", (a >= 0,), 8 * (octets(a) - width) <= a + 7)
    yield Obligation(f"fewer entries, {what}", (a >= 0, b >= a), octets(a) <= octets(b))
    yield Obligation(f"full bytes, {what}", (e >= 0,), octets(8 * e) == e + width)


def bounded(page: Page) -> Bounded:
    """What a call sends at most; raises InputError for parameters that the page does not take."""
    m: Any = page.module
    m.checked(m.Params(**page.params))

    def sizes(c: Int) -> Int:
        octets: Int = m.octets(c, quantised.width)
        return octets

    return quantised.bounded(
        quantised.of_chunks(m, quantised.COPIES, 0, sizes), quantised.of_chunks(m, quantised.SUMS, 1, sizes)
    )


def played(page: Page, ranks: int) -> Iterator[Played]:
    """Calls that are counted beside it."""
    return quantised.calls(page, ranks, (quantised.COPIES, quantised.SUMS))


def peers(page: Page) -> Iterator[Obligation]:
    """``impl/one_bit.py`` has neighbours, blocks and sizes of its own."""
    impl: Any = everyone
    m: Any = page.module
    yield Obligation("to whom", TURN, impl.above(r, i, p) == m.dst(r, i, p))
    yield Obligation("from whom", TURN, impl.below(r, i, p) == m.src(r, i, p))
    yield Obligation("blocks", (p >= 1, n >= 0, within(c)), impl.begin(c, n, p) == m.bound(c, n, p))
    for width in WIDTHS:
        yield Obligation(f"sizes, {width} bytes", (a >= 0,), impl_signs.size(a, width) == m.octets(a, width))
