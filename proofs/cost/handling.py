"""What ranks do with sparse entries between two messages, priced by a machine's tables.

A derived cost prices messages, bytes and additions.  How many entries are merged, packed and
selected beside these is said here, by what a page's chunks are, and is our own count.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from sparring.proofs.cost.machines import Machine
from sparring.spec.core.model import Page
from sparring.spec.core.schedule import number, truth


def work(machine: Machine, page: Page, point: Any, p: int, n: int, k: int) -> Fraction:
    """Seconds of a rank's work on entries that the cost at this ``point``, of two ranks or more, does not price."""
    messages = int(point.messages)
    if page.data == "lists":  # its own is packed, and all are added in the end
        return machine.seconds("pack", k) + machine.seconds("merge", p * k)
    if page.data == "sparse":  # what comes to be added is merged with the rank's own part; every message is read
        merges, sent = merging(page, p), Fraction(point.pairs, 2 * messages)
        own = Fraction(merges * k, p) if page.cuts else point.added  # of a whole vector, as much as what comes
        merged = machine.seconds("merge", Fraction(point.added + own, merges))
        return merges * merged + messages * machine.seconds("pack", sent)
    if page.once:  # of every chunk; what is packed is what is added
        hops = p - 1
        return p * machine.seconds("select", Fraction(n, p)) + hops * machine.seconds("pack", point.added / hops)
    if page.data == "selected" and not page.cuts:  # of the whole vector, then of each sum
        merges, each = merging(page, p), machine.seconds("merge", 2 * k) + machine.seconds("select", 2 * k)
        return machine.seconds("select", n) + merges * each + messages * machine.seconds("pack", k)
    if page.data == "selected":  # of every chunk, once
        sent = Fraction(point.words, 2 * messages)
        return p * machine.seconds("select", Fraction(n, p)) + messages * machine.seconds("pack", sent)
    return Fraction(0)


def merging(page: Page, p: int) -> int:
    """The messages that a rank adds, one after the other."""
    return sum(number(page.messages(t, p)) for t in range(number(page.steps(p))) if truth(page.adds(t, p)))
