"""What the formulas say is sent is what a run sends, also of more ranks than each cost's own check runs."""

from __future__ import annotations

import pytest

import sparring
from sparring import api
from sparring.proofs.cost.comparison import RANKS, RUNS, points
from sparring.proofs.cost.counted import count, unlike_a_run

COUNTED = [name for name in api.regular() if sparring.page(name).data != "sparse"]
"""Those whose messages do not depend on the entries; where they do, costs in unions are compared with runs."""


@pytest.mark.slow
@pytest.mark.parametrize("name", COUNTED)
def test_runs_send_what_is_counted(name):
    page = sparring.page(name)
    further = [at for at in points(RANKS) if at["p"] > RUNS and at["n"] < 3 * at["p"]]

    assert len(further) == len(RANKS) - RUNS
    assert [list(unlike_a_run(page, count(page, **at, paths=False), at)) for at in further] == [[] for _ in further]


@pytest.mark.slow
def test_a_run_that_sends_less_is_found():
    """The twin: words that a run does not send."""
    page, at = sparring.page("ring"), {"p": 40, "n": 80, "k": 8}
    found = count(page, **at, paths=False)

    told = next(unlike_a_run(page, found._replace(sent=[*found.sent[:-1], 0]), at))

    assert told.what == "words sent in a run by rank 39"
