"""Every obligation of a page of formulas has a fault of its own, generated from the page's source."""

from collections.abc import Iterable

import pytest

import sparring
from sparring.proofs.kernel import kernel
from sparring.proofs.logic.queries import Memory
from sparring.proofs.logic.verdicts import UNDECIDED
from sparring.proofs.mutants.faults import Faults
from sparring.proofs.proving import proving
from sparring.proofs.reading.annotations import subject
from sparring.proofs.statements.conjectures import conjectures
from tests.algorithms import ALGORITHMS
from tests.sweeps import third

QUICK = {"ring_allgather": "", "flash": "contention"}
"""A page of formulas and one of exchanges, and the theorem that is looked at alone; "": all are."""
SLOW = [pytest.mark.slow, pytest.mark.timeout(1200)]
BY_CONSTRUCTION = {
    "shifts of the number of steps": "where the amount is the logarithm of p; see test_chunks_there.py",
    "wanted somewhere": "what a standard kind wants is no formula of the page",
    "live": "where the page vouches for all of its cells",
    "chunk in range": "where there is one chunk",
    "live, each message": "the same, of several messages",
    "overwritten once": "where every step adds",
    "disjoint": "where no step adds",
    "port out: one message a step": "each rank has a port of its own",
    "port out: a rank in common": "the same",
    "port in: a rank in common": "the same",
    "link from a rank: one message a step": "and a link",
    "nothing else is sent": "where texts only fill a vector: what was not there is nothing then",
}
"""Obligations that no fault has to refute, and where."""
REGIONS = {"places are a rank's", "places ascend", "sums ascend"}
ARITHMETIC = {
    "result": REGIONS,
    "partition": REGIONS,
    "volume": {"which is e entries long"},
    "claim: error": {"a code is within half a step", "errors add up", "ranges add up", "what is read is in range",
                     "both steps"},
    "claim: result": {f"one more rank, {bits} bits" for bits in range(1, 9)},
    "claim: staleness": {"all alike at first"},
    "claim: volume": {"split", "a share begins where the last ends", "a share ends no later than with e",
                      "which is e entries long", "with q fewer in all, at most q fewer", "shares are all"},
}  # fmt: skip
"""By theorem, steps of an argument in which no formula of the page stands, or bounds, which *partition* is of."""
PLAIN = "Raw()"
"""The code of numbers as they are: how long these are is no formula of a page."""
SEEN = [name for name, one in ALGORITHMS.items() if one.gone_through]
"""So were gtopk, recursive_doubling, spardl, ssar_recursive_doubling and two_shot_sparse, which take solvers long; of
other pages a few obligations of exchanges stay without a fault."""


@pytest.mark.parametrize(
    ("name", "theorem"),
    [*QUICK.items(), *(pytest.param(name, "", marks=SLOW) for name in SEEN)],
)
def test_each_obligation_is_refuted_for_some_fault(name, theorem):
    """By the solver, with one change of a source; what holds by construction, or is arithmetic, is on a short list."""
    whole = subject(sparring.page(name))
    faults, still = Faults(whole, Memory()), ALGORITHMS[name].open_obligations
    left = {
        f"{conjecture.name}: {obligation}"
        for conjecture in conjectures(whole.general, theorem)
        if not conjecture.contended
        for obligation in {one.name for one in conjecture.obligations} - faults.refuting(conjecture)[0].keys()
        if not excepted(obligation, (*BY_CONSTRUCTION, *ARITHMETIC.get(conjecture.name, ()), *still))
    }

    assert left == set()


def excepted(obligation: str, names: Iterable[str]) -> bool:
    """Whether it is one of these, maybe of an exchange's page, or another one of the same name."""
    plain = obligation.partition(" (")[0]
    return PLAIN in plain or any(plain == name or plain.endswith(f": {name}") for name in names)


def test_a_fault_that_is_not_tried_upsets_nothing():
    """In modules beside the page, in functions that do not run for a claim; of those that do run one changes it.

    A function that an earlier claim has called, and that remembers what it gave, runs all the same.
    """
    whole, name = subject(sparring.page("arc_top_k")), "claim: result"
    assert all(conjectures(whole, name))
    faults = Faults(whole, Memory())
    tried = {*faults.of(name, False), *faults.of(name, True)}
    local = faults.sort("local", False)
    claims = next(conjectures(whole, name)).obligations

    def upset(one):
        changed = one.conjecture(name)
        return changed and not all(map(faults.same, claims, changed.obligations))

    left_out = [one for one in local if one not in tried]
    assert len(left_out) > 100 and not any(map(upset, left_out[::20]))
    assert any(map(upset, (one for one in local if one in tried)))


PAGE = """\
from sparring.proofs.logic.obligations import Obligation, p, r, t, during
from sparring.spec.ring import adds, chunk, dst, holds, src, steps


def peers(page):
    yield Obligation({told!r}, during(page), {claim})
"""
CLAIMS = {
    "page.dst(r, t, p) == (r + 1) % p": True,
    "True": False,
    "p * 1 == p": False,
    "page.dst(r, t, p) == page.dst(r, t, p)": False,
    "page.dst(r, t, p) < p": True,
}


def attempted(folder, text, name):
    """What comes of that theorem of a page with this text."""
    (folder / "mine.py").write_text(text)
    attempt = next(a for a in proving.prove(sparring.page(f"{folder}/mine.py")) if a.name == name)
    assert isinstance(attempt, kernel.Theorem) or (attempt.verdict, attempt.detail) == (
        UNDECIDED,
        f"mine: {kernel.NO_FAULT}",
    )
    return attempt


@pytest.mark.parametrize("claim", third(CLAIMS))
def test_what_a_page_states_itself_needs_faults(claim, tmp_path):
    """A trivial obligation borrows no sentence: nothing refutes it."""
    attempt = attempted(tmp_path, PAGE.format(told="mine", claim=claim), "peers")
    assert isinstance(attempt, kernel.Theorem) == CLAIMS[claim]


def test_an_obligation_hides_behind_no_other_of_its_name(tmp_path):
    """Of two that a page calls alike each needs a fault."""
    again = '    yield Obligation("mine", during(page), page.dst(r, t, p) == (r + 1) % p)\n'
    attempt = attempted(tmp_path, PAGE.format(told="mine", claim="True") + again, "peers")
    assert [a.obligation.name for a in attempt.answers] == ["mine", "mine (2)"]
    assert not isinstance(attempt, kernel.Theorem)


TEXT = """\
from sparring.proofs.logic.obligations import Obligation
from sparring.proofs.reading.annotations import Stated
from sparring.spec.core.exchanges import allreduce
from sparring.spec.core.numbers import Sym, either, negate
from sparring.spec.core.vectors import total

data = "dense"
x = Sym.var("x")


def due(call):
    return call % 3 == 0


def program(x, call):
    return (yield allreduce(x if due(call) else x + x))


def ensures(x, call):
    return total(x) if due(call) else total(x + x)


def theorems(page):
    due = page.module.due
    yield Stated("mine", "Every third call is due.", (Obligation("mine", (x >= 0,), {claim}),))
"""


@pytest.mark.parametrize(("claim", "holds"), [("due(3 * x)", True), ("either(due(x), negate(due(x)))", False)])
def test_what_a_composition_claims_needs_faults(claim, holds, tmp_path):
    """A claim that would be so of any function says nothing of the one that the text calls."""
    attempt = attempted(tmp_path, TEXT.format(claim=claim), "claim: mine")
    assert isinstance(attempt, kernel.Theorem) == holds
