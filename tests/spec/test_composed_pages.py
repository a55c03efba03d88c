"""What compositions have in common: states that stay, zeros, what is no number, bytes, and parameters."""

from __future__ import annotations

from typing import Annotated, Literal, get_args, get_origin, get_type_hints

import numpy as np
import pytest

import sparring
from sparring.errors import InputError, Undecided
from sparring.spec.core.calling import Between
from sparring.spec.core.runner import run
from tests.algorithms import rows

NAMES = [name for name in sparring.pages() if sparring.page(name).composed]
DENSE = [name for name in NAMES if sparring.page(name).dense]


def called(name, calls, **params):
    """The runs of several calls, on one list of vectors a call."""
    page, state = sparring.page(name, **params), None
    for xs in calls:
        with np.errstate(all="ignore"):
            ran = run(page, xs, state)
            state = ran.state
        yield ran


def bits(results):
    return [y.tobytes() for y in results]


@pytest.mark.parametrize("name", NAMES)
def test_a_call_leaves_vectors_and_the_state_before_as_they_were(name):
    xs = [*np.random.default_rng(0).standard_normal((3, 12))]
    (first,) = called(name, [xs])
    kept = bits(xs), str(first.state)
    again = run(sparring.page(name), xs, first.state)
    assert len(again.results) == 3 and again.state.call == 2
    assert kept == (bits(xs), str(first.state))
    assert not any(y is x for x, y in zip(xs, first.results))


@pytest.mark.parametrize("name", [name for name in DENSE if name != "moshpit"])
@pytest.mark.parametrize("p", [1, 2, 3])
def test_zeros_have_no_sign(name, p):
    """But where a mean of zeros is what they are."""
    (ran,) = called(name, [[np.full(6, -0.0)] * p])
    assert bits(ran.results) == [np.zeros(6).tobytes()] * p


@pytest.mark.parametrize(("name", "params", "bad", "where", "over"), rows("spoilt"))
def test_what_is_no_number_spoils_as_much_as_the_page_says(name, params, bad, where, over):
    """Of all ranks; those that remember nothing of it have in the second call as many numbers as ever."""
    rng = np.random.default_rng(3)
    good = [rng.standard_normal(8) for _ in range(2)]
    spoilt = [good[0] * 0, np.where(np.arange(8) == 5, bad, good[1])]
    first, second = called(name, [spoilt, good], **params)
    assert [np.flatnonzero(np.isnan(y)).tolist() for y in first.results] == [[*where]] * 2
    assert all(np.isnan(y).any() != over for y in second.results)
    if name == "one_bit":  # errors are zero, so that the next call is a first one
        (fresh,) = called(name, [good])
        assert bits(second.results) == bits(fresh.results)


@pytest.mark.parametrize(("name", "params", "dtype", "n", "p", "sent"), rows("octets"))
def test_bytes(name, params, dtype, n, p, sent):
    """To each other rank alike, in messages of one length."""
    (ran,) = called(name, [[np.zeros(n, dtype)] * p], **params)
    assert [sum(len(m.entries) for m in wire if m.src == p - 1) for wire in ran.trace] == sent
    pairs = sorted((r, d) for r in range(p) for d in range(p) if r != d)
    assert all(sorted((m.src, m.dst) for m in wire) == pairs for wire in ran.trace)


def bounds():
    """By page and parameter, values beyond what it may be, and what is said of them."""
    for name in sparring.pages():
        params = getattr(sparring.page(name).module, "Params", None)
        for field, kind in get_type_hints(params, include_extras=True).items() if params else ():
            args = get_args(kind)
            if get_origin(kind) is Literal:
                yield name, field, "neither", f"{', '.join(map(str, args[:-1]))} or {args[-1]}"
            if get_origin(kind) is Annotated and isinstance(args[1], Between):
                least, most = args[1]
                told = f"{least} or more" if most is None else f"{least} to {most}"
                yield from ((name, field, bad, told) for bad in (least - 1, *([] if most is None else [most + 1])))


@pytest.mark.parametrize(("name", "field", "bad", "told"), [*bounds()])
def test_parameters_beyond_their_bounds_are_refused(name, field, bad, told):
    with pytest.raises(InputError, match=f"page {name}: {field} = {bad!r}: it must be {told}$"):
        sparring.page(name, **{field: bad})


@pytest.mark.parametrize("name", NAMES)
def test_formulas_are_not_there_and_lengths_are_alike(name):
    with pytest.raises(Undecided, match=f"{name} is a composition and has no formula steps"):
        sparring.page(name).steps(4)
    with pytest.raises(InputError, match=r"rank 1 has (2 entries, rank 0 has 1|n=2, rank 0 has n=1)"):
        sparring.run(name, [[1], [1, 2]])
