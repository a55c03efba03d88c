"""The terminal's pictures of a divergence, read as text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from sparring.present.divergence import terminal
from sparring.present.spacetime.history import NOTHING

Cases = Callable[..., Any]


def pictures(drawing: str) -> list[str]:
    """The lines from the first heading on."""
    lines = drawing.splitlines()
    return lines[next(i for i, line in enumerate(lines) if line.strip().startswith("the page")) :]


def marks(drawing: str) -> list[tuple[str, str]]:
    """Step and label of every arrow that is marked as wrong or missing."""
    found, step = [], ""
    for line in pictures(drawing):
        step = line.split()[1] if line.startswith("step") else step
        found += [(step, label) for label in re.findall(rf"\[\d+\]!|{NOTHING}", line)]
    return found


@pytest.mark.parametrize("fault", ["chunk", "peer", "missing", "extra", "self", "library"])
@pytest.mark.parametrize("p", [2, 3, 4, 8])
def test_one_arrow_is_marked(fault: str, p: int, case: Cases) -> None:
    """Without colour, too, exactly one arrow is marked, in the step of the fault, and no line is too long."""
    if p == 2 and fault in {"peer", "extra"}:
        fault = "self"  # with two ranks the other neighbour is the same one
    made = case(fault, 1, 1, p)
    drawing = terminal(*made).plain
    ((step, label),) = marks(drawing)
    surplus = made.divergence.chunks is None  # the third message of its sender
    assert int(step) == (2 if surplus else made.divergence.step) == (2 if surplus else 0 if fault == "library" else 1)
    assert (label == NOTHING) is made.divergence.observed.startswith("sends no")
    assert max(map(len, pictures(drawing))) <= 80


def test_wrong_is_red(case: Cases) -> None:
    """In colour, the marked arrow and the sentence are red, and nothing else."""
    made = case("chunk", 1, 2)
    drawing = terminal(*made)
    red = "".join(drawing.plain[span.start : span.end] for span in drawing.spans if "red" in str(span.style))
    assert re.fullmatch(re.escape(str(made.divergence)) + r"━━\[\d+\]!━━▶ *┝━\[\d+\]!━▶", red)


@pytest.mark.parametrize(
    ("p", "width", "beside"), [(4, 80, True), (5, 80, False), (8, 80, False), (8, 160, True), (2, 40, False)]
)
def test_side_by_side_where_there_is_room(p: int, width: int, beside: bool, case: Cases) -> None:
    """Both pictures stand beside each other if eight columns remain for each rank, else one below the other."""
    drawing = terminal(*case("chunk", 0, 1, p), width=width).plain
    assert any("the page" in line and "observed" in line for line in pictures(drawing)) is beside
    assert max(map(len, pictures(drawing))) <= width


def test_little_room_leaves_ranks_out(case: Cases) -> None:
    """In 40 columns four ranks are drawn, those next to the fault, and the others are named."""
    drawing = terminal(*case("chunk", 0, 7, p=8), width=40).plain
    assert re.search(r"rank +6 +7 +0 +1$", drawing, re.MULTILINE)
    assert drawing.endswith("ranks 2 to 5, with all messages from and to them.")
    assert len(marks(drawing)) == 1


def test_plain_outputs_get_plain_characters(case: Cases) -> None:
    """For outputs without arrows the same picture is ASCII, whatever a file is called."""
    made = case("chunk", 1, 2)
    fine, plain = (terminal(*made, ascii_only=only).plain.splitlines() for only in (False, True))
    assert [len(line) for line in fine] == [len(line) for line in plain]
    strange = made._replace(divergence=made.divergence._replace(where="\N{SNOWMAN}.py:3"))
    assert terminal(*strange, ascii_only=True).plain.isascii()


def test_picture_of_a_wrong_neighbour(case: Cases, snapshot: SnapshotAssertion) -> None:
    """The picture as a whole; update it with pytest --snapshot-update after looking at it."""
    assert terminal(*case("peer", 1, 1, p=3)).plain == snapshot
