"""What ``check --library`` shows: a row an algorithm, with the pages that send the same messages below it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rich.text import Text

from sparring.libraries.audit import MESSAGES, Row, spelled, where
from sparring.present.overview import Overview, against
from sparring.proofs.logic.verdicts import Word
from sparring.report import MEANT, Report

SIDES = ("agreement", "reproducibility", "in place", MESSAGES)
INDENT = 4
LONG, SHORT = 38, 24
"""The column of names, where there is room and where there is not; a longer name has a line of its own."""
ROOM = 72
"""The columns of a terminal that has room."""
LEGEND = "sum: on hostile inputs; bits: on all ranks, and again; messages: pair by pair those of the pages below"


@dataclass(frozen=True)
class LibraryOverview(Overview):
    """The rows for a terminal of this width and encoding."""

    names: Sequence[str] = ()
    shown: list[str] = field(default_factory=list)
    """The collectives that have a heading already."""

    @property
    def indent(self) -> int:
        return LONG if self.width >= ROOM else SHORT

    def lines(self, row: Row) -> Iterator[Text]:
        """Yield the heading of a collective's first algorithm, then the row, and what belongs to it."""
        props = [one.property for one in row.results if one.property not in SIDES]
        sides = {"bits": SIDES[:2], **{name: (name,) for name in SIDES[2:]}}
        groups = {"sum": props, **sides}
        if not self.shown:
            yield from self.legend()
        if row.algorithm.collective not in self.shown:
            self.shown.append(row.algorithm.collective)
            heads = " ".join(head.ljust(self.room(head)) for head in groups)
            yield Text(f"{row.algorithm.collective.ljust(self.indent)} {heads}   s", "bold")
        name = f"  {row.algorithm.name}"
        if len(name) > self.indent:
            yield Text(name)
            name = ""
        line = Text(name.ljust(self.indent))
        for head, some in groups.items():
            sign, colour = self.sign([one for one in row.results if one.property in some])
            line.append(" ").append(sign.ljust(self.room(head)), colour)
        yield line.append(f"{row.seconds:4.0f}", "dim")
        yield from (Text(text, "dim") for text in self.beneath(row))
        yield from against(row.results)

    def beneath(self, row: Row) -> Iterator[str]:
        """Yield the pages that send what the algorithm does, the first run that none does, and what is refused."""
        for one in row.cover:
            yield from self.wrapped(f"{one}: {where(one.runs)}")
        if row.gap and row.verdict(MESSAGES).word is Word.NOT_COVERED:
            yield from self.wrapped(f"no page at {row.gap}")
        for error in dict.fromkeys(row.refused.values()):
            ranks = sorted({p for (p, _), why in row.refused.items() if why == error})
            yield from self.wrapped(f"refused at p = {spelled(ranks)}: {error}")

    def wrapped(self, text: str, indent: int = INDENT) -> list[str]:
        """Break a text between words, indented."""
        return textwrap.wrap(
            text, self.width, initial_indent=" " * indent, subsequent_indent=" " * (indent + 2),
            break_long_words=False, break_on_hyphens=False,
        )  # fmt: skip

    def legend(self) -> Iterator[Text]:
        """Yield the meanings of the columns and of the signs."""
        yield from map(Text, self.wrapped(LEGEND, 0))
        signs = [sign for sign, meant in MEANT.items() if meant in ("tested", "not covered", "undecided", "refuted")]
        told = (f"{self.ascii(sign)} {MEANT[sign]}" for sign in signs)
        yield Text("  ".join(told), "dim")

    def end(self, report: Report) -> Iterator[Text]:
        """Yield the last lines: the library, and how many verdicts there are of each sort."""
        library = report.extra["library"]
        words = [str(one.verdict).split(" (", maxsplit=1)[0] for one in report.results]
        counts = ", ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(words))
        many = len(library["algorithms"])
        yield Text(f"{report.verdict}: {library['version']}, {many} algorithms; {counts} ({report.seconds:.0f} s)")
        if not any(one["pages"] or one["unlike"] for one in library["algorithms"]):
            yield from (Text(line) for line in report.not_covered[:1])
