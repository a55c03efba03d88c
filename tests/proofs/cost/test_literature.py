"""The literature: what its statements must have, what decides them, and that wrong ones are found."""

from dataclasses import replace
from fractions import Fraction
from itertools import permutations, product
from types import SimpleNamespace
from typing import Any

import pytest
import sympy

from sparring import claiming
from sparring.errors import InputError, Undecided
from sparring.proofs.core.verdicts import EXPECTED, PROVED, REFUTED, UNDECIDED, Settled, Verdict, Word
from sparring.proofs.cost.following import decide
from sparring.proofs.cost.literature import packet_loss
from sparring.proofs.cost.published import log2
from sparring.proofs.cost.statements import Row, Shown, Source, Theorem, Unjudged, source, sources

ALL = [(each, one) for each in sources() for one in each.statements]
NAMED: dict[str, Any] = {claiming.entitled(each, one): one for each, one in ALL}


def test_every_statement_has_an_id_of_its_own():
    assert len(NAMED) == len(ALL) > 80


DECIDING = {Row: "formula", Shown: "proof", Theorem: "relation", Unjudged: "because"}


def test_every_statement_is_judged_or_says_why_not():
    for one in NAMED.values():
        assert one.where and one.tag
        assert getattr(one, DECIDING[type(one)])


def theorem(relation, **more):
    return Theorem("planted", "here", "D", "planted", relation, **more)


def test_a_false_inequality_is_refuted_at_a_point():
    """Ok-Topk's upper end is above an allgather on two ranks, and only there."""
    good = NAMED["ok-topk/within-topka"]
    assert decide(good).checked == PROVED
    found = decide(replace(good, given=lambda p: p >= 2))
    assert (found.verdict, found.detail, found.checked) == ("false", "it fails at p=2, k=1", REFUTED)


def test_a_false_factor_in_a_condition_is_refuted():
    def relation(p, n, k):
        return sympy.Equivalent((2 * k + n) * (p - 1) / p < 2 * k * (p - 1), k / n > 1 / (p - 1))

    planted = replace(NAMED["topka2a/beats-topkallgather"], relation=relation)
    assert decide(planted).checked == REFUTED


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


def judged(one):
    return claiming.of_literature(Source("planted", "Planted.", [one]), one, claiming.Costs())


def test_a_row_with_another_factor_is_different():
    assert judged(ROW).judged.verdict == "equal"
    found = judged(replace(ROW, formula=lambda n, p, k: n * (p - 1) / p)).judged
    assert (found.verdict, found.checked) == ("different", REFUTED) and found.difference


def test_a_row_under_a_model_of_supports():
    """ZEN's Eq. 1 without growth; with growth it is another one."""
    row = NAMED["zen/balanced-parallelism-full-overlap"]
    found = judged(row)
    assert found.judged.verdict == "equal" and found.stated.given == "p | n, identical supports"
    assert judged(replace(row, support="disjoint")).judged.checked == REFUTED


def test_a_row_without_a_page_says_so():
    found = judged(replace(ROW, algorithm="no_such_page", of="Such")).judged
    assert (found.verdict, found.detail) == ("not judged", "no page yet: Such")


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (replace(ROW, tag="X"), "tag 'X'"),
        (replace(ROW, where=""), "where does the source say so?"),
        (replace(ROW, name="A row"), "a name is small letters"),
        (replace(ROW, quantity="heat"), "is of 'heat'"),
        (replace(ROW, given="p | q"), "given 'p | q'"),
        (Unjudged("x", "here", "V", "x", ""), "why is it not judged?"),
    ],
)
def test_what_is_not_well_formed_is_said(one, said):
    module = SimpleNamespace(__name__="folder.planted", __doc__="Planted.", statements=[one])
    with pytest.raises(InputError, match=said.replace("|", r"\|").replace("?", r"\?")):
        source(module)
    module.statements = [ROW, ROW]
    with pytest.raises(InputError, match="its name occurs twice"):
        source(module)


def test_gtop_k_is_judged():
    """The table's and the script's are equal, the README's are one way alone, and its residual loses mass."""
    wanted = {f"gtop-k/{name}" for name in ("latency", "bandwidth", "residual-conserves")}
    equal = "gtop-k/bandwidth-in-the-script"
    found = {one.stated.id: one.judged for one in claiming.replayed([], [*wanted, equal], sources())}
    assert found[equal].verdict == "equal"
    assert {name for name, judged in found.items() if judged.checked == EXPECTED} == wanted


@pytest.mark.parametrize("sizes", [(4,), (1, 3), (2, 2), (1, 1, 2), (1, 1, 1, 1)])
def test_the_exact_factor_beside_moshpits(sizes):
    """One round in random groups of these sizes leaves (r - 1) / (p - 1) of the squared distance from the mean."""
    values = [Fraction(x) for x in (3, -1, -4, 2)]
    left, orders = Fraction(0), [*permutations(values)]
    for order in orders:
        at = 0
        for size in sizes:
            left += size * (sum(order[at : at + size]) / size) ** 2
            at += size
    assert sum(values) == 0
    assert left / len(orders) == Fraction(len(sizes) - 1, 3) * sum(x * x for x in values)


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
