"""Pages whose messages have chunks that lie in no row, picked one by one: proved, and what asks for messages knows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

import sparring
from sparring import vectors
from sparring.costs.derivation.counted import count
from sparring.costs.derivation.whole_vectors import derive_whole
from sparring.errors import InputError, ScheduleFault, Undecided
from sparring.present.spacetime.history import hops
from sparring.proofs.kernel import kernel
from sparring.proofs.logic.verdicts import PROVED
from sparring.proofs.proving import proving
from sparring.schedules.from_page import exported
from sparring.spec.core import schedule
from sparring.spec.core.loading import load
from sparring.spec.core.schedule import step_sends
from tests.algorithms.collectives import COLLECTIVES
from tests.spec.collectives.judging import judged, refuted

ROOM = "sparring.spec.collectives"
FOLDER = Path(sparring.__file__).parent / "spec" / "collectives"
SLOW = pytest.mark.slow
RANKS = (*range(1, 18), 31, 32, 33)


def found(name):
    return sparring.page(f"{ROOM}.{name}")


PICKED = {name: one.messages for name, one in COLLECTIVES.items() if one.messages and found(name).carries}
OTHERS = [pytest.param(name, marks=[SLOW] * COLLECTIVES[name].slow) for name in PICKED if name != "bruck_alltoall"]
CLAIMS = {"result", "economy", "partition", "deadlock"}
PLANTED = [
    pytest.param(name, *fault, marks=[SLOW] * COLLECTIVES[name].slow)
    for name in PICKED
    for fault in COLLECTIVES[name].wrong_texts
]


@pytest.mark.parametrize("name", PICKED)
def test_messages_are_those_of_other_programs(name):
    page = found(name)
    for p in RANKS:
        steps = [{(r, d, (*some,)) for r, d, some in step_sends(page, t, p)} for t in range(page.steps(p))]
        assert steps == [*PICKED[name](p)], p


def test_an_alltoall_has_theorems():
    """By both solvers, each claim with a refuted fault of its own; nothing is bounded."""
    attempts = [*proving.prove(found("bruck_alltoall"))]
    assert {one.name for one in attempts} == CLAIMS
    assert {one.verdict for one in attempts} == {PROVED}
    assert all(isinstance(one, kernel.Theorem) and one.mutant for one in attempts)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", OTHERS)
def test_all_is_proved_for_every_p(name):
    assert dict(judged(found(name))) == dict.fromkeys(CLAIMS, PROVED)


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("name", "right", "wrong"), PLANTED)
def test_planted_faults_are_refuted(name, right, wrong, tmp_path):
    """By the theorem of the result; the same text without the fault is proved, see above."""
    text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    assert text.count(right) == 1
    file = tmp_path / f"{name}.py"
    file.write_text(text.replace(right, wrong), encoding="utf-8")

    assert refuted(sparring.page(str(file)))


def test_an_alltoall_gives_each_rank_the_parts_that_are_for_it():
    """Chunk ``c`` of rank ``r`` comes from the rank ``c`` before it."""
    for p in range(1, 12):
        given = [[f"{r}>{(r + c) % p}" for c in range(p)] for r in range(p)]
        results = sparring.run(found("bruck_alltoall"), given).results
        assert results == [[f"{(r - c) % p}>{r}" for c in range(p)] for r in range(p)]


def test_an_allgather_gives_each_rank_all_chunks():
    """Each rank's own chunk, on all."""
    for p in range(1, 12):
        results = sparring.run(found("sparbit_allgather"), [[f"{r},{c}" for c in range(p)] for r in range(p)]).results
        assert results == [[f"{c},{c}" for c in range(p)]] * p


def test_a_reduce_scatter_gives_each_rank_the_sum_of_its_chunk():
    """Each contribution once."""
    for p in range(1, 12):
        given = [[100**r * (c + 1) for c in range(p)] for r in range(p)]
        results = sparring.run(found("strided_butterfly_reduce_scatter"), given).results
        assert [y[r] for r, y in enumerate(results)] == [sum(x[r] for x in given) for r in range(p)]


def made(*without, **formulas):
    """Two ranks, four chunks: each sends the other the chunks of its own parity, and then all have all."""
    module = ModuleType("parity", "Exchange by parity.")
    one = {
        "kind": "parity", "start": lambda q, r: q == r, "goal": lambda q, c: q == c % 2, "chunks": lambda p: 4,
        "steps": lambda p: 1, "dst": lambda r, p: 1 - r, "src": lambda r, p: 1 - r, "adds": lambda t: False,
        "carries": lambda r, c: c % 2 == r, "below": lambda r, c: (c + 1 - r) // 2,
        "holds": lambda q, r, c, t: q == (c % 2 if t else r),
    }  # fmt: skip
    vars(module).update({name: formula for name, formula in (one | formulas).items() if name not in without})
    return load(module)


def test_what_is_not_counted_is_not_derived():
    """One sentence says what is missing; the page itself is run."""
    page = made("below")

    assert sparring.run(page, [[*"abcd"], [*"ABCD"]]).results == [["a", "B", "c", "D"]] * 2
    with pytest.raises(Undecided, match="sends chunks that lie in no row and has no formula below, which counts them"):
        derive_whole(page)


LAST_BITS = "strided_butterfly_reduce_scatter"


@pytest.mark.parametrize("bits", ["rounds(t, p), 0), number", "rounds(t, p) + 2, 0), number"])
def test_chunks_of_another_number_of_last_bits_are_not_counted(bits, tmp_path):
    """A bit fewer, or one more, is refused by the derivation and by a run; with the right one the cost is derived."""
    text = (FOLDER / f"{LAST_BITS}.py").read_text(encoding="utf-8")
    assert text.count("rounds(t, p) + 1, 0), number") == 1
    file = tmp_path / f"{LAST_BITS}.py"
    file.write_text(text.replace("rounds(t, p) + 1, 0), number", bits), encoding="utf-8")
    wrong = sparring.page(str(file))

    with pytest.raises(Undecided, match="how many chunks are in a message"):
        derive_whole(wrong)
    with pytest.raises(ScheduleFault, match="below counts"):
        count(wrong, 8, 8, 0)
    assert count(found(LAST_BITS), 8, 8, 0).words == 7


def test_what_is_carried_is_counted_where_it_is_run():
    """As many as ``below`` counts, or the page is at fault; the right one is run."""
    page = made()

    assert sparring.run(page, [[*"abcd"], [*"ABCD"]]).results == [["a", "B", "c", "D"]] * 2
    with pytest.raises(ScheduleFault, match=r"below counts 4 chunks in rank 0's message, which carries 2"):
        sparring.run(made(below=lambda c: c), [[*"abcd"], [*"ABCD"]]).results


def test_pictures_and_schedule_files_have_the_chunks_one_by_one():
    """On the arrow their numbers, in the sentence all; in a file, where places lie in a row, a message each."""
    first = hops(made(), 2)[0][1]
    steps = [step for block in exported(made(), 2).ranks[1].blocks for step in block.steps]

    assert first.label == "=1,3"
    assert str(first) == "step 0: rank 1 sends chunks 1, 3 to rank 0, which overwrites its copies"
    assert [(step.src[1], step.count) for step in steps if step.src] == [(1, 1), (3, 1)]


def test_there_is_no_first_chunk_by_formula():
    """Nor words of a message: whoever asks is told why; at numbers there are."""
    page = made()

    assert schedule.number(page.words(1, 0, 1, 2, 7, 0)) == 4
    with pytest.raises(Undecided, match="parity sends chunks that lie in no row and has no formula chunk"):
        page.chunk(0, 0, 2)


@pytest.mark.parametrize(
    ("formulas", "why"),
    [
        ({"chunk": lambda r: r}, "has both chunk and carries: each says which chunks a message has"),
        ({"block": lambda r: (r, 1)}, "has both block and carries"),
        ({"data": "lists"}, "has data 'lists' and carries: that is for vectors, in the one message of a step"),
        ({"messages": lambda t, p: 2}, "has several messages a step and carries"),
        ({"below": None}, r"lacks the formula below\(r, c, t, p\)"),
        ({"carries": lambda r, j: True}, "carries asks for 'j'; it may ask for r, c, t, p"),
    ],
)
def test_what_cannot_be_picked_is_named(formulas, why):
    with pytest.raises(InputError, match=why):
        made(**formulas)


def test_a_wrong_count_refutes_the_schedule():
    """Costs rest on the count, so that it is proved with the schedule."""
    page = found("bruck_alltoall")
    wrong = replace(page, below=lambda r, c, t, p: page.below(r, c, t, p) + 1)

    assert refuted(wrong, "deadlock")


def test_test_vectors_of_them_are_refused():
    """In files the chunks of a message lie in a row: what was written said other chunks."""
    with pytest.raises(InputError, match="picks the chunks of a message one by one; in test vectors they lie in a row"):
        vectors.sort(sparring.page("pat"))
    assert vectors.sort(sparring.page("rabenseifner")) == "vector"
