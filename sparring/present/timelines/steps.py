"""Timelines of what goes step by step: a page's schedule, or a run of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import NamedTuple

from sparring.costs.links.machines import Machine
from sparring.present.spacetime.history import Hop, count, hops
from sparring.present.timelines.events import Args
from sparring.present.timelines.timeline import UNIT, Span, Timeline
from sparring.spec.core.blocks import named
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Int
from sparring.spec.core.schedule import number

IN_STEPS = "a step takes a millisecond"


class Sending(NamedTuple):
    """One message: its ranks, its bytes where they are known, its name, and what is told at either end."""

    src: int
    dst: int
    nbytes: int | None
    name: str
    told: Mapping[str, object] = {}
    sent: Mapping[str, object] = {}
    received: Mapping[str, object] = {}


def of_page(page: Page, p: int) -> Timeline:
    """Return the schedule of ``page`` at ``p`` ranks, a step a unit of time; raises ScheduleFault as the page does."""
    steps = [[of_hop(page, hop, p) for hop in step] for step in hops(page, p)]
    return of_steps(f"{page.name} at {count(p, 'rank')}", p, steps)


def of_hop(page: Page, hop: Hop, p: int) -> Sending:
    """Return a page's message: its chunks, what its receiver does, and the values of the formulas that say so."""
    told = {"chunks": named(hop.chunks), "receiver": hop.look.value}
    sends = {"dst": page.dst, "chunk": page.chunk} | ({"count": page.count} if page.blocks else {})
    if page.several:  # which of several a message is, j, it does not tell
        return Sending(hop.src, hop.dst, None, hop.label, told)
    asked = values_at(sends, hop.t, hop.src, p), values_at({"src": page.src}, hop.t, hop.dst, p)
    return Sending(hop.src, hop.dst, None, hop.label, told, *asked)


def values_at(formulas: Mapping[str, Callable[..., Int]], t: int, r: int, p: int) -> Args:
    """Return the values of formulas for a rank and a step, each by what was asked."""
    return {f"{name}(r={r}, t={t}, p={p})": number(formula(r, t, p)) for name, formula in formulas.items()}


def of_steps(title: str, p: int, steps: Sequence[Sequence[Sending]], machine: Machine | None = None) -> Timeline:
    """Return the messages of these steps.

    A step begins when the last message of the step before has come.  On a ``machine`` a message takes its alpha, and
    its beta for each byte; else each takes a unit of time.
    """
    spans: list[Span] = []
    now = 0
    for t, step in enumerate(steps):
        ends = [now + lasts(one, machine) for one in step]
        for one, end in zip(step, ends):
            size = {} if one.nbytes is None else {"bytes": one.nbytes}
            told = {"step": t, "from": one.src, "to": one.dst, **one.told, **size}
            spans.append(Span(one.src, "sends", one.name, now, end, {**told, **one.sent}))
            spans.append(Span(one.dst, "receives", one.name, now, end, {**told, **one.received}))
        now = max(ends, default=now)
    arrows = [(i, i + 1) for i in range(0, len(spans), 2)]
    told_time = f"in lock step on the machine {machine.name or 'given'}" if machine else IN_STEPS
    return Timeline(title, told_time, p, spans, arrows)


def lasts(one: Sending, machine: Machine | None) -> int:
    """Return how many nanoseconds a message takes, two at least."""
    if machine is None or one.nbytes is None:
        return UNIT
    return max(2, ceil((machine.alpha + machine.beta * one.nbytes) * 10**9))
