"""Of no chunks everything is true, so that there are some is proved; and that values are those of the theorem."""

from __future__ import annotations

import pytest

import sparring
from sparring.errors import InputError
from sparring.proofs.logic.verdicts import PROVED, REFUTED
from sparring.proofs.proving import proving

RING = '''"""The ring, {0}."""

from typing import NamedTuple

from sparring.spec.core.numbers import where
from sparring.spec.ring import adds, chunk, dst, holds, src


{1}
'''
STEPS = "def steps(p): return where(p < {0}, 2 * (p - 1), 0)\n\n\ndef chunks(p): return where(p < {0}, p, {1})"
FORWARD = '''"""Rank 0's list goes along a chain, and no other."""

from sparring.spec.core.numbers import both, where

kind, data = "allgather", "lists"


def steps(p): return p - 1


def chunks(p): return {}


def dst(r, t, p): return (r + 1) % p


def src(r, t, p): return (r - 1) % p


def active(r, t, p): return r == t


def chunk(r, t, p): return 0


def adds(t, p): return False


def holds(q, r, c, t, p): return where(r <= t, q == c, both(q == r, q == c))


def live(r, c, t, p): return True
'''


def result(tmp_path, text):
    """Return the verdict on the result, and why."""
    (tmp_path / "mine.py").write_text(text)
    return next((one.verdict, one.detail) for one in proving.prove(sparring.page(str(tmp_path / "mine.py"))))


@pytest.mark.parametrize(("ranks", "chunks"), [(6, "0"), (6, "p - 6"), (40, "where(p < 50, 1, 0)")])
def test_a_page_without_chunks_sums_nothing(tmp_path, ranks, chunks):
    """Beyond the ranks on which hypotheses are looked at, too; with chunks for every p it is the ring."""
    verdict, why = result(tmp_path, RING.format("without chunks from some ranks on", STEPS.format(ranks, chunks)))
    assert verdict == REFUTED and "p=" in why
    right = "def steps(p): return 2 * (p - 1)\n\n\ndef chunks(p): return where(p < 6, p, p)"
    assert result(tmp_path, RING.format("with p chunks", right))[0] == PROVED


def test_there_is_a_number_of_steps_for_every_p(tmp_path):
    """A formula that shifts by a negative number has no value, and a page without one cannot be run."""
    steps = 'encoding = "bits"\n\n\ndef steps(p): return 2 * (p - 1) + (1 << {}) - (1 << {})'
    verdict, why = result(tmp_path, RING.format("up to 40 ranks", steps.format("40 - p", "40 - p")))
    assert verdict == REFUTED and why == "p=41: a formula has no value: negative shift count"
    assert result(tmp_path, RING.format("for every p", steps.format("p - 1", "p - 1")))[0] == PROVED


def test_lists_are_as_many_as_ranks(tmp_path):
    """One chunk for all lists is the first rank's alone."""
    verdict, why = result(tmp_path, FORWARD.format(1))
    assert verdict == REFUTED and why.startswith("a chunk for each rank")


def test_a_value_below_the_least_has_no_theorem(tmp_path):
    """The page is another one there; from the least on it is proved."""
    params = 'class Params(NamedTuple):\n    k: int = {}\n\n\nleast = {{"k": 2}}\n\n\n'
    steps = "def steps(p, k): return where(k >= 2, 2 * (p - 1), 0)"
    assert result(tmp_path, RING.format("of k", params.format(2) + steps))[0] == PROVED
    with pytest.raises(InputError, match="k = 1: theorems of mine hold for k >= 2"):
        result(tmp_path, RING.format("of k", params.format(1) + steps))
