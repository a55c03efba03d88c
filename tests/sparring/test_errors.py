"""Errors travel between processes whole: those that are made from more than their message, too."""

from __future__ import annotations

import pickle

import pytest

import sparring
from sparring.errors import ScheduleFault


@pytest.mark.parametrize(
    "error",
    [sparring.RankFailed(3, "Traceback: planted"), ScheduleFault(4, 2, "planted"), sparring.InputError("n = -1")],
)
def test_an_error_comes_back_as_it_went(error):
    again = pickle.loads(pickle.dumps(error))  # written a moment ago

    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))
