"""Which page a target's messages are those of, or come nearest to, where nobody says what it is.

One run tells: of as many ranks as were asked for, up to eight.  Each page runs on the same vectors.
Its messages are the target's if each directed channel carries the same ones in the same order.
Else the distance is ``1 - |A and B| / |A or B|`` of the two multisets of messages, of which each
is its source, destination and bytes: 0 where these are the same, 1 where no message is.  (This is
Jaccard's distance, between multisets; that it stands for likeness here is our own choice.)  Lists
in a form that is not read, see :mod:`sparring.proofs.trace.packings`, count as messages without bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from sparring.checks.examples import Example
from sparring.checks.places import Place
from sparring.checks.question import Question
from sparring.errors import InputError, SparringError
from sparring.proofs.trace.compare import compare, messages, silence
from sparring.proofs.trace.events import Trace
from sparring.proofs.trace.packings import spoken
from sparring.sparse import Sparse
from sparring.spec.core import pages
from sparring.spec.core.model import Page

MOST = 8
"""Ranks of the run, at most."""
Message = tuple[int, int, int | None]
"""Source, destination, bytes; None where these are not read."""


class Amount(NamedTuple):
    """What the rank that sends the most sends: messages, and words, or bytes where lists are sent and read."""

    messages: int
    words: int | None


class Nearest(NamedTuple):
    """The page, and any others that send the same; ``same``: whether the target sends just that, else ``distance``."""

    names: tuple[str, ...]
    same: bool
    distance: float
    ranks: int
    size: int
    unit: str
    sent: Amount
    planned: Amount
    formulas: tuple[str, str]
    """Of messages and words of the first of them; empty where none is derived."""

    def as_dict(self) -> dict[str, Any]:
        """For a report."""
        told = {**self._asdict(), "names": list(self.names), "distance": round(self.distance, 3)}
        return {**told, "sent": self.sent._asdict(), "planned": self.planned._asdict(), "text": str(self)}

    def __str__(self) -> str:
        names = " and ".join(self.names)
        read = self.sent.words is not None
        close = "message by message" if read else "by number of messages, which are not read as lists"
        alike = close if self.same else f"at a distance of {self.distance:.2f} from 0 to 1"
        messages, words = (f" = {formula}" if formula else "" for formula in self.formulas)
        bulk = f" and {self.sent.words} {self.unit}" if read else ""
        theirs = f" and {self.planned.words}{words}" if read else ""
        return (
            f"{names}, {alike} (p={self.ranks} n={self.size}); a rank sends up to {self.sent.messages} messages{bulk}, "
            f"in {self.names[0]} {self.planned.messages}{messages}{theirs}"
        )


def nearest(question: Question, place: Place) -> Nearest | str:
    """The page that the target's messages come nearest to; a sentence where a run tells none."""
    p = max((p for p in question.ranks if p <= MOST), default=min(question.ranks))
    xs = vectors(p, sparse=question.sparse, seed=question.seed)
    seen = place.observe(question.target, Example(xs, "result"))
    if not seen.ys or seen.trace is None:
        return f"no run at p={p} came to its end"
    if not any(seen.trace.sends()):
        return "one rank sends nothing" if p == 1 else f"rank 0 {silence(seen.trace, 0)[0]}"
    return among(list(candidates(question.sparse)), xs, seen.trace)


def vectors(p: int, *, sparse: bool, seed: int) -> list[Any]:
    """Integers that tell ranks and entries apart; of sparse vectors about half of them."""
    rng = np.random.default_rng([seed, p])
    n = 2 * p + 3
    xs = [rng.integers(1, 1 << 30, n) for _ in range(p)]
    return [Sparse(at := np.flatnonzero(rng.random(n) < 0.5), x[at], n) for x in xs] if sparse else xs


def candidates(sparse: bool) -> Iterator[Page]:
    """The pages of such vectors that keep no state."""
    for name in pages.names():
        page = pages.find(name)
        if page.sparse == sparse and not page.stateful:
            yield page


def among(found: Sequence[Page], xs: Sequence[Any], trace: Trace) -> Nearest | str:
    """The nearest of these pages."""
    likely = [likeness(page, xs, trace) for page in found if runs(page, xs)]
    if not likely:
        return "no page takes such vectors"
    best = min(one.rank for one in likely)
    near, *others = (one for one in likely if one.rank == best)
    scale, unit = (1, "bytes") if near.page.listed else (xs[0].dtype.itemsize, "words")
    sent, planned = (most(found, trace.ranks, scale) for found in (near.ours, near.theirs))
    names = tuple(one.page.name for one in (near, *others))
    told = trace.ranks, int(xs[0].size), unit, sent, planned, formulas(near.page)
    return Nearest(names, near.same, near.distance, *told)


def runs(page: Page, xs: Sequence[Any]) -> bool:
    """Whether the page takes so many ranks and vectors of that kind."""
    try:
        list(messages(page, xs))
    except InputError:
        return False
    return True


class Likeness(NamedTuple):
    """How far the messages of a run are from a page's; bytes are None where they are not read."""

    page: Page
    same: bool
    ours: list[Message]
    theirs: list[Message]

    @property
    def distance(self) -> float:
        """From 0 to 1."""
        ours, theirs = Counter(self.ours), Counter(self.theirs)
        return 1 - (ours & theirs).total() / max(1, (ours | theirs).total())

    @property
    def rank(self) -> tuple[bool, float]:
        """By what one is nearer than another."""
        return not self.same, self.distance


def likeness(page: Page, xs: Sequence[Any], trace: Trace) -> Likeness:
    """Of the messages that carry something."""
    planned = [m for m in messages(page, xs) if m.entries.size]
    packing = spoken(planned, trace) if page.listed else None
    read = not page.listed or packing is not None
    sizes = [(packing.narrowed(m.entries) if packing else m.entries).nbytes if read else None for m in planned]
    theirs = [(m.src, m.dst, nbytes) for m, nbytes in zip(planned, sizes)]
    ours = [(e.rank, e.peer, e.nbytes if read else None) for e in trace.sends() if e.nbytes]
    return Likeness(page, compare(page, xs, trace, "steps") is None, ours, theirs)


def most(found: Sequence[Message], p: int, scale: int) -> Amount:
    """The most messages, and the most words of so many bytes, that one rank sends."""
    sent, words = Counter(src for src, *_ in found), Counter[int]()
    for src, _, nbytes in found:
        words[src] += nbytes or 0
    unread = any(nbytes is None for *_, nbytes in found)
    return Amount(max(sent[r] for r in range(p)), None if unread else max(words[r] for r in range(p)) // scale)


def formulas(page: Page) -> tuple[str, str]:
    """Of messages and words a rank; empty where none is derived, or where lists have bytes that differ."""
    from sparring.proofs.cost.costs import cost

    if page.listed:
        return "", ""
    try:
        found = cost(page)
        return str(found.messages), str(found.words)
    except SparringError:
        return "", ""
