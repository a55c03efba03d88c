"""The flags: what is remarkable about a test, and what it is good for.

A test is never said to have a flag; that it has is found in what it does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sparring.proofs.statements.compositions import reached
from sparring.sparse_lists import fills
from sparring.spec.core.model import Page
from sparring.vectors import dense
from sparring.vectors import predicates as what
from sparring.vectors.dense.flags import COMMON
from sparring.vectors.flag import Flag

CUTTING = {"reduce_scatter", "hand"}
"""Exchanges that cut whole vectors into chunks."""


def cut(page: Page) -> bool:
    return page.cuts and (not page.composed or (page.dense and bool(CUTTING & reached(page))))


def summed(page: Page) -> bool:
    """Return whether results are sums of the inputs, and not means or sums of decoded values."""
    return not page.dense


def sparse(page: Page) -> bool:
    return page.sparse


def long(page: Page) -> bool:
    """Return whether vectors may be very long: if sums go dense by a rule, they must fit into memory."""
    return page.sparse and not fills(page)


def chunked(page: Page) -> bool:
    return page.data == "sparse"


def signed(page: Page) -> bool:
    """Return whether -0.0 goes into sums as it is: where a page selects, it is added to a residual of +0.0 first."""
    return summed(page) and not page.selecting


def selects(page: Page) -> bool:
    return page.selecting


def exactly(page: Page) -> bool:
    """Return whether of equal entries some may be selected, and not all; and each chunk has its part of k."""
    return page.selecting and not page.composed


def program(page: Page) -> bool:
    return page.composed and page.selecting


def limited(page: Page) -> bool:
    return page.selecting and "k" in page.params


def limited_by_chunk(page: Page) -> bool:
    return limited(page) and exactly(page)


FLAGS: Mapping[str, Flag] = {
    "OneRank": Flag(
        "edge",
        "There is one rank.",
        "It sends nothing, but its result is made as any other: without -0.0, and as selective.",
        lambda case: case.p == 1,
    ),
    "PNotPowerOfTwo": Flag(
        "edge",
        "The number of ranks is no power of two.",
        "Schedules of halves or doubles need steps before and after, which are easily wrong.",
        lambda case: case.p & (case.p - 1) > 0,
    ),
    "NSmallerThanP": Flag(
        "edge",
        "The vectors have fewer entries than there are ranks.",
        "Where vectors are cut some chunks are empty: messages of no entries, which may not hang or read beyond.",
        lambda case: case.n < case.p,
    ),
    "NoEntries": Flag(
        "edge",
        "The vectors have no entries.",
        "Buffers have no bytes; divisions by n fail.",
        lambda case: case.n == 0,
    ),
    "UnevenChunks": Flag(
        "edge",
        "The number of chunks does not divide the number of entries.",
        "Chunk c is [c*n//chunks, (c+1)*n//chunks); chunks of equal lengths lose the rest.",
        what.uneven,
        cut,
    ),
    "OrderOfAddition": Flag(
        "arithmetic",
        "Adding in the order of ranks, or in the reverse order, gives different bits.",
        "Only the order of the declared steps gives the bits of the result.",
        what.floats(what.ordered),
        summed,
    ),
    "Cancellation": Flag(
        "arithmetic",
        "Exactly added, the contributions to some entry are less than 2^-20 of the largest of them.",
        "Another order of additions may give a result without one right digit.",
        what.floats(what.cancels),
        summed,
    ),
    "SubnormalSum": Flag(
        "arithmetic",
        "Some sum is not zero, and smaller than the smallest normal number.",
        "Arithmetic that flushes subnormal numbers to zero loses it.",
        what.floats(what.subnormal),
        summed,
    ),
    "SignedZero": Flag(
        "arithmetic",
        "To some entry every contribution is -0.0.",
        "In IEEE 754 the sum is -0.0; results have +0.0 for it.",
        what.floats(what.negative_zeros),
        signed,
    ),
    "Infinite": Flag(
        "arithmetic",
        "Some contribution is infinite.",
        "It is added as any other number is.",
        what.floats(what.infinite),
        summed,
    ),
    "NotANumber": Flag(
        "arithmetic",
        "Some sum is NaN, which came in or was made of infinities that cancel.",
        "It must reach all ranks; which NaN it is does not matter.",
        what.floats(what.no_number),
        summed,
    ),
    "Overflow": Flag(
        "arithmetic",
        "Finite contributions have an infinite sum.",
        "Sums in a wider type, or that stop at the largest number, differ.",
        what.floats(what.overflows),
        summed,
    ),
    "IntegerWrap": Flag(
        "arithmetic",
        "The exact sum of integers is out of range.",
        "It wraps around; sums that go through floats, or saturate, differ.",
        what.integers(what.wraps),
        summed,
    ),
    "EmptyRank": Flag(
        "sparsity",
        "Some rank has no entries, though n is not 0.",
        "Its messages are empty, not missing.",
        what.calls(what.rank_without),
        sparse,
    ),
    "FillIn": Flag(
        "sparsity",
        "The sum has more entries than any rank has.",
        "Buffers as long as one's own list are too short.",
        what.calls(what.fills_in),
        sparse,
    ),
    "SameSupport": Flag(
        "sparsity",
        "All ranks, of several, have the same entries.",
        "Every entry is added, none is only copied.",
        what.calls(what.same),
        sparse,
    ),
    "ZeroInSupport": Flag(
        "sparsity",
        "The sum is zero where some rank has an entry.",
        "It stays an entry, whether a zero came in or numbers cancelled: the support is the union of all.",
        what.calls(what.stays_zero),
        sparse,
    ),
    "LongVector": Flag(
        "sparsity",
        "The vectors have more than 2^31 entries.",
        "Indices overflow 32 bits, and nothing of length n fits into memory.",
        lambda case: case.n > 2**31,
        long,
    ),
    "FullChunk": Flag(
        "sparsity",
        "The sum has entries that no rank had.",
        "A chunk for which dense is the shortest encoding has all entries from then on, 0 where no rank had one.",
        what.calls(what.full),
        chunked,
    ),
    "Ties": Flag(
        "selection",
        "Of entries of one magnitude some are sent and some are left.",
        "Those of lower index are sent; by any other rule, others are.",
        what.ties,
        exactly,
    ),
    "NaNFirst": Flag(
        "selection",
        "A NaN is kept while numbers are left.",
        "NaN comes before all numbers; since comparing with it is always false, sorting may go wrong.",
        what.nan_first,
        selects,
    ),
    "Residual": Flag(
        "selection",
        "A call begins with something that an earlier one left.",
        "It is added to the new vector before anything is sent; if not, mass is lost.",
        what.carries,
        selects,
    ),
    "KeepNone": Flag(
        "selection",
        "k is 0.",
        "All messages and the result are empty; everything waits.",
        lambda case: what.kept(case) == 0,
        limited,
    ),
    "KSmallerThanP": Flag(
        "selection",
        "k is smaller than the number of ranks, and not 0.",
        "Chunk c has (c+1)*k//p - c*k//p of the k entries, which for some is none.",
        lambda case: 0 < what.kept(case) < case.p,
        limited_by_chunk,
    ),
    "KLargerThanN": Flag(
        "selection",
        "k is larger than n.",
        "It counts as n.",
        lambda case: what.kept(case) > case.n,
        limited,
    ),
    "EqualToThreshold": Flag(
        "selection",
        "In a call that finds thresholds anew some rank has more than k entries as large as its threshold.",
        "All that reach the threshold are sent; exactly k are not.",
        what.more_than_k,
        program,
    ),
    "OlderThreshold": Flag(
        "selection",
        "In some call a rank sends by a threshold of an earlier one.",
        "It is kept, whatever the vectors are by then; a new one would send other entries.",
        what.older,
        program,
    ),
    "FollowedThreshold": Flag(
        "selection",
        "In some call a threshold of sums is another than in the call before, though none is found anew.",
        "It follows how many have reached it, rounded after each step; one that stays sends other entries.",
        what.followed,
        program,
    ),
    "DealtOut": Flag(
        "selection",
        "In some call sums are dealt out anew.",
        "That is decided by the sizes of all ranks, and lasts a step, from which only messages with entries are left.",
        what.dealt,
        program,
    ),
}
"""All flags that several algorithms have, by name, in the order in which they are listed."""


def known(page: Page) -> Mapping[str, Flag]:
    """Return the flags that tests of this page may have; those of a composition on whole vectors come last."""
    return {**FLAGS, **COMMON, **getattr(dense.own(page), "FLAGS", {})} if page.dense else FLAGS


def applying(page: Page) -> list[str]:
    """Return the names of the flags that some test of this page must have."""
    return [name for name, flag in known(page).items() if flag.on(page)]


def flags(case: Any) -> list[str]:
    """Return the names of the flags that the test, carried out, has."""
    return [name for name in applying(case.page) if known(case.page)[name].holds(case)]


def notes(page: Page, names: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return the kind, description and effect of these flags, by name."""
    wanted = {*names}
    told = ("kind", "description", "effect")
    return {name: {key: getattr(flag, key) for key in told} for name, flag in known(page).items() if name in wanted}
