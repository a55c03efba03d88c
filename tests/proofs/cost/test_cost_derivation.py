"""Derived costs are those that are counted, and are proved; a wrong derivation is caught by either."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy

import sparring
from sparring import api
from sparring.errors import InputError, Undecided
from sparring.proofs.core.verdicts import PROVED, PROVED_BELOW
from sparring.proofs.cost import derivation
from sparring.proofs.cost.comparison import RANKS, RUNS, compared, even, points
from sparring.proofs.cost.counted import count, unlike_a_run
from sparring.proofs.cost.derivation import derive
from sparring.proofs.cost.proof import prove
from sparring.proofs.cost.simplified import simplified
from sparring.proofs.cost.spans import Span
from sparring.proofs.cost.symbols import B, CeilLog2, FloorLog2, Log, exact, k, n, p, plain, r, symbol
from sparring.spec.core.numbers import where
from tests.proofs.cost.known import page

FEW = range(1, 9)
REGULAR = [name for name in api.regular() if sparring.page(name).data != "sparse"]
"""Pages whose messages do not depend on the entries; where they do, costs in unions are compared with runs."""
NAMES = [*REGULAR, "pairwise", "backwards"]
TELESCOPED = ("ring", "ring_allgather", "ring_topk", "pairwise", "backwards")
"""Those that are summed by prefixes of chunks."""
radix = symbol("radix")


def fault(page, derived, ranks=FEW):
    """The first quantity that is not what is counted, in words."""
    return str(compared(page, derived, ranks))


@pytest.mark.parametrize("some", [range(1, 18), pytest.param(RANKS, marks=pytest.mark.slow)], ids=["to 17", "to 64"])
@pytest.mark.parametrize(
    ("name", "params"), [*((name, {}) for name in NAMES), *(("recursive_multiplying", {"radix": x}) for x in (2, 3, 5))]
)
def test_derived_is_counted(name, params, some):
    """For short and astronomically long vectors, every quantity and every rank agrees, and runs send as much."""
    one = page(name, **params)
    assert compared(one, derive(one), some) is None
    assert derive(one).letters == ({"radix": one.params["radix"]} if name == "recursive_multiplying" else {})


FORMS = ("steps", "several", "sent", "added", "largest", "path", "critical", "added_most", "added_critical")


@pytest.mark.parametrize("name", NAMES)
def test_each_wrong_form_is_counted_out(name):
    """One that is too large by one, whichever it is."""
    derived = derive(page(name))
    for form in (form for form in FORMS if getattr(derived, form) is not None):
        wrong = replace(derived, **{form: getattr(derived, form) + 1})
        assert compared(page(name), wrong, range(4, 5)) is not None, form


@pytest.mark.parametrize("name", NAMES)
def test_derived_is_proved(name):
    """Both solvers confirm it for every p, or every p < 2^31."""
    derived = derive(page(name))
    assert prove(page(name), derived).verdict == (PROVED_BELOW if derived.below else PROVED)


@pytest.mark.slow
@pytest.mark.parametrize("name", REGULAR[::3])
def test_runs_send_what_is_counted(name):
    """Also of more ranks than each cost's own check runs."""
    one = page(name)
    further = [at for at in points(RANKS) if at["p"] > RUNS and at["n"] < 3 * at["p"]]
    assert len(further) == len(RANKS) - RUNS and range(1, 65) == RANKS
    assert not [unlike for at in further for unlike in unlike_a_run(one, count(one, **at, paths=False), at)]


def test_a_run_that_sends_less_is_found(ring):
    """The twin: words that a run does not send."""
    at = {"p": 10, "n": 20, "k": 8}
    found = count(ring, **at, paths=False)
    told = next(unlike_a_run(ring, found._replace(sent=[*found.sent[:-1], 0]), at))
    assert told.what == "words sent in a run by rank 9"


UP, DOWN = CeilLog2(p), FloorLog2(p)
CHUNKS, FOLDS = 2**DOWN, UP - DOWN
VECTORS = n * (radix - 1) * Log(p, radix)
KNOWN = {
    "ring": {
        "steps": 2 * p - 2, "sent": 2 * n + B(r + 1) - B(r + 3), "largest": 2 * n - sympy.floor(2 * n / p),
        "path": 2 * (p - 1) * sympy.ceiling(n / p), "critical": 2 * (p - 1) * sympy.ceiling(n / p),
    },
    "ring_topk": {
        "sent": 2 * (2 * k + B(r + 1, k) - B(r + 3, k)), "largest": 4 * k - 2 * sympy.floor(2 * k / p),
        "path": 4 * (p - 1) * sympy.ceiling(k / p), "critical": 4 * (p - 1) * sympy.ceiling(k / p),
        "added_most": k - sympy.floor(k / p),
    },
    "recursive_doubling": {
        "steps": 2 * UP - DOWN, "largest": n * UP, "added_most": n * UP, "added_critical": n * UP,
        "path": n * (2 * UP - DOWN), "critical": n * (2 * UP - DOWN),
    },
    "rabenseifner": {
        "steps": 2 * UP, "largest": 2 * n * (CHUNKS - 1) / CHUNKS + FOLDS * n,
        **dict.fromkeys(("path", "critical"), 2 * n * (CHUNKS - 1) / CHUNKS + 2 * FOLDS * n),
        "added_most": n * (CHUNKS - 1) / CHUNKS + FOLDS * n,
    },
    "bruck_allgather": {"steps": UP, **dict.fromkeys(("sent", "largest", "path", "critical"), 2 * k * (p - 1))},
    "spardl": {
        "steps": 2 * UP, **dict.fromkeys(("sent", "largest", "path", "critical"), 4 * k * (p - 1) / p),
        **dict.fromkeys(("added_most", "added_critical"), k * (p - 1) / p),
    },
    "recursive_doubling_allgather": {"largest": 2 * k * (p - 1)},
    "recursive_multiplying": {
        "several": (radix - 1) * Log(p, radix),
        **dict.fromkeys(("sent", "largest", "path", "critical", "added_most"), VECTORS),
    },
    "gtopk": {"steps": 2 * UP, "critical": 4 * k * UP},
    "two_shot": {"several": 2 * (p - 1)},
}  # fmt: skip
GIVEN = {"rabenseifner": "2^floor(log2 p) | n", "spardl": "p | k", "recursive_doubling_allgather": "p = 2^m",
         "recursive_multiplying": "p = radix^m"}  # fmt: skip


@pytest.mark.parametrize("name", KNOWN)
def test_known_closed_forms_come_out(name):
    """They are written down here by hand."""
    derived = derive(page(name))
    assert derived.given == GIVEN.get(name, "")
    for form, known in KNOWN[name].items():
        assert sympy.expand(simplified(getattr(derived, form) - known, derived.given)).simplify() == 0, form


@pytest.mark.parametrize(
    ("name", "params", "given", "at", "words", "bad"),
    [
        ("rabenseifner", {}, "", {"p": 8, "n": 16}, 28, {"p": 3, "n": 5}),
        ("spardl", {}, "p | k", {"p": 5, "n": 100, "k": 20}, 64, {"p": 5, "n": 100, "k": 21}),
        ("recursive_multiplying", {}, "", {"p": 16, "n": 100}, 600, {"p": 6, "n": 100}),
        ("recursive_multiplying", {"radix": 2}, "", {"p": 16, "n": 100}, 400, {"p": 6, "n": 100}),
        ("recursive_doubling_allgather", {}, "", {"p": 8, "n": 100, "k": 1}, 14, {"p": 6, "n": 100, "k": 1}),
        ("two_shot", {}, "p | n", {"p": 4, "n": 100}, 150, {"p": 3, "n": 100}),
    ],
)  # fmt: skip
def test_a_point_where_the_forms_do_not_hold_is_refused(name, params, given, at, words, bad):
    cost = sparring.cost(name, **params).simplify(given)
    assert cost.at(**at).words == words
    with pytest.raises(InputError, match="this cost holds where"):
        cost.at(**bad)


def test_where_parts_are_not_equal_the_nearest_point_is_compared():
    """With equal parts of k."""
    assert even(page("spardl"), derive(page("spardl")), {"p": 5, "n": 100, "k": 21}) == {"p": 5, "n": 100, "k": 20}


def test_claims_of_our_own_pages_are_judged():
    """Published formulas leave the fold out: they are right where p is a power of two."""

    def judged(name):
        return [(j.claim.name, j.verdict, j.detail) for j in sparring.cost(page(name)).claims]

    same, fold = "the same formula where p = 2^m", "for every p"
    assert judged("recursive_doubling") == [
        *((name, "equal", same) for name in ("latency", "bandwidth", "reduction")),
        (f"latency {fold}", "different", "it is 2 too low at p=3, n=0, k=0 (the fold: two steps)"),
        (f"bandwidth {fold}", "different", "it is 2 too low at p=3, n=1, k=0 (the fold: two messages)"),
        (f"reduction {fold}", "different", "it is 1 too low at p=3, n=1, k=0 (the fold: n additions)"),
    ]
    assert [verdict for _, verdict, _ in judged("rabenseifner")] == ["equal"] * 4 + ["bound"] * 2
    for name in ("bruck_allgather", "spardl", "gtopk", "recursive_doubling_allgather"):
        assert {verdict for _, verdict, _ in judged(name)} == {"equal"}


# -- sums of chunks


def test_the_same_page_is_derived_once(ring, monkeypatch):
    """Another page is not taken for it, though it differs in one formula; and the oldest is forgotten."""
    monkeypatch.setattr(derivation, "KNOWN", known := {})
    monkeypatch.setattr(derivation, "KEPT", 2)
    first = derive(ring)
    assert derive(ring) is first
    assert derive(replace(ring, steps=lambda p: p - 1)).steps == p - 1 != first.steps
    again = derive(replace(ring))
    assert again == first and again is not first
    assert len(known) == 2 and id(ring) not in known


def test_prefixes_of_n_and_of_k_are_kept_apart(ring, selected):
    """A message of a chunk and of its part of k has two sums; to take one for the other is caught."""
    both = replace(ring, words=lambda r, t, c, p, n, k: ring.words(r, t, c, p, n, k) + selected.words(r, t, c, p, n, k))
    derived = derive(both)
    for at in points(FEW):
        sent = [exact(derived.sent, {**at, "r": rank}) for rank in range(at["p"])]
        assert sent == count(both, at["p"], at["n"], at["k"]).sent
    assert derived.largest is None and any(gap.startswith("V_max: the largest of") for gap in derived.gaps)
    sent = derive(selected).sent
    assert sent is not None
    swapped = replace(derive(selected), sent=sent.subs(k, n))
    assert fault(selected, swapped).startswith("words sent by rank")
    assert prove(selected, swapped).verdict != PROVED


def test_a_path_is_only_derived_where_messages_are_passed_on():
    """Elsewhere it is counted, lies between the other two, and the gap is told."""
    derived, found = derive(page("backwards")), count(page("backwards"), 5, 7, 0)
    assert derived.path is None and "counted, not derived" in derived.gaps[0]
    assert found.path is not None and max(found.sent) <= found.path <= found.critical


@pytest.mark.parametrize("name", TELESCOPED)
def test_a_wrong_sum_is_refuted(name):
    """A total, a message or its formula that is one word longer; a last step that is left out."""
    one, derived = page(name), derive(page(name))
    assert derived.sent is not None
    assert prove(one, replace(derived, sent=derived.sent + 1)).detail.startswith("the totals make the whole: ")
    first, last = derived.pieces[0], derived.pieces[-1]
    pieces = (first._replace(words=first.words + 1), *derived.pieces[1:])
    assert "the words of a message: z3 sat" in prove(one, replace(derived, pieces=pieces)).detail
    longer = replace(one, words=lambda r, t, c, p, n, k: one.words(r, t, c, p, n, k) + 1)
    assert compared(one, derive(longer), FEW)
    short = last._replace(span=Span(last.span.first, last.span.end - 1))
    wrong = replace(derived, pieces=(*derived.pieces[:-1], short))
    assert prove(one, wrong).detail.startswith("the spans are all steps: z3 sat, cvc5 sat")


def test_another_slope_is_caught(ring):
    """The sums of a ring that goes the other way are not the ring's, from four ranks on."""
    wrong = derive(page("backwards"))
    assert fault(ring, wrong, range(4, 9)).startswith("words sent by rank")
    assert "the words of a message" in prove(ring, wrong).detail and prove(ring, wrong).verdict != PROVED


CHANGES = {
    "chunks that jump": ({"chunk": lambda r, t, p: (r + 2 * t) % p}, "do not follow each other"),
    "a rank in a condition": ({"chunk": lambda r, t, p: where(r < 1, r, (r + t) % p)}, "depends on more than the step"),
    "a product": ({"chunk": lambda r, t, p: (r + t * t) % p}, "do not follow each other"),
    "a quotient": ({"chunk": lambda r, t, p: (r + t // 2) % p}, "made with //"),
    "a remainder": ({"chunk": lambda r, t, p: (r + t % 2) % p}, "made with %"),
    "steps at p = 1": ({"steps": lambda p: p}, "one rank would take 1 steps"),
    "steps by cases": ({"steps": lambda p: where(p < 2, 0, p)}, "no polynomial in p"),
    "growing messages": ({"words": lambda r, t, c, p, n, k: t * n}, "not summed"),
    "half a chunk": ({"words": lambda r, t, c, p, n, k: c * n // p}, "not made of chunk bounds"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_cannot_be_summed_is_undecided(ring, change):
    """A sentence says what is in the way, and there is no formula."""
    formulas, why = CHANGES[change]
    with pytest.raises(Undecided, match=why):
        derive(replace(ring, **formulas))


def test_where_all_send_the_same_chunk_ranks_are_alike(ring):
    """Then the sum still telescopes over steps, and has no rank in it."""
    alike = replace(ring, chunk=lambda r, t, p: t % p)
    sent = derive(alike).sent
    assert sent is not None and not sent.has(r)
    assert compared(alike, derive(alike), FEW) is None


def test_evaluation_is_exact():
    """Near 10^18, where floats are 128 apart, floors come out to the word."""
    length = 10**18 + 7
    assert exact(plain(B(2)), {"n": length, "p": 3}) == 2 * length // 3
    assert exact(sympy.ceiling(n / p), {"n": length, "p": 64}) == -(-length // 64)
