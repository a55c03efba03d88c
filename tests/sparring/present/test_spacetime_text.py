"""The terminal picture, read back character by character, shows the run and nothing else."""

from __future__ import annotations

import re
from math import ceil

import pytest
from syrupy.assertion import SnapshotAssertion

from sparring.api import page
from sparring.errors import InputError
from sparring.present.spacetime import terminal
from sparring.present.spacetime.history import Hop, cells, moments, share

RING = page("ring")
LEVELS = "·▁▂▃▄▅▆▇█"


def hops_of(drawing: str) -> list[Hop]:
    """The messages that a picture shows, by following every line from its sender to its head."""
    found, t = [], -1
    lines = drawing.splitlines()
    ranks = next(line for line in lines if line.startswith("rank"))
    at = {m.start() + len(m[0]) // 2: int(m[0]) for m in re.finditer(r"\d+", ranks)}
    for text in lines[lines.index(ranks) :]:
        t = int(step[1]) if (step := re.match(r"step (\d+) ", text)) else t
        for m in re.finditer(r"([├╞])([─═┼╪]*([+=])(\d+)[─═┼╪]*)▶(?: +(\d+))?", text):
            end = int(m[5]) if m[5] else at[m.end()]
            found.append(Hop(t, at[m.start()], end, int(m[4]), m[1] == "├" and m[3] == "+"))
        for m in re.finditer(r"◀[─═┼╪]*([+=])(\d+)[─═┼╪]*(?:([┤╡])| +(\d+))", text):
            begin = int(m[4]) if m[4] else at[m.end() - 1]
            found.append(Hop(t, begin, at[m.start() - 1], int(m[2]), m[1] == "+" and (m[3] or "┤") == "┤"))
    return sorted(found)


def bars_of(drawing: str, p: int) -> list[list[list[str]]]:
    """The heights of all bars: by step, rank and chunk."""
    rows = [line[8:].split() for line in drawing.splitlines() if re.fullmatch(r"(start|end|)\s+[·▁▂▃▄▅▆▇█ ]+", line)]
    flat = [[char for bar in row for char in (bar if len(bar) == p > 6 else bar[0])] for row in rows]
    return [[row[r * p : (r + 1) * p] for r in range(p)] for row in flat]


@pytest.mark.parametrize("p", range(2, 9))
@pytest.mark.parametrize("which", ["ring", "backwards", "direct"])
def test_every_message_is_drawn_once(which: str, p: int, request: pytest.FixtureRequest) -> None:
    """At 80 columns and up to 8 ranks the picture shows the messages of the run, each once, within its width."""
    drawn = RING if which == "ring" else request.getfixturevalue(which)
    drawing = terminal(drawn, p).plain
    assert hops_of(drawing) == sorted(hop for moment in moments(drawn, p) for hop in moment.hops)
    assert max(map(len, drawing.splitlines())) <= 80
    assert "Drawn:" not in drawing


@pytest.mark.parametrize("p", [2, 3, 4, 6, 7, 8])
def test_bars_are_as_high_as_copies_are_full(p: int) -> None:
    """Every bar's height is its copy's share of contributions, in eighths rounded up."""
    wanted = cells(RING, RING.goal, p)
    states = [cells(RING, RING.start, p), *(moment.cells for moment in moments(RING, p))]
    shares = [[[share(state[r][c], wanted[r][c]) for c in range(p)] for r in range(p)] for state in states]
    expected = [[[LEVELS[ceil(8 * full)] for full in row] for row in state] for state in shares]
    assert bars_of(terminal(RING, p).plain, p) == expected


@pytest.mark.parametrize(("p", "width"), [(9, 80), (8, 40), (32, 132)])
def test_large_pictures_say_what_they_leave_out(p: int, width: int) -> None:
    """With too many ranks the first ones are drawn, with every message that they send or receive."""
    drawing = terminal(RING, p, width).plain
    last = re.search(r"Drawn: ranks 0 to (\d+) of (\d+), their chunks 0 to \1, steps 0 to \1 of (\d+)\.$", drawing)
    assert last and (int(last[2]), int(last[3])) == (p, 2 * (p - 1))
    k = int(last[1]) + 1
    assert 3 < k < p
    shown = [hop for moment in list(moments(RING, p))[:k] for hop in moment.hops if min(hop.src, hop.dst) < k]
    assert hops_of(drawing) == sorted(shown)
    assert max(len(line) for line in drawing.splitlines()[2:-1]) <= width


def test_too_many_ranks_is_a_sentence() -> None:
    """Beyond 128 ranks there is no picture but the reason, at once."""
    assert terminal(RING, 100_000).plain == "No picture: 100000 ranks are too many to draw; right: 128 or fewer."


def test_one_rank_sends_nothing() -> None:
    """A page without steps says so."""
    assert terminal(RING, 1).plain == "No picture: ring sends nothing at 1 rank."


def test_no_rank_is_an_error() -> None:
    """At least one rank is needed."""
    with pytest.raises(InputError, match="ranks = 0; right: 1 or more"):
        terminal(RING, 0)


def test_plain_outputs_get_plain_characters() -> None:
    """For outputs without arrows the same picture is ASCII, line for line as wide."""
    fine, plain = terminal(RING, 4).plain, terminal(RING, 4, ascii_only=True).plain
    assert plain.isascii() and not fine.isascii()
    assert [len(line) for line in plain.splitlines()] == [len(line) for line in fine.splitlines()]


def test_picture_of_three_ranks(snapshot: SnapshotAssertion) -> None:
    """The picture as it stands; a change is to be looked at by a person."""
    assert terminal(RING, 3).plain == snapshot
