"""What is proved of texts between exchanges, and what is refused, each with its reason; correct twins pass."""

from __future__ import annotations

import re
from types import ModuleType
from typing import Any, Literal, NamedTuple

import pytest

from sparring.proofs.logic.verdicts import PROVED, PROVED_CHOSEN, REFUTED, UNDECIDED
from sparring.proofs.proving import proving
from sparring.proofs.reading.paths import paths
from sparring.proofs.statements import compositions
from sparring.spec.core.exchanges import allgather, allreduce, apart, gather, reduce_scatter
from sparring.spec.core.loading import load
from sparring.spec.core.regions import even, means
from sparring.spec.core.vectors import Vector, by_length, each, entrywise, local, owned, total, where
from tests.proofs.single_questions import ANSWERS, judged
from tests.sweeps import third


class State(NamedTuple):
    """What stays behind."""

    kept: Any = 0


def page(program, ensures=None, **names):
    """A page with this text; by default it ensures nothing but that."""
    module: Any = ModuleType("mine")
    module.program, module.ensures, module.data = program, ensures or total, "dense"
    vars(module).update(names)
    return load(module)


@local
def norm(x):
    return sum(v * v for v in x)


@local
def halves(x):
    return x


@entrywise
def reaches(v, least):
    return each(lambda u: abs(u) >= least, v)


def summed(x):
    return (yield allreduce(x))


def told_apart(x):
    yield apart(1)
    return (yield allreduce(x))


@pytest.mark.parametrize("program", [summed, lambda x: (yield allgather((yield reduce_scatter(x)))), told_apart])
def test_sums_are_proved(program):
    """And not what is three times as much."""
    assert {a.verdict for a in proving.prove(page(program), planted=False, memory=ANSWERS)} == {PROVED}
    assert judged(page(program, lambda x: total(x) * 3))[0] != PROVED


def own(x):
    yield allreduce(x)
    return x


def no_bounds(x):
    bounds = yield gather(halves(x))
    return (yield allgather((yield reduce_scatter(x, bounds=bounds))))


def two_owners(x, p):
    bounds = means((yield apart(even(x, p))))
    a = yield reduce_scatter(x, bounds=bounds)
    return (yield allgather(a - (yield reduce_scatter(x))))


OTHER = "the result is what the page ensures"
WRONG = {
    "added up twice": (lambda x: (yield allreduce((yield allreduce(x)))), "result",
                       "allreduce of sum of x, which has been added up already"),
    "doubled": (lambda x: (yield allreduce(x + x)), "result", OTHER),
    "a rank's own": (own, "agreement", "the result is partial"),
    "a shard": (lambda x: (yield reduce_scatter(x)), "agreement", "the result is shard"),
    "pieces of what all have": (lambda x: (yield allgather((yield allreduce(x)))), "result",
                                "allgather of what all ranks have"),
    "pieces of each rank's own": (lambda x: (yield allgather(x)), "result",
                                  "allgather of what every rank has itself"),
    "scattered twice": (lambda x: (yield allgather((yield reduce_scatter((yield reduce_scatter(x)))))), "result",
                        "reduce_scatter of what only the owner of an index has"),
    "at a rank's own places": (lambda x: (yield allreduce(x, at=reaches(x, 1))), "deadlock",
                               "ranks yield exchanges with different terms"),
    "a rank's own branch": (lambda x: (yield allreduce(x)) if norm(x) > 1 else x, "deadlock",
                            "a rank's own condition, .* decides what it does next"),
    "own and the owner's": (lambda x: x + (yield reduce_scatter(x)), "result",
                            "a rank combines what it has itself with what only the owner of the index has"),
    "at a rank's own bounds": (lambda x: (yield allgather((yield reduce_scatter(x, bounds=halves(x))))), "deadlock",
                               "ranks yield exchanges with different terms"),
    "no bounds": (no_bounds, "result", "nothing says that these cut the vector"),
    "two owners": (two_owners, "result", "shards of two owners are combined"),
    "of another kind": (lambda x: (yield allgather((yield reduce_scatter(x)), through="two_shot")), "result",
                        "its kind is allreduce; right for allgather is allgather"),
    "of a rank's own choice": (lambda x: where(reaches(x, 1), (yield allreduce(x)), 0), "agreement",
                               "the result is partial"),
}  # fmt: skip


@pytest.mark.parametrize(("program", "prop", "why"), third(WRONG.values()), ids=WRONG)
def test_what_no_rank_can_do_or_is_another_sum_is_refused(program, prop, why):
    verdict, told = judged(page(program), prop)
    assert verdict == REFUTED and re.search(why, told), told


def test_both_sides_of_a_branch_that_all_share_are_read():
    def program(x, call):
        if call == 3:
            return (yield allreduce(x))
        return (yield allreduce(x + x))

    def ensures(x, call):
        return total(x) if call == 3 else total(x + x)

    one = page(program, ensures)
    assert judged(one)[0] == PROVED
    assert sum("ranks" in path.name for path in paths(one)) == 3  # the first call, and two sides
    verdict, told = judged(page(program, lambda x: total(x + x)))
    assert verdict == REFUTED and "call=3" in told


def test_all_words_of_a_parameter_are_read():
    class Params(NamedTuple):
        through: Literal["ring", "two_shot"] = "ring"
        k: int = 5

    def program(x, params):
        return (yield allreduce(x * 3 if params.through == "ring" else x, through=params.through))

    names = {"Params": Params}
    right = page(program, lambda x, params: total(x * 3 if params.through == "ring" else x), **names)
    assert judged(right)[0] == PROVED
    verdict, told = judged(page(program, lambda x: total(x * 3), **names))
    assert verdict == REFUTED and "through = two_shot" in told


@pytest.mark.parametrize(
    ("ensures", "verdict"),
    [
        (lambda x: total(halves(2 * x)), PROVED),
        (lambda x: total(halves(3 * x)), REFUTED),
        (lambda x: halves(total(2 * x)), REFUTED),
    ],
)
def test_a_local_function_is_the_same_letter_for_equal_arguments_alone(ensures, verdict):
    assert judged(page(lambda x: (yield allreduce(halves(x + x))), ensures))[0] == verdict


@pytest.mark.parametrize(("function", "verdict"), [(halves, REFUTED), (entrywise(lambda x: x), PROVED)])
def test_a_local_function_of_a_chunk_is_not_that_of_the_whole(function, verdict):
    """But one of single entries is."""
    one = page(lambda x: (yield allgather(function((yield reduce_scatter(x))))), lambda x: function(total(x)))
    assert judged(one)[0] == verdict


@pytest.mark.parametrize(
    ("kept", "verdict"),
    [(lambda x, v, sent: v - sent, PROVED), (lambda x, v, sent: v, REFUTED), (lambda x, v, sent: x - sent, REFUTED)],
)
def test_conservation_over_calls(kept, verdict):
    def program(x, state):
        v = x + state.kept
        sent = where(reaches(v, 1), v, 0)
        y = yield allreduce(sent)
        return y, State(kept(x, v, sent))

    def ensures(x, state):
        return total(where(reaches(x + state.kept, 1), x + state.kept, 0))

    one = page(program, ensures, State=State, waiting=lambda state: total(state.kept))
    assert judged(one, "conservation")[0] == verdict and judged(one)[0] == PROVED


def test_means_and_what_an_owner_keeps():
    def program(x, p, state):
        mean = (yield reduce_scatter(x)) / p + state.kept
        return (yield allgather(halves(mean))), State(mean - halves(mean))

    def ensures(x, p, state):
        return chunks(total(x) / p + owned(state.kept))

    @local
    def chunks(x):
        return x

    names = {"State": State, "averages": True, "waiting": lambda state, p: p * owned(state.kept)}
    assert judged(page(program, ensures, **names), "conservation")[0] == PROVED
    names["waiting"] = lambda state: owned(state.kept)
    assert judged(page(program, ensures, **names), "conservation")[0] in (REFUTED, UNDECIDED)


def test_what_a_state_says_of_itself_must_stay_so():
    class Sums(NamedTuple):
        kept: Any = 0
        sums: Any = 0

    def program(x, state):
        more = yield allreduce(x)
        return state.sums + more, Sums(state.kept + x, state.sums + more)

    def forgets(x, state):
        more = yield allreduce(x)
        return state.sums + more, Sums(x, state.sums + more)

    def ensures(x, state):
        return total(state.kept + x)

    names = {"State": Sums, "told": lambda state: state._replace(sums=total(state.kept))}
    assert judged(page(program, ensures, **names))[0] == PROVED
    verdict, told = judged(page(forgets, ensures, **names))
    assert verdict == REFUTED and "sums is what the state says of it" in told
    assert judged(page(program, ensures, State=Sums))[0] == REFUTED


def test_one_rank_alone_is_read_apart():
    def program(x, p):
        if p == 1:
            return x + x
        return (yield allreduce(x))

    verdict, told = judged(page(program))
    assert verdict == REFUTED and told.startswith("one rank")
    assert judged(page(program, lambda x, p: total(x) * 2 if p == 1 else total(x)))[0] == PROVED


def test_what_cannot_be_read_is_undecided():
    verdict, told = judged(page(lambda x: (yield allreduce(x)) + 0.5))
    assert verdict == UNDECIDED and "0.5 cannot be read at a point" in told


@by_length
def long(x):
    return len(x)


@local(linear=True)
def turned(x, by):
    return x


@by_length
def whole(x):
    return Vector([True] * len(x), False)


@by_length
def filled(x):
    return max(len(x), 1)


def of_length(x):
    return (yield allreduce(x, at=whole(x), filled=filled(x)))


def test_what_a_length_says_is_the_same_on_all_ranks():
    """It may be a term of an exchange; what entries say may not, and lengths of other vectors are not known."""
    alike = page(of_length, lambda x: where(whole(x), total(x), 0), filled=filled)
    assert {judged(alike, prop)[0] for prop in ("result", "agreement", "deadlock")} == {PROVED}
    own = judged(page(lambda x: (yield allreduce(x, filled=norm(x)))))
    assert own[0] == REFUTED and "different terms" in own[1]
    other = judged(page(lambda x: (yield allreduce(x, filled=long(norm(x))))))
    assert other[0] != PROVED and "all ranks know of lengths is that of x" in other[1]


def test_a_linear_function_passes_through_sums_if_it_is_claimed_to_be_one(monkeypatch):
    """And if all ranks share its other arguments."""

    def result(ensures, by=lambda x: 1):
        return judged(page(lambda x: (yield allreduce(turned(x, by(x)))), ensures))

    verdict, told = result(lambda x: turned(total(x), 1))
    assert verdict != PROVED and "turned says that it is linear, which nothing proves" in told
    monkeypatch.setattr(compositions, "linear", lambda *_: [])
    assert result(lambda x: turned(total(x), 1))[0] == PROVED_CHOSEN
    assert result(lambda x: turned(x, 1))[0] != PROVED
    assert result(lambda x: halves(total(x)))[0] != PROVED
    assert result(lambda x: turned(total(x), x), lambda x: x)[0] != PROVED


def test_what_a_call_leaves_is_what_the_page_says():
    def program(x, state):
        y = yield allreduce(x)
        return y, State(x + state.kept)

    good = page(program, State=State, leaves=lambda x, state: {"kept": x + state.kept})
    assert judged(good)[0] == PROVED
    bad = judged(page(program, State=State, leaves=lambda x: {"kept": x}))
    assert bad[0] == REFUTED and "kept is what a call leaves" in bad[1]


def test_of_each_part_of_a_state_something_is_said():
    """Of one that a statement only hands on, and of which none waits, nothing is."""

    class Counted(NamedTuple):
        kept: Any = 0
        calls: Any = 0

    def program(x, state):
        y = yield allreduce(x)
        return y, Counted(x - x, state.calls + 1)

    names = {"State": Counted, "waiting": lambda state: total(state.kept)}
    for told in (lambda state: state, lambda state: state._replace(kept=state.kept - state.kept)):
        verdict, why = judged(page(program, **names, told=told))
        assert verdict == UNDECIDED and "nothing is said of what calls is after a call" in why
    said = judged(page(program, **names, leaves=lambda state: {"calls": state.calls + 1}))
    assert said[0] == PROVED


def test_a_page_may_say_that_what_is_not_sent_is_lost():
    """With some parameters; with others nothing may be lost."""

    class Params(NamedTuple):
        rule: Literal["lost", "kept"] = "lost"

    def program(x, state):
        y = yield allreduce(x + state.kept)
        return y - y, State(x)

    def waiting(state, params):
        return total(state.kept) if params.rule == "kept" else None

    names = {"State": State, "Params": Params}
    lost = page(program, lambda x: 0, **names, waiting=lambda state: None)
    assert "conservation" not in {
        one.name for one in proving.prove(lost, planted=False, memory=ANSWERS)
    }  # of nothing, nothing is proved
    kept = judged(page(program, lambda x: 0, **names, waiting=waiting), "conservation")
    assert kept[0] == REFUTED and "rule = kept" in kept[1]
