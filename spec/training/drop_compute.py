"""DropCompute: a rank that is late drops the rest of its micro-batches and goes to the allreduce [GG23]_.

In each iteration a rank adds up the gradients of ``M`` micro-batches, and all ranks' sums go
through any allreduce.  When a rank's own time passes ``tau``, it stops.  Nothing is said to other
ranks, and the allreduce is what it was.  Three rules go by that name which are not the same:

- ``analytic``, of the paper's theory: a micro-batch counts if it ends before ``tau``; computing
  ends at ``tau``, and a micro-batch that is not over then is lost.
- ``after_backward``, of its listing: the clock is read after each micro-batch, and after ``tau``
  no other is begun; the one that passes ``tau`` counts.
- ``between_passes``, of its DeepSpeed program: the clock is read before each forward pass and
  between it and the backward pass; after ``tau`` the micro-batch is given up.

A rule is a formula of one micro-batch, so that it is run on numbers and proved on symbols.  Times
are of any one unit and type; none is below 0.

>>> micros = [Micro(1, 2), Micro(1, 2), Micro(1, 2)]
>>> for rule in RULES.values():
...     print(*(worked(rule, micros, tau)[:2] for tau in (0, 3, 4, 9)))
(0, 0) (0, 3) (1, 4) (2, 9)
(1, 3) (2, 6) (2, 6) (3, 9)
(0, 1) (1, 4) (2, 6) (3, 9)

The names are ours.  The paper and its programs divide by all micro-batches that there are,
``fixed``; that one may divide by those that were ``completed`` instead is our own.

>>> sums = [[8, 4], [0, 0]]
>>> mean(sums, [1, 0], 2, "fixed"), mean(sums, [1, 0], 2, "completed"), mean([[0, 0], [0, 0]], [0, 0], 2, "completed")
([2.0, 1.0], [8.0, 4.0], None)

.. [GG23] N. Giladi, S. Gottlieb, M. Shkolnik, A. Karnieli, R. Banner, E. Hoffer, K. Y. Levy and
   D. Soudry, "DropCompute: simple and more robust distributed synchronous training via compute
   variance reduction", NeurIPS 2023, arXiv:2306.10598.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from itertools import accumulate
from typing import Any, NamedTuple

from sparring.spec.core.numbers import Bool, Int, both, where


class Micro(NamedTuple):
    """What the two passes of a micro-batch take."""

    forward: Any
    backward: Any


class Work(NamedTuple):
    """How far a rank is: ``completed``, micro-batches that count; ``now``, its clock; ``going``, whether it goes on."""

    completed: Int = 0
    now: Any = 0
    going: Bool = True


Rule = Callable[[Work, Micro, Any], Work]
"""``rule(at, micro, tau)``: how far a rank is after its next micro-batch, which it may not begin."""


def analytic(at: Work, micro: Micro, tau: Any) -> Work:
    end = at.now + micro.forward + micro.backward
    fits = both(at.going, end < tau)
    return Work(at.completed + where(fits, 1, 0), where(at.going, where(end < tau, end, tau), at.now), fits)


def after_backward(at: Work, micro: Micro, tau: Any) -> Work:
    end = at.now + micro.forward + micro.backward
    return Work(at.completed + where(at.going, 1, 0), where(at.going, end, at.now), both(at.going, end <= tau))


def between_passes(at: Work, micro: Micro, tau: Any) -> Work:
    middle, begins = at.now + micro.forward, both(at.going, at.now <= tau)
    fits = both(begins, middle <= tau)
    now = where(fits, middle + micro.backward, where(begins, middle, at.now))
    return Work(at.completed + where(fits, 1, 0), now, fits)


RULES: Mapping[str, Rule] = {one.__name__: one for one in (analytic, after_backward, between_passes)}


def worked(rule: Rule, micros: Iterable[Micro], tau: Any) -> Work:
    """How far a rank comes: ``completed`` micro-batches count, and its computing ends at ``now``; ``tau >= 0``."""
    return reduce(lambda at, micro: rule(at, micro, tau), micros, Work())


def counted(name: str, micros: Sequence[Micro], tau: Any) -> int:
    """How many micro-batches count by the rule called so, in one formula of their times.

    >>> [counted(name, [Micro(1, 2), Micro(1, 2), Micro(1, 2)], 4) for name in RULES]
    [1, 2, 2]
    """
    ends = [*accumulate(micro.forward + micro.backward for micro in micros)]
    begins = [end - micro.forward - micro.backward for end, micro in zip(ends, micros)]
    counts: dict[str, int] = {
        "analytic": sum(end < tau for end in ends),
        "after_backward": min(len(micros), 1 + sum(end <= tau for end in ends[:-1])),
        "between_passes": sum(begin + micro.forward <= tau for begin, micro in zip(begins, micros)),
    }
    return counts[name]


def mean(sums: Sequence[Sequence[Any]], counts: Sequence[int], many: int, normaliser: str) -> list[Any] | None:
    """What all ranks descend by; None where it is by what was completed, and nothing was.

    ``sums``: by rank, its micro-batches that count, added; ``counts``: how many these are; ``many``:
    micro-batches of a rank, ``M``; ``normaliser``: ``"fixed"`` or ``"completed"``.
    """
    by = {"fixed": many * len(sums), "completed": sum(counts)}[normaliser]
    return [sum(entry) / by for entry in zip(*sums)] if by else None
