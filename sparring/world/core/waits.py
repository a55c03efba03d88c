"""Explains why nothing moves: the wait-for graph of a stuck run, and what is left over after a complete one."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sparring.world.core import leaks
from sparring.world.core.constants import ANY_TAG
from sparring.world.core.findings import Finding, Kind, Waiting
from sparring.world.core.operations import Incoming, Send
from sparring.world.core.ranks import Operation, Question, Rank

if TYPE_CHECKING:
    from sparring.world.core.scheduler import Scheduler as World

Edge = tuple[Operation, int]  # who waits in what, and for whom


def last(world: World) -> list[Finding]:
    """Return the findings of a run in which no rank can go on."""
    asleep = [rank.number for rank in world.ranks if rank.wait]
    if world.over:
        return []
    if world.findings:
        world.findings[0] = _with_others(world.findings[0], asleep)
        return []
    return [deadlock(world)] if asleep else _leftovers(world)


def deadlock(world: World) -> Finding:
    """Return the shortest cycle of ranks that wait for each other, or a chain that ends at a finished rank."""
    edges = _edges(world)
    path = min((_cycle(edges, r) for r in edges), key=lambda p: (len(p) or world.p + 1, p and p[0][0].rank.number))
    end = f"rank {path[0][0].rank.number}" if path else ""
    if not path:
        path = _chain(edges)
        end = f"rank {path[-1][1]}, which has finished"
    text = " -> ".join([*(_says(world, operation, peer) for operation, peer in path), end])
    first = path[0][0]
    return Finding(Kind.DEADLOCK, first.rank.number, first.call, first.where, text, waits=_told(world, path))


def livelock(world: World, rank: Rank, question: Question) -> Finding:
    """Return the finding that ``rank`` asks on and on, and nothing moves."""
    call, where = question.call, question.where
    text = f"rank {rank.number} tests in vain in {call} ({where}) while no rank makes progress"
    sleeping = [waits[0] for r, waits in _edges(world).items() if r != rank.number and waits]
    text = "; ".join([text, *(_says(world, *edge) for edge in sleeping)])
    return Finding(Kind.LIVELOCK, rank.number, call, where, text, waits=_told(world, sleeping))


def _edges(world: World) -> dict[int, list[Edge]]:
    """Return what each sleeping rank waits for."""
    return {
        rank.number: [(op, peer) for op in rank.wait.operations if not op.done for peer in op.peers()]
        for rank in world.ranks
        if rank.wait
    }


def _cycle(edges: dict[int, list[Edge]], start: int) -> list[Edge]:
    """Return a shortest way from ``start`` back to itself; empty if there is none."""
    paths: deque[list[Edge]] = deque([edge] for edge in edges[start])
    seen: set[int] = set()
    while paths:
        path = paths.popleft()
        peer = path[-1][1]
        if peer == start:
            return path
        if peer not in seen:
            seen.add(peer)
            paths += [[*path, edge] for edge in edges.get(peer, ())]
    return []


def _chain(edges: dict[int, list[Edge]]) -> list[Edge]:
    """Return a way to a rank that has finished, where all ways end if there is no cycle."""
    path = [next(iter(edges.values()))[0]]
    while path[-1][1] in edges:
        path.append(edges[path[-1][1]][0])
    return path


def _told(world: World, edges: Sequence[Edge]) -> tuple[Waiting, ...]:
    """Return who waits for whom, for reports."""
    return tuple(Waiting(op.rank.number, peer, _call(world, op), op.where) for op, peer in edges)


def _call(world: World, operation: Operation) -> str:
    """Return the call in which the rank of ``operation`` sleeps."""
    wait = world.ranks[operation.rank.number].wait
    return wait.call if wait else operation.call


def _says(world: World, operation: Operation, peer: int) -> str:
    call = _call(world, operation)
    through = "" if call == operation.call else f"{call} for "
    return f"rank {operation.rank.number} waits in {through}{operation.waits_for(peer)} ({operation.where})"


def _leftovers(world: World) -> list[Finding]:
    """Yield messages not received, receives without one, requests not completed, and things not freed."""
    unmatched = list(world.network.unmatched())
    found = [_finding(Kind.UNMATCHED, operation, _alone(operation)) for operation in unmatched]
    for operation in world.network.open:
        if operation not in unmatched:
            text = f"rank {operation.rank.number} never completed its {operation} ({operation.where}): no Wait follows"
            found.append(_finding(Kind.INCOMPLETE, operation, text))
    return found + leaks.findings(world.lost)


def _alone(operation: Send | Incoming) -> str:
    fate = "was never received" if isinstance(operation, Send) else "never got a message"
    tag = "any tag" if operation.tag == ANY_TAG else f"tag {operation.tag}"
    return f"rank {operation.rank.number}'s {operation} with {tag} ({operation.where}) {fate}"


def _finding(kind: Kind, operation: Operation, text: str) -> Finding:
    return Finding(kind, operation.rank.number, operation.call, operation.where, text)


def _with_others(finding: Finding, asleep: list[int]) -> Finding:
    """Return ``finding`` with the other ranks that it left waiting."""
    if not asleep:
        return finding
    who = f"rank {asleep[0]} was" if len(asleep) == 1 else f"ranks {' '.join(map(str, asleep))} were"
    return replace(finding, text=f"{finding.text}; {who} left waiting")
