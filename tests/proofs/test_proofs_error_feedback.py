"""Error feedback's theorems: all proved; wrong texts are refused by proof alone, each with its reason."""

from __future__ import annotations

from re import search

import pytest

import sparring
from sparring.proofs.core.paths import paths
from sparring.proofs.core.verdicts import PROVED
from tests.proofs.wrong_texts import refusals, wrong

PAGE = sparring.page("error_feedback")
PROPERTIES = ["result", "agreement", "conservation", "partition", "deadlock", "contention", "volume", "peers"]


def test_all_are_proved_for_every_p():
    """What was proved of the same code before is told again."""
    found = sparring.prove("error_feedback", keep=True).extra["theorems"]
    assert [one["name"] for one in found] == PROPERTIES
    assert {(one["verdict"], one["mutant"]) for one in found} == {(str(PROVED), "refuted")}


def test_every_allreduce_is_read():
    """One rank and more, in the first call and in later ones."""
    names = [one.name for one in paths(PAGE)]
    assert len(names) == 7 * 4 and all(
        sum(f"allreduce = {name}," in one for one in names) == 4
        for name in ("ring_sparse", "dsar_split_allgather", "recursive_doubling_allgather")
    )


OTHER, LOST = "the result is what the page ensures", "nothing is lost"
V, SENT, LEFT, SUM = (
    "v = x + state.residual\n    seen", "sent = taken(selector, v, seen)", "where(sent, 0, v)",
    "sparse_allreduce(v, sent, params.allreduce)",
)  # fmt: skip
DIRECT = "from sparring.spec.core.exchanges import reduce_scatter"
WRONG = {
    "the residual is forgotten": (V, "v = x\n    seen", "conservation", LOST),
    "the residual is taken away": (V, "v = x - state.residual\n    seen", "result", OTHER),
    "nothing is cleared": (LEFT, "v", "conservation", LOST),
    "all is cleared": (LEFT, "v - v", "conservation", LOST),
    "what is sent is kept": (LEFT, "where(sent, v, 0)", "conservation", LOST),
    "the vector alone is kept": (LEFT, "where(sent, 0, x)", "conservation", LOST),
    "cleared where the result has something": (LEFT, "where(y != 0, 0, v)", "conservation", LOST),
    "the vector is sent, not the sum": (SUM, SUM.replace("(v,", "(x,"), "conservation", LOST),
    "all is sent": (SUM, SUM.replace("sent,", "v == v,"), "conservation", LOST),
    "a choice of another vector": (SENT, SENT.replace(" v,", " x,"), "result", OTHER),
    "no sum": (f"yield {SUM}", "where(sent, v, 0)", "agreement", "the result is partial"),
    "summed again": (f"y = yield {SUM}", f"y = yield {SUM}\n    y = yield {SUM.replace('(v,', '(y,')}", "result",
                     "which has been added up already"),
    "by a rank's own page": ("    y = yield", "    if sent: return v, state\n    y = yield", "deadlock",
                             "a rank's own condition, .*, decides what it does next"),
    "through a dense page": ("params.allreduce)", "'ring')", "result", "its data is vector"),
    "what the owner has": ("    y = yield", f"    {DIRECT}\n    v = yield reduce_scatter(v)\n    y = yield", "result",
                           "sparse_allreduce of what only the owner of an index has"),
}  # fmt: skip
QUICK = ["nothing is cleared", "through a dense page"]


@pytest.mark.parametrize("fault", [one if one in QUICK else pytest.param(one, marks=pytest.mark.slow) for one in WRONG])
def test_wrong_texts_are_refused(fault):
    old, new, prop, why = WRONG[fault]
    page = wrong("error_feedback", old, new)
    told = refusals(page)
    assert prop in told and search(why, told[prop]), told


RIGHT = {
    "the other way round": (LEFT, "where(~sent, v, 0)"),
    "what is sent is taken away": (LEFT, "v - where(sent, v, 0)"),
}


@pytest.mark.parametrize("twin", RIGHT)
def test_right_twins_pass(twin):
    assert refusals(wrong("error_feedback", *RIGHT[twin])) == {}
