"""Documents of what was seen: the messages of a run, alone or beside those of its page.

Of a run that leaves its page the messages stand in the page's steps, as in :mod:`sparring.present.divergence`.  A run
without a page has steps of its own, see :mod:`sparring.present.explorer.layout`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

import msgspec
import numpy as np

from sparring.present.divergence.placing import meant, placed
from sparring.present.explorer.document import Detail, Finding, Message, Run, Stage, Step
from sparring.present.spacetime.history import Cells, Hop, cells
from sparring.spec.core.model import Page
from sparring.spec.core.schedule import number, truth
from sparring.trace.compare import legible, messages
from sparring.trace.divergence import Divergence, Expected
from sparring.trace.events import Event, Trace
from sparring.world.core.findings import Sent

MOST = 2_000
"""The most messages of a run that a document has; a step or a local work without messages counts as one."""
FOLLOWED = 2**20
"""The most contributions, of all ranks to all copies, that are followed."""
VALUES = 8
"""The most entries of a message that are shown."""


def texts(entries: Any) -> list[str]:
    """Return the first entries as text, with all digits; an index stands before its value.

    >>> texts(np.array([1.0, 0.1 + 0.2])), texts(np.arange(10))[-2:]
    (['1.0', '0.30000000000000004'], ['7', '…'])
    """
    if entries is None or entries.dtype.hasobject:
        return []
    some = entries[:VALUES].tolist()
    shown = [":".join(map(str, one)) if entries.dtype.names else str(one) for one in some]
    return shown + ["…"] * (entries.size > VALUES)


class Arrow(NamedTuple):
    """A message in its step, with what is known of it."""

    step: int
    message: Message
    detail: Detail


def stepped(arrows: Sequence[Arrow], total: int = 0) -> list[Step]:
    """Return the steps of these messages, at least ``total``."""
    found: dict[int, Step] = {}
    for t, group in groupby(
        sorted(arrows, key=lambda one: (one.step, one.message.src, one.message.dst)), key=lambda one: one.step
    ):
        own = list(group)
        details = [msgspec.structs.replace(one.detail, message=i) for i, one in enumerate(own)]
        found[t] = Step([one.message for one in own], t=t, details=[d for d in details if d != Detail(d.message)])
    return [found.get(t, Step(t=t)) for t in range(max([total, *(t + 1 for t in found)]))]


def seen_detail(seen: Event | Sent, **more: Any) -> Detail:
    """Return what is known of a message that was sent."""
    values = texts(seen.payload)
    return Detail(0, entries=seen.count, bytes=seen.nbytes, values=values, where=seen.where, **more)


# --- a run beside its page ---


@dataclass(frozen=True)
class Beside:
    """A page, its messages, a run that leaves the page, and where it does so.

    ``calls``: how often the page was run.  ``sized``: of the page's messages only the lengths are known.
    """

    page: Page
    wanted: Sequence[Expected]
    trace: Trace
    divergence: Divergence
    calls: int = 1
    sized: bool = False

    @classmethod
    def of_inputs(cls, page: Page, xs: Sequence[Any], trace: Trace, divergence: Divergence) -> Beside:
        """Return a run on these inputs, one vector a rank, or for a page with state one row a call."""
        with np.errstate(all="ignore"):
            wanted, read = list(messages(page, xs)), legible(page, xs, trace)
        return cls(page, wanted, read, divergence, len(xs[0]) if page.stateful else 1)

    def runs(self) -> list[Run]:
        """Return the page's run and the observed one, both in the page's steps."""
        planned, ran = [self.planned(one) for one in self.wanted], list(self.observed())
        heading = "observed" if any(self.trace.sends()) else "observed: no messages"
        return [Run(self.stages(planned), "the page"), Run(self.stages(ran), heading)]

    def values(self, one: Expected) -> list[str]:
        """Return what the page's message holds, as text."""
        return [] if self.sized else texts(one.entries)

    def hop(self, one: Expected) -> Hop:
        """Return the page's message as what :func:`placed` takes."""
        return Hop(one.step, one.src, one.dst, 0, adds=False)

    def message(self, one: Expected) -> Message:
        """Return the page's message, with its chunks where it has any."""
        if one.chunks is None:
            return Message(one.src, one.dst)
        step = one.step % max(1, number(self.page.steps(self.trace.ranks)))
        return Message(one.src, one.dst, list(one.chunks), truth(self.page.adds(step, self.trace.ranks)))

    def planned(self, one: Expected) -> Arrow:
        """Return the page's message; it is marked where the run differs from it."""
        look = "expected" if meant(self.hop(one), self.divergence) else ""
        entries, values = one.entries, self.values(one)
        detail = Detail(0, look=look, entries=entries.size, bytes=entries.nbytes, values=values)
        return Arrow(one.step, self.message(one), detail)

    def observed(self) -> Iterator[Arrow]:
        """Yield the messages of the run, one of them wrong or missing; of a wrong volume, all of a rank."""
        wanted, known, differs = self.wanted, {one[:3]: one for one in self.wanted}, False
        silent = {one[:3] for one in wanted if not one.entries.size}
        for t, event, hop, wrong in placed([self.hop(one) for one in wanted], self.trace, self.divergence, silent):
            differs |= wrong
            like = known.get(hop[:3]) if hop else None
            if wrong:
                instead = like or next((one for one in wanted if meant(self.hop(one), self.divergence)), None)
                detail = seen_detail(event, look="wrong", says=str(self.divergence))
            else:
                instead, detail = like, seen_detail(event)
            if instead and detail.values != (right := self.values(instead)):
                detail = msgspec.structs.replace(detail, wanted=right)
            as_long = like is not None and event.count == like.entries.size
            yield Arrow(t, self.message(like) if like and as_long else Message(event.rank, event.peer), detail)
        for one in wanted if not differs else ():
            if meant(self.hop(one), self.divergence):
                detail = Detail(0, look="missing", says=str(self.divergence), wanted=self.values(one))
                yield Arrow(one.step, Message(one.src, one.dst), detail)

    def stages(self, arrows: Sequence[Arrow]) -> list[Stage]:
        """Return a stage for each call of the page, with copies to follow where the page says what they hold."""
        page, p = self.page, self.trace.ranks
        if page.composed:
            return [Stage(page=page.name, steps=stepped(arrows))]
        each, calls = number(page.steps(p)), self.calls
        chunks = number(page.chunks(p))
        known = chunks * p * p <= FOLLOWED
        own, goal = (listed(cells(page, of, p)) if known else None for of in (page.start, page.goal))
        found = []
        for call in range(calls):
            last = call == calls - 1
            of = [one for one in arrows if call * each <= one.step and (last or one.step < (call + 1) * each)]
            moved = [one._replace(step=one.step - call * each) for one in of]
            heading = f"call {call + 1}" if calls > 1 else ""
            cut = chunks if known else 0
            found.append(Stage(heading, page.name, chunks=cut, start=own, goal=goal, steps=stepped(moved, each)))
        return found

    def finding(self, text: str, runs: Sequence[Run]) -> Finding:
        """Return the divergence as the finding on the second run, with ``text`` as its sentence."""
        _, src, dst = self.divergence[:3]
        others = [] if dst < 0 else [dst, *named_ranks(self.divergence.observed, self.trace.ranks)]
        return Finding(text, 1, marked(runs[1]), list(dict.fromkeys([src, *others])), self.divergence.where)


def listed(held: Cells) -> list[list[list[int]]]:
    """Return whose contributions each copy holds, as a document has it."""
    return [[sorted(copy) for copy in row] for row in held]


# --- a run alone ---


def alone(
    sent: Sequence[Event | Sent], steps: Sequence[int], heading: str = "", looks: Mapping[int, tuple[str, str]] = {}
) -> Run:
    """Return a run of these messages in their steps; ``looks``: how some look by their numbers, and what they say."""
    arrows = []
    for i, (one, t) in enumerate(zip(sent, steps)):
        src, dst = (one.rank, one.peer) if isinstance(one, Event) else (one.src, one.dst)
        look, says = looks.get(i, ("", ""))
        arrows.append(Arrow(t, Message(src, dst), seen_detail(one, look=look, says=says)))
    return Run([Stage("messages", steps=stepped(arrows))] if arrows else [], heading)


def shortened(run: Run, at: int | None) -> tuple[Run, int, str]:
    """Return a run of at most ``MOST`` messages that has position ``at``, how many positions fell away before it,
    and a sentence on what was left out; "" if nothing was.

    Copies are followed from the first step on, and so not at all where that fell away.
    """  # noqa: D205  # three things are returned
    sizes = [len(step.messages) or 1 for stage in run.stages for step in stage.steps or [Step()]]
    if sum(sizes) <= MOST:
        return run, 0, ""
    last = first = min(at or 0, len(sizes) - 1)
    room = MOST - sizes[first]
    while first > 0 and sizes[first - 1] <= room:
        first, room = first - 1, room - sizes[first - 1]
    while last + 1 < len(sizes) and sizes[last + 1] <= room:
        last, room = last + 1, room - sizes[last + 1]
    stages, begin = [], 0
    for stage in run.stages:
        end = begin + (len(stage.steps) or 1)
        if begin <= last and end > first:
            steps = stage.steps[max(first - begin, 0) : last + 1 - begin]
            more: dict[str, Any] = {"chunks": 0, "start": None, "goal": None} if first > begin else {}
            stages.append(msgspec.structs.replace(stage, steps=steps, **more))
        begin = end
    return Run(stages, run.heading), first, f"Shown are positions {first} to {last} of {len(sizes)}, from 0 on."


def shown_finding(finding: Finding, before: int, last: int) -> Finding:
    """Return the finding on a run that lost its first ``before`` positions, and whose last one is ``last``."""
    step = None if finding.step is None or last < 0 else min(max(finding.step - before, 0), last)
    return msgspec.structs.replace(finding, step=step)


def marked(run: Run) -> int | None:
    """Return the first position with a message that is wrong or missing; None if there is none."""
    steps = [step for stage in run.stages for step in stage.steps or [Step()]]
    found = (i for i, step in enumerate(steps) if any(one.look in ("wrong", "missing") for one in step.details))
    return next(found, None)


def named_ranks(text: str, p: int) -> list[int]:
    """Return the ranks that a sentence names, in its order.

    >>> named_ranks("rank 2 sends rank 0 nothing more", 3)
    [2, 0]
    """
    found = (int(number) for number in re.findall(r"\brank (\d{1,9})\b", text))
    return list(dict.fromkeys(rank for rank in found if rank < p))


def named_line(text: str) -> str:
    """Return the first source line that a sentence names, as ``file:line``; "" where it names none."""
    found = re.search(r"[^\s()]+\.[A-Za-z]\w*:\d+", text)
    return found[0] if found else ""
