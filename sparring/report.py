"""Reports: the answer of every command and every call, results with their verdicts in one envelope."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from sparring import report_page
from sparring.errors import InputError, Refuted
from sparring.proofs.logic.verdicts import Verdict, Word, overall
from sparring.report_page import Mark, Row, Shown

SCHEMA = 1

PROPERTIES: Mapping[str, str] = {
    "result": "every rank ends with the sum of all",
    "agreement": "all ranks end with identical bits",
    "conservation": "the result and what ranks left out add up to the sum of all",
    "economy": "every message brings something new",
    "partition": "the chunks cut [0, n) without gap or overlap",
    "deadlock": "no deadlock, even with synchronous sends",
    "sizes": "messages are as long as formulas say, and none longer than the dense one and its header",
    "volume": "no rank sends more than the page's bound, under its hypotheses",
    "contention": "no link serves two senders",
    "claims": "what else the page claims of what its text does",
    "timing": "under any timing, messages meet on a link no more than the page says",
    "peers": "the implementation's peers and blocks are the page's",
    "sum": "what the implementation returns is numpy's sum or mean, as near as is promised, whatever the page says",
    "terms": "the implementation computes the page's terms, for all inputs",
    "steps": "message by message the implementation sends what the page does",
    "selection": "in exact arithmetic the implementation selects, returns and keeps what the page does, for all inputs",
    "hygiene": "every message is matched, every request completed, no buffer touched early",
    "input untouched": "the input is as it was",
    "dtypes": "bit for bit the reference for each dtype, signed zeros and infinities included",
    "gradients": "bit for bit the reference on real gradients",
    "parameters": "the same with other parameters than the page's own",
    "in place": "the same where the result goes to the input's memory",
    "long vectors": "the same of vectors longer than what is looked at together",
    "bad input": "a bad argument is an InputError, on all ranks where one rank has it",
    "lines": "runs reach every line and branch of the implementation's module",
    "mpi": "bit for bit the reference under mpiexec",
}
"""All properties, in the order in which they are shown, with what they mean."""


GROUPS: Mapping[str, Sequence[str]] = {
    "result": ("result", "economy", "claims", "order", "bounds"),
    "agreement": ("agreement",),
    "conservation": ("conservation",),
    "deadlock": ("deadlock",),
    "contention": ("contention", "timing"),
    "sizes": ("partition", "sizes", "volume"),
    "terms": ("terms", "selection"),
    "numbers": ("peers", "sum", "steps", "hygiene", "input untouched", "dtypes", "gradients", "parameters", "in place",
                "long vectors", "bad input", "lines", "mpi"),
}  # fmt: skip
"""Groups of properties, the columns of a table.

First what is proved of the page, then the code on symbols and on numbers; each with its properties."""
SIGNS: Mapping[Word, tuple[str, str, str]] = {
    Word.PROVED: ("∀", "A", "green"),
    Word.PROVED_BELOW: ("∀", "A", "green"),
    Word.PROVED_UP_TO: ("≤", "<", "green"),
    Word.PROVED_AT: ("≤", "<", "green"),
    Word.PROVED_CHOSEN: ("≤", "<", "green"),
    Word.TESTED: ("t", "t", "cyan"),
    Word.EXPECTED: ("x", "x", "yellow"),
    Word.NOT_COVERED: ("-", "-", "dim"),
    Word.UNDECIDED: ("?", "?", "bold yellow"),
    Word.NOT_INDUCTIVE: ("?", "?", "bold yellow"),
    Word.REFUTED: ("✗", "!", "bold red"),
}
"""A word's sign, the same in ASCII, and its colour, which only adds to it."""
MEANT = {
    "∀": "all p", "≤": "in part", "t": "tested", "x": "expected", "-": "not covered", "?": "undecided", "✗": "refuted",
}  # fmt: skip
"""What the signs mean, in short."""
NOT_ASKED = "not asked for"
"""How the reason begins why what nobody asked for is not covered."""
NAMED = 8
"""The most subjects that a command names; more are all that there are."""


class Result(NamedTuple):
    """One property of one subject.

    ``planted``: the fault that was planted for this property and caught in the same way; empty where none was.
    """

    subject: str
    property: str
    verdict: Verdict
    detail: str = ""
    witness: Mapping[str, Any] = {}
    planted: str = ""

    def as_dict(self) -> dict[str, Any]:
        told = {**self._asdict(), "verdict": str(self.verdict), "witness": dict(self.witness)}
        return told if self.planted else {key: value for key, value in told.items() if key != "planted"}


@dataclass
class Report:
    """The answer of one command: all its results.

    ``not_covered``: sentences that say what was not looked at; ``extra``: fields that a command adds to
    the envelope, such as ``algorithms`` or ``theorems``; ``figure``: a function that draws a picture for
    people, for a terminal of a given width; ``explorers``: functions that make pages of the explorer, by the property
    whose refutation they show, or by "" for what was judged as a whole.
    """

    command: str
    results: Sequence[Result] = ()
    not_covered: Sequence[str] = ()
    seconds: float = 0.0
    extra: Mapping[str, Any] = field(default_factory=dict)
    figure: Callable[[int], Any] | None = None
    explorers: Mapping[str, Callable[[], str]] = field(default_factory=dict)

    @property
    def worst(self) -> Word:
        """The worst word among the results."""
        return overall([r.verdict for r in self.results])

    @property
    def verdict(self) -> str:
        """*holds*, or the worst word if it fails the report; *not covered* where nothing was looked at."""
        if self.results and all(r.verdict.word is Word.NOT_COVERED for r in self.results):
            return Word.NOT_COVERED.value
        return self.worst.value if self.worst.exit_code else "holds"

    @property
    def exit_code(self) -> int:
        """The exit code: 0 holds, 1 refuted, 3 undecided or not inductive."""
        return self.worst.exit_code

    def weaker(self, floor: str | None) -> list[Result]:
        """Return the results that are weaker than ``floor``, "proved" or "tested"; none where ``floor`` is None.

        Properties that were expected to fail do not count as weak, nor those that the question left out.
        """
        if floor is None:
            return []
        order = list(Word)
        last = order.index({"proved": Word.PROVED_CHOSEN, "tested": Word.TESTED}[floor])
        judged = self.extra.get(self.command, {}).get("judged")
        return [
            r
            for r in self.results
            if order.index(r.verdict.word) > last
            and r.verdict.word is not Word.EXPECTED
            and (judged is None or r.property in judged)
        ]

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "command": self.command,
            "verdict": self.verdict,
            "seconds": round(self.seconds, 3),
            "results": [r.as_dict() for r in self.results],
            "not_covered": list(self.not_covered),
            **self.extra,
        }

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), indent=2)

    def to_html(self, path: str | Path) -> None:
        """Write the report as one page for a browser, which loads nothing else, with its counterexamples in it.

        Raises InputError where the file cannot be written.
        """
        try:
            Path(path).write_text(report_page.page(self.shown()), encoding="utf-8")
        except OSError as error:
            raise InputError(f"{path} cannot be written: {error.strerror}") from None

    def shown(self) -> Shown:
        """Return what the page shows."""
        heads = [group for group, props in GROUPS.items() if any(r.property in props for r in self.results)]
        subjects = {r.subject: [one for one in self.results if one.subject == r.subject] for r in self.results}
        return Shown(
            command_line(self), Mark(self.verdict, *mark(weakest(self.results) or self.worst)), f"{self.seconds:.1f} s",
            [row(one, self.explorers) for one in self.results], heads if len(subjects) > 1 else [],
            {name: [cell(own, GROUPS[head]) for head in heads] for name, own in subjects.items()},
            list(self.not_covered), self.explorers.get(""),
        )  # fmt: skip

    def raise_if_refuted(self) -> None:
        """Raise Refuted with the first refutation, if there is one."""
        for r in self.results:
            if r.verdict.word is Word.REFUTED:
                raise Refuted(sentence(str(r.verdict), r.property, r.detail))


def mark(word: Word) -> tuple[str, str]:
    """Return a word's sign, and its colour."""
    sign, _, colour = SIGNS[word]
    return sign, colour.removeprefix("bold ")


def row(result: Result, explorers: Mapping[str, Callable[[], str]]) -> Row:
    """Return what the page says of one result; what is refuted comes with its witness and its counterexample."""
    refuted = result.verdict.word in (Word.REFUTED, Word.EXPECTED)
    told = [f"{name}: {json.dumps(value, default=str)}" for name, value in result.witness.items()]
    caught = f"caught: {result.planted}" if result.planted else ""
    detail = "; ".join(filter(None, (result.detail, caught)))
    word = Mark(str(result.verdict), *mark(result.verdict.word))
    witness = "\n".join(told) if refuted else ""
    return Row(result.subject, result.property, word, detail, witness, explorers.get(result.property))


def cell(results: Sequence[Result], props: Sequence[str]) -> Mark | None:
    """Return the weakest verdict on these properties; None where none of them is judged."""
    found = weakest([r for r in results if r.property in props])
    return found and Mark(MEANT[SIGNS[found][0]], *mark(found))


def weakest(results: Sequence[Result]) -> Word | None:
    """Return the weakest word among the results that were asked for, of those that are covered if any is."""
    asked = [r.verdict for r in results if not r.detail.startswith(NOT_ASKED)]
    covered = [verdict for verdict in asked if verdict.word is not Word.NOT_COVERED]
    return overall(covered) if asked else None


def command_line(report: Report) -> str:
    """Return the command that asks what the report answers, as far as the report has it."""
    said = report.extra.get("check", {})
    if said.get("on") == "command":
        return f"sparring check -- {said['target']}"
    subjects = [said["target"]] if said else [*dict.fromkeys(r.subject for r in report.results)]
    words = ["sparring", report.command, *(subjects if len(subjects) <= NAMED else [])]
    for option, value, usual in (
        ("--algorithm", said.get("page"), "allreduce"),
        ("--level", said.get("level"), "result"),
    ):
        words += [option, value] if value not in (None, usual) else []
    words += ["--on", said["on"]] if said.get("on") in ("mpi", "both", "torch", "ddp") else []
    return shlex.join(words)


def sentence(verdict: str, prop: str, detail: str) -> str:
    """Return a result in one sentence.

    >>> sentence("refuted", "result", "p=2 n=1: rank 1 has [0], reference [1]")
    'refuted: result at p=2 n=1: rank 1 has [0], reference [1]'
    """
    return f"{verdict}: {prop}{' at ' if detail.startswith('p=') else ': '}{detail}"


def verdicts(subjects: Iterable[Any], results: Iterable[Result]) -> dict[str, dict[str, str]]:
    """Return the verdicts on each of these pages or selectors, by name and by property."""
    matrix: dict[str, dict[str, str]] = {one.name: {} for one in subjects}
    for r in results:
        matrix[r.subject][r.property] = str(r.verdict)
    return matrix
