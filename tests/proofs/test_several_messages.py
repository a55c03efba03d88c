"""Where a rank sends several messages in a step: what is true is proved, what is false is refuted."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparring import page
from sparring.errors import InputError, ScheduleFault, Undecided
from sparring.proofs.core import coq, kernel
from sparring.proofs.core.supplement import subject
from sparring.proofs.core.verdicts import PROVED, REFUTED
from sparring.spec.core.runner import Run

DIRECT = '''
"""All send all their vector at once."""

from sparring.spec.core.numbers import either, where

def steps(p):             return where(p > 1, 1, 0)
def messages(p):          return p - 1
def chunks(p):            return 1
def dst(r, j, p):         return (r + j + 1) % p
def src(r, j, p):         return (r - j - 1) % p
def chunk(r):             return 0
def adds(t):              return True
def who(q, r, p):         return (r - q - 1) % p
def holds(q, r, t, p):    return where(t < steps(p), q == r, True)
def same(r, s, c, t, p):  return either(r == s, t >= steps(p))
'''


@pytest.fixture
def written(tmp_path: Path):
    """The page with some text in place of other."""

    def write(*changes: tuple[str, str]):
        text = DIRECT
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        (tmp_path / "direct.py").write_text(text)
        return page(str(tmp_path / "direct.py"))

    return write


def verdicts(direct):
    return {attempt.name: attempt.verdict for attempt in kernel.prove(direct)}


def test_all_send_all_at_once(written):
    """Every claim is a theorem for every p, with as many messages as ranks."""
    attempts = list(kernel.prove(written()))

    assert {a.name for a in attempts} == {"result", "agreement", "economy", "deadlock"}
    assert all(isinstance(a, kernel.Theorem) and a.verdict == PROVED and a.mutant for a in attempts)


@pytest.mark.parametrize(
    ("changes", "claim"),
    [
        ([("(r + j + 1) % p", "(r + 1) % p"), ("(r - j - 1) % p", "(r - 1) % p")], "result"),
        ([("return p - 1", "return where(p > 2, p - 2, 1)")], "result"),
        ([("return p - 1", "return p")], "result"),
        ([("adds(t):              return True", "adds(t):              return False")], "result"),
        ([("return (r - j - 1) % p", "return (r - j - 2) % p")], "deadlock"),
    ],
    ids=["all to one", "one too few", "to oneself", "overwritten", "listens elsewhere"],
)
def test_planted_faults_are_refuted(written, changes, claim):
    """Each by the claim that it breaks, with a witness."""
    assert verdicts(written(*changes))[claim] == REFUTED


def test_what_only_who_says_wrongly_is_not_inductive(written):
    """The algorithm runs right; what the page says of itself is wrong."""
    found = {a.name: a for a in kernel.prove(written(("(r - q - 1) % p", "(r - q) % p")))}

    assert str(found["result"].verdict) == "not inductive"
    assert not any(isinstance(a, kernel.Theorem) for a in found.values() if a.name != "partition")


def test_agreement_too_early_is_no_theorem(written):
    """That all ranks hold the same before anything is sent."""
    planted = written(("either(r == s, t >= steps(p))", "either(r == s, t >= 0)"))

    assert verdicts(planted)["agreement"] != PROVED


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ([("(r + j + 1) % p", "(r + 1) % p"), ("(r - j - 1) % p", "(r - 1) % p")], "rank 0 sends 2 messages to rank 1"),
        ([("adds(t):              return True", "adds(t):              return False")], "2 messages overwrite rank"),
        ([("return p - 1", "return 0 * p")], r"messages\(0, 3\) = 0; a step has at least 1"),
    ],
)
def test_the_runner_names_what_makes_no_schedule(written, changes, why):
    with pytest.raises(ScheduleFault, match=why):
        Run(written(*changes), [["a"], ["b"], ["c"]]).results


def test_what_is_not_covered_says_so(written):
    """Coq instances know one message a step; closed costs, as many as there are in every step for every p."""
    import sparring

    with pytest.raises(Undecided, match="several messages in a step have no Coq instance"):
        coq.instance(written())
    with pytest.raises(Undecided, match=r"whether .* holds depends on p"):
        sparring.cost(written())
    with pytest.raises(InputError, match="spent is not covered where a rank sends several messages"):
        subject(written(("def steps", "def spent(r, c, t, p): return False\ndef steps")))


def test_contention_is_claimed(written):
    """All at once: free on no port in, which is refuted, or expected where the page says so."""
    boast = written(("def steps", "contention = {'crossbar': 'lock step'}\ndef steps"))
    honest = written(("def steps", "contention = {'crossbar': 'contended'}\ndef steps"))

    assert verdicts(boast)["lock step on crossbar"] == verdicts(boast)["timing"] == REFUTED
    assert str(verdicts(honest)["lock step on crossbar"]) == "refuted as expected"
    assert str(verdicts(honest)["timing"]) == "proved for p <= 32"
