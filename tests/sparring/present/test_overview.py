"""What ``verify`` looks like: rows that fit, signs that mean what they say, and whatever is wrong in full."""

from __future__ import annotations

from collections import Counter

import pytest

from sparring.present import overview
from sparring.present.overview import Overview
from sparring.proofs.logic import verdicts
from sparring.proofs.logic.verdicts import (
    EXPECTED,
    NOT_COVERED,
    PROVED,
    PROVED_BELOW,
    REFUTED,
    UNDECIDED,
    Word,
    proved_up_to,
)
from sparring.report import GROUPS, MEANT, PROPERTIES, SIGNS, Report, Result
from sparring.verification.selector import SELECTING

NAMES = ("ring", "recursive_doubling_allgather", "wrong")
SEEN = {
    "ring": {"result": PROVED, "agreement": PROVED, "contention": PROVED_BELOW, "timing": proved_up_to(32),
             "terms": proved_up_to(16), "steps": verdicts.tested(9)},
    "recursive_doubling_allgather": {"result": PROVED, "contention": EXPECTED, "timing": NOT_COVERED,
                                     "sizes": NOT_COVERED, "dtypes": verdicts.tested(8)},
    "wrong": {"result": PROVED, "terms": UNDECIDED, "steps": REFUTED, "dtypes": verdicts.tested(8)},
}  # fmt: skip


def results(name):
    return [Result(name, prop, verdict, f"why {prop}") for prop, verdict in SEEN[name].items()]


def screen(width, encoding="utf-8"):
    """All lines."""
    look = Overview(NAMES, width, encoding)
    lines = [look.head()]
    for name in NAMES:
        lines += [look.row(name, results(name), 12.3), *overview.against(results(name))]
    return "\n".join(line.plain.rstrip() for line in (*lines, *look.legend()))


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_screens(width, snapshot):
    """Rows are no wider than the terminal; heads are as long as there is room for."""
    text = screen(width)

    assert text == snapshot
    rows = [line for line in text.splitlines() if line.split()[0] in (*NAMES, "algorithm")]
    assert len(rows) == 4 and max(map(len, rows)) <= width


def test_plain_ascii_where_the_encoding_asks():
    """Each sign has another one."""
    assert screen(80, "ascii").isascii() and not screen(80).isascii()
    for at in (0, 1):
        alike = Counter(signs[at] for signs in SIGNS.values())
        assert {sign for sign, many in alike.items() if many > 1} == {
            SIGNS[w][at] for w in (Word.PROVED, Word.PROVED_UP_TO, Word.UNDECIDED)
        }
    assert {signs[0] for signs in SIGNS.values()} == {*MEANT}


def test_every_property_is_in_one_group():
    """Those of algorithms and those of selectors."""
    found = Counter(prop for group in GROUPS.values() for prop in group)

    assert {*found} == {*PROPERTIES, *SELECTING} and {*found.values()} == {1}


def test_a_sign_is_the_weakest_and_tells_what_was_left_out():
    """What was not asked for is not left out."""
    look = Overview(("ring",))
    some = [Result("ring", "terms", proved_up_to(3)), Result("ring", "selection", PROVED)]
    left = Result("ring", "terms", NOT_COVERED, "why")

    assert look.sign(some)[0] == "≤"
    assert look.sign([*some, left])[0] == "≤-"
    assert look.sign([left])[0] == "-"
    assert look.sign([*some, left._replace(detail="not asked for: --on mpi")])[0] == "≤"
    assert look.sign([*some, left, left._replace(verdict=REFUTED)])[0] == "✗-"


def summed(names, selectors=(), kept=()):
    """The summary's lines, of more reasons than there is room for."""
    gaps = [Result("ring", prop, NOT_COVERED, f"reason {i % 6}") for i, prop in enumerate(PROPERTIES)]
    done = [Result("ring", "result", PROVED), Result("ring", "contention", EXPECTED)]
    extra = {"algorithms": dict.fromkeys(names), "selectors": dict.fromkeys(selectors), "kept": [*kept]}
    return len(gaps), [*overview.summary(Report("verify", [*done, *gaps], (), 361, extra), 80)]


def test_the_summary_has_five_lines():
    """By reason and count, the most frequent first."""
    gaps, lines = summed(["ring"])

    assert lines[0] == "holds: 1 algorithm; 1 proved, 1 expected (361 s)"
    assert [line.split(" x ")[0] for line in lines[1:4]] == ["5", "5", "4"]
    assert lines[4:] == [f"{gaps - 14} x not covered for 3 other reasons: sparring verify NAME"]
    assert max(map(len, lines)) <= 80


def test_thirty_have_room_in_a_terminal_of_40_lines():
    """With their head, the legend, what was kept, and the line on which the shell asks for more."""
    names = [f"algorithm {i}" for i in range(26)], [f"selector {i}" for i in range(4)]
    _, lines = summed(*names, names[0])

    assert lines[0].startswith("holds: 26 algorithms, 4 selectors; ")
    assert lines[1] == "= 26 found by an earlier run of the same code: --no-cache judges anew"
    assert 1 + 30 + len([*Overview(("ring",)).legend()]) + len(lines) + 1 <= 40
