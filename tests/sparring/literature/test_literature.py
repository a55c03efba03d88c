"""The literature: what its statements must have, what decides them, and that wrong ones are found."""

import re
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from sparring import claims
from sparring.costs.formulas.hypotheses import parts
from sparring.costs.formulas.simplified import hypotheses
from sparring.costs.published.claim import QUANTITIES, log2
from sparring.errors import Undecided
from sparring.literature.implication import decide
from sparring.literature.papers import packet_loss, sources
from sparring.literature.statements import TAGS, Row, Shown, Source, Theorem
from sparring.proofs.logic.verdicts import EXPECTED, PROVED, REFUTED, UNDECIDED, Settled, Verdict, Word

ALL = [(each, one) for each in sources() for one in each.statements]
NAMED: dict[str, Any] = {claims.entitled(each, one): one for each, one in ALL}


def test_every_statement_is_well_formed():
    """An id of its own, where the source says so, how sure that is, and what judges it, or why nothing does."""
    assert len(NAMED) == len(ALL) > 80 and all(each.bibliography for each in sources())
    for one in NAMED.values():
        assert re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", one.name) and one.where and one.tag and {*one.tag} <= {*TAGS}
        if isinstance(one, Row):
            assert parts(one.given) == hypotheses(one.given) and one.quantity in QUANTITIES
        assert isinstance(one, Row | Theorem | Shown) or one.because


def theorem(relation, **more):
    return Theorem("planted", "here", "D", "planted", relation, **more)


def test_a_false_inequality_is_refuted_at_a_point():
    """Ok-Topk's upper end is above an allgather on two ranks, and only there."""
    good = NAMED["ok-topk/within-topka"]
    assert decide(good).checked == PROVED
    found = decide(replace(good, given=lambda p: p >= 2))
    assert (found.verdict, found.detail, found.checked) == ("false", "it fails at p=2, k=1", REFUTED)


def shown(proof, **more):
    return Shown("planted", "here", "D", "planted", proof, **more)


def test_what_a_proof_of_its_own_decides_is_worth_what_that_says():
    """It holds, it was tested, it fails at a place, or it comes to no end; and what is known to fail has to."""

    def endless():
        raise Undecided("no end")

    assert decide(shown(lambda: (True, "so"))) == ("follows", "so", PROVED, "")
    assert decide(shown(lambda: Settled(True, "so", Verdict(Word.TESTED, 3)))).checked.word == Word.TESTED
    assert decide(shown(lambda: (False, "at p=2")))[:3] == ("false", "at p=2", REFUTED)
    assert decide(shown(endless))[:3] == ("undecided", "no end", UNDECIDED)
    assert decide(shown(lambda: (False, "at p=2"), xfail="we know")).checked == EXPECTED
    assert decide(shown(lambda: (True, "so"), xfail="we know")).checked == REFUTED


def test_what_is_known_to_fail_and_does_not_is_refuted():
    assert decide(theorem(lambda p: p <= 0, xfail="we know")).checked == EXPECTED
    found = decide(theorem(lambda p: p >= 1, xfail="we know"))
    assert found.checked == REFUTED and found.detail.startswith("expected to fail (we know), but: ")


def test_what_is_known_to_fail_says_where_alone_it_holds():
    """Any wrong relation fails somewhere: only one that fails where it is said to, and nowhere else, is expected."""
    good = NAMED["moshpit/mixing-exact"]
    assert decide(good).checked == EXPECTED and decide(good).detail.startswith(
        "it fails at p=2, r=1; it holds only where r = p: z3"
    )
    assert decide(replace(good, says="(r - 1) / p + r / p^3 = (r - 1) / (p - 1)")).checked == REFUTED
    for only in ("", "r = 1", "r >= p - 1"):
        assert decide(replace(good, only=only)).checked == REFUTED
    assert decide(theorem(lambda p: p < 8, xfail="we know", only=lambda p: p <= 7)).checked == REFUTED  # of reals


def test_hypotheses_that_nothing_satisfies_prove_nothing():
    found = decide(theorem(lambda p: p <= 0, given=lambda p: p < 1))
    assert (found.verdict, found.checked) == ("undecided", UNDECIDED)


def test_what_holds_at_all_points_but_is_not_shown_is_undecided():
    """It fails at p = 64, which is no point, so z3 alone knows."""
    found = decide(theorem(lambda p: p <= 32))
    assert (found.verdict, found.checked) == ("undecided", UNDECIDED)


@pytest.mark.parametrize(
    ("relation", "checked"),
    [
        (lambda p: log2(p) <= p - 1, PROVED),
        (lambda p: log2(p) <= p - 2, REFUTED),
        (lambda p: log2(p, "up") <= p - 1, PROVED),
        (lambda p: log2(p, "up") < p - 1, REFUTED),
    ],
)
def test_logarithms(relation, checked):
    assert decide(theorem(relation)).checked == checked


ROW = Row("planted", "here", "D", "ring", "words", lambda n, p, k: 2 * n * (p - 1) / p, given="p | n")


COSTS = claims.Costs()
"""Each page's, derived once."""


def judged(one):
    return claims.of_literature(Source("planted", "Planted.", [one]), one, COSTS)


def test_a_row_with_another_factor_is_different():
    assert judged(ROW).judged.verdict == "equal"
    found = judged(replace(ROW, formula=lambda n, p, k: n * (p - 1) / p)).judged
    assert (found.verdict, found.checked) == ("different", REFUTED) and found.difference


def test_a_row_of_a_collective():
    """It is judged where the collective's cost is derived; of other numbers of ranks, or lengths, nothing is said."""
    row = NAMED["mpich/halving-bandwidth"]
    assert (judged(row).judged.verdict, judged(row).stated.algorithm) == ("equal", "recursive_halving_reduce_scatter")
    assert judged(replace(row, formula=lambda n, p, k: n)).judged.checked == REFUTED
    for given, lacking in (("p = 2^m", "p | n"), ("p | n", "p = 2^m")):
        found = judged(replace(row, given=given, formula=lambda n, p, k: 0)).judged
        assert found.checked == UNDECIDED and f"derived where {lacking}," in found.detail
    rounds = NAMED["mpich/halving-latency"]
    assert rounds.given == "p = 2^m" and judged(rounds).judged.verdict == "equal"  # of any length


def test_a_row_under_a_model_of_supports():
    """ZEN's Eq. 1 without growth; with growth it is another one."""
    row = NAMED["zen/balanced-parallelism-full-overlap"]
    found = judged(row)
    assert found.judged.verdict == "equal" and found.stated.given == "p | n, identical supports"
    assert judged(replace(row, support="disjoint")).judged.checked == REFUTED


def test_a_row_without_a_page_says_so():
    found = judged(replace(ROW, algorithm="no_such_page", of="Such")).judged
    assert (found.verdict, found.detail) == ("not judged", "no page yet: Such")


ARRIVED = Fraction(3, 5)
"""How likely a message is not lost."""


@pytest.mark.parametrize("p", [2, 3, 4])
def test_the_weight_of_what_is_never_lost(p):
    """Over all losses of the other p - 1 messages, one of all that are there weighs so much on average."""
    expected = Fraction(0)
    for arrived in product((True, False), repeat=p - 1):
        chance = Fraction(1)
        for one in arrived:
            chance *= ARRIVED if one else 1 - ARRIVED
        expected += chance / (1 + sum(arrived))
    assert expected == packet_loss.weight(p, 2, Fraction(3))


def test_the_exact_distance_of_two_receivers():
    """Their updates are a and b iterations old, so that |a - b| of them lie between the two."""
    lost, far = 1 - ARRIVED, 200
    distance = sum(ARRIVED**2 * lost ** (a + b) * abs(a - b) for a in range(far) for b in range(far))
    assert 0 <= packet_loss.exact(2, Fraction(3), 1) - distance <= 4 * (far + 1) * lost**far
