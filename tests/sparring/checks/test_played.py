"""A rank's part in an example, in this process: what numpy says of numbers is nobody's fault."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from sparring.checks.ranks.rank import play


class Comms:
    """Communicators that nobody uses."""

    def new(self, ranks, *, trace):
        return None, None


def play_alone(target):
    """What comes of a call."""
    x = np.full(1, np.float32(3e38))
    return play(Comms(), 1, target, x, calls=1, rows=False, trace=False, params={})


def test_an_overflow_is_no_failure():
    """Though pytest makes errors of warnings."""
    with pytest.raises(RuntimeWarning):
        np.multiply(np.full(1, np.float32(3e38)), 10)
    assert play_alone(lambda comm, x: x * np.float32(10)).arrays[0] == np.inf


def test_another_warning_is_what_the_user_made_of_it():
    """An error here."""
    told = play_alone(lambda comm, x: warnings.warn("planted", UserWarning, stacklevel=1))

    assert "UserWarning: planted" in told.header["traceback"]
