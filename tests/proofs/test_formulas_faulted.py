"""Pages of formulas whose proofs need more than remainders: planted faults are refuted."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from sparring import page
from sparring.proofs import recursive_multiplying as proof
from sparring.proofs.kernel import kernel
from sparring.proofs.logic import queries
from sparring.proofs.logic.verdicts import PROVED, REFUTED
from sparring.proofs.reading.annotations import subject
from sparring.proofs.statements import execution
from sparring.proofs.statements.conjectures import conjectures
from sparring.spec import ring_sparse
from sparring.spec.core.numbers import Sym, Truth, both, evaluate, negate, variables, where
from tests.proofs.wrong_texts import wrong
from tests.sweeps import third

DOUBLING, HALVING, MULTIPLYING, SPARSE = map(
    page, ("recursive_doubling", "rabenseifner", "recursive_multiplying", "ring_sparse")
)
F, H = DOUBLING.module, HALVING.module


def always_first_bit(r, t, p):
    """A mask that never grows."""
    other = F.rank(F.number(r, p) ^ 1, p)
    exchange = both(F.folds(p) <= t, F.adds(t, p))
    return where(both(exchange, negate(F.idle(r, p))), other, DOUBLING.dst(r, t, p))


def falling(r, t, p):
    """The masks in the opposite order."""
    last = F.log(p) - 1 + 2 * F.folds(p)
    return DOUBLING.dst(r, where(both(F.folds(p) <= t, F.adds(t, p)), last - t, t), p)


def own_half(r, t, p):
    """The first chunk that a rank sends, if in a round it is of what the rank itself looks after."""
    size = where(H.fold(t, p), H.log(p), H.log(p) - 1 - H.bit(t, p))
    return (H.place(r, p) >> size) << size


FAULTS = {
    "wrong mask": (replace(DOUBLING, dst=always_first_bit, src=always_first_bit), "p=4: rank 0's chunk 0 ends with"),
    "no unfold": (replace(DOUBLING, steps=lambda p: F.log(p) + F.folds(p)), "p=3: rank 0's chunk 0 ends without x1"),
    "idle ranks send": (replace(DOUBLING, active=lambda r, t, p: True), "p=3 step 0: rank 2 sends to itself"),
    "falling masks": (replace(DOUBLING, dst=falling, src=falling), "runs with p <= 16 are clean, but at p=4"),
}
HALVES = {
    "wrong half kept": (replace(HALVING, chunk=own_half), "p=2: rank 0's chunk 0 ends without x1"),
    "missing fold": (
        replace(HALVING, active=lambda r, t, p: both(H.folds(p) <= t, HALVING.active(r, t, p))),
        "p=3: rank 0's chunk 0 ends without x0",
    ),
}


@pytest.mark.parametrize("fault", [*FAULTS, *HALVES])
def test_running_a_wrong_page_finds_its_fault_at_the_fewest_ranks(fault):
    """What decides between refuted and not inductive; masks in any order are an allreduce."""
    faulty, why = (FAULTS | HALVES)[fault]
    if found := execution.first(execution.wrong_result, faulty):
        assert str(found).startswith(why)
    else:
        lie = execution.first_lie(faulty)
        assert fault == "falling masks" and lie is not None and lie.p == 4


def test_holds_is_exact():
    """Of every cell, also of those that were given away: no lie up to 16 ranks."""
    assert execution.first_lie(HALVING) is None


@pytest.mark.parametrize("fault", HALVES)
def test_the_obligation_on_what_is_where_after_a_step_refutes_it(fault):
    whole = replace(subject(HALVING), page=HALVES[fault][0])
    result = next(c for c in conjectures(whole) if c.name == "result")
    step = tuple(o for o in result.obligations if o.name == "step")
    attempt = kernel.judge(whole, result._replace(obligations=step), False)
    assert not attempt.answers[0].holds and attempt.verdict == REFUTED


SIZES = {
    "dense forgotten": lambda m, size, w: ring_sparse.HEADER + ring_sparse.sparse(m, size, w),
    "a longer header": lambda m, size, w: ring_sparse.octets(m, size, w) + 8,
    "a bit map too many": lambda m, size, w: ring_sparse.octets(m, size, w) + where(m == size, (size + 7) // 8, 0),
}


def sizes(one):
    """What comes of the claim of that name."""
    whole = subject(one)
    return kernel.judge(whole, next(c for c in conjectures(whole) if c.name == "sizes"), second_opinion=True)


@pytest.mark.parametrize("fault", SIZES)
def test_a_fault_in_the_sizes_is_refuted(fault):
    """With the number of entries at which a message is too long."""
    attempt = sizes(replace(SPARSE, octets=SIZES[fault]))
    assert attempt.verdict == REFUTED
    m, size = attempt.witness.get("m", 0), attempt.witness["size"]
    assert any(SIZES[fault](m, size, w) > ring_sparse.HEADER + size * w for w in (4, 8))


def test_sizes():
    """Never above dense, full stays full, and what has all is full; a page without sizes claims none."""
    attempt = sizes(SPARSE)
    named = [a.obligation.name for a in attempt.answers]
    assert attempt.verdict == PROVED
    assert len([name for name in named if name.endswith("-byte values")]) == 6 < len(named)
    assert "sizes" not in [c.name for c in conjectures(subject(page("ring")))]


MESSAGES = "def messages(radix: Int) -> Int:                      return radix - "


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("old", "new"),
    third(
        [
            ("return t < folds(p, radix) + log(p, radix)", "return t < folds(p, radix)"),
            ("    i = place(t, p, radix)\n    return where(beyond(r", "    i = 0\n    return where(beyond(r"),
            (f"{MESSAGES}1", f"{MESSAGES}2"),
        ]
    ),
    ids=["overwrites in rounds", "wrong digit", "a message short"],
)
def test_wrong_for_some_radix_is_refuted(old, new):
    whole = replace(subject(wrong("recursive_multiplying", old, new)), least=proof.least)
    conjecture = next(c for c in conjectures(whole.general) if c.name == "result")
    assert kernel.judge(whole, conjecture, second_opinion=False).verdict == REFUTED


def agreement(name, same=None):
    """An obligation of agreement, for every radix."""
    general = subject(MULTIPLYING).general
    found = next(c for c in conjectures(replace(general, same=same or general.same)) if c.name == "agreement")
    return next(claim for claim in found.obligations if claim.name == name)


def test_agreement_a_round_too_early_is_refused():
    """Planted: that ranks agree that the coming round makes agree; at the beginning they do not."""
    claim = agreement("same base", lambda r, s, c, t, p: proof.same(r, s, c, t + 1, p, Sym.var("radix")))
    (answer,) = queries.answered([claim], False, "digits")
    assert not answer.holds and answer.witness["p"] == 2


@pytest.mark.parametrize("name", ["counterpart", "in the same order"])
def test_what_is_said_of_sums_is_said_of_something(name):
    """Its condition is met at many points, and there it is so."""
    claim, rng = agreement(name), random.Random(1)
    assert isinstance(claim.claim, Truth)
    premise, conclusion = claim.claim.args[0].args[0], claim.claim.args[1]
    conditions = [x for x in (*claim.hypotheses, premise) if variables(x)]
    met = 0
    for _ in range(400):
        radix, p, t = rng.choice(((2, 4, 1), (3, 9, 1), (3, 10, 2)))
        point = {v: rng.randrange(p) for v in "qrsv"} | {"t": t, "c": 0, "j": 0, "p": p, "radix": radix}
        if all(evaluate(x, **{v: point[v] for v in variables(x)}) for x in conditions):
            met += 1
            assert evaluate(conclusion, **{v: point[v] for v in variables(conclusion)})
    assert met > 5


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("member", lambda r, i, d, radix: r + i * d),
        ("further", lambda d, radix: d + radix),
    ],
    ids=["adds the digit", "sums for products"],
)
def test_an_implementation_with_other_peers_is_refused(monkeypatch, name, other):
    """Its arithmetic is not the page's; at least one obligation is not proved, and none is called so."""
    monkeypatch.setattr(f"sparring.impl.recursive_multiplying.{name}", other)
    conjecture = next(c for c in conjectures(subject(MULTIPLYING).general) if c.name == "peers")
    assert any(not answer.holds for answer in queries.answered(conjecture.obligations, False, "digits"))
