"""A text read on extents: what it sends on each way through, and what is caught where it says too little."""

from __future__ import annotations

import ast
import linecache
import sys
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import pytest

import sparring
from sparring.errors import InputError, Undecided
from sparring.proofs.logic.queries import answered
from sparring.proofs.reading.ways import usual, ways
from sparring.proofs.statements.volume import sharing, sizes, volume
from sparring.spec.codecs.group_quantiser import Grouped
from sparring.spec.codecs.packed_integers import Packed
from sparring.spec.codecs.sign_codec import Signs
from sparring.spec.core.loading import load
from sparring.spec.core.numbers import Sym, evaluate

TEXT = '''"""A page."""
from typing import Any, NamedTuple
from sparring.spec.core.exchanges import allgather, allreduce, apart, gather, reduce_scatter
from sparring.spec.core.vectors import Vector, local, where
data = "dense"

class Params(NamedTuple):
    k: int = 2
    every: int = 3

class State(NamedTuple):
    kept: Any = 0

@local(length=lambda n, k: 2 * k)
def factor(x, k):
    return x.having([x.zero] * (2 * k))

@local(length=lambda n, most: n, most=lambda n, most: most)
def mask(x, most):
    return Vector([i < most for i in range(len(x))], zero=False)

@local
def odd(x):
    return bool(x[0] % 2)

def program(x, p, call, state, params):
    v = x + state.kept
    BODY
    return x, State(v)
'''


def paged(body):
    """A page with these lines in its text, as if it stood in a file."""
    source = TEXT.replace("BODY", body.replace("\n", "\n    "))
    module = ModuleType("made_page")
    module.__file__ = "made_page.py"
    sys.modules["made_page"] = module
    linecache.cache["made_page.py"] = len(source), None, source.splitlines(True), "made_page.py"
    exec(compile(ast.parse(source), "made_page.py", "exec"), module.__dict__)  # our own text
    return load(module)


def sent(way):
    return [(one.exchange, repr(one.length), one.whole) for one in way.sent]


def told(body):
    """By the name of each way, what is sent."""
    return {way.name: sent(way) for way in ways(paged(body))}


def test_lengths_follow_the_text():
    body = (
        "y = yield allreduce(factor(v, params.k))\nz = yield reduce_scatter(v + 1)\ny = yield allgather(where(z, z, 0))"
    )
    wanted = [("Allreduce", "(2 * k)", False), ("ReduceScatter", "n", False), ("Allgather", "n", False)]
    assert told(body) == {"the first call": wanted, "a usual call": wanted}


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("y = yield gather(v)\nz = yield gather(params.k)", [("Gather", "n", True), ("Gather", "1", True)]),
        ("y = yield allreduce(v, through='direct_allgather')", [("Allreduce", "n", True)]),
        ("y = yield apart(v)", []),
        ("y = yield allreduce(v, at=mask(v, params.k + 1))", [("Allreduce", "(k + 1)", False)]),
        ("y = yield allreduce(v, at=v > 0)", [("Allreduce", "n", False)]),
    ],
)
def test_what_is_sent(body, wanted):
    """What each has is whole, and a number is one entry; of a mask as many are sent as are true at most."""
    assert told(body)["a usual call"] == wanted


def test_branches_are_told_by_their_conditions():
    """A first call is one that is no later one; what lengths and numbers decide is no branch."""
    body = "if call % params.every == 0:\n    y = yield allreduce(v)\nif p > 1:\n    y = yield allreduce(v)"
    one = ("Allreduce", "n", False)
    assert told(body) == {
        "the first call": [one, one],
        "calls where call % params.every == 0": [one, one],
        "a usual call": [one],
    }
    assert usual(ways(paged(body))).name == "a usual call"


def test_what_entries_decide_goes_both_sides():
    body = "if not odd(v):\n    y = yield allreduce(v)"
    found = ways(paged(body))
    assert {(way.name, len(way.sent)) for way in found if not way.first} == {
        ("calls where not odd(v)", 1),
        ("a usual call", 0),
    }
    assert usual(found).name == "calls where not odd(v)"  # where more is sent


def test_what_grows_from_call_to_call_has_no_length():
    body = "y = yield allreduce(v)\nv = local(length=lambda n: n + 1)(lambda x: x)(v if call == 0 else state.kept)"
    with pytest.raises(Undecided, match="grow from call to call"):
        ways(paged(body))


def test_a_text_that_goes_through_a_vector_is_not_read_for_ever():
    """What each rank has, say: there is no end of entries of which only the number is known."""
    with pytest.raises(Undecided, match="gone through one by one"):
        ways(paged("for one in (yield gather(v)):\n    v = v + one"))
    with pytest.raises(Undecided, match="gone through one by one"):
        ways(paged("for one in (yield allreduce(v))[1:]:\n    v = v + one"))


def test_parameters_are_checked_first():
    with pytest.raises(InputError, match="b1 = 9: it must be "):
        ways(sparring.page("flash", b1=9))


GOOD = "y = yield allreduce(factor(v, params.k))\ny = yield allreduce(v, at=mask(v, params.k))"


def refuted(obligations):
    return [one.obligation.name for one in answered([*obligations], second_opinion=False) if not one.holds]


def test_a_length_that_is_declared_too_short_is_refuted():
    assert refuted(volume(paged(GOOD))) == []
    for old, new in (("n, k: 2 * k)", "n, k: k)"), ("most=lambda n, most: most", "most=lambda n, most: most - 1")):
        page = paged(GOOD)
        entry: Any = linecache.cache["made_page.py"]
        source = "".join(entry[2])
        assert old in source
        exec(compile(source.replace(old, new), "made_page.py", "exec"), page.module.__dict__)
        found = refuted(volume(load(page.module)))
        assert found and all(name.startswith("as long as declared: p=") for name in found)


SPARSE = """from sparring.spec.library.sparse_allreduce import sparse_allreduce
taken = local(length=lambda n, most: n, most=lambda n, most: {})(lambda x, most: mask(x, {}))
y = yield sparse_allreduce(v, taken(v, params.k), "{}")"""


@pytest.mark.parametrize(
    ("says", "takes", "through", "right"),
    [
        ("most", "most", "ring_allgather", True),
        ("most", "most - 1", "ring_allgather", True),
        ("most - 1", "most", "ring_allgather", False),
        ("most - 1", "most", "ring_sparse", True),  # whose chunks may go dense
    ],
)
def test_lists_have_at_most_as_many_entries_as_the_text_says(says, takes, through, right):
    """How many they have is up to the vectors: fewer is no fault, and more is."""
    assert (refuted(volume(paged(SPARSE.format(says, takes, through)))) == []) == right


@dataclass(frozen=True)
class Less(Signs):
    """A last byte that is not full is not told."""

    def octets(self, c, width):
        return width + c // 8


@dataclass(frozen=True)
class Falling(Signs):
    """It gets shorter."""

    def octets(self, c, width):
        return 9 * width - c


@dataclass(frozen=True)
class Few(Packed):
    """Planes are taken to be shared."""

    def octets(self, c, width):
        return self.bits * (c // 8) if isinstance(self.bits, Sym) else super().octets(c, width)


P = Sym.var("p")
BITS = 3 + (P - 1).bit_length()


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        *((code, "") for code in (Signs(2), Grouped(3, 4, 1), Packed(5), Packed(BITS))),
        (Less(2), "1 entries"),
        (Falling(2), "no shorter"),
        (Few(BITS), "no longer than"),
    ],
    ids=repr,
)
def test_codes_that_are_longer_than_they_say_are_refuted(code, reason):
    found = refuted(sizes(code))
    assert any(reason in name for name in found) if reason else found == []


def test_chunks_of_equal_length_with_the_rest_dropped_are_refuted():
    assert refuted(sharing()) == []
    assert "chunks are all" in refuted(sharing(lambda c, n, p: c * (n // p)))


def test_a_number_of_bits_is_a_formula_of_the_number_of_ranks():
    *_, last = usual(ways(sparring.page("thc"))).sent
    assert [evaluate(last.code.bits, p=ranks) for ranks in (2, 3, 4, 5, 9)] == [5, 6, 6, 7, 8]
