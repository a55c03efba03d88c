"""The base of all costs: closed forms by name, lower bounds beside them, and a table of both."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

from sparring.costs.derivation import message_bytes
from sparring.costs.formulas.lower_bounds import Floor, lower_bounds
from sparring.costs.formulas.simplified import simplified
from sparring.costs.formulas.symbols import Expr, exact
from sparring.spec.core.model import Page


class Forms(ABC):
    """The cost of ``page``, exact, or under the hypothesis ``given``."""

    page: Page
    given: str

    @property
    def label(self) -> str:
        """The page whose cost it is, and the place, as a table names them."""
        return self.page.name

    names: ClassVar[tuple[str, ...]]
    """The names of the forms that there may be."""

    @property
    def shown(self) -> tuple[str, ...]:
        """The names of the forms that a table shows."""
        return self.names

    @abstractmethod
    def form(self, name: str) -> Expr | None:
        """Return the closed form called ``name``; None where there is none."""

    @abstractmethod
    def simplify(self, given: str) -> Self:
        """Return the cost under the hypothesis ``given``; raise InputError for one that is not known."""

    @property
    @abstractmethod
    def even(self) -> str:
        """The hypothesis under which nothing is rounded."""

    @property
    def supposed(self) -> str:
        """The further hypotheses of the formulas, in LaTeX; empty where there are none."""
        return ""

    @property
    def relation(self) -> str:
        """The sign before a form that is only a bound on what is sent; else empty."""
        return ""

    @property
    def qualified(self) -> Sequence[str]:
        """Sentences that a reader must know before the forms."""
        return ()

    @property
    def bounds(self) -> Mapping[str, Floor]:
        """Lower bounds, by form, under the hypothesis ``given``."""
        found = lower_bounds(self.page)
        return {one.quantity: one._replace(formula=simplified(one.formula, self.given)) for one in found}

    @property
    def plainest(self) -> str:
        """The hypothesis under which forms are shown a second time, beside their bounds: that nothing is rounded."""
        return self.even

    def least(self, at: Mapping[str, Fraction]) -> dict[str, Fraction]:
        """Return the lower bounds at a point, by form; exact."""
        return {name: exact(one.formula, at) for name, one in self.bounds.items()}

    @cached_property
    def claims(self) -> Sequence[Any]:
        """Published formulas, judged: of sparse chunks and of shared links there are none yet."""
        return ()

    @property
    def encoded(self) -> Expr | None:
        """A message's bytes, with letters for those of an index and of the header; None where it has no index."""
        return message_bytes.lettered(self.page)
