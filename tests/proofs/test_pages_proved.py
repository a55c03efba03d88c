"""Compositions: what is proved of each, wrong texts that proof alone refuses, and the same in other words."""

from __future__ import annotations

import ast
import inspect
from dataclasses import replace
from re import search

import pytest

import sparring
from sparring.proofs.core import kernel, samples
from sparring.proofs.core.conjectures import conjectures
from sparring.proofs.core.questions import answered
from sparring.proofs.core.supplement import subject
from sparring.proofs.core.verdicts import PROVED, PROVED_BELOW
from sparring.proofs.mutants.planting import built
from sparring.spec.core.exchanges import served
from sparring.spec.core.model import load
from tests.proofs.wrong_texts import refusals, wrong

USUAL = ["result", "agreement", "partition", "deadlock", "contention", "peers"]
MORE = {
    "arc_top_k": ["conservation", "claim: result", "claim: conservation"], "flash": ["claim: error"],
    "lossy_two_shot": ["claim: staleness"], "moshpit": ["conservation", "volume", "claim: sides"],
    "oktopk": ["conservation", "claim: thresholds", "claim: volume"], "one_bit": ["conservation"],
    "power_sgd": ["conservation", "claim: result", "claim: partition"], "qsgd": ["claim: result", "claim: volume"],
    "thc": ["claim: result"],
}  # fmt: skip
"""What is proved of a page beside the usual theorems."""


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", MORE)
def test_all_are_proved_for_every_p_and_each_has_a_fault(name):
    """What was proved of the same code before is told again."""
    found = sparring.prove(name, keep=True).extra["theorems"]
    assert {one["mutant"] for one in found} == {"refuted"}
    proved(name, {one["name"]: one["verdict"] for one in found})


@pytest.mark.parametrize(
    ("name", "params"),
    [*((name, {"through": "two_shot"}) for name in ("arc_top_k", "power_sgd")), ("qsgd", {"levels": 16000})],
)
def test_so_they_are_with_other_parameters(name, params):
    found = kernel.prove(sparring.page(name, **params), planted=False)
    proved(name, {one.name: str(one.verdict) for one in found})


def proved(name, found):
    gone = {"agreement"} if not sparring.page(name).agrees else set()
    assert {*USUAL, *MORE[name]} - gone <= {*found}
    assert gone.isdisjoint(found)
    assert {*found.values()} <= {str(PROVED), str(PROVED_BELOW)}


LOST, OTHER = "nothing is lost", "the result is what the page ensures"
OWN, BOTH = "a rank's own condition, .*, decides what it does next", "with what only the owner of the index has"
PARTIAL, TERMS = "the result is partial", "different terms"
LEFT = "x.only(~(sent & y.support()))"
AGAIN = "    if due(call, params.tau_prime):\n        least"
ESTIMATE = "State(nearer(at, state.kept, given), v, sums)"
SKETCH = "sketched(given, shape, params.sketch, call, params.seed)"
CHANCES = "each(level, x, one, chances(params.seed, call, {}, x), params.levels)\n    y"
WRONG = [
    ("flash", "return (yield allgather(sums,", "return sums; (yield allgather(sums,", "agreement", "is shard"),
    ("flash", "reduce_scatter(x,", "reduce_scatter(x + x,", "result", OTHER),
    ("one_bit", "s = mean + state.server", "s = mean", "conservation", LOST),
    ("one_bit", "left(v, read(code, v)), left(s, read(code, s))", "left(s, read(code, s)), left(v, read(code, v))",
     "result", "a rank combines what it has itself " + BOTH),
    ("one_bit", "where(is_number(read), v - read, 0)", "v - read", "result", "nothing of it is in worker"),
    ("qsgd", CHANCES.format("r"), CHANCES.format("r + 1"), "result", OTHER),
    ("qsgd", "Levels(params.levels)", "Levels(one)", "deadlock", TERMS),
    ("qsgd", "rises(t, chance), levels)", "rises(t, chance), levels) + 1", "claim: result", "none below 0"),
    ("thc", "    ends = yield gather(extremes(x), Raw())\n    at = grid(ends,", "    at = grid(extremes(x),",
     "agreement", PARTIAL),
    ("thc", "low * p + step * q", "low + step * q", "claim: result", "of no rank"),
    ("thc", "wide(params.bits, p)", "wide(p, params.bits)", "volume", "all ranks' numbers"),
    ("arc_top_k", f"near = yield allreduce({SKETCH}, through=params.through)", f"near = {SKETCH}", "result", TERMS),
    ("arc_top_k", 'State(where(at, 0, given)) if params.feedback == "ef14" else State()', "State(where(at, 0, given))",
     "result", "kept is what the state says of it"),
    ("arc_top_k", "    return sums, State(where", "    return where(at, given, 0), State(where", "agreement", PARTIAL),
    ("power_sgd", "(yield allreduce(crossed(m, left, shape), through=params.through)) / p",
     "(yield allreduce(crossed(m, left, shape), through=params.through))", "result", OTHER),
    ("power_sgd", "State(m - y, right)", "State(m - y, q)", "result", "q is what a call leaves"),
    ("power_sgd", "(state.q, shape, call, params.seed), shape.columns, params.epsilon)\n    sums",
     "(x, shape, call, params.seed), shape.columns, params.epsilon)\n    sums", "result", OTHER),
    ("power_sgd", "if not worth(shape.rows, shape.columns, shape.width, params.rate):\n        return (yield",
     "if not x > 0:\n        return (yield", "result", "ranks part ways"),
    ("lossy_two_shot", "own_chunk(held, r, p) + new", "own_chunk(held, r - 1, p) + new", "result", OTHER),
    ("lossy_two_shot", "new = mean(got, now, p, params)", "new = got.entries", "result", "not the owner's"),
    ("lossy_two_shot", "Losing(params.seed, params.lost), x", "Losing(r, params.lost), x", "deadlock", TERMS),
    ("oktopk", LEFT, "x.only(~(sent & reaching(sums, least)))", "result", BOTH),
    ("oktopk", "uneven(sizes, params.trigger)", "count(kept) > params.trigger", "deadlock", OWN),
]  # fmt: skip
"""Of a page: what stands in its text, and what instead; which theorem is lost, and why."""
SLOW = [
    ("oktopk", AGAIN, "    sums = yield reduce_scatter(sums)\n" + AGAIN, "deadlock",
     "reduce_scatter of what only the owner of an index has"),
    ("oktopk", "    after =", "    y = y.only(reaching(y, local))\n    after =", "result",
     "the result is what the page ensures fails at p=1"),
    ("oktopk", "apart(count(kept))", "apart(count(mine))", "deadlock", "these are not the sizes"),
    ("oktopk", "count(y), params), bounds)\n", "count(y), params), least)\n", "result", "bounds is what the page"),
    ("oktopk", "return call % period == 0", "return call % 1 == 0", "claim: thresholds", "none between"),
    ("oktopk", "    if uneven(sizes, params.trigger):\n        kept = yield balance(kept, sizes)\n", "",
     "claim: volume", "the text does not call balance"),
    ("oktopk", "if uneven(sizes, params.trigger):", "if True or uneven(sizes, params.trigger):",
     "volume", "what is dealt out anew lies unevenly"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "old", "new", "prop", "why"), [*WRONG, *(pytest.param(*one, marks=pytest.mark.slow) for one in SLOW)]
)
def test_wrong_texts_are_refused(name, old, new, prop, why):
    found = refusals(wrong(name, old, new))
    assert prop in found and search(why, found[prop]), found


SAME = [
    ("arc_top_k", "State(where(at, 0, given))", "State(given - where(at, given, 0))"),
    ("power_sgd", "State(m - y, right)", "State(x - y + state.kept, right)"),
    ("lossy_two_shot", "own_chunk(held, r, p) + new", "new + own_chunk(held, r, p)"),
    ("qsgd", "    return plain(y)", "    z = y\n    return plain(z)"),
    ("oktopk", "~(sent & y.support())", "~sent | ~y.support()"),
]
SAME_SLOW = [
    ("moshpit", "e = t % d", "e = (t + 0) % d"),
    ("oktopk", LEFT, "x - x.only(sent & y.support())"),
    ("oktopk", 'y = yield allgather(kept, through="bruck_allgather")', "y = yield allgather(kept)"),
]


@pytest.mark.parametrize(
    ("name", "old", "new"), [*SAME, *(pytest.param(*one, marks=pytest.mark.slow) for one in SAME_SLOW)]
)
def test_the_same_in_other_words_is_not(name, old, new):
    assert refusals(wrong(name, old, new)) == {}


MOSHPIT = [
    ("e = t % d", "e = (d - 1 - t) % d", "result", "each of m meets it"),
    ("averaging(x,", "averaging(x + x,", "conservation", "a round averages what it begins"),
    ("moved(cell, e, index, params.m)", "cell", "result", "who looked after a part takes that cell"),
    ("params.rounds or d,", "params.rounds or d + r,", "result", "own "),
    ("params.m), t, params)", "params.m), t - 1, params)", "conservation", "a round asks for who"),
    ("1), m) + 1", "1), m) + 2", "claim: sides", "with one less there is not"),
]
"""Of these the claims are asked one by one, since what facts about digits leave open takes long."""
AVERAGES = [
    ("either(own, came)))", "came))", "conservation", "in a mean is who sent its copy"),
    ("return w * x", "return x", "conservation", "what they had"),
    ("return both(counted, hears)", "return counted", "conservation", "who dies in the first step hears"),
    ("both(lives, both(", "either(lives, both(", "conservation", "who dies keeps what it had"),
    ("both(counted, either(own, told))", "either(own, told)", "conservation", "whoever takes a mean"),
    ("amount // total", "(amount + total - 1) // total", "partition", "no more together"),
    ("amount // total", "amount // total + 1", "volume", "equal parts"),
]


def refused(whole, theorem):
    """The claims of a theorem with a solver's counterexample; about digits those that a point shows false."""
    for claim in next(one for one in conjectures(whole.general) if one.name == theorem).obligations:
        if claim.encoding != "digits" or samples.false_at(claim):
            (answer,) = answered([claim], False, claim.encoding or ("digits" if theorem == "claim: sides" else "wrap"))
            if answer.witness and not answer.problem:
                yield claim.name.removeprefix("averaging: ").removeprefix("ranks: ")


@pytest.mark.parametrize(("old", "new", "theorem", "why"), MOSHPIT)
def test_wrong_rounds_are_refused(old, new, theorem, why):
    assert any(name.startswith(why) for name in refused(subject(wrong("moshpit", old, new)), theorem))


def averaged(old, new):
    """All that is proved of Moshpit, with averages in whose formulas ``new`` stands for ``old``."""
    exchange = served("averaging")
    source = inspect.getsource(exchange.module)
    assert old in source
    changed = load(built(exchange.module, ast.parse(source.replace(old, new))))
    return replace(subject(sparring.page("moshpit")), served=lambda n: changed if n == "averaging" else served(n))


@pytest.mark.parametrize(("old", "new", "theorem", "why"), AVERAGES)
def test_wrong_averages_are_refused(old, new, theorem, why):
    assert any(name.startswith(why) for name in refused(averaged(old, new), theorem))


@pytest.mark.parametrize("theorem", ["conservation", "partition", "volume"])
def test_the_same_averages_are_not(theorem):
    whole = averaged("return w * x", "return x * w")
    (one,) = (one for one in conjectures(whole.general) if one.name == theorem)
    assert all(answer.holds for answer in answered(one.obligations, True, one.encoding))
