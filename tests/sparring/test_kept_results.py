"""Results of an earlier run are told again while nothing has changed, and never else."""

from __future__ import annotations

import platform
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from types import ModuleType

import pytest

import sparring
from sparring import disk_cache, kept_results
from sparring.proofs.logic import hints, solvers, verdicts
from sparring.proofs.logic.hints import Hints
from sparring.proofs.logic.verdicts import NOT_COVERED, PROVED, REFUTED, UNDECIDED
from sparring.proofs.proving import proving
from sparring.report import Result
from sparring.verification import reached_lines, theorems
from sparring.verification.plans import Plan
from sparring.verification.theorems import Told
from tests.sparring.calling import called, envelope_of

PLAN = Plan(terms=(1,), numbers=(1,))
FOUND = [Result("ring", "result", PROVED, "why", {"p": 2}, "a fault"), Result("ring", "steps", verdicts.tested(3))]


@pytest.fixture(autouse=True)
def nothing_is_recalled(monkeypatch, tmp_path):
    """Here it is: from a cache of one's own, with a digest that is made anew."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    disk_cache.installed.cache_clear()
    yield
    disk_cache.installed.cache_clear()


def test_what_was_found_is_told_again():
    """Word for word, number for number."""
    assert kept_results.recalled("ring", PLAN) is None
    kept_results.remember("ring", PLAN, FOUND)
    assert kept_results.recalled("ring", PLAN) == FOUND


@pytest.fixture
def tree(monkeypatch, tmp_path):
    """An installation of a few files, of which one lies behind a link, as in a checkout."""
    (tmp_path / "spec" / "core").mkdir(parents=True)
    (tmp_path / "package" / "data").mkdir(parents=True)
    files = [tmp_path / name for name in ("spec/ring.py", "spec/core/model.py", "package/api.py", "package/data/x.npz")]
    for file in files:
        file.write_text("1", encoding="utf-8")
    (tmp_path / "package" / "spec").symlink_to(tmp_path / "spec")
    monkeypatch.setattr(disk_cache, "__file__", str(tmp_path / "package" / "cached.py"))
    return files


@pytest.mark.parametrize("at", range(4))
def test_a_changed_file_makes_all_anew(tree, at):
    """A page, what pages rest on, the package's own code, and its data."""
    kept_results.remember("ring", PLAN, FOUND)
    disk_cache.installed.cache_clear()
    assert kept_results.recalled("ring", PLAN) == FOUND
    tree[at].write_text("2", encoding="utf-8")
    disk_cache.installed.cache_clear()
    assert kept_results.recalled("ring", PLAN) is None


@pytest.mark.parametrize("name", theorems.PACKAGES)
def test_another_version_makes_all_anew(monkeypatch, name):
    """Of each package that judges or runs."""
    kept_results.remember("ring", PLAN, FOUND)
    version = metadata.version
    monkeypatch.setattr(metadata, "version", lambda one: "0" if one == name else version(one))
    disk_cache.installed.cache_clear()
    assert kept_results.recalled("ring", PLAN) is None


def test_another_machine_makes_all_anew(monkeypatch):
    """Homes may be shared."""
    kept_results.remember("ring", PLAN, FOUND)
    monkeypatch.setattr(platform, "platform", lambda: "another")
    disk_cache.installed.cache_clear()
    assert kept_results.recalled("ring", PLAN) is None


def test_another_question_is_another():
    """Of another algorithm, or of other runs; what rests on a real MPI is not kept."""
    kept_results.remember("ring", PLAN, FOUND)
    for name, plan in (("two_shot", PLAN), ("ring", Plan()), ("ring", PLAN._replace(on="both")), ("./mine.py", PLAN)):
        assert kept_results.recalled(name, plan) is None
    real = PLAN._replace(on="mpi")
    kept_results.remember("ring", real, FOUND)
    assert kept_results.recalled("ring", real) is None


@pytest.mark.parametrize(
    ("verdict", "why"), [(REFUTED, ""), (UNDECIDED, ""), (NOT_COVERED, reached_lines.TRACED_BY_ANOTHER)]
)
def test_what_stands_against_it_is_judged_anew(verdict, why):
    """It may have been the machine, or a debugger."""
    kept_results.remember("ring", PLAN, [*FOUND, Result("ring", "terms", verdict, why)])
    assert kept_results.recalled("ring", PLAN) is None


@pytest.mark.parametrize(("old", "new"), [('"PROVED"', '"MADE UP"'), ('"number":0', '"number":"0"'), ("{", "")])
def test_a_damaged_file_tells_nothing(tmp_path, old, new):
    """A word that is none, a number that is none, no JSON."""
    kept_results.remember("ring", PLAN, FOUND)
    (file,) = (tmp_path / "caches" / "sparring").iterdir()
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    assert kept_results.recalled("ring", PLAN) is None


@pytest.mark.slow
def test_the_command_says_what_it_recalls(proved_once):
    """The same verdicts, in their order; --no-cache judges anew."""
    asked = ["verify", "ring", "topk", "--ranks", "1", "--jobs", "1"]
    first, again, anew = (called(*asked, *more)[1] for more in ([], [], ["--no-cache"]))
    other = envelope_of("verify", "topk", "ring_allgather", "ring", "--ranks", "1", "--jobs", "1")

    assert "earlier run" not in first + anew
    assert "= 2 found by an earlier run of the same code: --no-cache judges anew" in " ".join(again.split())
    assert [line[:-3] for line in again.splitlines()[1:3]] == [line[:-3] for line in sorted(first.splitlines()[1:3])]
    assert other["kept"] == ["topk", "ring"] and [*other["algorithms"]] == ["ring_allgather", "ring"]
    assert dict.fromkeys(r["subject"] for r in other["results"]) == dict.fromkeys(["topk", "ring_allgather", "ring"])


def test_a_call_keeps_nothing_unless_asked(proved_once):
    """As for the command, so for Python."""
    assert sparring.verify("ring_allgather", ranks=[1]).extra["kept"] == []
    assert sparring.verify("ring_allgather", ranks=[1], keep=True).extra["kept"] == []
    assert sparring.verify("ring_allgather", ranks=[1], keep=True).extra["kept"] == ["ring_allgather"]


def test_theorems_are_told_again(proved_once):
    """The same lines and the same envelope."""
    asked = ["prove", "ring_allgather"]
    lines = [called(*asked, *more)[1] for more in ([], [], ["--no-cache"])]
    first, again = (envelope_of(*asked, *more) for more in (["--no-cache"], []))

    assert len({text.rpartition("s; solvers")[0].rpartition("\n")[0] for text in lines}) == 1
    assert ["earlier run" in text for text in lines] == [False, True, False]
    assert [{**one, "seconds": 0} for one in first["theorems"]] == [{**one, "seconds": 0} for one in again["theorems"]]
    assert first["results"] == again["results"]


def test_of_other_parameters_and_for_files_all_is_proved(no_prover, tmp_path):
    """Though theorems of the page are kept."""
    theorems.remember("ring_topk", [Told(FOUND[0], {"name": "result"})])
    no_prover()
    for more in (["-P", "k=5"], ["--export", tmp_path], ["--no-cache"]):
        with pytest.raises(TypeError, match="'NoneType' object is not callable"):
            called("prove", "ring_topk", *more)


@pytest.fixture
def no_prover(monkeypatch):
    """Called, it takes the kernel away."""
    return lambda: monkeypatch.setattr(proving, "prove", None)


def test_a_call_keeps_theorems_if_asked(no_prover):
    """As for the command, so for Python, in which a page can be given itself."""
    first = sparring.prove("ring_allgather", keep=True)
    no_prover()
    assert sparring.prove("ring_allgather", keep=True).results == first.results
    assert sparring.prove(sparring.page("ring_allgather"), keep=True).results == first.results
    with pytest.raises(TypeError, match="'NoneType' object is not callable"):
        sparring.prove("ring_allgather")


@pytest.mark.parametrize("changed", [{"sends": lambda *_: []}, {"module": ModuleType("sparring.spec.ring_allgather")}])
def test_another_page_of_that_name_is_proved(no_prover, changed):
    """It borrows nothing, and what is found of it is not kept."""
    page = replace(sparring.page("ring_allgather"), **changed)
    remains = [*theorems.theorems(sparring.page("ring_allgather"), keep=True)]
    theorems.remember("ring_allgather", remains[:1])
    no_prover()
    with pytest.raises(TypeError, match="'NoneType' object is not callable"):
        [*theorems.theorems(page, keep=True)]
    assert theorems.recalled("ring_allgather") == remains[:1]


def test_what_prove_found_verify_takes(proved_once, no_prover):
    """And runs the code; asked to judge anew, it proves anew."""
    anew = sparring.verify("ring", ranks=[1, 2])
    sparring.prove("ring", keep=True)
    no_prover()
    assert sparring.verify("ring", ranks=[1, 2], keep=True).results == anew.results
    with pytest.raises(TypeError, match="'NoneType' object is not callable"):
        sparring.verify("ring", ranks=[1, 2])


def test_a_theorem_that_does_not_stand_is_proved_anew():
    """It may have been the machine."""
    found = [Told(FOUND[0], {"name": "result"}), Told(Result("ring", "deadlock", UNDECIDED), {"name": "deadlock"})]
    theorems.remember("ring", found)
    assert theorems.recalled("ring") is None
    theorems.remember("ring", found[:1])
    assert theorems.recalled("ring") == found[:1]


def test_of_ones_own_page_it_is_kept_on_which_facts_its_proof_rests(tmp_path, monkeypatch):
    """The theorems are proved anew, from these facts; what is kept for another text helps no more, and does no harm."""
    text = Path(sparring.page("bruck_allgather").module.__file__ or "").read_text(encoding="utf-8")
    asked: list[int] = []
    alone = solvers.alone
    monkeypatch.setattr(solvers, "alone", lambda facts, *rest: asked.append(len(facts)) or alone(facts, *rest))
    monkeypatch.setattr(hints, "kept", Hints)
    found = []
    for way in (text, text, text.replace("where(rem(p) > 0, 1, 0)", "where(rem(p) >= 1, 1, 0)")):
        (tmp_path / "mine.py").write_text(way, encoding="utf-8")
        asked.clear()
        found.append((sparring.prove(str(tmp_path / "mine.py"), keep=True).results, sum(asked)))
    (first, all_facts), (again, few), (other, other_facts) = found
    assert first == again and few < all_facts / 5 < other_facts
    assert [r.verdict for r in other] == [r.verdict for r in first]
