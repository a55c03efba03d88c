"""Lists what each rank does in a page's schedule, one rank after the other, so that memory holds one at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, NoReturn

from sparring.errors import InputError, ScheduleFault
from sparring.schedules.rotational_symmetry import Hole, Turn
from sparring.spec.core import schedule
from sparring.spec.core.blocks import picked, rows
from sparring.spec.core.model import Page
from sparring.spec.core.schedule import step_sends, truth


class Move(NamedTuple):
    """A rank's move: a send, a receive, or, without ``peer``, the addition of its scratch to the same chunks."""

    peer: int
    sends: bool
    adds: bool
    first: int
    length: int
    scratch: bool = False
    """True if a receive writes to the scratch."""


Sent = tuple[int, int, int]
"""A message: the other rank, the first chunk, and how many there are; one whose chunks lie in no row is several."""


class Rows:
    """The page's schedule at ``p`` ranks, rank by rank."""

    def __init__(self, page: Page, p: int) -> None:
        self.page, self.p, self.several = page, p, page.several
        self.chunks, self.steps = number(page.chunks(p)), number(page.steps(p))
        if self.steps < 0:
            raise ScheduleFault(p, None, f"steps({p}) = {self.steps}; a page has at least 0 steps")

    def __iter__(self) -> Iterator[list[Move]]:
        """Yield for each rank its moves, in their order.

        Raises ScheduleFault where the formulas make no schedule.
        """
        return map(self.reader(), range(self.p))

    def turned(self) -> list[Move] | None:
        """Return the moves of rank 0, their peers and chunks as holes; None unless all ranks do the same, rotated."""
        try:
            found = self.reader()(Turn(0, self.p, around=True))
        except (TypeError, AttributeError, InputError):
            return None
        return [move._replace(peer=hole(move.peer), first=hole(move.first)) for move in found]

    def reader(self) -> Callable[[Any], list[Move]]:
        """Return a function from a rank to its moves."""
        page, p = self.page, self.p
        each = [number(page.messages(t, p)) for t in range(self.steps)]
        alone: list[tuple[int, ...]] = [()]
        numbers = [[(j,) for j in range(n)] if self.several else alone[:n] for n in each]
        adds = [truth(page.adds(t, p)) for t in range(self.steps)]
        return lambda r: [move for t in range(self.steps) for move in self.step(r, t, numbers[t], adds=adds[t])]

    def step(self, r: Any, t: int, messages: Sequence[tuple[int, ...]], *, adds: bool) -> list[Move]:
        """Return what rank ``r`` does in a step: it sends, and receives from those whom ``src`` names.

        Steps in which it is silent are checked too.  In a schedule ``src`` names exactly the ranks that send to it.
        """
        page, p = self.page, self.p
        sent: list[Sent] = []
        came: list[Sent] = []
        right = len(messages) > 0
        for j in messages:
            d, s = number(page.dst(r, t, p, *j)), number(page.src(r, t, p, *j))
            right = right and 0 <= d < p and 0 <= s < p and (page.carries is not None or self.in_range(r, t, j))
            right = right and not (d == r and self.active(r, t, j))
            if not right or number(page.src(d, t, p, *j)) != r:
                self.fault(t)
            sent += self.pieces(d, r, t, j)
            came += self.pieces(s, s, t, j)
        if not right or (self.several and self.clash(sent, came, adds=adds)):
            self.fault(t)
        moves = (Move(d, True, adds, first, length) for d, first, length in sent)
        if self.several:
            return [*moves, *coming(r, adds, sorted(came))]
        return [*moves, *(Move(s, False, adds, first, length) for s, first, length in came)]

    def clash(self, sent: list[Sent], came: list[Sent], *, adds: bool) -> bool:
        """Tell whether two messages go to one rank, or overwrite the same chunks."""
        spots = {one[1:] for one in came}
        return len({d for d, *_ in sent}) < len(sent) or (not adds and len(spots) < len(came))

    def active(self, r: int, t: int, j: tuple[int, ...]) -> bool:
        """Tell whether rank ``r`` sends the message."""
        return truth(self.page.active(r, t, self.p, *j))

    def in_range(self, r: Any, t: int, j: tuple[int, ...]) -> bool:
        """Tell whether the message has chunks of the page alone."""
        page, n = self.page, self.chunks
        first, length = number(page.chunk(r, t, self.p, *j)), number(page.count(r, t, self.p))
        some = length >= 0 and (length <= 1 or length <= (n if page.round else n - first))
        return bool(0 <= first < n + (length == 0) and some)

    def pieces(self, peer: int, r: int, t: int, j: tuple[int, ...]) -> list[Sent]:
        """Return the message that rank ``r`` sends, to or from ``peer``, as a list of pieces in a row each."""
        page, p = self.page, self.p
        if not self.active(r, t, j):
            return []
        if page.carries:
            some = picked([c for c in range(self.chunks) if truth(page.carries(r, c, t, p))])
            return [(peer, row.start, len(row)) for row in rows(some)]
        return self.straight(peer, number(page.chunk(r, t, p, *j)), number(page.count(r, t, p)))

    def straight(self, peer: int, first: int, length: int) -> list[Sent]:
        """Return a message as a list of pieces.

        It has two pieces where it goes past the last chunk to the first, and none where it has no chunks.
        """
        if length > 1 and (over := first + length - self.chunks) > 0:
            return [(peer, first, length - over), (peer, 0, over)]
        return [(peer, first, length)] if length else []

    def fault(self, t: int) -> NoReturn:
        """Raise ScheduleFault for what is wrong in step ``t``."""
        step_sends(self.page, t, self.p)
        raise ScheduleFault(self.p, t, "the formulas make no schedule")


def number(x: Any) -> Any:
    """Return ``x`` as a number, of one rank or of any."""
    return x if isinstance(x, Turn) else schedule.number(x)


def hole(x: int | Turn) -> int:
    """Return the number of rank 0, as a hole where each rank has its own."""
    return Hole(x.k) if isinstance(x, Turn) else x


def coming(dst: int, adds: bool, came: Sequence[Sent]) -> Iterator[Move]:
    """Yield what a rank does with the chunks that it receives in a step, by source, first chunk and length.

    The page adds by ascending rank, with the rank's own value in its place.  So values from two or more lower ranks are
    added up in the scratch first.
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
