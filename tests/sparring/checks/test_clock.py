"""However it ends, with the time for it or with Ctrl-C, ``check`` tells what is known."""

from __future__ import annotations

import os
import signal

import pytest

from sparring.checks import engine
from sparring.checks.checking import check
from sparring.checks.clock import INTERRUPTED
from sparring.errors import InputError
from sparring.proofs.logic.verdicts import Word
from tests.sparring.calling import called
from tests.sparring.checks.refuting import detail, failed, words


def right(comm, x):
    y = x.copy()
    comm.Allreduce(x, y)
    return y


def wrong(comm, x):
    """But of one entry."""
    y = right(comm, x)
    y[1:] += comm.rank
    return y


def test_what_the_time_does_not_suffice_for_is_undecided():
    """Hardly anything was looked at."""
    report = check(right, only=["result", "special values"], budget=1e-9)
    assert words(report) == {"result": Word.UNDECIDED, "special values": Word.UNDECIDED}
    assert detail(report, "result") == "0 of 60 examples came to it; no more were tried within 1e-09 s"
    assert report.exit_code == 3
    with pytest.raises(InputError, match="budget=0: it must be more than 0 seconds"):
        check(right, budget=0)


def test_what_is_found_is_told_at_once():
    """Before it is made smaller, and once."""
    told: list[str] = []
    report = check(wrong, only=["result"], ranks=[2, 3], advance=told.extend)
    assert [text.partition(":")[0].partition(" at p=")[0] for text in told] == ["result"]
    assert failed(report)["result"].startswith("p=2 n=2: rank 1 has [0 1]")


@pytest.mark.parametrize("after", [1, 70])
def test_an_interruption_leaves_what_is_known(after, target, monkeypatch):
    """Of few examples nothing; of most what they showed.  The command tells it, and ends as interrupted ones do."""
    judge, count = engine.judge, iter(range(10**6))

    def interrupted(*asked):
        if next(count) == after:
            os.kill(os.getpid(), signal.SIGINT)
        return judge(*asked)

    monkeypatch.setattr(engine, "judge", interrupted)
    source = "def right(comm, x):\n    y = x.copy()\n    comm.Allreduce(x, y)\n    return y\n"
    code, said, error = called("check", target(source, "right"), "--only", "result", "--only", "edge sizes")
    assert (code, error) == (130, "sparring: interrupted\n")
    assert INTERRUPTED in " ".join(said.split())
    assert ("tested (60 examples)" in said) == (after == 70)
