"""A report as one page for a browser: verdicts in a table that can be filtered, refutations with what shows them.

The page is text that others have written, files and names included, so all of it is escaped.  Its only script is the
one below, which hides rows.  A counterexample is a page of the explorer in a frame of its own, which may run scripts
and reach nothing of the page around it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from typing import NamedTuple


class Mark(NamedTuple):
    """A verdict: its words, its sign, and its colour, which only adds to both."""

    word: str
    sign: str
    colour: str


class Row(NamedTuple):
    """A result; ``witness``: as text, empty for none; ``explorer``: what makes the page of its counterexample."""

    subject: str
    property: str
    mark: Mark
    detail: str
    witness: str = ""
    explorer: Callable[[], str] | None = None


class Shown(NamedTuple):
    """A report; ``heads``: the groups of properties, the columns of ``table``, which has a row a subject."""

    command: str
    verdict: Mark
    seconds: str
    rows: Sequence[Row]
    heads: Sequence[str]
    table: Mapping[str, Sequence[Mark | None]]
    gaps: Sequence[str]
    explorer: Callable[[], str] | None = None


STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --faint: #59636e; --line: #d1d9e0;
  --green: #116329; --cyan: #0b5f73; --yellow: #7d4e00; --red: #b3131b; --dim: #59636e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --paper: #0d1117; --faint: #9198a1; --line: #3d444d;
  --green: #4ac26b; --cyan: #56c5db; --yellow: #e3b341; --red: #ff7b72; --dim: #9198a1; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.4rem; line-height: 1.3; overflow-wrap: anywhere; } h2 { font-size: 1.1rem; margin-top: 2rem; }
code, pre { font: 0.875rem/1.5 ui-monospace, monospace; }
pre { overflow-x: auto; border: 1px solid var(--line); padding: 0.5rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.6rem 0.3rem 0; border-top: 1px solid var(--line); }
td.detail { overflow-wrap: anywhere; min-width: 12rem; } td:nth-child(3) { white-space: nowrap; }
.sign { display: inline-block; min-width: 1.2em; font-weight: bold; }
.green { color: var(--green); } .cyan { color: var(--cyan); } .yellow { color: var(--yellow); }
.red { color: var(--red); font-weight: bold; } .dim { color: var(--dim); }
input, select { font: inherit; color: inherit; background: inherit; border: 1px solid var(--line); padding: 0.3rem;
  max-width: 100%; }
label { display: inline-block; margin-right: 1rem; }
@media (max-width: 40rem) { #results thead { display: none; } #results tr:not([hidden]), #results td { display: block; }
  #results td { border: 0; padding: 0; } #results tr { border-top: 1px solid var(--line); padding: 0.3rem 0; } }
iframe { width: 100%; height: 46rem; border: 1px solid var(--line); }
:focus-visible { outline: 2px solid var(--cyan); outline-offset: 2px; }
"""

SCRIPT = """
"use strict";
const text = document.getElementById("text"), word = document.getElementById("word");
const rows = [...document.querySelectorAll("#results tbody tr")], told = document.getElementById("told");
function filter() {
  const wanted = text.value.toLowerCase();
  let left = 0;
  for (const row of rows) {
    row.hidden = !(row.textContent.toLowerCase().includes(wanted) && (!word.value || row.dataset.word === word.value));
    left += !row.hidden;
  }
  told.textContent = left + " of " + rows.length + " results";
}
text.addEventListener("input", filter);
word.addEventListener("change", filter);
filter();
"""

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; frame-src 'self'; img-src data:"

PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{verdict}: {command}</title>
<style>{style}</style>
</head>
<body>
<main>
<h1>{mark}: <code>{command}</code></h1>
<p>{counts}; {seconds}</p>
{parts}
</main>
<script>{script}</script>
</body>
</html>
"""


def page(shown: Shown) -> str:
    """Return the text of the page."""
    return PAGE.format(
        policy=POLICY, style=STYLE, script=SCRIPT, verdict=escape(shown.verdict.word), command=escape(shown.command),
        mark=marked(shown.verdict), counts=escape(counted(shown.rows)), seconds=escape(shown.seconds),
        parts="\n".join(parts(shown)),
    )  # fmt: skip


def parts(shown: Shown) -> Iterator[str]:
    """Yield the parts of the page below its head."""
    refuted = [row for row in shown.rows if row.witness or row.explorer or row.mark.colour == "red"]
    if refuted:
        yield "<h2>Refuted</h2>"
        yield from map(refutation, refuted)
    if shown.explorer:
        yield f"<h2>What happens</h2>\n{frame(shown.explorer(), 'the messages, step by step')}"
    if shown.heads:
        yield f"<h2>All at a glance</h2>\n{matrix(shown)}"
    yield f"<h2>Results</h2>\n{choice(shown.rows)}\n{table(shown.rows)}"
    if shown.gaps:
        items = "".join(f"<li>{escape(gap)}</li>" for gap in shown.gaps)
        yield f"<h2>Not covered</h2>\n<ul>{items}</ul>"


def counted(rows: Sequence[Row]) -> str:
    """Return how many results there are of each word, the frequent ones first."""
    words = [general(row.mark.word) for row in rows]
    found = sorted({*words}, key=lambda word: (-words.count(word), word))
    return ", ".join(f"{words.count(word)} {word}" for word in found) or "no results"


def general(word: str) -> str:
    """Return a verdict's words without their numbers.

    >>> general("tested (3 examples)"), general("proved for every p")
    ('tested', 'proved')
    """
    return word.split(" (", maxsplit=1)[0].split(" for ", maxsplit=1)[0]


def marked(mark: Mark) -> str:
    """Return a verdict: sign and words."""
    sign = f'<span class="sign" aria-hidden="true">{escape(mark.sign)}</span>'
    return f'<span class="{escape(mark.colour)}">{sign} {escape(mark.word)}</span>'


def refutation(row: Row) -> str:
    """Return a refutation: its sentence, its witness, its counterexample."""
    name = f"{row.subject}: {row.property}"
    witness = f"<details><summary>witness</summary><pre>{escape(row.witness)}</pre></details>" if row.witness else ""
    shown = frame(row.explorer(), f"counterexample to {row.property}") if row.explorer else ""
    return (
        f"<section><h3>{escape(name)}</h3>\n<p>{marked(row.mark)}: {escape(row.detail)}</p>\n{witness}{shown}</section>"
    )


def frame(explorer: str, title: str) -> str:
    """Return a page of the explorer in a frame, folded until somebody opens it."""
    inside = f'<iframe sandbox="allow-scripts" loading="lazy" title="{escape(title)}" srcdoc="{escape(explorer)}">'
    return f"<details><summary>{escape(title)}</summary>{inside}</iframe></details>"


def matrix(shown: Shown) -> str:
    """Return a table with a row a subject and a column a group of properties: the weakest verdict of each."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in ("", *shown.heads))
    body = "".join(
        f'<tr><th scope="row">{escape(subject)}</th>'
        + "".join(f"<td>{marked(mark) if mark else ''}</td>" for mark in marks)
        + "</tr>"
        for subject, marks in shown.table.items()
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def choice(rows: Sequence[Row]) -> str:
    """Return the fields by which results are filtered."""
    words = "".join(f"<option>{escape(word)}</option>" for word in dict.fromkeys(general(r.mark.word) for r in rows))
    return (
        '<p><label>Contains <input id="text" type="search"></label>'
        f'<label>Verdict <select id="word"><option value="">any</option>{words}</select></label>'
        '<span id="told" role="status"></span></p>'
    )


def table(rows: Sequence[Row]) -> str:
    """Return all results, one a row."""
    head = "".join(f'<th scope="col">{name}</th>' for name in ("subject", "property", "verdict", ""))
    body = "".join(
        f'<tr data-word="{escape(general(row.mark.word))}"><td>{escape(row.subject)}</td>'
        f'<td>{escape(row.property)}</td><td>{marked(row.mark)}</td><td class="detail">{escape(row.detail)}</td></tr>'
        for row in rows
    )
    return f'<div class="wide" id="results"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
