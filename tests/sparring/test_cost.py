"""The cost command in its formats, and what it answers to bad input."""

from __future__ import annotations

import functools
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import sparring
from sparring import api
from sparring.costs.derivation import counted
from sparring.errors import InputError
from sparring.spec.core.schedule import step_sends
from tests.algorithms import ALGORITHMS
from tests.sparring.calling import command, refused

pytestmark = pytest.mark.usefixtures("counted_on_few")
RING = (Path(sparring.__file__).parent / "spec" / "ring.py").read_text(encoding="utf-8")
AT = "p=8,n=1000000,alpha=5us,beta=0.1ns"


call = command("cost")


derived = functools.cache(api.cost)


@pytest.fixture
def derived_once(monkeypatch):
    """The same costs, in whatever format they are told, are derived and counted once."""
    monkeypatch.setattr(api, "cost", derived)


@pytest.mark.usefixtures("derived_once")
@pytest.mark.parametrize("format_", ["text", "markdown"])
def test_formats(snapshot, format_):
    """Formulas, verdicts and numbers for people; a table for a page."""
    code, text, _ = call("ring", "--format", format_, "--at", AT)
    assert code == 0
    assert text == snapshot


@pytest.mark.usefixtures("derived_once")
def test_json(snapshot):
    """One object, with integers as integers and seconds also as a fraction."""
    code, text, _ = call("ring", "--format", "json", "--at", AT)
    envelope = json.loads(text)
    assert envelope.pop("seconds") >= 0
    assert (code, envelope) == (0, snapshot)


@pytest.mark.usefixtures("derived_once")
@pytest.mark.parametrize(
    ("name", "at", "said"),
    [
        ("ring", "p=8,n=x", "n is an integer"),
        ("ring", "p=8", "needs a value for n"),
        ("ring", "q=8", "no letter 'q'"),
        ("ring_sparse", "p=8,n=100", "need a value for k"),
        ("ring_sparse", "p=8,n=10,k=11", "at most n=10"),
    ],
)
def test_a_bad_point(name, at, said):
    """One sentence and exit code 2."""
    assert said in refused("cost", name, "--at", at)


def test_what_is_not_derived_is_undecided(tmp_path):
    """A page whose chunks jump gets no formula, a sentence and exit code 3."""
    file = tmp_path / "mine.py"
    file.write_text(RING.replace("return (r - t) % p", "return (r - 2 * t) % p"), encoding="utf-8")
    code, text, _ = call(file)
    assert (code, "undecided: chunks do not follow each other" in text) == (3, True)


def test_a_false_claim_is_refuted(tmp_path):
    """A page that carries a wrong published formula ends in exit code 1, and shows the difference."""
    file = tmp_path / "mine.py"
    claim = (
        "\nfrom sparring.costs.published.claim import Claim\n"
        'claims = [Claim("bandwidth", "words", lambda n, p, k: n, "", "a paper")]\n'
    )
    file.write_text(RING + claim, encoding="utf-8")
    code, text, _ = call(file)
    assert (code, "a paper, bandwidth (words): different, it is" in text) == (1, True)


SPARSE = "p=8,n=1000000,k=100000"


@pytest.mark.usefixtures("derived_once")
@pytest.mark.parametrize("format_", ["text", "markdown"])
def test_a_sparse_ring_has_formulas(snapshot, format_):
    """In sizes of unions; numbers under each model, beside those of the others."""
    code, text, _ = call("ring_sparse", "--format", format_, "--at", SPARSE)
    assert code == 0
    assert text == snapshot


def test_a_sparse_ring_under_a_model():
    """One model's formulas and numbers, as one object."""
    code, text, _ = call(
        "ring_sparse", "--support", "identical", "--format", "json", "--at", f"{SPARSE},alpha=0,beta=1ns"
    )
    envelope = json.loads(text)
    at = envelope["at"]["ring_sparse"]
    assert code == 0
    assert envelope["costs"][0]["forms"]["pairs"]["divided"] == "4*k*(p - 1)/p"
    assert [*at] == ["identical", "ring_allgather", "ring"]
    assert at["identical"]["bytes"] == 14 * (8 + 12_500 * 4 + 125_000 // 8)
    assert at["identical"]["time_exact"] == str(Fraction(at["identical"]["bytes"], 10**9))
    assert at["ring"]["bytes"] == 7_000_000


def test_a_sparse_page_that_says_nothing_is_undecided(tmp_path):
    """How many contributions a message holds must be stated; a wrong number is refuted."""
    file = tmp_path / "mine.py"
    page = RING.replace('"""\n\nfrom', '"""\n\nfrom', 1) + '\ndata = "sparse"\n'
    file.write_text(page, encoding="utf-8")
    code, text, _ = call(file)
    assert (code, "not stated: contributions(t, p)" in text) == (3, True)
    file.write_text(f"{page}\ndef contributions(t, p): return t + 2\n", encoding="utf-8")
    code, text, _ = call(file)
    assert (code, "contributions: refuted (one to all: fails at" in text) == (1, True)


P, N, K = 2**20, 2**30, 2**22
WORDS = {name: one.words for name, one in ALGORITHMS.items() if one.words}


@pytest.mark.parametrize("name", WORDS)
def test_a_million_ranks_are_a_closed_form(name, monkeypatch):
    """No message is looked at: the forms are derived and checked on few ranks, and then evaluated."""

    def few(page, t, p):
        assert p <= 1000
        return step_sends(page, t, p)

    monkeypatch.setattr(counted, "step_sends", few)
    cost: Any = api.cost(name)
    assert cost.at(p=P, n=N, k=K).words == WORDS[name](P, N, K)
    assert cost.at(p=P // 4, n=N, k=K).messages < cost.at(p=P, n=N, k=K).messages < 2 * P


def test_more_ranks_than_are_summed_are_refused():
    """Of sparse chunks each step is summed, exactly, which would take hours."""
    with pytest.raises(InputError, match="p=1048576: bytes of ring_sparse are summed step by step, for at most 2048"):
        api.cost("ring_sparse", support="independent").at(p=P, n=N, k=K)
