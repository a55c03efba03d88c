"""Advice as a picture: for each number of ranks the algorithms, fastest first, with time and its range.

Filled bars sum all entries, hatched ones those that are kept, open ones such that are cut on the way:
nothing is said by colour alone.  Needs matplotlib, and leaves its settings and its windows alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparring.advising.advice import Advice, Answer, Option
from sparring.advising.amounts import lasting
from sparring.present.crossing import check, write_picture
from sparring.present.growth import GREY, INK, PENS, settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LOOKS: dict[str, dict[str, Any]] = {
    "all": {"facecolor": PENS[0][0], "edgecolor": PENS[0][0]},
    "kept": {"facecolor": "white", "edgecolor": PENS[2][0], "hatch": "////"},
    "cut": {"facecolor": "white", "edgecolor": GREY},
}
LEGEND = {"all": "sums all entries", "kept": "what each worker keeps", "cut": "what is cut again on the way"}
WIDTH, BAR, MARGIN = 7.2, 0.27, 0.75  # inches: of the sheet, of a bar, beside a panel's bars


def save(advice: Advice, file: Path) -> None:
    """Draw into ``file``, a .svg, .png or .pdf; raises InputError for another or where it cannot be written."""
    check(file)
    write_picture(figure(advice), file)


def figure(advice: Advice) -> Figure:
    """Return the bars as matplotlib's figure; raises MissingExtra without matplotlib."""
    with settings():
        from matplotlib.figure import Figure
        from matplotlib.patches import Patch

        rows = [len(answer.options) for answer in advice.answers]
        heights = [BAR * many + MARGIN for many in rows]
        sheet = Figure((WIDTH, sum(heights) + MARGIN), layout="constrained")
        panels = sheet.subplots(len(rows), 1, squeeze=False, height_ratios=heights)[:, 0]
        for axes, answer in zip(panels, advice.answers):
            draw(axes, answer)
        panels[-1].set_xlabel("time in lock step; line: from the least to the most")
        used = {option.result for answer in advice.answers for option in answer.options}
        handles = [Patch(label=LEGEND[result], **look) for result, look in LOOKS.items() if result in used]
        sheet.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False)
        return sheet


def draw(axes: Axes, answer: Answer) -> None:
    """Draw a panel."""
    from matplotlib.ticker import EngFormatter, MaxNLocator

    for place, option in enumerate(answer.options):
        low, expected, high = map(float, option.time)
        axes.barh(place, expected, height=0.7, linewidth=1, **LOOKS[option.result])
        axes.plot([low, high], [place, place], color=INK, linewidth=2, solid_capstyle="butt")
        axes.annotate(
            format_time(option), (max(high, expected), place), (5, 0), textcoords="offset points", va="center"
        )
    axes.set_yticks(range(len(answer.options)), [option.algorithm for option in answer.options])
    axes.invert_yaxis()
    axes.margins(x=0.16)
    axes.set_xlim(left=0)
    axes.xaxis.set_major_locator(MaxNLocator(6))
    axes.xaxis.set_major_formatter(EngFormatter("s"))
    axes.set_title(f"{answer.ranks} ranks")


def format_time(option: Option) -> str:
    """Return a time in words, and its range if it has one."""
    low, expected, high = map(lasting, option.time)
    return expected if low == high else f"{expected}  ({low} .. {high})"
