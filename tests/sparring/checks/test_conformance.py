"""``@sparring.conformance`` in a user's own test file: one test a property, alone, with xdist, and under mpiexec."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import pytest

from sparring.checks.checking import check
from sparring.checks.pytesting import Subject, conformance
from sparring.checks.ranks import launch
from sparring.errors import InputError

SOURCE = """\
import numpy as np

def right(comm, x):
    y = np.empty_like(x)
    comm.Allreduce(x, y)
    return y

def wrong(comm, x):
    y = right(comm, x)
    if comm.Get_rank() == 1:
        y[-1:] += 1
    return y

def raises(comm, x):
    if comm.Get_rank() == 1:
        raise ValueError("planted")
    return right(comm, x)

def hangs(comm, x):
    if comm.Get_rank() == 1:
        comm.Recv(x, source=0, tag=9)
    return right(comm, x)

def drawn(comm, x):
    everybody = comm.allgather(x.tolist())
    if comm.size == 3:
        with open(f"seen{comm.rank}", "a") as file:
            print(everybody, file=file)
    return right(comm, x)
"""
TESTS = """\
import sparring

@sparring.conformance("mine.py:{}", {}ranks=range(1, 4), max_examples=20)
def test_mine(check):
    check()
"""
UNSHRUNK = "from sparring.checks import engine\n\nengine.SHRINKING = 0.0\n"
"""For what is found false, however large the example is."""
RESULT = 'only=["result"], '
OWN_SEEDS = """\
import sparring
from sparring.job import launched

@sparring.conformance("mine.py:drawn", ranks=range(1, 9), max_examples=10, seed=launched()[0])
def test_own(check):
    check()
"""


@pytest.fixture
def mine(project, tmp_path):
    """A user's folder of targets; runs pytest on one of them."""
    (tmp_path / "mine.py").write_text(SOURCE, encoding="utf-8")

    def run(name, *args, more="", ranks=0, shrunk=False):
        return project((TESTS if shrunk else UNSHRUNK + TESTS).format(name, more), *args, ranks=ranks)

    return run


def test_each_property_is_a_test_of_its_own(mine):
    """With stable ids, the same in every worker of xdist; what is not covered is skipped with its reason."""
    done = mine("right", "-n", "2", "--sparring-max-examples", "5")

    assert done.returncode == 0, done.stdout
    for prop in ("result", "agreement", "input-untouched", "reproducibility", "deadlock", "edge-sizes", "dtypes"):
        assert f"PASSED test_mine.py::test_mine[{prop}]" in done.stdout
    assert "not covered: level 'result' does not look at it" in done.stdout
    assert "14 passed, 3 skipped" in done.stdout


def test_a_wrong_target_fails_with_the_smallest_example(mine):
    """The sentence of the Python call; the other properties pass."""
    done = mine("wrong", shrunk=True)

    assert done.returncode == 1
    assert "refuted: result at p=2 n=2: rank 1 has [0 1], reference [0 0]" in done.stdout
    assert "PASSED test_mine.py::test_mine[deadlock]" in done.stdout


def test_expected_failures_are_pytest_s_own(mine, tmp_path):
    """With their reasons; a stale one fails."""
    wrong = 'xfail={p: "known" for p in ("result", "agreement", "edge sizes", "dtypes")}, '
    (tmp_path / "test_stale.py").write_text(TESTS.format("right", wrong), encoding="utf-8")
    done = mine("wrong", more=wrong)

    assert done.stdout.count(" - [XPASS(strict)] known") == done.stdout.count("FAILED test_stale.py") == 4
    assert "FAILED test_mine.py" not in done.stdout
    assert "4 failed, 15 passed, 11 skipped, 4 xfailed" in done.stdout


SWALLOWED = {
    "it is not there": '"mine.py:nowhere", only=["result"], xfail={"result": "known"}',
    "another is refuted": '"mine.py:hangs", only=["dtypes"], xfail={"dtypes": "known"}',
    "undecided": '"mine.py:raises", only=["agreement"], xfail={"agreement": "known"}',
    "too weak": '"mine.py:right", "ring", only=["contention"], xfail={"contention": "x"}, level="steps", '
    'fail_under="tested"',
}
ASIDE = """\
import sparring

@{}
def test_mine(check):
    check()
"""


@pytest.mark.parametrize("how", SWALLOWED)
def test_an_expected_failure_is_that_of_the_property_alone(project, tmp_path, how):
    """Nothing else that goes wrong is what was expected."""
    (tmp_path / "mine.py").write_text(SOURCE, encoding="utf-8")
    done = project(UNSHRUNK + ASIDE.format(f"sparring.conformance({SWALLOWED[how]}, ranks=[2])"))
    assert done.returncode == 1 and "1 failed" in done.stdout, done.stdout


CALLING = """\
import pytest, sparring

@sparring.conformance("mine.py:wrong", only=["result"], ranks=[2])
def test_idle(check):
    pass

@sparring.conformance("mine.py:right", only=["result"], ranks=[2])
@pytest.mark.parametrize("turn", [0, 1])
def test_once(check, turn):
    if turn == 0:
        check()

@sparring.conformance("mine.py:wrong", only=["result"], ranks=[2])
def test_skipped(check):
    pytest.skip("not today")

@pytest.mark.parametrize("check", [print])
def test_of_nobody(check):
    pass
"""


def test_a_test_that_does_not_call_its_check_fails(project, tmp_path):
    """It would pass whatever the target does; one that is skipped does not pass, and other tests are left alone."""
    (tmp_path / "mine.py").write_text(SOURCE, encoding="utf-8")
    done = project(CALLING)
    assert "2 failed, 2 passed, 1 skipped" in done.stdout, done.stdout
    assert done.stdout.count("result: the test ends without calling check(), so nothing was judged") >= 2
    assert "FAILED test_mine.py::test_idle[result]" in done.stdout
    assert re.search(r"FAILED test_mine\.py::test_once\[[^]]*1[^]]*\]", done.stdout)


def properties(target: str, page: str = "allreduce", **how) -> set[str]:
    """The properties that are tests."""
    marked: Any = conformance(target, page, **how)
    return {case.values[0].prop for case in marked.args[1]}


@pytest.mark.parametrize(
    "how", [{}, {"against": "mine.py:g"}, {"ranks": [2]}, {"contract": "mean"}, {"contract": "error-feedback"}], ids=str
)
def test_the_tests_are_the_properties_of_the_call(how):
    """None is left out: many ranks, say, or the bits of another target."""
    report = check("sparring.impl.ring:allreduce", max_examples=1, budget=1e-6, **how)
    assert properties("sparring.impl.ring:allreduce", **how) == {r.property for r in report.results}


def test_another_target_is_compared(project, tmp_path):
    """Its bits; it was passed over."""
    (tmp_path / "mine.py").write_text(SOURCE, encoding="utf-8")
    text = 'sparring.conformance("mine.py:right", against="mine.py:{}", only=["same bits"], ranks=[2])'
    other, same = (project(UNSHRUNK + ASIDE.format(text.format(name))).stdout for name in ("wrong", "right"))
    assert "refuted: same bits at p=2" in other and "1 failed" in other
    assert "1 passed" in same


def test_options_outweigh_the_file(mine):
    """All are prefixed; bad values are one sentence."""
    assert "refuted: result at p=3" in mine("wrong", "--sparring-ranks", "3").stdout
    assert "names no numbers of ranks" in mine("right", "--sparring-ranks", "three").stdout
    assert "invalid choice: 'cloud'" in mine("right", "--sparring-on", "cloud").stderr


CONFIGURED = """\
import sparring

@sparring.conformance("mine.py:wrong")
def test_file(check):
    check()

@sparring.conformance("mine.py:wrong", "allreduce", level="result", ranks=[1], only=["result", "steps"], xfail={},
                      fail_under="proved")
def test_own(check):
    check()
"""
FILE = """\
[tool.sparring]
algorithm = "ring"
ranks = "3"
level = "volume"
max-examples = 20
only = ["result", "agreement", "steps", "volume", "dtypes"]
dtype = ["int32"]
junit = "of-the-command.xml"
html = "of-the-command.html"
fail-under = "tested"

[tool.sparring.xfail]
volume = "nobody sees them"
"""


def test_a_pyproject_says_what_is_not_given(mine, tmp_path):
    """Options outweigh arguments, arguments outweigh the file's keys, and these what is so by default."""
    (tmp_path / "pyproject.toml").write_text(FILE, encoding="utf-8")
    (tmp_path / "test_own.py").write_text(CONFIGURED, encoding="utf-8")
    done = mine("right", "--deselect=test_mine.py")

    assert "refuted: result at p=3 n=3 int32: rank 1 has" in done.stdout
    for told in ("FAILED {}file[agreement]", "FAILED {}file[dtypes]", "XFAIL {}file[volume] - nobody sees them"):
        assert told.format("test_own.py::test_") in done.stdout
    assert (
        "tested (12 examples): result: every rank returns the sum of all; fail-under asks for 'proved'" in done.stdout
    )
    assert "4 failed, 2 skipped, 5 deselected, 1 xfailed" in done.stdout


def test_what_a_run_tests_of_a_target_is_judged_once(monkeypatch):
    """All that the plugin has named; another property by itself."""
    asked = []

    def told(self, how):
        asked.append(how["only"])
        return dict.fromkeys(how["only"], ("tested (1 example)", "", False))

    monkeypatch.setattr(Subject, "told", told)
    marked: Any = conformance("mine.py:f")
    cases = {case.id: case.values[0] for case in marked.args[1]}
    for prop in ("result", "dtypes"):
        cases[prop].selected()
    for prop in ("result", "dtypes", "agreement", "result"):
        cases[prop]()
    assert asked == [["result", "dtypes"], ["agreement"]]


def test_what_the_file_says_wrong_is_told(mine, tmp_path):
    """With the file's name, before any test runs; and what an argument may be."""
    (tmp_path / "pyproject.toml").write_text('[tool.sparring]\nrank = "3"\n', encoding="utf-8")
    done = mine("right")

    assert done.returncode == 2
    assert f"{tmp_path / 'pyproject.toml'}: [tool.sparring] has no key 'rank'; did you mean 'ranks'?" in done.stdout


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"xfail": {"speed": "slow"}}, "xfail: no property 'speed'"),
        ({"only": ["speed"]}, "no property 'speed'"),
        ({"level": "steps"}, "level 'steps' needs a page"),
        ({"fail_under": "refuted"}, 'fail_under=\'refuted\': it must be "proved" or "tested"'),
    ],
)
def test_arguments_are_looked_at_when_tests_are_collected(how, sentence):
    """Not when they run."""
    with pytest.raises(InputError, match=sentence):
        conformance("mine.py:f", **how)


def test_the_plugin_imports_pytest_alone():
    """Every pytest run of a user loads it, whatever it tests."""
    code = (
        "import sys, pytest; before = set(sys.modules); import sparring.pytest_plugin; "
        "print(sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)

    assert done.stdout.strip() == "['sparring', 'sparring.pytest_plugin']"


def test_every_option_is_prefixed():
    """No other plugin's option can be hidden."""
    from sparring import pytest_plugin

    assert all(option.startswith("--sparring-") for option, *_ in pytest_plugin.NAMES.values())


@pytest.mark.mpi
@pytest.mark.runtimes
@pytest.mark.skipif(launch.find() is None, reason="no mpiexec installed")
class TestUnderMpiexec:
    """On the ranks of the job that pytest is started in."""

    def test_a_rank_that_hangs_ends_the_job_in_time(self, mine):
        """The ranks that hang say in which test and where; how long an example may take is an option."""
        done = mine("hangs", "-x", "--sparring-timeout", "1", more=RESULT, ranks=3)

        assert done.returncode != 0
        assert "test_mine[result] (call): no answer within 1 s; it is here:" in done.stdout
        assert "in hangs" in done.stdout

    def test_all_ranks_see_and_say_the_same(self, mine, tmp_path):
        """A rank's wrong result fails on all, and what is right passes on all.

        Though every rank has a seed of its own, all see the same vectors, and no more ranks than there are.
        """
        (tmp_path / "test_own.py").write_text(OWN_SEEDS, encoding="utf-8")
        done = mine("wrong", more=RESULT, ranks=3)

        assert done.returncode != 0
        assert done.stdout.count("FAILED test_mine.py::test_mine[result]") == 3
        assert done.stdout.count("PASSED test_own.py::test_own[result]") == 3
        assert done.stdout.count("FAILED ") == 3
        drawn = [(tmp_path / f"seen{r}").read_text() for r in range(3)]
        assert drawn[0] == drawn[1] == drawn[2] != ""
