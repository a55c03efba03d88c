"""A report as JUnit XML, which CI systems read: a test suite, and in it a test case a result.

There is no standard.  Elements and attributes are those of the ``junit-10`` schema that Jenkins' xUnit
plugin publishes; pytest writes the same, and marks expected failures the same way.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from sparring.proofs.logic.verdicts import Word
from sparring.report import Report, Result, sentence

UNSAID = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold."""
OUTCOMES = {
    Word.REFUTED: "failure",
    Word.UNDECIDED: "error",
    Word.NOT_INDUCTIVE: "error",
    Word.NOT_COVERED: "skipped",
    Word.EXPECTED: "skipped",
}
"""The elements that say what came of a test case; one that passed has none."""


def junit_xml(report: Report, weak: Sequence[Result] = ()) -> str:
    """Return the text of the XML file; results in ``weak`` count as failures."""
    outcomes = [outcome(result, result in weak) for result in report.results]
    totals = {"tests": len(outcomes)} | {
        plural: outcomes.count(one)
        for one, plural in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped"))
    }
    told = {name: str(number) for name, number in totals.items()} | {"time": f"{report.seconds:.3f}"}
    root = ET.Element("testsuites")
    suite = ET.SubElement(root, "testsuite", {"name": f"sparring {report.command}", **told})
    for result, what in zip(report.results, outcomes):
        case = ET.SubElement(suite, "testcase", classname=xml_text(result.subject), name=result.property, time="0")
        if what:
            add(case, what, result)
    ET.indent(root)
    return ET.tostring(root, "unicode", xml_declaration=True) + "\n"


def outcome(result: Result, weak: bool) -> str:
    """Return the name of the element that tells the outcome of a result; empty if it passed."""
    return "failure" if weak and result.verdict.word is not Word.REFUTED else OUTCOMES.get(result.verdict.word, "")


def add(case: ET.Element, what: str, result: Result) -> None:
    """Add the element of the outcome to a test case: its message is the first line, its text all lines."""
    told = xml_text(sentence(str(result.verdict), result.property, result.detail))
    kind = "pytest.xfail" if result.verdict.word is Word.EXPECTED else str(result.verdict)
    ET.SubElement(case, what, type=kind, message=told.splitlines()[0]).text = told


def xml_text(text: str) -> str:
    """Return the text with ``?`` for each character that XML cannot hold."""
    return UNSAID.sub("?", text)
