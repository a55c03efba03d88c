"""A trace's messages beside those of a page whose lengths depend on the entries, which a trace does not have.

Counted is how many messages each rank sends each other.  Digests tell agreement, as in
:mod:`sparring.checks.judges.trace_lengths`: messages that in the page have the same bits, whatever the vectors.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any, TypeVar

import numpy as np

from sparring.checks.examples.series import KEPT
from sparring.checks.judges.trace_lengths import NO_TWINS, Like, disagreement, sends, twins
from sparring.sparse import Sparse
from sparring.spec.core.loading import load
from sparring.spec.core.model import Page
from sparring.spec.core.schedule import number, step_sends
from sparring.trace.compare import messages
from sparring.trace.divergence import Expected
from sparring.trace.events import Event, Trace

Message = TypeVar("Message", Event, Expected)
Channels = dict[tuple[int, int], list[Message]]
"""Messages by source and destination, in the order of posting."""
COUNTED = "as many messages from each rank to each as the page; what is in them a trace does not tell"
UNSIZED = "how long messages of {} are depends on entries, which a trace does not have"
BESIDE = "; where each rank's vector lies beside it, as rankR.npz, they are compared"
FEWER = "rank {} sends rank {} {} messages, the page {}; it may leave out those without entries, and a trace has none"


def compared(page: Page, trace: Trace) -> tuple[dict[str, str], dict[str, str]]:
    """Say what is wrong with steps and agreement, and why volume, and maybe steps and agreement, are not judged."""
    sent: Channels[Event] = defaultdict(list)
    for event in trace.sends():
        sent[event.rank, event.peer].append(event)
    wanted: Channels[Expected] = defaultdict(list)
    for message in expected(page, trace):
        wanted[message.src, message.dst].append(message)
    gaps = {"volume": UNSIZED.format(page.name) + BESIDE * (not page.selecting)}
    unlike = {**gaps, "agreement": "messages are not those of the page"}
    if flaw := surplus(sent, wanted):
        return {"steps": flaw}, unlike
    for channel, planned in wanted.items():
        if len(sent[channel]) < len(planned):
            return {}, {**unlike, "steps": FEWER.format(*channel, len(sent[channel]), len(planned))}
    pairs = [pair for channel, planned in wanted.items() for pair in zip(planned, sent[channel])]
    alike = twins(Like(m.place, m.entries.tobytes(), event) for m, event in sorted(pairs, key=lambda pair: pair[0][:2]))
    why = disagreement(alike)
    return ({"agreement": why} if why else {}), (gaps if alike else {**gaps, "agreement": NO_TWINS})


def expected(page: Page, trace: Trace) -> list[Expected]:
    """Return the page's messages on vectors of random numbers; for a stateful page, in as many calls as the run has."""
    p, rng = trace.ranks, np.random.default_rng(0)
    n = 2 * number(page.chunks(p))  # every chunk has entries, by which it is recognized
    if not page.stateful:
        xs: list[Any] = [Sparse(np.arange(n), rng.standard_normal(n), n) for _ in range(p)]
        return list(messages(page, xs))
    whole = load(page.module, **{**page.params, KEPT: n})
    once = sum(len(step_sends(whole, t, p)) for t in range(number(whole.steps(p))))
    calls = max(1, round(sum(1 for _ in trace.sends()) / max(1, once)))
    return list(messages(whole, [rng.standard_normal((calls, n)) for _ in range(p)]))


def surplus(sent: Channels[Event], wanted: Channels[Expected]) -> str:
    """Name the first message of a rank on a channel where the page sends no more; "" if there is none."""
    for channel, events in sorted(sent.items()):
        if len(events) > (planned := len(wanted[channel])):
            first = events[planned]
            return (
                f"rank {first.rank} {sends(first)}, the page sends rank {first.peer} nothing{' more' * bool(planned)}"
            )
    return ""
