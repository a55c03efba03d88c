"""What a reading overlooks, a few runs find: no text is proved that does something else where it runs."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest

import sparring
from sparring.errors import InputError
from sparring.proofs.kernel import kernel
from sparring.proofs.logic.obligations import Obligation, p
from sparring.proofs.logic.verdicts import PROVED, REFUTED, UNDECIDED
from sparring.proofs.proving import proving
from sparring.proofs.reading.annotations import Stated, subject
from sparring.proofs.statements import compositions, formulas, played
from sparring.proofs.statements.by_ranks import ByRanks
from sparring.proofs.statements.conjectures import conjectures
from sparring.spec.codecs.packed_integers import Raw
from sparring.spec.codecs.sign_codec import Signs
from sparring.spec.core.exchanges import allgather, allreduce, read_by_chunk, reduce_scatter
from sparring.spec.core.loading import load
from sparring.spec.core.runner import run
from sparring.spec.core.vectors import Vector, by_length, local, total, where
from tests.proofs.planted import MUTATIONS
from tests.proofs.single_questions import ANSWERS, judged
from tests.proofs.wrong_texts import wrong


class State(NamedTuple):
    """Of the pages that have one."""

    kept: Any = 0


def page(program, ensures=total, **names):
    """A page with this text; by default it ensures the sum."""
    module: Any = ModuleType("mine")
    module.program, module.ensures, module.data = program, ensures, "dense"
    vars(module).update(names)
    return load(module)


@local
def doubled(v):
    return v * 2


@local
def size(v):
    return sum(abs(one) for one in v)


@local
def first(v):
    return v[0] if len(v) else 0


@by_length
def ones(x):
    return Vector([1] * len(x))


@by_length
def one(_x):
    return 1


@local(linear=True)
def squared(v):
    return v * v


def branching(measure):
    """Goes another way where what a local function gives is not 0."""

    def program(x):
        y = yield allreduce(x)
        return y if measure(y) > 0 else y + 0

    return page(program)


def comparing(measure):
    """Compares what a local function gives."""

    def program(x):
        y = yield allreduce(x)
        return y if measure(y) == measure(y) else y + 0

    return page(program)


def late(measure):
    """Branches on what a local function gives, from a call on that is the last of nine numbers which the page names."""

    def program(x, call):
        y = yield allreduce(x)
        return (y if measure(y) > 0 else y + 0) if call >= 30 else y

    return page(program, **{f"NAMED_{number}": number for number in range(10, 18)})


def remembering(measure):
    """Branches on what a rank's state holds."""

    def program(x, state):
        y = yield allreduce(x)
        return (y if state.kept > 0 else y + 0), State(measure(y))

    return page(program, State=State, leaves=lambda x: {"kept": measure(total(x))})


def shifting(made):
    """Adds something to the rank's chunk of the sum and takes it away."""

    def program(x):
        s = yield reduce_scatter(x)
        return (yield allgather(s + made(x) - made(x)))

    return page(program)


MISREAD = {
    "a branch": (branching, doubled, size),
    "an equality": (comparing, doubled, size),
    "a branch of a later call": (late, doubled, size),
    "a state": (remembering, doubled, size),
    "a chunk and a vector": (shifting, ones, one),
}
"""By what is misread: a page; what makes it wrong, and what makes it right."""


@pytest.mark.parametrize("what", MISREAD)
def test_vectors_that_a_reading_takes_for_numbers(what, monkeypatch):
    """The run shows it; without the run the page is proved."""
    made, bad, good = MISREAD[what]
    assert judged(made(good))[0] == PROVED
    verdict, told = judged(made(bad))
    assert verdict == REFUTED and told.startswith("p=")

    monkeypatch.setattr(kernel, "FEW", ())
    assert judged(made(bad))[0] == PROVED


def test_a_run_that_ends_otherwise_is_told_with_both_ends(monkeypatch):
    """Where the reading is made to believe that nothing is coded, of a code that loses something."""
    lossy = page(lambda x: (yield allreduce(x, Signs(1), "direct_allgather")))
    assert judged(lossy)[0] != PROVED
    monkeypatch.setattr("sparring.proofs.reading.symbols.exact", lambda _: True)
    verdict, told = judged(lossy)
    assert verdict == REFUTED and "rank 0 ends with" in told and "and the page ensures" in told


def test_a_proof_of_formulas_that_a_run_belies_is_a_refutation(monkeypatch):
    """Planted in the generator: without the obligation that no contribution counts twice."""
    twice = MUTATIONS["always adds"](subject(sparring.page("ring")))
    every, hidden = formulas.result, {"step", "disjoint"}
    monkeypatch.setattr(formulas, "result", lambda of: (o for o in every(of) if o.name not in hidden))
    whole = subject(sparring.page("ring"))
    assert kernel.judge(whole, next(conjectures(whole, "result")), second_opinion=False).verdict == PROVED
    found = kernel.judge(twice, next(conjectures(twice, "result")), second_opinion=False)
    assert found.verdict == REFUTED and "ends with" in found.detail


@pytest.mark.parametrize("name", [name for name in sparring.pages() if sparring.page(name).composed])
def test_what_a_page_ensures_has_values_to_compare_runs_with(name):
    """Else a run would be compared with nothing."""
    mine = sparring.page(name)
    told = list(played.played(mine, 2)) if mine.ensures else []
    calls = [one for one in told if isinstance(one, played.Played)]
    assert calls == told
    assert all(len(played.ensured(one).results) == 2 for one in calls if len(one.given[0]) > 1)


@local
def countless(v):
    raise LookupError(f"no number of {v}")


def unsaid(value):
    """Ensures the sum, and says something beside it that cancels out where it is read."""
    return lambda x: total(x) + value(x) - value(x)


@pytest.mark.parametrize("made", [ones, one])
def test_what_is_ensured_without_a_value_is_no_proof(made):
    """Whether the run is wrong, as the first is, or right: there is nothing to compare it with."""
    program = shifting(made).program
    assert judged(page(program, unsaid(doubled)))[0] == (REFUTED if made is ones else PROVED)
    verdict, told = judged(page(program, unsaid(countless)))
    assert verdict == UNDECIDED and "what the page ensures has no value: LookupError: no number of" in told


def test_what_gets_lost_is_compared_with_runs(monkeypatch):
    """Losses that are drawn otherwise than the run draws them."""
    lossy = sparring.page("lossy_two_shot", lost=300, packet=1)
    assert played.as_ensured(lossy, 3) is None
    right = ByRanks.comes

    def other(self, to, links, *terms):
        return right(self, to, replace(links, seed=links.seed + 1), *terms)

    monkeypatch.setattr(ByRanks, "comes", other)
    assert "and the page ensures" in str(played.as_ensured(lossy, 3))

    monkeypatch.setattr(ByRanks, "comes", right)
    held = ByRanks.versions_held
    monkeypatch.setattr(
        ByRanks, "versions_held", lambda self, links, *terms: held(self, replace(links, lost=0), *terms)
    )
    assert "keeps versions = " in str(played.as_ensured(lossy, 3))


def keeping(made, **names):
    """Keeps what is made of the rank's vector, and says that it keeps the vector."""

    def program(x):
        y = yield allreduce(x)
        return y, State(made(x))

    return page(program, State=State, **names)


@pytest.mark.parametrize(
    "names", [{"leaves": lambda x: {"kept": x}}, {"ensures": lambda x: (total(x), State(x))}], ids=["leaves", "ensures"]
)
def test_what_a_page_says_of_its_state_is_compared_with_runs(names, monkeypatch):
    """Planted in the generator: without the obligations about the state."""
    every = compositions.equal
    right, bad = keeping(lambda x: x, **names), keeping(lambda x: x + 1, **names)
    assert judged(right)[0] == PROVED and judged(bad)[0] == REFUTED
    monkeypatch.setattr(
        compositions, "equal", lambda path, name, *of: () if name.startswith("kept is ") else every(path, name, *of)
    )
    assert judged(right)[0] == PROVED
    verdict, told = judged(bad)
    assert verdict == REFUTED and "keeps kept = [" in told and "and the page says [" in told
    monkeypatch.setattr(kernel, "FEW", ())
    assert judged(bad)[0] == PROVED


def test_what_calls_itself_linear_is_not_believed():
    """Whatever claims the page has of it."""

    def theorems(of):
        return [Stated("zero", "It is 0 of 0.", [Obligation("of 0", (p >= 1,), of.module.squared(0) == 0)])]

    named = {"squared": squared, "theorems": theorems}
    added = page(lambda x: (yield allreduce(squared(x))), lambda x: squared(total(x)), **named)
    (result,) = (one for one in proving.prove(added, planted=False, memory=ANSWERS) if one.name == "result")
    assert result.verdict == UNDECIDED and "squared says that it is linear, which nothing proves" in result.detail


@pytest.mark.parametrize(("chunks", "verdict"), [("p", PROVED), ("1", UNDECIDED), ("p + 1", UNDECIDED)])
def test_vectors_are_read_by_the_chunks_of_all_ranks(tmp_path, chunks, verdict):
    """Another number of chunks has other codes."""
    file = tmp_path / "coded.py"
    file.write_text(CODED.replace("CHUNKS", chunks), encoding="utf-8")
    (found,) = (
        one for one in proving.prove(sparring.page(str(file)), planted=False, memory=ANSWERS) if one.name == "result"
    )
    assert found.verdict == verdict


CODED = '''"""The sum, chunk by chunk in a code."""

from sparring.spec.codecs.sign_codec import Signs
from sparring.spec.core.exchanges import allgather, read_by_chunk, reduce_scatter
from sparring.spec.core.vectors import total

data = "dense"


def program(x, p):
    return (yield allgather((yield reduce_scatter(x)), Signs(1)))


def ensures(x, p):
    return read_by_chunk(Signs(1), total(x), CHUNKS)
'''


def test_regions_are_no_chunks(tmp_path):
    """What ranks code region by region is not what is read of their sum chunk by chunk."""
    regions = "reduce_scatter(x, through='rotation', bounds=means((yield apart(even(x, p)))))"
    text = (
        CODED.replace("reduce_scatter(x)", regions)
        .replace("CHUNKS", "p")
        .replace("allgather, ", "allgather, apart, ", 1)
    )
    more = "from sparring.spec.core.regions import even, means\n"
    file = tmp_path / "coded.py"
    file.write_text(text.replace("\ndata =", f"{more}\ndata =", 1), encoding="utf-8")
    (found,) = (
        one for one in proving.prove(sparring.page(str(file)), planted=False, memory=ANSWERS) if one.name == "result"
    )
    assert found.verdict == REFUTED and "read_by_bounds" in found.detail


@pytest.mark.parametrize(("through", "proved"), [("rotation", True), ("direct_reduce_scatter", False)])
def test_what_is_sent_at_once_takes_no_turns(through, proved):
    """Which is told in one sentence, where it is proved and where it is run."""

    def program(x):
        return (yield allgather((yield reduce_scatter(x, through=through, bucket=2))))

    if proved:
        assert judged(page(program))[0] == PROVED
        return
    for asked in (lambda: judged(page(program)), lambda: run(page(program), [np.ones(3)] * 3).results):
        with pytest.raises(InputError, match="takes no turns; right is no bucket, or rotation"):
            asked()


@pytest.mark.parametrize(("ranks", "code"), [*product((1, 2, 3), (Raw(), Signs(1)))])
def test_what_is_read_chunk_by_chunk_is_what_an_allgather_shows(ranks, code):
    """Each rank codes its chunk by itself, also where codes of one vector have one scale."""
    x = Vector([3.0, -1.0, 2.0, 8.0, 0.5])
    cuts = [slice(c * 5 // ranks, (c + 1) * 5 // ranks) for c in range(ranks)]
    each = [allgather(x[cut], code) for cut in cuts]
    assert [*read_by_chunk(code, x, ranks)] == [*each[0].carry(each).results[0]]


def mean(x, p):
    return total(x) / p


WRITTEN: dict[str, Any] = {
    "alike": (lambda x, p: x, lambda s, p: s / p, mean, PROVED),
    "divided before": (lambda x, p: x / p, lambda s, p: s, mean, UNDECIDED),
    "multiplied before": (lambda x, p: x * p, lambda s, p: s, mean, REFUTED),
    "in halves": (lambda x, p: x, lambda s, p: s / 2 + s / 2, total, UNDECIDED),
    "in thirds": (lambda x, p: x, lambda s, p: s / 3 + s / 3, total, REFUTED),
    "halved and doubled": (lambda x, p: x * 0.5, lambda s, p: s * 2, total, UNDECIDED),
    "halved alone": (lambda x, p: x * 0.5, lambda s, p: s, total, REFUTED),
}
"""What is done before and after a sum, what is ensured, and what that is worth."""


@pytest.mark.parametrize("what", WRITTEN)
def test_arithmetic_that_is_written_otherwise_is_refuted_by_a_run_alone(what):
    """A letter for a product may have any value, so numbers may be equal though letters are not."""
    before, after, says, verdict = WRITTEN[what]

    def program(x, p):
        return after((yield allreduce(before(x, p))), p)

    result = next(
        one for one in proving.prove(page(program, says), planted=False, memory=ANSWERS) if one.name == "result"
    )
    assert result.verdict == verdict, result.detail
    assert verdict != UNDECIDED or "a letter stands for arithmetic that is not read" in result.detail
    assert verdict != REFUTED or "and the page ensures" in result.detail


@pytest.mark.parametrize(
    ("kept", "verdict"),
    [("v - v * 0.5", PROVED), ("v * 0.5", UNDECIDED), ("v / 2", UNDECIDED), ("v * 0.25", REFUTED), ("v - v", REFUTED)],
)
def test_what_is_multiplied_gets_lost_or_not(tmp_path, kept, verdict):
    """A product is a letter there, too, and what is planted in it upsets the theorem; a run refutes, no letter does."""
    file = tmp_path / "halves.py"
    file.write_text(HALVES.replace("KEPT", kept), encoding="utf-8")
    found = {one.name: one for one in proving.prove(sparring.page(str(file)))}
    assert found["result"].verdict == PROVED
    assert found["conservation"].verdict == verdict, found["conservation"].detail


HALVES = '''"""The sum of halves; the others wait."""

from typing import Any, NamedTuple

from sparring.spec.core.exchanges import allreduce
from sparring.spec.core.vectors import total

data = "dense"


class State(NamedTuple):
    """``kept``: what waits."""

    kept: Any = 0


def program(x, state):
    v = x + state.kept
    return (yield allreduce(v * 0.5)), State(KEPT)


def ensures(x, state):
    return total((x + state.kept) * 0.5)


def waiting(state):
    return total(state.kept)
'''


def test_vectors_have_no_truth_and_no_equality():
    """As arrays of more than one entry have none; entries do."""
    x = Vector([1, 2])
    for asked in (lambda: bool(x), lambda: x == Vector([1, 2]), lambda: x != Vector([1, 3])):
        with pytest.raises(TypeError, match=r"right is|write"):
            asked()
    assert [*where(x > 1, x, 0)] == [0, 2] and {x: 1}[x] == 1


@pytest.mark.parametrize(("asked", "said"), [("p.op", "op"), ("p.names", "names"), ("(p + 1).args", "args")])
def test_attributes_of_symbols_are_refused(tmp_path, asked, said):
    """No number has them, so that no run could read them."""
    (tmp_path / "mine.py").write_text(RING.format(f"where({asked} == 1, r + 1, r + 1)"), encoding="utf-8")
    with pytest.raises(InputError, match=f"asks for {said}, which symbols have and numbers do not"):
        sparring.page(str(tmp_path / "mine.py"))


RING = '''"""The ring."""

from sparring.spec.core.numbers import where
from sparring.spec.ring import adds, chunk, holds, src


def steps(p): return 2 * (p - 1)


def dst(r, t, p): return ({}) % p
'''


def test_a_schedule_has_values_for_every_number_of_ranks(tmp_path):
    """All that is said of a schedule supposes that: no theorem is left that holds of none."""
    for amount, proved in (("where(p > 2, p - 3, 0)", True), ("p - 3", False)):
        same = f"where(p > 0, 2 * (p - 1), 1 << ({amount}))"
        text = RING.format("r + 1").replace("return 2 * (p - 1)", f"return {same}").replace("where\n", "where\n", 1)
        (tmp_path / "mine.py").write_text(text.replace('ring."""', 'ring."""\n\nencoding = "bits"'), encoding="utf-8")
        found = {
            one.name: one.verdict
            for one in proving.prove(sparring.page(str(tmp_path / "mine.py")), planted=False, memory=ANSWERS)
        }
        for name in ("result", "economy", "deadlock"):
            assert (found[name] == PROVED) == proved, (amount, name, found[name])


def test_digits_have_places_from_0_on():
    """A page that asks for digit -1 in its first step is no schedule, whatever it does with that."""
    guarded = "where(i < 0, 0, where(i < log(p, radix), i, log(p, radix)))"
    with pytest.raises(InputError, match="digits are counted from 0"):
        judged(wrong("recursive_multiplying", guarded, "where(i < log(p, radix), i, log(p, radix))"))


def test_what_waits_is_in_the_state():
    """A page that counts the vectors of a call as waiting would keep everything."""

    def program(x, state):
        y = yield allreduce(x)
        return y - y, State(x)

    def conserved(waiting):
        return judged(page(program, lambda x: 0, State=State, waiting=waiting), "conservation")

    verdict, told = conserved(lambda x, state: total(state.kept) - total(x) + total(x))
    assert verdict == REFUTED and "waiting asks for x" in told
    assert conserved(lambda state: total(state.kept))[0] == REFUTED  # what waited before is forgotten


def test_a_sentence_says_what_the_page_requires():
    """Where it requires nothing, it says that of all."""
    said = {}
    for name in ("moshpit", "hierarchical"):
        said[name] = next(conjectures(subject(sparring.page(name)), "result")).statement
    assert "for those p and parameters alone that the page requires: Where all have the mean" in said["moshpit"]
    assert "requires" not in said["hierarchical"]


@pytest.mark.parametrize(("said", "verdict"), [(lambda n: n, PROVED), (lambda n: where(n < 600, n, 599), REFUTED)])
def test_lengths_are_looked_at_where_they_turn(said, verdict):
    """A function of the page that says less of long vectors alone names the number from which on it does."""

    @local(length=said)
    def same(v):
        return v

    assert judged(page(lambda x: (yield allreduce(same(x))), same=same), "volume")[0] == verdict


OWN_EXCHANGE = '''"""Sends everything twice, by an exchange that is called as sparring's."""

from dataclasses import dataclass

from sparring.spec.core import exchanges

data = "dense"


@dataclass(frozen=True)
class Allreduce(exchanges.Allreduce):
    def carry(self, each):
        return exchanges.Allreduce(each[0].x + each[0].x).carry(each)


def program(x):
    return (yield WHOSE(x))
'''


@pytest.mark.parametrize(("whose", "proved"), [("exchanges.Allreduce", True), ("Allreduce", False)])
def test_of_an_exchange_of_the_users_own_no_length_is_known(tmp_path, whose, proved):
    """Whatever its class is called."""
    (tmp_path / "mine.py").write_text(OWN_EXCHANGE.replace("WHOSE", whose), encoding="utf-8")
    found = [*proving.prove(sparring.page(str(tmp_path / "mine.py")), planted=False, memory=ANSWERS)]
    assert ("volume" in {one.name for one in found if one.verdict == PROVED}) == proved


def test_of_two_lambdas_on_a_line_each_is_looked_at(tmp_path):
    """The second one asks what the first one does not."""
    for second, refused in (("lambda v: v if v else v", False), ("lambda v: v if f'{v}' else v", True)):
        text = CODED.replace('data = "dense"', f'data = "dense"\nF, G = lambda v: v, {second}').replace("CHUNKS", "p")
        (tmp_path / "mine.py").write_text(text, encoding="utf-8")
        if refused:
            with pytest.raises(InputError, match="makes a text of what it is given"):
                sparring.page(str(tmp_path / "mine.py"))
        else:
            sparring.page(str(tmp_path / "mine.py"))
