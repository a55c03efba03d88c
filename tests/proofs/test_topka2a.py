"""Faults planted in the page of selection by alltoall, and in copies of its implementation, are each found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import sympy

import sparring
from sparring import impl, page, run, verification
from sparring.proofs.core import execution, kernel, supplement
from sparring.proofs.core.conjectures import conjectures
from sparring.proofs.core.verdicts import Word
from sparring.proofs.cost.counted import traced
from sparring.proofs.cost.literature import topka2a as published
from sparring.proofs.topka2a import spent
from sparring.spec import ring_topk
from sparring.spec.core.numbers import both
from sparring.spec.core.runner import worded
from sparring.spec.core.sparse import SparseVector
from tests.proofs.planted import MUTATIONS
from tests.sweeps import third

PAGE = page("topka2a")
CODE = Path(impl.__path__[0], "topka2a.py").read_text(encoding="utf-8")
SMALL = verification.Plan(numbers=(3,))
LOST = {"dtypes", "gradients", "conservation"}
WRONG = {"dtypes", "gradients"}
REDUCED = "    def _reduced(self, x: Vector) -> Sparse:\n"
CALL = f"""    def __call__(self, x, /):
        self._check(x)
        if self._waiting is None:
            self._waiting = np.zeros_like(x)
        {{}}
        return self._reduced(self._waiting)

{REDUCED}"""
"""A call of its own, in which the residual and a vector may be added otherwise."""
ALL = "own = x[block(r, n, p)].copy()"
MINE = "mine = [taken(x, c, k, p) for c in range(p)]"
BUGS = {
    "forgets the residual": (
        {REDUCED: CALL.format("np.copyto(self._waiting, x)")}, LOST, "after call 2",
    ),
    "its own entries are not selected from": (
        {MINE: f"{ALL}\n    {MINE}\n    mine[r] = Sparse.made(np.arange(own.size), own, own.size)"},
        LOST, "rank 0's result",
    ),
    "its own entries are left out": ({"total[mine[r].indices] = mine[r].values": "pass"}, LOST, "rank 0's result"),
    "k entries of each shard": (
        {MINE: "mine = [taken(x, c, k * p, p) for c in range(p)]", "count(c, n, k, p)": "count(c, n, k * p, p)"},
        WRONG, "rank 0's re",
    ),
    "overwrites instead of adding": ({"total[at] += values": "total[at] = values"}, LOST, "rank 0's result"),
    "absent entries are not zero": ({"np.zeros_like(x[block": "np.ones_like(x[block"}, LOST, "rank 0's result"),
    "shows the shard before": (
        {"for d in (i, i + 1)": "for d in (i + 1, i)"}, {"dtypes", "hygiene", "conservation"}, "rank",
    ),
    "a residual that is the vector": (
        {MINE: f"whole = x.copy()\n    {MINE}\n    x[...] = whole"}, LOST, "residual",
    ),
}  # fmt: skip


@pytest.fixture
def target(tmp_path):
    """Writes a copy of the implementation with pieces of text replaced; returns the target."""

    def written(changes=()):
        code = CODE
        for old, new in dict(changes).items():
            assert old in code
            code = code.replace(old, new)
        file = tmp_path / "mine.py"
        file.write_text(code, encoding="utf-8")
        return f"{file}:Allreduce"

    return written


def refuted(target):
    """What verify refutes by running, with the reason."""
    results = verification.run_simulated(PAGE, target, SMALL, lambda items, _: items)
    return {prop: result.detail for prop, result in results.items() if result.verdict.word is Word.REFUTED}


def test_the_correct_twin_passes(target):
    """A copy is as good as the original."""
    assert refuted(target()) == {}


@pytest.mark.parametrize("name", third(BUGS))
def test_each_bug_is_refuted(target, name):
    """By the planted one's properties and by no other, and a sentence says what happened."""
    changes, properties, words = BUGS[name]

    found = refuted(target(changes))

    assert set(found) == properties, found
    assert any(words in detail for detail in found.values()), found


def judged(whole):
    """What one solver, and runs, say of conservation."""
    conjecture = next(c for c in conjectures(whole) if c.name == "conservation")
    return kernel.judge(whole, conjecture, second_opinion=False).verdict.word


FALSE = {
    "nothing is ever spent": lambda r, c, t, p: False,
    "for good": lambda r, c, t, p: both((c - r) % p <= t, (c - r) % p >= 1),
    "a step too early": lambda r, c, t, p: spent(r, c, t + 1, p),
    "a step too late": lambda r, c, t, p: spent(r, c, t - 1, p),
    "another rank's": lambda r, c, t, p: spent((r + 1) % p, c, t, p),
}


def test_the_note_on_what_is_spent_is_inductive():
    """As it stands."""
    assert judged(supplement.subject(PAGE)) is Word.PROVED


@pytest.mark.parametrize("name", third(FALSE))
def test_a_false_note_is_not_inductive(name):
    """The algorithm is right; what is said of it is not, and does not pass for a refutation or a proof."""
    assert judged(replace(supplement.subject(PAGE), spent=FALSE[name])) is Word.NOT_INDUCTIVE


@pytest.mark.parametrize("mutation", ["always adds", "never adds", "wrong chunk", "wrong neighbour", "step short"])
def test_a_schedule_that_loses_mass_is_refuted(mutation):
    """Running it finds the entry."""
    assert judged(MUTATIONS[mutation](supplement.subject(PAGE))) is Word.REFUTED


def cut_again(x: SparseVector, c, t, p, n, w) -> SparseVector:
    """A sum that is selected from again, whose other entries every rank that sends it keeps."""
    return ring_topk.sends(x, c, p, n, 1)


def test_what_is_kept_of_sums_by_several_ranks_is_found():
    """A sum that is cut where it is passed on stays behind at its own rank alone; one that is doubled is found."""
    assert execution.first(execution.mass_lost, PAGE, range(1, 5)) is None
    assert execution.first(execution.mass_lost, replace(PAGE, sends=cut_again), range(1, 5)) is None
    doubled = replace(PAGE, selects=lambda x, *_: x.having(x.indices, (2 * v for v in x.values)))
    wrong = execution.first(execution.mass_lost, doubled, range(1, 5))
    assert wrong is not None
    assert "result and all residuals make" in wrong.why


@pytest.mark.parametrize("formula", ["selects", "sends"])
def test_words_are_those_of_a_run(formula):
    """Where entries are not selected first, or sums not full, the formulas for words are not what is sent."""
    one = page("topka2a", k=8)
    planted = replace(one, **{formula: lambda x, *_: x})

    sent = [
        sum(worded(each, m.entries, 8) for wire in run(each, [[0] * 40] * 4).trace for m in wire if m.src == 0)
        for each in (one, planted)
    ]

    assert (
        sent[0]
        == sum(one.words(0, t, one.chunk(0, t, 4), 4, 40, 8) for t in range(6))
        == traced(PAGE, 4, 40, 8).sent[0]
    )
    assert sent[1] != sent[0]


def test_its_cost_is_the_published_one_where_nothing_is_rounded():
    """Words exactly; the messages are p - 1 fewer, since an index goes with its value."""
    cost = sparring.cost("topka2a")
    even = cost.simplify("p | n, p | k")
    verdicts = {claim.claim.name: claim.verdict for claim in cost.claims}
    p, n, k = 8, 8000, 80
    at = {str(x): x for x in even.words.free_symbols}

    assert verdicts == {"bandwidth": "equal", "latency": "equal"}
    assert even.words.subs({at["p"]: p, at["n"]: n, at["k"]: k}) == published.a2a(sympy.Integer(p), n, k)
    assert published.a2a(p, n, k, 1, 0) - cost.at(p=p, n=n, k=k).messages == p - 1


@pytest.mark.parametrize("p", [2, 3, 8, pytest.param(32, marks=pytest.mark.slow)])
def test_the_conditions_on_counted_words(p):
    """Below, at and above the densities at which it equals an allgather and a dense ring, as counted from runs."""
    n = 8 * p * (p - 1)
    for k in (4 * p - p, 4 * p, 4 * p + p, n // 2 - p, n // 2, n // 2 + p):
        mine = traced(PAGE, p, n, k).sent[0]
        allgather, dense = 2 * k * (p - 1), traced(page("ring"), p, n, k).sent[0]
        assert (mine < allgather) == (2 * k * (p - 1) > n)
        assert (mine < dense) == (2 * k < n)
