"""The floors of the house: what may import what, as import-linter sees it."""

from __future__ import annotations

import pytest

FLOORS = "Nothing imports a floor above its own"
DOOR = "No door between spec and impl"
PAGES = "Pages are plain arithmetic"
HANDED = "The kernel is handed what it judges by"
IMPLEMENTATIONS = "Implementations need numpy and mpi4py only"


FORBIDDEN = [
    ("spec/ring.py", "sparring.impl.ring", {FLOORS, DOOR}),
    ("impl/ring.py", "sparring.spec.ring", {FLOORS, DOOR}),
    ("spec/ring.py", "sparring.proofs.ring", {FLOORS}),
    ("impl/ring.py", "sparring.proofs.ring", {FLOORS}),
    ("proofs/ring.py", "sparring.cli.ring", {FLOORS}),
    ("sparring/errors.py", "sparring.spec.ring", {FLOORS}),
    ("spec/ring.py", "numpy", {PAGES}),
    ("spec/ring.py", "mpi4py.MPI", {PAGES}),
    ("impl/ring.py", "z3", {IMPLEMENTATIONS}),
    ("proofs/logic/part.py", "sparring.proofs.kernel.part", {"Inside the proofs"}),
    ("proofs/kernel/part.py", "sparring.proofs.mutants.part", {"Inside the proofs", HANDED}),
    ("proofs/kernel/part.py", "sparring.proofs.contention.part", {HANDED}),
    ("sparring/world/core/part.py", "sparring.world.interface.part", {"Inside the simulated MPI"}),
    ("sparring/costs/formulas/part.py", "sparring.costs.links.part", {"Inside the costs"}),
    ("sparring/schedules/program.py", "sparring.schedules.formats.part", {"Inside the schedules"}),
    ("sparring/checks/ranks/part.py", "sparring.checks.judges.part", {"Inside the checks"}),
    ("sparring/world/core/part.py", "sparring.world.core.circle", {"No circle"}),
]
ROOMS = {
    "proofs": ("logic", "contention", "mutants", "kernel"),
    "sparring/world": ("core", "interface"),
    "sparring/costs": ("formulas", "links"),
    "sparring/schedules": ("formats",),
    "sparring/checks": ("ranks", "judges"),
}
"""Those that have floors of their own, and some of these."""
RIGHTFUL = {
    "proofs": ("sparring.spec.ring", "sparring.impl.ring", "z3"),
    "impl": ("numpy", "mpi4py.MPI"),
    "spec": ("sparring.errors",),
    "sparring/cli": ("sparring.proofs.ring",),
}


def broken(house) -> set[str]:
    """The contracts that the house breaks."""
    done = house.run("lint-imports", "--no-cache")
    contracts = {line.partition(" BROKEN")[0] for line in done.stdout.splitlines() if " BROKEN" in line}
    assert done.returncode == bool(contracts), done.stdout
    return contracts


@pytest.fixture
def furnished(house):
    """A house with a page, an implementation, a proof and a command."""
    for room in RIGHTFUL:
        house.plant(f"{room}/__init__.py", '"""A room."""\n')
        house.plant(f"{room}/ring.py", '"""A part."""\n')
    for room, inner in ROOMS.items():
        house.plant(f"{room}/__init__.py", '"""A room."""\n')
        for one in inner:
            house.plant(f"{room}/{one}/__init__.py", '"""A room in it."""\n')
            house.plant(f"{room}/{one}/part.py", '"""A part."""\n')
    house.plant("sparring/world/core/circle.py", '"""A part."""\n\nimport sparring.world.core.part\n')
    return house


@pytest.mark.parametrize(("where", "imported", "contracts"), FORBIDDEN)
def test_a_forbidden_import_breaks_its_contract(furnished, where, imported, contracts):
    """One import too many, even inside a function, breaks the contract that forbids it and no other."""
    furnished.plant(where, f'"""A part."""\n\n\ndef use() -> None:\n    import {imported}\n')
    assert broken(furnished) == contracts


def test_what_is_rightful_and_what_is_no_way_round(furnished):
    """Downwards, and outwards where it is meant, imports are free.

    A page that reaches numpy through another module, and a module of the face that no layer names, break a contract.
    """
    for room, names in RIGHTFUL.items():
        furnished.plant(f"{room}/ring.py", '"""A part."""\n\n' + "".join(f"import {name}\n" for name in names))
    assert broken(furnished) == set()
    furnished.plant("spec/side.py", '"""A part."""\n\nimport numpy\n')
    furnished.plant("spec/ring.py", '"""A part."""\n\nimport sparring.spec.side\n')
    assert broken(furnished) == {PAGES}
    furnished.plant("sparring/attic.py", '"""A part."""\n')
    assert broken(furnished) == {PAGES, FLOORS}
