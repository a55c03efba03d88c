"""From times of a known machine to its profile; nothing here depends on how fast anything is."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from sparring.calibration import predicting
from sparring.calibration.profile import CROWDED, profile
from sparring.calibration.quantities import EXCHANGED, REDUCED, WORKED, quantities
from sparring.costs.links.machines import Kind, Machine, Table
from sparring.errors import InputError
from sparring.spec.core import pages
from tests.sparring.calibration.known_times import ALPHA, BETA, EACH, GAMMA, made


def profiled(*known: Any) -> Any:
    """The machine; that it was measured need not be said everywhere."""
    return profile(*known)


def derived(name: str) -> Any:
    """What an algorithm costs."""
    return predicting.cost(pages.find(name))


def near(machine):
    """Whether it is the known one."""
    letters = [float(x) for x in machine.letters.values()]
    return letters == pytest.approx([ALPHA, BETA, GAMMA], rel=0.03)


def test_the_known_machine_is_found(known):
    """Its letters, within their own intervals, and its work on entries."""
    assert near(known)
    for letter, (low, high) in known.measured.intervals.items():
        assert low <= known.letters[letter] <= high and 0 < low < high
    for kind, table in known.work.items():
        assert [size for size, _ in table] == WORKED
        assert [each for _, each in table] == pytest.approx([EACH[kind]] * len(WORKED), rel=0.05)


def test_every_second_size_is_held_out_and_no_algorithm_is_fitted(known):
    timed = known.measured.timed
    for what in ("exchange", "add"):
        fitted, held = ({t.size for t in timed if t.what == what and t.fitted == seen} for seen in (True, False))
        assert fitted and held and not fitted & held and min(fitted) < min(held) and max(held) < max(fitted)
    assert not any(t.fitted for t in timed if t.what == "algorithm")


def test_held_out_sizes_do_not_move_the_fit():
    """Whatever they are."""
    times, asked, found = made(4, [(4, 4)], ("ring",))
    moved = [
        [9.0 if q.what in ("exchange", "add") and not q.fitted else t for q, t in zip(asked, row)]
        for row in times.rounds
    ]
    first, second = (
        profiled(msgspec.structs.replace(times, rounds=rows), asked, found) for rows in (times.rounds, moved)
    )
    assert first == second and first.measured.intervals == second.measured.intervals
    worst = max(abs(t.error) for t in second.measured.timed if t.what == "exchange" and not t.fitted)
    assert worst > 0.99


def test_held_out_sizes_are_judged(known):
    """The known machine's lie on the line."""
    errors = [t.error for t in known.measured.timed if t.what in ("exchange", "add") and not t.fitted]
    assert len(errors) > 20 and max(map(abs, errors)) < 0.06


@pytest.mark.parametrize("slower", [1.0, 1.25])
def test_the_error_of_an_algorithm_is_by_how_much_it_is_mispredicted(slower):
    """Times that are a factor above the prediction are told as such."""
    times, asked, found = made(4, [(4, 4)], ("ring", "ring_allgather"))
    first = profiled(times, asked, found)
    predicted = {(t.algorithm, t.size): t.predicted for t in first.measured.timed}
    rows = [
        [predicted[q.algorithm, q.size] * slower if q.algorithm else t for q, t in zip(asked, row)]
        for row in times.rounds
    ]
    again = profiled(msgspec.structs.replace(times, rounds=rows), asked, found)
    errors = [t.error for t in again.measured.timed if t.what == "algorithm"]
    assert errors == pytest.approx([1 / slower - 1] * 2 * len(REDUCED), abs=1e-3)


@pytest.mark.parametrize(("hosts", "crowded"), [([(4, 4)], False), ([(2, 2), (2, 2)], False), ([(3, 2), (1, 8)], True)])
def test_more_ranks_than_cores_of_a_host_are_told(hosts, crowded):
    """Also where another host has cores to spare."""
    machine = profiled(*made(4, hosts, ("ring",)))
    assert machine.measured.crowded is crowded and (CROWDED in machine.source) is crowded
    assert (machine.measured.ranks, machine.measured.hosts) == (4, len(hosts))


def test_what_was_measured_too_seldom_is_told():
    times, asked, found = made(2, [(2, 2)], ("ring",))
    rows = [[None if i > 1 and j == 5 else t for j, t in enumerate(row)] for i, row in enumerate(times.rounds)]
    with pytest.raises(InputError, match=r"1 of [0-9]+ calls were timed fewer than 3 times, exchange of 128 bytes"):
        profiled(msgspec.structs.replace(times, rounds=rows), asked, found)
    with pytest.raises(InputError, match="right: more --seconds"):
        profiled(msgspec.structs.replace(times, rounds=[]), asked, found)


def test_a_profile_is_a_machine_file(known, tmp_path):
    """All of it comes back."""
    file = tmp_path / "known.json"
    known.save(file)
    read = Machine.load(file)
    assert read == known and (read.work, read.measured, read.source) == (known.work, known.measured, known.source)


def test_sizes_suit_any_number_of_ranks():
    """Lengths and kept entries are divided by ``p``, so costs that hold only there are judged."""
    for p in (2, 3, 7, 12):
        asked = quantities(p, [pages.find("ring_topk")])
        whole: list[Any] = [q for q in asked if q.what == "algorithm"]
        assert all(q.size % p == 0 == q.k % p and 0 < q.k <= q.size for q in whole)
        assert {q.distance for q in asked if q.what == "exchange"} == {d for d in (1, 2, 4, 8) if d < p}
        assert max(q.size for q in asked if q.what == "exchange") == EXCHANGED[-1]


WORK: dict[Kind, Table] = {"select": [(1, 3e-9)], "merge": [(1, 2e-8)], "pack": [(1, 7e-9)]}
MACHINE = Machine(5e-6, 2e-10, 5e-10, work=WORK)


@pytest.mark.parametrize(
    ("name", "right"),
    [
        # six hops with a quarter of 4000 entries each, of 4 bytes; three of them add
        ("ring", 6 * (5e-6 + 2e-10 * 4000) + 3 * 5e-10 * 1000),
        # three hops with 40 entries of 8 bytes; 160 are added in the end, 40 are packed
        ("ring_allgather", 3 * (5e-6 + 2e-10 * 320) + 160 * 2e-8 + 40 * 7e-9),
        # six hops with 10 entries of 8 bytes; 30 are added in passing; every entry is selected once
        ("ring_topk", 6 * (5e-6 + 2e-10 * 80) + 30 * 5e-10 + 4000 * 3e-9 + 60 * 7e-9),
    ],
)
def test_predictions_by_hand(name, right):
    """Of 4 ranks with 4000 entries, of which 40 are kept."""
    k = None if name == "ring" else 40
    assert predicting.seconds(MACHINE, derived(name), 4, 4000, k) == pytest.approx(right, rel=1e-12)


def test_a_sparse_ring_is_its_derived_cost_and_the_work_on_entries():
    """Of which every entry that comes and the rank's own part are merged, and every message is packed."""
    cost = derived("ring_sparse")
    point = cost.at(p=4, n=4000, k=40, alpha=5e-6, beta=2e-10)
    right = float(point.time) + 2e-8 * float(point.added + 30) + 7e-9 * float(point.pairs / 2)
    assert predicting.seconds(MACHINE, cost, 4, 4000, 40) == pytest.approx(right, rel=1e-12)
