"""Recursive multiplying is proved for every number of ranks and every radix, and planted faults are refuted."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from sparring import page
from sparring.proofs import recursive_multiplying as proof
from sparring.proofs.core import kernel, questions
from sparring.proofs.core.conjectures import conjectures
from sparring.proofs.core.kernel import Theorem
from sparring.proofs.core.supplement import subject
from sparring.proofs.core.verdicts import EXPECTED, PROVED, REFUTED, proved_up_to
from sparring.spec import recursive_multiplying
from sparring.spec.core import pages
from sparring.spec.core.numbers import Sym, Truth, evaluate, variables

MULTIPLYING = page("recursive_multiplying")
SOURCE = Path(recursive_multiplying.__file__).read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_it_is_proved_for_every_p_and_every_radix():
    """By both solvers, without a bound, each claim with a refuted mutant."""
    every = {a.name: a for a in kernel.prove(MULTIPLYING)}
    contended = {name for name, a in every.items() if a.verdict == EXPECTED}
    attempts = {name: a for name, a in every.items() if name not in (*contended, "timing")}

    assert contended == {f"lock step on {topology}" for topology in ("crossbar", "ring", "tree", "fat_tree")}
    assert every["timing"].verdict == proved_up_to(kernel.TIMED)
    assert {*attempts} == {"result", "agreement", "economy", "deadlock", "peers"}
    assert all(isinstance(a, Theorem) and a.verdict == PROVED and a.mutant for a in attempts.values())
    assert all(a.statement.endswith("for every radix >= 2.") for a in attempts.values())
    assert {tuple(x.solvers.items()) for a in attempts.values() for x in a.answers} == {
        (("z3", "unsat"), ("cvc5", "unsat"))
    }
    assert all("radix" in str(x.obligation.hypotheses[0]) for a in attempts.values() for x in a.answers)


def changed(tmp_path, old, new):
    """The page with some text in place of other."""
    assert SOURCE.count(old) == 1
    (tmp_path / "planted.py").write_text(SOURCE.replace(old, new), encoding="utf-8")
    return pages.find(str(tmp_path / "planted.py"))


def verdict(planted, name, **parts):
    """Of the claim of that name, for every radix, first solver only."""
    whole = replace(subject(planted), least=proof.least, **parts)
    general = replace(whole.general, **parts)
    conjecture = next(c for c in conjectures(general) if c.name == name)
    return kernel.judge(whole, conjecture, second_opinion=False).verdict


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    i = place(t, p, radix)\n    return where(beyond(r", "    i = 0\n    return where(beyond(r"),
        ("hands_back), digit(r, top, radix) == j + 1)", "hands_back), r < 0)"),
        ("def messages(radix: Int) -> Int:                      return radix - 1",
         "def messages(radix: Int) -> Int:                      return radix - 2"),
        ("return t < folds(p, radix) + log(p, radix)", "return t < folds(p, radix)"),
        ("return log(p, radix) + 2 * folds(p, radix)", "return log(p, radix) + folds(p, radix)"),
    ],
    ids=["wrong digit", "missing fold", "a message short", "overwrites in rounds", "nothing handed back"],
)  # fmt: skip
def test_planted_faults_are_refuted(tmp_path, old, new):
    """Wrong for some radix, so that the result is refuted."""
    assert verdict(changed(tmp_path, old, new), "result") == REFUTED


def agreement(name, same=None):
    """An obligation of agreement, for every radix."""
    general = subject(MULTIPLYING).general
    found = next(c for c in conjectures(replace(general, same=same or general.same)) if c.name == "agreement")
    return next(claim for claim in found.obligations if claim.name == name)


def test_agreement_a_round_too_early_is_refused():
    """Planted: that ranks agree that the coming round makes agree; at the beginning they do not."""
    claim = agreement("same base", lambda r, s, c, t, p: proof.same(r, s, c, t + 1, p, Sym.var("radix")))
    (answer,) = questions.answered([claim], False, "digits")

    assert not answer.holds
    assert answer.witness["p"] == 2


@pytest.mark.parametrize("name", ["counterpart", "in the same order"])
def test_what_is_said_of_sums_is_said_of_something(name):
    """Its condition is met at many points, and there it is so; in the other order it is not."""
    claim, rng = agreement(name), random.Random(1)
    assert isinstance(claim.claim, Truth)
    premise, conclusion = claim.claim.args[0].args[0], claim.claim.args[1]
    names = {x: variables(x) for x in (*claim.hypotheses, premise, conclusion) if variables(x)}
    met = 0
    for _ in range(400):
        radix, p, t = rng.choice(((2, 4, 1), (3, 9, 1), (3, 10, 2)))
        point = {v: rng.randrange(p) for v in "qrsv"} | {"t": t, "c": 0, "j": 0, "p": p, "radix": radix}
        holds = {x: evaluate(x, **{v: point[v] for v in names[x]}) for x in names if x is not conclusion}
        if all(holds.values()):
            met += 1
            assert evaluate(conclusion, **{v: point[v] for v in names[conclusion]})
    assert met > 5


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("member", lambda r, i, d, radix: r + i * d),
        ("member", lambda r, i, d, radix: r + (i - r // d % radix) * d * radix),
        ("further", lambda d, radix: d + radix),
        ("digit", lambda r, d, radix: r % radix),
    ],
    ids=["adds the digit", "one place further", "sums for products", "the last digit"],
)
def test_an_implementation_with_other_peers_is_refused(monkeypatch, name, wrong):
    """Its arithmetic is not the page's; at least one obligation is not proved, and none is called so."""
    monkeypatch.setattr(f"sparring.impl.recursive_multiplying.{name}", wrong)
    conjecture = next(c for c in conjectures(subject(MULTIPLYING).general) if c.name == "peers")

    assert any(not answer.holds for answer in questions.answered(conjecture.obligations, False, "digits"))
