"""Documents of algorithms: their messages are the runs' own, and what copies hold in the end is what they must hold."""

from __future__ import annotations

import pkgutil
import zlib
from itertools import chain

import pytest
from msgspec.structs import replace

import sparring
from sparring import runs
from sparring.errors import InputError
from sparring.present.explorer import examples, pages
from sparring.present.explorer.document import decoded, encoded
from sparring.present.spacetime.history import cells
from sparring.spec import collectives
from sparring.spec.core import runner
from tests.algorithms import ALGORITHMS

OURS = sparring.pages()
COLLECTIVES = [f"sparring.spec.collectives.{one.name}" for one in pkgutil.iter_modules(collectives.__path__)]
RANKS = (1, 2, 5)
COMPOSED = [name for name in OURS if sparring.page(name).composed]
SPARSE = [name for name in OURS if not sparring.page(name).composed and sparring.page(name).data != "vector"]
FORMAL = [name for name in (*OURS, *COLLECTIVES) if name not in {*COMPOSED, *SPARSE}]


def copies(stage, p):
    """The contributions that each copy holds before a stage: by rank and chunk."""
    return [[{*(stage.start[r][c] if stage.start else [r])} for c in range(stage.chunks)] for r in range(p)]


def replayed(stage, p):
    """By step what each message carries, chunk by chunk; and what copies hold after the last."""
    held, carried = copies(stage, p), []
    for step in stage.steps:
        carried.append([[held[m.src][c] for c in m.chunks] for m in step.messages])
        after = [[*row] for row in held]
        for m, parts in zip(step.messages, carried[-1]):
            for c, part in zip(m.chunks, parts):
                after[m.dst][c] = after[m.dst][c] | part if m.adds else part
        held = after
    return carried, held


def lacking(stage, p):
    """The copies that do not hold in the end what they must, as rank and chunk."""
    _, held = replayed(stage, p)
    goal = stage.goal or [[range(p)] * stage.chunks] * p
    return [(r, c) for r in range(p) for c in range(stage.chunks) if not held[r][c] >= {*goal[r][c]}]


def sent(document):
    """All messages of a document: who sends to whom, step by step."""
    steps = [step for stage in document.runs[0].stages for step in stage.steps]
    return [[(m.src, m.dst) for m in step.messages] for step in steps]


def traced(trace):
    return [[(m.src, m.dst) for m in wire] for wire in trace]


def volumes(document, what):
    """By rank what its messages have together: their ``entries``, or their ``bytes``."""
    told = [0] * document.ranks
    for step in chain(*(stage.steps for stage in document.runs[0].stages)):
        assert [one.message for one in step.details] == [*range(len(step.messages))]
        for one in step.details:
            told[step.messages[one.message].src] += getattr(one, what)
    return told


def made(page, p):
    """The document, which is read as it was written, is small, and says by which formulas messages go."""
    document = pages.document(page, p)
    told = encoded(document)
    assert decoded(told) == document and len(zlib.compress(told)) < 8_000
    assert document.title.endswith(f"{p} ranks" if p > 1 else "1 rank")
    assert all(bool(stage.formulas) == bool(stage.page) for stage in document.runs[0].stages)
    return document


@pytest.mark.parametrize("name", FORMAL)
def test_messages_of_formulas_are_the_runs_and_bring_every_copy_to_its_goal(name):
    """What each message carries is what the runner has in it, on vectors whose entries are sets of ranks."""
    for p in RANKS:
        page = examples.page(name, p)
        document = made(page, p)
        [stage] = document.runs[0].stages
        ran = runner.Run(page, cells(page, page.start, p))
        carried, _ = replayed(stage, p)
        assert sent(document) == traced(ran.trace)
        assert carried == [[[*map(set, m.entries)] for m in wire] for wire in ran.trace]
        assert not lacking(stage, p)


def test_a_message_that_is_dropped_or_only_overwrites_leaves_a_copy_behind():
    """Of the ring every message is needed, and so is every addition."""
    [stage] = pages.document(sparring.page("ring"), 4).runs[0].stages
    assert not lacking(stage, 4)
    for t, step in enumerate(stage.steps):
        for i, message in enumerate(step.messages):
            rest = [*step.messages[:i], *step.messages[i + 1 :]]
            assert lacking(replace(stage, steps=changed(stage, t, rest)), 4)
            if message.adds:
                rest.insert(i, replace(message, adds=False))
                assert lacking(replace(stage, steps=changed(stage, t, rest)), 4)


def changed(stage, t, messages):
    """The steps, with other messages in step ``t``."""
    return [replace(step, messages=messages) if step.t == t else step for step in stage.steps]


@pytest.mark.parametrize("name", SPARSE)
def test_sparse_runs_end_with_the_supports_of_their_results(name):
    """So many entries and bytes as the reference sends, and in the end the entries of its results."""
    for p in RANKS:
        page = examples.page(name, p)
        xs, document = examples.vectors(page, p), made(page, p)
        [stage] = document.runs[0].stages
        ran = runner.run(page, xs)
        assert sent(document) == traced(ran.trace) and not lacking(stage, p)
        assert volumes(document, "bytes") == runs.reference(page, xs).bytes
        entries = [[len(m.entries.indices) for m in wire] for wire in ran.trace]
        assert [[one.entries for one in step.details] for step in stage.steps] == entries
        assert supports(stage, page, p) == [[*map(int, y.indices)] for y in ran.results]


def supports(stage, page, p):
    """By rank where the copies have entries in the end."""
    last = {(one.rank, one.chunk): one for one in chain(stage.cells, *(step.cells for step in stage.steps))}
    begins = [0 if page.data == "lists" else sum(stage.sizes[:c]) for c in range(stage.chunks)]
    copies = [[(begins[c], last[r, c]) for c in range(stage.chunks)] for r in range(p)]
    return [sorted({at + i for at, one in row for i in one.support}) for row in copies]


@pytest.mark.parametrize("name", COMPOSED)
def test_compositions_are_cut_into_exchanges_whose_messages_are_the_runs(name):
    """With the page's own parameters and with others; bytes are those that ``sparring run`` counts."""
    other_ways = ALGORITHMS[name].other_ways if name in ALGORITHMS else {}
    for p, params in ((1, {}), (2, other_ways), (5, {}), (5, other_ways)):
        page = examples.page(name, p, **params)
        xs, document = examples.vectors(page, p), made(page, p)
        assert sent(document) == traced(runner.run(page, xs).trace)
        assert volumes(document, "bytes") == runs.reference(page, xs).bytes
        for stage in document.runs[0].stages:
            assert stage.text and bool(stage.steps) == bool(stage.heading)
            assert not stage.chunks or unknown(stage) or not lacking(stage, p)


def unknown(stage):
    """Whether it is not known of some messages what receivers do with them."""
    return any(m.adds is None for step in stage.steps for m in step.messages)


def test_the_text_of_a_composition_is_told_once_and_in_order():
    """Lines between exchanges, and the exchange's own, are together the program of Ok-Topk."""
    stages = pages.document(examples.page("oktopk", 4, trigger=1), 4).runs[0].stages
    program = next(one for one in pages.formulas(sparring.page("oktopk").module) if one.name == "program")
    told = [line.strip() for stage in stages for line in stage.text.splitlines()]
    assert told == [line.strip() for line in program.source.splitlines()[1:]]
    assert [stage.page for stage in stages if stage.steps] == ["rotation", "bruck_allgather", "", "bruck_allgather"]


LOOP = '''"""Means, one after the other."""

from sparring.spec.core.exchanges import allreduce, apart

data = "dense"


def program(x, p):
    for t in range(2):
        half = x / p
        x = yield allreduce(half)
    sizes = yield apart(len(x))
    return (
        x
    )
'''


def test_the_text_of_a_loop_is_told_again_and_what_is_told_apart_is_no_exchange(tmp_path):
    """Also of a page in a file."""
    (tmp_path / "mine.py").write_text(LOOP, encoding="utf-8")
    stages = sparring.explore(str(tmp_path / "mine.py"), ranks=2).runs[0].stages
    turn = "for t in range(2):\n    half = x / p\n    x = yield allreduce(half)"
    asked, rest = "x = yield allreduce(half)", "sizes = yield apart(len(x))\nreturn (\n    x\n)"
    assert [stage.text for stage in stages] == [turn.rpartition("\n")[0], asked, turn, asked, rest]
    assert [stage.heading for stage in stages] == ["", "Allreduce by ring", "", "Allreduce by ring", ""]


def test_a_dead_rank_is_in_no_mean_that_it_did_not_reach():
    """Rank 0 dies after one message: one part of its vector is in a mean, and it keeps its own."""
    stages = pages.document(examples.page("moshpit", 4, dead=[[0, 0, 1]]), 4).runs[0].stages
    first, second = (stage for stage in stages if stage.steps)
    assert first.goal == [[[0], [0]], [[1], [0, 1]], [[2, 3], [2, 3]], [[2, 3], [2, 3]]] == second.start
    assert first.text.splitlines()[-1] == "Rank 0 dies after 1 message."
    assert [one.says for one in first.steps[0].details] == ["", "is in no mean", "", ""]
    assert "Rank 0 is dead." in second.text
    helped = pages.document(examples.page("moshpit", 3, m=3, weights=[1, 0, 2]), 3).runs[0].stages
    assert not any(one.says for stage in helped for step in stage.steps for one in step.details)  # rank 1 makes a mean
    assert not any(lacking(stage, 3) for stage in helped if stage.steps)


def test_lost_packets_are_told():
    """A message of which something is lost leaves open what its receiver has."""
    document = pages.document(examples.page("lossy_two_shot", 2, lost=500, packet=4), 2)
    steps = [step for stage in document.runs[0].stages for step in stage.steps]
    said = {one.says: m.adds for step in steps for m, one in zip(step.messages, step.details)}
    assert said == {"1 of 2 packets is lost": None, "is lost on its way": None}
    none = pages.document(examples.page("lossy_two_shot", 2, lost=0), 2)
    assert {one.says for stage in none.runs[0].stages for step in stage.steps for one in step.details} == {"arrives"}


def test_the_ring_on_128_ranks_is_small():
    document = pages.document(sparring.page("ring"), 128)
    assert sum(len(step.messages) for step in document.runs[0].stages[0].steps) == 254 * 128
    assert len(zlib.compress(encoded(document), 9)) < 150_000


def test_a_network_has_the_links_that_messages_take():
    """Of a torus of 2 x 2 a message across the square takes two links."""
    network = sparring.explore("two_shot", ranks=4, topology="torus:k=2").topology
    assert network.name == "torus:k=2" and len(network.routes) == 12
    way = next(route for route in network.routes if (route.src, route.dst) == (0, 3))
    assert [network.links[i] for i in way.links] == ["0 -> 1", "1 -> 3"]


def test_formulas_have_their_letters_and_what_they_return():
    document = sparring.explore("sparring.spec.collectives.binomial_bcast", ranks=5)
    told = {one.name: one for one in document.formulas}
    assert (told["dst"].letters, told["dst"].expression) == (["r", "t", "p"], "where(other(r, t) < p, other(r, t), r)")
    assert told["log"].source and told["other"].expression == "r ^ 1 << t"  # of another page, and a helper
    assert {document.formulas[i].name for i in document.runs[0].stages[0].formulas} == {
        "active", "dst", "src", "chunk", "adds"
    }  # fmt: skip
    assert document.command == "sparring show sparring.spec.collectives.binomial_bcast --ranks 5"
    assert sparring.explore("gtopk", ranks=2).values == {"p": 2, "k": 2}


def test_messages_that_a_rank_sends_at_once_have_their_letter():
    """With it the page's own formulas give each message, where some ranks are silent, too."""
    for name, p in (("two_shot", 4), ("two_shot_sparse", 3), ("recursive_multiplying", 5)):
        page = sparring.page(name)
        [stage] = sparring.explore(name, ranks=p).runs[0].stages
        for step in stage.steps:
            for m, one in zip(step.messages, step.details):
                assert (page.dst(m.src, step.t, p, one.letters["j"]), m.chunks[0]) == (
                    m.dst,
                    page.chunk(m.src, step.t, p, one.letters["j"]),
                )
    assert not sparring.explore("ring", ranks=3).runs[0].stages[0].steps[0].details


def test_what_is_too_much_for_a_page_is_refused():
    for asked, words in (
        ({"algo": "ring", "ranks": 0}, "ranks=0; right: at least 1"),
        ({"algo": "ring", "ranks": 1024}, "more than 1000000 chunks to show; right: fewer ranks"),
        ({"algo": "ring_sparse", "ranks": 129}, "its messages depend on the data; right: at most 128 ranks"),
        ({"algo": "ring", "topology": "moon"}, "no topology 'moon'"),
    ):
        with pytest.raises(InputError, match=words):
            sparring.explore(**asked)
