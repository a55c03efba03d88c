"""Reports: one envelope, words from a closed set, and the worst word decides."""

from __future__ import annotations

import json
import re

import pytest

from sparring import Refuted, Report
from sparring.cli import _options
from sparring.errors import InputError
from sparring.proofs.logic import verdicts
from sparring.proofs.logic.verdicts import NOT_COVERED, NOT_INDUCTIVE, PROVED, REFUTED, UNDECIDED, Word
from sparring.report import PROPERTIES, Result


@pytest.mark.parametrize(
    ("found", "verdict", "code"),
    [
        ([PROVED, verdicts.tested(3), NOT_COVERED], "holds", 0),
        ([], "holds", 0),
        ([PROVED, UNDECIDED], "undecided", 3),
        ([UNDECIDED, NOT_INDUCTIVE, PROVED], "not inductive", 3),
        ([NOT_INDUCTIVE, REFUTED, UNDECIDED, PROVED], "refuted", 1),
    ],
    ids=["holds", "empty", "undecided", "not inductive", "refuted"],
)
def test_the_worst_word_decides(found, verdict, code):
    """Of the report's verdict and of the exit code."""
    report = Report("verify", [Result("ring", "result", v) for v in found])

    assert (report.verdict, report.exit_code) == (verdict, code)


def test_the_envelope_is_complete_and_json():
    """schema, command, verdict, seconds, results, not_covered, and what the command adds."""
    report = Report(
        "verify", [Result("ring", "terms", verdicts.tested(1), "why", {"p": 2})], ["gap"], 1.23456, {"algorithms": {}}
    )

    assert json.loads(report.to_json()) == {
        "schema": 1,
        "command": "verify",
        "verdict": "holds",
        "seconds": 1.235,
        "not_covered": ["gap"],
        "algorithms": {},
        "results": [
            {
                "subject": "ring",
                "property": "terms",
                "verdict": "tested (1 example)",
                "detail": "why",
                "witness": {"p": 2},
            }
        ],
    }


def test_a_page_shows_verdicts_witnesses_and_counterexamples(tmp_path):
    """A table with a row a subject, signs with words; what others wrote is text, and nothing is loaded."""
    evil = "</script><script>alert(1)</script>"
    results = [
        Result("ring", "result", PROVED),
        Result("ring", "terms", verdicts.tested(3)),
        Result(evil, "result", REFUTED, f"p=2: {evil}", {"p": 2, "inputs": [[1], [2]]}),
    ]
    report = Report("verify", results, [f"mpi: {evil}"], 1.0, explorers={"result": lambda: f"<p>{evil}</p>"})
    report.to_html(tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")

    assert text.count("<script") == text.count("</script>") == 1
    for part in (
        "∀</span> all p",
        "t</span> tested<",
        "t</span> tested (3 examples)",
        "✗</span> refuted",
        "inputs: [[1], [2]]",
    ):
        assert part in text
    assert 'srcdoc="&lt;p&gt;&lt;/script&gt;' in text
    assert "1 proved, 1 refuted, 1 tested; 1.0 s" in text
    assert not re.search(r"https?:|src=|@import|url\(", text)


def test_a_page_that_cannot_be_written_is_one_sentence(tmp_path):
    """With the file's name."""
    with pytest.raises(InputError, match=r"nowhere.report\.html cannot be written: No such file or directory$"):
        Report("verify").to_html(tmp_path / "nowhere" / "report.html")


def test_the_page_says_what_was_asked():
    """The command, with what differs from what is usual."""
    told = {"target": "my file.py:f", "page": "ring", "level": "steps", "on": "both"}
    asked = Report("check", extra={"check": told}).shown()

    assert asked.command == "sparring check 'my file.py:f' --algorithm ring --level steps --on both"
    assert Report("verify", [Result("ring", "result", PROVED)]).shown().command == "sparring verify ring"


def test_a_refutation_can_be_raised():
    """With property and detail; a report that holds raises nothing."""
    Report("verify", [Result("ring", "result", PROVED)]).raise_if_refuted()
    with pytest.raises(Refuted, match="refuted: terms: wrong here"):
        Report("verify", [Result("ring", "terms", REFUTED, "wrong here")]).raise_if_refuted()


def test_words_are_ordered_from_strongest_to_worst():
    """Every word has its text; bounded words tell their number."""
    assert [w.value.split(" ")[0] for w in Word] == [
        *["proved"] * 5, "tested", "refuted", "not", "undecided", "not", "refuted",
    ]  # fmt: skip
    assert str(verdicts.proved_up_to(16)) == "proved for p <= 16"
    assert verdicts.overall([PROVED, verdicts.tested(2)]) is Word.TESTED


def test_every_property_has_its_meaning():
    """The closed set that verify shows, each with a sentence."""
    assert list(PROPERTIES)[:2] == ["result", "agreement"]
    assert all(PROPERTIES.values())


def test_an_expected_refutation_is_counted_as_one():
    """It stands against nothing, so the last line does not call it refuted."""
    results = [Result("a", "result", PROVED), Result("a", "contention", verdicts.EXPECTED)]

    assert _options.coverage(Report("verify", results)).startswith("holds: 1 proved, 1 refuted as expected; nothing")
