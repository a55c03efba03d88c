"""Several processes give the report that one gives."""

import pytest

import sparring
from sparring.errors import InputError, UnknownPage

NAMES = ("ring_allgather", "ring")


def test_the_same_report_in_the_same_order():
    """Whichever process is done first."""
    one, two = (sparring.verify(*NAMES, ranks=[1, 2], jobs=jobs) for jobs in (1, 2))

    assert [r.subject for r in two.results] == sorted([r.subject for r in one.results], key=NAMES.index)
    assert two.results == one.results and two.extra == one.extra and two.not_covered == one.not_covered


def test_a_page_stays_in_this_process():
    """It has no name under which another process would find it."""
    report = sparring.verify(sparring.page("ring"), "ring", ranks=[1], jobs=2)

    assert {r.subject for r in report.results} == {"ring"}


def test_faults_of_a_process_come_back():
    """Bad input is told as in one process."""
    with pytest.raises(UnknownPage, match="no algorithm 'no-such'"):
        sparring.verify("no-such", "ring", ranks=[1], jobs=2)
    with pytest.raises(InputError, match="jobs=0: at least 1 process"):
        sparring.verify("ring", jobs=0)
