"""Collects what a picture shows: who sends which chunk to whom, and whose contributions each copy holds.

It is read off a run of the page itself, on vectors whose entries are sets of ranks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import NamedTuple, Protocol

from sparring.spec.core.blocks import Chunks, Picked, named
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Bool, Int
from sparring.spec.core.runner import Message, Run
from sparring.spec.core.schedule import number, step_sends, truth

NOTHING = "\N{MULTIPLICATION SIGN}"  # the label of a message that is missing


class Held(frozenset[int]):
    """The ranks whose contributions a copy holds; ``+`` is the union."""

    def __add__(self, other: frozenset[int]) -> Held:
        return Held(self | other)


Cells = list[list[Held]]  # Cells[r][c]: rank r's copy of chunk c


class Look(StrEnum):
    """The look of an arrow: what the receiver does with a page's message, or how an observed message compares."""

    ADDS = "adds"
    OVERWRITES = "overwrites"
    EXPECTED = "expected"
    OTHER = "other"
    WRONG = "wrong"
    MISSING = "missing"

    @property
    def differs(self) -> bool:
        """Whether the run differs from the page in this arrow."""
        return self in {Look.WRONG, Look.MISSING}


class Arrow(Protocol):
    """An arrow that is drawn from ``src`` down to ``dst`` in step ``t``; as a string, one sentence."""

    @property
    def t(self) -> int: ...
    @property
    def src(self) -> int: ...
    @property
    def dst(self) -> int: ...
    @property
    def chunk(self) -> int | None:
        """The chunk that the message carries, None where that is not known."""

    @property
    def adds(self) -> bool | None:
        """Whether the receiver adds the chunk, or else overwrites with it; None where that is not known."""

    @property
    def look(self) -> Look: ...
    @property
    def label(self) -> str: ...


class Hop(NamedTuple):
    """One message: in step ``t`` rank ``src`` sends ``chunk`` to ``dst``, which adds it, or overwrites with it.

    ``some``: all chunks of the message, of which ``chunk`` is the first, if they are more than one or none.
    """

    t: int
    src: int
    dst: int
    chunk: int
    adds: bool
    some: Chunks | None = None

    @property
    def chunks(self) -> Chunks:
        return range(self.chunk, self.chunk + 1) if self.some is None else self.some

    @property
    def look(self) -> Look:
        return Look.ADDS if self.adds else Look.OVERWRITES

    @property
    def label(self) -> str:
        """The chunk, and what the receiver does with it: ``+3`` is added, ``=3`` overwrites; several are ``+4-7``.

        Those that lie in no row are ``+1,3,5``, or ``+1,..,7``.
        """
        some = self.chunks
        if isinstance(some, Picked):
            held = ",".join(map(str, some if len(some) <= SPELT_OUT else (some[0], "..", some[-1])))
        else:
            held = f"{self.chunk}-{some[-1]}" if len(some) > 1 else f"{self.chunk}"
        return f"{'+' if self.adds else '='}{held}"

    def __str__(self) -> str:
        does = ("adds {} to its {}" if self.adds else "overwrites its {1}").format(*SPELT[len(self.chunks) > 1])
        return f"step {self.t}: rank {self.src} sends {named(self.chunks)} to rank {self.dst}, which {does}"


SPELT = ("it", "copy"), ("them", "copies")
SPELT_OUT = 3
"""So many numbers have room on an arrow."""


class Moment(NamedTuple):
    """One step: its messages by sender, and every copy after it."""

    hops: list[Hop]
    cells: Cells


def cells(page: Page, formula: Callable[[Int, Int, Int, Int], Bool], p: int) -> Cells:
    """Return the copies that ``formula(q, r, c, p)`` describes: the page's ``start`` or its ``goal``."""
    chunks = range(number(page.chunks(p)))
    return [[Held(q for q in range(p) if truth(formula(q, r, c, p))) for c in chunks] for r in range(p)]


def moments(page: Page, p: int) -> Iterator[Moment]:
    """Yield the run of ``page`` at ``p`` ranks, step by step; raises ScheduleFault where formulas make no schedule."""
    for t, wire, states in Run(page, cells(page, page.start, p)):
        yield Moment(step(page, t, wire, p), states)


def hops(page: Page, p: int) -> list[list[Hop]]:
    """Return the messages of every step at ``p`` ranks, without the copies; raises as ``moments`` does."""
    return [step(page, t, wire, p) for t, wire in enumerate(Run(page, [[] for _ in range(p)]).trace)]


def step(page: Page, t: int, wire: list[Message], p: int) -> list[Hop]:
    """Return the messages of step ``t``, with their chunks and what receivers do with them."""
    adds = truth(page.adds(t, p))
    held = [c for _, _, c in step_sends(page, t, p)]
    return [Hop(t, m.src, m.dst, c.start, adds, None if len(c) == 1 else c) for m, c in zip(wire, held)]


def share(held: Held, wanted: Held) -> float:
    """Return the share that a copy holds of the contributions that it must hold in the end, 0 to 1."""
    return len(held & wanted) / len(wanted) if wanted else 1.0


def count(n: int, thing: str) -> str:
    """Return ``n`` things, in prose.

    >>> count(1, "rank"), count(2, "rank")
    ('1 rank', '2 ranks')
    """
    return f"{n} {thing}{'' if n == 1 else 's'}"
