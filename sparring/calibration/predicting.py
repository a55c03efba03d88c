"""What a machine's numbers say that an algorithm takes: its derived cost, and the work on entries beside it.

A derived cost prices messages, bytes and additions.  What an implementation does with sparse vectors
between two messages is priced by the machine's tables; how many entries are merged, packed and
selected is said here, by what a page's chunks are, and is our own count.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from sparring.errors import SparringError
from sparring.proofs.cost import costs, unioncost
from sparring.proofs.cost.costs import Cost
from sparring.proofs.cost.machines import Machine
from sparring.proofs.cost.unioncost import UnionCost
from sparring.spec.core.model import Page


def cost(page: Page) -> Cost | UnionCost | str:
    """Its derived cost, of independent supports; or why there is none."""
    try:
        return unioncost.derive(page, "independent") if page.data == "sparse" else costs.cost(page)
    except SparringError as error:
        return str(error)


def seconds(machine: Machine, cost: Cost | UnionCost, p: int, n: int, k: int | None) -> float | str:
    """What a call takes; or why nothing can be said, as for a number of ranks for which no cost is derived.

    The machine has tables for all work.
    """
    letters = {**machine.letters, **({"gamma": Fraction(0)} if cost.page.data == "sparse" else {})}
    try:
        point = cost.at(p=p, n=n, **letters, **({} if k is None else {"k": k}))
    except SparringError as error:
        return str(error)
    if point.time is None:
        return "its time is not derived"
    return float(point.time + work(machine, cost.page.data, point, p, n, k or 0))


def work(machine: Machine, data: str, point: Any, p: int, n: int, k: int) -> Fraction:
    """Seconds of a rank's work on entries that the cost at this ``point``, of two ranks or more, does not price."""
    hops, messages = p - 1, int(point.messages)
    if data == "lists":  # its own is packed, and all are added in the end
        return machine.seconds("pack", k) + machine.seconds("merge", p * k)
    if data == "sparse":  # on the first lap what comes is added to the rank's own part; every message is read
        merged, sent = point.added + Fraction(hops * k, p), Fraction(point.pairs, 2 * messages)
        return hops * machine.seconds("merge", Fraction(merged, hops)) + messages * machine.seconds("pack", sent)
    if data == "selected":  # of every chunk, once
        sent = Fraction(point.words, 2 * messages)
        return p * machine.seconds("select", Fraction(n, p)) + messages * machine.seconds("pack", sent)
    return Fraction(0)
