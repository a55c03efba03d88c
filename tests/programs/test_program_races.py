"""Every schedule of whole programs: as they are they have one result; a planted race is shown by the fewest choices."""

from pathlib import Path

import pytest

from sparring import world
from sparring.world import Kind
from sparring.world.exploration import content

PROGRAMS = Path(__file__).parent
SMALL = {
    "master_worker": [("PIECES = 24", "PIECES = 3"), ("np.arange(1000) + 0.5) / 1000", "np.arange(10) + 0.5) / 10")],
    "halo_exchange": [("SIDE, STEPS = 12, 10", "SIDE, STEPS = 8, 2")],
    "pipelined_broadcast": [("LENGTH, SEGMENT, TAG = 1000, 96, 7", "LENGTH, SEGMENT, TAG = 6, 2, 7")],
}
"""What makes the programs so short that all schedules can be gone through."""
EARLY_END = """\
        kept.append(segment)
        if comm.rank == 2 and len(kept) == 1:
            early = comm.Isend(np.empty(0, "i"), 1, TAG)
"""
LATE_END = """\
    if comm.rank == 1:
        comm.Recv(np.empty(0, "i"), 2, TAG)
    elif comm.rank == 2:
        early.Wait()
    whole"""
ANYBODY = """\
    (up, down), here = grid.Shift(0, 1), MPI.PROC_NULL
    anyone, anybody = (here if peer == here else MPI.ANY_SOURCE for peer in (up, down))
    flat, width"""
RACES = {
    "master_worker": [
        ("sum(areas[i] for i in range(PIECES)), 9)\n\n\ndef w", "next(iter(areas.values())), 9)\n\n\ndef w")
    ],
    "halo_exchange": [
        ("MPI.Compute_dims(comm.size, [0, 0])", "[comm.size, 1]"),
        ("_init([row[rows + 1], columns, MPI.DOUBLE], down", "_init([row[rows + 1], columns, MPI.DOUBLE], anybody"),
        ("Recv_init([row[0], columns, MPI.DOUBLE], up, 1)", "Recv_init([row[0], columns, MPI.DOUBLE], anyone, 0)"),
        ("down, 1)", "down, 0)"),
        ("    flat, width", ANYBODY),
    ],
    "pipelined_broadcast": [
        ("        kept.append(segment)\n", EARLY_END),
        ("    whole", LATE_END),
        ("comm.Probe(before, TAG", "comm.Probe(MPI.ANY_SOURCE if comm.rank == 1 else before, TAG"),
        ("comm.Recv(segment, before", "comm.Recv(segment, status.Get_source()"),
    ],
}  # fmt: skip
"""The first result counts, whoever sent it; a halo takes the row of any neighbour; an early word is taken for the
stream's end."""


def explored(folder, name, changes):
    """The program with these changes, and all its schedules on three or four ranks."""
    source = (PROGRAMS / f"{name}.py").read_text()
    for old, new in changes:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    target = folder / f"{name}_changed.py"
    target.write_text(source)
    p = 3 if name == "master_worker" else 4
    return f"{target}:main", p, world.explore(f"{target}:main", p, buffers="synchronous", runs=2000)


@pytest.mark.parametrize("name", SMALL)
def test_a_right_program_has_one_result(name, tmp_path):
    """Whatever MPI chooses."""
    _, _, seen = explored(tmp_path, name, SMALL[name])

    assert seen.exhausted and len(seen.results) == 1 and seen.findings == ()


@pytest.mark.parametrize("name", SMALL)
def test_a_planted_race_is_found_and_replayed(name, tmp_path):
    """With fewest choices: without the last of them it does not show."""
    target, p, seen = explored(tmp_path, name, SMALL[name] + RACES[name])
    found = min(seen.findings, key=lambda f: len(f.choices))
    usual, shown = (world.run(target, p, choices=choices) for choices in ((), found.choices))

    if found.what.kind is Kind.RACE:
        assert content(shown.results) != content(usual.results) and not shown.findings
    else:
        assert found.what in shown.findings and (found.what in usual.findings) == (not found.choices)
    assert found.choices or seen.results  # the usual schedule may be the wrong one
    assert all(not world.run(target, p, choices=found.choices[:i]).findings for i in range(len(found.choices)))
