"""Defines the kinds of statements that papers make."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from sparring.costs.published.claim import Claim
from sparring.costs.published.notation import Letter
from sparring.proofs.logic.verdicts import Settled

TAGS: Mapping[str, str] = {
    "V": "read in the source itself",
    "S": "second hand: read in a text that reports it",
    "M": "as remembered: the text was not at hand, to be checked before it is quoted",
    "D": "our own, from the source's formulas",
}
"""How sure it is that the source says so."""


@dataclass(frozen=True)
class Statement:
    """The fields that all kinds of statements have."""

    name: str
    where: str
    """Section, equation or row, as far as known."""
    tag: str
    """One of ``TAGS`` or several: what is ours rests on formulas that are known so well."""
    _: KW_ONLY
    xfail: str = ""
    """Why it is known to fail somewhere; that it does not is then the failure."""


@dataclass(frozen=True)
class Row(Statement):
    """A cost: judged against the page ``algorithm`` as its own claims are; not judged until there is one."""

    algorithm: str
    """The page's name; of a collective or an exchange, what the function of that name returns."""
    quantity: str
    """One of ``published.QUANTITIES``."""
    formula: Callable[[Any, Any, Any], Any]
    """A function of ``n``, ``p`` and ``k``, as a claim has it."""
    _: KW_ONLY
    given: str = ""
    """Hypotheses, of ``hypotheses.HYPOTHESES``."""
    of: str = ""
    """The algorithm whose cost it is, where the page's name does not say it."""
    support: str = ""
    """Where chunks are sparse, the model of supports that the cost is under."""
    params: Mapping[str, int] = field(default_factory=dict)
    """Parameters of the page that it is judged against, where they are not its own."""
    bound: bool = False
    """Whether it is an upper bound, which may be too high."""
    actual: Callable[[Any, Any, Any], Any] | None = None
    """The right formula, where ``xfail`` says that this one is wrong."""

    def claim(self, source: str) -> Claim:
        """Return the row as a claim that a page would hold."""
        return Claim(self.name, self.quantity, self.formula, self.given, source, self.xfail, self.bound, self.actual)


@dataclass(frozen=True)
class Theorem(Statement):
    """A relation between formulas, which decides itself: it holds for all values of its letters, or does not.

    What ``says`` and ``hypotheses`` say is read, as ``relations`` does.  Where that is words, ``relation`` and
    ``given`` say the same: functions of letters, which their arguments' names are, that return what sympy compares.
    ``p``, ``n``, ``k``, ``r``, ``d`` and ``m`` are natural numbers, ``p >= 1``; every other letter is a real number
    that is not negative.
    """

    says: str
    relation: Callable[..., Any] | None = None
    _: KW_ONLY
    hypotheses: str = ""
    given: Callable[..., Any] | None = None
    only: str | Callable[..., Any] = ""
    """Where alone it holds, if ``xfail`` says that it fails: a relation, in words or as a function; "": nowhere."""


@dataclass(frozen=True)
class Shown(Statement):
    """A statement that its own ``proof`` decides: whether it holds, and how that was found, or where it fails.

    A proof that comes to no end raises Undecided; one that is worth less than *proved* states its verdict, too.
    """

    says: str
    proof: Callable[[], Settled | tuple[bool, str]]
    _: KW_ONLY
    hypotheses: str = ""


@dataclass(frozen=True)
class Unjudged(Statement):
    """A statement that nothing here decides, and the reason."""

    says: str
    because: str
    _: KW_ONLY
    given: str = ""


class Source(NamedTuple):
    """A paper, what it states, and by name of a page, what it calls the page's letters."""

    id: str
    bibliography: str
    statements: Sequence[Statement]
    notation: Mapping[str, Sequence[Letter]] = MappingProxyType({})


COLLECTIVES, EXCHANGES = "sparring.spec.collectives.", "sparring.spec.exchanges."
"""The rooms of pages of collectives, and of exchanges of which compositions are made."""


def collective(name: str) -> str:
    """Return what a row calls the page of a collective.

    >>> collective("binomial_bcast")
    'sparring.spec.collectives.binomial_bcast'
    """
    return COLLECTIVES + name


def exchange(name: str) -> str:
    """Return what a row calls the page of an exchange."""
    return EXCHANGES + name


CONVERGENCE = "a statement about convergence of training, which no schedule decides"
MEASURED = "a measurement on a cluster that we do not have"


def no_page(algorithm: str) -> str:
    """Return the reason why a statement about an algorithm without a page is not judged."""
    return f"no page yet: {algorithm}"
