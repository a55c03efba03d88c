"""The MPI library that is installed: what it promises, and, where it tells, what it sends."""

import json
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from sparring.checks.ranks.runtimes import OPEN_MPI
from sparring.cli import cli
from sparring.libraries import audit as audits
from sparring.libraries import counting, matching
from sparring.libraries.audit import MESSAGES, Row, judged, promised, together
from sparring.libraries.counting import Amount, Sent
from sparring.libraries.matching import Explanation, Played, Stage
from sparring.libraries.selection import OWN, Algorithm, Setting, installed
from sparring.libraries.showing import LibraryOverview
from sparring.proofs.logic.verdicts import NOT_COVERED, REFUTED, Word
from sparring.proofs.logic.verdicts import tested as tried
from sparring.report import Report, Result
from sparring.spec.core import pages

ADDING = Algorithm("allreduce", "adding")
SENT = {(r, s): Amount(1, 40) for r in range(2) for s in range(2) if r != s}


def played(name):
    return Played((Stage(pages.find(name)),))


def result(prop, verdict, detail=""):
    return Result("", prop, verdict, detail)


def test_what_is_refused_is_not_judged(monkeypatch):
    asked = []
    monkeypatch.setattr(audits, "promised", lambda one, ranks, *rest: asked.append(ranks) or [])
    sent = {("allreduce", "adding", p, n): Sent({}, "no" * (p == 3)) for p in (2, 3) for n in audits.SIZES}
    row = judged(ADDING, sent, (1, 2, 3), 5, 0)
    assert asked == [(1, 2)]
    assert row.refused == {(3, n): "no" for n in audits.SIZES}
    assert row.verdict(MESSAGES).word is Word.NOT_COVERED  # nothing is sent, which no page does


def test_an_algorithm_that_refuses_all_is_not_run(monkeypatch):
    monkeypatch.setattr(audits, "promised", lambda *rest: pytest.fail("it was run"))
    row = judged(ADDING, {("allreduce", "adding", 2, 5): Sent({}, "no")}, (2,), 5, 0)
    (told,) = row.results
    assert row.worst is Word.NOT_COVERED and told.detail == "the library refuses it: no"
    monkeypatch.setattr(audits, "counted", lambda *rest: {("allreduce", "adding", 2, 5): Sent({}, "no")})
    monkeypatch.setattr(
        audits,
        "installed",
        lambda name: SimpleNamespace(name="a", version="a 1", runtime=OPEN_MPI, choices=lambda names: [ADDING]),
    )
    report = audits.audit(collectives=["allreduce"], ranks=[2])
    assert report.verdict != "holds" and report.not_covered == ["allreduce: adding: the library refuses it: no"]


@pytest.mark.parametrize(
    ("verdicts", "word"), [([tried(3), NOT_COVERED, tried(5)], "tested (5 examples)"), ([tried(3), REFUTED], "refuted")]
)
def test_the_worst_verdict_in_place_counts(verdicts, word):
    report = Report("check", [result(f"p{i}", verdict, "at p=2") for i, verdict in enumerate(verdicts)])
    found = together("allreduce: adding", report)
    assert (found.property, str(found.verdict)) == ("in place", word)
    assert word != "refuted" or found.detail == "p1: at p=2"


def wide(width):
    refuted = result("in place", REFUTED, "result: p=2 n=2: rank 0 has [1 2], reference [0 0]")
    rows = [
        Row(ADDING, [result("result", tried(30)), result("agreement", tried(9)), result(MESSAGES, tried(21))],
            [Explanation(played("recursive_doubling"), frozenset({(2, 5), (3, 5)})),
             Explanation(played("ring"), frozenset({(2, 840), (2, 1003)}), 4)], seconds=7.4),
        Row(Algorithm("allreduce", "scatter_recursive_doubling_allgather"),
            [result("result", tried(30)), refuted, result(MESSAGES, NOT_COVERED, "p=2 n=5: nearest is ring: rank 0")],
            gap="p=2 n=5: nearest is ring: rank 0", sent={(p, 5): Sent({}, "MPI_ERR_ARG: no") for p in (3, 4, 5)}),
    ]  # fmt: skip
    overview = LibraryOverview(width=width, encoding="utf-8")
    return "\n".join(line.plain for row in rows for line in overview.lines(row))


@pytest.mark.parametrize("width", [60, 80, 120])
def test_rows_on_terminals(width, snapshot):
    shown = wide(width)
    assert shown == snapshot
    assert all(len(line) <= width for line in shown.splitlines() if not line.startswith("  refuted"))


@pytest.mark.runtimes
@pytest.mark.timeout(300)
def test_the_library_keeps_its_promise(tmp_path, monkeypatch):
    """Its own choice, and the first that it lets one choose: on real ranks, and from the command line."""
    monkeypatch.chdir(tmp_path)
    library = installed()
    choices = library.choices(["allreduce"])
    assert len(choices) > 5
    monkeypatch.setattr(type(library), "choices", lambda self, names: choices[:2])
    ran = CliRunner().invoke(
        cli, ["check", "--library", library.name, "MPI_Allreduce", "--ranks", "2", "--max-examples", "6", "--json"]
    )
    assert ran.exit_code == 0, ran.output
    told = json.loads(ran.stdout)
    verdicts = {(r["subject"], r["property"]): r["verdict"] for r in told["results"]}
    for name in (OWN, choices[1].name):
        assert verdicts[f"allreduce: {name}", "result"].startswith("tested")
        assert verdicts[f"allreduce: {name}", "in place"].startswith("tested")
    counted = [one for one in told["library"]["algorithms"] if one["pages"]]
    assert len(counted) == 2 * counting.tells(library)
    assert told["library"]["version"] == library.version


@pytest.mark.runtimes
@pytest.mark.timeout(300)
def test_what_open_mpi_sends_is_the_pages(monkeypatch):
    """Both ways to choose an algorithm send the same; by name all are the pages', and a page with a fault is not."""
    library = installed()
    if not counting.tells(library):
        assert audits.counted(library, library.choices(["allreduce"]), (2, 3)) == {}
        return
    choices = library.choices(["allreduce"])
    sent = audits.counted(library, choices, (2, 3, 4, 5))
    for one in choices:
        runs = {(p, n): sent[one.collective, one.name, p, n] for p in (2, 3, 4, 5) for n in audits.SIZES}
        found, _, gap = audits.compared(one, runs)
        assert found.verdict == tried(len(runs)), gap
    ring = next(one for one in choices if one.name == "ring")
    forced = ring._replace(within=ring.environment, setting="")
    again = counting.count([forced], (2, 3, 4, 5), audits.SIZES)
    assert again == {key: one for key, one in sent.items() if key[1] == "ring"}
    reversed_ = {key: Sent({(dst, src): a for (src, dst), a in one.pairs.items()}) for key, one in again.items()}
    turned, _, _ = audits.compared(ring, {key[2:]: one for key, one in reversed_.items()})
    assert turned.verdict == REFUTED


@pytest.mark.runtimes
@pytest.mark.timeout(300)
def test_a_fault_of_the_library_is_found(tmp_path, monkeypatch):
    """Open MPI 5.0.11's allgather ``sparbit`` takes the count of a send buffer that MPI_IN_PLACE says is none."""
    monkeypatch.chdir(tmp_path)
    library = installed()
    faulty = [one for one in library.choices(["allgather"]) if one.name == "sparbit"]
    assert bool(faulty) == (library.name == "openmpi")
    for one in faulty:
        found = {r.property: r.verdict for r in promised(one, (1, 2), 10, 0)}
        assert found["in place"] == REFUTED
        assert found["result"].word is Word.TESTED


def test_settings_are_asked_of_the_library_that_is_installed():
    told = installed().settings
    assert len(told) > 100
    assert all(isinstance(one, Setting) and one.name == name for name, one in told.items())
    assert matching.known()
