r"""Costs as LaTeX for a paper: a table to ``\input``, or a document that compiles as it stands.

The packages it needs are part of Debian's texlive-latex-recommended, or of what that needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

import msgspec

from sparring.costs.costs import Cost
from sparring.costs.shared_links import SharedCost
from sparring.costs.union_cost import UnionCost
from sparring.present.costs.citations import SOURCES, Citation, bibtex, cite, cited, escaped
from sparring.present.costs.summary import Line, Sheet, sheet
from sparring.present.costs.typeset import condition, spelt
from sparring.spec.core.model import Page

PACKAGES = ("amsmath", "array", "booktabs", "tabularx")
NEEDS = rf"\usepackage{{{','.join(PACKAGES)}}}"
RAGGED = r">{\raggedright\arraybackslash}"
VALUES = RAGGED + r"p{0.22\linewidth}"

MEANINGS = {
    "p": "ranks",
    "n": "words of a vector",
    "k": "entries of a list, or entries kept",
    "u": "entries of the union of $s$ neighbouring ranks' supports, which lie evenly in the chunks",
    "m": "entries of a message",
    "size": "places of its chunk",
    "octets": r"bytes of a message with $m$ entries of a chunk of $\ell$ places",
    "width": "bytes of a word",
    "node": "ranks of a node",
    "alpha": "seconds a message",
    "beta": "seconds a byte",
    "alpha_in": "seconds a message within a node",
    "beta_in": "seconds a byte within a node",
    "alpha_out": "seconds a message between nodes",
    "beta_out": "seconds a byte between nodes",
    "gamma": "seconds an addition",
}
"""The meaning of each letter, in the order in which notes explain letters."""
PARAMETER = "a parameter of the algorithm"
FUNCTIONS = {"u": "u(s)", "octets": r"\operatorname{octets}(m, \ell, w)"}
WORDS = ("words", "path", "critical")
QUANTITIES = {
    "messages": "messages", "most": "most messages", "words": r"$V_{\max}$", "path": r"$V_{\mathrm{path}}$",
    "critical": r"$V_{\mathrm{crit}}$", "added": "additions", "time": "time",
    "steps": "steps", "inside": "steps within", "outside": "steps between", "sharing": "messages on a link",
    "carried": "bytes on links", "pairs": "words as pairs", "octets": rf"${FUNCTIONS['octets']}$", "bytes": "bytes",
}  # fmt: skip
TERMS = {
    "most": "most messages: the most that one rank sends, where ranks are silent in some steps",
    "words": r"$V_{\max}$: the most words that one rank sends; an index counts as one",
    "path": r"$V_{\mathrm{path}}$: the most words along a path of messages",
    "critical": r"$V_{\mathrm{crit}}$: the largest message of each step, summed",
    "added": "additions: the most that one rank makes",
    "time": "time: seconds in lock step, an upper bound where ranks do not wait for the step to end",
    "inside": "steps within: those in which no message leaves its node",
    "outside": "steps between: those in which some do",
    "sharing": "messages on a link: the most of a step on one link that they share",
    "carried": "bytes on links: those over the fullest such link of each step, summed",
    "pairs": "words as pairs: were every entry sent as an index and a value, or, where a rule says dense, as a value",
    "bytes": "bytes: those of the largest message of each step, summed",
}
"""The meaning of each quantity whose name does not say it."""


class Told(NamedTuple):
    """A page, its sheet, and the values of its forms at a point, by quantity."""

    page: Page
    sheet: Sheet
    here: Mapping[str, str] = {}


Notes = Sequence[tuple[str, ...]]
"""The conditions that a table has notes on, in the order of their marks."""

CAPTION = "What each rank sends and adds, at most"
AT_ONCE = 3  # algorithms in one table, so that it fits onto a page


def document(told: Sequence[Told], at: str = "", caption: str = CAPTION) -> str:
    """Return a document with the tables and all that they cite; ``at`` says at which point values are."""
    sources = bibtex(citations(told))
    head = [
        "% pdflatex FILE; bibtex FILE; pdflatex FILE; pdflatex FILE.  Its sources it writes to a file beside it.",
        r"\begin{filecontents}[overwrite,noheader]{\jobname-sources.bib}",
        sources,
        r"\end{filecontents}",
        r"\documentclass[a4paper]{article}",
        r"\usepackage[margin=25mm]{geometry}",
        NEEDS,
        r"\begin{document}",
    ]
    tail = [r"\clearpage", r"\bibliographystyle{plain}", r"\bibliography{\jobname-sources}"] if sources else []
    return "\n".join([*head, table(told, at, caption), *tail, r"\end{document}"])


def latex(*costs: Cost | UnionCost | SharedCost) -> str:
    r"""Return tables of these costs to ``\input``; their first lines say which packages they need."""
    return table([Told(one.page, sheet(one)) for one in costs])


def table(told: Sequence[Told], at: str = "", caption: str = CAPTION) -> str:
    """Return the tables of what holds where nothing is rounded, with conditions as notes, and of what always holds.

    Each is one table, or several where there are many algorithms.
    """
    names = ", ".join(one.page.name for one in told)
    comments = [f"Costs of {names}.  For a document with", NEEDS, *(x for one in told for x in verdicts(one.sheet))]
    rounded = [one._replace(sheet=changed(one.sheet)) for one in told if changed(one.sheet).lines]
    tables = [main(some, number, at, caption) for number, some in enumerate(portions(told))]
    tables += [exact(some, number) for number, some in enumerate(portions(rounded))]
    return "\n".join([*(f"% {comment}" for comment in comments), *tables])


def wide(told: Sequence[Told], at: str = "", caption: str = CAPTION) -> str:
    """Return the same tables for a paper in two columns: each spans both, at the top of a page or on one of its own."""
    ends = {r"\begin{table}[tbp]": r"\begin{table*}[tp]", r"\end{table}": r"\end{table*}"}
    return "\n".join(ends.get(line, line) for line in table(told, at, caption).splitlines())


def portions(told: Sequence[Told]) -> Iterator[Sequence[Told]]:
    """Yield the algorithms in portions that each fit into one table, and are about equal."""
    size = -(-len(told) // -(-len(told) // AT_ONCE)) if told else 1
    yield from (told[i : i + size] for i in range(0, len(told), size))


def changed(sheet: Sheet) -> Sheet:
    """Return the sheet with only those forms that differ where nothing is rounded."""
    return msgspec.structs.replace(sheet, lines=tuple(line for line in sheet.lines if line.exact != line.simple))


def verdicts(sheet: Sheet) -> Iterator[str]:
    """Yield sentences that say how the costs were checked, and what they leave out."""
    if sheet.undecided:
        yield f"{sheet.name}: undecided: {sheet.undecided}"
    yield from (f"{sheet.name}: {one.name}: {one.verdict} ({one.detail})" for one in sheet.judged)
    yield from (f"{sheet.name}: not covered: {gap}" for gap in sheet.gaps)


def main(told: Sequence[Told], number: int, at: str, caption: str) -> str:
    """Return the table of simplified forms; beside them lower bounds, or values where there are any."""
    marks = noted(line.conditions for one in told for line in one.sheet.lines)
    here = any(one.here for one in told)
    columns = rf"@{{}}l{RAGGED}X{VALUES if here else 'l'}@{{}}"
    body = [part for one in told for part in (r"\midrule", *block(one, marks, here))]
    point = f"; values at {escaped(at)}" if here else ""
    head = ["Quantity", "Cost", "Value" if here else "At least"]
    caption = f"{caption}{continued(number)}{point}."
    return environment(caption, labelled("costs", number), columns, head, body, notes(told, marks))


def block(one: Told, marks: Notes, here: bool) -> Iterator[str]:
    """Yield the lines of one algorithm; kinds of words that cost the same share a line."""
    yield named(one, 3)

    def alike(line: Line) -> tuple[object, ...]:
        kind = "words" if line.quantity in WORDS else line.quantity
        return kind, line.simple, line.conditions, one.here.get(line.quantity, "")

    for _, group in groupby(one.sheet.lines, alike):
        lines = list(group)
        first, bound = lines[0], next((line for line in lines if line.bound), lines[0])
        least = dollars(bound.bound) + citation(bound.source) + (rf", $\times {bound.ratio}$" if bound.ratio else "")
        last = escaped(one.here.get(first.quantity, "")) if here else least
        yield row([quantities(lines) + mark(first.conditions, marks), cost(first.simple), last])


def exact(told: Sequence[Told], number: int) -> str:
    """Return the table of the forms that hold whatever is rounded."""
    marks = noted(line.given for one in told for line in one.sheet.lines)
    body = []
    for one in told:
        body += [r"\midrule", named(one, 2)]
        for (form, given), group in groupby(one.sheet.lines, lambda line: (line.exact, line.given)):
            body.append(row([quantities(list(group)) + mark(given, marks), cost(form)]))
    caption = rf"What Table~\ref{{tab:costs}} says, where sizes or logarithms are rounded{continued(number)}."
    columns = rf"@{{}}l{RAGGED}X@{{}}"
    return environment(caption, labelled("costs-exact", number), columns, ["Quantity", "Cost"], body, conditions(marks))


def quantities(lines: Sequence[Line]) -> str:
    """Return the quantities of a line of the table."""
    return r"\quad " + ", ".join(QUANTITIES[line.quantity] for line in lines)


def cost(form: str) -> str:
    """Return a formula, or the remark that there is none."""
    return dollars(form) or "no closed form"


def continued(number: int) -> str:
    """Return what the caption of a further table adds; empty for the first table."""
    return ", continued" if number else ""


def labelled(name: str, number: int) -> str:
    """Return the label of a table, numbered if it is a further one."""
    return f"{name}-{number + 1}" if number else name


def environment(caption: str, label: str, columns: str, head: Sequence[str], body: Sequence[str], below: str) -> str:
    """Return a table with its caption, and what stands below it."""
    lines = [
        r"\begin{table}[tbp]", r"\centering\small", rf"\caption{{{caption}}}", rf"\label{{tab:{label}}}\par\smallskip",
        rf"\begin{{tabularx}}{{\linewidth}}{{{columns}}}", r"\toprule", row(head), *body, r"\bottomrule",
        r"\end{tabularx}", *([r"\par\medskip\footnotesize\raggedright", below] if below else []), r"\end{table}",
    ]  # fmt: skip
    return "\n".join(lines)


def notes(told: Sequence[Told], marks: Notes) -> str:
    """Return the notes: what letters and quantities mean, and under which conditions marked forms hold."""
    lines = [line for one in told for line in one.sheet.lines if line.exact]
    used = dict.fromkeys([*MEANINGS, *sorted({letter for line in lines for letter in line.letters})])
    there = {letter for line in lines for letter in line.letters}
    letters = [f"${FUNCTIONS.get(x) or spelt(x)}$: {MEANINGS.get(x, PARAMETER)}" for x in used if x in there]
    terms = [meaning for name, meaning in TERMS.items() if any(line.quantity == name for line in lines)]
    scopes = {line.scope: (one, line) for one in told for line in one.sheet.lines if line.scope}
    least = [
        f"least {QUANTITIES[line.quantity]} of {spoken(one.page)}: where {escaped(scope)}"
        for scope, (one, line) in scopes.items()
    ]
    supposed = [*dict.fromkeys(one.sheet.supposed for one in told if one.sheet.supposed)]
    return "\n\n".join(
        filter(None, (listed(letters), listed(supposed), listed(terms), listed(least), conditions(marks)))
    )


def listed(told: Sequence[str]) -> str:
    """Return a sentence of several parts."""
    return f"{'; '.join(told)}." if told else ""


def noted(conditions: Iterable[tuple[str, ...]]) -> Notes:
    """Return each condition once, without the empty one."""
    return [some for some in dict.fromkeys(conditions) if some]


def conditions(marks: Notes) -> str:
    """Return a sentence that says under which condition each marked form holds."""
    told = (" and ".join(dollars(condition(one)) for one in some) for some in marks)
    notes = [f"{mark(some, marks)}\\,where {words}" for some, words in zip(marks, told)]
    return listed([*notes, "without a mark: for all numbers"]) if marks else ""


def mark(some: tuple[str, ...], marks: Notes) -> str:
    """Return the letter of a note; nothing where there is no condition."""
    return rf"\textsuperscript{{{chr(ord('a') + marks.index(some))}}}" if some else ""


def named(one: Told, columns: int) -> str:
    """Return the line with an algorithm's name and what it cites."""
    name = spoken(one.page)
    sources = cite(cited(one.page))
    return row([rf"\multicolumn{{{columns}}}{{@{{}}l@{{}}}}{{\emph{{{name}}}{sources and '~'}{sources}}}"])


def spoken(page: Page) -> str:
    """Return an algorithm's name."""
    return escaped(page.name.replace("_", " "))


def citation(name: str) -> str:
    """Return the source of a lower bound."""
    found = SOURCES.get(name)
    return f"~{cite([found])}" if found else f" ({escaped(name)})" if name else ""


def citations(told: Sequence[Told]) -> list[Citation]:
    """Return all sources that pages and lower bounds cite."""
    bounds = {line.source for one in told for line in one.sheet.lines}
    own = [entry for one in told for entry in cited(one.page)]
    return own + [SOURCES[name] for name in sorted(bounds & SOURCES.keys())]


def dollars(formula: str) -> str:
    return f"${formula}$" if formula else ""


def row(cells: Sequence[str]) -> str:
    """Return one line of a LaTeX table."""
    return " & ".join(cells) + r" \\"
