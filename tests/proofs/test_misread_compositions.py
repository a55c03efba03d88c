"""Pages that are wrong in what a reading on points might overlook are not proved; their correct twins are."""

from __future__ import annotations

from textwrap import indent
from typing import Any

import pytest

import sparring
from sparring.errors import InputError, Undecided
from sparring.proofs.logic.verdicts import PROVED
from sparring.proofs.proving import proving
from sparring.proofs.reading.lengths import Number, Reading
from tests.proofs.single_questions import ANSWERS

HEAD = '''"""A page that is read."""

from dataclasses import dataclass
from typing import Any, ClassVar

from sparring.spec.codecs.packed_integers import Raw
from sparring.spec.core.exchanges import allgather, allreduce, apart, gather, own_chunk, reduce_scatter
from sparring.spec.core.vectors import local, total, where
from sparring.spec.core.wire_forms import PLAIN, Coding

data = "dense"


@dataclass(frozen=True)
class Nothing(Coding):
    exact: ClassVar[bool] = True

    def encode(self, x):
        return x

    def decode(self, x):
        return x * 0

    def written(self, x):
        return [*x]


@dataclass(frozen=True)
class Box:
    v: Any


class Bag:
    def __init__(self, v):
        self.v = v


def times(k):
    return local(lambda x: x * k)


double = local(lambda x: x * 2)
also = local(lambda x: x * 2)
triple = local(lambda x: x * 3)
twofold, threefold = times(2), times(3)


@local
def read(code, x):
    return x * 2


@local
def norm(x):
    return sum(abs(v) for v in x)


@local
def second(pairs):
    return pairs[0][1]


@local
def first(vectors):
    return vectors[0]


@local
def longest(vectors):
    return max(map(len, vectors))


in_dict = local(lambda y, held: held["v"])
in_set = local(lambda y, held: max(held))
in_object = local(lambda y, held: held.v)


'''
"""What the pages begin with."""


def page(tmp_path, program, ensures):
    """Return a page with this text and these results."""
    file = tmp_path / "misread.py"
    said = f"def program(x, r, p):\n{indent(program, '    ')}\n\n\ndef ensures(x):\n    return {ensures}\n"
    file.write_text(HEAD + said)
    return sparring.page(str(file))


def verdicts(found):
    """Return what is said of the result; of a page that is refused as bad input, why.

    No fault is planted: a wrong page must be refused for what it is, and not since nothing upsets it.
    """
    try:
        told = proving.prove(found, planted=False, memory=ANSWERS)
        return {one.name: one.verdict for one in told if one.name in ("result", "agreement")}
    except InputError as why:
        return {"page": str(why)}


SUMS, CHUNKS = "y = yield allreduce(x)\n", "s = yield reduce_scatter(x)\n"
TWINS = {
    "lambdas": ("return (yield allreduce({}(x)))", "total(double(x))", "triple", "also"),
    "made by one function": ("return (yield allreduce({}(x)))", "total(twofold(x))", "threefold", "twofold"),
    "sparring's name": ("return (yield allreduce(read(PLAIN, x)))", "total({})", "x", "read(PLAIN, x)"),
    "a variable outside": (
        "@local\ndef inner(v):\n    return v + {}\ny = yield allreduce(x)\nreturn inner(y) - inner(y) + y", "total(x)",
        "norm(x)", "norm(y)",
    ),
    "an entry": (
        CHUNKS + "return (yield allgather(s - {}))", "total(x) - {}",
        "s[0]|total(x)[0]", "s|total(x)",
    ),
    "an attribute": (
        CHUNKS + "return (yield allgather(s - {}))", "total(x) - {}",
        "s.n|total(x).n", "s|total(x)",
    ),
    "a dict": (
        SUMS + "return in_dict(y, {})", "in_dict(total(x), {})",
        "{'v': x}|{'v': x}", "{'v': y}|{'v': total(x)}",
    ),
    "a set": (SUMS + "return in_set(y, {})", "in_set(total(x), {})", "{x}|{x}", "[y]|[total(x)]"),
    "an object": (
        SUMS + "return in_object(y, {})", "in_object(total(x), {})",
        "Bag(x)|Bag(x)", "Box(y)|Box(total(x))",
    ),
    "constants apart": (
        SUMS + "a = yield apart((x, 1))\nb = yield apart((x, {}))\nreturn y + second(a) - second(b)",
        "total(x)", "2", "1",
    ),
    "a chunk apart": (
        SUMS + CHUNKS + "a = yield apart(y)\nb = yield apart({})\nreturn y + longest(a) - longest(b)", "total(x)",
        "s", "y",
    ),
    "lists by rank": (
        SUMS + "a = yield gather(x)\nb = yield gather(y)\nreturn y + {}", "total(x)",
        "first(a + b) - first(b + a)", "first(a) - first(a)",
    ),
    "an exact code": ("return (yield allreduce(x, {}, 'direct_allgather'))", "total(x)", "Nothing()", "Raw()"),
    "an own chunk": (
        SUMS + "return y + norm({})", "total(x) + norm(total(x))", "own_chunk(y, r, p)", "y",
    ),
    "a chunk and a whole vector": (
        SUMS + CHUNKS + "return (yield allgather({} + norm(s) - norm(s)))", "total(x)", "y", "s",
    ),
    "an equality": (
        SUMS + "z = yield allreduce(x)\nreturn where({}, y, y - y)", "where({}, total(x), 0)",
        "y == z|total(x) == total(x)", "norm(y) == norm(z)|norm(total(x)) == norm(total(x))",
    ),
    "a branch": (
        SUMS + "if {} > 0:\n    return y\nreturn y - y", "where({} > 0, total(x), 0)",
        "y|total(x)", "norm(y)|norm(total(x))",
    ),
}  # fmt: skip
"""By what is misread: a text and what it ensures, with gaps; what makes these wrong, and what makes them right."""


def filled(text, words):
    return text.replace("{}", words)


@pytest.mark.parametrize("what", TWINS)
def test_what_a_reading_might_overlook(tmp_path, what):
    """The wrong page is not proved, its correct twin is."""
    program, ensures, wrong, right = TWINS[what]
    for words, so in ((wrong, False), (right, True)):
        first, _, last = words.partition("|")
        found = verdicts(page(tmp_path, filled(program, first), filled(ensures, last or first)))
        assert all(verdict == PROVED for verdict in found.values()) == so, (words, found)


CLASH = (
    HEAD.replace("import Any, ClassVar", "import Any, ClassVar, NamedTuple")
    + """
class State(NamedTuple):
    kept_0: Any = 0


@local
def state_kept(x):
    return x * 0


@local
def another(x):
    return x * 0


def program(x, state, call):
    none = FUNCTION(x)
    y = yield allreduce(where(call > 0, x + none - TAKEN, x))
    return y, State(x)


def ensures(x):
    return total(x)


def leaves(x):
    return {"kept_0": x}
"""
)


@pytest.mark.parametrize(
    ("function", "taken", "so"),
    [("state_kept", "state.kept_0", False), ("another", "state.kept_0", False), ("state_kept", "none", True)],
)
def test_a_local_function_is_no_part_of_the_state(tmp_path, function, taken, so):
    """What a function gives is told apart from a part of the state, however both are called."""
    file = tmp_path / "clash.py"
    file.write_text(CLASH.replace("FUNCTION", function).replace("TAKEN", taken))
    found = verdicts(sparring.page(str(file)))
    assert all(verdict == PROVED for verdict in found.values()) == so, found


def test_nothing_is_gone_through_for_ever():
    """Python asks what has items and no end for one after the other."""
    number: Any = Number(Reading())
    with pytest.raises(Undecided, match="entry by entry"):
        tuple(number)
