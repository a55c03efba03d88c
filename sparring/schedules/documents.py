"""A schedule file as a document of the explorer: its messages in steps, and where what is wrong with it shows.

A file has no steps that ranks share.  Here a message is in the first step in which it can be sent: after what its block
has done before, and after what its rank has received for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from itertools import pairwise

from sparring.present.explorer import routes
from sparring.present.explorer.document import Detail, Document, Finding, Message, Run, Stage, Wait, positions
from sparring.present.explorer.observed import Arrow, named_ranks, shortened, shown_finding, stepped
from sparring.proofs.logic.verdicts import REFUTED
from sparring.report import Result
from sparring.schedules import collectives, deadlock, graph
from sparring.schedules.agreement import members
from sparring.schedules.collectives import Sums
from sparring.schedules.deadlock import Stuck
from sparring.schedules.graph import NEVER, Channel
from sparring.schedules.judgement import Judgement
from sparring.schedules.program import USES, Step

LOST = "sent, and never received"
FOLLOWED = 2**20
"""The most copies, times steps or the ranks in them, that are followed."""
Held = list[list[int]]
"""By rank and chunk, the ranks whose contributions a copy holds: sets, as the bits of a number."""


def document(one: Judgement, name: str, results: Sequence[Result], depth: int | None, topology: str | None) -> Document:
    """Return the document of a file that was judged, with a finding for each property that is refuted."""
    timed = Timed(one, depth)
    run = Run([timed.stage()])
    told = [timed.finding(result, topology) for result in results if result.verdict == REFUTED]
    run, before, note = shortened(run, next((finding.step for finding in told), None))
    last = positions(run.stages) - 1
    network = routes.topology(topology, [run], one.ranks) if topology else None
    kind = one.program.collective if one.program else "messages"
    return Document(
        "schedule", f"{name}: {kind} on {one.ranks} rank{'s' * (one.ranks > 1)}", one.ranks, [run],
        prose=f"The steps of {name}: a message is in the first step in which it can be sent.",
        findings=[shown_finding(finding, before, last) for finding in told], topology=network,
        notes=[note] if note else [],
    )  # fmt: skip


class Timed:
    """The steps of a program that can run if channels hold ``depth`` messages, and when its messages are sent."""

    def __init__(self, one: Judgement, depth: int | None) -> None:
        self.one, self.graph = one, one.graph
        self.crossing = cache(one.crossing)
        self.depth = depth if depth and one.depth and depth < one.depth else None
        if one.ends and one.depth is None and not one.plan:
            self.depth = len(one.graph.nodes)
        waiting = graph.waits(one.graph, self.depth)
        self.went = graph.order(waiting)
        self.sent: dict[int, int] = {}
        self.done: dict[int, int] = {}
        brings = {receive: send for send, receive, _ in one.graph.messages if send != receive}
        senders = {send for channel in one.graph.carried for send in channel.sends}
        for node in self.went:
            came = brings.get(node, NEVER)
            at = max((self.done[other] for other in waiting[node] if other not in (came, NEVER)), default=0)
            if came != NEVER:
                at = max(at, self.sent[came] + 1)
            if node in senders:
                self.sent[node] = at
                at += node not in brings
            self.done[node] = at

    @property
    def stuck(self) -> Stuck | None:
        """The reason why not all steps can run; None where they can."""
        return deadlock.stuck(self.graph, self.depth)

    @cached_property
    def steps(self) -> list[Step]:
        """The program's steps, by node; none of a plan, whose nodes are others."""
        if self.one.program is None or self.one.plan:
            return []
        return [step for rank in self.one.program.ranks for block in rank.blocks for step in block.steps]

    @cached_property
    def ended(self) -> tuple[Sums, list[int], dict[int, list[int]]] | None:
        """The sums in all cells at the end, and those that each step sends; None where these are not known."""
        one, carried = self.one, dict[int, list[int]]()
        if one.places is None or one.collective is None or not self.steps:
            return None
        return *collectives.ended(one.graph, self.went, one.touches, one.places, carried), carried

    def chunks(self, send: int) -> list[int]:
        """Return the chunks of which a message has parts, where that is known."""
        if self.ended is None:
            return []
        sums, _, carried = self.ended
        return sorted({part[0] for number in carried.get(send, ()) for part in sums.parts[number]})

    def arrows(self) -> Iterator[Arrow]:
        """Yield the messages that are sent."""
        for channel in self.graph.carried:
            for k, send in enumerate(channel.sends):
                if send in self.sent:
                    yield self.arrow(channel, send, channel.receives[k] if k < len(channel.receives) else NEVER)

    def arrow(self, channel: Channel, send: int, receive: int) -> Arrow:
        """Return a message in its step."""
        came, size = receive in self.done, self.graph.nodes[send].size
        adds = USES[self.steps[receive].op].adds if self.steps and came else None
        detail = Detail(
            0,
            look="" if came or self.graph.wild else "wrong",
            where=self.graph.nodes[send].name,
            says=f"{self.graph.nodes[receive].name} takes it" if came else LOST,
            bytes=None if self.one.program else size,
        )
        return Arrow(self.sent[send], Message(channel.src, channel.dst, self.chunks(send), adds), detail)

    def stage(self) -> Stage:
        """Return all steps; with copies to follow where following the messages comes to the true end."""
        steps = stepped(list(self.arrows()), max(self.done.values(), default=0))
        bare = Stage(steps=steps)
        if self.ended is None or self.one.places is None or self.one.collective == "alltoall":
            return bare
        p, places = self.one.ranks, self.one.places
        count = places.program.chunks
        if p * count * max(p, len(steps)) > FOLLOWED:
            return bare
        start, goal = ([[0] * count for _ in range(p)] for _ in range(2))
        for rank, _, _, chunk in collectives.starts(places):
            start[rank][chunk] = 1 << rank
        for rank, _, _, chunk, ranks in collectives.wants(places):
            goal[rank][chunk] = ranks
        if not self.faithful(start, bare):
            return bare
        return Stage(chunks=count, start=listed(start), goal=listed(goal), steps=steps)

    def faithful(self, start: Held, stage: Stage) -> bool:
        """Tell whether messages that are added to copies, or overwrite them, lead to what the buffers hold at the end.

        They do not where chunks wait in the scratch, or are added later.
        """
        if self.ended is None or self.one.places is None:
            return False
        sums, cells, _ = self.ended
        held = followed(start, stage)
        for rank, buffer, place, chunk, _ in collectives.wants(self.one.places):
            parts = sums.parts[cells[self.one.places.cell(rank, buffer, place)]]
            if {part[0]: part[1] for part in parts} != {c: ranks for c, ranks in [(chunk, held[rank][chunk])] if ranks}:
                return False
        return True

    # --- findings ---

    def finding(self, result: Result, topology: str | None) -> Finding:
        """Return a refuted property as a finding, at the step and with the ranks that it is about."""
        text = f"{result.property}: {result.detail}"
        if result.property == "deadlock" and self.stuck:
            return self.deadlocked(text, self.stuck)
        nodes = list(self.blamed(result, topology))
        ranks = [self.graph.nodes[node].rank for node in nodes] or self.ranks(result)
        steps = [self.sent.get(node, self.done.get(node, 0)) for node in nodes]
        link = self.link(topology) if result.property == "contention" and topology else ""
        return Finding(text, 0, min(steps, default=self.last), list(dict.fromkeys(ranks)), link=link)

    def link(self, topology: str) -> str:
        """Return the name of the link on which messages can meet; empty where that is not decided."""
        found = self.crossing(topology).link
        return routes.named(found) if found else ""

    @property
    def last(self) -> int:
        """The last step with a message."""
        return max(self.sent.values(), default=0)

    def ranks(self, result: Result) -> list[int]:
        """Return the ranks that a refutation is about, where no step of the program is."""
        if result.property == "agreement" and self.one.unequal:
            return list(self.one.unequal.ranks)
        return named_ranks(result.detail, self.one.ranks)

    def blamed(self, result: Result, topology: str | None) -> Iterator[int]:
        """Yield the steps of the program that a refutation is about."""
        if result.property == "races" and self.one.races:
            yield from (self.one.races[0].first, self.one.races[0].second)
        elif result.property == "contention" and topology:
            found = self.crossing(topology)
            yield from (found.first, found.second)
        elif result.property == "hygiene":
            yield from self.lost()
        elif result.property == "implements" and self.one.wrong:
            yield from self.arrived(self.one.wrong[0].rank, self.one.wrong[0].place)

    def lost(self) -> Iterator[int]:
        """Yield the sends of the first channel that has more sends than receives, or others, or other lengths."""
        for channel in self.graph.channels:
            for k, send in enumerate(channel.sends):
                receive = channel.receives[k] if k < len(channel.receives) else NEVER
                if receive == NEVER or self.graph.nodes[receive].size != self.graph.nodes[send].size:
                    yield from (send, receive) if receive != NEVER else (send,)
                    return

    def arrived(self, rank: int, chunk: int) -> Iterator[int]:
        """Yield the last receive of a rank that brought something of a chunk."""
        brought = [
            (self.sent[send], receive)
            for send, receive, channel in self.graph.messages
            if channel.dst == rank and send in self.sent and receive in self.done and chunk in self.chunks(send)
        ]
        if brought:
            yield max(brought)[1]

    def deadlocked(self, text: str, stuck: Stuck) -> Finding:
        """Return a deadlock with who waits for whom; waits within a rank are left out where others remain."""
        pairs = [*pairwise(stuck.nodes), *([(stuck.nodes[-1], stuck.nodes[0])] if stuck.circle else [])]
        nodes = self.graph.nodes
        waits = [
            Wait(nodes[a].rank, [nodes[b].rank], nodes[a].name) for a, b in pairs if nodes[a].rank != nodes[b].rank
        ]
        end = nodes[stuck.nodes[-1]]
        if not stuck.circle:
            waits.append(
                Wait(end.rank, named_ranks(self.graph.lacks.get(stuck.nodes[-1], ""), self.one.ranks), end.name)
            )
        ranks = list(dict.fromkeys([*(wait.rank for wait in waits), *(r for wait in waits for r in wait.on)]))
        return Finding(text, 0, self.last, ranks, waits=waits)


def followed(start: Held, stage: Stage) -> Held:
    """Return the copies after all steps, where all messages of a step are sent before one is received."""
    held = [list(row) for row in start]
    for step in stage.steps:
        before = [list(row) for row in held]
        for message in step.messages:
            for chunk in message.chunks if message.adds is not None else ():
                came = before[message.src][chunk]
                held[message.dst][chunk] = held[message.dst][chunk] | came if message.adds else came
    return held


def listed(held: Held) -> list[list[list[int]]]:
    """Return the copies as a document has them."""
    return [[list(members(ranks)) for ranks in row] for row in held]
