"""A page as a program: its schedule for one number of ranks, in thread blocks.

A rank's steps come in the order of the page's: in each it first sends what it sends and then takes what
comes.  A block has the messages to one rank and those from one; where a rank always hears from the same rank
when it sends to one, these are one block, as in a ring; and what comes and is passed on next is one step, as
MSCCL has it.  Chunks lie in a row there, so that a message past the last one to the first is two.  Where
blocks share chunks, a step waits for those before it that its chunks depend on.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from msgspec.structs import replace

from sparring.errors import InputError
from sparring.schedules.program import CHUNKS, RANKS, Block, Buffer, Op, Place, Program, Rank, Step, check_program
from sparring.schedules.rank_schedule import Move, Rows
from sparring.spec.core.model import Page

FUSED: dict[str, Op] = {"r": "rcs", "rrc": "rrcs"}
Key = tuple[int, int]
"""Of a block: the rank that it sends to and the one that it receives from, -1 for none."""


def exported(page: Page, p: int) -> Program:
    """The page's schedule at ``p`` ranks, all of it.

    Raises InputError where a file could not say what the page does, ScheduleFault where it makes no schedule.
    """
    rows, whole = begun(page, p)
    return check_program(replace(whole, ranks=tuple(rank(page, rows.chunks, row) for row in rows)))


def begun(page: Page, p: int) -> tuple[Rows, Program]:
    """The page's rows at ``p`` ranks, and its program without the ranks."""
    if not 1 <= p <= RANKS:
        raise InputError(f"ranks = {p}; right: 1 to {RANKS}")
    if page.stateful:
        raise InputError(f"page {page.name} sends the entries that their values select, which no schedule file can say")
    rows = Rows(page, p)
    if not 1 <= rows.chunks <= CHUNKS:
        raise InputError(f"page {page.name} cuts a vector into {rows.chunks} chunks; right: 1 to {CHUNKS}")
    return rows, Program(page.name, page.kind, True, rows.chunks, (), outofplace=False, least=0, most=0)


def rank(page: Page, chunks: int, own: list[Move]) -> Rank:
    """A rank with these moves."""
    buffer: Buffer = "o" if page.kind == "allgather" else "i"
    scratch = chunks * any(move.scratch for move in own)
    return Rank(chunks * (buffer == "i"), chunks * (buffer == "o"), scratch, blocked(own, buffer))


def blocked(moves: list[Move], buffer: Buffer, *, fused: bool = True) -> tuple[Block, ...]:
    """A rank's blocks; ``fused``: what comes and is passed on next is one step."""
    keys = paired(moves)
    steps: dict[Key, list[Step]] = {key: [] for key in dict.fromkeys(keys)}
    ids = {key: i for i, key in enumerate(steps)}
    spots: list[Spot] = []
    for move, key in zip(moves, keys):
        if fused and spots and spots[-1] == (key, len(steps[key]) - 1) and fuses(steps[key], move):
            steps[key][-1] = replace(steps[key][-1], op=FUSED[steps[key][-1].op])
        else:
            steps[key].append(step(move, buffer))
        spots.append((key, len(steps[key]) - 1))
    return ordered(steps, ids, needs(moves, spots))


def step(move: Move, buffer: Buffer) -> Step:
    """The step that does a move."""
    place: Place = ("s" if move.scratch else buffer, move.first)
    if move.sends:
        return Step("s", place, None, move.length)
    if move.peer < 0:
        return Step("re", ("s", move.first), place, move.length)
    return Step("rrc", place, place, move.length) if move.adds else Step("r", None, place, move.length)


def paired(moves: list[Move]) -> list[Key]:
    """Each move's block: with one partner on either side where they always come together, else with one on one side."""
    ways: dict[int, set[int]] = {}
    back: dict[int, set[int]] = {}
    for one, other in pairwise(moves):
        if one.sends and not other.sends:
            ways.setdefault(one.peer, set()).add(other.peer)
            back.setdefault(other.peer, set()).add(one.peer)
    pairs = {to: next(iter(who)) for to, who in ways.items() if len(who) == 1 and len(back[next(iter(who))]) == 1}
    froms = {who: to for to, who in pairs.items()}
    return [(m.peer, pairs.get(m.peer, -1)) if m.sends else (froms.get(m.peer, -1), m.peer) for m in moves]


def fuses(steps: list[Step], move: Move) -> bool:
    """Whether the move sends on what the last step of its block received."""
    if not steps or not move.sends or steps[-1].op not in FUSED:
        return False
    last = steps[-1]
    return last.dst is not None and (last.dst[1], last.count) == (move.first, move.length)


Spot = tuple[Key, int]
"""A step of a block."""
Cell = tuple[bool, int]
"""Whether it is in the scratch, and which part."""


def needs(moves: list[Move], spots: list[Spot]) -> dict[Spot, list[Spot]]:
    """For each step, those of other blocks that must have ended: who wrote its chunks, and who reads what it writes.

    Chunks that no move parts are looked at as one.
    """
    cuts = sorted({end for move in moves for end in (move.first, move.first + move.length)})
    parts = {end: i for i, end in enumerate(cuts)}
    wrote: dict[Cell, Spot] = {}
    readers: dict[Cell, list[Spot]] = {}
    found: dict[Spot, list[Spot]] = {}
    for move, spot in zip(moves, spots):
        before = found.setdefault(spot, [])
        for part in range(parts[move.first], parts[move.first + move.length]):
            cell = move.scratch, part
            reads = [(True, part)] if move.peer < 0 else [cell] if move.sends else []
            earlier = [wrote[place] for place in (*reads, cell) if place in wrote]
            for place in reads:
                readers.setdefault(place, []).append(spot)
            if not move.sends:
                earlier += readers.get(cell, [])
                wrote[cell], readers[cell] = spot, []
            before += [other for other in earlier if other[0] != spot[0]]
    return found


def ordered(steps: dict[Key, list[Step]], ids: dict[Key, int], wanted: dict[Spot, list[Spot]]) -> tuple[Block, ...]:
    """The blocks, every step after those that it needs; a step waits for one other, and nops before it for more."""
    waits = {spot: before for key, own in steps.items() for spot, before in latest(key, len(own), wanted)}
    moved_to: dict[Spot, int] = {}
    for key, own in steps.items():
        count = 0
        for at in range(len(own)):
            count += max(0, len(waits[key, at]) - 1)
            moved_to[key, at] = count
            count += 1
    awaited = {other for others in waits.values() for other in others}
    blocks = []
    for key, own in steps.items():
        made: list[Step] = []
        for at, step in enumerate(own):
            afters = [(ids[spot[0]], moved_to[spot]) for spot in waits[key, at]]
            made += [Step("nop", count=0, after=after) for after in afters[:-1]]
            made.append(replace(step, after=afters[-1] if afters else None, awaited=(key, at) in awaited))
        blocks.append(Block(ids[key], tuple(made), *key))
    return tuple(blocks)


def latest(key: Key, count: int, wanted: dict[Spot, list[Spot]]) -> Iterator[tuple[Spot, list[Spot]]]:
    """For each of the block's steps, of those that it needs the last of each block that it has not waited for yet."""
    known: dict[Key, int] = {}
    for at in range(count):
        now: dict[Key, int] = {}
        for block, step in wanted.get((key, at), ()):
            now[block] = max(now.get(block, -1), step)
        news = {block: step for block, step in now.items() if step > known.get(block, -1)}
        known |= news
        yield (key, at), list(news.items())
