"""The targets that show what a collective did: they pass on a right MPI, and hide no fault of a wrong one."""

import inspect
import re

import numpy as np
import pytest

from sparring.checks.checking import check
from sparring.libraries.collectives import COLLECTIVES, IN_PLACE, begins, shown

ALL = {**COLLECTIVES, **{f"{name}, in place": function for name, function in IN_PLACE.items()}}


@pytest.mark.parametrize("name", ALL)
def test_they_return_the_sum_in_the_simulated_world(name):
    report = check(ALL[name], max_examples=6, ranks=[1, 2, 5])
    assert report.exit_code == 0, report.results
    assert {r.property for r in report.results if str(r.verdict).startswith("tested")} >= {"result", "agreement"}


def written(arguments):
    """The arrays that a collective may have written, its last one first."""
    arrays = [one[0] if isinstance(one, tuple) else one for one in arguments]
    return [one for one in arrays if isinstance(one, np.ndarray) and one.flags.writeable and one.size][::-1]


def losing(function, *arguments):
    """A collective after which the first and the last entry of what it should have written are wrong."""
    function(*arguments)
    for array in written(arguments)[:1]:
        array.reshape(-1)[:1] += 1
        array.reshape(-1)[-1:] += 1


@pytest.mark.parametrize("name", ALL)
def test_an_entry_that_is_wrong_after_the_call_shows(name, monkeypatch):
    """How small an example shows it is not asked."""
    monkeypatch.setattr("sparring.checks.engine.SHRINKING", 0.0)
    (result,) = check(ALL[name], max_examples=6, ranks=[3], only=["result"], call=losing).results
    assert str(result.verdict) == "refuted"


@pytest.mark.parametrize("name", ALL)
def test_nothing_but_the_named_call_is_a_collective(name):
    """Else a fault of another one would be said to be this one's."""
    made = set(re.findall(r"comm\.([A-Z]\w+)", inspect.getsource(ALL[name]) + inspect.getsource(shown)))
    assert made - {"Get_size", "Get_rank", "Irecv", "Isend"} == {name.partition(",")[0].capitalize()}


def test_chunks_cut_the_vector():
    for n in range(12):
        for p in range(1, 6):
            at = begins(n, p)
            assert at[0] == 0
            assert at[-1] == n
            assert max(np.diff(at)) - min(np.diff(at)) <= 1
