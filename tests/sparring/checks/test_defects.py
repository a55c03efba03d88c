"""The matrix defect x property: each planted defect falsifies its declared properties and no other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sparring.checks import engine
from sparring.checks.ranks import launch
from sparring.proofs.logic.verdicts import Word
from tests.sparring.checks.refuting import failed, replayed, words
from tests.sparring.checks.suites import SUITES, allowed, arguments, rows, twins
from tests.sweeps import third

MPI = pytest.mark.skipif(launch.find() is None, reason="no mpiexec installed")
ROWS = [*rows(*SUITES)]
"""All that runs on simulated ranks."""
TWINS = [
    (kind, next(name for name, other in SUITES[kind].defects.items() if other is one))
    for (kind, *_), one in twins(*SUITES).items()
    if one.twin or one.options is not None
]
"""Those that are not judged as the right ones of their kinds anyway, by their first defects."""


@pytest.fixture
def planted(target):
    """Writes a twin, or the twin with a defect, and judges it."""

    def judged(kind, name=None, **asked):
        suite = SUITES[kind]
        source = suite.wrong(suite.defects[name]) if name else suite.sources.TWIN
        return suite.judged(target(source, suite.entry), **asked)

    return judged


def as_declared(kind, name, report):
    """Exactly those, and of those that show in some examples only, or in hard ones, too, any."""
    defect = SUITES[kind].defects[name]
    return {*defect.refuted} <= set(failed(report)) <= allowed(defect)


@pytest.mark.parametrize("kind", SUITES)
def test_right_ones_pass_every_property(target, kind):
    """Another hand's and our own, message by message and call after call, with nothing left out."""
    suite = SUITES[kind]
    for name, many in ((target(suite.sources.TWIN, suite.entry), suite.examples), (suite.ours, 10)):
        report = suite.judged(name, max_examples=many)
        assert words(report) == dict.fromkeys(suite.properties, Word.TESTED)
        assert not report.not_covered


@pytest.mark.parametrize(("kind", "name"), third(TWINS))
def test_every_twin_passes(tmp_path, target, request, kind, name):
    """With the options that its wrong ones need; few examples, since the right ones above pass many."""
    suite = SUITES[kind]
    defect = suite.defects[name]
    if suite.options(defect).get("on") == "mpi":
        request.getfixturevalue("launcher")
    asked = {"max_examples": 20, **arguments(suite.options(defect))}
    report = suite.looked(suite.written(tmp_path, suite.twin(defect)), defect, **asked)
    assert report.verdict == "holds", failed(report)


@pytest.mark.parametrize(("kind", "name"), third(ROWS))
def test_a_defect_falsifies_its_properties_and_no_other(tmp_path, target, kind, name, unshrunk):
    """Message by message, and call after call."""
    suite = SUITES[kind]
    defect = suite.defects[name]
    written = suite.written(tmp_path, suite.wrong(defect))
    assert as_declared(kind, name, suite.looked(written, defect, only=suite.declared(defect)))


ON_MPI = [
    *(("dense", name) for name in ("wrong chunk", "input changed", "last bit on one rank",
                                   "last chunk dropped when n < p")),
    *(("sparse", name) for name in ("loses explicit zeros", "sends every list twice")),
    *(("stateful", name) for name in ("breaks ties the other way round", "keeps its state across instances",
                                      "works in its input")),
    *(pytest.param("sparse", name, marks=pytest.mark.slow) for name in (
        "returns unsorted indices", "changes its input", "adds in another order on one rank")),
]  # fmt: skip


@pytest.mark.mpi
@MPI
@pytest.mark.parametrize(("kind", "name"), ON_MPI[::2])
def test_real_ranks_show_the_same(planted, kind, name, ranks, unshrunk):
    """What the world finds in results, inputs and messages is found under mpiexec too."""
    only = SUITES[kind].declared(SUITES[kind].defects[name])
    assert as_declared(kind, name, planted(kind, name, on="mpi", ranks=range(1, 4), group=ranks, only=only))


@pytest.mark.mpi
@MPI
@pytest.mark.parametrize("kind", SUITES)
def test_both_places(planted, kind, ranks):
    """The twin, message by message: in the world and on real ranks."""
    asked = {"max_examples": 20, "ranks": range(1, 4)}
    here, both = planted(kind, **asked), planted(kind, on="both", group=ranks, **asked)

    assert (both.exit_code, both.not_covered) == (0, [])
    assert both.results[0].verdict.number == 2 * here.results[0].verdict.number


SMALL = [
    ("sparse", "drops an entry where supports overlap", "result",
     r"p=2 n=[23]: rank 0 has nothing at index (\d), the reference an entry: \[\], reference \[\1:0\]"),
    ("sparse", "returns unsorted indices", "result",
     r"p=[12] n=\d: rank 0 returned \[.*\]: indices not strictly ascending: indices\[1\]=\d follows \d"),
    ("sparse", "returns other indices' dtype", "dtypes",
     r"p=[12] n=\d, indices of int32: rank 0 returned a Sparse of int64 with n=\d and indices of int64, not "),
    ("sparse", "adds in another order on one rank", "agreement",
     r"p=[34] n=\d+ float64: index \d is .* on rank 1 and -?0x"),
    ("sparse", "changes its input", "input untouched",
     r"p=[12] n=\d: rank 0's input was \[(\d):-?\d\] and is \[\1:11\] after the call"),
    ("sparse", "sends that need buffers", "deadlock",
     r"p=2 n=\d: with synchronous sends rank 0 waits in Send to rank 1 \(mine.py:21\).* buffers 1 a channel"),
    ("sparse", "sends every list twice", "volume",
     r"p=2 n=\d: rank 0 sends 2 messages .*in all \(mine.py:21\), the page sends 1 message"),
    ("stateful", "adds its residual twice", "conservation",
     r"p=1 n=1 k=0, 2 calls: in call 2 at index 0: 1 was put in, the results have 0, the residuals 2\."),
    ("stateful", "keeps its state across instances", "reproducibility",
     r"p=1 n=\d k=\d.*: rank 0 .* called again "),
    ("stateful", "breaks ties the other way round", "selection",
     r"p=[12] n=\d k=\d.*: (in call 2 )?rank 0 keeps index (\d) with -?[\d.]+, the page index (\d) with -?[\d.]+[.;]"),
    ("stateful", "leaves zeros out of its result", "selection",
     r"p=1 n=1 k=1.*: rank 0 does not keep index 0 with 0"),
    ("stateful", "refuses more than there are", "result", r"p=1 n=1 k=2: rank 0 raised ZeroDivisionError"),
    ("stateful", "gives its residual to another rank", "result",
     r"p=2 n=2 k=0: rank 0 keeps the residual \[.*\], the reference \[.*\]"),
    ("stateful", "forgets its residual", "steps",
     r"p=2 n=\d k=\d, 2 calls: step \d, .*, the page sends .* \(steps are numbered on from call to call, 2 each\)"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "name", "prop", "told"),
    [pytest.param(*one, marks=[pytest.mark.slow] * (one[0] == "sparse")) for one in SMALL],  # looked for for long
)
def test_the_smallest_example_is_small(planted, kind, name, prop, told, monkeypatch):
    """Few ranks, few entries, few calls, and nothing in them that does not matter; of lists told in a script, too."""
    monkeypatch.setattr(engine, "SHRINKING", 60.0)  # other tests may take the cores
    report = planted(kind, name, only=[prop])
    detail, witness = failed(report)[prop], report.results[0].witness

    assert re.match(told, detail), detail
    if kind == "stateful":
        assert witness["k"] <= 4
        return
    most = 4 if prop == "agreement" else 2
    assert witness["p"] <= most
    assert witness["n"] <= 2 * most
    assert sum(len(x["indices"]) for x in witness["inputs"]) <= 2 * most
    script = detail.rpartition("Run: python ")[2].partition(". See: ")[0]
    assert "sparring.Sparse(np.array([" in Path(script).read_text(encoding="utf-8")


def test_a_reproducer_replays_the_calls(planted):
    """Values that are no numbers survive it."""
    planted("stateful", "forgets its residual", only=["conservation"])
    text = Path("sparring-failures/conservation.py").read_text(encoding="utf-8")
    assert "np.array([[1], [0]], np.int64)" in text
    told = "refuted: conservation at p=1 n=1, 2 calls: in call 2 at index 0: 1 was put in"
    assert replayed("conservation").startswith(told)
    planted("stateful", "takes NaN last", only=["selection"])
    assert "np.nan" in Path("sparring-failures/selection.py").read_text(encoding="utf-8")
    assert "keeps index 1 with 0.0, the page index 0 with nan" in replayed("selection")
