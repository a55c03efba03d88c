"""``verify`` at a glance: a row an algorithm, a sign for each group of properties, and what was left out and why.

A row comes as soon as its algorithm is judged; what is refuted or undecided stands below it in full.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.table import Table
from rich.text import Text

from sparring.proofs.logic.verdicts import Verdict, Word
from sparring.report import GROUPS, MEANT, NOT_ASKED, SIGNS, Report, Result, weakest

SHORT = {"agreement": "agree", "conservation": "kept", "contention": "links", "sizes": "cost", "numbers": "runs"}
SHORTENED = "kept: conservation; links: contention; cost: sizes; of the code: terms and runs"
LETTERED = "R result, A agreement, C conservation, D deadlock, L contention, S sizes, T the code on terms, N on numbers"
SECONDS = 3
"""How wide they are."""
KEPT = "="
"""In the place of seconds: found by an earlier run of the same code."""
CUT = " ..."
REASONS = 3
"""So many reasons for what was not covered have a line; the others are counted."""


@dataclass(frozen=True)
class Overview:
    """The table of ``verify`` for a terminal with this width and encoding; ``names``: those of all rows to come."""

    names: Sequence[str]
    width: int = 80
    encoding: str = "utf-8"

    @property
    def plain(self) -> bool:
        """Whether the encoding lacks the signs, so that ASCII stands for them."""
        try:
            "".join(MEANT).encode(self.encoding)
        except (UnicodeEncodeError, LookupError):
            return True
        return False

    @property
    def indent(self) -> int:
        """The width of the column of names."""
        return max(map(len, (*self.names, "algorithm")))

    @property
    def heads(self) -> Sequence[str]:
        """The columns' heads: the groups' names, shorter ones, or letters, as they have room."""
        full, short = [*GROUPS], [SHORT.get(name, name) for name in GROUPS]
        for heads in (full, short):
            if self.indent + sum(1 + len(head) for head in heads) + SECONDS <= self.width:
                return heads
        return ["R", "A", "C", "D", "L", "S", "T", "N"]

    def head(self) -> Text:
        """Return the first line: the heads of all columns."""
        cells = " ".join(head.ljust(self.room(head)) for head in self.heads)
        return Text(f"{'algorithm'.ljust(self.indent)} {cells}{'s':>{SECONDS}}", "bold")

    def room(self, head: str) -> int:
        """Return the width of a column: at least 2, since a sign may have a second one."""
        return max(len(head), 2)

    def row(self, name: str, results: Sequence[Result], seconds: float | None) -> Text:
        """Return the row of an algorithm or a selector; ``seconds``: None where its results were kept."""
        line = Text(name.ljust(self.indent))
        for head, group in zip(self.heads, GROUPS.values()):
            sign, colour = self.sign([r for r in results if r.property in group])
            line.append(" ").append(sign.ljust(self.room(head)), colour)
        return line.append(f"{KEPT:>{SECONDS}}" if seconds is None else f"{seconds:{SECONDS}.0f}", "dim")

    def sign(self, results: Sequence[Result]) -> tuple[str, str]:
        """Return the weakest verdict's sign and colour, with a second sign if not all that was asked for is covered."""
        word = weakest(results)
        if word is None:
            return "", ""
        *signs, colour = SIGNS[word]
        asked = {r.verdict.word for r in results if not r.detail.startswith(NOT_ASKED)}
        partly = self.of(Word.NOT_COVERED) if word is not Word.NOT_COVERED and Word.NOT_COVERED in asked else ""
        return signs[self.plain] + partly, colour

    def of(self, word: Word) -> str:
        """Return a word's sign."""
        return SIGNS[word][self.plain]

    def ascii(self, sign: str) -> str:
        """Return the sign, in ASCII where the encoding asks for it."""
        return next(other for one, other, _ in SIGNS.values() if one == sign) if self.plain else sign

    def legend(self) -> Iterator[Text]:
        """Yield the meanings of the signs, and of shortened heads."""
        yield Text("  ".join(f"{self.ascii(s)} {meant}" for s, meant in MEANT.items()), "dim")
        if len(self.heads[0]) == 1:
            yield Text(LETTERED, "dim")
        elif "kept" in self.heads:
            yield Text(SHORTENED, "dim")


def against(results: Sequence[Result]) -> Iterator[Text]:
    """Yield in full the results of an algorithm that are refuted, undecided or not inductive."""
    for r in results:
        if r.verdict.word.exit_code:
            yield Text.assemble("  ", (f"{r.verdict}", SIGNS[r.verdict.word][2]), f": {r.property}: {r.detail}")


def summary(report: Report, width: int) -> Iterator[str]:
    """Yield the counts of all verdicts, and the reasons why properties were not covered, with their counts.

    These are at most five lines, and one more where results were kept.  So 26 algorithms and 4 selectors, with their
    head and the legend, have room in a terminal of 40 lines.
    """
    several = {"algorithm": report.extra.get("algorithms", ()), "selector": report.extra.get("selectors", ())}
    subjects = ", ".join(f"{len(of)} {one}{'s' * (len(of) > 1)}" for one, of in several.items() if of)
    words = Counter(counted(r.verdict) for r in report.results if r.verdict.word is not Word.NOT_COVERED)
    told = ", ".join(f"{many} {word}" for word, many in words.items())
    yield f"{report.verdict}: {subjects}; {told} ({report.seconds:.0f} s)"
    if kept := report.extra.get("kept"):
        yield f"{KEPT} {len(kept)} found by an earlier run of the same code: --no-cache judges anew"
    reasons = missing(report.results)
    for (reason, props), many in reasons[:REASONS]:
        line = f"{many} x not covered: {', '.join(props)}: {reason}"
        yield textwrap.shorten(line, max(width, len(CUT) + 9), placeholder=CUT)
    if others := reasons[REASONS:]:
        why = f"{len(others)} other reason{'s' * (len(others) > 1)}"
        yield f"{sum(many for _, many in others)} x not covered for {why}: sparring verify NAME"


def counted(verdict: Verdict) -> str:
    """Return the word under which a verdict is counted."""
    return str(verdict).split(" (", maxsplit=1)[0].split(" for ", maxsplit=1)[0].removeprefix("refuted as ")


def missing(results: Sequence[Result]) -> Sequence[tuple[tuple[str, Sequence[str]], int]]:
    """Return the reasons why properties were not covered, with properties and counts, the most frequent first."""
    found: dict[str, list[str]] = {}
    for r in results:
        if r.verdict.word is Word.NOT_COVERED:
            found.setdefault(r.detail, []).append(r.property)
    ordered = sorted(found.items(), key=lambda one: -len(one[1]))
    return [((reason, [*dict.fromkeys(props)]), len(props)) for reason, props in ordered]


def details(results: Sequence[Result]) -> Table:
    """Return a table with a row a property: verdict, what it rests on, and which planted fault was caught."""
    table = Table.grid(padding=(0, 2, 0, 0))
    for _ in range(2):
        table.add_column(no_wrap=True)
    table.add_column()
    for r in results:
        rests = Text(r.detail)
        if r.planted:
            rests.append(f"{'; ' if r.detail else ''}caught: {r.planted}", "dim")
        table.add_row(r.property, Text(str(r.verdict), SIGNS[r.verdict.word][2]), rests)
    return table
