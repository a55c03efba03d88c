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
    """A change of a process's state: ``status`` as ``waitpid`` tells it, ``at`` its time by the monotonic clock."""

    status: int
    at: float

    @property
    def stopped(self) -> bool:
        """True if the process has not ended, but is suspended."""
        return os.WIFSTOPPED(self.status)

    @property
    def goes_on(self) -> bool:
        """True if the process was suspended and now runs again."""
        return os.WIFCONTINUED(self.status)

    @property
    def words(self) -> str:
        """The end of the process in words, with the signal's name or the exit code."""
        if self.stopped:
            return f"is stopped ({name(os.WSTOPSIG(self.status))})"
        if os.WIFSIGNALED(self.status):
            number = os.WTERMSIG(self.status)
            hint = ", as the kernel does where memory runs out" if number == signal.SIGKILL else ""
            return f"was killed by {name(number)}{hint}"
        return f"ended with exit code {os.WEXITSTATUS(self.status)}"


def name(number: int) -> str:
    """Return a signal's name, or its number if it has no name.

    >>> name(11), name(40)
    ('SIGSEGV', 'signal 40')
    """
    known = {one.value: one.name for one in signal.Signals}
    return known.get(number, f"signal {number}")
