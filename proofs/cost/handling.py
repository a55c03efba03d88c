"""What ranks do with sparse entries between two messages, priced by a machine's tables.

A derived cost prices messages, bytes and additions.  How many entries are merged, packed and
selected beside these is said here, by what a page's chunks are, and is our own count.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from sparring.proofs.cost.machines import Machine
from sparring.spec.core.model import Page


def work(machine: Machine, page: Page, point: Any, p: int, n: int, k: int) -> Fraction:
    """Seconds of a rank's work on entries that the cost at this ``point``, of two ranks or more, does not price."""
    data, hops, messages = page.data, p - 1, int(point.messages)
    if data == "lists":  # its own is packed, and all are added in the end
        return machine.seconds("pack", k) + machine.seconds("merge", p * k)
    if data == "sparse":  # on the first lap what comes is added to the rank's own part; every message is read
        merged, sent = point.added + Fraction(hops * k, p), Fraction(point.pairs, 2 * messages)
        return hops * machine.seconds("merge", Fraction(merged, hops)) + messages * machine.seconds("pack", sent)
    if page.once:  # of every chunk; what is packed is what is added
        return p * machine.seconds("select", Fraction(n, p)) + hops * machine.seconds("pack", point.added / hops)
    if data == "selected":  # of every chunk, once
        sent = Fraction(point.words, 2 * messages)
        return p * machine.seconds("select", Fraction(n, p)) + messages * machine.seconds("pack", sent)
    return Fraction(0)
