"""``sparring new``: what it writes is right as it stands, and wrong once a fault is planted in it."""

from __future__ import annotations

import ast
import doctest
import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import click
import pytest

import sparring
from sparring.checks.ranks import launch
from sparring.checks.ranks.group import Group
from sparring.cli import cli
from sparring.refinement import comparison, running
from sparring.spec.core.modules import from_file
from tests.sparring.calling import called, envelope_of, refused
from tests.sweeps import sweep, third

HOWTO = Path(__file__).parents[2] / "docs" / "howto" / "add_an_algorithm.md"


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """A new page in an empty folder, its implementation beside it."""
    monkeypatch.chdir(tmp_path)
    assert called("new", "mine.py", "--impl")[0] == 0
    return tmp_path / "mine.py"


@pytest.fixture
def impl(mine):
    """The implementation."""
    return mine.with_name("mine_impl.py")


def plant(file, old, new):
    """Replace the one place in which ``old`` stands."""
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), encoding="utf-8")


def imported(file):
    """The top-level packages that a file imports, those for type checkers included."""
    nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    return {name.split(".")[0] for name in [*names, *(n.module or "" for n in nodes if isinstance(n, ast.ImportFrom))]}


@pytest.mark.parametrize("flags", sweep([[], ["--impl"]], few=[["--impl"]]), ids=["page", "page and implementation"])
def test_what_it_tells_to_do_next_ends_well(tmp_path, monkeypatch, flags):
    """Three commands, each of which ends with exit code 0 as it is printed; a folder may have a space in its name."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my pages").mkdir()
    text = called("new", "my pages/mine.py", *flags)[1]
    steps = [shlex.split(line) for line in text.splitlines() if line.startswith("  sparring ")]

    assert len(steps) == 3
    for _, *args in steps:
        code, *said = called(*args)
        assert code == 0, said


def test_verify_names_what_is_left_out(mine):
    """All theorems are proved for every p; contention is claimed nowhere, and no implementation is sparring's own."""
    matrix = envelope_of("verify", mine)["algorithms"]["mine"]

    assert set(matrix.values()) == {"proved for every p", "not covered"}
    assert {matrix[prop] for prop in ("contention", "timing", "terms")} == {"not covered"}
    theorems = ("result", "agreement", "economy", "partition", "deadlock")
    assert {matrix[prop] for prop in theorems} == {"proved for every p"}


@pytest.mark.parametrize(("right", "failures"), [("2->0:cC3", 0), ("2->0:cC4", 1)])
def test_its_trace_is_true(mine, right, failures):
    """The doctest passes; a wrong letter in it fails."""
    if failures:
        plant(mine, "2bB 2->0:cC3", f"2bB {right}")
    checked = doctest.testmod(from_file(mine), report=False)

    assert (checked.attempted, checked.failed) == (2, failures)


@pytest.mark.parametrize(
    ("old", "new", "prop", "verdict"),
    third(
        [
            ("return (r + lap(t, p) + 1) % p", "return (r + lap(t, p) + 2) % p", "result", "refuted"),
            ("return (r - lap(t, p) - 1) % p", "return (r - lap(t, p)) % p", "result", "refuted"),
            ("where(t < p - 1, dst(r, t, p), r)", "r", "result", "refuted"),
            ("-> Bool:          return t < p - 1", "-> Bool:          return t < p", "result", "refuted"),
            ("return 2 * (p - 1)", "return p - 1", "result", "refuted"),
            ("(r - q) % p <= t, q == r", "(r - q) % p < t, q == r", "result", "not inductive"),
            ("either(x == c, (x - c) % p <= t - (p - 1))", "(x - c) % p <= t", "agreement", "not inductive"),
            ("str] = {}", 'str] = {"ring": "lock step"}', "contention", "refuted"),
            ("str] = {}", 'str] = {"tree": "exclusive"}', "contention", "refuted"),
        ]
    ),
    ids=["dst", "src", "chunk", "adds", "steps", "holds", "same", "ring", "tree"],
)
def test_a_fault_in_any_formula_is_found(mine, old, new, prop, verdict):
    """A wrong algorithm is refuted; a right one that says wrong things of itself is not inductive."""
    plant(mine, old, new)
    found = envelope_of("verify", mine, code={"refuted": 1, "not inductive": 3}[verdict])

    assert found["algorithms"]["mine"][prop] == verdict


def test_page_and_implementation_do_not_know_each_other(mine, impl):
    """The page imports sparring's numbers alone, the implementation numpy and mpi4py."""
    assert imported(mine) == {"sparring"}
    assert imported(impl) == {"__future__", "typing", "numpy", "mpi4py"}


def flaws(mine, impl):
    """What stands against the implementation on simulated ranks: on terms, and on numbers of each dtype."""
    page, target = sparring.page(str(mine)), f"{impl}:allreduce"
    found = []
    for p in (1, 2, 3, 4, 7):
        for n in comparison.sizes(p):
            for buffers in ("synchronous", "unbounded"):
                flaws, outside = running.on_terms(page, target, p, n, buffers)
                found += [*flaws, *outside]
            for dtype in comparison.DTYPES:
                found += running.on_numbers(page, target, comparison.vectors(dtype, p, n), "dtypes")
        if found:
            return found
    return found


@pytest.mark.parametrize(
    ("old", "new"),
    third(
        [
            ("", ""),
            ("mine[:] = inbox + mine", "mine[:] = inbox"),
            ("x[block[to]]", "x[block[source]]"),
            ("y = x.copy()", "y = x"),
            ("    mine += mine.dtype.type(0)  #", "    #"),
            ("return c * n // p", "return c * (n // p)"),
            ("recvbuf=y[block[source]], source=source", "recvbuf=y[block[source]], source=to"),
        ]
    ),
    ids=[
        "as it is",
        "sum forgotten",
        "wrong block",
        "input overwritten",
        "negative zero",
        "remainder dropped",
        "wrong source",
    ],
)
def test_a_fault_in_the_implementation_is_found(mine, impl, old, new):
    """On simulated ranks, with synchronous and with unbounded sends; as it is, terms and bits are the page's."""
    if old:
        plant(impl, old, new)

    assert bool(flaws(mine, impl)) == bool(old)


@pytest.mark.mpi
def test_the_implementation_runs_on_real_mpi(mine, impl):
    """On one to four ranks it gives the page's bits, whatever the length and the dtype."""
    if launch.find() is None:
        pytest.skip("no mpiexec installed")
    page = sparring.page(str(mine))
    with Group(4) as group:
        for p in range(1, 5):
            for xs in (comparison.vectors(dtype, p, n) for n in comparison.sizes(p) for dtype in comparison.DTYPES):
                ys = group.run(f"{impl}:allreduce", xs)
                assert comparison.compared(page, xs, ys, "mpi") == []


@pytest.mark.parametrize(
    ("file", "sentence"),
    [
        ("mine.py", "mine.py exists already: take another name; nothing was written"),
        ("other.py", "other_impl.py exists already: take another name; nothing was written"),
        ("gone.py", "gone.py exists already: take another name; nothing was written"),
        ("mine.txt", "mine.txt: a page is a module, so its name must be a Python name with .py, such as my_ring.py"),
        ("my-ring.py", "my-ring.py: a page is a module"),
        ("class.py", "class.py: a page is a module"),
        (".py", ".py: a page is a module"),
        ("no/such/mine.py", "no folder no/such, wanted for mine.py: make it first"),
        ("a" * 300 + ".py", "cannot be written: File name too long"),
    ],
    ids=["page", "implementation", "dangling link", "ending", "dash", "keyword", "no name", "folder", "length"],
)
def test_refuses_in_one_sentence_and_writes_nothing(tmp_path, monkeypatch, file, sentence):
    """What is there stays as it is, and no other file appears."""
    monkeypatch.chdir(tmp_path)
    for name in ("mine.py", "other_impl.py"):
        (tmp_path / name).write_text("mine", encoding="utf-8")
    (tmp_path / "gone.py").symlink_to("nowhere.py")

    told = refused("new", file, "--impl")

    assert sentence in told
    assert "\n" not in told
    assert {path.name for path in tmp_path.iterdir()} == {"mine.py", "other_impl.py", "gone.py"}
    assert (tmp_path / "mine.py").read_text(encoding="utf-8") == "mine"


def test_tells_as_json_what_it_wrote(tmp_path):
    """The files, and the commands to go on with."""
    envelope = envelope_of("new", tmp_path / "mine.py")

    assert envelope["files"] == [str(tmp_path / "mine.py")]
    assert [step.split()[:2] for step in envelope["next"]] == [
        ["sparring", "show"],
        ["sparring", "prove"],
        ["sparring", "verify"],
    ]


def settled(folder, page, impl):
    """A copy of the house in which page and implementation have found their places, as the howto says."""
    home = Path(sparring.__file__).parent
    shutil.copytree(home, folder / "sparring", ignore=shutil.ignore_patterns("__pycache__"))
    formulas, _ = page.read_text(encoding="utf-8").split("# From here on")
    code = re.findall(r"```python\n(.*?)```", HOWTO.read_text(encoding="utf-8"), flags=re.DOTALL)
    begun, proofs = code[:2]
    moved = impl.read_text(encoding="utf-8").replace("y = x.copy()", "y[:] = x")
    moved = moved.replace("    p, r, n =", f"{begun}    p, r, n =")
    moved = moved.replace(
        "import numpy as np\n", "import numpy as np\nfrom sparring.impl.core.arguments import opened\n", 1
    )
    texts = {"spec": formulas, "impl": moved, "proofs": proofs}
    for room, text in texts.items():
        (folder / "sparring" / room / "pairwise.py").write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("fault", "code", "peers"),
    sweep(
        [(None, 0, "proved for every p"), ("return (r - d) % p", 1, "refuted")], few=[(None, 0, "proved for every p")]
    ),
    ids=["as written", "wrong peer"],
)
def test_the_howto_leads_to_a_full_citizen(tmp_path, mine, impl, fault, code, peers):
    """Moved into the house, with the howto's proof module, all is proved or tested; a wrong peer is refuted."""
    if fault:
        plant(impl, fault, "return (r - d + 1) % p")
    settled(tmp_path / "house", mine, impl)
    command = "from sparring.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-P", "-c", command, "verify", "pairwise", "--ranks", "1-3", "--json"],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "house")},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    matrix = json.loads(done.stdout)["algorithms"]["pairwise"]

    assert (done.returncode, matrix["peers"]) == (code, peers)
    if not fault:
        assert {prop for prop, verdict in matrix.items() if verdict == "not covered"} == {"contention", "timing", "mpi"}


def test_the_howto_names_commands_that_exist():
    """Each command line of the howto parses."""
    lines = [line for line in HOWTO.read_text(encoding="utf-8").splitlines() if line.startswith("$ sparring ")]

    assert len(lines) >= 6
    for line in lines:
        _, _, name, *args = shlex.split(line, comments=True)
        subcommand = cli.get_command(click.Context(cli), name)
        assert subcommand is not None
        subcommand.make_context(name, args)


def test_what_it_writes_is_an_ordinary_file(mine):
    """Text that its owner may edit, and no program."""
    mode = mine.stat().st_mode

    assert mode & stat.S_IWUSR
    assert not mode & stat.S_IXUSR
