"""What a kind promises is the kind's, in Python and in Coq: no page borrows the word."""

import pytest

import sparring
from sparring.errors import InputError
from sparring.proofs.kernel import coq, instances, kernel
from sparring.proofs.kernel.recompiling import Bench
from sparring.proofs.proving import proving
from sparring.spec.core.vocabulary import KINDS
from tests.proofs.test_coq import needs_coq

ONE_STEP = """\
from sparring.spec.core.numbers import both, either

{kind}

def steps(p): return 1
def dst(r, p): return (r + 1) % p
def src(r, p): return (r - 1) % p
def chunk(): return 0
def chunks(p): return 1
def active(r, p): return p > 1
def adds(): return True
def holds(q, r, t, p): return either(q == r, both(t > 0, q == (r - 1) % p))
{goal}
"""
GOAL = "def start(q, r): return q == r\ndef goal(q, r, p): return either(q == r, q == (r - 1) % p)"


def one_step(folder, kind, goal=GOAL):
    """One step of a ring, after which each rank has its own vector and its neighbour's."""
    file = folder / "one_step.py"
    file.write_text(ONE_STEP.format(kind=kind and f"kind = {kind!r}", goal=goal))
    return sparring.page(str(file))


OTHER = r"page one_step defines start, goal, but what \w+ promises is the same on ev"


@pytest.mark.parametrize("kind", ["", *KINDS, "Allreduce", "allreduce ", "allreduce)", 7])
def test_a_standard_kind_has_no_other_goal_and_no_kind_looks_like_another(kind, tmp_path):
    """It is bad input, in one sentence; nothing is proved.  A name is small letters, digits and _."""
    with pytest.raises(InputError, match=OTHER if kind in ("", *KINDS) else "no kind"):
        one_step(tmp_path, kind)


def test_a_kind_of_the_pages_own_is_named(tmp_path):
    """In the theorem's statement, which does not say what that kind promises."""
    result = next(proving.prove(one_step(tmp_path, "neighbours")))

    assert isinstance(result, kernel.Theorem)
    assert result.statement.endswith("exactly once (neighbours, a kind of the page's own).")


def test_without_the_goal_one_step_is_no_allreduce(tmp_path):
    """The runs say which contribution is missing."""
    result = next(proving.prove(one_step(tmp_path, "", "")))

    assert str(result.verdict) == "refuted" and "ends without x" in result.detail


@pytest.mark.slow
@needs_coq
@pytest.mark.timeout(600)
def test_in_coq_a_kind_is_a_constant(tmp_path, prepared):
    """Formulas that Coq proves of a kind of the page's own, it does not prove an allreduce."""
    page = one_step(tmp_path, "neighbours")
    texts = coq.instance(page)
    bench = prepared(Bench({}, tmp_path, tmp_path))
    read = [coq.read_back(texts[part], part, page.name, page.kind) for part in ("schedule", "result")]
    schedule, rest = (one or ("", {}) for one in read)

    assert str(bench.proved("result", "neighbours", schedule, rest)[0]) == "proved for every p"
    verdict, why = bench.proved("result", "allreduce", schedule, rest)
    assert str(verdict) == "not covered" and "Unable to unify" in why
    assert all(f"of_{kind}" in instances.generic()["machine"] for kind in KINDS)
