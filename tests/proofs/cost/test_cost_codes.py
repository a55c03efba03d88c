"""What compositions send whose messages are codes, in bytes: derived, counted, and caught where it is wrong."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy

import sparring
from sparring import api
from sparring.errors import InputError, Undecided
from sparring.impl import qsgd as impl_qsgd
from sparring.impl.core import signs as impl_signs
from sparring.impl.core import wholes as impl_wholes
from sparring.impl.core.quantiser import Quantiser
from sparring.proofs.core.verdicts import PROVED, Word
from sparring.proofs.core.volume import WIDTHS
from sparring.proofs.cost import compositions
from sparring.proofs.cost.symbols import Log2, n, p, width
from sparring.proofs.cost.versus import compare
from tests.sparring.calling import called
from tests.sweeps import sweep

FEW = (1, 2, 3, 4, 8)
PAGES = ("flash", "one_bit", "thc", "qsgd")
OTHERS = [
    ("flash", {"b1": 3, "b2": 5, "g": 2, "spikes": 1}), ("flash", {"b1": 4, "g": 3}), ("one_bit", {"norm": 1}),
    ("thc", {"bits": 3, "seed": 7}), ("thc", {"bits": 8}), ("qsgd", {"levels": 300}), ("qsgd", {"by_max": 1}),
]  # fmt: skip


def wrong(cost, runs):
    """What is found wrong with a cost, first."""
    return next((found for one in runs for found in compositions.compared(cost.most, one)), None)


@pytest.mark.parametrize(
    ("name", "given", "simple"),
    [
        ("flash", "128 p | n", 2 * n * (p - 1) / p * (1 + 2 * width / 128)),
        ("one_bit", "8 p | n", 2 * (p - 1) * (n / (8 * p) + width)),
        ("thc", "8 p | n, p = 2^m", (p - 1) * (2 * width + n * (4 + 4 + Log2(p)) / (8 * p))),
        ("qsgd", "2 | n", (p - 1) * (width + n / 2)),
    ],
)
def test_the_simple_form_comes_out_where_nothing_is_rounded(name, given, simple):
    cost = sparring.cost(name)
    assert cost.even == given
    assert sympy.simplify(cost.simplify(given).form("bytes") - simple) == 0
    at = {"p": 8, "n": 8 * 8 * 128, "alpha": 0, "beta": 1}
    assert cost.simplify(given).at(**at).nbytes == cost.at(**at).nbytes == cost.at(**at).time


def of_implementation(name, params, octets, ranks, many):
    """The bytes that the implementation's own sizes make of ``many`` entries in each message, on so many ranks."""
    others, sums = ranks - 1, (ranks - 1).bit_length()
    if name == "flash":
        made = [Quantiser(np.dtype(f"f{octets}"), bits=params.get(b, 8), g=params.get("g", 128),
                          spikes=bool(params.get("spikes", 0))).size(many) for b in ("b1", "b2")]  # fmt: skip
        return others * sum(made)
    if name == "one_bit":
        return others * 2 * impl_signs.size(many, octets)
    if name == "thc":
        bits = params.get("bits", 4)
        return others * (2 * octets + impl_wholes.size(many, bits) + impl_wholes.size(many, bits + sums))
    return others * impl_qsgd.size(many, params.get("levels", 4), octets)


@pytest.mark.parametrize(("name", "params"), [*((name, {}) for name in PAGES), *OTHERS], ids=str)
@pytest.mark.parametrize("octets", WIDTHS)
def test_the_bytes_are_those_of_the_implementations_messages(name, params, octets):
    """Of sums of codes, whose planes are filled up, where there are eight for each byte."""
    cost = sparring.cost(name, **params)
    for ranks in (2, 3, 8, 13):
        for many in (0, 8, 120, 1000) if name == "thc" else (0, 1, 7, 120, 129, 1000):
            length = many if name == "qsgd" else many * ranks
            expected = of_implementation(name, params, octets, ranks, many)
            assert cost.at(p=ranks, n=length, width=octets).nbytes == expected


@pytest.mark.parametrize("name", sweep(PAGES, few=["one_bit", "qsgd"]))
def test_counted_bytes_keep_to_the_bound_and_reach_it(name):
    """For all of 1..64 ranks, in arrays of both widths."""
    cost = sparring.cost(name)
    counted, derived, *_ = cost.checks
    assert counted.verdict.word == Word.TESTED and counted.verdict.number >= 80 and "p = 1..64" in counted.detail
    assert derived.verdict == PROVED
    found = [*cost.runs()]
    full = {len(one.xs) for one in found if all(compositions.even(each, one) for each in cost.most)}
    assert full == {*range(2, 65)}
    assert {one.xs[0].dtype.itemsize for one in found} == {*WIDTHS}


@pytest.mark.parametrize(("name", "params"), OTHERS, ids=str)
def test_so_with_other_parameters(name, params):
    cost = sparring.cost(name, **params)
    assert wrong(cost, cost.runs(FEW)) is None
    assert cost.proved().verdict == PROVED


FAULTS = {
    "a byte less": ("bytes", lambda x: x - 1), "a byte more": ("bytes", lambda x: x + 1),
    "half": ("bytes", lambda x: x / 2), "nothing in the fullest step": ("critical", lambda x: x * 0),
    "a message less": ("messages", lambda x: x - 1), "a message more": ("messages", lambda x: x + 1),
}  # fmt: skip


@pytest.mark.parametrize("what", FAULTS)
@pytest.mark.parametrize("name", PAGES)
def test_a_wrong_formula_is_counted_out(name, what):
    """In whichever exchange it is, and with the right one nothing is found."""
    cost, (quantity, fault) = sparring.cost(name), FAULTS[what]
    runs = [*cost.runs((2, 3))]
    assert wrong(cost, runs) is None
    for i, each in enumerate(cost.most):
        bad = each._replace(forms={**each.forms, quantity: fault(each.forms[quantity])})
        assert wrong(replace(cost, most=[*cost.most[:i], bad, *cost.most[i + 1 :]]), runs)


@pytest.mark.parametrize("name", PAGES)
def test_an_exchange_that_is_forgotten_is_told(name):
    cost = sparring.cost(name)
    one = next(iter(cost.runs((4,))))
    for i in range(len(cost.most)):
        with pytest.raises(Undecided, match="and the exchanges have"):
            [*compositions.compared([*cost.most[:i], *cost.most[i + 1 :]], one)]


TOO_LOW = {
    "flash": lambda c, w: c, "one_bit": lambda c, w: w + c // 8, "thc": lambda c, w: c // 8,
    "qsgd": lambda c, w: w + c * 3 // 8,
}  # fmt: skip


@pytest.mark.parametrize("name", PAGES)
def test_sizes_that_are_too_low_are_counted_out(name, monkeypatch):
    """Whatever is told of groups, a last byte that is not full, the bits of a sign: all are counted."""
    cost = sparring.cost(name)
    kinds = {type(one.sent.code) for one in cost.most}
    for kind in kinds:
        monkeypatch.setattr(kind, "octets", lambda self, c, w: TOO_LOW[name](c, w))
    low = compositions.derived(cost.page, cost.found, compositions.all_priced(cost.page, cost.usual))
    found = wrong(low, cost.runs(FEW))
    assert found is not None and "bytes" in found.what and found.counted > found.derived


def test_lists_are_no_bytes():
    cost = sparring.cost("flash")
    one = next(iter(cost.runs((2,))))
    with pytest.raises(Undecided, match="flash: a message is a list, whose bytes are not counted"):
        [*compositions.compared(cost.most, one._replace(xs=[[1.0, 2.0], [3.0, 4.0]]))]


def test_words_and_bytes_do_not_add_up():
    codes, words = sparring.cost("flash"), sparring.cost("arc_top_k", columns=64)
    with pytest.raises(Undecided, match="some send words and some bytes"):
        compositions.derived(codes.page, codes.found, [*codes.most, *words.most])


def test_words_have_no_form_and_other_widths_no_number():
    cost = sparring.cost("flash")
    assert cost.at(p=8, n=10**6).words is None and cost.at(p=8, n=10**6).nbytes == 1859424
    with pytest.raises(Undecided, match="no closed form of words: words: messages are codes, told in bytes"):
        cost.words  # it raises
    with pytest.raises(InputError, match="width=2: entries of flash have 4 or 8 bytes"):
        cost.at(p=8, n=10**6, width=2)


def test_compared_with_words_both_are_bytes():
    """Flash sends less than a ring from a place on that is found by hand: 8 ranks, 128 entries of 4 bytes."""
    codes, ring = sparring.cost("flash"), sparring.cost("ring")
    at = {"p": 8, "n": 1024, "alpha": 0, "beta": 1}
    assert codes.at(**at).time == 14 * (128 + 8) and ring.at(**at).time == 14 * 128 * 4
    found = compare(codes, ring, "n", {"p": Fraction(8), "width": Fraction(4)})
    assert found.quantity == "bytes" and found.given == "128 p | n, p | n" and found.cheaper == ("flash",)
    assert compare(codes, ring, "p", {"n": Fraction(16)}, 15, 16).cheaper == ("ring",)


def test_the_command_tells_bytes_and_no_words():
    code, text, _ = called("cost", "flash", "--at", "p=8,n=1000000")
    lines = [line.strip() for line in text.splitlines()]
    assert code == 0 and not [line for line in lines if line.startswith(("words", "critical", "path"))]
    assert "bytes     <= 2*(p - 1)*(2*width*ceiling(ceiling(n/p)/128) + ceiling(n/p))" in text
    assert "messages 14, bytes 1859424, added 875000" in text
    assert "| flash (bound) | bytes |" in called("cost", "flash", "--format", "markdown")[1]
    assert "where 128 p | n" in text and r"128 p \mid n" in called("cost", "flash", "--format", "latex")[1]
    assert called("cost", "flash", "--at", "p=8,n=8,width=2")[2] == "width=2: entries of flash have 4 or 8 bytes"


def test_they_have_a_cost_for_the_command_without_names():
    assert all(map(api.costed, PAGES))
    with pytest.raises(InputError, match="b1 = 9: it must be "):
        api.costed(sparring.page("flash", b1=9))
