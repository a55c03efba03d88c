"""What ``check`` says of the ring by hand and of other algorithms: links, vectors that do not fit, collectives."""

from __future__ import annotations

import pytest

from sparring.checks.checking import check
from sparring.checks.properties import MESSAGES, ORDER, PROPERTIES
from sparring.proofs.logic.verdicts import Word
from tests.sparring.checks import refuting
from tests.sparring.checks.dense_targets import BUILT_IN, CAREFUL, DIRECT, LEFTWARD
from tests.sparring.checks.suites import CATALOGUE, REAL, SUITES, rows

pytestmark = pytest.mark.usefixtures("unshrunk")
DENSE = SUITES["dense"]
OTHERS = [name for name, one in DENSE.defects.items() if {"steps", "volume"} <= one.refuted <= {*MESSAGES["steps"]}]
"""Right sums, other messages than the ring's."""
MEETING = {  # what meets on a link, where only that is judged
    "the other way round on a ring": (LEFTWARD, "ring", set()),
    "everything to everybody on a crossbar": (DIRECT, "crossbar", {"contention"}),
}


def failed(name, **asked):
    """The properties that are refuted."""
    return {*refuting.failed(DENSE.judged(name, **asked))}


def test_vectors_of_other_lengths_are_refused_by_mpi(target):
    """Whoever compares dtypes alone is right too, for MPI truncates."""
    source = CAREFUL.replace("kinds[0]).any", "kinds[0])[:, 1].any")

    assert refuting.words(DENSE.judged(target(source), only=["bad input"], bad_input=True)) == {
        "bad input": Word.TESTED
    }


@pytest.mark.parametrize("name", MEETING)
def test_messages_meet_on_a_topology_that_is_named(target, name):
    """Also where no page is named, and on every level."""
    source, topology, falsified = MEETING[name]

    assert (
        failed(target(source), page="allreduce", level="result", topology=topology, only=["result", "contention"])
        == falsified
    )


def test_nobody_sees_the_messages_of_a_collective(target):
    """So nothing is said of the links that they take."""
    (result,) = check(target(BUILT_IN), only=["contention"], topology="ring", max_examples=10).results

    assert result.verdict.word is Word.NOT_COVERED
    assert result.detail == "rank 0 sends nothing; it calls Allreduce, whose messages nobody sees"


def test_a_page_is_not_outdone_on_a_topology(target):
    """Where the page's own messages meet, that the target's do is not held against it."""
    (result,) = check(
        "sparring.impl.rabenseifner:allreduce", "rabenseifner", only=["contention"], topology="ring", ranks=[4]
    ).results

    assert result.verdict.word is Word.NOT_COVERED
    assert result.detail.startswith("page rabenseifner itself does not keep its messages apart: on the topology ring")


def test_nothing_is_held_against_a_page_that_claims_nothing():
    """Of links recursive doubling claims no exclusive use: that is not tested, and told."""
    report = check(
        "sparring.impl.recursive_doubling:allreduce", "recursive_doubling", ranks=[2, 3], level="steps", max_examples=5
    )
    found = {r.property: r for r in report.results}
    assert found["contention"].verdict.word is Word.NOT_COVERED
    assert found["contention"].detail.startswith("page recursive_doubling claims on no topology")
    assert found["steps"].verdict.word is Word.TESTED


@pytest.mark.parametrize("name", OTHERS)
def test_another_algorithm_is_right_but_not_the_ring(target, name):
    """What it sends is refuted, but its sums pass where nobody asks."""
    assert failed(target(DENSE.wrong(DENSE.defects[name])), level="result", max_examples=5) == set()


def test_every_property_is_needed():
    """For each there is a defect that falsifies it, and none falsifies all."""
    sets = [CATALOGUE[kind].defects[name].refuted for kind, name in rows(*SUITES, *REAL)]

    assert set().union(*sets) == {*ORDER}
    assert all(len(falsified) < len(PROPERTIES) for falsified in sets)
