"""What each rank does in a page's schedule: one rank after the other, so that never all messages are in memory."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple, NoReturn

import numpy as np

from sparring.errors import ScheduleFault
from sparring.proofs.schedules.arrays import Formula
from sparring.spec.core.model import Page
from sparring.spec.core.schedule import number, step_sends, truth


class Move(NamedTuple):
    """What a rank does: a send, a receive, or, with no ``peer``, to add what is in its scratch to the same chunks."""

    peer: int
    sends: bool
    adds: bool
    first: int
    length: int
    scratch: bool = False
    """Whether what comes is put there."""


Sent = tuple[int, int, int]
"""Of a message the other rank, the first chunk, and how many there are."""
AT_ONCE = 2**14
"""Messages, about, for which formulas are evaluated together: of several ranks, where each sends few."""


class Rows:
    """The page's schedule at ``p`` ranks, rank by rank."""

    def __init__(self, page: Page, p: int) -> None:
        self.page, self.p = page, p
        self.chunks, steps = number(page.chunks(p)), number(page.steps(p))
        if steps < 0:
            raise ScheduleFault(p, None, f"steps({p}) = {steps}; a page has at least 0 steps")
        each = np.array([number(page.messages(t, p)) for t in range(steps)], dtype=np.int64)
        if np.any(each < 1):
            self.fault(int(np.argmax(each < 1)))
        self.begins = np.cumsum([0, *each]).tolist()
        self.t = np.repeat(np.arange(steps), each)
        self.j = np.arange(len(self.t)) - np.repeat(np.cumsum(each) - each, each)
        self.adds = np.array([truth(page.adds(t, p)) for t in range(steps)], dtype=bool)
        self.dst, self.src, self.chunk, self.count, self.active = (
            Formula(page, name, p) for name in ("dst", "src", "chunk", "count", "active")
        )

    def __iter__(self) -> Iterator[Any]:
        """Of each rank its moves in their order, as an array with a row for each and a column for each field.

        Raises ScheduleFault where the formulas make no schedule.
        """
        at_once = max(1, AT_ONCE // (len(self.t) + 1))
        for begin in range(0, self.p, at_once):
            ranks = np.arange(begin, min(begin + at_once, self.p))
            sends, sent = self.sent(ranks[:, None])
            comes, came = self.heard(ranks[:, None])
            if self.page.several:
                for i, r in enumerate(ranks.tolist()):
                    found = [*self.together(r, self.cut(sends[i], sent[i]), self.cut(comes[i], came[i]))]
                    yield np.array(found, dtype=np.int64).reshape(-1, len(Move._fields))
            else:
                there, moves = np.stack((sent, came), axis=2), self.alternating(sends, comes)
                yield from (self.straight(moves[i][there[i]]) for i in range(len(ranks)))

    def sent(self, r: Any) -> tuple[Any, Any]:
        """What ranks ``r`` send, the fields of ``Sent`` last, and where they do; where they do not is checked too."""
        t, j = self.t, self.j
        d, s, first, length = (f(r, t, j) for f in (self.dst, self.src, self.chunk, self.count))
        active, end = self.active(r, t, j), self.chunks + (length == 0)
        right = ~((d == r) & active) & (length >= 0) & (first * (not self.page.round) + length <= self.chunks)
        for x, most in ((d, self.p), (s, self.p), (first, end)):
            right &= (x >= 0) & (x < most)
        if np.all(right):
            right = self.src(d, t, j) == r
        if not np.all(right):
            self.fault(int(t[np.argmin(right) % len(t)]))
        return np.stack((d, first, length), axis=2), active & (length > 0)

    def heard(self, r: Any) -> tuple[Any, Any]:
        """The same of what comes to them, from whom ``src`` names: in a schedule it is these who send to them."""
        t, j = self.t, self.j
        s = self.src(r, t, j)
        first, length, active = (f(s, t, j) for f in (self.chunk, self.count, self.active))
        return np.stack((s, first, length), axis=2), active & (length > 0)

    def alternating(self, sends: Any, comes: Any) -> Any:
        """Moves where a step has one message: a send, and then a receive."""
        moves = np.zeros((*sends.shape[:2], 2, len(Move._fields)), np.int64)
        for side, messages in enumerate((sends, comes)):
            moves[:, :, side, 0], moves[:, :, side, 1] = messages[:, :, 0], 1 - side
            moves[:, :, side, 2], moves[:, :, side, 3:5] = self.adds, messages[:, :, 1:]
        return moves

    def straight(self, moves: Any) -> Any:
        """The same moves, each that goes past the last chunk to the first as two."""
        over = moves[:, 3] + moves[:, 4] > self.chunks
        if not np.any(over):
            return moves
        first = np.cumsum(1 + over) - 1 - over
        rest = first[over] + 1
        moves = np.repeat(moves, 1 + over, axis=0)
        moves[rest, 4] += moves[rest, 3] - self.chunks
        moves[rest - 1, 4] -= moves[rest, 4]
        moves[rest, 3] = 0
        return moves

    def cut(self, messages: Any, there: Any) -> list[list[Sent]]:
        """The messages of a rank, by step."""
        return [[(peer, first, length) for peer, first, length in messages[a:b][there[a:b]].tolist()]
                for a, b in pairwise(self.begins)]  # fmt: skip

    def together(self, r: int, sends: list[list[Sent]], comes: list[list[Sent]]) -> Iterator[Move]:
        """Moves where a step may have several messages."""
        for t, (adds, given, came) in enumerate(zip(self.adds.tolist(), sends, comes)):
            spots = {(first, length) for _, first, length in came}
            if len({d for d, _, _ in given}) < len(given) or (not adds and len(spots) < len(came)):
                self.fault(t)
            yield from (Move(d, True, adds, first, length) for d, first, length in given)
            yield from coming(r, adds, sorted(came))

    def fault(self, t: int) -> NoReturn:
        """Raise ScheduleFault for what is wrong in step ``t``."""
        step_sends(self.page, t, self.p)
        raise ScheduleFault(self.p, t, "the formulas make no schedule")


def coming(dst: int, adds: bool, came: list[Sent]) -> Iterator[Move]:
    """What a rank does with what comes in a step, by source, first chunk and length.

    The page adds by ascending rank, the rank's own at its own place.  So where two or more come from below,
    these are added up in the scratch first.
    """
    spots: dict[tuple[int, int], list[int]] = {}
    for src, first, length in came:
        spots.setdefault((first, length), []).append(src)
    for spot, sources in spots.items():
        sources.sort()
        below = [src for src in sources if adds and src < dst]
        if len(below) < 2:
            below = []
        yield from (Move(src, False, i > 0, *spot, scratch=True) for i, src in enumerate(below))
        if below:
            yield Move(-1, False, True, *spot)
        yield from (Move(src, False, adds, *spot) for src in sources[len(below) :])


def moves(row: Any) -> list[Move]:
    """The moves of such an array."""
    return [Move(peer, bool(sends), bool(adds), first, length, bool(scratch))
            for peer, sends, adds, first, length, scratch in row.tolist()]  # fmt: skip
