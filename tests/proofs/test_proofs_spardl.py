"""Bugs planted in copies of SparDL are each refuted; so are false notes in its proof and rules that lose something."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from sparring import impl, page, verification
from sparring.proofs.core import kernel, pieces, supplement
from sparring.proofs.core.conjectures import conjectures
from sparring.proofs.core.verdicts import Word
from sparring.proofs.selection.summaries import homes
from sparring.proofs.spardl import spent
from sparring.spec import ring_topk
from sparring.spec.core import select
from sparring.spec.core.model import load
from sparring.spec.core.numbers import both, either
from tests.proofs.planted import MUTATIONS
from tests.sweeps import third

PAGE = page("spardl")
CODE = (Path(impl.__file__).parent / "spardl.py").read_text(encoding="utf-8")
SMALL = verification.Plan(numbers=(3,))

REDUCED = "    def _reduced(self, x: Vector) -> Sparse:\n"
CALL = f"""    def __call__(self, x, /):
        self._check(x)
        if self._waiting is None:
            self._waiting = np.zeros_like(x)
        {{}}
        return self._reduced(self._waiting)

{REDUCED}"""
"""A call of its own, in which the residual and a vector may be added otherwise."""
BACK = "x[y.indices] = cut_off[y.indices]"
PUT = "outgoing.put(j, taken(x, after(to, j, p), k, p))"
ADDED = "x[block(after(r, j, p), n, p)][at] += values"
OWNER = "return taken(x, r, k, p)"
LOST = {"dtypes", "gradients", "conservation"}
WRONG = {"dtypes", "gradients"}
BUGS = {
    "forgets the residual": ({REDUCED: CALL.format("np.copyto(self._waiting, x)")}, LOST, "after call 2"),
    "adds its vector twice": ({REDUCED: CALL.format("self._waiting = self._waiting + x + x")}, LOST, "after call 1"),
    "keeps what it cut": ({BACK: "x[:] = cut_off"}, WRONG, "residual entry"),
    "goes back to its own everywhere": ({BACK: "pass"}, LOST, "residual entry"),
    "clears what the result has": ({BACK: "x[y.indices] = 0"}, LOST, "residual entry"),
    "goes back where the result has an entry": (
        {BACK: "cut_off[y.indices] = x[y.indices]\n        x[:] = cut_off"},
        LOST,
        "residual entry",
    ),
    "clears what it sent": (
        {BACK: "x[cut_off == 0] = 0\n        x[y.indices] = cut_off[y.indices]"}, LOST,
        "residual entry",
    ),
    "does not select the complete block": ({OWNER: "return taken(x, r, n, p)"}, WRONG, "could not broadcast"),
    "blocks in reverse": ({PUT: PUT.replace("put(j", "put(many - 1 - j")}, LOST, "after call 1"),
    "the block before": ({PUT: PUT.replace("after(to, j, p)", "before(to, j, p)")}, LOST, "after call 1"),
    "adds at places of the whole vector": ({ADDED: "x[at] += values"}, LOST, "after call 1"),
    "overwrites instead of adding": ({ADDED: "x[block(after(r, j, p), n, p)][at] = values"}, LOST, "after call 1"),
    "distances that grow": ({"return begun(rounds(p) - 1 - i)": "return begun(i)"}, WRONG, "after call 1"),
    "blocks in another place": ({"place(c, r, p)": "place(r, c, p)"}, LOST, "after call 1"),
    "works in the input": (
        {REDUCED: CALL.format("np.add(self._waiting, x, out=x)\n        self._waiting = x")},
        {"input untouched"}, "input was changed",
    ),
    "sends to the wrong side": (
        {"outgoing.memory, to, incoming": "outgoing.memory, before(r, d, p), incoming"}, {"deadlock"}, "waits in",
    ),
    "leaves a message": ({"finish(sending)": "comm.Isend(mine.values, r)"}, {"hygiene"}, "was never"),
}  # fmt: skip
ON_FOUR = ("blocks in reverse", "the block before", "distances that grow")
"""What is no fault where messages have one block each."""


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
    """A copy is as good as the original."""
    plan = SMALL._replace(numbers=(1, 2, 3, 5))
    results = verification.run_simulated(PAGE, target(), plan, lambda items, _: items)
    assert {prop: result.verdict.word for prop, result in results.items()} == dict.fromkeys(
        ("hygiene", "input untouched", "dtypes", "gradients"), Word.TESTED
    )


@pytest.mark.parametrize("name", third(BUGS))
def test_each_bug_is_refuted(target, name):
    """By the planted one's properties and by no other, and a sentence says what happened."""
    changes, properties, words = BUGS[name]
    plan = SMALL._replace(numbers=(4,)) if name in ON_FOUR else SMALL

    found = refuted(target(changes), plan)

    assert set(found) == properties, found
    assert any(words in detail for detail in found.values()), found


def judged(whole: supplement.Subject, name: str = "conservation"):
    """What one solver, and runs, say of it."""
    conjecture = next(c for c in conjectures(whole) if c.name == name)
    return kernel.judge(whole, conjecture, second_opinion=False).verdict.word


FALSE = {
    "nothing is ever spent": lambda r, c, t, p: False,
    "for good": lambda r, c, t, p: either(spent(r, c, t, p), both(PAGE.steps(p) <= 2 * t, (c - r) % p >= 1)),
    "another rank's": lambda r, c, t, p: spent((r + 1) % p, c, t, p),
}


@pytest.mark.parametrize("name", third(reversed(FALSE)))
def test_a_false_note_is_not_inductive(name):
    """The algorithm is right; what is said of it is not, and does not pass for a refutation or a proof."""
    assert judged(replace(supplement.subject(PAGE), spent=FALSE[name])) is Word.NOT_INDUCTIVE


@pytest.mark.parametrize(
    "mutation",
    ["always adds", "never adds", pytest.param("wrong chunk", marks=pytest.mark.slow), "wrong neighbour", "step short"],
)
def test_a_schedule_that_loses_mass_is_refuted(mutation):
    """Running it finds the entry."""
    assert judged(MUTATIONS[mutation](supplement.subject(PAGE))) is Word.REFUTED


def test_residuals_that_lose_something_refute_conservation():
    """Though the schedule is right: the rule is one of the obligations, and of a page without one there is none."""
    subject = supplement.subject(PAGE)
    wrong = replace(subject, page=replace(PAGE, left=lambda x, cut, y: x.without(y)))
    assert judged(wrong) is Word.REFUTED
    assert [len([*pieces.staying(one)]) for one in (PAGE, page("ring_topk"))] == [2, 0]


def test_residuals_where_cut_are_as_good():
    """A page that says what is the default holds, too."""
    module = ModuleType("spardl_cut", "SparDL whose residuals stay where they are cut.")
    vars(module).update({k: v for k, v in vars(PAGE.module).items() if not k.startswith("__")})
    vars(module)["left"] = lambda cut: cut
    cut = load(module)
    assert judged(replace(supplement.subject(PAGE), page=cut)) is Word.PROVED


def test_selectors_are_summarised_where_formulas_come_from():
    """SparDL's page selects by the ring's formula; the selector's own module stays as it is."""
    assert ring_topk in homes(PAGE.module)
    assert select not in homes(PAGE.module)
