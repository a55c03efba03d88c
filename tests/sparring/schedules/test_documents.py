"""Schedule files in the explorer: messages in steps, copies that can be followed, and each fault at its step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sparring.schedules import checking, documents
from sparring.schedules.formats import files, goal, mscclpp
from sparring.schedules.program import Block, Step
from tests.sparring.schedules.plans import gathered, plan, reduced
from tests.sparring.schedules.programs import changed, file, judge, program

SAMPLES = Path(__file__).parent / "samples"


def shown(whole, depth=None, topology=None) -> Any:
    """The document of a program."""
    one = judge(whole)
    results = list(checking.judge_properties(one, "mine", depth, topology, load=False))
    return documents.document(one, "mine", results, depth, topology)


def named(name, topology=None) -> Any:
    """The document of a file of others."""
    return shown(files.read(SAMPLES / name), topology=topology)


def of_messages(whole):
    """The messages that are kept of a program, as GOAL has them."""
    return goal.read(file(whole, "goal"))


OTHERS = {
    "messages alone": lambda: of_messages(exchange()),
    "a plan with signals": lambda: mscclpp.read(plan(gathered(3), "allgather", (1, 3, 0))),
    "a plan with reads": lambda: mscclpp.read(plan(reduced(3), "allreduce", (3, 3, 6))),
}


@pytest.mark.parametrize("made", OTHERS.values(), ids=[*OTHERS])
def test_other_formats_show_their_messages(made):
    """Who sends to whom, without copies to follow, and without a finding where they are right."""
    document = shown(made())
    (stage,) = document.runs[0].stages
    p = document.ranks

    assert not document.findings and stage.chunks == 0
    ends = {(message.src, message.dst) for step in stage.steps for message in step.messages}
    assert ends == {(a, b) for a in range(p) for b in range(p) if a != b}
    assert not any(detail.look for step in stage.steps for detail in step.details)


STEPS = {
    "allgather_recursive_doubling_8.xml": 3,
    "allreduce_hierarchical_8.xml": 8,
    "allreduce_recursive_halving_doubling_8.xml": 6,
    "allreduce_ring_8.xml": 14,
}


@pytest.mark.parametrize(("name", "steps"), STEPS.items(), ids=[*STEPS])
def test_files_of_others_have_the_steps_of_their_algorithm(name, steps):
    """Nothing is wrong, and whoever follows the messages ends with what the file promises."""
    document = named(name)
    (stage,) = document.runs[0].stages

    assert not document.findings and len(stage.steps) == steps
    held = [[sum(1 << r for r in ranks) for ranks in row] for row in stage.start]
    goal = [[sum(1 << r for r in ranks) for ranks in row] for row in stage.goal]
    assert documents.followed(held, stage) == goal


def exchange():
    """Two ranks: each sends the other a chunk and adds, then gives the sum back."""

    def rank(own, other):
        steps = (Step("s", ("i", other)), Step("rrc", ("i", own), ("i", own)), Step("s", ("i", own)),
                 Step("r", None, ("i", other)))  # fmt: skip
        return [Block(0, steps, other, other)]

    return program(rank(0, 1), rank(1, 0))


def test_a_wrong_place_opens_at_its_last_message():
    """Rank 1 overwrites where it must add; its twin is right."""
    assert not shown(exchange()).findings
    document = shown(changed(exchange(), 1, 0, 1, op="r", src=None))
    finding = document.findings[0]

    assert finding.text.startswith("implements: ")
    assert 0 in finding.ranks or 1 in finding.ranks
    assert finding.step in (0, 1)


def test_a_deadlock_shows_the_circle():
    """Both wait first."""

    def rank(other):
        return [Block(0, (Step("rrc", ("i", 0), ("i", 0)), Step("s", ("i", 0))), other, other)]

    document = shown(program(rank(1), rank(0)))
    finding = next(one for one in document.findings if one.text.startswith("deadlock: "))

    assert [(wait.rank, wait.on) for wait in finding.waits] == [(0, [1]), (1, [0])]
    assert "rank 0 block 0 step 0 (rrc)" in [wait.call for wait in finding.waits]


def test_a_lost_message_is_marked():
    """It is sent, and its receive is not there."""
    document = shown(changed(exchange(), 1, 0, 3))
    finding = next(one for one in document.findings if one.text.startswith("hygiene: "))
    step = document.runs[0].stages[0].steps[finding.step]
    (lost,) = [one for one in step.details if one.look == "wrong"]

    assert (step.messages[lost.message].src, step.messages[lost.message].dst) == (0, 1)
    assert lost.says == documents.LOST and finding.ranks == [0]


def test_copies_that_wait_in_the_scratch_are_not_followed():
    """A chunk that comes to the scratch overwrites no copy, so nothing is said of copies."""

    def rank(own, other):
        steps = (Step("s", ("i", own)), Step("r", None, ("s", 0)), Step("re", ("s", 0), ("i", other)))
        return [Block(0, steps, other, other)]

    (stage,) = shown(program(rank(0, 1), rank(1, 0))).runs[0].stages
    assert stage.chunks == 0 and stage.start is None


def test_links_that_are_shared_are_told_at_their_step():
    """Of the hierarchical allreduce on a ring; the sentence names the link."""
    shown = named("allreduce_hierarchical_8.xml", topology="ring")
    finding = shown.findings[0]

    assert finding.text.startswith("contention: contended on ring")
    assert len(finding.ranks) == 2 and finding.step is not None
    assert finding.link in shown.topology.links and finding.link.replace(" ", "") in finding.text
