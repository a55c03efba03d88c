"""Collects all findings on a program, each computed once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, islice, pairwise

from sparring.schedules import agreement, collectives, cost, deadlock, graph, link_contention, plans, races, rccl
from sparring.schedules.agreement import Unequal
from sparring.schedules.chunk_flows import Told
from sparring.schedules.collectives import Sums, Wrong
from sparring.schedules.graph import Channel
from sparring.schedules.memory import Places, Touched, touched
from sparring.schedules.messages import Messages
from sparring.schedules.plans import Plan
from sparring.schedules.program import USES, Program
from sparring.schedules.races import Clock, Race


class Judgement:
    """The findings on a program, or on messages alone; each is computed when it is first asked for.

    Raises InputError where the parts of the program do not fit together.
    """

    def __init__(self, subject: Program | Messages | Told | Plan) -> None:
        self.gaps: Mapping[str, str] = {}
        """Properties that the file says too little about, each with the reason."""
        self.plan = subject if isinstance(subject, Plan) else None
        if isinstance(subject, Told):
            subject, self.gaps = subject
        self.program: Program | None = None
        if isinstance(subject, Plan):
            self.program, self.graph, self.gaps = subject.program, subject.graph, subject.gaps
        else:
            self.program = subject if isinstance(subject, Program) else None
            self.graph = graph.of_program(subject) if isinstance(subject, Program) else graph.of_messages(subject)
        self.places = Places(self.program) if self.program else None
        self.ways = ""
        """How the program is called, in place or out of place or both, where its file names both."""
        self.wrong_count = 0  # of all places, once ``wrong`` has been asked for
        self.touches: Sequence[Touched] = list(touched(self.places)) if self.places and not self.plan else ()

    @property
    def ranks(self) -> int:
        """The number of ranks."""
        return self.graph.ranks

    @property
    def faulty(self) -> bool:
        """True if it ends with wrong sums or in different orders, or has races, or does not end."""
        return bool(self.wrong or self.unequal or self.races or not self.ends)

    @property
    def collective(self) -> str | None:
        """The collective that the file declares, by our name; None where we do not know it."""
        return self.places.kind if self.places else None

    @cached_property
    def waiting(self) -> list[list[int]]:
        """The steps that each step waits for if channels hold all that is sent."""
        return graph.waits(self.graph, None)

    @cached_property
    def known(self) -> list[list[int]]:
        """The steps that each step waits for and of which it knows all writes."""
        weak = self.graph.weak
        if not weak:
            return self.waiting
        return [[other for other in others if (node, other) not in weak] for node, others in enumerate(self.waiting)]

    @cached_property
    def went(self) -> list[int]:
        """The steps that can run, in one order in which they can."""
        return graph.order(self.waiting)

    @property
    def ends(self) -> bool:
        """True if all steps can run where channels hold all that is sent."""
        return len(self.went) == len(self.graph.nodes)

    @cached_property
    def depth(self) -> int | None:
        """The least number of messages that channels must hold; None where the program ends at no depth."""
        return deadlock.smallest(self.graph)

    def stuck(self, depth: int | None) -> str:
        """Return why the program does not end if channels hold ``depth`` messages; empty where it ends."""
        found = deadlock.stuck(self.graph, depth)
        return found.told(self.graph, depth) if found else ""

    @cached_property
    def unheard(self) -> str:
        """The first step that waits for one that tells nobody that it has ended, where the file says who tells."""
        ranks = self.program.ranks if self.program and "loader" not in self.gaps else ()
        return next((f"rank {r} {why}" for r, rank in enumerate(ranks) for why in rccl.unheard(rank)), "")

    @cached_property
    def loose(self) -> list[Channel]:
        """The channels on which messages alone do not fix the order of the sends, or of the receives."""
        if self.program:
            return []
        ends = ((c, end) for c in self.graph.channels for end in (c.sends, c.receives))
        found = [c for c, end in ends if not all(self.ordered(a, b) for a, b in pairwise(end))]
        return list(dict.fromkeys(found))

    def ordered(self, first: int, second: int) -> bool:
        """Tell whether the first step is known to happen before the second."""
        a, b = self.graph.nodes[first], self.graph.nodes[second]
        if a.chain == b.chain:
            return a.place < b.place
        return self.clock is not None and bool(self.clock[second, a.chain] > a.place)

    @cached_property
    def clock(self) -> Clock | None:
        """The order in which steps happen; None where the program does not end, or is too large."""
        return races.clock(self.graph, self.went, self.known) if self.ends else None

    @cached_property
    def races(self) -> list[Race] | None:
        """The first races; None where there is nothing to touch, or no clock."""
        if self.places is None or self.clock is None:
            return None
        touches = self.plan.deeds if self.plan else self.touches
        found = races.races(self.graph, self.went, self.known, touches, self.clock)
        return list(islice(chain(races.overlaps(touches), found), races.LISTED))

    def cell(self, race: Race) -> str:
        """Return the place of a race as text."""
        if self.places is None:
            return ""
        owner = self.places.owner(race.cell)
        whose = "" if owner == self.graph.nodes[race.first].rank else f"rank {owner}'s "
        return whose + self.places.named(owner, race.cell)

    @cached_property
    def ended(self) -> tuple[Sums, list[int]] | None:
        """The sums in all cells after the last step; None where no collective is known, or there is no end."""
        if self.places is None or self.collective is None or not self.ends:
            return None
        if self.plan:
            return plans.ended(self.went, self.plan.deeds, self.places)
        return collectives.ended(self.graph, self.went, self.touches, self.places)

    @cached_property
    def wrong(self) -> list[Wrong] | None:
        """The first places that end with a wrong sum; None where :attr:`ended` is None."""
        if self.places is None or self.ended is None:
            return None
        found = collectives.wrong(self.places, *self.ended)
        self.wrong_count = len(found)
        return [collectives.explained(want, self.places, *self.ended) for want in found[: collectives.LISTED]]

    @cached_property
    def unequal(self) -> Unequal | None:
        """The first place that two ranks add up in different orders, of an allreduce that is right."""
        asked = self.collective == "allreduce" and self.wrong == []
        return agreement.unequal(self.places, *self.ended) if asked and self.places and self.ended else None

    @property
    def unmatched(self) -> Iterator[str]:
        """Messages that nobody receives, receives without a message, and lengths that differ.

        Receives that take any message are left out.
        """
        nodes, what = self.graph.nodes, "signals" if self.plan else "messages"
        yield from self.plan.left if self.plan else ()
        for channel in self.graph.channels:
            sent, taken = len(channel.sends), len(channel.receives)
            if sent > taken and not self.graph.wild:
                yield f"{channel}: {sent} {what} are sent and {taken} received; the first lost is that of " + (
                    nodes[channel.sends[taken]].name
                )
            if taken > sent:
                yield f"{channel}: {taken} {what} are received and {sent} sent; none comes for " + (
                    nodes[channel.receives[sent]].name
                )
            for send, receive in zip(channel.sends, channel.receives):
                if nodes[send].size != nodes[receive].size:
                    yield (
                        f"{channel}: {nodes[send].name} sends {nodes[send].size} and {nodes[receive].name} takes "
                        f"{nodes[receive].size}"
                    )
                    break

    @cached_property
    def cost(self) -> cost.Cost | None:
        """The program's cost; None where it does not end, receives from anybody, or sends through switches."""
        if not self.ends or self.graph.wild or (self.plan and not self.plan.priced):
            return None
        added = [0] * len(self.graph.nodes)
        if self.plan:
            added = [deed.added for deed in self.plan.deeds]
        elif self.program:
            steps = (step for rank in self.program.ranks for block in rank.blocks for step in block.steps)
            added = [step.count * USES[step.op].adds for step in steps]
        unit = self.program.chunks if self.program else 0
        return cost.cost(self.graph, self.went, self.waiting, added, unit)

    def crossing(self, topology: str) -> link_contention.Crossing:
        """Return whether messages can meet on a link; raise InputError where there is no such topology."""
        return link_contention.crossing(self.graph, self.clock, topology)
