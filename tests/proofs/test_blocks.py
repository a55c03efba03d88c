"""Facts about blocks are true, are those that Coq proves, and are enough for recursive doubling, for every p."""

from __future__ import annotations

import inspect
import re

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring import page
from sparring.proofs.coq.check import HERE
from sparring.proofs.core import blocks, questions
from sparring.proofs.core.blocks import APART, BELOW, BLOCK, LENGTH, POWER, REVERSE, SHIFT, XOR, BlocksReader
from sparring.proofs.core.obligations import RANKS, Obligation, p, q, r, s, t, within
from sparring.spec.core.numbers import evaluate, reverse, variables, where

BOX = (*RANKS, within(t, p.bit_length()))
SMALL_BOX = (*RANKS, t >= 0)
TERMS = {
    "power": 1 << t, "length": p.bit_length(), "block": r >> t, "halves": r >> 1, "flip": r ^ (1 << t),
    "flip twice": (r ^ (1 << t)) ^ (1 << (t + 1)),
    "odd and even": (r - s) ^ 1,
    "flip of a negative": (r - s) ^ (1 << t),
    "which": where(r ^ q < 1 << t, r >> t, q >> (t + 1)),
    "together": where((r - s) ^ q < 1 << t, 1, 0),
    "apart": ((r - s) ^ q).bit_length() + (1 << t),
    "shift up": ((r - s) << t) + (q >> t),
    "rounded down": ((r >> t) << t) + ((r >> (t + 1)) << (t + 1)),
    "reversed": reverse(r - s, t) + reverse(q, t),
    "reversed and flipped": reverse(r ^ (1 << (t - 1)), t),
}  # fmt: skip
DOUBLING = page("recursive_doubling")
INTENDED = {
    POWER: lambda e: 2**e if e >= 0 else -5,  # of a negative exponent the facts say nothing
    BLOCK: lambda x, e: x >> e if e >= 0 else -7,
    LENGTH: lambda x: x.bit_length() if x >= 1 else -3,
    XOR: lambda x, y: x ^ y,
    APART: lambda x, y: (x ^ y).bit_length(),
    SHIFT: lambda x, e: x << e if e >= 0 else -9,
    REVERSE: lambda x, e: reverse(x, e) if e >= 0 else -11,
    BELOW: lambda x, y, e: z3.BoolVal(e >= 0 and x ^ y < 2**e),
}
"""What the uninterpreted functions stand for."""


def value(term, point):
    """A reading's value at a point, its functions as they are intended."""
    term = z3.simplify(z3.substitute(term, *((z3.Int(v), z3.IntVal(x)) for v, x in point.items())))
    while found := applied(term):
        pairs = [(a, made(a)) for a in found]
        term = z3.simplify(z3.substitute(term, *pairs))
    return term


def applied(term):
    """The applications of these functions to numbers."""
    found, todo = {}, [term]
    while todo:
        node = todo.pop()
        if node.decl() in INTENDED and all(z3.is_int_value(a) for a in node.children()):
            found[node.get_id()] = node
        todo += node.children()
    return list(found.values())


def made(application):
    result = INTENDED[application.decl()](*(a.as_long() for a in application.children()))
    return z3.IntVal(result) if isinstance(result, int) else result


@pytest.mark.parametrize("name", TERMS)
@given(data=st.data())
@settings(deadline=None, max_examples=12)
def test_facts_are_true_and_readings_have_their_value(name, data):
    """At any point, hypotheses met or not: what is added is so; the reading is Python's value where it has one."""
    reader = BlocksReader(BOX if variables(TERMS[name]) & {"p"} else SMALL_BOX, p)
    read = reader(TERMS[name])
    point = {v: data.draw(st.integers(-3, 40) | st.integers(-(2**40), 2**40), label=v) for v in "pqrs"}
    point["t"] = data.draw(st.integers(-2, 45), label="t")

    assert [fact for fact in (*reader.facts, *reader.exactly(5)) if not z3.is_true(value(fact, point))] == []
    if point["t"] >= (name == "reversed and flipped") and point["p"] >= 1:
        wanted = evaluate(TERMS[name], **{v: point[v] for v in "pqrst"})
        assert value(read, point).as_long() == wanted


def test_a_wrong_fact_would_be_seen(monkeypatch):
    """Planted: that flipping a bit leaves smaller blocks alone, too."""
    monkeypatch.setattr(BlocksReader, "above", unguarded)
    reader = BlocksReader(BOX, p)
    reader(TERMS["flip twice"])
    point = {"p": 8, "q": 0, "r": 0, "s": 0, "t": 1}

    assert [fact for fact in reader.facts if not z3.is_true(value(fact, point))]


def unguarded(self, v, e, flip, other):
    self.know(self.block(flip, other) == self.block(v, other))


def test_every_fact_is_a_theorem():
    """Each name beside a fact is one that Coq prints as resting on nothing."""
    named = set(re.findall(r"# (\w+)(?:, (\w+))?$", inspect.getsource(blocks), re.MULTILINE))
    names = {name for pair in named for name in pair if "_" in name}
    proved = re.findall(r"^Print Assumptions (\w+)\.$", (HERE / "blocks.v").read_text(encoding="utf-8"), re.MULTILINE)

    assert names and names <= set(proved)
    assert {
        "flip_value",
        "flip_above",
        "below_block",
        "block_next",
        "length_bounds",
        "power_grows",
        "reverse_flip",
    } <= set(proved)


@pytest.mark.parametrize(
    ("claim", "holds", "below"),
    [
        ((r ^ (1 << t)) ^ (1 << t) == r, True, False),
        ((r ^ (1 << t)) < 2 * p, True, False),
        ((r ^ (1 << t)) == r, False, False),
        (r ^ q == q ^ r, True, True),  # of two arbitrary numbers facts know nothing; bits do
    ],
    ids=["twice", "below twice", "never itself", "commutes"],
)
def test_what_facts_do_not_decide_is_asked_in_bits(claim, holds, below):
    """And then speaks of p < 2^31 alone."""
    (answer,) = questions.answered([Obligation("claim", BOX, claim)], True, "bits")

    assert (answer.holds, answer.below) == (holds, below)


def test_a_spurious_counterexample_is_none():
    """The facts allow x ^ y to be anything; what does not stand when evaluated is asked in bits, and proved there."""
    (answer,) = questions.answered([Obligation("self", BOX, r ^ r == 0)], True, "bits")

    assert answer.holds and answer.below


def test_hypotheses_that_contradict_each_other_prove_nothing():
    """Nothing small satisfies them, nor does anything else."""
    (answer,) = questions.answered([Obligation("any", (*BOX, r >> t > r), r == q)], True, "bits")

    assert not answer.holds
