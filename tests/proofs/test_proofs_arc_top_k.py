"""ARC-Top-K: proved from its text, wrong texts refused by proof alone; rows, their order, and what claims rest on."""

from __future__ import annotations

from functools import cmp_to_key
from itertools import permutations, product
from types import SimpleNamespace

import pytest

import sparring
from sparring.errors import Undecided
from sparring.proofs.compression import arc_rows
from sparring.proofs.compression import matrices as proved
from sparring.proofs.core import kernel
from sparring.proofs.core.questions import answered
from sparring.proofs.core.verdicts import PROVED, Word
from sparring.spec import arc_top_k
from sparring.spec.core import exchanges, matrices
from sparring.spec.core.numbers import both, either
from sparring.spec.core.schedule import truth
from tests.proofs.wrong_texts import refusals, wrong

CLAIMS = ["claim: result", "claim: conservation"]
PROPERTIES = ["result", "agreement", "conservation", "partition", "deadlock", "contention", *CLAIMS, "peers"]


@pytest.mark.slow
def test_all_are_proved_for_every_p_and_each_has_a_fault():
    found = list(kernel.prove(sparring.page("arc_top_k")))
    assert [one.name for one in found] == PROPERTIES
    assert all(isinstance(one, kernel.Theorem) and one.verdict == PROVED and one.mutant for one in found)


def test_all_are_proved():
    """Whatever is done with what is not sent, through a ring and through two shots."""
    found = list(kernel.prove(sparring.page("arc_top_k", through="two_shot"), planted=False))
    assert [(one.name, one.verdict) for one in found] == [(name, PROVED) for name in PROPERTIES]


LOST, OTHER = "nothing is lost", "the result is what the page ensures"
SKETCH = "sketched(given, shape, params.sketch, call, params.seed)"
SUMMED = f"yield allreduce({SKETCH}, through=params.through)"
WRONG = {
    "each rank its own rows": (f"near = {SUMMED}", f"near = {SKETCH}", {"result": "different terms"}),
    "the residual is always zero": ("State(where(at, 0, given))", "State(given - given)", {"conservation": LOST}),
    "the residual is not added": ("return v + state.kept", "return v", {"conservation": LOST}),
    "what was sent waits, too": ("State(where(at, 0, given))", "State(given)", {"conservation": LOST}),
    "what is lost is kept": (
        'State(where(at, 0, given)) if params.feedback == "ef14" else State()', "State(where(at, 0, given))",
        {"result": "kept is what the state says of it"},
    ),
    "sums of estimates are not updated": (
        "State(nearer(at, state.kept, given), v, sums)", "State(nearer(at, state.kept, given), v, state.sums)",
        {"result": "sums is what the state says of it"},
    ),
    "estimates are updated where nothing was sent": (
        "State(nearer(at, state.kept, given), v, sums)", "State(state.kept + given, v, sums)",
        {"result": "sums is what the state says of it"},
    ),
    "the first estimate is nothing": ("return sums, State(v, v, sums)", "return sums, State(v - v, v, sums)",
                                      {"result": "sums is what the state says of it"}),
    "the mean is not stored": (
        "State(nearer(at, state.kept, given), v, sums)", "State(nearer(at, state.kept, given), state.mean, sums)",
        {"result": "mean is what a call leaves"},
    ),
    "the rank's own rows": ("    return sums, State(where", "    return where(at, given, 0), State(where",
                            {"result": OTHER, "agreement": "the result is partial"}),
    "the rank's own, for all": (
        "and call == 0:\n        sums = yield allreduce(v, through=params.through)\n",
        "and call == 0:\n        sums = v\n",
        {"agreement": "the result is partial"},
    ),
    "sketches of the call before": (SUMMED, SUMMED.replace("call,", "call - 1,"), {"result": OTHER}),
    "one rank's rows are summed twice": (
        "return sums, State(where(at, 0, given))",
        "return sums + sums, State(where(at, 0, given))",
        {"result": OTHER, "conservation": LOST},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "why"), WRONG.values(), ids=WRONG)
def test_wrong_texts_are_refused(old, new, why):
    found = refusals(wrong("arc_top_k", old, new))
    assert all(told in found.get(prop, "") for prop, told in why.items()), found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return v + state.kept", "return state.kept + v"),
        ("State(where(at, 0, given))", "State(given - where(at, given, 0))"),
        ("State(nearer(at, state.kept, given), v, sums)", "State(state.kept + where(at, given, 0), v, sums)"),
    ],
)  # fmt: skip
def test_the_same_in_other_words_is_not(old, new):
    assert not refusals(wrong("arc_top_k", old, new))


def module(**planted):
    return SimpleNamespace(**{**vars(matrices), **planted})


def holds(claims):
    return all(answer.holds for answer in answered(claims, True))


def test_any_total_order_gives_one_choice_and_no_other_does():
    """The last index first is as good; by score alone, or with both orders mixed, it is not."""
    last = module(before=lambda a, i, b, j: either(a < b, both(a == b, i > j)))
    odd = module(before=lambda a, i, b, j: either(a < b, i < j))
    open_ = module(before=lambda a, i, b, j: a <= b)
    assert holds(proved.order()) and holds(proved.order(last))
    assert not holds(proved.order(odd)) and not holds(proved.order(open_))


@pytest.mark.parametrize(
    ("claims", "planted"),
    [
        (proved.places, {"slot": lambda i, c, columns: i + c}),
        (proved.rows, {"rows": lambda n, columns: n // columns}),
        (proved.rows, {"rows": lambda n, columns: n // columns + 1}),
        (proved.halves, {"halved": lambda terms: matrices.halved(terms[:7])}),
        (proved.halves, {"dot": lambda a, b: sum((v * w for v, w in zip(a, b)), a[0] * b[0])}),
        (proved.roots, {"root": lambda x: x}),
    ],
)  # fmt: skip
def test_rows_sums_and_roots_are_proved_and_wrong_ones_are_not(claims, planted):
    assert holds(claims()) and not holds(claims(module(**planted)))


def test_one_set_of_rows_comes_first():
    """Of all sets of k of four rows, ties included, one alone has no row outside that comes before one inside."""
    for scores in product(range(3), repeat=4):
        for k in range(5):
            sets = {frozenset(rows[:k]) for rows in permutations(range(4))}
            first = [
                kept for kept in sets
                if all(matrices.before(-scores[i], i, -scores[j], j) for i in kept for j in {*range(4)} - kept)
            ]  # fmt: skip
            assert first == [frozenset(matrices.first([*scores], k))]


def test_the_order_is_that_of_sorting():
    def order(i, j):
        return -1 if truth(matrices.before(-scores[i], i, -scores[j], j)) else 1

    for scores in product(range(3), repeat=4):
        assert sorted(range(4), key=cmp_to_key(order)) == sorted(range(4), key=lambda i: (-scores[i], i))


def test_a_rule_that_is_not_linear_is_no_single_nodes():
    """One that rounds."""
    halves = SimpleNamespace(**{**vars(arc_top_k), "nearer": lambda *at: arc_top_k.nearer(*at) // 2})
    assert holds(arc_rows.single(arc_top_k)) and not holds(arc_rows.single(halves))


def test_what_the_claims_rest_on(monkeypatch):
    assert arc_rows.same_rows().holds and arc_rows.single_node().holds
    found = arc_rows.differently()
    assert not found.holds and "row 0 is kept; from rank 2 on, row 1" in found.detail
    monkeypatch.setattr(arc_rows, "ROWS", ((1.0, 0.0, 0.0), (1.0, 1.0, 1.0)))
    with pytest.raises(Undecided, match="no two orders"):
        arc_rows.differently()


def test_messages_with_an_index_are_found(monkeypatch):
    assert arc_rows.values_alone().verdict.word == Word.TESTED
    good = exchanges.Allreduce.carry

    def longer(self, each):
        done = good(self, each)
        return done._replace(trace=[[m._replace(entries=[*m.entries, 0]) for m in wire] for wire in done.trace])

    monkeypatch.setattr(exchanges.Allreduce, "carry", longer)
    assert not arc_rows.values_alone().holds
