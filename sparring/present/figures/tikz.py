"""A figure as TikZ: a ``tikzpicture`` to be read with a paper, in the paper's own fonts.

How everything looks is said by styles on top, and nowhere else: who wants other colours changes them there.
"""

from __future__ import annotations

import re

from sparring.present.figures.parts import Bars, Part, Sheet, Stroke, Words
from sparring.present.spacetime.strokes import COLOURS, FAINT, RED, RULE

STYLES = r"""
  x=1in, y=-1in, line cap=round,
  every node/.style={font=\scriptsize, inner sep=0pt},
  lifeline/.style={line width=0.4pt, rule},
  floor/.style={line width=0.4pt, faint},
  adds/.style={line width=0.8pt},
  overwrites/.style={line width=0.8pt, dash pattern=on 2.4pt off 1.8pt},
  head/.style={-stealth},
  rank/.style={font=\scriptsize\bfseries},
  time/.style={right, font=\scriptsize\bfseries},
  note/.style={right, font=\tiny, faint},
  begins/.style={right=2pt, font=\tiny, faint},
  ends/.style={left=2pt, font=\tiny, faint},
  tag/.style={fill=white, text=black, draw, line width=0.6pt, rounded corners=2.5pt, inner xsep=1.6pt,
    inner ysep=1.4pt, font=\tiny\bfseries},
  node/.style={circle, draw, line width=0.5pt, fill=white, minimum size=11pt, font=\tiny},
  full/.style={circle, fill=rule, minimum size=11pt, font=\tiny\bfseries},
  small/.style={font=\tiny, faint},"""
FAULTS = r"""
  expected/.style={line width=1.6pt},
  other/.style={line width=0.8pt},
  wrong/.style={line width=1.6pt, alarm},
  missing/.style={line width=1.6pt, alarm, dash pattern=on 0.1pt off 2.4pt},
  fault/.style={fill=alarm, text=white, rounded corners=2.5pt, inner xsep=1.6pt, inner ysep=1.4pt,
    font=\tiny\bfseries},"""
"""The styles of a run that leaves its page, which other figures do without."""


CHUNKS = ("adds", "overwrites", "expected", "other")
"""The styles of lines in their chunk's colour."""


def tikz(sheet: Sheet) -> str:
    """Return the sheet as LaTeX source, which needs the package tikz alone.

    Colours are those that the picture needs: ``chunk0`` and so on, which colour-blind readers tell apart.
    """
    used = sorted({part.chunk % len(COLOURS) for part in sheet.parts if not isinstance(part, Words)})
    colours = {"rule": RULE, "faint": FAINT} | {f"chunk{i}": COLOURS[i] for i in used}
    faulty = any(f"\n  {part.style}/" in FAULTS for part in sheet.parts if not isinstance(part, Bars))
    colours |= {"alarm": RED} if faulty else {}
    head = [
        f"% {escaped(sheet.title)}, {sheet.width:g} in wide.  In the preamble: \\usepackage{{tikz}}",
        rf"\begin{{tikzpicture}}[{STYLES}{FAULTS if faulty else ''}",
        "]",
        *(rf"\definecolor{{{name}}}{{HTML}}{{{colour[1:].upper()}}}" for name, colour in colours.items()),
        rf"\useasboundingbox (0, 0) rectangle ({sheet.width:g}, {sheet.height:.3f});",
    ]
    return "\n".join([*head, *map(drawn, sheet.parts), r"\end{tikzpicture}%", ""])


def drawn(part: Part) -> str:
    """Return a part as a statement; bars are one together, since TeX takes long for many."""
    if isinstance(part, Bars):
        boxes = (f"{at(x, y)} rectangle +{at(width, height)}" for x, y, width, height in part.boxes)
        return rf"\fill[chunk{part.chunk % len(COLOURS)}] " + "\n  ".join(boxes) + ";"
    if isinstance(part, Stroke):
        look = [part.style, *(["head"] if part.head else []), *colour(part)]
        return rf"\draw[{', '.join(look)}] " + way(part) + ";"
    look = [part.style, *colour(part)]
    return rf"\node[{', '.join(look)}] at {at(part.x, part.y)} {{{escaped(part.text)}}};"


def way(part: Stroke) -> str:
    """Return the points of a line, or the curve with the same ends and slopes there as the quadratic one."""
    if part.via is None:
        return " -- ".join(at(*point) for point in part.points)
    start, end = part.points
    first, second = (at(*(u + 2 / 3 * (v - u) for u, v in zip(end_, part.via))) for end_ in (start, end))
    return f"{at(*start)} .. controls {first} and {second} .. {at(*end)}"


def colour(part: Stroke | Words) -> list[str]:
    """Return the colour of a message and of its label; others have that of their style."""
    own = f"chunk{part.chunk % len(COLOURS)}"
    return {**{style: [own] for style in CHUNKS}, "tag": [f"draw={own}"]}.get(part.style, [])


def at(x: float, y: float) -> str:
    """Return a point, to a thousandth of an inch.

    >>> at(1, 0.12345)
    '(1.000, 0.123)'
    """
    return f"({x:.3f}, {y:.3f})"


def escaped(text: str) -> str:
    r"""Return a text in one line so that LaTeX sets it as it is, but for signs that are no plain text there.

    >>> escaped("ring_sparse at 100 %")
    'ring\\_sparse at 100 \\%'
    """
    return re.sub(r"([$&#%_])", r"\\\1", " ".join(re.sub(r"[\\{}^~]", " ", text).split()))
