"""The allreduce that chooses its algorithm: by the derived costs, and then it is that algorithm."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

import sparring
from sparring import InputError, world
from sparring.checks.checking import check
from sparring.impl import tuned
from sparring.proofs.logic.verdicts import Word
from sparring.refinement.observing import observe

TARGET = "sparring.impl.tuned:allreduce"
EXACT: dict[str, Any] = {"alpha": Fraction(5, 10**6), "beta": Fraction(1, 10**10), "gamma": Fraction(1, 4 * 10**9)}
SHORT, LONG = 10, 1_000_000
"""Lengths on either side of where another algorithm costs less, for up to eight ranks."""


@pytest.mark.parametrize("name", tuned.TIMES)
def test_its_times_are_the_derived_ones(name):
    """Exactly, where pieces are equal."""
    cost = sparring.cost(name)
    for p in (*range(1, 18), 31, 32, 33, 64):
        for n in (0, 64 * p, 64 * p * 997):
            told = tuned.TIMES[name](tuned.Seconds(**EXACT), n, p, 8)
            assert told == cost.at(p=p, n=n, width=8, **EXACT).time, (name, p, n)


def test_the_least_is_chosen():
    """A message costs the more on a slower network, and an entry the more on one of little bandwidth."""
    for p in (2, 3, 4, 8):
        assert tuned.choose(tuned.USUAL, SHORT, p, 4) == "recursive_doubling" != tuned.choose(tuned.USUAL, LONG, p, 4)
    assert tuned.choose(tuned.Seconds(1.0, 1e-10, 1e-10), LONG, 8, 4) == "recursive_doubling"
    assert tuned.choose(tuned.Seconds(0.0, 1e-10, 1e-10), SHORT, 3, 4) == "ring"


def test_what_is_chosen_is_what_is_sent():
    """Message by message, named or by the machine; of two algorithms one is not the other."""
    few = partial(check, TARGET, ranks=[1, 2, 3, 4], level="steps", only=["result", "steps"], max_examples=20)
    for name in tuned.TIMES:
        assert few(name, algorithm=name).exit_code == 0, name
    assert few("recursive_doubling", machine=tuned.Seconds(1.0, 0.0, 0.0)).exit_code == 0
    result, steps = few("ring", algorithm="rabenseifner").results
    assert steps.verdict.word is Word.REFUTED, (result, steps)


DIFFER = [(before, *pair) for before in (SHORT, LONG) for pair in ((SHORT, LONG), (LONG, SHORT))]
"""What all ranks had in the call before; then what rank 1 has, and what the others have."""


def lengths(comm, x, /):
    """Short and long calls in turn, after each of which ranks differ."""
    found = []
    for before, own, others in DIFFER:
        found.append(tuned.allreduce(comm, x[:before])[-1])
        try:
            tuned.allreduce(comm, x[: own if comm.Get_rank() == 1 else others])
        except InputError as error:
            found.append(str(error))
    return found


@pytest.mark.parametrize("p", [2, 3])
def test_ranks_of_other_lengths_are_told(p):
    """Whatever was chosen before: a ring has no questions, and does not begin before all have told their length."""
    outcome = world.run(lengths, p, [np.arange(LONG) % 7.0] * p)
    outcome.raise_if_found()
    for found in outcome.results:
        assert found[::2] == [p * ((before - 1) % 7.0) for before, *_ in DIFFER]
        assert len(found) == 2 * len(DIFFER) and all("rank 1 has float64 and" in told for told in found[1::2])


def twice(comm, x, /):
    """The second of two calls."""
    tuned.allreduce(comm, x)
    return tuned.allreduce(comm, x)


@pytest.mark.parametrize(("n", "often"), [(SHORT, 1), (LONG, 2)])
def test_a_short_vector_of_the_last_length_is_sent_at_once(n, often):
    """What ranks tell one another before is an Allgather: of short vectors in the first call alone."""
    trace = observe(twice, [np.ones(n)] * 2, "result", record=True).trace
    assert trace and [event.call for event in trace.events if event.rank == 0].count("Allgather") == often


def test_an_algorithm_that_is_not_known():
    nobody: Any = None
    with pytest.raises(InputError, match="algorithm = 'tree': there are recursive_doubling, rabenseifner, ring"):
        tuned.allreduce(nobody, np.zeros(2), algorithm="tree")


def test_it_sums_as_every_allreduce():
    """On all that check tries, also bad input: lengths that differ by little."""
    assert check(TARGET, bad_input=True).exit_code == 0


def test_on_real_ranks(group):
    """Short and long vectors, by all three algorithms, one after the other on the same communicators."""
    for name in (None, *tuned.TIMES):
        found = check(TARGET, on="mpi", group=group, ranks=[2, 3], only=["result", "long vectors"], algorithm=name)
        assert found.exit_code == 0, name
