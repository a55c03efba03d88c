"""Several processes give the report that one gives."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor, Future
from operator import attrgetter

import pytest

import sparring
from sparring.errors import InputError, UnknownPage
from sparring.parallel import each, submitted
from sparring.proofs.logic.verdicts import EXPECTED

NAMES = ("ring_allgather", "bruck_allgather")
LIMIT = 120  # seconds; these take a few


@pytest.mark.slow
def test_the_same_report_in_the_same_order():
    """Whichever process is done first, here the last."""
    asked = ("topk", "ring_allgather")
    one, two = (sparring.verify(*asked, ranks=[1], jobs=jobs) for jobs in (1, 2))

    assert [r.subject for r in two.results] == sorted([r.subject for r in one.results], key=asked.index)
    assert [*map(plain, two.results)] == [*map(plain, one.results)]
    assert two.extra == one.extra and two.not_covered == one.not_covered


def test_a_page_stays_in_this_process():
    """It has no name under which another process would find it; what is found here and there is the same."""
    report = sparring.verify(sparring.page("ring_allgather"), "ring_allgather", ranks=[1], jobs=2)

    half = len(report.results) // 2
    assert {r.subject for r in report.results} == {"ring_allgather"}
    assert report.results[:half] == report.results[half:]


def test_faults_of_a_process_come_back():
    """Bad input is told as in one process."""
    with pytest.raises(UnknownPage, match="no algorithm 'no-such'"):
        sparring.verify("no-such", "ring", ranks=[1], jobs=2)
    with pytest.raises(InputError, match="jobs=0: at least 1 process"):
        sparring.verify("ring", jobs=0)


@pytest.mark.slow
def test_the_same_proofs_in_the_same_order():
    """The same results and, but for how long they took, the same envelope."""
    one, two = (sparring.prove("ring_allgather", "bruck_allgather", jobs=jobs) for jobs in (1, 2))

    assert [*dict.fromkeys(r.subject for r in one.results)] == ["ring_allgather", "bruck_allgather"]
    assert [*map(plain, two.results)] == [*map(plain, one.results)]
    for told in (*one.extra["theorems"], *two.extra["theorems"]):
        del told["seconds"]
    assert two.extra == one.extra


def plain(result):
    """Without the numbers of a counterexample: a busy solver may find another one."""
    return result._replace(detail="", witness={}) if result.verdict == EXPECTED else result


def test_what_comes_before_a_fault_is_told():
    """Of three pages one is not there: the first one's answer comes, then the sentence, as in one process."""
    for jobs in (1, 2):
        answers = each(attrgetter("name"), ("ring", "no-such", "gtopk"), jobs)

        assert [next(answers) for _ in "ring"] == [*"ring"]
        with pytest.raises(UnknownPage, match="no algorithm 'no-such'"):
            next(answers)
    with pytest.raises(InputError, match="jobs=0: at least 1 process"):
        next(each(attrgetter("name"), NAMES, 0))


@pytest.mark.parametrize("jobs", [1, 2])
def test_pages_have_the_parameters(jobs):
    """In whichever process."""
    assert [*each(attrgetter("params"), ("ring_topk", "topka2a"), jobs, k=7)] == ["k", "k"]
    with pytest.raises(InputError, match="zzz"):
        next(each(attrgetter("params"), ("ring_topk", "topka2a"), jobs, zzz=7))


def test_what_takes_longest_starts_first():
    """Pages of bits and digits do, though answers stay in the order of names; one that is not there comes later."""
    names, started = ["ring", "gtopk", "no-such", "recursive_multiplying"], list[str]()

    class Recorder(Executor):
        def submit(self, fn, /, *args, **kwargs):
            done = Future()
            started.append(args[0])
            done.set_result(fn(*args))
            return done

    assert [part.result() for part in submitted(list, names, Recorder())] == [[*name] for name in names]
    assert started == ["gtopk", "recursive_multiplying", "ring", "no-such"]


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="a system with groups of processes")
@pytest.mark.parametrize(
    ("asked", "send", "what", "code", "told"),
    [
        ("prove", "kill", "SIGINT", 130, "sparring: interrupted\n"),
        pytest.param("prove", "killpg", "SIGINT", 130, "sparring: interrupted\n", marks=pytest.mark.slow),
        pytest.param("verify", "kill", "SIGTERM", -15, "", marks=pytest.mark.slow),
    ],
)
def test_an_interruption_ends_all_processes(asked, send, what, code, told):
    """Whether a terminal tells all processes or a program the first one: one line at most, and none is left."""
    command = [sys.executable, "-m", "sparring", asked, "bruck_allgather", "gtopk", "--jobs", "2", "--no-cache"]
    command += ["--ranks", "1"] if asked == "verify" else []
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, start_new_session=True, **pipes) as ran:
        lines = iter(ran.stdout.readline, "") if ran.stdout else iter(())
        first = next(line for line in lines if not line.startswith("algorithm"))  # gtopk is at work, and long after
        getattr(os, send)(ran.pid, getattr(signal, what))
        _, errors = ran.communicate(timeout=LIMIT)

    errors = errors.partition("/")[0]  # a file: multiprocessing may warn of what it clears away
    assert first.startswith("bruck_allgather") and (ran.returncode, errors) == (code, told)
    assert gone(ran.pid)


def gone(group):
    """Whether within the limit no process of the group is left."""
    until = time.monotonic() + LIMIT
    while time.monotonic() < until:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False
