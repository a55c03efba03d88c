"""Averages of a group in two steps: copies to who looks after a part, and its mean back to all whose copies it has.

Where all of ``p`` members are there it is the two-shot allreduce of ``spec/two_shot.py``, of vectors times their
weights, and each part is divided by the sum of these.  A member of weight 0 sends no copies and keeps its vector;
parts without entries are not sent.  A member may have only so many messages ``left``; then it fails, and hears what
comes, or dies.

Requires: ``p >= 1``; vectors of one length; numbers that can be divided.
Ensures:  whoever takes a mean has its copy in it; and unless some die after they sent, or fail between copies and
means, those whose copies are in a mean all take it: so vectors, times their weights, add up to what they did.

Truths about a member are: that its part is ``full``; that it ``dies``, or else stays, when its messages are out;
about two, that a member is the ``own`` one of a part.  Messages of a step are counted from 0.
"""

from sparring.spec.core.numbers import Bool, Int, both, either, negate
from sparring.spec.two_shot import adds, chunk, dst, holds, messages, src, steps, who

kind = "allreduce"

__all__ = ["adds", "chunk", "dst", "holds", "messages", "src", "steps", "who"]


def copies(weight: Int, full: Bool) -> Bool:
    """A member of this weight has a copy to send, of a part."""
    return both(weight > 0, full)


def sent(number: Int, left: Int) -> Bool:
    """The message of this number is sent by a member that has so many left."""
    return number < left


def complete(many: Int, left: Int) -> Bool:
    """So many are all sent."""
    return many <= left


def made(full: Bool, up: Bool) -> Bool:
    """There is a mean of a part, whose own member has all its copies sent, or has not."""
    return both(full, up)


def counted(own: Bool, came: Bool, weight: Int, made: Bool) -> Bool:
    """A member's copy, its own one or one that came, is in the mean."""
    return both(made, both(weight > 0, either(own, came)))


def hears(dies: Bool, up: Bool) -> Bool:
    """It is there in the second step."""
    return either(negate(dies), up)


def due(counted: Bool, hears: Bool) -> Bool:
    """The mean is to be sent to it."""
    return both(counted, hears)


def lives(dies: Bool, up: Bool, told: Bool) -> Bool:
    """It is there at the end, with all its copies and all its means sent, or not."""
    return either(negate(dies), both(up, told))


def takes(own: Bool, told: Bool, counted: Bool, lives: Bool) -> Bool:
    """It has the mean in its vector."""
    return both(lives, both(counted, either(own, told)))


def weighed(x: Int, w: Int) -> Int:
    """What goes into a sum."""
    return w * x


def rounded(amount: Int, total: Int) -> Int:
    """How long a part is at least: of all scores, ``total``, one member's, times the number of entries."""
    return amount // total
