"""Why made jobs hang, and that their twins do not."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from click.testing import CliRunner

from sparring.checks.checking import check
from sparring.cli import cli
from sparring.errors import InputError
from sparring.flight_recorder.checking import PROPERTIES, check_dumps
from tests.sparring.flight_recorder.made_dumps import call, job, message

G: dict[str, Any] = {"g0": [0, 1, 2], "ga": [0, 1], "gb": [1, 2]}


def first(folder, ranks=None):
    """The property that the first divergence falsifies, and the sentence."""
    told = check_dumps(folder, ranks).extra["first_divergence"]
    return told and (told["property"], told["sentence"])


def refuted(folder):
    return {r.property for r in check_dumps(folder).results if str(r.verdict) == "refuted"}


def both(calls):
    """The same calls on two ranks."""
    return {0: calls, 1: calls}


RIGHT = {
    "alike": both([call(), call("barrier", 2)]),
    "shapes of as many elements": {0: [call(sizes=(2, 2))], 1: [call(sizes=(4,))]},
    "lines of two branches": {0: [call("broadcast", line=1)], 1: [call("broadcast", line=2)]},
    "only the root of a gather takes": {0: [call("gather")], 1: [call("gather", output_sizes=[], output_dtypes=[])]},
    "only the root of a scatter brings": {0: [call("scatter")], 1: [call("scatter", input_sizes=[], input_dtypes=[])]},
    "an alltoall is uneven": {0: [call("all_to_all", sizes=(3,))], 1: [call("all_to_all", sizes=(5,))]},
    "several tensors at once": both([call("allreduce_coalesced"), call("allreduce_coalesced", sizes=(9,))]),
    "a message": {0: [message("send", 0, 1)], 1: [message("recv", 1, 0)]},
    "a batch": {
        r: [message("recv", r, 1 - r), message("send", r, 1 - r), call("coalesced", is_p2p=True, p2p_seq_id=1)]
        for r in (0, 1)
    },
    "other orders of two groups": {
        0: [call(), call(group="a")],
        1: [call(group="a"), call()],
    },
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right_passes(tmp_path, name):
    """Nothing is refuted, and what was compared is tested."""
    report = check_dumps(job(tmp_path, RIGHT[name], g0=[0, 1], ga=[0, 1]))
    found = {r.property: str(r.verdict).split(" ")[0] for r in report.results}
    messages = name in {"a message", "a batch"}
    collectives = {"calls": "not", "arrival": "not"} if messages else {"messages": "not"}
    assert found == {**dict.fromkeys(PROPERTIES, "tested"), **collectives}
    assert first(tmp_path) is None and report.exit_code == 0


WRONG = {
    "rank 1 did not come": (
        {0: [call(), call(number=2, line=20, done=False)], 1: [call()]},
        "arrival",
        (
            "rank 1 did not come to all_reduce 2 of ALL; rank 0 at train.py:20 came to it; "
            "rank 1: in no recorded call after all_reduce 1 of ALL at train.py:10"
        ),
    ),
    "rank 1 never called": (
        {0: [call(done=False)], 1: []},
        "arrival",
        ("rank 1 did not come to all_reduce 1 of ALL; rank 0 at train.py:10 came to it; rank 1: no call at all"),
    ),
    "other collectives": (
        {0: [call("all_gather", done=False)], 1: [call(line=11, done=False)], 2: [call(line=11, done=False)]},
        "calls",
        ("call 1 of ALL: rank 0 called all_gather at train.py:10, ranks 1 and 2 called all_reduce at train.py:11"),
    ),
    "other sizes": (
        {0: [call(sizes=(3, 2))], 1: [call(sizes=(1,))]},
        "calls",
        ("all_reduce 1 of ALL: rank 0 brought 6 elements at train.py:10, rank 1 brought 1 element at train.py:10"),
    ),
    "other dtypes": (
        {0: [call(dtype="Half")], 1: [call()], 2: [call()]},
        "calls",
        ("all_reduce 1 of ALL: rank 0 brought Half at train.py:10, ranks 1 and 2 brought Float at train.py:10"),
    ),
    "other outputs": (
        {0: [call("scatter", input_sizes=[], output_sizes=[[2]])], 1: [call("scatter")]},
        "calls",
        ("scatter 1 of ALL: rank 0 took 2 elements at train.py:10, rank 1 took 4 elements at train.py:10"),
    ),
    "one call fewer in a coalesced one": (
        {0: [call("allreduce_coalesced"), call("allreduce_coalesced")], 1: [call("allreduce_coalesced")]},
        "calls",
        (
            "allreduce_coalesced 1 of ALL: rank 0 brought tensors of 4 and 4 elements at "
            "train.py:10, rank 1 brought 4 elements at train.py:10"
        ),
    ),
    "a call that no recorder lists": (
        {0: [call(), call(number=2), call(number=3)], 1: [call(), call(number=3)]},
        "calls",
        (
            "all_reduce 2 of ALL: rank 1 called something that the recorder does not list, rank "
            "0 at train.py:10 called all_reduce"
        ),
    ),
    "groups in another order": (
        {0: [call(group="a", done=False)], 1: [call(line=7, done=False)], 2: [call(line=7, done=False)]},
        "deadlock",
        (
            "in all_reduce 1 of group a rank 0 at train.py:10 waited for rank 1; in all_reduce 1 of ALL"
            " ranks 1 and 2 at train.py:7 waited for rank 0"
        ),
    ),
    "groups in another order, all enqueued": (
        {
            0: [call(group="a", done=False), call(done=False)],
            1: [call(done=False), call(group="a", done=False)],
            2: [call(done=False)],
        },
        "deadlock",
        (
            "in all_reduce 1 of group a rank 0 at train.py:10 waited for rank 1; in all_reduce 1 of ALL"
            " ranks 1 and 2 at train.py:10 waited for rank 0"
        ),
    ),
    "receives in a circle": (
        {r: [message("recv", r, (r - 1) % 3, line=r, done=False)] for r in range(3)},
        "deadlock",
        (
            "in message 1 from rank 2 to rank 0 in ALL rank 0 at train.py:0 waited for rank 2; "
            "in message 1 from rank 1 to rank 2 in ALL rank 2 at train.py:2 waited for rank 1; "
            "in message 1 from rank 0 to rank 1 in ALL rank 1 at train.py:1 waited for rank 0"
        ),
    ),
    "a receive and a collective in a circle": (
        {0: [message("recv", 0, 1, done=False)], 1: [call(line=5, done=False)]},
        "deadlock",
        (
            "in message 1 from rank 1 to rank 0 in ALL rank 0 at train.py:10 waited for rank 1; "
            "in all_reduce 1 of ALL rank 1 at train.py:5 waited for rank 0"
        ),
    ),
    "no send": (
        {0: [call()], 1: [call(), message("recv", 1, 0, done=False)]},
        "messages",
        (
            "rank 0 did not send message 1 from rank 0 to rank 1 in ALL; rank 1 at train.py:10 "
            "was there for it; rank 0: in no recorded call after all_reduce 1 of ALL at train.py:10"
        ),
    ),
    "no receive": (
        {0: [message("send", 0, 1), message("send", 0, 1, 2, done=False)], 1: [message("recv", 1, 0)]},
        "messages",
        (
            "rank 1 did not receive message 2 from rank 0 to rank 1 in ALL; rank 0 at "
            "train.py:10 was there for it; rank 1: in no recorded call after message 1 from rank 0 to rank 1 in ALL"
            " at train.py:10"
        ),
    ),
    "a message of another size": (
        {0: [message("send", 0, 1, sizes=(8,))], 1: [message("recv", 1, 0)]},
        "messages",
        (
            "message 1 from rank 0 to rank 1 in ALL: rank 0 had 8 elements at train.py:10, "
            "rank 1 had 4 elements at train.py:10"
        ),
    ),
    "all came alike": (
        both([call(done=False)]),
        "completion",
        (
            "all_reduce 1 of ALL did not end for ranks 0 and 1 at train.py:10; all its ranks "
            "came in the same way, so look at the network and the devices"
        ),
    ),
}
"""The calls, the property that the first divergence falsifies, and its sentence, with ALL for the default group."""


@pytest.mark.parametrize("name", WRONG)
def test_why_a_job_hangs(tmp_path, name):
    """The first divergence, in words; the report is refuted."""
    calls, prop, sentence = WRONG[name]
    groups = G if len(calls) == 3 else {}
    assert first(job(tmp_path, calls, **groups)) == (prop, sentence.replace("ALL", "group 0 (default_pg)"))
    assert prop in refuted(tmp_path) and check_dumps(tmp_path).exit_code == 1


def test_the_first_divergence_and_not_the_last_symptom(tmp_path):
    """Rank 2 stays away from group b; rank 1 waits for it there, and so rank 0 for rank 1 in group a, later in time."""
    calls = {
        0: [call(group="a", line=1, done=False)],
        1: [call(group="b", line=2, time_created_ns=5 * 10**9, done=False)],
        2: [],
    }
    prop, sentence = first(job(tmp_path, calls, **G))
    assert prop == "arrival" and sentence.startswith("rank 2 did not come to all_reduce 1 of group b")
    assert len([r for r in check_dumps(tmp_path).results if "; 1 more" in r.detail]) == 2


def test_a_mismatch_before_an_absence(tmp_path):
    """What is unlike comes first where the ranks came to it first, and not where they came to something else before."""
    calls = {0: [call(sizes=(1,)), call(number=2, done=False)], 1: [call(done=False)]}
    assert first(job(tmp_path / "one", calls))[0] == "calls"
    late = call(sizes=(1,), done=False), call(done=False)
    calls = {0: [call(group="a", done=False), late[0]], 1: [call(group="b", done=False), late[1]], 2: []}
    assert first(job(tmp_path / "two", calls, **G))[0] == "arrival"


def test_where_lines_part(tmp_path):
    """Rank 1 leaves out line 2: nothing is unlike but lines, from there on; a branch long before is not told."""
    lines = {0: [7, 1, 2, 3, 4], 1: [8, 1, 3, 4], 2: [7, 1, 2, 3, 4]}
    calls = {r: [call(number=n, line=line, done=n < 5) for n, line in enumerate(own, 1)] for r, own in lines.items()}
    prop, sentence = first(job(tmp_path, calls))
    assert prop == "arrival" and sentence.endswith(
        "; their lines part at all_reduce 3 of group 0 (default_pg), to which rank 1 came at train.py:3, ranks 0 and 2 "
        "came at train.py:2"
    )


def test_a_rank_without_a_dump(tmp_path):
    """It is named, and so is the call that does not end without it; how many ranks there were may have to be said."""
    calls = {0: [call(done=False)], 2: [call(done=False)]}
    assert first(job(tmp_path, calls, g0=[0, 1, 2, 3]))[1] == (
        "ranks 1 and 3 left no dump: dead, or without time to write one; without ranks 1 and 3 all_reduce 1 of group 0 "
        "(default_pg) did not end for ranks 0 and 2 at train.py:10"
    )
    assert refuted(tmp_path) == {"dumps", "completion"}
    whole = job(tmp_path / "whole", both([call()]))
    assert first(whole) is None and first(whole, 2) is None
    assert first(whole, 3) == ("dumps", "rank 2 left no dump: dead, or without time to write one")
    with pytest.raises(InputError, match="ranks = 1, and the last dump is of rank 1; right: 2 to 65536"):
        check_dumps(whole, 1)


def test_a_job_without_calls_is_not_judged(tmp_path):
    """Its recorders were off; a rank that alone made none is told of."""
    with pytest.raises(InputError, match=r"have no calls; right: a job with TORCH_FR_BUFFER_SIZE"):
        check_dumps(job(tmp_path, both([]), g0=[0, 1]))
    assert first(job(tmp_path, {1: [call(done=False)]}, g0=[0, 1]))[0] == "arrival"


def test_a_full_buffer(tmp_path):
    """What was overwritten on one rank is not held against it; what came after is judged."""
    late = [call(number=n) for n in (3, 4)]
    job(tmp_path, {0: late}, first=2, g0=[0, 1])
    job(tmp_path, {1: [call(number=n) for n in (1, 2, 3, 4)]}, g0=[0, 1])
    report = check_dumps(tmp_path)
    assert report.exit_code == 0 and "calls: the first were overwritten in the recorder's buffer" in report.not_covered
    assert [str(r.verdict) for r in report.results[1:3]] == ["tested (2 examples)"] * 2
    job(tmp_path, {1: [call(number=n) for n in (1, 2, 3)] + [call("barrier", 4)]}, g0=[0, 1])
    assert first(tmp_path)[1].startswith("call 4 of group 0 (default_pg): ")


LATE = [call(number=n) for n in (50, 51)]
FULL = {
    "a collective": (
        {0: [*LATE, call(number=5, group="a", line=7, done=False)], 1: LATE, 2: LATE},
        (
            "all_reduce 5 of group a did not end for rank 0 at train.py:7; whether rank 1 came, the dumps do not tell; "
            "rank 1: in no recorded call after all_reduce 51 of ALL at train.py:10"
        ),
    ),
    "receives in a circle": (
        {r: [*LATE, message("recv", r, (r - 1) % 3, line=r, done=False)] for r in range(3)},
        (
            "message 1 from rank 2 to rank 0 in ALL did not end for rank 0 at train.py:0; whether rank 2 came, the "
            "dumps do not tell; rank 2: still in message 1 from rank 1 to rank 2 in ALL at train.py:2"
        ),
    ),
}
"""Jobs that hang after their buffers were full, and what is said of them."""


@pytest.mark.parametrize("name", FULL)
def test_a_job_that_hangs_after_its_buffers_were_full(tmp_path, name):
    """A call that did not end is told, though nobody knows who else came; the twin in which it ended passes."""
    calls, sentence = FULL[name]
    found = first(job(tmp_path, calls, first=100, ga=[0, 1]))
    assert found == ("completion", sentence.replace("ALL", "group 0 (default_pg)"))
    unjudged = {r.property for r in check_dumps(tmp_path).results if str(r.verdict) == "not covered"}
    assert unjudged == {"messages", "deadlock"}
    ended = {rank: [{**one, "state": "completed", "retired": True} for one in own] for rank, own in calls.items()}
    assert first(job(tmp_path / "twin", ended, first=100, ga=[0, 1])) is None


def test_a_dump_that_is_older_than_the_others(tmp_path):
    """An allreduce that ended had all ranks: who lacks it wrote its dump before; others can end without some."""
    for kind, gone in (("all_reduce", "rank 2"), ("broadcast", "rank 0"), ("all_to_all", "rank 0")):
        calls = {r: [call(kind, n, done=n < 5) for n in range(1, last + 1)] for r, last in enumerate((2, 5, 4))}
        prop, sentence = first(job(tmp_path / kind, calls))
        assert prop == "arrival" and sentence.startswith(f"{gone} did not come to {kind} {5 if gone[-1] == '2' else 3}")
    told = check_dumps(tmp_path / "all_reduce").not_covered
    assert (
        "arrival: the dump of rank 0 was written before all_reduce 3 of group 0 (default_pg), to which it came: others "
        "have ended it"
    ) in told


def test_json_has_no_lines(tmp_path):
    """The same is found, without lines, which the report says."""
    calls = {0: [call(), call(number=2, done=False)], 1: [call()]}
    assert first(job(tmp_path, calls, "json"))[1] == (
        "rank 1 did not come to all_reduce 2 of group 0 (default_pg); rank 0 came to it; "
        "rank 1: in no recorded call after all_reduce 1 of group 0 (default_pg)"
    )
    assert any(gap.startswith("lines: JSON dumps have no source lines") for gap in check_dumps(tmp_path).not_covered)


def test_two_groups_of_one_name(tmp_path):
    """Groups that were split have one name; their ranks tell them apart."""
    for ranks in ([0, 1], [2, 3]):
        job(tmp_path, {r: [call(group="s", sizes=(1 + ranks[0],))] for r in ranks}, g0=[0, 1, 2, 3], gs=ranks)
    assert first(tmp_path) is None


def test_a_group_that_is_made_anew(tmp_path):
    """It counts from 1 again: its first call is none of the group before, which had the same name."""
    once = [call(number=n) for n in (1, 2)]
    whole = job(tmp_path / "whole", {r: [*once, call(dtype="Half")] for r in range(2)})
    assert first(whole) is None
    prop, sentence = first(job(tmp_path / "late", {0: [*once, call(dtype="Half", done=False)], 1: once}))
    assert prop == "arrival" and sentence.startswith(
        "rank 1 did not come to all_reduce 1 of group 0 (default_pg, made anew); rank 0 at train.py:10 came to it"
    )


def test_names_of_strangers(tmp_path):
    """What would steer a terminal is not printed, and long names are cut; numbers that fit are."""
    nasty = {"group": "\x1b[2J" + "x" * 1000, "dtype": "\x07" * 1000, "sizes": (2**62,) * 64}
    calls = {0: [call("\x1b]0;all", line=1, **nasty)], 1: [call("\x1b]0;all", line=2, **{**nasty, "sizes": (1,)})]}
    prop, sentence = first(job(tmp_path, calls))
    assert prop == "calls" and sentence.isprintable() and len(sentence) < 1500
    assert sentence.startswith("?]0;all 1 of group ?[2Jxxx")


def test_the_command(tmp_path, monkeypatch):
    """Exit codes, JSON, the table, what is only for other targets; expected failures and properties one by one."""
    monkeypatch.chdir(tmp_path)
    job(tmp_path / "hangs", {0: [call(), call(number=2, done=False)], 1: [call()]})
    job(tmp_path / "ends", both([call()]))
    shown = CliRunner().invoke(cli, ["check", str(tmp_path / "hangs")])
    assert shown.exit_code == 1 and "first divergence: rank 1 did not come" in " ".join(shown.output.split())
    assert "See: sparring-failures/hangs.html" in shown.output and (tmp_path / "sparring-failures/hangs.html").is_file()
    done = CliRunner().invoke(cli, ["check", str(tmp_path / "hangs"), "--json"])
    told = json.loads(done.output)
    assert (done.exit_code, told["verdict"], told["check"]["ranks"]) == (1, "refuted", [2])
    assert [(one["rank"], one["state"]) for one in told["stands"]] == [(0, "in"), (1, "after")]
    assert CliRunner().invoke(cli, ["check", str(tmp_path / "ends")]).exit_code == 0
    assert CliRunner().invoke(cli, ["check", str(tmp_path / "ends"), "--ranks", "3"]).exit_code == 1
    other = CliRunner().invoke(cli, ["check", str(tmp_path / "ends"), "--algorithm", "ring"])
    assert other.exit_code == 2 and "--algorithm does not go with dumps" in other.output
    expected = check(tmp_path / "hangs", xfail={"arrival": "one"}, only=["arrival", "calls"])
    assert [str(r.verdict) for r in expected.results] == ["tested (1 example)", "refuted as expected"]
    with pytest.raises(InputError, match="no property 'arival' of dumps; did you mean 'arrival'"):
        check(tmp_path / "ends", only=["arival"])
    with pytest.raises(InputError, match="ranks: 2 numbers; right for dumps: one"):
        check(tmp_path / "ends", ranks=[2, 3])


def test_many_ranks_and_calls_take_little_time(tmp_path):
    """64 ranks with 500 calls each, of which one is missing."""
    calls = {r: [call(number=n, done=n < 500) for n in range(1, 501 - (r == 63))] for r in range(64)}
    start = time.perf_counter()
    assert first(job(tmp_path, calls, "json"))[1].startswith("rank 63 did not come to all_reduce 500")
    assert time.perf_counter() - start < 20
