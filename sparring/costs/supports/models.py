"""Models of supports by name, as they are asked for: what stands for ``u(s)`` in the cost of sparse chunks.

Three are those of ``spec.core.supports``.  Two have a parameter, which follows after a colon:

``blocks:64``  entries come in whole blocks of 64 neighbours; each rank has each block with the same chance, ``k / n``,
               whatever other ranks and blocks do.  The last block of a vector, and blocks over the border of two
               chunks, need not be whole there: each *entry* has that chance, so that ``u(s)``, and what a chunk is
               expected to have of it, are those of independent supports, exactly, for any block length.  What
               changes is how far a chunk may be from that (:meth:`Model.variance`); and an encoding with one
               index a block would save bytes, but a page's ``octets`` are all that is priced.
``zipf:1.1``   some indices are more popular than others, with that exponent (``proofs.cost.zipf``).

Whatever the model, ``k <= u(s) <= min(s k, n)``: "identical" and "disjoint" are the best and the worst.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from sparring.errors import InputError
from sparring.spec.library.support_models import MODELS, independent

Number = Any  # an int, a Fraction, or a term of sympy

FORMS = {"blocks": "blocks:LENGTH", "zipf": "zipf:EXPONENT"}
NAMES = (*MODELS, *FORMS.values())
"""The names that may be asked for, besides "union", which leaves u(s) as it is."""


@dataclass(frozen=True)
class Model:
    """A model of supports."""

    name: str
    """The name as it is asked for."""
    union: Callable[[Number, Number, Number], Number]
    """``u(s, n, k)``, on numbers; on sympy's terms too where it is ``closed``."""
    means: str
    """The meaning of ``u(s)``, in a sentence without a stop; empty where the name says it."""
    latex: str = ""
    """The same meaning in LaTeX, for a paper."""
    exponent: Fraction | None = None
    """The exponent of Zipf's law; None for other models."""
    block: int | None = None
    """Entries that come together; None where the model says nothing of how far a chunk may be from even."""

    @property
    def closed(self) -> bool:
        """Whether ``u(s)`` is a formula of ``s``, ``n`` and ``k``."""
        return self.exponent is None

    @property
    def function(self) -> Any:
        """``u(s, n, k)`` as sympy's function, which encloses itself, where it is not ``closed``."""
        from sparring.costs.supports.zipf import function  # sums over all indices need numpy

        return function(self.exponent)

    def variance(self, s: int, n: int, k: int, size: int) -> Fraction | None:
        """Return a bound on the variance of the entries of ``s`` ranks' union in ``size`` neighbouring places.

        Blocks are in the union each by itself, with chance ``q = u(s) / n``, or, where every rank has an exact
        number of them, negatively associated (Joag-Dev and Proschan 1983); so the variance is no more than
        ``q (1 - q)`` times the sum of the squares of their places, of which there are ``size`` in all.
        """
        if self.block is None or n == 0:
            return None
        q = Fraction(self.union(s, n, k)) / n
        return self.block * size * q * (1 - q)


def find(text: str) -> Model:
    """Return the model called ``text``; raise InputError where there is none, or its parameter is missing or wrong."""
    name, colon, given = text.partition(":")
    if name in MODELS and not colon:
        return Model(name, MODELS[name], "", block=1 if name == "independent" else None)
    if name in FORMS:
        return blocks(text, given) if name == "blocks" else zipf(text, given)
    raise InputError(f"support={text!r}: there are union, {', '.join(NAMES)}")


def valued(text: str) -> Model:
    """Return the model for which ``u(s)`` must be a number; raise InputError for "union" too."""
    if text == "union":
        raise InputError(f"u(s) has no value; choose a model of supports: {', '.join(NAMES)}")
    return find(text)


def sizes(text: str, n: int, k: int) -> Callable[[int], Any]:
    """Return ``u(s)`` under that model, as a function; raise InputError for "union" too."""
    model = valued(text)
    return lambda s: model.union(s, n, k)


def blocks(text: str, given: str) -> Model:
    """Return the model of whole blocks of so many neighbours."""
    if not (given.isascii() and given.isdigit() and int(given)):
        raise InputError(f"support={text!r}: a block has a whole number of entries, 1 or more, such as blocks:64")
    means = (
        f"each rank has each block of {given} neighbouring entries with chance k/n, by itself; sizes are expected "
        "ones, those of independent supports, and messages are encoded entry by entry"
    )
    latex = (
        rf"supports are made of blocks of {given} neighbouring entries, each of which a rank has with "
        "probability $k/n$, independently; sizes are expected ones, and messages are encoded entry by entry"
    )
    return Model(text, independent, means, latex, block=int(given))


@cache
def zipf(text: str, given: str) -> Model:
    """Return the model of Zipf's law with that exponent."""
    from sparring.costs.formulas.units import fraction  # for the same reason
    from sparring.costs.supports import zipf as law  # sums over all indices need numpy and sympy

    a = fraction(given)
    if a is None or not 0 < a <= law.STEEPEST:
        raise InputError(
            f"support={text!r}: the exponent is a number above 0, at most {law.STEEPEST}, such as zipf:1.1"
        )
    means = (
        f"the j-th most popular index is in a rank's support with chance min(1, c/j^{given}), by itself, c such that "
        f"these sum up to k; u(s) = Sum(1 - (1 - min(1, c/j^{given}))^s, (j, 1, n)), popular indices lying evenly in "
        f"the chunks; numbers are never too low, by 1 part in 10^{TOLD} at most too high up to {RANKS} ranks"
    )
    latex = (
        rf"$u(s) = \sum_{{j=1}}^{{n}} 1 - {{(1 - \min\{{1, c\, j^{{-{given}}}\}})}}^{{s}}$, $c$ such that $u(1) = k$: "
        r"the $j$-th most popular index is in a rank's support with probability $\min\{1, c\, "
        rf"j^{{-{given}}}\}}$, independently, and popular indices lie evenly in the chunks"
    )
    return Model(text, lambda s, n, k: law.union(s, n, k, a), means, latex, exponent=a)


TOLD, RANKS = 8, 1024
"""``2 (RANKS + 1) zipf.EXACT`` is less than ``10^-TOLD``."""
