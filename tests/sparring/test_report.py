"""Reports: one envelope, words from a closed set, and the worst word decides."""

from __future__ import annotations

import json

import pytest

from sparring import Refuted, Report
from sparring.cli import _options
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


def test_a_refutation_can_be_raised():
    """With property and detail; a report that holds raises nothing."""
    Report("verify", [Result("ring", "result", PROVED)]).raise_if_refuted()
    with pytest.raises(Refuted, match="refuted: terms: wrong here"):
        Report("verify", [Result("ring", "terms", REFUTED, "wrong here")]).raise_if_refuted()


def test_words_are_ordered_from_strongest_to_worst():
    """Every word has its text; bounded words tell their number."""
    assert [w.value.split(" ")[0] for w in Word] == [
        "proved", "proved", "proved", "proved", "tested", "refuted", "not", "undecided", "not", "refuted",
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
