"""Faults in pages that select, in copies of their implementations, and in what is said of what is spent: each found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from sparring import impl, page, run
from sparring.checks.ranks.launch import find
from sparring.costs.derivation.counted import traced
from sparring.proofs.kernel import kernel
from sparring.proofs.logic.verdicts import Word
from sparring.proofs.reading.annotations import Subject, subject
from sparring.proofs.statements import execution
from sparring.proofs.statements.conjectures import conjectures
from sparring.refinement import comparison, running
from sparring.spec import ring_topk
from sparring.spec.core.numbers import both
from sparring.spec.core.runner import worded
from sparring.verification import algorithm, plans, simulated_runs
from sparring.verification.reached_lines import Reached
from sparring.verification.samples import edges, gradients
from tests.proofs.planted import MUTATIONS
from tests.sweeps import sweep, third

NAMES = ("ring_topk", "spardl", "topka2a")
CODE = {name: (Path(impl.__path__[0]) / f"{name}.py").read_text(encoding="utf-8") for name in NAMES}
SMALL = plans.Plan(numbers=(3,))
ALONG = {"steps", "sum", "long vectors"}
"""Properties that fall along with others: where results are wrong, messages and sums are, at any length."""

FLIPPED = """flipped = top(here[::-1].copy(), part(c, k, p))
    largest = Sparse.made(here.size - 1 - flipped.indices[::-1], flipped.values[::-1].copy(), here.size)"""
ADD = "np.add(self._waiting, x, out=self._waiting)"
TAKEN = "largest = top(here, part(c, k, p))"
MINE = "mine = [taken(x, c, k, p) for c in range(p)]"
LOST = {"dtypes", "gradients", "conservation"}
BUGS = {
    "ring_topk: of equal entries the last": ({TAKEN: FLIPPED}, {"dtypes"}, "rank 0 has nothing at index"),
    "ring_topk: works in the input": (
        {ADD: "np.add(self._waiting, x, out=x)\n        self._waiting = x"},
        {"input untouched", *LOST},
        "input was changed",
    ),
    "topka2a: a residual that is the vector": (
        {MINE: f"whole = x.copy()\n    {MINE}\n    x[...] = whole"},
        LOST,
        "residual",
    ),
}


@pytest.fixture
def target(tmp_path):
    """Writes a copy of the implementation with pieces of text replaced; returns the target."""

    def written(name: str, changes: Mapping[str, str] = {}) -> str:
        code = CODE[name]
        for old, new in changes.items():
            assert old in code
            code = code.replace(old, new)
        file = tmp_path / "mine.py"
        file.write_text(code, encoding="utf-8")
        return f"{file}:Allreduce"

    return written


def words(name, target, plan):
    """What verify says by running: by property the word and the reason."""
    reached = Reached(page(name), target)
    results = simulated_runs.run_simulated(page(name), target, plan, lambda items, _: items, reached)
    return {prop: (result.verdict.word, result.detail) for prop, result in results.items()}


@pytest.mark.parametrize("name", NAMES[:1])
def test_the_correct_twin_passes(target, name):
    """A copy is as good as the original; runs on numbers say nothing of terms, and prove no conservation."""
    found = words(name, target(name), SMALL._replace(numbers=(1, 2, 3)))
    assert {word for word, _ in found.values()} == {Word.TESTED}
    assert {*found} - {"parameters"} == {"hygiene", "input untouched", "dtypes", "gradients", "bad input", *ALONG}


@pytest.mark.parametrize("bug", third(BUGS))
def test_each_bug_is_refuted(target, bug):
    """By the planted one's properties and by no other, and a sentence says what happened."""
    changes, properties, said = BUGS[bug]
    name = bug.partition(":")[0]
    ranks = 3 if "gradients" in properties else 2  # of two the gradients are not looked at
    found = words(name, target(name, changes), SMALL._replace(numbers=(ranks,)))
    refuted = {prop: detail for prop, (word, detail) in found.items() if word is Word.REFUTED}
    assert properties <= set(refuted) <= properties | ALONG | {"parameters", "bad input", "hygiene", "selection"}, (
        refuted
    )
    assert any(said in detail for detail in refuted.values()), refuted


KEPT = {"here[largest.indices] = 0": "pass"}


def test_a_wrong_bit_refutes_the_theorem_of_conservation(target, monkeypatch):
    """In verify's answer a lost entry outweighs the proof about the page; what was not run is told."""
    monkeypatch.setattr(algorithm, "implementation", lambda page: target("ring_topk", KEPT))
    plan = SMALL._replace(numbers=(2,))
    results = {r.property: r for r in algorithm.verify_page(plan, page("ring_topk"), lambda items, _: items)}
    assert results["conservation"].verdict.word is Word.REFUTED
    assert "was put in, the results have" in results["conservation"].detail
    assert results["result"].verdict.word is Word.PROVED
    assert results["peers"].verdict.word is Word.NOT_COVERED  # they are those of another module
    assert results["terms"].verdict.word is Word.NOT_COVERED
    assert results["terms"].detail.startswith("which entries are sent depends on their values")


@pytest.mark.mpi
@pytest.mark.skipif(find() is None, reason="no mpiexec: pip install sparring[mpich]")
def test_real_mpi_is_one_of_the_properties(target):
    """Under mpiexec the bits are the reference's; a fault there is refuted there."""
    plan, one = SMALL._replace(numbers=(1, 2), on="mpi"), page("ring_topk")
    assert algorithm.on_mpi(one, target("ring_topk"), plan, lambda items, _: items).verdict.word is Word.TESTED
    found = algorithm.on_mpi(one, target("ring_topk", KEPT), plan, lambda items, _: items)
    assert (found.verdict.word, "keeps the residual" in found.detail) == (Word.REFUTED, True)


def test_a_single_run_is_the_function_and_verify_takes_the_class():
    """The function has the page's bits too; for another k than its default it stands for no page."""
    one, other = page("ring_topk"), page("ring_topk", k=5)
    name = algorithm.implementation(one)
    assert (name, algorithm.find_target(one)) == tuple(
        f"sparring.impl.ring_topk:{x}" for x in ("allreduce", "Allreduce")
    )
    assert algorithm.find_target(other) is None and name is not None
    xs = comparison.vectors("float32", 3, 400)
    assert running.on_numbers(one, name, xs, "result") == []
    flaw = running.on_numbers(other, name, xs, "result")[0]
    assert "rank 0 has an entry at index" in flaw.detail


def test_what_it_is_run_on():
    """Ties, none, one, all and more than all entries kept; chunks without entries; three trainings of the gradients."""
    cases = edges(page("ring_topk"), range(1, 9))
    kept = [(case.params["k"], case.n, case.p) for case in cases]
    for named in (lambda k, n, p: k == 0 < n, lambda k, n, p: k > n > 0, lambda k, n, p: 0 < k < p,
                  lambda k, n, p: n < p):  # fmt: skip
        assert any(named(*case) for case in kept)
    assert {str(case.xs[0].dtype) for case in cases} == {*comparison.DTYPES}
    (trained,) = gradients(page("ring_topk"), [2])
    assert (trained.params, trained.xs[0].shape) == ({"k": 96}, (3, 9610))
    assert not (trained.xs[0][0] == trained.xs[0][2]).all()


def judged(whole: Subject, *, second_opinion: bool = False) -> Word:
    """What one solver, with little effort, or both, and runs, say of conservation."""
    conjecture = next(c for c in conjectures(whole) if c.name == "conservation")
    return kernel.judge(whole, conjecture, second_opinion=second_opinion).verdict.word


NOTES = {
    "ring_topk, a step too early": lambda spent: lambda r, c, t, p: spent(r, c, t + 1, p),
    "ring_topk, for good": lambda spent: lambda r, c, t, p: both((r - c) % p < t, (r - c) % p < p - 1),
    "spardl, another rank's": lambda spent: lambda r, c, t, p: spent((r + 1) % p, c, t, p),
    "topka2a, nothing is ever spent": lambda spent: lambda r, c, t, p: False,
    "topka2a, for good": lambda spent: lambda r, c, t, p: both((c - r) % p <= t, (c - r) % p >= 1),
}
"""For good: that what was sent stays so, though the sum comes back."""


@pytest.mark.parametrize("what", sweep(NOTES, few=[*NOTES][:1]))
def test_a_false_note_is_not_inductive(what):
    """The algorithm is right; what is said of it is not, and does not pass for a refutation or a proof."""
    whole = subject(page(what.partition(",")[0]))
    assert judged(replace(whole, spent=NOTES[what](whole.spent)), second_opinion=True) is Word.NOT_INDUCTIVE
    assert whole.page.name == "spardl" or judged(whole) is Word.PROVED


LOSING = ["always adds", "never adds", "wrong chunk", "wrong neighbour", "step short"]


@pytest.mark.parametrize(("name", "mutation"), third((NAMES[i % 3], wrong) for i, wrong in enumerate(LOSING)))
def test_a_schedule_that_loses_mass_is_refuted(name, mutation):
    """Running it finds the entry."""
    assert judged(MUTATIONS[mutation](subject(page(name)))) is Word.REFUTED


def test_what_is_kept_of_sums_by_several_ranks_is_found():
    """A sum that is cut where it is passed on stays behind at its own rank alone; one that is doubled is found."""
    one = page("topka2a")
    again = replace(one, sends=lambda x, c, t, p, n, w: ring_topk.sends(x, c, p, n, 1))
    assert execution.first(execution.mass_lost, one, range(1, 5)) is None
    assert execution.first(execution.mass_lost, again, range(1, 5)) is None
    doubled = replace(one, selects=lambda x, *_: x.having(x.indices, (2 * v for v in x.values)))
    wrong = execution.first(execution.mass_lost, doubled, range(1, 5))
    assert wrong is not None and "result and all residuals make" in wrong.why


@pytest.mark.parametrize("formula", ["selects", "sends"])
def test_words_are_those_of_a_run(formula):
    """Where entries are not selected first, or sums not full, the formulas for words are not what is sent."""
    one = page("topka2a", k=8)
    sent = [
        sum(worded(each, m.entries, 8) for wire in run(each, [[0] * 40] * 4).trace for m in wire if m.src == 0)
        for each in (one, replace(one, **{formula: lambda x, *_: x}))
    ]
    by_formula = sum(one.words(0, t, one.chunk(0, t, 4), 4, 40, 8) for t in range(6))
    assert sent[1] != sent[0] == by_formula == traced(page("topka2a"), 4, 40, 8).sent[0]
