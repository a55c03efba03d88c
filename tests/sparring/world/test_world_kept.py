"""What ranks keep from run to run is what they would have had, executed anew."""

from functools import cache
from importlib import import_module
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from sparring import world
from sparring.mutation import planting
from sparring.world import module_cache

RING = "sparring.impl.ring:allreduce"
XS = [np.arange(5.0) + r for r in range(3)]


def seen(function, comm, x):
    """What a rank has of the module."""
    return import_module("sparring.impl.ring"), import_module("sparring.impl.core.transport"), function(comm, x)


@pytest.fixture(autouse=True)
def nothing_kept():
    """No test finds what another one kept."""
    module_cache.forget()
    yield
    module_cache.forget()


def ran(call=seen, p=3):
    """What the ranks return."""
    return world.run(RING, p, XS[:p], call=call).raise_if_found().results


def test_modules_are_executed_once_and_a_ranks_own():
    """Three ranks have three modules, the same ones in the next run, also of fewer ranks."""
    first, second, fewer = ran(), ran(), ran(p=2)
    assert len({id(ring) for ring, _, _ in first}) == 3
    assert all(a[0] is b[0] and a[1] is b[1] and a[2].tolist() == b[2].tolist() for a, b in zip(first, second))
    assert [ring for ring, _, _ in fewer] == [ring for ring, _, _ in first[:2]]


def test_what_a_call_imports_is_executed_once_as_well():
    """The second run imports it before the call, and the third has the same; what it changed is put back."""

    def later(function, comm, x):
        flash = import_module("sparring.impl.flash")
        held = hasattr(flash, "new")
        vars(flash).update(new=comm.rank)
        return flash, held

    first, second, third = ran(later), ran(later), ran(later, p=2)
    assert not {flash for flash, _ in first} & {flash for flash, _ in second}
    assert [flash for flash, _ in third] == [flash for flash, _ in second[:2]]
    assert not any(held for found in (first, second, third) for _, held in found)


def test_what_a_run_changed_is_put_back():
    """Names bound anew, new names, and what containers hold; the keys under which ranks keep duplicates, too."""

    def changes(function, comm, x):
        ring, transport, _ = seen(function, comm, x)
        held = len(transport.KEYS), hasattr(ring, "new"), ring.left(1, 3), "own" in vars(ring.left)
        vars(ring).update(new=1, left=lambda r, p: -1)
        transport.KEYS["another"] = 5
        return held, ring

    first, second = ran(changes), ran(changes)
    assert [held for held, _ in first] == [held for held, _ in second] == [(1, False, 0, False)] * 3
    assert [ring for _, ring in first] == [ring for _, ring in second]


def on_function(ring):
    ring.left.calls = 1


def on_class(ring):
    vars(import_module("sparring.impl.core.chunks"))["Chunk"].calls = 1


@pytest.mark.parametrize("changes", [on_function, on_class])
def test_what_cannot_be_put_back_is_executed_anew(changes):
    """Attributes of functions are put back; a class that has changed is not taken again."""

    def call(function, comm, x):
        ring = seen(function, comm, x)[0]
        chunk = import_module("sparring.impl.core.chunks").Chunk
        held = hasattr(ring.left, "calls") or hasattr(chunk, "calls")
        changes(ring)
        return held

    assert ran(call) == ran(call) == [False] * 3


def made(**values):
    """What a rank has kept that loaded one module with these names."""
    module = ModuleType("sparring.impl.made")
    vars(module).update(values)
    return module, module_cache.Kept(print, {module.__name__: module})


CHANGEABLE = {
    "array": np.zeros(1),
    "iterator": iter([1]),
    "object with attributes": SimpleNamespace(seen=1),
    "cache": cache(len),
}


@pytest.mark.parametrize("value", CHANGEABLE.values(), ids=CHANGEABLE)
def test_where_a_value_could_change_unseen_nothing_is_kept(value):
    """None of these tells what it was."""
    with pytest.raises(module_cache.Changeable):
        made(value=value)


def test_fields_and_slots_never_change():
    """So a module with a named tuple, or a class with slots, is kept; and each target that takes turns with others."""
    for target in ("sparse_loco:allreduce", "sparse_loco:Allreduce", "ring_sparse:allreduce") * 2:
        world.run(f"sparring.impl.{target}", 1, [None], call=lambda *_: None)
    assert [[*store.ranks] for store in module_cache.STORES] == [[0]] * 3


REMEMBERS = {
    "a list in a list": ("value = [[1]]", "value[0].append(2)"),
    "a list in a tuple": ("value = (1, [2])", "value[1].append(3)"),
    "a dictionary in a class": ("class value:\n    seen = {}", "value.seen[1] = 2"),
    "a default argument": ("def value(x, seen=[]):\n    seen.append(x)", "value(1)"),
    "a default of a method that Python calls": (
        "class value:\n    def __init__(self, x, seen=[]): seen.append(x)\n",
        "value(1)",
    ),
    "a default of a class's method": (
        "class value:\n    @classmethod\n    def f(cls, x, seen=[]): seen.append(x)\n",
        "value.f(1)",
    ),
    "a counter outside": (
        "def made():\n    n = 0\n    def inner():\n        nonlocal n; n += 1\n    return inner\nvalue = made()",
        "value()",
    ),
    "other defaults": ("def value(x=1): pass", "value.__defaults__ = (2,)"),
    "a variable outside": (
        "def made():\n    seen = set()\n    def inner(x): seen.add(x)\n    return inner\nvalue = made()",
        "value(1)",
    ),
}


@pytest.mark.parametrize(("text", "use"), REMEMBERS.values(), ids=REMEMBERS)
def test_what_is_held_further_inside_is_seen(text, use):
    """Once it is used, it is put back, or known to have changed."""
    names = {"__name__": "sparring.impl.made"}
    exec(text, names)
    before = str(held(names["value"]))
    _, found = made(value=names["value"])
    assert found.put_back()
    exec(use, names)
    assert str(held(names["value"])) != before
    assert not found.put_back() or str(held(names["value"])) == before


def held(value):
    """What the values above hold."""
    cells = [cell.cell_contents for cell in getattr(value, "__closure__", None) or ()]
    method = getattr(value, "f", vars(value).get("__init__")) if isinstance(value, type) else value
    return getattr(value, "seen", None) or getattr(method, "__defaults__", None) or cells or value


def test_planted_code_runs_and_what_was_before_it_runs_again():
    """A fault in a module is in what ranks execute, and no longer than it is planted."""
    module = import_module("sparring.impl.ring")
    tree = planting.ast.parse("def allreduce(comm, x):\n    return 'planted'\n")
    right = [y.tolist() for _, _, y in ran()]
    with planting.planted(module, tree):
        assert world.run(RING, 3, XS).results == ["planted"] * 3
    assert [y.tolist() for _, _, y in ran()] == right


def test_a_file_that_was_written_is_read(tmp_path, monkeypatch):
    """Its new code runs in the next run."""
    ran()
    store = module_cache.STORES[0]
    assert store.serves(RING) and not store.serves("sparring.impl.ring_sparse:allreduce")
    loader = store.ranks[0].modules["sparring.impl.ring"].__loader__
    monkeypatch.setattr(loader, "state", (0, 0))
    assert not store.serves(RING)


def test_a_world_within_a_world_has_modules_of_its_own():
    """Those of the outer ranks are in use."""

    def outer(function, comm, x):
        mine = seen(function, comm, x)[0]
        inner = world.run(RING, 3, XS, call=seen).raise_if_found().results
        return mine, [ring for ring, _, _ in inner]

    found = ran(outer)
    assert not {id(mine) for mine, _ in found} & {id(ring) for _, inner in found for ring in inner}
