"""What is proved of pages; wrong texts that proof alone refuses, each with its reason; and the same in other words.

``verify --mutants`` plants every fault of its operators in every text, and counts what proof alone refuses.  Here are
faults that authors know, and reasons: one text for each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from re import search

import pytest

import sparring
from sparring.proofs.kernel import kernel
from sparring.proofs.logic import small_points
from sparring.proofs.logic.queries import answered
from sparring.proofs.logic.verdicts import EXPECTED, PROVED, PROVED_BELOW, proved_up_to
from sparring.proofs.mutants.planting import built
from sparring.proofs.mutants.texts import beside
from sparring.proofs.proving import proving, timing
from sparring.proofs.reading.annotations import Subject, subject
from sparring.proofs.reading.paths import paths
from sparring.proofs.statements.conjectures import conjectures
from sparring.spec.core.exchanges import served
from sparring.spec.core.loading import load
from tests.proofs.wrong_texts import changed, wrong
from tests.sweeps import sweep, third

FORMULAS = ["result", "agreement", "economy", "deadlock", "peers"]
TEXTS = ["result", "agreement", "partition", "deadlock", "contention", "volume", "peers"]
PLAIN = [name for name in TEXTS if name != "volume"]
FREE, MEETING = "rendezvous on crossbar", ("lock step on ring", "lock step on tree")
THEOREMS = {
    "recursive_doubling": [*FORMULAS, FREE, *MEETING], "ring_allgather": FORMULAS,
    "rabenseifner": [*FORMULAS, "partition", FREE, *MEETING],
    "pat": [*FORMULAS, "partition", FREE, *MEETING],
    "recursive_multiplying": [*FORMULAS, *MEETING, "lock step on crossbar", "lock step on fat_tree"],
    "two_shot": [*FORMULAS, "partition", *MEETING, "lock step on crossbar", "lock step on fat_tree"],
    "arc_top_k": [*PLAIN, "conservation", "claim: result", "claim: conservation"], "flash": [*TEXTS, "claim: error"],
    "ef21": TEXTS, "ef21_m": [*TEXTS, "claim: result"],
    "error_feedback": [*TEXTS, "conservation"], "lossy_two_shot": [*TEXTS[:1], *TEXTS[2:], "claim: staleness"],
    "moshpit": [*TEXTS[:1], *TEXTS[2:], "conservation", "claim: sides"],
    "oktopk": [*TEXTS, "conservation", "claim: thresholds", "claim: volume"], "one_bit": [*TEXTS, "conservation"],
    "power_sgd": [*PLAIN, "conservation", "claim: result", "claim: partition"],
    "qgz": [*TEXTS, "claim: error"], "qsgd": [*TEXTS, "claim: result", "claim: volume"],
    "thc": [*TEXTS, "claim: result"],
}  # fmt: skip
"""Of a page its theorems, but for links on which nothing meets; where messages meet, as it says, it is refuted."""


@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", sweep(THEOREMS, few=("recursive_doubling", "flash", "moshpit")))
def test_all_are_proved_for_every_p(name):
    """By both solvers, each claim with a refuted fault; of formulas without a bound, of a radix for every radix.

    What was proved of the same code before is told again.
    """
    found = {one["name"]: one for one in sparring.prove(name, keep=True).extra["theorems"]}
    crowded = found.pop("timing", {"verdict": str(proved_up_to(timing.TIMED))})
    theorems = [one for one in found.values() if one["verdict"] in (str(PROVED), str(PROVED_BELOW))]
    meeting = {one for one in found if found[one]["verdict"] == str(EXPECTED)}
    assert {one for one in found if " on " not in one or one in (FREE, *meeting)} == {*THEOREMS[name]}
    assert len(theorems) + len(meeting) == len(found) and meeting == {n for n in THEOREMS[name] if "lock step on" in n}
    assert {(one["mutant"], *one["solvers"]) for one in theorems} == {("refuted", "cvc5", "z3")}
    assert crowded["verdict"] == str(proved_up_to(timing.TIMED))
    assert "economy" not in found or {one["verdict"] for one in theorems} == {str(PROVED)}
    if name == "recursive_multiplying":
        assert all(one["statement"].endswith("for every radix >= 2.") for one in theorems)


@pytest.mark.parametrize(
    ("name", "params"),
    [*((name, {"through": "two_shot"}) for name in ("arc_top_k", "power_sgd")), ("qsgd", {"levels": 16000})],
)
def test_so_they_are_with_other_parameters(name, params):
    found = {one.name: one.verdict for one in proving.prove(sparring.page(name, **params), planted=False)}
    assert {*found} == {*THEOREMS[name]} and {*found.values()} <= {*kernel.PROOFS}


def test_every_sparse_allreduce_is_read():
    """One rank and more, in the first call and in later ones."""
    names = [one.name for one in paths(sparring.page("error_feedback"))]
    pages = ("ring_sparse", "dsar_split_allgather", "recursive_doubling_allgather")
    assert len(names) == 7 * 4 and {sum(f"allreduce = {name}," in one for one in names) for name in pages} == {4}


LOST, OTHER = "nothing is lost", "the result is what the page ensures"
OWN, BOTH = "a rank's own condition, .*, decides what it does next", "with what only the owner of the index has"
PARTIAL, TERMS = "the result is partial", "different terms"
LEFT, KEPT = "x.only(~(sent & y.support()))", "kept = sums.only"
AGAIN = "    if due(call, params.tau_prime):\n        least"
UNEVEN = "if uneven(sizes, params.trigger):"
SUM = "sparse_allreduce(v, sent, params.allreduce)"
CHANCES = "each(level, x, one, chances(params.seed, call, {}, x), params.levels)\n    y"
SECOND = "(yield allreduce(crossed(m, left, shape), through=params.through))"
WRONG = [
    ("flash", "return (yield allgather(sums,", "return sums; (yield allgather(sums,", "agreement", "is shard"),
    ("flash", "reduce_scatter(x,", "reduce_scatter(x + x,", "result", OTHER),
    ("qgz", "return (yield allgather(sums", "return sums; (yield allgather(sums", "agreement", "is shard"),
    ("qgz", "reduce_scatter(x,", "reduce_scatter(x + x,", "result", OTHER),
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
    ("arc_top_k", 'State(where(at, 0, given)) if params.feedback == "ef14" else State()', "State(where(at, 0, given))",
     "result", "kept is what the state says of it"),
    ("power_sgd", f"{SECOND} / p", SECOND, "result", OTHER),
    ("power_sgd", SECOND, "crossed(m, left, shape)", "agreement", PARTIAL),
    ("power_sgd", "State(m - y, right)", "State(m - m, right)", "conservation", LOST),
    ("power_sgd", "State(m - y, right)", "State(m - y, q)", "result", "q is what a call leaves"),
    ("power_sgd", "if not worth(shape.rows, shape.columns, shape.width, params.rate):\n        return (yield",
     "if not x > 0:\n        return (yield", "result", "ranks part ways"),
    ("lossy_two_shot", "own_chunk(held, r, p) + new", "own_chunk(x, r, p) + new", "result", OTHER),
    ("lossy_two_shot", "where(own, v, weighed(v, lost))", "where(own, 0, weighed(v, lost))", "result", OTHER),
    ("lossy_two_shot", "new = mean(got, now, p, params)", "new = got.entries", "result", "not the owner's"),
    ("lossy_two_shot", "Losing(params.seed, params.lost), x", "Losing(r, params.lost), x", "deadlock", TERMS),
    ("lossy_two_shot", "return version == call", "return version <= call", "claim: staleness", "from the owner's"),
    ("oktopk", KEPT, f"sums = sums + sums; {KEPT}", "result", OTHER),
    ("oktopk", LEFT, "x.only(~sent)", "conservation", LOST),
    ("oktopk", LEFT, "x.only(~(sent & reaching(sums, least)))", "result", BOTH),
    ("oktopk", "return y, x", "return where(sent, y, 0), x", "agreement", PARTIAL),
    ("oktopk", UNEVEN, "if count(kept) > params.trigger:", "deadlock", OWN),
    ("oktopk", AGAIN, "    sums = yield reduce_scatter(sums)\n" + AGAIN, "deadlock",
     "reduce_scatter of what only the owner of an index has"),
    ("oktopk", "apart(count(kept))", "apart(count(mine))", "deadlock", "these are not the sizes"),
    ("oktopk", "count(y), params), bounds)\n", "count(y), params), least)\n", "result", "bounds is what the page"),
    ("oktopk", "return call % period == 0", "return call % 1 == 0", "claim: thresholds", "none between"),
    ("oktopk", f"    {UNEVEN}\n        kept = yield balance(kept, sizes)\n", "", "claim: volume",
     "the text does not call balance"),
    ("oktopk", UNEVEN, "if True or uneven(sizes, params.trigger):", "volume", "what is dealt out anew lies unevenly"),
    ("error_feedback", "where(sent, 0, v)", "where(y != 0, 0, v)", "conservation", LOST),
    ("error_feedback", SUM, SUM.replace("sent,", "v == v,"), "conservation", LOST),
    ("error_feedback", f"y = yield {SUM}", f"y = yield {SUM}\n    y = yield {SUM.replace('(v,', '(y,')}", "result",
     "which has been added up already"),
    ("ef21", "where(sent, state.estimate + change, state.estimate)", "x", "result", "estimate is what a call leaves"),
    ("ef21", "state.sums + (yield", "(yield", "result", OTHER),
    ("ef21_m", "/ WHOLE if call else x", "/ WHOLE", "claim: result", "the first mean"),
    ("ef21_m", "near.seen, mean)", "near.seen, x)", "result", "mean is what a call leaves"),
    ("error_feedback", "params.allreduce)", "'ring')", "result", "its data is vector"),
    ("pat", "return both(zeros(x, e), (x >> e) % 2 == 1)", "return zeros(x, e)", "result", "counted one by one"),
    ("moshpit", "e = t % d", "e = 0", "result", "nobody else meets it"),
    ("moshpit", "e = t % d", "e = (d - 1 - t) % d", "result", "each of m meets it"),
    ("moshpit", "    x, index = yield", "    _, index = yield", "conservation", "the next round begins with the mean"),
    ("moshpit", "averaging(x,", "averaging(x + x,", "conservation", "a round averages what it begins"),
    ("moshpit", "moved(cell, e, index, params.m)", "cell", "result", "who looked after a part takes that cell"),
    ("moshpit", "params.rounds or d,", "params.rounds or d + r,", "result", "own "),
    ("moshpit", "params.m), t, params)", "params.m), t - 1, params)", "conservation", "a round asks for who"),
    ("moshpit", "1), m) + 1", "1), m) + 2", "claim: sides", "with one less there is not"),
]  # fmt: skip
"""Of a page: what stands in its text, and what instead; which theorem is lost, and why."""
AVERAGES = [
    ("either(own, came)))", "came))", "conservation", "in a mean is who sent its copy"),
    ("return w * x", "return x", "conservation", "what they had"),
    ("return both(counted, hears)", "return counted", "conservation", "who dies in the first step hears"),
    ("both(lives, both(", "either(lives, both(", "conservation", "who dies keeps what it had"),
    ("both(counted, either(own, told))", "either(own, told)", "conservation", "whoever takes a mean"),
    ("amount // total", "(amount + total - 1) // total", "partition", "no more together"),
    ("amount // total", "amount // total + 1", "volume", "equal parts"),
]
"""The same of Moshpit's averages."""


def unproved(whole: Subject, theorem: str) -> Iterator[str]:
    """The obligations of a theorem that have no proof, by name; about digits those that a point shows false."""
    one = next(conjectures(whole.general, theorem))
    for claim in one.obligations:
        encoding = claim.encoding or one.encoding
        if encoding != "digits" or small_points.false_at(claim):  # what facts about digits leave open takes long
            yield from (a.obligation.name for a in answered([claim], False, encoding) if not a.holds)


@pytest.mark.parametrize(("name", "old", "new", "theorem", "why"), third(WRONG))
def test_wrong_texts_are_refused(name, old, new, theorem, why):
    assert any(search(why, claim) for claim in unproved(subject(wrong(name, old, new)), theorem))


def averaged(old: str, new: str) -> Subject:
    """All that is proved of Moshpit, with averages in whose formulas ``new`` stands for ``old``."""
    module = served("averaging").module
    other = load(built(module, changed(module, old, new)))
    return replace(subject(sparring.page("moshpit")), served=lambda n: other if n == "averaging" else served(n))


@pytest.mark.parametrize(("old", "new", "theorem", "why"), AVERAGES)
def test_wrong_averages_are_refused(old, new, theorem, why):
    assert any(why in claim for claim in unproved(averaged(old, new), theorem))


def test_messages_with_another_ranks_codes_are_refused():
    """In the exchange that a composition goes through, a rank passes off the codes of the rank after it as its own."""
    whole, right = subject(sparring.page("thc")), served("direct_allgather")
    other = replace(right, chunk=lambda r, t, j, p: (r + 1) % p)
    passed_off = beside(whole, served=lambda name: other if name == right.name else whole.served(name))
    assert any(claim.startswith("direct_allgather: ") for claim in unproved(passed_off, "result"))


SAME = [
    ("arc_top_k", "State(where(at, 0, given))", "State(given - where(at, given, 0))"),
    ("power_sgd", "State(m - y, right)", "State(x - y + state.kept, right)"),
    ("lossy_two_shot", "own_chunk(held, r, p) + new", "new + own_chunk(held, r, p)"),
]
SAME_SLOW = [
    ("error_feedback", "where(sent, 0, v)", "v - where(sent, v, 0)"),
    ("qsgd", "    return plain(y)", "    z = y\n    return plain(z)"),
    ("oktopk", "~(sent & y.support())", "~sent | ~y.support()"),
    ("moshpit", "e = t % d", "e = (t + 0) % d"),
    ("oktopk", LEFT, "x - x.only(sent & y.support())"),
    ("oktopk", 'y = yield allgather(kept, through="bruck_allgather")', "y = yield allgather(kept)"),
]


@pytest.mark.parametrize(
    ("name", "old", "new"), [*SAME, *(pytest.param(*one, marks=pytest.mark.slow) for one in SAME_SLOW)]
)
def test_the_same_in_other_words_is_not(name, old, new):
    found = proving.prove(wrong(name, old, new), planted=False)
    assert {one.name: one.detail for one in found if one.verdict not in kernel.PROOFS} == {}


@pytest.mark.parametrize("theorem", ["conservation", "partition", "volume"])
def test_the_same_averages_are_not(theorem):
    (one,) = (one for one in conjectures(averaged("return w * x", "return x * w").general) if one.name == theorem)
    assert all(answer.holds for answer in answered(one.obligations, True, one.encoding))
