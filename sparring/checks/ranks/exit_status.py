"""Describes how a rank's process ended, or that it is stopped, in words.

>>> End(9, 0.0).words
'was killed by SIGKILL, as the kernel does where memory runs out'
>>> End(3 << 8, 0.0).words
'ended with exit code 3'
"""

from __future__ import annotations

import os
import signal
from typing import NamedTuple


class End(NamedTuple):
    """What its parent heard of a process: ``status`` as ``waitpid`` has it, ``at`` when, by the monotonic clock."""

    status: int
    at: float

    @property
    def stopped(self) -> bool:
        """It has not ended: it is suspended."""
        return os.WIFSTOPPED(self.status)

    @property
    def goes_on(self) -> bool:
        """It was suspended, and is no more."""
        return os.WIFCONTINUED(self.status)

    @property
    def words(self) -> str:
        """For a sentence, with the signal's name or the exit code."""
        if self.stopped:
            return f"is stopped ({name(os.WSTOPSIG(self.status))})"
        if os.WIFSIGNALED(self.status):
            number = os.WTERMSIG(self.status)
            hint = ", as the kernel does where memory runs out" if number == signal.SIGKILL else ""
            return f"was killed by {name(number)}{hint}"
        return f"ended with exit code {os.WEXITSTATUS(self.status)}"


def name(number: int) -> str:
    """A signal's name, or its number where it has none.

    >>> name(11), name(40)
    ('SIGSEGV', 'signal 40')
    """
    known = {one.value: one.name for one in signal.Signals}
    return known.get(number, f"signal {number}")
