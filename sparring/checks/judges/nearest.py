"""Finds the page whose messages a target's are, or come nearest to, where nobody says what it is.

One run tells: of as many ranks as were asked for, up to eight.  Each page runs on the same vectors.
Its messages are the target's if each directed channel carries the same ones in the same order.
Else the distance is ``1 - |A and B| / |A or B|`` of the two multisets of messages, of which each
is its source, destination and bytes: 0 where these are the same, 1 where no message is.  (This is
Jaccard's distance, between multisets; that it stands for likeness here is our own choice.)  Lists
in a form that is not read, see :mod:`sparring.trace.packings`, count as messages without bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from sparring.checks.places import Place
from sparring.checks.question import Question
from sparring.errors import SparringError
from sparring.refinement.example import Example
from sparring.sparse import Sparse
from sparring.spec.core import pages
from sparring.spec.core.model import Page
from sparring.trace.compare import compare, messages, silence
from sparring.trace.events import Trace
from sparring.trace.packings import Packing, spoken

MOST = 8
"""Ranks of the run, at most."""
Message = tuple[int, int, int | None]
"""Source, destination, bytes; None where these are not read."""


class Amount(NamedTuple):
    """The most that one rank sends: messages, and words, or bytes if lists are sent; None if they are not read."""

    messages: int
    words: int | None


class Nearest(NamedTuple):
    """The nearest pages, at one ``distance``; ``same``: whether the target sends the messages of the first."""

    names: tuple[str, ...]
    same: bool
    distance: float
    ranks: int
    size: int
    unit: str
    sent: Amount
    planned: Amount | None
    """What the first page sends; None if no page sends any message of the target's."""
    formulas: tuple[str, str]
    """The formulas of the first page's messages and words, to follow a number; empty if none is derived."""

    def as_dict(self) -> dict[str, Any]:
        """Return the fields and the sentence as values for a report."""
        told = {**self._asdict(), "names": list(self.names), "distance": round(self.distance, 3)}
        planned = self.planned and self.planned._asdict()
        return {**told, "sent": self.sent._asdict(), "planned": planned, "text": str(self)}

    def __str__(self) -> str:
        names = " and ".join(self.names)
        read = self.sent.words is not None
        close = "message by message" if read else "by number of messages, which are not read as lists"
        alike = close if self.same else f"at a distance of {self.distance:.2f} from 0 to 1"
        bulk = f" and {self.sent.words} {self.unit}" if read else ""
        cost = f"(p={self.ranks} n={self.size}); a rank sends up to {self.sent.messages} messages{bulk}"
        if self.planned is None:
            return f"none, no page sends any of its messages {cost}"
        messages, words = self.formulas
        theirs = f" and {self.planned.words}{words}" if read else ""
        return f"{names}, {alike} {cost}, in {self.names[0]} {self.planned.messages}{messages}{theirs}"


def nearest(question: Question, place: Place) -> Nearest | str:
    """Find the page that the target's messages come nearest to; return a sentence if a run tells none."""
    p = max((p for p in question.ranks if p <= MOST), default=min(question.ranks))
    xs = vectors(p, sparse=question.sparse, seed=question.seed)
    seen = place.observe(question.target, Example(xs, "result"))
    if not seen.ys or seen.trace is None:
        return f"no run at p={p} came to its end"
    if not any(seen.trace.sends()):
        return "one rank sends nothing" if p == 1 else f"rank 0 {silence(seen.trace, 0)[0]}"
    return among(list(candidates(question.sparse)), xs, seen.trace)


def vectors(p: int, *, sparse: bool, seed: int) -> list[Any]:
    """Draw vectors of integers that tell ranks and entries apart; sparse vectors have about half of the entries."""
    rng = np.random.default_rng([abs(seed), p])
    n = 2 * p + 3
    xs = [rng.integers(1, 1 << 30, n) for _ in range(p)]
    return [Sparse(at := np.flatnonzero(rng.random(n) < 0.5), x[at], n) for x in xs] if sparse else xs


def candidates(sparse: bool) -> Iterator[Page]:
    """Yield the pages for dense or for sparse vectors that keep no state and are no compositions."""
    for name in pages.names():
        page = pages.find(name)
        if page.sparse == sparse and not page.stateful and not page.composed:
            yield page


def among(found: Sequence[Page], xs: Sequence[Any], trace: Trace) -> Nearest | str:
    """Return the nearest of the pages ``found`` that take vectors like ``xs``; a sentence if none does."""
    likely = [likeness(page, xs, trace) for page in found if runs(page, xs)]
    if not likely:
        return "no page takes such vectors"
    return chosen(likely, trace.ranks, int(xs[0].size), xs[0].dtype.itemsize)


def chosen(likely: Sequence[Likeness], p: int, n: int, width: int) -> Nearest:
    """Return the nearest of these, on ``p`` ranks with vectors of ``n`` entries of ``width`` bytes."""
    best = min(one.rank for one in likely)
    near, *others = (one for one in likely if one.rank == best)
    scale, unit = (1, "bytes") if near.page.listed else (width, "words")
    sent, planned = (most(found, p, scale) for found in (near.ours, near.theirs))
    names = tuple(one.page.name for one in (near, *others))
    if near.distance == 1 and not near.same:
        return Nearest((), False, 1.0, p, n, unit, sent, None, ("", ""))
    return Nearest(names, near.same, near.distance, p, n, unit, sent, planned, formulas(near.page, p, n, planned))


def runs(page: Page, xs: Sequence[Any]) -> bool:
    """Return whether the page takes that many ranks and vectors of that kind."""
    try:
        list(messages(page, xs))
    except SparringError:
        return False
    return True


class Likeness(NamedTuple):
    """The messages of a run, ``ours``, and of a page, ``theirs``; bytes are None if they are not read."""

    page: Page
    same: bool
    ours: list[Message]
    theirs: list[Message]

    @property
    def distance(self) -> float:
        """The distance of the two multisets of messages, from 0 to 1."""
        ours, theirs = (Counter(one for one in found if one[-1] != 0) for found in (self.ours, self.theirs))
        return 1 - (ours & theirs).total() / max(1, (ours | theirs).total())

    @property
    def rank(self) -> tuple[bool, float]:
        """The key that orders pages from the nearest on."""
        return not self.same, self.distance


def likeness(page: Page, xs: Sequence[Any], trace: Trace) -> Likeness:
    """Compare the page's messages with those of a run on the same vectors."""
    planned = list(messages(page, xs))
    form = spoken(planned, trace) if page.listed else None
    packing = form if isinstance(form, Packing) else None  # with a header messages are no whole number of words
    read = not page.listed or packing is not None
    sizes = [(packing.narrowed(m.entries) if packing else m.entries).nbytes for m in planned]
    theirs = [(m.src, m.dst, nbytes if read else None) for m, nbytes in zip(planned, sizes)]
    ours = [(e.rank, e.peer, e.nbytes if read else None) for e in trace.sends()]
    return Likeness(page, compare(page, xs, trace, "steps") is None, ours, theirs)


def most(found: Sequence[Message], p: int, scale: int) -> Amount:
    """Return the most messages, and the most words of ``scale`` bytes, that one rank sends."""
    sent, words = Counter(src for src, *_ in found), Counter[int]()
    for src, _, nbytes in found:
        words[src] += nbytes or 0
    unread = any(nbytes is None for *_, nbytes in found)
    return Amount(max(sent[r] for r in range(p)), None if unread else max(words[r] for r in range(p)) // scale)


def formulas(page: Page, p: int, n: int, counted: Amount) -> tuple[str, str]:
    """Return a rank's formulas of messages and words, to follow the counts; "" if none is derived, and for lists."""
    from sparring.costs.formulas import symbols
    from sparring.costs.pricing import cost

    if page.listed:
        return "", ""
    try:
        found = cost(page)
        forms = found.messages, found.words
    except SparringError:
        return "", ""
    values = [form.subs({symbols.p: p, symbols.n: n}) for form in forms]
    first, second = (
        f" = {form}" if value == number else f" (by its formula {form}, {value})"
        for form, value, number in zip(forms, values, counted)
    )
    return first, second
