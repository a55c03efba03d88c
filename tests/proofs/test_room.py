"""Whole numbers that travel in so many bits: what fits is proved, and what may not fit is refused, with its reason."""

from __future__ import annotations

import re
from functools import partial
from itertools import product
from math import nan
from typing import Annotated, Any, NamedTuple

import pytest

from sparring.proofs.kernel import kernel
from sparring.proofs.logic.queries import answered
from sparring.proofs.logic.verdicts import PROVED, REFUTED, UNDECIDED
from sparring.proofs.reading.annotations import subject
from sparring.proofs.reading.integer_room import fitting, sums
from sparring.proofs.statements.compositions import following
from sparring.proofs.statements.conjectures import Conjecture
from sparring.spec.codecs.difference_blocks import Differences
from sparring.spec.codecs.packed_integers import Packed, most, wide
from sparring.spec.core.calling import Between
from sparring.spec.core.exchanges import allgather, allreduce, reduce_scatter
from sparring.spec.core.numbers import where
from sparring.spec.core.vectors import each
from sparring.spec.library.counter_rng import above, whole
from sparring.spec.library.fixed_point import most as most_steps
from sparring.spec.library.fixed_point import nearest
from tests.proofs.test_compositions_proved import page

NUMBERS = (-7, -1, 0, 1, 2, 5)


def positive(v: Any) -> Any:
    return where(v > 0, 1, 0)


def votes(few: Any, many: Any, code: Any, form: Any = Packed) -> Any:
    """A page on which ranks count where they have a positive entry: codes of ``few(params)`` bits, then of ``many``."""

    class Params(NamedTuple):
        bits: Annotated[int, Between(1, 3)] = 2
        any: Annotated[int, Between(1)] = 9

    def program(x: Any, p: Any, params: Any) -> Any:
        sums = yield reduce_scatter(each(code, x), form(few(params)))
        return (yield allgather(sums, form(many(params, p))))

    return page(program, lambda x, p: each(code, x), Params=Params)


def found(one: Any) -> tuple[Any, str]:
    """The verdict, and why."""
    whole = subject(one)
    claims = tuple(following(whole.paths, partial(fitting, one)))
    attempt = kernel.judge(whole, Conjecture("volume", "", claims, None), second_opinion=True)
    return attempt.verdict, attempt.detail


ONE = (lambda params: 1, lambda params, p: wide(1, p))
SUMS, OWN = "all ranks' numbers", "a whole number of"
SOME = {
    "of one bit": (*ONE, positive, PROVED, ""),
    "of as many as a parameter says": (
        lambda params: params.bits, lambda params, p: wide(params.bits, p), positive, PROVED, "",
    ),
    "with more room than is used": (
        lambda params: params.bits, lambda params, p: wide(params.bits + 2, p), positive, PROVED, "",
    ),
    "as many bits as one": (lambda params: 1, lambda params, p: 1, positive, REFUTED, SUMS),
    "of ranks up to 128": (lambda params: 1, lambda params, p: 8, positive, REFUTED, SUMS),
    "for numbers of fewer bits": (lambda params: 3, lambda params, p: wide(1, p), positive, UNDECIDED, SUMS),
    "a bit for each rank": (
        lambda params: params.bits, lambda params, p: wide(p, params.bits), positive, UNDECIDED, SUMS,
    ),
    "any": (lambda params: params.any, lambda params, p: wide(params.any, p), positive, UNDECIDED, "param_any"),
    "a 2": (*ONE, lambda v: where(v > 0, 2, 0), REFUTED, OWN),
    "less than nothing": (*ONE, lambda v: where(v > 0, 1, -1), REFUTED, OWN),
    "any number": (*ONE, lambda v: v, REFUTED, OWN),
}  # fmt: skip


@pytest.mark.parametrize(("few", "many", "code", "verdict", "why"), SOME.values(), ids=SOME)
def test_sums_that_fit_are_proved_and_what_may_not_fit_is_not(few, many, code, verdict, why):
    said, told = found(votes(few, many, code))
    assert said == verdict and re.search(why, told), told


@pytest.mark.parametrize(
    ("bits", "more", "code", "verdict", "why"),
    [
        (3, 0, lambda v: where(v > 0, 1, -1), PROVED, ""),
        (3, 0, lambda v: where(v > 0, 1, -2), REFUTED, OWN),
        (3, 0, lambda v: where(v > 0, 2, 0), REFUTED, OWN),
        (2, 0, lambda v: where(v > 0, 1, -1), REFUTED, OWN),
        (3, -1, lambda v: where(v > 0, 1, -1), REFUTED, SUMS),
    ],
)
def test_signed_numbers_leave_room_for_a_difference_and_its_sign(bits, more, code, verdict, why):
    said, told = found(votes(lambda _: bits, lambda _, p: wide(bits, p) + more, code, Differences))
    assert said == verdict and re.search(why, told), told


def test_signed_sums_do_not_travel_without_a_sign():
    """Where numbers of one rank have one, or where both have."""

    def unsigned(x, p):
        sums = yield reduce_scatter(each(lambda v: where(v > 0, 1, -1), x), Differences(3))
        return (yield allgather(sums, Packed(wide(3, p))))

    def signed(x, p):
        sums = yield reduce_scatter(each(positive, x), Packed(1))
        return (yield allgather(sums, Differences(wide(3, p))))

    assert [found(page(one))[0] for one in (unsigned, signed)] == [UNDECIDED, PROVED]


def test_of_other_sums_nothing_is_known():
    """Of those that did not travel so, or to which something was added."""

    def elsewhere(x, p):
        ones = yield allreduce(each(positive, x))
        return ones + (yield reduce_scatter(ones, Packed(1)))

    def more(x, p):
        ones = yield reduce_scatter(each(positive, x), Packed(1))
        return (yield allgather(ones + 1, Packed(wide(1, p))))

    assert "nothing says how large" in found(page(more))[1]
    assert "which has been added up already" in found(page(elsewhere))[1]


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("claim", ["the sum of all", "the sum of one more"])
def test_no_hypothesis_of_sums_can_be_left_out(claim, signed):
    """With fewer than p ranks, or numbers that may be larger, sums are too."""
    (one,) = (one for one in sums(signed=signed) if one.name == claim)
    hypothesis = 1
    (right,) = answered([one], False)
    few = (*one.hypotheses[:hypothesis], *one.hypotheses[hypothesis + 1 :])
    (without,) = answered([one._replace(hypotheses=few)], False)
    assert right.holds and not without.holds


def test_what_functions_say_of_their_values_is_so():
    for function, args in [
        *((above, pair) for pair in product(NUMBERS, repeat=2)),
        *((whole, (number / 2,)) for number in NUMBERS),
        *((most, (bits,)) for bits in range(9)),
        *((most_steps, (p,)) for p in (1, 7, 8, 2**26, 2**27)),
        *((nearest, (v, 1.0, 4)) for v in (*NUMBERS, -4.5, 4.5, nan)),
    ]:
        called: Any = function
        assert called.known(called(*args), *args)
