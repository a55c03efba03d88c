"""What ``check`` says of the ring by hand and of other algorithms: links, vectors that do not fit, collectives."""

from __future__ import annotations

import pytest

from sparring.checks.checking import check
from sparring.checks.properties import PROPERTIES
from sparring.proofs.core.verdicts import Word
from tests.sparring.checks import refuting
from tests.sparring.checks.dense_targets import ARRIVAL, BUILT_IN, CAREFUL, DEFECTS, DIRECT, LEFTWARD, TWIN
from tests.sparring.checks.suites import SUITES

pytestmark = pytest.mark.usefixtures("unshrunk")
OTHERS = {  # right sums, other messages than the ring's
    "the other way round": (LEFTWARD, {"steps", "volume"}),
    "everything to everybody": (DIRECT, {"steps", "volume", "contention"}),
    "the library's own": (BUILT_IN, {"steps", "volume"}),
}
UNFIT = {  # what is done about vectors that do not fit together
    "nothing": (TWIN, Word.REFUTED),
    "lengths alone": (CAREFUL.replace("kinds[0]).any", "kinds[0])[:, 0].any"), Word.REFUTED),
    "dtypes, for MPI truncates": (CAREFUL.replace("kinds[0]).any", "kinds[0])[:, 1].any"), Word.TESTED),
    "waiting for ever": (CAREFUL.replace("raise ValueError(", "comm.Recv(x, me, 99, "), Word.REFUTED),
    "an error": (CAREFUL, Word.TESTED),
}
MEETING = {  # what meets on a link, where only that is judged
    "the twin on a ring": (TWIN, "ring", set()),
    "the other way round on a ring": (LEFTWARD, "ring", set()),
    "everything to everybody on a ring": (DIRECT, "ring", {"contention"}),
    "everything to everybody on a crossbar": (DIRECT, "crossbar", {"contention"}),
}


def failed(name, **asked):
    """The properties that are refuted."""
    return {*refuting.failed(SUITES["dense"].judged(name, **asked))}


@pytest.mark.parametrize("name", UNFIT)
def test_vectors_that_do_not_fit_together_are_refused_or_that_is_told(target, name):
    """One length or dtype that differs must raise somewhere."""
    source, word = UNFIT[name]

    assert refuting.words(SUITES["dense"].judged(target(source), only=["bad input"], bad_input=True)) == {
        "bad input": word
    }


@pytest.mark.parametrize("name", MEETING)
def test_messages_meet_on_a_topology_that_is_named(target, name):
    """Also where no page is named, and on every level."""
    source, topology, falsified = MEETING[name]

    assert failed(target(source), page="allreduce", level="result", topology=topology) == falsified


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


def test_a_sum_in_the_order_of_arrival_is_not_reproducible(target):
    """Its result is right within the bound for any order of addition, and its bits are not the same again."""
    assert failed(target(ARRIVAL), page="allreduce", level="result") == {"reproducibility"}


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
    """Its sums pass; what it sends does not, unless nobody asks."""
    source, falsified = OTHERS[name]

    assert failed(target(source)) == falsified
    assert failed(target(source), level="result") == set()


def test_every_property_is_needed():
    """For each there is a defect that falsifies it, and none falsifies all."""
    sets = [falsified for *_, falsified in (*DEFECTS.values(), *OTHERS.values())]

    assert set().union(*sets) == set(PROPERTIES) - {"bad input", "many ranks"}
    assert all(len(falsified) < len(PROPERTIES) for falsified in sets)
