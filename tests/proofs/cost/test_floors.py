"""Lower bounds: no input escapes them, planted ones are beaten, and costs stand above them by what is said."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import pytest
import sympy

import sparring
from sparring.proofs.cost import floors, tables
from sparring.proofs.cost.floors import ALL_LISTS, DISJOINT, KNOWN, LACKED, ONE_RANK
from sparring.proofs.cost.symbols import exact, k, n, p
from sparring.proofs.cost.unioncost import derive
from sparring.spec.core.sparse import SparseVector

SPARSE = sparring.page("ring_sparse")
MODELS = ("identical", "independent", "disjoint", "blocks:3", "zipf:1.1")
LEAST = 2 * k * (p - 1) / p
WRONG = {
    "an allgather's": 2 * k * (p - 1),
    "a little more": LEAST + k / (100 * p),
    "one that forgets what a rank knows": 2 * k,
}


def needed(known, many):
    """Words that the rank which must receive most must receive: pairs that it does not know."""
    return max(2 * (many - one) for one in known)


def distributions(ranks, many):
    """How many of so many pairs each rank knows, each pair known to one rank or none."""
    for whose in product(range(ranks + 1), repeat=many):
        yield [whose.count(r) for r in range(ranks)]


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
@pytest.mark.parametrize("many", [0, 1, 2, 3, 4, 5])
def test_no_distribution_escapes(ranks, many):
    """All of them; the bound is reached wherever the pairs can be shared out evenly."""
    least = exact(LEAST, {"p": ranks, "k": many})
    found = [needed(known, many) for known in distributions(ranks, many)]
    assert min(found) >= least
    assert (min(found) == least) is (many % ranks == 0)


@pytest.mark.parametrize("name", WRONG)
def test_a_bound_that_is_too_high_is_refuted(name):
    """By z3, with a distribution that is counted here; and by trying all."""
    witness = next(found for ranks in range(2, 17) if (found := floors.escaping(WRONG[name], ranks)))
    known, many = witness["known"], witness["k"]
    ranks = len(known)
    assert sum(known) <= many and min(known) >= 0
    assert needed(known, many) < exact(WRONG[name], {"p": ranks, "k": many})
    verdict, detail = floors.found(floors.Floor("words", WRONG[name], "", ONE_RANK))
    assert str(verdict) == "refuted" and "no rank must receive" in detail


def test_the_bound_of_a_page_is_judged():
    """It is proved for the ring that selects; others have another scope, or none."""
    ((name, verdict, _),) = floors.judged(sparring.page("ring_topk"))
    assert (name, str(verdict)) == ("bound", "proved for p <= 16")
    assert not floors.judged(sparring.page("ring_allgather"))


def received(page, chosen, length):
    """The most words that one rank receives in a run on these supports: two for each pair."""
    got = [0] * len(chosen)
    for _, wire, _ in sparring.run(page, [SparseVector(tuple(at), (1,) * len(at), length) for at in chosen]):
        for _, dst, message in wire:
            got[dst] += 2 * len(message.indices)
    return max(got)


@pytest.mark.parametrize("page", ["ring_sparse", "ring_allgather"])
@pytest.mark.parametrize(
    ("ranks", "length", "many"), [(2, 4, 1), (2, 4, 2), (3, 4, 1), (3, 3, 2), (3, 4, 2), (2, 5, 3)]
)
def test_no_run_goes_below_the_pairs_that_ranks_lack(page, ranks, length, many):
    """On every choice of supports of one size; where no two meet the allgather reaches the bound."""
    for chosen in product(combinations(range(length), many), repeat=ranks):
        union = len({*sum(chosen, ())})
        found = received(page, chosen, length)
        assert found >= 2 * (union - many)
        if union == ranks * many and page == "ring_allgather":
            assert found == 2 * many * (ranks - 1)


def test_the_allgathers_bound_is_none_where_supports_meet():
    """Three ranks with the same four entries need fewer words than the other ranks' lists have."""
    same = [(0, 1, 4, 5)] * 3
    assert received("ring_sparse", same, 6) < 2 * 4 * 2 == received("ring_allgather", same, 6)


def test_known_supports_need_what_a_dense_ring_sends():
    """It reaches the bound with k values for k entries, where p divides k."""
    cost = sparring.cost("ring")
    for ranks, many in ((2, 4), (3, 9), (8, 64)):
        assert cost.at(p=ranks, n=many).words == exact(LEAST, {"p": ranks, "k": many})


def test_each_bound_has_its_scope():
    """By page and by model."""
    scopes = {name: sparring.cost(name).bounds["words"].scope for name in ("ring", "ring_allgather", "ring_topk")}
    assert scopes == {"ring": "", "ring_allgather": ALL_LISTS, "ring_topk": ONE_RANK}
    told = {model: derive(SPARSE, model).bounds["pairs"].scope for model in ("union", *MODELS)}
    assert told == {
        "union": LACKED, "identical": KNOWN, "independent": LACKED, "disjoint": DISJOINT, "blocks:3": LACKED,
        "zipf:1.1": LACKED,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "model"),
    [*(("ring_sparse", model) for model in MODELS),
     *((name, "union") for name in ("ring", "rabenseifner", "recursive_doubling", "ring_allgather", "ring_topk"))],
)  # fmt: skip
def test_no_cost_is_below_its_bound(name, model):
    """Under each model, and at points where nothing is even."""
    cost, what = sparring.cost(name, support=model), "pairs" if name == "ring_sparse" else "words"
    times = 16 if name == "rabenseifner" else 1  # whose chunks are equal
    for ranks in (*range(1, 9), 16):
        for length, many in ((48, 0), (48, 3), (48, 48), (97, 31), (240, 7)):
            at = {"p": Fraction(ranks), "n": Fraction(length * times), "k": Fraction(many)}
            found, least = cost.at(**at), cost.least(at)
            assert getattr(found, what) >= least[what] >= 0 and found.messages >= least["messages"]


RATIOS = {
    ("ring_sparse", "disjoint", "pairs"): (sympy.Rational(3, 2), sympy.Rational(3, 2)),
    ("ring_sparse", "identical", "pairs"): (2, 2),
    ("ring_sparse", "independent", "pairs"): (None, None),
    ("ring_topk", "union", "words"): (2, 2),
    ("ring_allgather", "union", "words"): (1, 1),
    ("ring", "union", "words"): (1, 1),
}


@pytest.mark.parametrize("which", RATIOS, ids=" ".join)
def test_ratios_and_their_limits(which):
    """They are written down here by hand."""
    name, support, quantity = which
    (row,) = (row for row in tables.rows(sparring.cost(name, support=support)) if row.quantity == quantity)
    assert (row.ratio, row.limit) == RATIOS[which]


def test_limits_of_logarithms():
    """Rounded or not; none where another letter is left, or a size is rounded."""
    rows = {row.quantity: row for row in tables.rows(sparring.cost("recursive_doubling"))}
    assert rows["words"].limit == sympy.oo
    assert (rows["messages"].ratio, rows["messages"].limit) == (1, 1)
    assert tables.towards((p - 1) * n / p) is None and tables.towards(sympy.ceiling(p / 2) / p) is None
    assert tables.towards((3 * p - 1) / p) == 3


@pytest.mark.parametrize(("name", "support"), [("ring_sparse", m) for m in MODELS] + [("ring_topk", "union")])
def test_gap_and_ratio_lead_from_the_bound_to_the_cost(name, support):
    """At a point where nothing is rounded, exactly."""
    cost = sparring.cost(name, support=support)
    at = {"p": Fraction(4), "n": Fraction(64), "k": Fraction(8), "alpha": 0, "beta": 0, "gamma": 0, "width": 4}
    quantity = "pairs" if name == "ring_sparse" else "words"
    (row,) = (row for row in tables.rows(cost) if row.quantity == quantity)
    value = getattr(cost.at(p=4, n=64, k=8), quantity)
    assert row.gap is not None
    if not row.gap.has(sympy.Sum):
        assert exact(row.gap, at) + cost.least(at)[quantity] == value
    if row.ratio is not None:
        assert exact(row.ratio, at) * cost.least(at)[quantity] == value
