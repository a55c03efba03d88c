"""Solves for the lengths of parts where members of a group have unequal bandwidths: the published linear program.

Of ``n`` members one that looks after the fraction ``w`` of the vector sends its copies, ``1 - w`` vectors, and its mean
``n - 1`` times: ``1 + (n - 2) w`` vectors.  The program chooses fractions, at least 0 and 1 together, so
that the largest such load over bandwidth is least; one without bandwidth gets 0, and is not waited for.

Its optimum has a closed form.  No time ``s`` is less than ``1 / b`` of any member; and as loads are ``k + n - 2``
together, where ``k`` members have bandwidth, ``s`` times all bandwidth is no less than that.  The larger of
the two bounds is reached: within it a member can take ``(s b - 1) / (n - 2)``, which is not negative, and all of these
together are at least 1.  Taking in proportion to them, none takes more.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def least(bandwidths: Sequence[int]) -> Fraction:
    """Return the least time for one vector, of at least three members of whom some have bandwidth."""
    able = [b for b in bandwidths if b]
    return max(Fraction(len(able) + len(bandwidths) - 2, sum(able)), *(Fraction(1, b) for b in able))


def slowest(bandwidths: Sequence[int], parts: Sequence[Fraction]) -> Fraction:
    """Return the time that these fractions take."""
    n = len(bandwidths)
    return max((1 + (n - 2) * part) / b for b, part in zip(bandwidths, parts) if b)
