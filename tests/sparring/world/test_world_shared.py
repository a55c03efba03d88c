"""What ranks in one process still share is told of, and what can be switched is switched."""

from __future__ import annotations

import functools
import os
import random
import sys
import types
from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparring import world
from sparring.world import shared_state
from sparring.world.rank_state import SETTINGS, Apart

BOX = {"inner": []}
CELL = [0]


class Slotted:
    """Keeps something where no dictionary is."""

    __slots__ = ("kept",)

    def __init__(self):
        self.kept = 0


class Plain:
    """Keeps something for all of its kind, and for each."""

    number = 0

    def __init__(self):
        self.own = 0

    def method(self):
        """Has an attribute."""


@functools.lru_cache
def made(n):
    return [n]


METHOD: Any = Plain().method
METHOD.__func__.kept = []
SLOTTED, PLAIN, SPACE, QUEUE = Slotted(), Plain(), types.SimpleNamespace(kept=0), (deque(), made)
HALF = functools.partial(made, 3)


def drawn():
    return np.random.random()  # noqa: NPY002  # the generator that everybody has is meant


def nothing(comm, x):
    return comm.allreduce(x)


def in_a_container(comm, x):
    BOX["inner"].append(x)


def in_a_slot(comm, x):
    SLOTTED.kept += 1


def in_an_object(comm, x):
    PLAIN.own += 1


def in_its_class(comm, x):
    type(PLAIN).number += 1


def in_a_namespace(comm, x):
    SPACE.kept += 1


def in_a_tuple(comm, x):
    QUEUE[0].append(x)


def in_a_cached_value(comm, x):
    made(3).append(x)


def through_a_partial(comm, x):
    HALF().append(x)


def in_an_attribute(comm, x):
    METHOD.__func__.kept.append(x)


def for_a_while(comm, x):
    BOX["inner"].append(x)
    comm.Barrier()
    if comm.rank == 0:
        BOX["inner"].clear()


KEEPING = {
    in_a_container: "BOX", in_a_slot: "SLOTTED", in_an_object: "PLAIN", in_its_class: "Plain", in_a_namespace: "SPACE",
    in_a_tuple: "QUEUE", in_a_cached_value: "made", in_an_attribute: "method", through_a_partial: "HALF",
    for_a_while: "BOX",
}  # fmt: skip


@pytest.fixture(autouse=True)
def _empty():
    made.cache_clear()
    made(3)


@pytest.mark.parametrize("target", KEEPING, ids=lambda target: target.__name__)
def test_what_a_function_of_this_process_changes_is_told(target):
    """By the name that it has in the code; also where it is as before in the end."""
    assert KEEPING[target] in " ".join(world.run(target, 2, [1, 2]).shared)


def counts(comm, x):
    counts.calls += 1  # type: ignore[attr-defined]  # functions may
    return counts.calls  # type: ignore[attr-defined]  # functions may


counts.calls = 3  # type: ignore[attr-defined]  # functions may


def test_an_attribute_of_a_function_is_each_ranks_own():
    """As its globals are."""
    outcome = world.run(counts, 2, [1, 2]).raise_if_found()
    assert outcome.results == [4, 4] and outcome.shared == () and vars(counts) == {"calls": 3}


def test_what_does_not_change_is_not_told():
    """A function that names all of these, and a run that ends badly."""

    def looks(comm, x):
        (BOX, SLOTTED, PLAIN, SPACE, QUEUE, HALF, sys.path, os.environ["PATH"], np.pi)
        return comm.allreduce(x)

    def fails(comm, x):
        raise ValueError

    assert world.run(looks, 2, [1, 2]).shared == world.run(nothing, 2, [1, 2]).shared == ()
    assert world.run(fails, 2, [1, 2]).shared == ()


def test_settings_are_told_and_put_back():
    """Of what can be switched, too, where nobody asks for it."""

    def changes(comm, x):
        os.environ["OF_RANK"] = "1"
        random.random()
        drawn()

    before = random.getstate()
    assert world.run(changes, 2, [1, 2]).shared == (
        "the environment",
        "the generator of random",
        "the generator of numpy",
    )
    assert random.getstate() == before and "OF_RANK" not in os.environ


def test_settings_are_put_back_after_an_interrupt():
    """As everything else of this process."""

    def stops(comm, x):
        os.environ["OF_RANK"] = "1"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        world.run(stops, 2, [1, 2])
    assert "OF_RANK" not in os.environ


def test_each_rank_has_its_own(tmp_path, monkeypatch):
    """Environment and directory, which begin anew with each run, and generators, which go on."""
    monkeypatch.chdir(tmp_path)
    for name in "01":
        Path(name).mkdir()

    def lives(comm, x):
        fresh = "OF_RANK" not in os.environ and Path.cwd() == tmp_path
        os.environ["OF_RANK"] = os.chdir(str(comm.rank)) or str(comm.rank)
        comm.Barrier()
        return fresh, os.environ["OF_RANK"], Path.cwd().name, random.random(), drawn()

    before, apart = random.getstate(), world.Apart(SETTINGS)
    once, again = (world.run(lives, 2, [1, 2], apart=apart) for _ in range(2))
    assert once.shared == () and random.getstate() == before and Path.cwd() == tmp_path
    assert [result[:3] for result in once.results + again.results] == [(True, r, r) for r in "0101"]
    assert len({number for result in once.results + again.results for number in result[3:]}) == 8


def test_torchs_generator_is_one_of_them(monkeypatch):
    """Here one that counts stands for it."""
    state = [5]
    torch = types.SimpleNamespace(
        get_rng_state=lambda: np.array(state), set_rng_state=lambda new: state.__setitem__(0, new[0]),
        tensor=lambda numbers, dtype: numbers, uint8=None, __name__="torch", __spec__=None,
    )  # fmt: skip
    monkeypatch.setitem(sys.modules, "torch", torch)

    def draws(comm, x):
        assert sys.modules["torch"] is torch
        state[0] += 1
        comm.Barrier()
        return state[0]

    watch = shared_state.Watch(Apart())
    watch._set("torch")
    state[0] += 1
    assert watch.changed() == ("the generator of torch",) and state == [5]
    assert world.run(draws, 2, [1, 2], apart=world.Apart(["the generator of torch"])).results == [6, 6]


def test_ours_are_not_watched():
    """They keep nothing; and are run thousands of times."""
    xs = [np.ones(2)] * 2
    assert world.run("sparring.impl.ring:allreduce", 2, xs).shared == ()
