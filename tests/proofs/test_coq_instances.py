"""Coq agrees, page by page; it refuses wrong pages, and names the obligation that they break."""

from dataclasses import replace
from itertools import product

import pytest

from sparring import page
from sparring.errors import Undecided
from sparring.proofs.kernel.coq import FILES, instance, is_formula, read_back
from sparring.proofs.kernel.recompiling import Bench
from sparring.proofs.logic.verdicts import NOT_COVERED, PROVED
from sparring.proofs.reading.annotations import Subject, subject
from tests.proofs.test_coq import needs_coq
from tests.proofs.test_formulas_faulted import HALVES

RING = page("ring")
ALLGATHER = page("ring_allgather")
DOUBLING = page("recursive_doubling")

COVERED = [
    ("rabenseifner", "result"),
    *product(["ring", "ring_allgather", "ring_sparse", "ring_topk"], ["result", "agreement"]),
]
"""What Coq proves of pages; of others it may be able to say nothing.

Of those with bits, on which it spends minutes, one theorem: the others rest on the same facts about bits.
"""

# A wrong page, and the obligation about it that Coq does not prove.
MUTANTS = {
    "fewer steps than none": (replace(ALLGATHER, steps=lambda p: p - 2), "steps >= 0"),
    "one lap is missing": (replace(RING, steps=lambda p: p - 1), "conclusion"),
    "listens to the other side": (replace(ALLGATHER, src=lambda r, t, p: (r + 1) % p), "dst(src(r)) = r"),
    "sends to rank p": (replace(ALLGATHER, dst=lambda r, t, p: r + 1), "dst(src(r)) = r"),
    "sends the chunk before": (replace(ALLGATHER, chunk=lambda r, t, p: (r - t - 1) % p), "step"),
    "holds a chunk too early": (
        replace(ALLGATHER, holds=lambda q, r, c, t, p: ALLGATHER.holds(q, r, c, t + 1, p)),
        "base",
    ),
    "a bit too far": (replace(DOUBLING, dst=lambda r, t, p: DOUBLING.dst(r, t + 1, p)), "dst(src(r)) = r"),
    "wrong half kept": (HALVES["wrong half kept"][0], "step"),
}


@pytest.fixture(scope="module")
def judged(tmp_path_factory, prepared):
    """What Coq says of a theorem; equal texts are compiled once."""
    bench = prepared(Bench({}, tmp_path_factory.mktemp("none"), tmp_path_factory.mktemp("coq")))

    def judge(subject: Subject, theorem: str):
        texts = instance(subject.page, subject.same)
        page = subject.page
        schedule, rest = (read_back(texts[part], part, page.name, page.kind) for part in ("schedule", theorem))
        assert schedule and rest
        return bench.proved(theorem, page.kind, schedule, rest)

    return judge


@needs_coq
@pytest.mark.slow  # Coq takes minutes; that its word is taken or not is tested of what is recompiled
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("name", "theorem"), COVERED)
def test_coq_proves_the_theorem(name, theorem, judged):
    """For every p, from no assumption."""
    verdict, detail = judged(subject(page(name)), theorem)

    assert (verdict, detail.partition(": ")[2]) == (PROVED, "Closed under the global context")


@needs_coq
@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_wrong_page_is_not_covered(mutant, judged):
    """The obligation that it breaks is named."""
    wrong, obligation = MUTANTS[mutant]
    verdict, detail = judged(Subject(wrong, None, {}, None), "result")

    assert verdict == NOT_COVERED
    assert detail.startswith(f"not covered by Coq: {obligation}: ")


@needs_coq
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_same_that_claims_more_is_not_covered(judged):
    """Before the ranks agree."""
    whole = subject(ALLGATHER)
    same = whole.same
    assert same
    early = replace(whole, same=lambda r, s, c, t, p: same(r, s, c, t + 1, p))

    assert judged(early, "agreement")[1].startswith("not covered by Coq: same ")


def test_what_no_instance_can_say_is_told():
    """An operator that integers do not have, and a name that Coq does not have."""
    with pytest.raises(Undecided, match=r"^ring: instances of Coq for formulas read as wrap know no \^$"):
        instance(replace(RING, src=lambda r, t, p: r ^ 1))
    with pytest.raises(Undecided, match="my-page is no name in Coq"):
        instance(replace(RING, name="my-page"))


@pytest.mark.parametrize("name", dict(COVERED))
def test_an_instance_is_read_back(name):
    """With its tactic and its formulas; under another name, or as another part, it is none."""
    found = page(name)
    for part, text in instance(found, subject(found).same).items():
        read = read_back(text, part, name, found.kind)
        assert read
        tactic, formulas = read
        assert tactic == ("lengths" if name == "rabenseifner" else found.encoding)
        assert FILES[part].count("\n") > 10 and all(map(is_formula, formulas.values()))
        assert part == "schedule" or read_back(text, part, "other", found.kind) is None
        assert read_back(text, next(other for other in FILES if other != part), name, found.kind) is None


@pytest.mark.parametrize(
    ("formula", "fine"),
    [
        ("((r - (1)) mod p)", True),
        ("(if (0 <? t) then (Z.lxor r (1)) else (-1))", True),
        ("r. Axiom no : False. Definition x := 1", False),
        ("r; goal q r c p := true", False),
        ("r (* t *)", False),
        ("Z.succ r", False),
        ("ltac:(lia)", False),
        ('"r"', False),
    ],
)
def test_what_is_a_formula(formula, fine):
    """Its words are a closed set, none of which ends a definition."""
    assert is_formula(formula) == fine
