"""The simulated world finds every wrong program of the zoo, at the right line, and says nothing of the right ones."""

from pathlib import Path

import pytest
from zoo_classes import CLASSES
from zoo_parts import SHAPES, blamed, slug

from sparring import world
from sparring.world import Kind
from tests.sweeps import third

ROOT = Path(__file__).parents[2]
OTHERS = [shape for shape in SHAPES if shape != "alone"]


def findings(path, specimen, buffers):
    """What a run finds, or where messages race every run."""
    if specimen.kind is Kind.RACE:
        return [seen.what for seen in world.explore(f"{path}:main", specimen.ranks, buffers=buffers).findings]
    return world.run(f"{path}:main", specimen.ranks, buffers=buffers).findings


def missed(folder, specimens, shape):
    """With which buffers a fault is not found, or is called another, or stands at another line; the same one once."""
    for specimen in {one._replace(name="", good=""): one for one in specimens}.values():
        source = SHAPES[shape](specimen.bad)
        path = folder / f"{slug(specimen.name)}.py"
        path.write_text(source)
        lines = {f"{path.name}:{line}" for line in blamed(source)}
        for buffers in specimen.buffers:
            found = findings(path, specimen, buffers)
            if {finding.kind for finding in found} != {specimen.kind} or not {f.where for f in found} & lines:
                yield f"{specimen.name}, {shape}, {buffers}: {[str(f) for f in found]}"


def alarms(folder, specimens, shape):
    """What is said of the right twins, of which many are one."""
    for specimen in {(one.good, one.ranks): one for one in specimens}.values():
        path = folder / f"{slug(specimen.name)}_twin.py"
        path.write_text(SHAPES[shape](specimen.good))
        for buffers in ("synchronous", 1, "unbounded"):
            if found := world.run(f"{path}:main", specimen.ranks, buffers=buffers).findings:
                yield f"{specimen.name}, {shape}, {buffers}: {[str(f) for f in found]}"


@pytest.mark.parametrize("family", CLASSES)
def test_every_fault_is_found_with_its_kind_and_line(family, tmp_path):
    """Under each buffering with which it is a fault."""
    specimens = list(CLASSES[family]())

    assert specimens
    assert [*missed(tmp_path, specimens, "alone")] == []


@pytest.mark.parametrize("family", third(CLASSES))
def test_a_right_twin_raises_no_alarm(family, tmp_path):
    """Whatever MPI buffers."""
    assert [*alarms(tmp_path, CLASSES[family](), "alone")] == []


@pytest.mark.slow
@pytest.mark.parametrize("shape", OTHERS)
def test_elsewhere_in_a_program_it_is_the_same(shape, tmp_path):
    """Behind other messages, in another function, in a handler of exceptions: each fault in one of these."""
    specimens = [specimen for family in CLASSES.values() for specimen in family()][OTHERS.index(shape) :: len(OTHERS)]

    assert [*missed(tmp_path, specimens, shape)] == []
    assert [*alarms(tmp_path, specimens, shape)] == []


def test_names_are_different():
    """No specimen of a class hides another."""
    for family, specimens in CLASSES.items():
        names = [slug(specimen.name) for specimen in specimens()]
        assert len({*names}) == len(names), family


def test_one_sided_communication_is_refused_by_name():
    """The classes about windows do not apply: the world has none, and says so."""

    def program(comm):
        from mpi4py import MPI

        MPI.Win.Allocate(8, comm=comm)

    found = world.run(program, 2).findings
    assert {finding.kind for finding in found} == {Kind.UNSUPPORTED} and "MPI.Win" in found[0].text


def test_the_documentation_counts_right():
    """Its table is that of the specimens."""
    rows = [f"| {family} | {len(list(specimens()))} |" for family, specimens in CLASSES.items()]
    page = (ROOT / "docs" / "reference" / "zoo.md").read_text(encoding="utf-8")

    assert [row for row in rows if row not in page] == []
