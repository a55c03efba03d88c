"""The directive ``mutants``: what became of planted faults.

Each file of ``docs/mutants`` is one algorithm, written by ``docs/mutants/keep.py``; its numbers stand nowhere else.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import sparring

Counts = Mapping[str, Any]

ALONE, FULL = "by proof alone", "by --full alone"
WORDS = ("killed", "equivalent", "survived")


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx when the extension is loaded."""
    app.add_config_value("mutants_results", "mutants", "env", [str])
    app.add_directive("mutants", Mutants)
    return {"parallel_read_safe": True}


class Mutants(SphinxDirective):
    """A table of all, then a section an algorithm."""

    def run(self) -> list[nodes.Node]:
        paths = sorted((Path(self.env.app.srcdir) / self.config.mutants_results).glob("*.json"))
        if not paths:
            raise self.error(f"no results in {self.config.mutants_results}")
        for path in paths:
            self.env.note_dependency(path)
        found = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in paths}
        sections = (section(name, told) for name, told in found.items())
        missing = ", ".join(sorted({*sparring.pages()} - {*found}))
        uncounted = (
            f"Not counted yet: {missing}. Faults are planted in them for each property alone." if missing else ""
        )
        random = [drawn(self.sample(name), *told) for name, told in DRAWN.items()]
        text = "\n\n".join(["## Drawn at random", *random, "## All algorithms", overview(found), uncounted, *sections])
        return self.parse_text_to_nodes(text, allow_section_headings=True)

    def sample(self, name: str) -> Mapping[str, Any]:
        """What became of the faults that are drawn there."""
        path = Path(self.env.app.srcdir) / self.config.mutants_results / "sample" / f"{name}.json"
        self.env.note_dependency(path)
        found: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return found


DRAWN = {
    "sample": (
        "all modules below `impl` that algorithms and selectors load, those in `impl/core` included",
        "a default `verify` finds",
    ),
    "world": (
        "the functions of the simulated MPI that `verify` enters",
        "a `verify` of four algorithms on up to three ranks, or the world's own tests, find",
    ),
}
"""By file, where faults are drawn and who finds them."""


def drawn(sample: Mapping[str, Any], where: str, who: str) -> str:
    """What became of faults drawn from there, and each that lives."""
    words = Counter(one["word"] for one in sample["faults"])
    counts = {word: words[word] for word in WORDS}
    told = (
        f"Of {sample['count']} faults drawn from {where}, solvers prove {counts['equivalent']} to be none. Of the "
        f"others {who} {counts['killed']}, {rate(counts)}{more(sample)}. Those that live, and why; what is no fault is "
        "argued, and not proved:"
    )
    lines = [f"- `{one['module']}`, `{one['function']}`: `{one['change']}` in the line `{one['line']}`. {one['why']}."
             for one in sample["faults"] if one["word"] == "survived"]  # fmt: skip
    return "\n\n".join([told, "\n".join(lines)])


def more(sample: Mapping[str, Any]) -> str:
    """How many all runs find of those that live, where that was asked."""
    asked = [one["full"] for one in sample["faults"] if one.get("full") is not None]
    if not asked:
        return ""
    return f", and `--full`, of one algorithm each, finds {sum(map(bool, asked))} of the other {len(asked)}"


def overview(found: Mapping[str, Counts]) -> str:
    """A row for each part of each algorithm, and how many of those that are faults were killed."""
    rows = [
        [name, part, *numbers(counts), rate(counts), whole(counts), proved(counts)]
        for name, told in found.items()
        for part, counts in told["parts"].items()
    ]
    return table(["algorithm", "part", *WORDS, "of those that are faults", "with `--full`", "by proof alone"], rows)


def section(name: str, told: Counts) -> str:
    """One algorithm: a row an operator, and a line for each mutant that was not killed."""
    parts = told["parts"]
    operators = dict.fromkeys(operator for counts in parts.values() for operator in counts["operators"])
    rows = [
        [operator, *(shorter(counts["operators"].get(operator)) for counts in parts.values())] for operator in operators
    ]
    lines = [
        f"- *{one['word']}*{' but with `--full`' if one.get('full') else ''}, in `{one['function']}`: "
        f"`{one['change']}` in the line `{one['line']}`. {one['why']}."
        for one in told["alive"]
    ]
    return "\n\n".join([f"## {name}", table(["operator", *parts], rows), "\n".join(lines)])


def shorter(counts: Counts | None) -> str:
    """Killed, equivalent and survived in one cell; empty where there was nothing to change.

    >>> shorter({"killed": 3, "equivalent": 0, "survived": 1}), shorter(None)
    ('3 / 0 / 1', '')
    """
    return " / ".join(numbers(counts)) if counts else ""


def numbers(counts: Counts) -> list[str]:
    """How many of each word."""
    return [str(counts[word]) for word in WORDS]


def rate(counts: Counts) -> str:
    """Which part of the mutants that are not equivalent was killed; rounded down, so that 100 % is all of them.

    >>> rate({"killed": 999, "equivalent": 7, "survived": 1})
    '99.9 %'
    """
    faults = counts["killed"] + counts["survived"]
    return f"{1000 * counts['killed'] // max(faults, 1) / 10:g} %"


def whole(counts: Counts) -> str:
    """The same with ``--full``, which runs more; empty for a page.

    >>> whole({"killed": 97, "survived": 3, "by --full alone": 2}), whole({"killed": 9, "survived": 0})
    ('99 %', '')
    """
    more = counts.get(FULL)
    return "" if more is None else rate({"killed": counts["killed"] + more, "survived": counts["survived"] - more})


def proved(counts: Counts) -> str:
    """The same of those that proof alone refuses; empty where that is not asked.

    >>> proved({"killed": 99, "survived": 1, "by proof alone": 98}), proved({"killed": 9, "survived": 0})
    ('98 %', '')
    """
    if ALONE not in counts:
        return ""
    return rate({"killed": counts[ALONE], "survived": counts["killed"] + counts["survived"] - counts[ALONE]})


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = (f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows))
    return "\n".join(lines).replace(" %", "\u00a0%")  # which stays in its line
