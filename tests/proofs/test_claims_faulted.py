"""What papers claim of compositions: judged as expected; every hypothesis is needed; and planted faults are told."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
import sympy
import z3

import sparring
from sparring.analysis.compression import arc_rows, levels, low_rank, rounding, signs
from sparring.analysis.compression.reals import proved, refuted
from sparring.errors import Undecided
from sparring.literature.implication import decide
from sparring.literature.papers import packet_loss, powersgd
from sparring.literature.statements import Shown, Theorem, Unjudged
from sparring.proofs import flash, lossy_two_shot, oktopk, power_sgd
from sparring.proofs.exchanges import balancing, regions, turns
from sparring.proofs.functions import matrices as proved_matrices
from sparring.proofs.logic.queries import answered
from sparring.proofs.logic.verdicts import EXPECTED, PROVED, Word
from sparring.proofs.reading.annotations import subject
from sparring.proofs.statements.conjectures import conjectures
from sparring.spec import arc_top_k
from sparring.spec import power_sgd as page_module
from sparring.spec.codecs.sign_codec import read, signed
from sparring.spec.core import balancing as shares
from sparring.spec.core import exchanges
from sparring.spec.core import regions as cuts
from sparring.spec.core.compositions import Memory
from sparring.spec.core.model import Page
from sparring.spec.core.numbers import both, either, where
from sparring.spec.core.runner import run
from sparring.spec.library import matrices
from tests.proofs.wrong_texts import wrong
from tests.sweeps import third

STATED = {one.name: one for one in powersgd.statements if not isinstance(one, Unjudged)}
STATED |= {one.name: one for one in packet_loss.statements if isinstance(one, (Shown, Theorem))}


@pytest.mark.parametrize("name", [name for name in [*STATED][::3] if name != "projection"])
def test_claims_are_decided(name):
    """As they say, and none by itself; what ``sparring claims`` says of all is tested, too."""
    decided = decide(STATED[name])
    assert decided.checked == (EXPECTED if STATED[name].xfail else PROVED) or decided.checked.word == Word.TESTED
    assert decided.detail


HOLD = [
    signs.identity, signs.contracts_by_magnitudes, levels.variance, levels.sparse, rounding.sum_of_codes,
    rounding.any_order, rounding.bits_enough, arc_rows.same_rows, arc_rows.single_node,
]  # fmt: skip
FAIL = {
    signs.contracts_by_squares: "4/3 are left",
    levels.sparse_by_max: "of 9 equal entries and 1 level 9 are not 0, more than 4",
    rounding.bits_one_fewer: "p = 2, 1 bits",
    arc_rows.differently: "row 0 is kept; from rank 2 on, row 1",
}


def test_claims_are_judged():
    assert [claim for claim in HOLD if not claim().holds] == []
    for claim, told in FAIL.items():
        found = claim()
        assert not found.holds and told in found.detail


def half(column, one):
    """A column is left with half of its part in the one before."""
    return [v - matrices.dot(one, column) * w / 2 for v, w in zip(column, one)]


GOOD = exchanges.Allreduce.carry


def longer(change):
    """Messages with something more in them."""

    def carry(self, each):
        done = GOOD(self, each)
        return done._replace(trace=[[m._replace(entries=change(m.entries)) for m in wire] for wire in done.trace])

    return carry


LEVEL, CODE = levels.module.level, rounding.module.code
SECOND = "(yield allreduce(crossed(m, left, shape), through=params.through))"


def texts(old, new):
    return lambda: wrong("power_sgd", old, new).module


FAULTS = [
    (arc_rows.values_alone, exchanges.Allreduce, "carry", longer(lambda sent: [*sent, 0])),
    (low_rank.words, exchanges.Allreduce, "carry", longer(lambda sent: [*sent] * 2)),
    (low_rank.algebra, matrices, "without", half),
    (low_rank.right_angles, matrices, "without", lambda column, one: column),
    (low_rank.projection, matrices, "upright", lambda columns, epsilon: columns),
    (low_rank.exact, matrices, "unit", lambda column, epsilon: column),
    (low_rank.single_node, low_rank, "power_sgd", texts(f"{SECOND} / p", SECOND)),
    (low_rank.conserved, low_rank, "power_sgd", texts("State(m - y, right)", "State(m, right)")),
    (signs.volume_of_a_call, signs.Signs, "octets", lambda self, c, w: c // 8 + w),
    (levels.unbiased, levels.module, "level", lambda v, unit, chance, most: LEVEL(v, unit, 0, most)),
    (levels.unbiased, levels.module, "level",
     lambda v, unit, chance, most: LEVEL(v, unit, (1 << levels.FINE) - 1, most)),
    (levels.unbiased, levels, "leveled", lambda unit, some, x: [unit * q for q in some]),
    (rounding.unbiased, rounding.module, "code",
     lambda v, low, step, chance, bits: CODE(v + step / 2, low, step, rounding.QUARTERS[-1], bits)),
    (rounding.unbiased, rounding.module, "code", lambda v, low, step, chance, bits: CODE(v, low, step, 0, bits)),
    (rounding.unbiased, rounding.module, "code",
     lambda v, low, step, chance, bits: CODE(v, low, step, max(chance - rounding.QUARTERS[1], 0), bits)),
]  # fmt: skip
"""Of a claim: where something else is planted, its name, and what."""


@pytest.mark.parametrize(
    "claim", third(dict.fromkeys(claim for claim, *_ in FAULTS)), ids=lambda f: f"{f.__module__}.{f.__name__}"
)
def test_a_claim_holds_and_not_with_a_fault(claim, monkeypatch):
    assert claim().holds
    for _, place, name, fault in (one for one in FAULTS if one[0] is claim):
        with monkeypatch.context() as patch:
            patch.setattr(place, name, fault() if name == "power_sgd" else fault)
            assert not claim().holds


def test_where_no_two_orders_differ_the_claim_on_rows_is_undecided(monkeypatch):
    monkeypatch.setattr(arc_rows, "ROWS", ((1.0, 0.0, 0.0), (1.0, 1.0, 1.0)))
    with pytest.raises(Undecided, match="no two orders"):
        arc_rows.differently()


def planted(whole, **functions):
    """A page, or a module, with other functions."""
    return replace(whole, **functions) if isinstance(whole, Page) else SimpleNamespace(**{**vars(whole), **functions})


def holds(claims):
    return all(answer.holds for answer in answered(claims, True))


ROTATION = exchanges.served("rotation")
OBLIGATIONS = [
    (balancing.moves, shares, "sooner", lambda a, b: where(a < b, a, b) + 1),
    (balancing.moves, shares, "later", lambda a, b: b + 1),
    (regions.partition, cuts, "mean", lambda total, p: total // p + 1),
    (turns.own, ROTATION, "chunk", exchanges.served("ring").chunk),  # the ring sends on what it added
    (turns.apart, ROTATION, "dst", lambda r, t, p: t),
    (turns.apart, ROTATION, "dst", lambda r, t, p: (r + 1) % p),
    (proved_matrices.order, matrices, "before", lambda a, i, b, j: either(a < b, i < j)),
    (proved_matrices.order, matrices, "before", lambda a, i, b, j: a <= b),
    (proved_matrices.places, matrices, "slot", lambda i, c, columns: i + c),
    (proved_matrices.rows, matrices, "rows", lambda n, columns: n // columns),
    (proved_matrices.rows, matrices, "rows", lambda n, columns: n // columns + 1),
    (proved_matrices.halves, matrices, "halved", lambda terms: matrices.halved(terms[:7])),
    (proved_matrices.halves, matrices, "dot", lambda a, b: sum((v * w for v, w in zip(a, b)), a[0] * b[0])),
    (proved_matrices.roots, matrices, "root", lambda x: x),
    (arc_rows.single, arc_top_k, "nearer", lambda *at: arc_top_k.nearer(*at) // 2),  # it rounds
    (power_sgd.linear, page_module, "product", lambda m, q, shape: m * m),
    (power_sgd.linear, page_module, "crossed", lambda m, p, shape: m + 1),
]


@pytest.mark.parametrize(
    ("claims", "module", "name", "fault"),
    third(OBLIGATIONS),
    ids=[f"{one[2]} {i}" for i, one in enumerate(OBLIGATIONS)],
)
def test_what_functions_do_is_proved_and_of_wrong_ones_it_is_not(claims, module, name, fault):
    """Turns, shares and regions; rows, their order, sums and roots; what is taken for linear, as the text says."""
    assert holds(claims(module)) and not holds(claims(planted(module, **{name: fault})))


def test_any_total_order_is_as_good():
    """The last index first."""
    assert holds(proved_matrices.order(planted(matrices, before=lambda a, i, b, j: either(a < b, both(a == b, i > j)))))


def of_moshpit(theorem):
    return lambda: (
        next(c for c in conjectures(subject(sparring.page("moshpit")).general) if c.name == theorem).obligations
    )


MODULES = {name: sparring.page(name).module for name in ("lossy_two_shot", "oktopk")}
NEEDED = [
    *((lambda: flash.error(15, 255), name, -1)
      for name in ("errors add up", "ranges add up", "both steps", "a code is within half a step")),
    *((lambda: lossy_two_shot.drifting(MODULES["lossy_two_shot"]), "from the owner's", at) for at in (5, 7)),
    *((lambda: oktopk.volume(MODULES["oktopk"]), name, -1)
      for name in ("split", "dealt out", "a share ends no later than with e")),
    (of_moshpit("result"), "ranks: no two move to one", -1),  # that those who meet have different indices
    (of_moshpit("result"), "ranks: each of m is a cell", -2),  # that there are m
    (of_moshpit("conservation"), "averaging: and whoever is in it takes it", -1),  # that none fails in between
    (of_moshpit("conservation"), "averaging: and whoever is in it takes it", -3),  # that none dies after it has sent
    *((of_moshpit("conservation"), f"averaging: {name}", -1)
      for name in ("what they had", "not above the largest", "not below the smallest")),
]  # fmt: skip
"""Obligations, the name of one, and which of its hypotheses is left out."""


@pytest.mark.parametrize(("claims", "name", "gone"), NEEDED)
def test_each_hypothesis_is_needed(claims, name, gone):
    """Without it the same claim has a counterexample."""
    (whole,) = (one for one in claims() if one.name == name)
    kept = tuple(h for i, h in enumerate(whole.hypotheses) if i != gone % len(whole.hypotheses))
    (good,), (without,) = answered([whole], True), answered([whole._replace(hypotheses=kept)], False)
    assert good.holds and not without.holds
    assert name == "all ranks, 4 bits" or (without.witness and not without.problem)


@pytest.mark.parametrize("lemmas", [low_rank.orthonormal, low_rank.remainder, low_rank.scaled])
def test_each_hypothesis_of_a_lemma_is_needed(lemmas):
    """Without the last one it does not follow; with all it does."""
    for lemma in lemmas():
        assert proved([lemma]).holds
        assert not proved([lemma._replace(hypotheses=(z3.BoolVal(True), *lemma.hypotheses[:-1]))]).holds


def named(lemmas, name, **changed):
    return next(one for one in lemmas if one.name == name)._replace(**changed)


def test_sharper_lemmas_are_refuted():
    """A zero read as 0, a constant that is too large, a scale said to leave less, too few squares, half of a loss."""
    zero = z3.If(signs.x > 0, z3.RealVal(1), z3.If(signs.x < 0, z3.RealVal(-1), z3.RealVal(0)))
    rare = named(levels.entry(), "a level above 0")
    for wrong_ in (
        next(signs.entries(zero)),
        named(signs.mean_magnitude(), "a contraction", claim=signs.d * signs.left <= (signs.d - 2) * signs.b),
        named(signs.root_of_squares(), "worse than nothing", claim=signs.left <= signs.b),
        rare._replace(hypotheses=rare.hypotheses[1:], claim=levels.chance <= levels.t / 2),
        named(levels.entry(), "no more than what is above a level", claim=levels.f * (1 - levels.f) <= levels.t / 2),
        named(rounding.fraction(), "at most a quarter", claim=5 * (rounding.t * (1 - rounding.t)) <= 1),
    ):
        assert refuted(wrong_)
    assert not signs.zero_may_be_zero()
    assert levels.moments((1, 1, 1, 1), levels.module.Params(1)) == ([1] * 4, Fraction(4), Fraction(2))
    assert rounding.moments([Fraction(-1, 4)] * 2) == (Fraction(-1, 2), 2 * rounding.GRID.step**2 / 4)


def test_scales_leave_what_is_proved():
    """On vectors with rational scales, exactly; the mean magnitude leaves least, beside scales around it."""
    for v in ([1, 7], [1, -7, 5, -5], [3, 4, 0, 0], [2, 2, 2, -2], [1, 0, 0, 0, 0, 0, 0, 0, 0]):
        x = [Fraction(u) for u in v]
        coded, first, second = signed(x, norm=2), sum(map(abs, x)), sum(u * u for u in x)
        assert len(x) * coded.scale**2 == second
        left = sum((a - b) ** 2 for a, b in zip(x, read(coded)))
        assert left == 2 * (second - coded.scale * first)
        assert (left > second) == (2 * coded.scale * first < second)
    for x in [[Fraction(u) for u in (a, b, c)] for a in range(-2, 3) for b in range(-2, 3) for c in range(-2, 3)]:
        coded, second = signed(x, norm=1), sum(u * u for u in x)
        units = [1 if one else -1 for one in coded.signs]
        scales = [coded.scale + Fraction(i, 3) for i in (0, -2, -1, 1, 2)]
        lost = [sum((u - s * w) ** 2 for u, w in zip(x, units)) for s in scales]
        assert lost[0] == min(lost) == second - sum(map(abs, x)) ** 2 / 3 <= second * Fraction(2, 3)


def test_the_exact_calls_are_what_they_say():
    """Rotations are orthonormal; the product with Q is as wide as the rank; a mean of low rank is one."""
    rng = np.random.default_rng(0)
    for n in range(1, 6):
        u = low_rank.rotation(rng, n)
        assert (u.T.dot(u) == np.eye(n, dtype=int)).all()
    for call in low_rank.calls(low=True):
        rank, p = call.page.params["rank"], len(call.xs)
        assert np.linalg.matrix_rank(call.mean.astype(float)) == rank
        given = np.array(call.xs, object).sum(0) + np.array([[*x] for x in call.state.kept], object).sum(0)
        assert (given == p * call.mean.reshape(-1)).all()


def test_of_two_parallel_columns_too_much_is_found():
    """As often as the formula says, by the page on floats with less and less added; never more than twice."""
    for v in (sympy.Rational(1, 3), sympy.Integer(1), sympy.Integer(5)):
        wanted = low_rank.limit(v)
        assert wanted == 1 + (2 * v / (2 * v + 1)) ** 2 < 2
        p = matrices.upright([[3.0, 4.0], [3.0 * float(v), 4.0 * float(v)]], 1)
        assert abs(sum(a * a + b * b for a, b in p) - float(wanted)) < 1e-5


def test_what_the_lossy_page_keeps_is_looked_at():
    """A state with another number of calls, versions to come, or an own shard that is stale, is told."""
    xs = [[1.0, 2.0], [3.0, 4.0]]
    state = run(sparring.page("lossy_two_shot"), xs).state
    first, *others = state.ranks

    def having(**fields):
        return Memory(state.call, [first._replace(**fields), *others])

    assert [*lossy_two_shot.kept(state, xs, 1)] == []
    assert "has counted 1" in next(lossy_two_shot.kept(state, xs, 2))
    for told, changed in {
        "rank 0 has versions [[1], [2]] after 1 calls": having(versions=[[1], [2]]),
        "rank 0's own shard has versions [0] after 1 calls": having(versions=[[0], [1]]),
        "a replica is not as long as the vectors": having(replicas=[1.0]),
    }.items():
        assert [*lossy_two_shot.kept(changed, xs, 1)] == [told]


def test_what_the_claims_of_loss_compute_is_the_law_itself():
    """At q = 2 / 5."""
    q = packet_loss.lost(2, Fraction(3))
    assert q == Fraction(2, 5)
    for p in packet_loss.RANKS:
        assert packet_loss.reciprocal(p, 2, Fraction(3)) == packet_loss.weight(p, 2, Fraction(3)) > Fraction(1, p)
        assert packet_loss.of_any(p, 2, Fraction(3)) == (1 - q**p) / p
    limit = packet_loss.exact(2, Fraction(3), 1)
    assert packet_loss.apart(2, Fraction(3), Fraction(0), 1) == limit > packet_loss.remembered(2, Fraction(3), 1)
    assert packet_loss.apart(2, Fraction(3), Fraction(1), 1) == 0
