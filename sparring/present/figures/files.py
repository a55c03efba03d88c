"""Draws a view of a page's run into a file, in the format that its name says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeAlias

from sparring.errors import InputError
from sparring.present.crossing import write_picture
from sparring.present.figures import matrix, ring, spacetime
from sparring.present.figures.parts import COLUMN, Sheet
from sparring.present.figures.printed import figure
from sparring.present.figures.tikz import tikz
from sparring.present.spacetime.drawing import svg
from sparring.present.spacetime.history import Moment, count, moments
from sparring.spec.core.model import Page

WIDTHS = (1.0, 40.0)
"""The least and the most inches that a picture may be wide."""
View: TypeAlias = Callable[[Page, list[Moment], int, float], Sheet]
SPACETIME = "spacetime"
VIEWS: dict[str, View] = {"ring": ring.sheet, "matrix": matrix.sheet}
"""The views that show steps one by one or added up, beside the space-time picture."""
MOST = 64
"""Ranks at most of these."""


class Drawing(NamedTuple):
    """How a run is drawn: in which view, how many inches wide (None: a column), and which step (None: all)."""

    view: str = SPACETIME
    width: float | None = None
    step: int | None = None

    def check(self) -> None:
        """Raise InputError for a width that no picture has, or a step where all are drawn."""
        if self.width is not None and not WIDTHS[0] <= self.width <= WIDTHS[1]:
            raise InputError(f"--width {self.width:g}: right is {WIDTHS[0]:g} to {WIDTHS[1]:g} inches")
        if self.step is not None and self.view == SPACETIME:
            raise InputError("--step: the space-time picture shows all steps; right: with --view ring or matrix")

    def sheet(self, page: Page, ranks: int) -> Sheet:
        """Return the picture of the run of ``page`` on so many ranks.

        Raises InputError for one that would be illegible, ScheduleFault where the page makes no schedule.
        """
        if self.view == SPACETIME:
            return spacetime.sheet(page, ranks, self.width or COLUMN)
        if ranks > MOST:
            raise InputError(f"no legible picture of {ranks} ranks; right: 1 to {MOST}")
        run = [moment for moment in moments(page, ranks) if moment.hops]
        return VIEWS[self.view](page, self.chosen(run), ranks, self.width or COLUMN)

    def chosen(self, run: list[Moment]) -> list[Moment]:
        """Return the one step that is asked for, or all; raise InputError where there is none."""
        if self.step is None:
            return run
        found = [moment for moment in run if moment.hops[0].t == self.step]
        if not found:
            raise InputError(f"--step {self.step}: the run has {count(len(run), 'step')}, numbered from 0")
        return found


COMMON = Drawing()
"""The space-time picture, as wide as a column."""


def save(page: Page, ranks: int, file: Path, drawing: Drawing = COMMON) -> None:
    """Draw the run of ``page`` into ``file``: a .svg for a screen, or for a paper a .pdf, a .png or a .tex of TikZ.

    Raises InputError for another name, a width or a step that does not fit, or a file that cannot be written;
    ScheduleFault where the page makes no schedule.
    """
    drawing.check()
    screen = file.suffix == ".svg" and drawing.view == SPACETIME
    if screen and drawing.width is not None:
        raise InputError(f"--width: {file} is for screens, which scale it; right: a .pdf, .png or .tex")
    if screen:
        write(file, svg(page, ranks))
    elif file.suffix in (".svg", ".pdf", ".png"):
        write_picture(figure(drawing.sheet(page, ranks)), file)
    elif file.suffix == ".tex":
        write(file, tikz(drawing.sheet(page, ranks)))
    else:
        raise InputError(f"{file}: the name of a figure ends in .svg, .pdf, .png or .tex")


def write(file: Path, text: str) -> None:
    """Write a text; raise InputError where that cannot be."""
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}") from error
