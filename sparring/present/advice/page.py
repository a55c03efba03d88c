"""Advice as a page of HTML that stands alone, no script and nothing from elsewhere, and as data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from html import escape
from typing import Any

from sparring.advising.advice import Advice, Answer, Option
from sparring.advising.amounts import lasting
from sparring.advising.growing import Range
from sparring.advising.measuring import Measured
from sparring.present.advice.told import COLUMNS, OPTIONS, bounded, cells, dense, heading, option_cells, planned, shared
from sparring.support_growth import Growth

STYLE = """
:root { color-scheme: light dark; --ink: #222; --soft: #5a5a5a; --line: #ddd; --bar: #0072b2; --band: #9ecae1; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #eee; --soft: #aaa; --line: #444; --bar: #56b4e9; --band: #2b5d7d; }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); max-width: 66rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .3rem .6rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { color: var(--soft); font-weight: normal; } td:first-child, th:first-child { text-align: left; }
tr.first td { font-weight: 600; }
.wide { overflow-x: auto; } .bar { width: 12rem; } .bar svg { display: block; width: 12rem; height: 1rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; } dt { color: var(--soft); }
dd { margin: 0; } figure { margin: 1rem 0; } figcaption, footer { color: var(--soft); font-size: .9rem; }
footer { margin-top: 3rem; } text { fill: var(--soft); font-size: 12px; }
""".strip()
FOOTER = (
    "Times are those of the derived formulas of the algorithms' pages, in lock step: start-up of each message, bytes "
    "of the largest message of each step, additions. A range goes from the most favourable sizes of unions, lying "
    "evenly in the chunks, to the least favourable, as crowded as the fullest chunk that was measured."
)


def page(advice: Advice) -> str:
    """Return the whole page as HTML."""
    parts = [
        "<!doctype html>", '<html lang="en">', "<head>", '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        "<title>Which allreduce?</title>", f"<style>{STYLE}</style>", "</head>", "<body>", "<h1>Which allreduce?</h1>",
        described(heading(advice)), *(part for one in advice.answers for part in answer(one)),
        *measured(advice), f"<footer>{escape(FOOTER)}</footer>", "</body>", "</html>",
    ]  # fmt: skip
    return "\n".join(parts) + "\n"


def described(pairs: Iterable[tuple[str, str]]) -> str:
    """Return sentences as an HTML list, each with its subject."""
    return "<dl>" + "".join(f"<dt>{escape(name)}</dt><dd>{escape(told)}</dd>" for name, told in pairs) + "</dl>"


def answer(one: Answer) -> Iterator[str]:
    """Yield the HTML of the answer for one number of ranks."""
    yield f"<section><h2>{one.ranks} ranks: {escape(one.options[0].algorithm)}</h2>"
    most = max(option.time.high for option in one.options)
    rows = [[*map(escape, option_cells(option)), bar(option, most)] for option in one.options]
    yield table((*OPTIONS, ""), rows, bars=True)
    notes = [("reason", one.reason), ("fusion", planned(one))]
    notes += [("at least", told)] if (told := bounded(one)) else []
    notes += [("risk", f"{names}: {risk}") for names, risk in shared(one.options)]
    notes += [("left out", f"{name}: {why}") for name, why in one.left_out]
    yield described(notes) + "</section>"


def bar(option: Option, most: Fraction) -> str:
    """Return an SVG with a time as a bar, and its range."""
    low, expected, high = (100 * float(x / most) if most else 0 for x in option.time)
    told = f"{lasting(option.time.low)} to {lasting(option.time.high)}"
    return (
        f'<svg viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label="{told}">'
        f'<rect x="0" y="2" width="{expected:.2f}" height="6" fill="var(--bar)"/>'
        f'<rect x="{low:.2f}" y="0" width="{high - low:.2f}" height="10" fill="var(--band)" opacity=".6"/></svg>'
    )


def table(head: Iterable[str], rows: Iterable[list[str]], *, bars: bool = False) -> str:
    """Return a table of cells of HTML; ``bars``: the last cell of each row is a bar, and the first row stands out."""
    lines = ["<tr>" + "".join(f"<th>{escape(name)}</th>" for name in head) + "</tr>"]
    for place, cells_ in enumerate(rows):
        last = len(cells_) - 1
        inner = "".join(f"<td{' class=bar' * (bars and i == last)}>{cell}</td>" for i, cell in enumerate(cells_))
        lines.append(f"<tr{' class=first' * (bars and not place)}>{inner}</tr>")
    return f'<div class="wide"><table>{"".join(lines)}</table></div>'


def measured(advice: Advice) -> Iterator[str]:
    """Yield the HTML of the layers, and of the growth of the union of the workers' entries."""
    profile = advice.profile
    if profile.fused.growth.ranks > 1:
        yield "<h2>What the workers have in common</h2>"
        yield f"<figure>{curves(profile.fused.growth)}<figcaption>{escape(CAPTION)}</figcaption></figure>"
    if len(profile.layers) > 1:
        yield "<h2>Layers</h2>"
        yield table(COLUMNS, [[escape(cell) for cell in cells(one)] for one in (*profile.layers, profile.fused)])


CAPTION = (
    "Entries in the union of so many workers' largest entries: measured (line: mean, band: least to most), "
    "and the models, independent (dashed) and identical (dotted)."
)
WIDTH, HEIGHT, LEFT, RIGHT, ABOVE, BELOW = 640, 260, 70, 110, 12, 36


def curves(growth: Growth) -> str:
    """Return an SVG of union growth, measured and under the models."""
    p, most = growth.ranks, max(float(growth.high[-1]), float(growth.independent()[-1]), 1.0)

    def x(s: int) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (s - 1) / (p - 1)

    def y(size: Any) -> float:
        return HEIGHT - BELOW - (HEIGHT - ABOVE - BELOW) * float(size) / most

    def line(sizes: Iterable[Any], style: str, name: str) -> str:
        points = [(x(s), y(size)) for s, size in enumerate(sizes, 1)]
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
        label = f'<text x="{points[-1][0] + 8:.1f}" y="{points[-1][1] + 4:.1f}">{name}</text>'
        return f'<polyline points="{path}" fill="none" stroke="var(--bar)" {style}/>{label}'

    band = [f"{x(s):.1f},{y(size):.1f}" for s, size in enumerate(growth.high, 1)]
    band += [f"{x(s):.1f},{y(size):.1f}" for s, size in reversed([*enumerate(growth.low, 1)])]
    ticks = [f'<text x="{x(s):.1f}" y="{HEIGHT - 14}" text-anchor="middle">{s}</text>' for s in ticked(p)]
    ticks += [
        f'<text x="{LEFT - 8}" y="{y(size) + 4:.1f}" text-anchor="end">{float(size):,.0f}</text>'
        for size in (0, growth.mean[0], most)
    ]
    axis = f"M{LEFT},{ABOVE}V{HEIGHT - BELOW}H{WIDTH - RIGHT}"
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img" aria-label="union growth" '
        f'style="max-width:100%;height:auto"><path d="{axis}" fill="none" stroke="var(--line)"/>'
        f'<polygon points="{" ".join(band)}" fill="var(--band)" opacity=".5"/>'
        + line(growth.independent(), 'stroke-dasharray="6 4" opacity=".7"', "independent")
        + line(growth.identical(), 'stroke-dasharray="1 4" opacity=".7"', "identical")
        + line(growth.mean, 'stroke-width="2"', "measured")
        + "".join(ticks)
        + "</svg>"
    )


def ticked(p: int) -> list[int]:
    """Return the numbers of workers to label: all up to 16, else powers of two and the last."""
    return [*range(1, p + 1)] if p <= 16 else [*(1 << i for i in range(p.bit_length() - 1)), p]


def enveloped(advice: Advice) -> dict[str, Any]:
    """Return the advice as data: seconds and bytes as numbers, parts from 0 to 1."""
    profile, (machine, topology, nodes) = advice.profile, advice.place
    return {
        "source": profile.source, "density": float(profile.density), "dtypes": list(profile.dtypes),
        "width": profile.width, "workers": len(profile.fused.nonzero),
        "layers": [layer(one) for one in profile.layers], "fused": layer(profile.fused),
        "machine": machine.dump(), "topology": topology,
        "nodes": nodes and {"size": nodes.size, "within": nodes.inside.dump()},
        "answers": [answered(one) for one in advice.answers],
    }  # fmt: skip


def layer(one: Measured) -> dict[str, Any]:
    """Return the measurements of a layer as data."""
    growth = one.growth
    return {
        "name": one.name, "size": one.size, "nonzero": list(one.nonzero), "kept": list(growth.k),
        "norm_kept": list(one.kept), "shared": list(one.shared),
        "overlap": None if one.overlap is None else float(one.overlap),
        "union": {"low": list(growth.low), "mean": [float(size) for size in growth.mean], "high": list(growth.high)},
    }  # fmt: skip


def answered(one: Answer) -> dict[str, Any]:
    """Return an answer as data."""
    plan = one.plan
    return {
        "ranks": one.ranks, "algorithm": one.options[0].algorithm, "reason": one.reason,
        "options": [
            {
                "algorithm": option.algorithm, "sums": option.result, "messages": option.messages,
                "bytes": floats(option.nbytes), "seconds": floats(option.time), "startup": float(option.startup),
                "risks": list(option.risks),
            }
            for option in one.options
        ],
        "left_out": dict(one.left_out), "least": one.least and {
            "seconds": float(one.least.time), "cut": one.least.cut.name, "words": one.least.cut.words,
            "links": one.least.cut.links,
            "ratios": {option.algorithm: float(option.time.expected / one.least.time) for option in dense(one)}
            if one.least.time else {},
        },
        "fusion": {
            "buckets": [list(names) for names in plan.buckets], "least_entries": plan.least,
            "seconds": float(plan.time), "seconds_by_layer": float(plan.by_layer), "seconds_fused": float(plan.fused),
        },
    }  # fmt: skip


def floats(found: Range) -> dict[str, float]:
    """Return a range as numbers."""
    return {name: float(x) for name, x in found._asdict().items()}
