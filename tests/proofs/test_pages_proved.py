"""What is proved of pages; wrong texts that proof alone refuses, each with its reason; and the same in other words.

``verify --mutants`` plants every fault of its operators in every text, and counts what proof alone refuses.  Here are
faults that authors know, and reasons: one text for each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from re import search

import pytest

import sparring
from sparring.proofs.kernel import kernel
from sparring.proofs.logic import small_points
from sparring.proofs.logic.queries import answered
from sparring.proofs.logic.verdicts import EXPECTED, PROVED, PROVED_CHOSEN, proved_up_to
from sparring.proofs.mutants.planting import built
from sparring.proofs.mutants.texts import beside
from sparring.proofs.proving import proving, timing
from sparring.proofs.reading.annotations import Subject, subject
from sparring.proofs.reading.paths import paths
from sparring.proofs.statements.conjectures import conjectures
from sparring.spec.core.exchanges import served
from sparring.spec.core.loading import load
from tests.algorithms import ALGORITHMS, FREE, rows
from tests.proofs.single_questions import ANSWERS
from tests.proofs.wrong_texts import changed, wrong
from tests.sweeps import sweep, third

THEOREMS = {name: {*one.theorems} for name, one in ALGORITHMS.items() if one.theorems}
FEW = ("recursive_doubling", "flash", "moshpit", "sparse_loco")


@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", sweep(THEOREMS, few=FEW))
def test_all_are_proved_for_every_p(name):
    """By both solvers, each claim with a refuted fault; of formulas without a bound, of a radix for every radix.

    What was proved of the same code before is told again.
    """
    found = {one["name"]: one for one in sparring.prove(name, keep=True).extra["theorems"]}
    crowded = found.pop("timing", {"verdict": str(proved_up_to(timing.TIMED))})
    theorems = [one for one in found.values() if one["verdict"] in map(str, kernel.PROOFS)]
    chosen = {one for one in found if found[one]["verdict"] == str(PROVED_CHOSEN)}
    meeting = {one for one in found if found[one]["verdict"] == str(EXPECTED)}
    assert {one for one in found if " on " not in one or one in (FREE, *meeting)} == THEOREMS[name]
    assert len(theorems) + len(meeting) == len(found) and meeting == {n for n in THEOREMS[name] if "lock step on" in n}
    assert {(one["mutant"], *one["solvers"]) for one in theorems} == {("refuted", "cvc5", "z3")}
    assert all(one in ("peers", "result") or one.startswith("claim: ") for one in chosen)
    assert crowded["verdict"] == str(proved_up_to(timing.TIMED))
    assert "economy" not in found or {one["verdict"] for one in theorems} == {str(PROVED)}
    if name == "recursive_multiplying":
        assert all(one["statement"].endswith("for every radix >= 2.") for one in theorems)


@pytest.mark.parametrize(
    ("name", "params"),
    [*((name, {"through": "two_shot"}) for name in ("arc_top_k", "power_sgd")), ("qsgd", {"levels": 16000})],
)
def test_so_they_are_with_other_parameters(name, params):
    found = {
        one.name: one.verdict for one in proving.prove(sparring.page(name, **params), planted=False, memory=ANSWERS)
    }
    assert {*found} == THEOREMS[name] and {*found.values()} <= {*kernel.PROOFS}


def test_every_sparse_allreduce_is_read():
    """One rank and more, in the first call and in later ones."""
    names = [one.name for one in paths(sparring.page("error_feedback"))]
    pages = ("ring_sparse", "dsar_split_allgather", "recursive_doubling_allgather")
    assert len(names) == 7 * 4 and {sum(f"allreduce = {name}," in one for one in names) for name in pages} == {4}


AVERAGES = [
    ("either(own, came)))", "came))", "conservation", "in a mean is who sent its copy"),
    ("return w * x", "return x", "conservation", "what they had"),
    ("return both(counted, hears)", "return counted", "conservation", "who dies in the first step hears"),
    ("both(lives, both(", "either(lives, both(", "conservation", "who dies keeps what it had"),
    ("both(counted, either(own, told))", "either(own, told)", "conservation", "whoever takes a mean"),
    ("amount // total", "(amount + total - 1) // total", "partition", "no more together"),
    ("amount // total", "amount // total + 1", "volume", "equal parts"),
]
"""The same of Moshpit's averages."""


def unproved(whole: Subject, theorem: str, why: str) -> Iterator[str]:
    """Of a theorem's obligations so named those without a proof; about digits those that a point shows false."""
    one = next(conjectures(whole.general, theorem))
    for claim in (claim for claim in one.obligations if search(why, claim.name)):
        encoding = claim.encoding or one.encoding
        if encoding != "digits" or small_points.false_at(claim):  # what facts about digits leave open takes long
            yield from (a.obligation.name for a in answered([claim], False, encoding) if not a.holds)


@pytest.mark.parametrize(("name", "old", "new", "theorem", "why"), third(rows("wrong_texts")))
def test_wrong_texts_are_refused(name, old, new, theorem, why):
    assert any(unproved(subject(wrong(name, old, new)), theorem, why))


def averaged(old: str, new: str) -> Subject:
    """All that is proved of Moshpit, with averages in whose formulas ``new`` stands for ``old``."""
    module = served("averaging").module
    other = load(built(module, changed(module, old, new)))
    return replace(subject(sparring.page("moshpit")), served=lambda n: other if n == "averaging" else served(n))


@pytest.mark.parametrize(("old", "new", "theorem", "why"), AVERAGES)
def test_wrong_averages_are_refused(old, new, theorem, why):
    assert any(unproved(averaged(old, new), theorem, why))


def test_messages_with_another_ranks_codes_are_refused():
    """In the exchange that a composition goes through, a rank passes off the codes of the rank after it as its own."""
    whole, right = subject(sparring.page("thc")), served("direct_allgather")
    other = replace(right, chunk=lambda r, t, j, p: (r + 1) % p)
    passed_off = beside(whole, served=lambda name: other if name == right.name else whole.served(name))
    assert any(unproved(passed_off, "result", "^direct_allgather: "))


SAME = [pytest.param(name, old, new, marks=[pytest.mark.slow] * slow) for name, old, new, slow in rows("same_texts")]


@pytest.mark.parametrize(("name", "old", "new"), SAME)
def test_the_same_in_other_words_is_not(name, old, new):
    found = proving.prove(wrong(name, old, new), planted=False, memory=ANSWERS)
    assert {one.name: one.detail for one in found if one.verdict not in kernel.PROOFS} == {}


@pytest.mark.parametrize("theorem", ["conservation", "partition", "volume"])
def test_the_same_averages_are_not(theorem):
    (one,) = (one for one in conjectures(averaged("return w * x", "return x * w").general) if one.name == theorem)
    assert all(answer.holds for answer in answered(one.obligations, True, one.encoding))
