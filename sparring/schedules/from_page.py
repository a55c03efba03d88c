"""A page as a program: its schedule for one number of ranks, in thread blocks.

A rank's steps have the order of the page's; in each it first sends and then receives.  A block has the messages to one
rank and those from one rank.  If a rank always receives from the same rank when it sends to another, as in a ring, the
two share a block; and a chunk that is received and passed on next is one step, as in MSCCL.  MSCCL's chunks are in a
row, so a message past the last chunk to the first becomes two.  Where blocks share chunks, a step waits for those
before it that its chunks depend on.
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
"""A block: the rank that it sends to and the one that it receives from, -1 for none."""


def exported(page: Page, p: int) -> Program:
    """Return the page's whole schedule at ``p`` ranks.

    Raises InputError where a file could not say what the page does, ScheduleFault where it makes no schedule.
    """
    rows, whole = begun(page, p)
    return check_program(replace(whole, ranks=tuple(rank(page, rows.chunks, row) for row in rows)))


def begun(page: Page, p: int) -> tuple[Rows, Program]:
    """Return the page's rows at ``p`` ranks, and its program without the ranks."""
    if not 1 <= p <= RANKS:
        raise InputError(f"ranks = {p}; right: 1 to {RANKS}")
    if page.stateful:
        raise InputError(f"page {page.name} sends the entries that their values select, which no schedule file can say")
    rows = Rows(page, p)
    if not 1 <= rows.chunks <= CHUNKS:
        raise InputError(f"page {page.name} cuts a vector into {rows.chunks} chunks; right: 1 to {CHUNKS}")
    return rows, Program(page.name, page.kind, True, rows.chunks, (), outofplace=False, least=0, most=0)


def rank(page: Page, chunks: int, own: list[Move]) -> Rank:
    """Return a rank with these moves."""
    buffer: Buffer = "o" if page.kind == "allgather" else "i"
    scratch = chunks * any(move.scratch for move in own)
    return Rank(chunks * (buffer == "i"), chunks * (buffer == "o"), scratch, blocked(own, buffer))


def blocked(moves: list[Move], buffer: Buffer, *, fused: bool = True) -> tuple[Block, ...]:
    """Return a rank's blocks; ``fused`` makes one step of receiving chunks and passing them on next."""
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
    """Return the step that does a move."""
    place: Place = ("s" if move.scratch else buffer, move.first)
    if move.sends:
        return Step("s", place, None, move.length)
    if move.peer < 0:
        return Step("re", ("s", move.first), place, move.length)
    return Step("rrc", place, place, move.length) if move.adds else Step("r", None, place, move.length)


def paired(moves: list[Move]) -> list[Key]:
    """Return each move's block.

    Two partners that always come together, one on either side, share a block; any other has a block of its own.
    """
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
    """Tell whether the move sends on what the last step of its block received."""
    if not steps or not move.sends or steps[-1].op not in FUSED:
        return False
    last = steps[-1]
    return last.dst is not None and (last.dst[1], last.count) == (move.first, move.length)


Spot = tuple[Key, int]
"""A step of a block."""
Cell = tuple[bool, int]
"""A part of the vector, or of the scratch if the first is true."""


def needs(moves: list[Move], spots: list[Spot]) -> dict[Spot, list[Spot]]:
    """Return for each step those of other blocks that must end before it.

    They are the steps that wrote its chunks, and those that read what it writes.

    Chunks that no move separates are treated as one.
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
    """Return the blocks, every step after those that it needs.

    A step waits for one other step; where it needs more, nops before it wait for these.
    """
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
    """Yield for each of the block's steps what it has yet to wait for.

    Of the steps that it needs, that is the last of each block that it has not waited for yet.
    """
    known: dict[Key, int] = {}
    for at in range(count):
        now: dict[Key, int] = {}
        for block, step in wanted.get((key, at), ()):
            now[block] = max(now.get(block, -1), step)
        news = {block: step for block, step in now.items() if step > known.get(block, -1)}
        known |= news
        yield (key, at), list(news.items())
