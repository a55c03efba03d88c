"""What is proved for values that were chosen does not read as if it were proved for all."""

import pytest
import z3

import sparring
from sparring.analysis.compression import low_rank
from sparring.analysis.compression.reals import Lemma, proved, shown
from sparring.impl.core import lines
from sparring.proofs.kernel import certificates, kernel, rechecking
from sparring.proofs.logic.obligations import Obligation
from sparring.proofs.logic.verdicts import PROVED, PROVED_CHOSEN, REFUTED
from sparring.proofs.proving import proving
from sparring.proofs.reading.annotations import subject
from sparring.proofs.statements.conjectures import conjectures, one_by_one
from sparring.spec.core import pages
from sparring.spec.core.numbers import Sym
from tests.algorithms import ALGORITHMS

x = Sym.var("x")

TEXT = '''"""The sum of vectors that each rank doubles and halves."""
from sparring.proofs.logic.obligations import Obligation
from sparring.proofs.reading.annotations import Stated
from sparring.spec.core.exchanges import allreduce
from sparring.spec.core.numbers import Sym
from sparring.spec.core.vectors import total

data = "dense"
e, x = Sym.var("e"), Sym.var("x")


def grown(v, by):
    return v * by


def program(x):
    return (yield allreduce(grown(x, 1)))


def ensures(x):
    return total(x)


def theorems(page):
    grown = page.module.grown
    yield Stated("grown", "It grows (WHAT).", (STATED))
'''
ALL = 'Obligation("grown", (), grown(x, e) == e * x),'
SOME = 'Obligation("grown 2 times", (), grown(x, 2) == x + x), Obligation("grown 0 times", (), grown(x, 0) == 0)'


@pytest.mark.parametrize(("stated", "verdict"), [(ALL, PROVED), (SOME, PROVED_CHOSEN)])
def test_a_claim_of_chosen_values(stated, verdict, tmp_path):
    """With a letter it is proved for all; with numbers in its place, for these."""
    file = tmp_path / "mine.py"
    file.write_text(TEXT.replace("STATED", stated), encoding="utf-8")
    found = {one.name: one.verdict for one in proving.prove(sparring.page(str(file)), planted=False)}
    assert found["claim: grown"] == verdict and found["result"] == PROVED


def test_its_files_say_no_more(tmp_path):
    """Whoever asks the solvers again is told the same, also of numbers that vectors hold, which are no whole ones."""
    page = sparring.page("zen")
    found = [one for one in proving.prove(page) if one.name in ("result", "claim: result")]
    certificates.conclude([one for each in found for one in certificates.export(each, page, tmp_path)], [], tmp_path)
    again = {one.theorem: one.verdict for one in rechecking.recheck(tmp_path)}
    assert [again[one.name] for one in found] == [PROVED_CHOSEN] * 2


def test_values_that_are_all_there_are(tmp_path):
    """The proof module says why."""
    file = tmp_path / "mine.py"
    file.write_text(TEXT.replace("STATED)", f"{SOME}), all_there_are='of two'"), encoding="utf-8")
    claim = next(conjectures(subject(sparring.page(str(file))), "claim: grown"))
    assert not claim.chosen


def test_claims_of_chosen_values_say_which():
    """In parentheses."""
    wholes = [subject(pages.find(name)) for name in ALGORITHMS]
    claims = [one for whole in wholes if whole.theorems for one in whole.theorems(whole.page)]
    some = [one for one in claims if one_by_one(claim.name for claim in one.obligations) and not one.all_there_are]
    assert len(some) > 5 and all("(" in one.statement for one in some)


@pytest.mark.parametrize(("name", "chosen"), [("zen", True), ("two_shot", False)])
def test_a_result_that_rests_on_what_is_linear(name, chosen):
    """What a claim proves of short vectors alone, no result has of all."""
    result = next(conjectures(subject(pages.find(name)), "result"))
    assert result.chosen == chosen == ("restored taken to be linear" in result.statement)


@pytest.mark.parametrize(
    ("member", "verdict"),
    [
        (lines.member, PROVED),
        (lambda r, j, stride, size: r + (j - lines.place(r, size, stride)) * stride, REFUTED),
        (lambda r, j, stride, size: r + (j - lines.place(r, stride, size)) * size, REFUTED),
    ],
)
def test_places_on_lines_however_long_they_are(member, verdict, monkeypatch):
    """Quotients and remainders by any number of ranks a node are letters."""
    monkeypatch.setattr(lines, "member", member)
    whole = subject(pages.find("hierarchical"))
    assert kernel.judge(whole, next(conjectures(whole, "peers")), second_opinion=True).verdict == verdict


def test_published_statements_of_chosen_values():
    """Of numbers and of symbols alike, whatever else comes to it."""
    terms = [Obligation(f"sum of {n}", (), x * n == x * (n - 1) + x) for n in (1, 2)]
    assert (shown(terms).verdict, shown(terms[:1]).verdict) == (PROVED_CHOSEN, PROVED)
    squares = [Lemma(f"square of {n}", (), z3.Real("x") * n * n == n * z3.Real("x") * n) for n in (1, 2)]
    assert (proved(squares).verdict, proved(squares[:1]).verdict) == (PROVED_CHOSEN, PROVED)
    assert low_rank.single_node().verdict == low_rank.projection().verdict == PROVED_CHOSEN
