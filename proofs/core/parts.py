"""What a program sends at most, part by part: what its proof module says of it, from which a cost is derived."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from sparring.proofs.core.obligations import Obligation
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import Int


class Part(NamedTuple):
    """A part of a call: formulas in which every rank sends all that a rank may send there."""

    name: str
    page: Page
    """A message in each of its steps, which are a rank's messages one after the other; of lists, as it is."""
    together: Int
    """So many of a rank's messages leave in one step."""
    claims: Sequence[Obligation]
    """No rank sends more there, whatever the vectors hold, under the program's hypotheses."""
    longest: Int | None = None
    """Of lists: how long rank ``r``'s is; none is longer than the largest of these."""
    once: bool = False
    """All leave in one step, so that the largest of that step are all that one rank sends; or there is none."""
    length: Int | None = None
    """Of whole vectors: how many entries these have there, in the place of ``n``; its steps are its page's own."""
    octets: Callable[[Int], Int] | None = None
    """Of codes: the bytes of a message of so many entries, of ``width`` bytes each; it never falls as they grow.

    Then ``longest`` says how many entries rank ``r``'s messages have, and ``d`` is ``ceil(log2(p))``.
    """
    ranks: int | None = None
    """Of groups: so many ranks are in a full one, in the place of ``p``; ranks of others may send fewer messages."""
    times: int | None = None
    """Of groups: how often they meet; None for as often as groups of ``ranks`` need to reach all, ``d`` times."""


class Bounded(NamedTuple):
    """A bound on what a program sends in a call, and what the bound does not say."""

    name: str
    """What the hypotheses are called together, as in ``bound under H1-H4``."""
    hypotheses: Sequence[tuple[str, str]]
    """Each with its name."""
    parts: Sequence[Part]
    """One after the other; those that leave in one step may be left out."""
    besides: Sequence[Part] = ()
    """What some calls send more; its name says which."""
    notes: Sequence[str] = ()
    calls: str = "a call"
    """Which calls it speaks of."""


class Played(NamedTuple):
    """A call that the bound speaks of: a page with its parameters, a vector a rank, and what the call before left."""

    what: str
    page: Page
    xs: list[Any]
    state: Any
    reaches: Sequence[str] = ()
    """The parts in which some rank sends all words of the bound; "" if one rank does so in all of them together."""
