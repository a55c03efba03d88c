"""Formulas read for solvers have their value, or are undecided; facts beside them are true, and Coq proves them."""

from __future__ import annotations

import inspect
import re
from dataclasses import replace
from functools import reduce

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring import page
from sparring.errors import InputError, Undecided
from sparring.proofs.coq.check import HERE
from sparring.proofs.kernel import kernel
from sparring.proofs.logic import bits, blocks, digits, queries
from sparring.proofs.logic.bits import WIDTH, BitsReader
from sparring.proofs.logic.blocks import APART, BELOW, BLOCK, LENGTH, POWER, REVERSE, SHIFT, XOR, BlocksReader
from sparring.proofs.logic.digits import DIGIT, LOG, PREFIX, PRODUCT, PUT, REST, DigitsReader
from sparring.proofs.logic.obligations import RANKS, ROUND, Obligation, c, n, p, q, r, s, t, within
from sparring.proofs.logic.symbolic import Z3Reader, remembered
from sparring.proofs.logic.verdicts import Word
from sparring.proofs.reading import annotations
from sparring.proofs.statements.conjectures import conjectures
from sparring.spec.collectives.strided_butterfly_reduce_scatter import ending
from sparring.spec.core.digits import digit, log, power, prefix, put
from sparring.spec.core.numbers import Sym, both, either, evaluate, negate, reverse, variables, where
from tests.sweeps import third

k = Sym.var("k")
LAPS = (*ROUND, within(t, 2 * (p - 1)))
BOX = (*RANKS, within(t, p.bit_length()))
BASES = (k >= 2, *RANKS, within(t, log(p, k) + 1))
REMAINDERS = {
    "r + 1": (r + 1) % p, "r - t": (r - t) % p, "2 r + t": (2 * r + t) % p, "r - c - q": (r - c - q) % p,
    "nested": ((r - t) % p - (c + 1) % p) % p,
    "where": where(either(r < c, q == 0), (r - 1) % p, (c - t - 1) % p),
    "parity": (r + t) % 2, "half": (p + t) // 2,
}  # fmt: skip
IN_BITS = {
    "xor": r ^ q, "xor of a negative": (r - q) ^ 3, "shift up": 1 << t, "shift down": r >> t,
    "shift of a negative": (r - q) >> 1, "bit length": p.bit_length(), "remainder": (r + q) % p,
    "remainder of a negative": (r - 3 * q - 1) % p, "parity": (r - q) % 2, "quotient": (r + q) // 3,
    "reversed": reverse(r, t), "where": where(r < q, r ^ 1, (q << 1) - p),
}  # fmt: skip
IN_BLOCKS = {
    "power": 1 << t, "length": p.bit_length(), "block": r >> t, "halves": r >> 1, "flip": r ^ (1 << t),
    "flip twice": (r ^ (1 << t)) ^ (1 << (t + 1)), "odd and even": (r - s) ^ 1,
    "flip of a negative": (r - s) ^ (1 << t), "which": where(r ^ q < 1 << t, r >> t, q >> (t + 1)),
    "together": where((r - s) ^ q < 1 << t, 1, 0), "apart": ((r - s) ^ q).bit_length() + (1 << t),
    "shift up": ((r - s) << t) + (q >> t), "rounded down": ((r >> t) << t) + ((r >> (t + 1)) << (t + 1)),
    "the next": (((r >> t) + 1) << t) - ((r >> t) << t),
    "reversed": reverse(r - s, t) + reverse(q, t), "reversed and flipped": reverse(r ^ (1 << (t - 1)), t),
    "a power shifted up": (1 << t) << (t + 1), "three shifted up": 3 << t,
    "reversed and ended": reverse(r - s, t) + reverse(q, t) + ending(r - s, t - 1) - ending(q, t - 1),
}  # fmt: skip
IN_DIGITS = {
    "power": power(k, t),
    "log": power(k, log(p, k) + 1),
    "prefix": prefix(r, t, k),
    "digit": digit(r, t, k) - digit(q, t + 1, k),
    "put": put(r, t, digit(q, t, k), k),
    "put twice": put(put(r, t, digit(q, t, k), k), log(p, k), 0, k),
    "put anything": digit(put(r, t, s, k), t, k),
    "written out": r + (q // power(k, t) % k - r // power(k, t) % k) * power(k, t),
    "next power": power(k, t) * k,
    "which": where(prefix(r, t, k) == prefix(q, t, k), digit(r, t, k), (digit(q, t, k) + 1) % k),
}
READER = BitsReader(BOX, p)
WIDE = st.integers(-3, 40) | st.integers(-(2**40), 2**40)


@pytest.mark.parametrize("name", third(REMAINDERS))
@given(data=st.data())
def test_a_remainder_has_its_value(name, data):
    """z3's reading, evaluated at a point that satisfies the hypotheses, is Python's value there."""
    ranks = data.draw(st.integers(2, 40))
    point = {v: data.draw(st.integers(0, ranks - 1)) for v in "qrsc"}
    point |= {"p": ranks, "t": data.draw(st.integers(0, 2 * ranks - 3))}
    read = Z3Reader(LAPS, p)(REMAINDERS[name])
    value = z3.simplify(z3.substitute(read, *((z3.Int(v), z3.IntVal(x)) for v, x in point.items())))
    assert value.as_long() == evaluate(REMAINDERS[name], **point)


@pytest.mark.parametrize("name", third(IN_BITS))
@given(data=st.data())
def test_bits_have_their_value(name, data):
    """The same, up to 2**31 - 1 ranks."""
    ranks = data.draw(st.integers(1, 40) | st.integers(1, 2**31 - 1))
    point = {v: data.draw(st.integers(0, ranks - 1)) for v in "qr"}
    point |= {"p": ranks, "t": data.draw(st.integers(0, ranks.bit_length() - 1))}
    pairs = ((z3.BitVec(v, WIDTH), z3.BitVecVal(x, WIDTH)) for v, x in point.items())
    value = z3.simplify(z3.substitute(READER(IN_BITS[name]), *pairs))
    assert value.as_signed_long() == evaluate(IN_BITS[name], **point)


@pytest.mark.parametrize(
    ("x", "laps"),
    [(r, (0, 1)), (r + 1, (0, 2)), (r - 1, (-1, 1)), (r - t, (-2, 1)), (r + t, (0, 3)), (r + p, (1, 2)),
     (r - 2 * p, (-2, -1))],
    ids=repr,
)  # fmt: skip
def test_the_smallest_range_is_found(x, laps):
    """No case is unfolded that the hypotheses exclude."""
    reader = Z3Reader(LAPS, p)
    reader(x % p)
    assert list(reader.wraps.values()) == [laps]


@pytest.mark.parametrize("x", [(r * t) % p, (9 * r) % p, r % (p + 1), r // t, r % -2], ids=repr)
def test_what_has_no_reading_is_undecided(x):
    """Never a guess, never a nonlinear question that a solver may or may not answer; what is no integer is named."""
    with pytest.raises(Undecided):
        Z3Reader(LAPS, p)(x)
    with pytest.raises(InputError, match=r"holds 0\.5"):
        Z3Reader(LAPS, p)(Sym("+", r, 0.5))
    with pytest.raises(Undecided, match=r"integers have no \^; a page that needs it says: encoding = 'bits'"):
        Z3Reader(RANKS, p)(r ^ 1)


@pytest.mark.parametrize(
    "x", [r * q, r << t, 300 * r, r << 9, 1 << (t - 1), r >> (t - 1), (r - q).bit_length(), (r - 1) // 2], ids=repr
)
def test_what_may_leave_the_bits_is_undecided(x):
    """Never read modulo a power of two; no shift by a negative number, which Python refuses; no negative dividend."""
    with pytest.raises(Undecided, match="may leave 34 bits"):
        BitsReader(BOX, p)(x)


def test_a_reading_that_wraps_around_would_prove_what_is_wrong(monkeypatch):
    """Planted: without that check, eight times a rank is "always" below 2**33."""
    claim = Obligation("small", RANKS, (r << 3) < 2**33 - 1)
    assert [a.holds for a in queries.answered([claim], True, "bits")] == [False]
    monkeypatch.setattr(bits, "EXACT", {})
    assert [a.problem for a in queries.answered([claim], True, "bits")] == [""]


@pytest.mark.parametrize("hypotheses", [(*RANKS, n >= 0), (*RANKS, c < p), (*RANKS, both(t >= 0, t < n))], ids=repr)
def test_an_unbounded_variable_is_undecided(hypotheses):
    """An integer without bounds has no number of bits; a claim may not bring a variable of its own either."""
    with pytest.raises(Undecided, match="does not bound"):
        BitsReader(hypotheses, p)
    with pytest.raises(Undecided, match="do not bound n"):
        BitsReader(RANKS, p)(n + 1)


def test_a_counterexample_has_the_fewest_ranks():
    """Found by bisection, among two billion."""
    claim = Obligation("few", RANKS, negate(both(p > 1000, r ^ q == 1023)))
    (answer,) = queries.answered([claim], second_opinion=True, encoding="bits")
    assert answer.witness["p"] == 1001 and not answer.problem


def test_contention_that_was_expected_and_is_not_there_is_refuted():
    """A page may not call itself contended where it is free."""
    ring = replace(annotations.subject(page("ring")), contention={"ring": "contended"})
    conjecture = next(c for c in conjectures(ring) if c.contended)
    attempt = kernel.expected(kernel.judge(ring, conjecture, second_opinion=True))
    assert attempt.verdict.word is Word.REFUTED
    assert attempt.detail.startswith("called contended, but in no step do messages of two")


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
"""What the uninterpreted functions of blocks stand for."""


def of_blocks(term, point):
    """A reading's value at a point, its functions as they are intended."""
    term = z3.simplify(z3.substitute(term, *((z3.Int(v), z3.IntVal(x)) for v, x in point.items())))
    while found := applied(term):
        term = z3.simplify(z3.substitute(term, *[(a, made(a)) for a in found]))
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


FAR = 45  # beyond the powers of 2 that numbers here reach


def intended(k):
    """What the uninterpreted functions of digits stand for, to base ``k``; outside the naturals, anything."""
    x, e, b = (z3.Var(i, z3.IntSort()) for i in range(3))

    def chosen(at, of, least, other):
        return reduce(lambda rest, i: z3.If(at(i), of(i), rest), range(least, FAR), z3.IntVal(other))

    def power(e):
        return chosen(lambda i: e == i, lambda i: z3.IntVal(k**i), 0, -5)

    prefix, digit = x / power(e), x / power(e) % k
    log = chosen(lambda i: z3.And(x >= k**i, x < k ** (i + 1)), z3.IntVal, 0, -3)
    return (
        (digits.POWER, power(x)), (LOG, log), (PREFIX, prefix), (DIGIT, digit),
        (REST, x - digit * power(e)), (PUT, x + (b - digit) * power(e)), (PRODUCT, power(x) * k),
    )  # fmt: skip


def of_digits(term, point):
    """The same of digits."""
    numbers = [(z3.Int(v), z3.IntVal(x)) for v, x in point.items()]
    return z3.simplify(z3.substitute(z3.substitute_funs(term, *intended(point["k"])), *numbers))


def untrue(facts, value, point):
    """The facts that are not so at a point."""
    if z3.is_true(value(z3.And(facts), point)):
        return []
    return [fact for fact in facts if not z3.is_true(value(fact, point))]


@pytest.mark.parametrize("name", third(IN_BLOCKS))
@given(data=st.data())
@settings(max_examples=12)
def test_facts_about_blocks_are_true_and_readings_have_their_value(name, data):
    """At any point, hypotheses met or not: what is added is so; the reading is Python's value where it has one."""
    reader = BlocksReader(BOX if variables(IN_BLOCKS[name]) & {"p"} else (*RANKS, t >= 0), p)
    read = reader(IN_BLOCKS[name])
    point = {v: data.draw(WIDE, label=v) for v in "pqrs"} | {"t": data.draw(st.integers(-2, 45), label="t")}
    assert untrue([*reader.facts, *reader.exactly(5)], of_blocks, point) == []
    if point["t"] >= (name in ("reversed and flipped", "reversed and ended")) and point["p"] >= 1:
        assert of_blocks(read, point).as_long() == evaluate(IN_BLOCKS[name], **{v: point[v] for v in "pqrst"})


@pytest.mark.parametrize("name", third(IN_DIGITS))
@given(data=st.data())
@settings(max_examples=10)
def test_facts_about_digits_are_true_and_readings_have_their_value(name, data):
    """The same to any base."""
    reader = DigitsReader(BASES, p)
    read = reader(IN_DIGITS[name])
    point = {v: data.draw(WIDE, label=v) for v in "pqrs"}
    point |= {"t": data.draw(st.integers(-2, 12), label="t"), "k": data.draw(st.integers(2, 9), label="k")}
    assert untrue(reader.facts, of_digits, point) == []
    if min(point.values()) >= 0 and point["p"] >= 1 and point["s"] < point["k"]:
        assert of_digits(read, point).as_long() == evaluate(IN_DIGITS[name], **{v: point[v] for v in "pqrstk"})


@given(data=st.data())
@settings(max_examples=4)
def test_what_small_numbers_are_is_true(data):
    """Where the base and the places are small, as the facts for them say."""
    reader = DigitsReader(BASES, p)
    reader(IN_DIGITS["put twice"])
    point = {v: data.draw(st.integers(1, 16), label=v) for v in "pqrs"} | {"t": 0}
    point["k"] = data.draw(st.integers(2, 17), label="k")
    assert z3.is_true(of_digits(z3.And(reader.exactly(5)), point))


def everywhere(self, v, e, flip, other):
    """A flipped bit leaves smaller blocks alone, too."""
    self.know(self.block(flip, other) == self.block(v, other))


def further(self, x, e, b, y, other):
    """A digit that is put leaves lower prefixes alone, too."""
    self.know(PREFIX(y, other) == PREFIX(x, other))


@pytest.mark.parametrize(
    ("kind", "box", "term", "wrong", "value", "point"),
    [
        (BlocksReader, BOX, IN_BLOCKS["flip twice"], everywhere, of_blocks, {"p": 8, "q": 0, "r": 0, "s": 0, "t": 1}),
        (DigitsReader, BASES, IN_DIGITS["put twice"], further, of_digits,
         {"p": 8, "q": 2, "r": 0, "s": 0, "t": 1, "k": 2}),
    ],
    ids=["blocks", "digits"],
)  # fmt: skip
def test_a_wrong_fact_would_be_seen(monkeypatch, kind, box, term, wrong, value, point):
    monkeypatch.setattr(kind, "above", wrong)
    reader = kind(box, p)
    reader(term)
    assert not z3.is_true(value(z3.And(reader.facts), point))


THEOREMS = {
    blocks: "flip_value flip_above below_block block_next length_bounds power_grows reverse_flip reverse_end",
    digits: "rest_order put_digit prefix_next log_bounds power_grows",
}


@pytest.mark.parametrize("module", THEOREMS, ids=lambda m: m.__name__)
def test_every_fact_is_a_theorem(module):
    """Each name beside a fact is one that Coq prints as resting on nothing."""
    named = set(re.findall(r"# (\w+)(?:, (\w+))?$", inspect.getsource(module), re.MULTILINE))
    names = {name for pair in named for name in pair if "_" in name}
    text = (HERE / f"{module.__name__.rpartition('.')[2]}.v").read_text(encoding="utf-8")
    proved = {*re.findall(r"^Print Assumptions (\w+)\.$", text, re.MULTILINE)}
    assert names and names <= proved and {*THEOREMS[module].split()} <= proved
    assert module is blocks or names == proved


BITS, ALIKE = p.bit_length(), ending(r, t) == ending(q, t)
CLAIMS = {
    "bits: twice": ((r ^ (1 << t)) ^ (1 << t) == r, True, False),
    "bits: below twice": ((r ^ (1 << t)) < 2 * p, True, False),
    "bits: never itself": ((r ^ (1 << t)) == r, False, False),
    "bits: commutes": (r ^ q == q ^ r, True, True),  # of two arbitrary numbers facts know nothing; bits do
    "bits: a counterexample to facts alone": (r ^ r == 0, True, True),
    "bits: begins a smaller block": (either(negate((r >> (t + 1)) << (t + 1) == r), (r >> t) << t == r), True, False),
    "bits: begins a larger one": (either(negate((r >> t) << t == r), (r >> (t + 1)) << (t + 1) == r), False, False),
    "bits: reversed numbers begin as numbers end": (
        where(reverse(r, BITS) ^ reverse(q, BITS) < 1 << (BITS - t), ALIKE, negate(ALIKE)),
        True,
        False,
    ),
    "bits: so they do with a bit fewer": (
        where(reverse(r, BITS) ^ reverse(q, BITS) < 1 << (BITS - t - 1), True, negate(ALIKE)),
        False,
        False,
    ),
    "bits: three shifted up": (3 << t == 3 * (1 << t), True, False),
    "bits: of four the logarithm is 2": (where(p >= 4, BITS >= 3, BITS < 3), True, False),
    "bits: of five it is no more": (where(p >= 5, BITS >= 3, BITS < 3), False, False),
    "bits: a power shifted up": ((1 << (BITS - t)) << t == 1 << BITS, True, False),
    "bits: the next block": (((r >> t) + 1) << t == ((r >> t) << t) + (1 << t), True, False),
    "bits: a block that is the first but one": (where(r >> t == 1, (r >> t) << t == 1 << t, True), True, False),
    "bits: thirds of powers": (
        where(t % 2 == 0, 3 * ((1 << t) // 3) + 1, 3 * ((1 << t) // 3) + 2) == 1 << t,
        True,
        False,
    ),
    "bits: thirds of odd powers leave 2": (3 * ((1 << t) // 3) + 1 == 1 << t, False, False),
    "bits: division by the ranks": (both((1 << t) // 3 >= 0, r // p == 0), True, False),
    "digits: back": (put(put(r, t, 0, k), t, digit(r, t, k), k) == r, True, False),
    "digits: one": (digit(put(r, t, 1, k), t, k) == 1, True, False),
    "digits: zero is least": (put(r, t, 0, k) <= r, True, False),
    "digits: one is not": (put(r, t, 1, k) <= r, False, False),
    "digits: base 2 alone": (digit(r, t, k) < 2, False, False),
}
"""Whether a claim holds, and whether for p below 2^31 alone, since it was asked in bits."""


@pytest.mark.parametrize("name", CLAIMS)
def test_facts_decide(name):
    """What is so is proved; what is not has a counterexample that stands when evaluated."""
    claim, holds, below = CLAIMS[name]
    encoding = name.partition(":")[0]
    (answer,) = queries.answered([Obligation("claim", BASES if encoding == "digits" else BOX, claim)], True, encoding)
    assert (answer.holds, answer.below) == (holds, below)
    assert bool(answer.witness) != holds and not answer.problem


def test_what_facts_about_digits_do_not_decide_stays_open():
    """That a number is its prefix and its rest is nowhere said."""
    claim = prefix(r, t, k) * power(k, t) <= r
    (answer,) = queries.answered([Obligation("product", BASES, claim)], True, "digits")
    assert not answer.holds and answer.problem == "the facts about digits do not decide it"


def test_bases_that_cannot_be_read():
    """Two, or one that may be 1."""
    reader = DigitsReader(BASES, p)
    with pytest.raises(Undecided, match="only one base"):
        reader(digit(r, t, 3))
    with pytest.raises(Undecided, match="of which the hypotheses say >= 2"):
        DigitsReader(RANKS, p)(digit(r, t, k))


@pytest.mark.parametrize(
    ("encoding", "hypotheses"), [("bits", (*BOX, r >> t > r)), ("digits", (*BASES, prefix(r, t, k) > r))]
)
def test_hypotheses_that_contradict_each_other_prove_nothing(encoding, hypotheses):
    """Nothing small satisfies them, nor does anything else."""
    (answer,) = queries.answered([Obligation("any", hypotheses, r == q)], True, encoding)
    assert not answer.holds


def test_a_fact_is_remembered_of_its_own_terms():
    """Written once, and put once for equal terms, in their order; of terms that nobody else keeps no other gets it."""
    made = []
    fact = remembered(lambda x, e: made.append(1) or x - e)
    both = remembered(lambda x, e: (x < e, power_of_two(e) == x))
    power_of_two = z3.Function("power_of_two", z3.IntSort(), z3.IntSort())
    x, e = z3.Ints("x e")

    assert fact(x, e).eq(x - e) and fact(e, x).eq(e - x) and fact(z3.Int("x"), z3.Int("e")).eq(x - e)
    assert all(fact(x + i, e).eq(x + i - e) for i in range(1000))
    assert fact(x, e) is fact(x, e) and len(made) == 1
    assert [one.eq(other) for one, other in zip(both(x + e, e), (x + e < e, power_of_two(e) == x + e))] == [True] * 2
