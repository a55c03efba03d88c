"""``check``: small examples, honest words, expectations, reproducers, and one sentence for bad questions."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from sparring import Sparse
from sparring.checks import checking
from sparring.checks.checking import check
from sparring.checks.pytesting import conformance
from sparring.errors import InputError, MissingExtra, Refuted
from sparring.proofs.logic.verdicts import Word
from tests.sparring.calling import called
from tests.sparring.checks.refuting import detail, replayed, words

SOURCE = """\
import numpy as np
from mpi4py import MPI

def right(comm, x, scale=1):
    y = np.empty_like(x)
    comm.Allreduce(x, y)
    return y * y.dtype.type(scale)

def wrong(comm, x):
    y = right(comm, x)
    if comm.Get_rank() == 1 and x.size > 4:
        y[3] += 1
    return y

def raises(comm, x):
    if comm.Get_rank() == 1 and x.size > 2:
        raise ValueError("planted")
    return right(comm, x)

def hangs(comm, x):
    if comm.Get_rank() == 0 and comm.Get_size() > 1 and x.size > 2:
        comm.Recv(x.copy(), 1, 99)
    return right(comm, x)

def unsupported(comm, x):
    return comm.neighbor_allgather(x)

class Stateful:
    def __init__(self, comm, n, scale=1):
        self.comm, self.n, self.scale, self.calls = comm, n, scale, 0

    def __call__(self, x):
        self.calls += 1
        assert x.size == self.n
        return right(self.comm, x, self.scale)

class Forgetful(Stateful):
    def __call__(self, x):
        return super().__call__(x) * x.dtype.type(self.calls == 1)
"""


@pytest.fixture
def mine(target, tmp_path):
    """A file of targets in an empty folder that is the current one."""
    target(SOURCE)
    return tmp_path


@pytest.mark.parametrize("name", ["right", "Stateful"])
def test_a_right_target_holds(mine, name):
    """A function and a class; what looks at messages is not covered, and says why."""
    report = check(f"mine.py:{name}", ranks=range(1, 5), max_examples=20)

    assert (report.verdict, report.exit_code) == ("holds", 0)
    assert words(report)["steps"] is Word.NOT_COVERED
    assert detail(report, "steps") == "level 'result' does not look at it (--level steps does)"


SENTENCE = "p=2 n=5: rank 1 has [0 0 0 1 0], reference [0 0 0 0 0]"


def test_a_wrong_result_is_shrunk_to_the_smallest_p_n_and_values(mine):
    """One wrong entry at n > 4 on rank 1: two ranks, five entries, and nothing in them.

    The script that is written fails, in a process of its own, and passes when the target is mended.
    """
    report = check("mine.py:wrong", only=["result"])

    told = f"{SENTENCE}. Run: python sparring-failures/result.py. See: sparring-failures/result.html"
    assert detail(report, "result") == told
    assert report.results[0].witness == {"p": 2, "n": 5, "inputs": [[0] * 5, [0] * 5]}
    with pytest.raises(Refuted) as error:  # what a user of the Python call sees
        report.raise_if_refuted()
    assert str(error.value) == f"refuted: result at {told}"

    command = [sys.executable, "sparring-failures/result.py"]
    failing = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert failing.returncode == 1
    assert f"sparring.errors.Refuted: refuted: result at {SENTENCE}" in failing.stderr
    (mine / "mine.py").write_text(SOURCE.replace("y[3] += 1", "pass"), encoding="utf-8")
    assert replayed("result") == "holds: result on this example\n"


def test_a_hand_written_ring_with_one_wrong_index_is_located(mine):
    """Not only that it is wrong: the step, the chunk, the rank and the line."""
    source = (mine / "mine.py").read_text(encoding="utf-8")
    (mine / "mine.py").write_text(source + """
def ring(comm, x):
    p, r = comm.Get_size(), comm.Get_rank()
    y = x.copy()
    part = [y[i * x.size // p:(i + 1) * x.size // p] for i in range(p)]
    for t in range(2 * (p - 1)):
        inbox = np.empty_like(part[(r - t - 1) % p])
        receive = comm.Irecv(inbox, (r - 1) % p)
        comm.Send(part[(r - t) % p], (r + 1) % p)
        receive.Wait()
        if t < p - 1:
            part[(r - t - (1 if t != 1 else 2)) % p][:inbox.size] += inbox
        else:
            part[(r - t - 1) % p][:] = inbox
    return y
""", encoding="utf-8")  # fmt: skip

    told = detail(check("mine.py:ring", "ring", level="steps", only=["result"]), "result")

    assert "p=3 n=3" in told
    assert "first difference step 2, chunk" in told
    assert "at mine.py:" in told


def test_a_raise_and_a_hang_are_told_with_rank_and_line(mine):
    """Shrunk like everything else."""
    assert "p=2 n=3: rank 1 raised ValueError: planted (mine.py:17)" in detail(
        check("mine.py:raises", only=["result"], max_examples=30), "result"
    )
    hang = detail(check("mine.py:hangs", only=["deadlock"], max_examples=30), "deadlock")
    assert "p=2 n=3: rank 0 waits in Recv from rank 1 (mine.py:22) -> rank 1 waits in Allreduce" in hang


def test_what_the_world_does_not_know_is_not_covered(mine):
    """With the sentence that says where it can be run."""
    report = check("mine.py:unsupported", max_examples=5)

    assert set(words(report).values()) == {Word.NOT_COVERED}
    assert "neighbor_allgather" in detail(report, "result")
    assert "--on mpi" in detail(report, "result")


def test_state_that_leaks_into_the_next_call_is_found(mine, unshrunk):
    """A target is called more than once on one communicator."""
    told = detail(check("mine.py:Forgetful", only=["result"], max_examples=10), "result")

    assert "in call 2 on the same communicator" in told


def test_parameters_reach_the_target(mine, unshrunk):
    """And a wrong one shows."""
    asked = {"only": ["result"], "max_examples": 10}
    assert check("mine.py:right", scale=1, **asked).exit_code == 0
    assert check("mine.py:right", scale=2, **asked).exit_code == 1
    assert check("mine.py:Stateful", scale=2, **asked).exit_code == 1


def test_a_function_can_be_given_itself():
    """Without a file there is no reproducer, but the example all the same."""

    def lossy(comm, x):
        y = np.empty_like(x)
        comm.Allreduce(x, y)
        y[-1:] = 0
        return y

    told = detail(check(lossy, only=["result"], ranks=[3], max_examples=20), "result")
    assert told == "p=3 n=3: rank 0 has [0 0 0], reference [0 0 1]"


def test_the_same_seed_draws_the_same_examples(mine, unshrunk):
    """Reports are equal but for the time they took, in what is told of examples as they were drawn."""
    asked = {"seed": 7, "ranks": [2, 3], "max_examples": 15, "only": ["result", "reproducibility", "edge sizes"]}
    once, again = (check("mine.py:wrong", **asked).to_dict() | {"seconds": 0} for _ in range(2))

    assert once == again


def test_expected_failures_count_for_nothing_until_they_are_stale(mine):
    """Refuted as expected, with the reason; where the property holds the expectation is a failure."""
    report = check("mine.py:wrong", only=["result"], xfail={"result": "known since May"}, max_examples=30)
    assert (report.exit_code, str(report.results[0].verdict)) == (0, "refuted as expected")
    assert report.results[0].detail.startswith("known since May (p=2 n=5")

    stale = check("mine.py:right", only=["result"], xfail={"result": "known since May"}, max_examples=10)
    assert stale.exit_code == 1
    assert stale.results[0].detail == "expected to fail (known since May), but it holds: drop the expectation"


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"level": "steps"}, "level 'steps' needs a page to compare messages with: --algorithm ALGO"),
        ({"level": "all"}, "level 'all': there are result, volume, steps"),
        ({"on": "cloud"}, "on='cloud': there are simulated, mpi, both"),
        ({"only": ["speed"]}, "no property 'speed': there are result, agreement, input untouched"),
        ({"page": "ring", "only": ["selection"]}, "no property 'selection': there are result, agreement, input un"),
        ({"page": "ring_topk", "only": ["mass"]}, "no property 'mass': there are result, agreement, selection, conse"),
        ({"xfail": {"speed": "x"}}, "xfail: no property 'speed'"),
        ({"ranks": []}, "ranks: at least one"),
        ({"page": "rinng"}, "did you mean 'ring'"),
        ({"target": "mine.py:nothing"}, "no function 'nothing'"),
        ({"target": "nothing.py:f"}, "no file nothing.py"),
        ({"target": "no.such.module:f"}, "no module 'no'"),
        ({"target": "mine.py"}, "pkg.mod:function"),
        ({"page": "ring", "sparse": True}, "sparse: ring takes arrays; leave it out"),
        ({"sparse": True, "examples": [([np.ones(2)], "result")]}, "rank 0 has a ndarray: it must be a sparring.S"),
        ({"examples": [([Sparse([0], [1], 2)], "result")]}, "rank 0 has a Sparse: it must be an array"),
        *(({"page": "ring_topk", "k": k}, f"k = {k}: it must be a whole number, 0 or more") for k in (-1, 1.5, True)),
        ({"page": "ring_topk", "examples": [([np.zeros((0, 3))], "result")]},
         "rank 0 has an array of shape (0, 3), rank 0 of"),
        ({"page": "ring_topk", "examples": [([np.zeros((2, 3)), np.zeros((1, 3))], "result")]},
         "rank 1 has an array of shape (1, 3), rank 0 of"),
    ],
)  # fmt: skip
def test_bad_questions_are_one_sentence(mine, asked, why):
    """Nothing is run."""
    with pytest.raises(InputError) as error:
        check(**{"target": "mine.py:right", **asked})

    assert why in str(error.value)


def test_a_missing_launcher_is_undecided_only_where_mpi_was_asked_for(mine, monkeypatch):
    """Otherwise the simulated world's verdict stands."""

    class Missing:
        def __init__(self, *args, **kwargs):
            raise MissingExtra('no mpiexec: pip install "sparring[mpich]"')

    monkeypatch.setattr(checking, "Group", Missing)

    few = {"ranks": [1, 2], "max_examples": 5}
    assert check("mine.py:right", on="mpi", **few).exit_code == 3
    assert check("mine.py:right", on="both", **few).exit_code == 0


def test_the_command_tells_what_the_call_tells(mine, unshrunk):
    """As a table and as the envelope, with the exit codes."""
    code, text, _ = called("check", "mine.py:right", "--algorithm", "ring", "--ranks", "1-3", "--max-examples", 10)
    assert code == 0
    assert "tested" in text
    assert text.splitlines()[-1].startswith("holds: ")

    code, text, _ = called("check", "mine.py:wrong", "--only", "result", "--ranks", 2, "--max-examples", 20, "--json")
    envelope = json.loads(text)
    assert (code, envelope["verdict"], envelope["results"][0]["witness"]["p"]) == (1, "refuted", 2)

    few = ("--only", "result", "--max-examples", 20)
    assert called("check", "mine.py:wrong", *few, "--xfail", "result=known")[0] == 0
    assert called("check", "mine.py:right", "-P", "scale=2", *few)[0] == 1
    assert called("check", "mine.py:nothing")[0] == 2
    assert called("check", "mine.py:right", "--xfail", "result")[0] == 2


SCATTER = '''"""Each rank ends with the sum of its own chunk."""

kind = "KIND"


def steps(p): return p - 1
def dst(r, t, p): return (r + t + 1) % p
def src(r, t, p): return (r - t - 1) % p
def chunk(r, t, p): return dst(r, t, p)
def adds(t, p): return True
def start(q, r, c, p): return q == r
def goal(q, r, c, p): return True
def wanted(r, c, p): return r == c
def holds(q, r, c, t, p): return q == r
'''


def scattered(comm, x):
    """The sum of the rank's own chunk."""
    total = np.empty_like(x)
    comm.Allreduce(x, total)
    begin, end = (c * x.size // comm.size for c in (comm.rank, comm.rank + 1))
    return total[begin:end].copy()


@pytest.mark.parametrize("kind", ["reduce_scatter", "shares"])
@pytest.mark.parametrize("target", ["tests.sparring.checks.test_checking:scattered", "sparring.impl.ring:allreduce"])
def test_a_page_of_another_collective_is_refused(tmp_path, kind, target):
    """Its own target would be refuted, and an allreduce tested beside it.  With the default kind all is as ever."""
    text = SCATTER.replace("KIND", kind)
    if kind == "reduce_scatter":
        text = "\n".join(
            line for line in text.splitlines() if not line.startswith(("def start", "def goal", "def want"))
        )
    (tmp_path / "scatter.py").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=f"page scatter is of kind {kind}: results of a target are compared with"):
        check(target, str(tmp_path / "scatter.py"), max_examples=1, ranks=[2])
    with pytest.raises(InputError, match="page scatter is of kind"):
        conformance(target, str(tmp_path / "scatter.py"))
    assert check("sparring.impl.ring:allreduce", "ring", max_examples=1, ranks=[2], only=["result"]).exit_code == 0


def alone(comm, x):
    """What the rank has, whatever the others have."""
    return x + x.dtype.type(0)


def test_one_rank_shows_nothing_of_several(unshrunk):
    """Nobody is there to agree with, to wait for or to send to; with two ranks it is seen at once."""
    told = {r.property: r for r in check(alone, "ring", ranks=[1], level="steps", max_examples=10).results}
    open_ = {prop for prop, one in told.items() if one.verdict.word is Word.NOT_COVERED}
    assert open_ == {"agreement", "steps", "volume", "deadlock", "contention", "communicators"}
    assert told["agreement"].detail == "one rank alone shows nothing of it: --ranks 1-8 tries more"
    assert told["result"].verdict.word is Word.TESTED
    two = check(alone, "ring", ranks=[1, 2], level="steps", max_examples=10, only=["result", "agreement", "steps"])
    assert {r.verdict.word for r in two.results} == {Word.REFUTED}
