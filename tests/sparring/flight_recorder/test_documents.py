"""Dumps in the explorer: the ranks' calls in order, and the first divergence where it is."""

from __future__ import annotations

import pytest

from sparring.flight_recorder import documents, dumps
from sparring.flight_recorder.diagnosis import Diagnosis
from sparring.flight_recorder.meetings import assemble
from tests.sparring.flight_recorder.made_dumps import call, job, message


@pytest.fixture
def shown(tmp_path):
    """The document of a job with these calls by rank."""

    def made(calls, **groups):
        return documents.document(Diagnosis(assemble(dumps.read(job(tmp_path / "job", calls, **groups)))), "job")

    return made


def test_who_never_came_and_who_waits(shown):
    """At the second collective, with the lines of those that wait."""
    inside = [call(number=1), call(number=2, done=False, line=20)]
    document = shown({0: inside, 1: inside, 2: [call(number=1)]})
    finding = document.findings[0]

    assert (finding.step, finding.ranks, finding.where) == (1, [2], "train.py:20")
    assert [(w.rank, w.on, w.where) for w in finding.waits] == [(0, [2], "train.py:20"), (1, [2], "train.py:20")]
    assert document.runs[0].stages[1].text.splitlines()[0] == "rank 2 did not come"


def test_another_call_is_named(shown):
    """Rank 1 calls something else in the same place."""
    document = shown({0: [call("all_reduce")], 1: [call("broadcast")]})

    assert document.findings[0].step == 0 and "broadcast" in document.findings[0].text
    assert "rank 1 called broadcast at train.py:10" in document.runs[0].stages[0].text


def test_a_message_that_nobody_takes_is_an_arrow(shown):
    """It is marked."""
    document = shown({0: [message("send", 0, 1, done=False)], 1: []}, g0=[0, 1])
    (step,) = document.runs[0].stages[document.findings[0].step].steps

    assert [(m.src, m.dst) for m in step.messages] == [(0, 1)] and step.details[0].look == "wrong"


def test_a_job_that_ended_has_no_findings(shown):
    """Its collectives stand in the order of all ranks, whatever their clocks say."""
    late = [call("all_reduce", 1, time_created_ns=90), call("broadcast", 2, time_created_ns=91)]
    early = [call("all_reduce", 1, time_created_ns=95), call("broadcast", 2, time_created_ns=5)]
    document = shown({0: late, 1: early})

    assert not document.findings
    assert [stage.heading.split()[0] for stage in document.runs[0].stages] == ["all_reduce", "broadcast"]
