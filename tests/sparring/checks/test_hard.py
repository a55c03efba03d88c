"""Hard examples: what each kind alone finds, how small it is told, and what it must not hold against anybody."""

from __future__ import annotations

from functools import reduce
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from sparring.checks import engine
from sparring.checks.checking import check
from sparring.checks.examples import hard
from sparring.checks.judges.sums import distant
from sparring.checks.properties import HARD
from sparring.checks.ranks.scenes import SCENES
from sparring.errors import InputError
from sparring.proofs.logic.verdicts import Word
from sparring.refinement.example import DTYPES
from sparring.refinement.rounding import reference
from tests.sparring.checks.dense_targets import DEFECTS, TWIN
from tests.sparring.checks.refuting import detail, failed, replayed, words
from tests.sparring.checks.suites import SUITES
from tests.sweeps import sweep

ONLY_HERE = {name: prop for name, one in DEFECTS.items() if len(one.refuted) == 1 for prop in one.refuted}


def planted(name):
    """The twin with a defect."""
    return SUITES["dense"].wrong(DEFECTS[name])


def test_a_right_one_is_tested_in_all_of_it(target):
    """On more ranks than are drawn, too, unless somebody says on how many."""
    judged = words(check(target(TWIN), max_examples=5))
    assert {prop: judged[prop] for prop in HARD} == dict.fromkeys(HARD, Word.TESTED)
    assert "many ranks" not in words(check(target(TWIN), ranks=[2], only=["result"]))
    with pytest.raises(InputError, match="no property 'many ranks'"):
        check(target(TWIN), ranks=[2], only=["many ranks"])


def test_what_is_wrong_on_thirteen_ranks_is_found(target, unshrunk):
    """None of 8 shows it."""
    found = failed(
        check(target(planted("wrong on 13 ranks")), only=["result", "edge sizes", "many ranks"], max_examples=20)
    )
    assert found.keys() == {"many ranks"}
    assert found["many ranks"].startswith("p=13 n=")


GATHERED = """
import numpy as np

def allreduce(comm, x):
    got = np.empty((comm.size, x.size), x.dtype)
    comm.Allgather(x.copy(), got)
    start = comm.rank if {} else 0
    y = got[start].copy()
    for i in range(1, comm.size):
        y += got[(start + i) % comm.size]
    if {}:
        y[0] += 1
    return y
"""
"""A sum in the order of ranks; in the braces when it begins with the own rank, and when an entry is wrong."""


@pytest.mark.parametrize(
    ("own", "wrong", "prop"),
    [
        ("False", "False", ""),
        ("x.size < comm.size", "False", "agreement"),
        ("False", "x.size > 1000 and comm.size in (6, 7)", "long vectors"),
    ],
)
def test_code_that_switches_by_length_is_seen_on_either_side(target, unshrunk, own, wrong, prop):
    """Floats that are shorter than there are ranks show another order; long ones are tried on 6 and 7 ranks."""
    asked = [prop] if prop == "long vectors" else ["agreement", "edge sizes", *["long vectors"] * (not prop)]
    report = check(target(GATHERED.format(own, wrong)), only=asked)
    assert failed(report).keys() == ({prop} if prop else set())


SWITCHING = """
import numpy as np
from mpi4py import MPI

kept = {{}}

def allreduce(comm, x):
    y = np.empty_like(np.ascontiguousarray(x))
    {}.Allreduce(np.ascontiguousarray(x), y)
    {}
    return y
"""
"""In the braces on which communicator, and what is done at the end; in a path of its own for many entries or ranks."""
NODE = "(node := comm.Split_type(MPI.COMM_TYPE_SHARED))"
LEADERS = (
    "lead = comm.Split(int(node.rank > 0), comm.rank); node.rank or lead.Allreduce(y.copy(), y); node.Bcast(y, 0); "
    "lead.Free(); node.Free()"
)
"""After the sum of a machine: the first ranks add up their machines' sums, and tell them."""
REUSED = "if x.size > 1000: z, y = y, kept.setdefault((x.size, x.dtype), y); y[:] = z"


@pytest.mark.parametrize(
    ("comm", "end", "prop"),
    [
        ("comm", "pass", ""),
        ("(MPI.COMM_WORLD if x.size > 1000 else comm)", "pass", "communicators"),
        ("(MPI.COMM_WORLD if comm.size >= 4 else comm)", "pass", "communicators"),
        (NODE, "node.Free()", "communicators"),
        (NODE, LEADERS, ""),
        ("comm", REUSED, "own memory"),
        ("comm", "if x.size > kept.setdefault('longest', x.size): y[-1] += 1", "repeated calls"),
        ("comm", "if not x.flags.c_contiguous: x[:] = 0", "own memory"),
    ],
)
def test_calls_of_long_vectors_by_parts_of_many_ranks_are_seen(target, unshrunk, comm, end, prop):
    """And what is left of an input that only one scene has."""
    asked = [prop] if prop else ["communicators", "repeated calls", "own memory", "other arrays"]
    assert failed(check(target(SWITCHING.format(comm, end)), only=asked)).keys() == ({prop} if prop else set())


def test_real_ranks_are_on_the_machines_that_they_are_on():
    """So they do not play what simulated ones play on several."""
    several, other = (hard.staged(name, 3, "float64", 6) for name in ("machines", "split"))
    assert engine.playable("simulated", several) and not engine.playable("mpi", several)
    assert engine.playable("simulated", other) and engine.playable("mpi", other)


SMALLEST = {
    "NaN lost": "p=1 n=1 float64",
    "tails lost": "p=1 n=65537",
    "the world": "p=2 n=1",
    "returns its buffer": "p=1 n=1",
}


@pytest.mark.parametrize(
    ("name", "place"), sweep(SMALLEST.items(), few=[one for one in SMALLEST.items() if one[0] != "tails lost"])
)
def test_it_is_told_small_and_its_script_fails_too(target, monkeypatch, name, place):
    """Also where a rule makes the vectors, or ranks play a scene."""
    monkeypatch.setattr(engine, "SHRINKING", 60.0)  # other tests may take the cores
    source, prop = planted(name), ONLY_HERE[name]
    assert detail(check(target(source), only=[prop], max_examples=60), prop).startswith(place)
    assert replayed(prop).startswith(f"refuted: {prop} at {place}")
    target(TWIN)
    assert replayed(prop) == f"holds: {prop} on this example\n"


def test_whoever_fails_on_usual_vectors_is_not_asked_for_more(target, unshrunk):
    """One sentence says so."""
    report = check(target(planted("one step short")), max_examples=20)
    assert {prop for prop, word in words(report).items() if word is Word.NOT_COVERED} >= {*HARD}
    assert detail(report, "special values") == "not looked at where usual examples fail already"


def test_arrays_that_may_be_refused(target):
    """An error for a strided one is no fault; another sum of it is."""
    refuses = "    if not x.flags.c_contiguous: raise ValueError('strided')\n    total = np.array(x)"
    misreads = "    total = np.array(x if x.flags.c_contiguous else x.base[: len(x)])"
    both = [
        check(target(TWIN.replace("    total = np.array(x)", new)), only=["other arrays"])
        for new in (refuses, misreads)
    ]
    assert [words(one)["other arrays"] for one in both] == [Word.TESTED, Word.REFUTED]
    assert "for entries of an array that lie apart or backwards, in call 1" in detail(both[1], "other arrays")


def test_an_abort_refuses_nothing(target, unshrunk):
    """It ends the job."""
    aborts = "    x.flags.c_contiguous or comm.Abort(3)\n    total = np.array(x)"
    found = failed(check(target(TWIN.replace("    total = np.array(x)", aborts)), only=["other arrays"]))
    assert "calls Abort(3)" in found["other arrays"]


def test_a_line_tells_what_was_tried(target):
    """With few examples, of long vectors and many ranks the first; of each scene and dtype one."""
    report = check(target(TWIN), max_examples=1, only=list(HARD))
    assert detail(report, "long vectors") == "the sum also where n = 1,025"
    assert detail(report, "many ranks") == "the sum also on 9 ranks"
    tried = {r.property: r.verdict.number for r in report.results}
    assert (tried["special values"], tried["communicators"], tried["other arrays"]) == (len(DTYPES), 4, 3)
    assert detail(check(target(TWIN), only=["many ranks"]), "many ranks") == "the sum also on 9-17, 33 ranks"


@pytest.mark.slow
def test_with_more_examples_all_lengths_are_tried(target):
    """The longest takes seconds."""
    told = detail(check(target(TWIN), ranks=[2], max_examples=240, only=["long vectors"]), "long vectors")
    assert told.count(", ") == len(hard.LENGTHS) - 1 and told.endswith(", 4,194,319")


def test_what_is_no_array_is_refuted_call_after_call(target, unshrunk):
    """And not given to the next call."""
    found = failed(check(target(TWIN.replace("return total", "return None")), only=["repeated calls"]))
    assert "in call 1 rank 0 returned NoneType" in found["repeated calls"]


@pytest.mark.mpi
def test_a_process_that_ends_refuses_nothing(target, launcher, unshrunk):
    """As one that crashes on what is not contiguous."""
    ends = "    x.flags.c_contiguous or __import__('os')._exit(11)\n    total = np.array(x)"
    source = TWIN.replace("    total = np.array(x)", ends)
    found = failed(check(target(source), on="mpi", ranks=[2], only=["other arrays"]))
    assert "the process ended without an answer" in found["other arrays"]


@pytest.mark.mpi
def test_real_ranks_play_the_same_scenes(target, launcher, ranks, unshrunk):
    """With communicators of their own; each scene at least once."""
    staged = [one.prop for one in SCENES.values() if one.prop in {*HARD} - {hard.MANY}]
    asked = {"on": "mpi", "group": ranks, "ranks": range(1, 5), "only": staged, "max_examples": 60}
    assert set(words(check(target(TWIN), **asked)).values()) == {Word.TESTED}
    Path("buffered.py").write_text(planted("returns its buffer"), encoding="utf-8")
    buffered = check("buffered.py:allreduce", **{**asked, "only": ["own memory"]})
    assert failed(buffered).keys() == {"own memory"}
    sparse, staged = SUITES["sparse"], [prop for prop in staged if prop != "other arrays"]
    asked |= {"only": staged, "sparse": True}
    assert set(words(check(target(sparse.sources.TWIN), **asked)).values()) == {Word.TESTED}
    Path("buffered.py").write_text(sparse.wrong(sparse.defects["returns its buffer"]), encoding="utf-8")
    assert failed(check("buffered.py:allreduce", **{**asked, "only": ["own memory"]})).keys() == {"own memory"}


def test_sums_of_what_is_no_number():
    """NaN, infinities, the largest numbers and zeros: what any order of addition gives."""
    columns = [(np.nan, 1), (np.inf, 1), (np.inf, -np.inf), (-0.0, -0.0), (0.0, -0.0), (1.7e308, -1.7e308)]
    exact, slack = reference([np.array(row) for row in zip(*columns)])
    assert [f"{x:g}" for x in exact] == ["nan", "inf", "nan", "-0", "0", "0"]
    assert np.isfinite(slack).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_no_special_sum_depends_on_the_order_but_by_rounding(dtype):
    """Else somebody right would be refuted."""
    rng = np.random.default_rng(0)
    for p in (*hard.SPECIAL_RANKS, *hard.LONG_RANKS, 8, max(hard.RANKS)):
        xs = [np.asarray(x) for x in hard.special(p, dtype)]
        exact, slack = reference(xs)
        for order in permutations(xs) if p <= max(hard.SPECIAL_RANKS) else [rng.permutation(xs) for _ in range(50)]:
            with np.errstate(all="ignore"):
                total = reduce(np.add, order)
            assert not distant(total, exact, slack).any()


REMEMBERING = """\
import numpy as np

last = {{}}

def allreduce(comm, x):
    old, y = last.setdefault(comm.rank, (None, None))
    same = old is not None and (old.shape, old.dtype, old.tobytes()) == (x.shape, x.dtype, x.tobytes())
    if {}:
        return y.copy()
    y = np.empty_like(x)
    comm.Allreduce(x, y)
    last[comm.rank] = x.copy(), y
    return y.copy()
"""
"""A rank that gets the vector of its last call again returns the result of its last call again."""


@pytest.mark.parametrize(("when", "wrong"), [("same", True), ("comm.allreduce(int(same)) == comm.size", False)])
def test_a_result_that_is_remembered_for_a_vector_is_wrong_where_others_change(target, unshrunk, when, wrong):
    """Unless all ranks have the same vectors again, which they tell each other."""
    found = failed(check(target(REMEMBERING.format(when)), ranks=[3], only=["repeated calls", "deadlock"]))
    assert bool(found) is wrong
    assert not wrong or "rank 0, which has finished" in found["deadlock"]


KNOWN = """\
import numpy as np

known = {{}}

def allreduce(comm, x):
    r, p, *_ = known.setdefault(id(comm), (comm.rank, comm.size{}))
    own, y = np.zeros_like(x), np.empty_like(x)
    comm.Allreduce(x, y)
    own[r * x.size // p : (r + 1) * x.size // p] = y[r * x.size // p : (r + 1) * x.size // p]
    comm.Allreduce(own, y)
    return y
"""
"""A rank remembers its number and that of all ranks by where the communicator lies in memory."""


@pytest.mark.mpi
@pytest.mark.parametrize(("kept", "wrong"), [("", True), (", comm", False)])
def test_what_is_known_of_a_communicator_that_is_gone_is_wrong_of_the_next(target, unshrunk, kept, wrong):
    """Unless it is kept, so that no other one gets its place."""
    found = failed(check(target(KNOWN.format(kept)), on="mpi", ranks=[3, 4], max_examples=40, only=["communicators"]))
    assert bool(found) is wrong, found
