"""A report as JUnit XML: the counts and elements that CI systems read."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from sparring.present.junit import junit_xml
from sparring.proofs.logic.verdicts import EXPECTED, NOT_COVERED, PROVED, REFUTED, UNDECIDED, Verdict, Word
from sparring.report import Report, Result
from tests.sparring.calling import called

RESULTS = [
    Result("mine.py:f", "result", Verdict(Word.TESTED, 60), "every rank returns the sum of all"),
    Result("mine.py:f", "agreement", REFUTED, "p=2 n=1: <entry> 0 & \x00\x1b\nsecond line"),
    Result("mine.py:f", "steps", EXPECTED, "known (p=2)"),
    Result("mine.py:f", "volume", NOT_COVERED, "level 'result' does not look at it"),
    Result("mine.py:f", "hygiene", UNDECIDED, "no launcher"),
    Result("mine.py:f", "deadlock", PROVED),
]


def read(text):
    """The suite."""
    root = ET.fromstring(text)
    assert root.tag == "testsuites"
    (suite,) = root
    return suite


def test_each_result_is_a_test_case():
    """What came of it is an element; what holds has none."""
    suite = read(junit_xml(Report("check", RESULTS, seconds=1.5)))

    assert suite.attrib == {
        "name": "sparring check", "tests": "6", "failures": "1", "errors": "1", "skipped": "2", "time": "1.500",
    }  # fmt: skip
    assert [(case.get("name"), [(e.tag, e.get("type")) for e in case]) for case in suite] == [
        ("result", []),
        ("agreement", [("failure", "refuted")]),
        ("steps", [("skipped", "pytest.xfail")]),
        ("volume", [("skipped", "not covered")]),
        ("hygiene", [("error", "undecided")]),
        ("deadlock", []),
    ]
    assert {case.get("classname") for case in suite} == {"mine.py:f"}


def test_the_message_is_a_line_and_the_text_all():
    """Whatever a target's error says, the file stays XML."""
    (failure,) = read(junit_xml(Report("check", RESULTS)))[1]

    assert failure.get("message") == "refuted: agreement at p=2 n=1: <entry> 0 & ??"
    assert failure.text == "refuted: agreement at p=2 n=1: <entry> 0 & ??\nsecond line"


def test_verdicts_that_are_too_weak_have_failed():
    """As the exit code says; proved is not asked of what was expected to fail."""
    report = Report("check", RESULTS)

    assert [r.property for r in report.weaker("tested")] == ["agreement", "volume", "hygiene"]
    assert [r.property for r in report.weaker("proved")] == ["result", "agreement", "volume", "hygiene"]
    assert report.weaker(None) == []
    suite = read(junit_xml(report, report.weaker("proved")))
    assert [case.get("name") for case in suite if case.find("failure") is not None] == [
        "result",
        "agreement",
        "volume",
        "hygiene",
    ]
    assert suite.get("failures") == "4"


def test_what_the_question_leaves_out_is_not_weak():
    """The level does not look at volume."""
    report = Report("check", RESULTS, extra={"check": {"judged": ["result", "agreement", "hygiene"]}})

    assert [r.property for r in report.weaker("tested")] == ["agreement", "hygiene"]


def test_the_command_writes_it_and_fails_under(tmp_path, monkeypatch):
    """Also where the verdict alone would be no failure."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("def same(comm, x):\n    return x.copy()\n")
    asked = ["check", "mine.py:same", "--ranks", "1", "--max-examples", "5", "--only", "result", "--junit", "out.xml"]

    assert called(*asked, "--fail-under", "tested")[0] == 0
    assert read((tmp_path / "out.xml").read_text()).get("failures") == "0"
    code, _, error = called(*asked, "--fail-under", "proved")
    assert code == 1
    assert "weaker than --fail-under asks for: result is tested (3 examples)" in error
    assert read((tmp_path / "out.xml").read_text()).get("failures") == "1"


def test_a_file_that_cannot_be_written_is_one_sentence(tmp_path, monkeypatch):
    """Not a traceback."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("def same(comm, x):\n    return x.copy()\n")
    code, _, error = called("check", "mine.py:same", "--ranks", "1", "--max-examples", "5", "--junit", "no/folder.xml")

    assert code == 2
    assert "no/folder.xml cannot be written: No such file" in error
