"""Bugs planted in copies of the ring with selection are each refuted; so are false notes in its proof."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from sparring import impl, page, verification
from sparring.checks.launch import find
from sparring.proofs.core import iterations, kernel, refinement, supplement
from sparring.proofs.core.conjectures import conjectures
from sparring.proofs.core.verdicts import Word
from sparring.proofs.ring_topk import spent
from sparring.samples import Calls, edges, gradients
from sparring.spec.core.numbers import both
from tests.proofs.planted import MUTATIONS
from tests.sweeps import third

PAGE = page("ring_topk")
CODE = (Path(impl.__file__).parent / "ring_topk.py").read_text(encoding="utf-8")
SMALL = verification.Plan(numbers=(3,))

FLIPPED = """flipped = top(here[::-1].copy(), part(c, k, p))
    largest = Sparse.made(here.size - 1 - flipped.indices[::-1], flipped.values[::-1].copy(), here.size)"""
REDUCED = "mine = reduce_scatter(self._comm, x, self._k)"
SWAPPED = f"""{REDUCED}
        p, r = self._comm.Get_size(), self._comm.Get_rank()
        if p > 1:
            exchange(self._comm, x.copy(), right(r, p), x, left(r, p))"""
ADD = "np.add(self._waiting, x, out=self._waiting)"
TAKEN = "largest = top(here, part(c, k, p))"
OWNER = "return taken(x, passed(r, 0, p), k, p)"
ADDED = "x[block(c, n, p)][at] += values"
LOST = {"dtypes", "gradients", "conservation"}
WRONG = {"dtypes", "gradients"}
BUGS = {
    "forgets the residual": ({ADD: "np.copyto(self._waiting, x)"}, LOST, "after call 2"),
    "adds its vector twice": ({ADD: "self._waiting = self._waiting + x + x"}, LOST, "after call 1"),
    "keeps what it sends": ({"here[largest.indices] = 0": "pass"}, LOST, "rank 0's residual entry"),
    "loses what the owner of a block leaves out": (
        {OWNER: f"y = {OWNER[7:]}\n    x[block(passed(r, 0, p), n, p)] = 0\n    return y"},
        LOST,
        "rank 0's residual entry",
    ),
    "selects in the end only": (
        {
            "taken(x, given(r, i, p), k, p)\n": "taken(x, given(r, i, p), n, p)\n",
            "incoming = room(x, c, n, k, p)": "incoming = room(x, c, n, n, p)",
        },
        WRONG,
        "rank 0's result",
    ),
    "of equal entries the last": ({TAKEN: FLIPPED}, {"dtypes"}, "rank 0's result"),
    "k entries of each block": (
        {TAKEN: "largest = top(here, k)", "min(part(c, k, p)": "min(k"}, WRONG, "has an entry at index",
    ),
    "rounds the parts up": (
        {TAKEN: "largest = top(here, -(-k // p))", "min(part(c, k, p)": "min(-(-k // p)"},
        {"dtypes"},
        "has an entry at index",
    ),
    "gives its residual to another rank": (
        {REDUCED: SWAPPED}, WRONG, "rank 0's residual entry",
    ),
    "adds at places of the whole vector": ({ADDED: "x[at] += values"}, LOST, "after call 1"),
    "overwrites instead of adding": ({ADDED: "x[block(c, n, p)][at] = values"}, LOST, "after call 1"),
    "a residual of another dtype": ({"np.zeros_like(x)": "np.zeros(x.size)"}, WRONG, "not a Sparse"),
    "works in the input": (
        {ADD: "np.add(self._waiting, x, out=x)\n        self._waiting = x"}, {"input untouched"}, "input was changed",
    ),
    "sends blocks to the wrong side": (
        {"wire.pack(sent), right(r, p)": "wire.pack(sent), right(right(r, p), p)"}, {"deadlock"}, "waits in",
    ),
    "leaves a message behind": (
        {OWNER: f"comm.Isend(x, left(r, p))\n    {OWNER}"}, {"hygiene"}, "was never received",
    ),
}  # fmt: skip


@pytest.fixture
def target(tmp_path):
    """Writes a copy of the implementation with pieces of text replaced; returns the target."""

    def written(changes: Mapping[str, str] = {}) -> str:
        code = CODE
        for old, new in changes.items():
            assert old in code
            code = code.replace(old, new)
        file = tmp_path / "mine.py"
        file.write_text(code, encoding="utf-8")
        return f"{file}:Allreduce"

    return written


def refuted(target: str, plan: verification.Plan = SMALL) -> dict[str, str]:
    """What verify refutes by running, with the reason."""
    results = verification.run_simulated(PAGE, target, plan, lambda items, _: items)
    return {prop: result.detail for prop, result in results.items() if result.verdict.word is Word.REFUTED}


def test_the_correct_twin_passes(target):
    """A copy is as good as the original; runs on numbers say nothing of terms, and prove no conservation."""
    plan = SMALL._replace(numbers=(1, 2, 3))
    results = verification.run_simulated(PAGE, target(), plan, lambda items, _: items)
    assert {prop: result.verdict.word for prop, result in results.items()} == dict.fromkeys(
        ("hygiene", "input untouched", "dtypes", "gradients"), Word.TESTED
    )


@pytest.mark.parametrize("name", third(BUGS))
def test_each_bug_is_refuted(target, name):
    """By the planted one's properties and by no other, and a sentence says what happened."""
    changes, properties, words = BUGS[name]

    found = refuted(target(changes))

    assert set(found) == properties, found
    assert any(words in detail for detail in found.values()), found


def test_a_wrong_bit_refutes_the_theorem_of_conservation(target, monkeypatch):
    """In verify's answer a lost entry outweighs the proof about the page; what was not run is told."""
    monkeypatch.setattr(verification, "implementation", lambda page: target({"here[largest.indices] = 0": "pass"}))
    results = {
        r.property: r for r in verification.verify_page(SMALL._replace(numbers=(2,)), PAGE, lambda items, _: items)
    }
    assert results["conservation"].verdict.word is Word.REFUTED
    assert "was put in; the results have" in results["conservation"].detail
    assert results["result"].verdict.word is results["peers"].verdict.word is Word.PROVED
    assert results["terms"].verdict.word is Word.NOT_COVERED
    assert results["terms"].detail.startswith("which entries are sent depends on their values")


@pytest.mark.mpi
@pytest.mark.skipif(find() is None, reason="no mpiexec: pip install sparring[mpich]")
def test_real_mpi_is_one_of_the_properties(target):
    """Under mpiexec the bits are the reference's; a fault there is refuted there."""
    plan = SMALL._replace(numbers=(1, 2, 3), on="mpi")
    assert verification.on_mpi(PAGE, target(), plan, lambda items, _: items).verdict.word is Word.TESTED
    wrong = target({"here[largest.indices] = 0": "pass"})
    found = verification.on_mpi(PAGE, wrong, plan, lambda items, _: items)
    assert (found.verdict.word, "residual entry" in found.detail) == (Word.REFUTED, True)


def test_a_single_run_is_the_function_and_verify_takes_the_class():
    """The function has the page's bits too; for another k than its default it stands for no page."""
    name = verification.implementation(PAGE)
    assert name == "sparring.impl.ring_topk:allreduce"
    assert verification.judged(PAGE) == "sparring.impl.ring_topk:Allreduce"
    assert verification.judged(page("ring_topk", k=5)) is None
    xs = refinement.vectors("float32", 3, 400)
    assert refinement.on_numbers(PAGE, name, xs, "result") == []
    (flaw,) = refinement.on_numbers(page("ring_topk", k=5), name, xs, "result")
    assert "rank 0 has an entry at index" in flaw.detail


def test_what_it_is_run_on():
    """Ties, none, one, all and more than all entries kept; chunks without entries; three trainings of the gradients."""
    cases = [sample.case for sample in edges(PAGE, range(1, 9)) if isinstance(sample, Calls)]
    kept = [(case.k, case.xs[0].shape[1], len(case.xs)) for case in cases]
    for named in (
        lambda k, n, p: k == 0 < n,
        lambda k, n, p: k > n > 0,
        lambda k, n, p: 0 < k < p,
        lambda k, n, p: n < p,
    ):
        assert any(named(*case) for case in kept)
    assert {str(case.xs[0].dtype) for case in cases} == {*iterations.DTYPES}
    (trained,) = gradients(PAGE, [2])
    assert isinstance(trained, Calls)
    assert (trained.case.k, trained.case.xs[0].shape) == (96, (3, 9610))
    assert not (trained.case.xs[0][0] == trained.case.xs[0][2]).all()


def judged(whole: supplement.Subject):
    """What one solver, and runs, say of conservation."""
    conjecture = next(c for c in conjectures(whole) if c.name == "conservation")
    return kernel.judge(whole, conjecture, second_opinion=False).verdict.word


FALSE = {
    "nothing is ever spent": lambda r, c, t, p: False,
    "for good": lambda r, c, t, p: both((r - c) % p < t, (r - c) % p < p - 1),
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
