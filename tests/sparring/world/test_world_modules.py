"""Ranks share no modules, and the host gets its own back."""

import subprocess
import sys
import textwrap
from importlib import import_module
from importlib.machinery import ExtensionFileLoader
from types import ModuleType

import pytest

from sparring import world
from sparring.errors import InputError
from sparring.world import Kind, modules

COUNT = 0
SEEN = []


def counts(comm):
    global COUNT  # noqa: PLW0603 - what is tested
    for _ in range(comm.rank + 1):
        COUNT += 1
        SEEN.append(comm.rank)
    comm.Barrier()
    return COUNT, list(SEEN), helper()


def helper():
    return COUNT


def who_am_i(comm):
    from mpi4py import MPI

    before = MPI.COMM_WORLD.rank
    MPI.COMM_WORLD.Barrier()
    return before, MPI.COMM_WORLD.Get_rank(), MPI.COMM_WORLD is comm, MPI.COMM_WORLD.size


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package ``ranked`` whose modules keep state; not imported by the host."""
    home = tmp_path / "ranked"
    (home / "core").mkdir(parents=True)
    (home / "__init__.py").write_text("STATE = []\n")
    (home / "core" / "__init__.py").write_text("")
    (home / "core" / "private.py").write_text(
        textwrap.dedent("""
        from mpi4py import MPI

        KEY = None
        CALLS = [0, 0]  # duplicates made and freed by this rank

        def freed(comm, key, dup):
            CALLS[1] += 1
            dup.Free()

        def private(comm):
            global KEY
            if KEY is None:
                KEY = MPI.Comm.Create_keyval(delete_fn=freed)
            if comm.Get_attr(KEY) is None:
                CALLS[0] += 1
                comm.Set_attr(KEY, comm.Dup())
            return comm.Get_attr(KEY)
        """)
    )
    (home / "main.py").write_text(
        textwrap.dedent("""
        from mpi4py.MPI import COMM_WORLD
        import ranked

        def state(comm):
            ranked.STATE.append(comm.rank)
            comm.Barrier()
            from ranked import late  # now, and by each rank
            comm.Barrier()
            late.RANKS.append(COMM_WORLD.rank)
            comm.Barrier()
            return ranked.STATE, late.RANKS, ranked.late is late

        def cached(comm):
            from ranked.core.private import CALLS, private
            mine = comm.Dup()
            same = private(mine) is private(mine)
            mine.Free()
            return same, CALLS

        def broken(comm):
            import ranked.nothing
        """)
    )
    (home / "late.py").write_text("RANKS = []\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    return home


def test_globals_of_a_function_are_a_ranks_own():
    """Numbers and containers alike, also as helpers see them; the host's stay as they are."""
    assert world.run(counts, 3).raise_if_found().results == [(r + 1, [r] * (r + 1), r + 1) for r in range(3)]
    assert COUNT == 0 and SEEN == []


def test_comm_world_is_that_of_the_running_rank():
    """Before and after a switch to other ranks."""
    assert world.run(who_am_i, 3).raise_if_found().results == [(r, r, True, 3) for r in range(3)]


def test_modules_of_a_package_are_a_ranks_own(package):
    """Also those imported late, and what they took from mpi4py."""
    assert world.run("ranked.main:state", 3).raise_if_found().results == [([r], [r], True) for r in range(3)]


def test_a_cached_duplicate_is_made_and_freed_once_per_rank(package):
    """The attribute idiom of libraries works, and shares nothing between ranks."""
    assert world.run("ranked.main:cached", 3).raise_if_found().results == [(True, [1, 1])] * 3


def test_a_file_is_loaded_once_per_rank(tmp_path):
    """Without a trace beside the file."""
    file = tmp_path / "mine.py"
    file.write_text("N = [0]\ndef f(comm, x):\n    N[0] += x\n    comm.Barrier()\n    return N\n")
    assert world.run(f"{file}:f", 3, [5, 6, 7]).raise_if_found().results == [[5], [6], [7]]
    assert [path.name for path in tmp_path.iterdir()] == ["mine.py"]


@pytest.mark.parametrize("target", ["ranked.main:state", "ranked.main:broken", "ranked.main:missing", who_am_i])
def test_the_host_keeps_its_modules(package, target):
    """After a good run, one that raises and one that cannot start: the same modules, the same attributes."""
    import sparring.impl

    before, attributes, path = dict(sys.modules), dict(vars(sparring)), list(sys.meta_path)
    try:
        world.run(target, 3)
    except InputError:
        assert target == "ranked.main:missing"
    assert dict(sys.modules) == before and sys.meta_path == path
    assert {name: vars(sparring)[name] for name in attributes} == attributes
    assert sparring.impl is sys.modules["sparring.impl"]


@pytest.mark.parametrize("whose", ["users", "library"])
def test_a_shared_helper_does_not_keep_the_simulated_mpi(tmp_path, monkeypatch, whose):
    """A module outside the target's package, imported in a run, is imported anew afterwards.

    A user's is each rank's own; a library's, which ranks share, has taken what the world gave it.
    """
    (tmp_path / "outsider.py").write_text("from mpi4py import MPI\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    if whose == "library":
        monkeypatch.setattr(modules, "users", lambda spec: False)
        monkeypatch.setattr(modules, "small", lambda spec: False)

    def uses(comm):
        return import_module("outsider").MPI.COMM_WORLD.rank

    assert world.run(uses, 2).raise_if_found().results == [0, 1]
    assert "outsider" not in sys.modules


def test_what_was_loaded_since_is_noticed(monkeypatch):
    """And what is no longer there; a part of a package is not the whole of it."""
    loaded = modules.Loaded()
    loaded.update()
    for name in ("fresh", "fresh.inner", "fresher"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    assert loaded.among(["fresh"]) == []
    loaded.update()
    assert {*loaded.among(["fresh"])} == {"fresh", "fresh.inner"} and {"fresh", "fresher"} <= {*loaded.others}
    assert loaded.among(["fresh.inner"]) == ["fresh.inner"] and "sys" not in loaded.others
    monkeypatch.delitem(sys.modules, "fresh")
    assert loaded.among(["fresh"]) == ["fresh.inner"]


def test_compiled_modules_that_came_since_are_kept(monkeypatch):
    """They cannot be loaded twice in one process."""
    kept: dict[str, ModuleType] = {}
    monkeypatch.setattr(modules, "EXTENSIONS", kept)
    loaded, plain, new = modules.Loaded(), ModuleType("plain"), ModuleType("new")
    new.__loader__ = ExtensionFileLoader("new", "new.so")
    loaded.keep_compiled({"plain": plain})
    loaded.keep_compiled({"plain": plain, "new": new})
    assert kept == {"new": new}


def test_an_interrupt_passes_through_and_leaves_the_host_intact():
    """KeyboardInterrupt is nobody's finding."""

    def interrupted(comm):
        comm.Barrier()
        raise KeyboardInterrupt

    before = dict(sys.modules)
    with pytest.raises(KeyboardInterrupt):
        world.run(interrupted, 2)
    assert dict(sys.modules) == before


def test_a_function_that_took_the_real_mpi_gets_the_simulated_one():
    """A script that has imported mpi4py.MPI already: module, class and constant are exchanged for the world's."""
    program = """
        import numpy as np
        from mpi4py import MPI
        from mpi4py.MPI import SUM, Request
        from sparring import world
        def f(comm):
            x, y = np.array([comm.rank + 1]), np.zeros(1, int)
            Request.Waitall([comm.Isend(x, 1 - comm.rank), comm.Irecv(y, 1 - comm.rank)])
            MPI.COMM_WORLD.Allreduce(MPI.IN_PLACE, x, op=SUM)
            return int(x[0]), int(y[0])
        assert world.run(f, 2).raise_if_found().results == [(3, 2), (3, 1)]
        assert MPI.COMM_WORLD.size == 1
        """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr


def test_using_another_ranks_communicator_is_refused():
    """Memory that ranks share by accident does not go unnoticed."""
    handles = []

    def leaks(comm):
        handles.append(comm)
        comm.Barrier()
        handles[0].Barrier()

    found = world.run(leaks, 2).findings
    assert [f.kind for f in found] == [Kind.RAISED]
    assert "rank 1 uses what belongs to rank 0: memory shared between ranks" in found[0].text


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("ranked.main", "must read pkg.mod:function or ./file.py:function"),
        ("ranked.nowhere:f", "no module 'ranked.nowhere', wanted for target"),
        ("nowhere.at.all:f", "no module 'nowhere', wanted for target"),
        ("ranked.main:missing", "no function 'missing' in ranked.main"),
        ("./nowhere.py:f", "no file nowhere.py"),
    ],
)
def test_a_target_that_is_not_there(package, target, text):
    """One sentence that says what is missing."""
    with pytest.raises(InputError, match=text):
        world.run(target, 2)


@pytest.mark.parametrize(
    ("arguments", "options", "text"),
    [
        ((0,), {}, "p=0 ranks: at least 1"),
        ((2,), {"buffers": "infinite"}, "no buffers 'infinite': synchronous, unbounded, any, or a number of messages"),
        ((2,), {"scheduler": "fair"}, "no scheduler 'fair': round-robin, seeded or adversarial"),
        ((2,), {"budget": 0}, "budget=0 MPI calls"),
    ],
)
def test_bad_arguments(arguments, options, text):
    """One sentence each."""
    with pytest.raises(InputError, match=text):
        world.run(who_am_i, *arguments, **options)


def test_a_file_that_was_rewritten_is_read_again(package):
    """What is compiled once for all ranks, and for all runs, is no longer than the file is the same."""
    assert world.run("ranked.main:state", 2).raise_if_found().results[0][0] == [0]
    late = package / "late.py"
    late.write_text("RANKS = ['rewritten']\n")

    assert world.run("ranked.main:state", 2).raise_if_found().results[1][1] == ["rewritten", 1]


def test_a_packages_path_is_a_ranks_own(package):
    """The list in which a package looks for its modules is no exception."""
    (package / "core" / "paths.py").write_text(
        "def longer(comm):\n    import ranked\n    ranked.__path__.append('x')\n    comm.Barrier()\n"
        "    return len(ranked.__path__)\n"
    )
    assert world.run("ranked.core.paths:longer", 3).raise_if_found().results == [2, 2, 2]


def test_a_key_that_another_run_made_is_no_fault():
    """An object is the same in all runs and on all ranks; code that is given by name is each rank's own."""
    keys = []

    def keyed(comm):
        from mpi4py import MPI

        keys[:] = keys or [MPI.Comm.Create_keyval()]
        return comm.Get_attr(keys[0])

    first, second = (world.run(keyed, 1) for _ in range(2))
    assert first.results == [None] and not first.findings
    (finding,) = second.findings
    assert finding.kind is Kind.UNSUPPORTED and "of another run or rank (code given as" in finding.text


def test_a_key_that_was_freed_is_a_fault():
    """Nobody else made it."""

    def freed(comm):
        from mpi4py import MPI

        key = MPI.Comm.Create_keyval()
        MPI.Comm.Free_keyval(key)
        return comm.Get_attr(key)

    (finding,) = world.run(freed, 1).findings
    assert finding.kind is Kind.RAISED and "is no keyval, or was freed" in finding.text
