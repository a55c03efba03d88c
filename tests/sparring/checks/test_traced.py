"""A trace as the target of ``check``: what its messages tell, and what no trace tells."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from sparring.checks.checking import check
from sparring.checks.question import Question
from sparring.checks.traced import looked, result
from sparring.cli import check as command
from sparring.errors import InputError
from sparring.impl import ring
from sparring.proofs.logic.verdicts import Word
from sparring.sparse import Sparse
from sparring.trace.events import Event, Trace, digest, from_outcome
from sparring.trace.files import write, write_rank
from sparring.world import simulation
from tests.sparring.calling import called, refused
from tests.sparring.checks.test_counterexamples import in_page

IMPLS = "sparring.impl.{}:allreduce"
SIZES = [(2, 1, "float64"), (5, 1003, "float32"), (4, 3, "int64"), (7, 7, "int32")]
TOLD = {"agreement", "steps", "volume", "contention"}


def traced(name: str, p: int, n: int, dtype: str = "float64") -> Trace:
    """A run of an implementation."""
    rng = np.random.default_rng([p, n])
    xs = [rng.standard_normal(n).astype(dtype) for _ in range(p)]
    outcome = simulation.run(IMPLS.format(name), p, xs, record=True, buffers="unbounded")
    assert not outcome.findings
    return from_outcome(outcome, p)


def collective(comm, x):
    """Sends nothing itself."""
    y = np.empty_like(x)
    comm.Allreduce(x, y)
    return y


@pytest.fixture
def verdicts(tmp_path):
    """Property -> result of a trace that is written to a file."""

    def judged(trace, page="ring", **asked):
        write(trace, tmp_path / "run.jsonl")
        return {r.property: r for r in check(tmp_path / "run.jsonl", page, **asked).results}

    return judged


def test_a_property_that_no_trace_was_asked_about_holds_of_none():
    """A new one, say."""
    seen = looked(traced("ring", 2, 3), None, "steps", "ring")
    assert result(Question("mine", None), "own memory of tomorrow", seen).verdict.word is Word.NOT_COVERED


def refuted(results) -> set[str]:
    """The properties that are."""
    return {prop for prop, result in results.items() if result.verdict.word is Word.REFUTED}


def covered(results) -> set[str]:
    """The properties that something is said of."""
    return {prop for prop, result in results.items() if result.verdict.word is not Word.NOT_COVERED}


@pytest.mark.parametrize(("p", "n", "dtype"), SIZES)
def test_a_ring_s_trace_is_the_ring_s(verdicts, p, n, dtype):
    """At whatever length, which the trace does not say; nor does it say what is in messages, and the sentence tells."""
    results = verdicts(traced("ring", p, n, dtype))

    assert refuted(results) == set()
    assert results["steps"].detail.endswith("as the page's, in its order; what is in them a trace does not tell")
    assert covered(results) == TOLD - ({"agreement"} if n == 1 else set())
    assert results["result"].detail == "a trace has no vectors"


def test_a_folder_and_the_command(tmp_path, monkeypatch):
    """One file a rank; the exit code is that of the verdict, and what is not covered is no failure."""
    monkeypatch.chdir(tmp_path)
    trace = traced("rabenseifner", 6, 50)
    (tmp_path / "run").mkdir()
    for rank in range(6):
        write_rank(rank, 6, [e for e in trace.events if e.rank == rank], tmp_path / "run")

    done = CliRunner().invoke(
        command.command, ["run", "--algorithm", "rabenseifner", "--fail-under", "tested", "--json"]
    )
    report = json.loads(done.stdout)
    assert (done.exit_code, report["verdict"], report["check"]["on"]) == (0, "holds", "trace")
    assert report["check"]["judged"] == ["agreement", "steps", "volume"]
    done = CliRunner().invoke(command.command, ["run", "--algorithm", "ring"])
    assert done.exit_code == 1
    done = CliRunner().invoke(command.command, ["run", "--algorithm", "ring", *[f"--xfail={p}=other" for p in TOLD]])
    assert done.exit_code == 0


def test_without_an_algorithm_the_nearest_is_named(tmp_path):
    """And nothing is said to hold."""
    write(traced("ring", 5, 21), tmp_path / "run.jsonl")
    report = check(str(tmp_path / "run.jsonl"))

    assert report.verdict == "not covered"
    near = report.extra["check"]["nearest"]
    assert (near["names"], near["same"], near["size"]) == (["ring"], True, 21)


def sends(trace: Trace, rank: int) -> list[Event]:
    """The rank's messages."""
    return [event for event in trace.sends() if event.rank == rank]


def changed(trace: Trace, changes: dict[int, dict]) -> Trace:
    """By the place of an event in the trace."""
    return trace._replace(events=[e._replace(**changes.get(i, {})) for i, e in enumerate(trace.events)])


def renumbered(trace: Trace) -> Trace:
    """Each rank's events count from 0 again."""
    seen: Counter[int] = Counter()
    events = []
    for event in trace.events:
        events.append(event._replace(seq=seen[event.rank]))
        seen[event.rank] += 1
    return trace._replace(events=events)


def dropped(trace: Trace) -> Trace:
    """Without rank 1's last message."""
    return trace._replace(events=[e for e in trace.events if e is not sends(trace, 1)[-1]])


def longer(trace: Trace) -> Trace:
    """Rank 1's first message has an entry more, its second one less."""
    places = [trace.events.index(event) for event in sends(trace, 1)[:2]]
    sizes = [trace.events[i].count + d for i, d in zip(places, (1, -1))]
    return changed(trace, {i: {"count": size, "nbytes": 8 * size} for i, size in zip(places, sizes)})


def elsewhere(trace: Trace) -> Trace:
    """Rank 1's first message goes to rank 3."""
    return changed(trace, {trace.events.index(sends(trace, 1)[0]): {"peer": 3}})


def other_bits(trace: Trace) -> Trace:
    """Rank 2 passes something else on in its last step."""
    return changed(trace, {trace.events.index(sends(trace, 2)[-1]): {"digest": digest(b"other")}})


FAULTS = [
    (dropped, {"steps", "volume"}, "steps", r"step 5, chunk \d: rank 1 sends rank 2 nothing more, the page \d entr"),
    (longer, {"steps"}, "steps", "for vectors of 22 entries: step 0, chunk 1: rank 1 sends 7 entries to rank 2"),
    (elsewhere, {"steps", "contention"}, "steps", "step 0, chunk 1: rank 1 sends 5 entries to rank 2"),
    (
        other_bits,
        {"agreement"},
        "agreement",
        r"step 5, chunk \d: rank 2 sends \d entries to rank 3 \(ring\.py:\d+\) oth",
    ),
]


@pytest.mark.parametrize(("defect", "falsified", "prop", "sentence"), FAULTS, ids=[f[0].__name__ for f in FAULTS])
def test_a_planted_fault_is_found(verdicts, defect, falsified, prop, sentence):
    """Its properties and no other."""
    sound = traced("ring", 4, 22)

    assert refuted(verdicts(sound)) == set()
    results = verdicts(defect(sound))
    assert refuted(results) == falsified
    assert re.search(sentence, results[prop].detail), results[prop].detail


@pytest.mark.parametrize(
    ("defect", "step", "ranks", "look"), [(dropped, 5, [1, 2], "missing"), (longer, 0, [1, 2], "wrong")]
)
def test_a_fault_opens_in_the_explorer(tmp_path, defect, step, ranks, look):
    """Beside the page's run, at its step, with the line; a sound trace has no finding."""
    write(defect(traced("ring", 4, 22)), tmp_path / "run.jsonl")
    shown = in_page(check(tmp_path / "run.jsonl", "ring").explorers[""]())
    finding = next(one for one in shown.findings if one.text.startswith("steps: "))

    assert (finding.run, finding.step, finding.ranks) == (1, step, ranks)
    assert look in [one.look for one in shown.runs[1].stages[0].steps[step].details]
    write(traced("ring", 4, 22), tmp_path / "run.jsonl")
    sound = in_page(check(tmp_path / "run.jsonl", "ring").explorers[""]())
    assert not sound.findings and len(sound.runs[0].stages[0].steps) == 6


def test_vectors_beside_a_trace_are_held_against_its_messages(tmp_path):
    """One rank's vector is not what it has sent: its first message differs from the page's; with the right one none."""
    trace, rng = traced("ring", 2, 2), np.random.default_rng([2, 2])
    for rank in range(2):
        write_rank(rank, 2, [event for event in trace.events if event.rank == rank], tmp_path)
        np.savez(tmp_path / f"rank{rank}.npz", x=rng.standard_normal(2))
    right = check(tmp_path, "ring")
    np.savez(tmp_path / "rank1.npz", x=np.zeros(2))
    shown = in_page(check(tmp_path, "ring").explorers[""]())

    assert right.verdict == "holds" and not in_page(right.explorers[""]()).findings
    assert shown.findings[0].text.startswith("steps: ")
    assert (shown.findings[0].step, shown.findings[0].ranks) == (0, [1, 0])


def beside(tmp_path, name, xs, other=0):
    """What is said of the steps of a recorded run whose first ``other`` messages have other digests."""
    outcome = simulation.run(IMPLS.format(name), len(xs), xs, record=True, buffers="unbounded")
    trace = from_outcome(outcome, len(xs))
    first = [*trace.sends()][:other]
    for r, x in enumerate(xs):
        events = [e._replace(digest=digest(b"other")) if any(e is one for one in first) else e for e in trace.events]
        write_rank(r, len(xs), [event for event in events if event.rank == r], tmp_path)
        parts: dict[str, Any] = (
            {"x": x} if isinstance(x, np.ndarray) else {"indices": x.indices, "values": x.values, "n": x.n}
        )
        np.savez(tmp_path / f"rank{r}.npz", **parts)
    return next(r for r in check(tmp_path, name).results if r.property == "steps")


def test_what_no_digest_tells_is_not_said_to_be_the_page_s(tmp_path):
    """NaNs, and many zeros in a list: messages that hold something else are as long, and that is said."""
    nan, one, zeros = np.full(6, np.nan), np.ones(6), [Sparse(np.arange(r, r + 6), np.zeros(6), 9) for r in (0, 1)]
    half = np.where(np.arange(6) < 3, nan, one)
    cases = (("ring", [nan, nan], 4, 4), ("ring", [half, half], 1, 4), ("ring_allgather", zeros, 1, 2))
    for name, xs, other, every in cases:
        found = beside(tmp_path, name, xs, other)
        assert found.verdict.word is Word.TESTED
        assert f"; of {other} of {every} messages the lengths alone, since no digest tells" in found.detail
        assert found.detail.startswith("message by message as long as the page's") == (other == every)
        assert "the lengths alone" not in beside(tmp_path, name, xs).detail
    assert beside(tmp_path, "ring_allgather", zeros, 2).detail.startswith("as many messages from each rank to each")
    assert beside(tmp_path, "ring", [one, one]).detail == "message by message what the page sends"
    assert beside(tmp_path, "ring", [one, one], 1).verdict.word is Word.REFUTED


def test_a_vector_of_a_rank_too_many_is_refused(tmp_path):
    """The folder mixes two runs; other files may lie there."""
    np.savez(tmp_path / "rank.npz", x=np.ones(6))
    assert beside(tmp_path, "ring", [np.ones(6)] * 2).verdict.word is Word.TESTED
    np.savez(tmp_path / "rank3.npz", x=np.ones(6))
    with pytest.raises(InputError, match=r"rank3\.npz: a rank too many, the trace has 2: a folder is one run"):
        check(tmp_path, "ring")


@pytest.mark.parametrize(
    ("page", "other", "told"),
    [
        ("ring", Sparse([0], [1.0], 6), "rank 1 has a Sparse beside the trace: ring takes an array"),
        ("zen", Sparse([0], [1.0], 6), "rank 1 has a Sparse beside the trace: zen takes an array"),
        ("ring", np.ones(6, np.float32), "rank 1 has float32, rank 0 float64: all vectors need one dtype"),
    ],
)
def test_vectors_that_do_not_fit_the_page_or_one_another_are_refused(tmp_path, page, other, told):
    """In one sentence."""
    assert beside(tmp_path, "ring", [np.ones(6)] * 2).verdict.word is Word.TESTED
    parts: dict[str, Any] = {"x": other} if isinstance(other, np.ndarray) else {"indices": [0], "values": [1.0], "n": 6}
    np.savez(tmp_path / "rank1.npz", **parts)
    with pytest.raises(InputError, match=told):
        check(tmp_path, page)


def test_collectives_stand_in_order(tmp_path):
    """Each with what all ranks did about it."""
    outcome = simulation.run(collective, 3, [np.ones(2)] * 3, record=True)
    write(from_outcome(outcome, 3), tmp_path / "run.jsonl")
    (stage,) = in_page(check(tmp_path / "run.jsonl").explorers[""]()).runs[0].stages

    assert re.fullmatch(r"ranks 0-2 called Allreduce at test_traced\.py:\d+", stage.text)


def test_level_volume_looks_at_no_single_message(verdicts):
    """Lengths that make up for each other are not seen."""
    results = verdicts(longer(traced("ring", 4, 22)), level="volume")

    assert refuted(results) == set()
    assert "steps" not in covered(results)


def test_a_topology_may_be_named(verdicts):
    """Without a page too."""
    trace = traced("recursive_doubling", 4, 8)

    assert refuted(verdicts(trace, "allreduce", topology="ring")) == {"contention"}
    assert refuted(verdicts(traced("ring", 4, 8), "allreduce", topology="ring")) == set()


def test_messages_that_meet_open_at_their_link(tmp_path):
    """With their ranks, in the one step that a trace without receives has; a sound run has the topology alone."""
    write(traced("recursive_doubling", 4, 8), tmp_path / "run.jsonl")
    shown = in_page(check(tmp_path / "run.jsonl", "allreduce", topology="ring").explorers[""]())
    (finding,) = shown.findings
    write(traced("ring", 4, 8), tmp_path / "run.jsonl")
    sound = in_page(check(tmp_path / "run.jsonl", "allreduce", topology="ring").explorers[""]())

    assert (finding.link, finding.step, finding.ranks) == ("0 -> 1", 0, [0, 1, 2, 3])
    assert shown.topology.name == sound.topology.name == "ring" and not sound.findings


def twice(kind, comm, x):
    """Two calls of a stateful target."""
    target = kind(comm, x.size, k=5)
    target(x)
    return target(x)


def of_lists(name: str) -> Trace:
    """A run of an implementation whose messages are as long as the entries want."""
    rng = np.random.default_rng(3)
    rows = rng.standard_normal((4, 24))
    if name == "ring_topk":
        outcome = simulation.run(
            "sparring.impl.ring_topk:Allreduce", 4, [*rows], record=True, buffers="unbounded", call=twice
        )
    else:
        lists = [Sparse(at, x[at], 24) for x in rows for at in [np.flatnonzero(rng.random(24) < 0.4)]]
        outcome = simulation.run(IMPLS.format(name), 4, lists, record=True, buffers="unbounded")
    assert not outcome.findings
    return from_outcome(outcome, 4)


LISTED = pytest.mark.parametrize("name", ["ring_sparse", "ring_allgather", "ring_topk"])


@LISTED
def test_messages_whose_lengths_depend_on_entries_are_counted(verdicts, name):
    """And those that are passed on have one digest; why lengths are not judged is said."""
    results = verdicts(of_lists(name), name)

    assert refuted(results) == set()
    assert covered(results) == TOLD - {"volume"}
    assert results["steps"].detail == (
        "as many messages from each rank to each as the page; what is in them a trace does not tell"
    )
    assert results["volume"].detail.startswith(
        f"how long messages of {name} are depends on entries, which a trace does not have"
    )
    assert ("rankR.npz" in results["volume"].detail) == (name != "ring_topk")


@LISTED
def test_one_message_too_many_or_with_other_bits_is_found(verdicts, name):
    """One too few is not told from one without entries that was left out."""
    trace = of_lists(name)
    last = sends(trace, 2)[-1]
    more = trace._replace(events=[*trace.events, last._replace(seq=last.seq + 100)])

    results = verdicts(renumbered(more), name)
    assert refuted(results) == {"steps"}
    assert "the page sends rank 3 nothing more" in results["steps"].detail
    results = verdicts(renumbered(dropped(trace)), name)
    assert (refuted(results), covered(results)) == (set(), {"contention"})
    assert results["steps"].detail.startswith("rank 1 sends rank 2")
    assert refuted(verdicts(other_bits(trace), name)) == {"agreement"}
    results = verdicts(renumbered(elsewhere(trace)), name)
    assert refuted(results) == {"steps", "contention"}
    assert results["steps"].detail.endswith("the page sends rank 3 nothing")


def test_messages_that_nobody_sees_are_not_covered(verdicts):
    """A collective's."""
    outcome = simulation.run(collective, 3, [np.ones(4)] * 3, record=True)
    results = verdicts(from_outcome(outcome, 3))

    assert covered(results) == set()
    assert results["steps"].detail == "rank 0 sends nothing; it calls Allreduce, whose messages nobody sees"


def noting(comm, x):
    """The ring after ranks have told each other names."""
    comm.Allgather(np.zeros(128, np.uint8), np.zeros((comm.size, 128), np.uint8))
    return ring.allreduce(comm, x)


def hiding(comm, x):
    """The ring, and all of the vector once more."""
    comm.allreduce(x)
    return ring.allreduce(comm, x)


def listing(comm, x):
    """The ring, and all of the vector once more as Python's own numbers."""
    comm.allgather(x.tolist())
    return ring.allreduce(comm, x)


def wrapping(comm, x):
    """The ring, and all of the vector once more inside of other things."""
    comm.allgather({"whole": (x.size, [x])})
    return ring.allreduce(comm, x)


@pytest.mark.parametrize(
    ("target", "wrong"), [(noting, set()), (hiding, {"volume"}), (listing, {"volume"}), (wrapping, {"volume"})]
)
def test_a_vector_that_goes_through_a_collective_too_is_volume(verdicts, unshrunk, target, wrong):
    """Of a trace and of a target: notes may go apart from the messages, a vector may not."""
    outcome = simulation.run(target, 3, [np.ones(300)] * 3, record=True)
    results = verdicts(from_outcome(outcome, 3))
    report = check(target, "ring", ranks=[3], only=["volume", "long vectors"], level="volume", max_examples=15)

    assert refuted(results) == refuted({r.property: r for r in report.results}) == wrong
    assert not wrong or re.match(r"rank 0 also hands 2\d\d\d bytes to all\w+ and Allgather", results["volume"].detail)


def test_a_trace_of_nothing_is_weaker_than_tested(tmp_path, monkeypatch):
    """Where a recorder has seen no message of several ranks; one rank sends none, and without a page none is needed."""
    monkeypatch.chdir(tmp_path)
    weak = ("--fail-under", "tested")
    for p, name, code in ((4, "ring", 1), (1, "ring", 0), (4, "allreduce", 0)):
        write(Trace(p, []), tmp_path / "run.jsonl")
        assert called("check", "run.jsonl", "--algorithm", name, *weak)[0] == code
        assert called("check", "run.jsonl", "--algorithm", name)[0] == 0
    write(traced("ring", 4, 9), tmp_path / "run.jsonl")
    assert called("check", "run.jsonl", "--algorithm", "ring", *weak)[0] == 0


OF_NO_TRACE = [("--ranks", "2"), ("--contract", "mean"), ("--on", "mpi"), ("--against", "m.py:f"), ("--dtype", "int32")]


@pytest.mark.parametrize("option", [*OF_NO_TRACE, ("--sparse",), ("--bad-input",), ("--seed", "1")])
def test_what_says_nothing_of_a_trace_is_refused(tmp_path, monkeypatch, option):
    """On the command line, by name: it would be passed over.  What a project sets for all its targets is."""
    monkeypatch.chdir(tmp_path)
    write(traced("ring", 3, 7), tmp_path / "run.jsonl")
    told = refused("check", "run.jsonl", "--algorithm", "ring", *option)
    assert f"{option[0]} does not go with a trace" in told
    (tmp_path / "pyproject.toml").write_text('[tool.sparring]\nranks = "2"\ncontract = "mean"\ndtype = ["int32"]\n')
    assert called("check", "run.jsonl", "--algorithm", "ring")[0] == 0


@pytest.mark.parametrize(
    "asked",
    [
        {"contract": "mean"}, {"ranks": [3]}, {"dtypes": ["int32"]}, {"against": "m.py:f"}, {"on": "mpi"}, {"seed": 1},
        {"sparse": True}, {"bad_input": True}, {"max_examples": 3}, {"budget": 9}, {"timeout": 9}, {"draw": {"k": 1}},
        {"examples": [([np.zeros(2)], "result")]}, {"segment": 7},
    ],
    ids=str,
)  # fmt: skip
def test_what_says_nothing_of_a_trace_is_refused_by_the_call_too(tmp_path, asked):
    """It held, whatever was asked; what a trace takes is taken."""
    write(traced("ring", 3, 7), tmp_path / "run.jsonl")
    with pytest.raises(InputError, match=f"{next(iter(asked))}( does not go with a trace|')"):
        check(tmp_path / "run.jsonl", "ring", **asked)
    usual = {"level": "volume", "topology": "ring", "only": ["volume"], "xfail": {}, "on": "simulated", "draw": {}}
    assert check(tmp_path / "run.jsonl", "ring", **usual).verdict == "holds"


def test_a_trace_may_be_a_test(project, tmp_path):
    """What the project says of its other targets is passed over, what is said of the trace is not."""
    write(traced("ring", 3, 7), tmp_path / "run.jsonl")
    (tmp_path / "pyproject.toml").write_text('[tool.sparring]\nranks = "2"\non = "both"\ndtype = ["int32"]\n')
    text = "import sparring\n\n@sparring.conformance('run.jsonl', 'ring', only=['steps']{})\ndef test(check): check()\n"
    assert "1 passed" in project(text.format(""), "--sparring-seed", "3").stdout
    assert "ranks does not go with a trace" in project(text.format(", ranks=[2]")).stdout


def test_bad_input_is_one_sentence(tmp_path):
    """No trace, no page, no property."""
    with pytest.raises(InputError, match="there is no such file; a trace must be one, or a folder with"):
        check(tmp_path, "ring")
    write(traced("ring", 2, 2), tmp_path / "run.jsonl")
    with pytest.raises(InputError, match="no algorithm 'rign'"):
        check(tmp_path / "run.jsonl", "rign")
    with pytest.raises(InputError, match="xfail: no property 'speed'"):
        check(tmp_path / "run.jsonl", "ring", xfail={"speed": "slow"})


def test_more_messages_than_anybody_waits_for_are_not_compared(verdicts):
    """The page would send millions."""
    sent = Event(0, 0, "send", "Send", 1, 0, 0, None, 1, "float64", 8, digest(bytes(8)), "mine.py:1")
    results = verdicts(Trace(4096, [sent]))

    assert covered(results) == set()
    assert results["steps"].detail == "on 4096 ranks ring sends more than 262144 messages"
