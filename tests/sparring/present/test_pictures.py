"""Pictures that matplotlib draws: the same whenever they are drawn, in files of three kinds, or a sentence why not."""

from __future__ import annotations

import sys
from fractions import Fraction
from functools import cache, partial

import numpy as np
import pytest

import sparring
from sparring.calibration.profile import profile
from sparring.costs import regions as phases
from sparring.errors import InputError, MissingExtra
from sparring.present import calibrated, crossing, linkload
from sparring.present import phases as regions
from sparring.present.advice import plot
from sparring.proofs.contention import networks
from tests.sparring.calibration.known_times import made

PICTURES = {
    "costs": lambda: partial(
        crossing.save, sparring.crossover("ring", "two_shot", "p", n=5000, end=12, alpha="10us", beta="0.3ns")
    ),
    "link load": lambda: partial(linkload.save, linkload.loads(sparring.page("ring"), networks.find("ring"), 4)),
    "regions": lambda: partial(
        regions.save,
        {
            "one": phases.phases(
                [sparring.cost("ring"), sparring.cost("ring_allgather")], ("rho", "p"), {"n": 40}, end=("1", "3")
            )
        },
        Fraction(1, 20),
        {},
    ),
    "advice": lambda: partial(plot.save, sparring.advise({"w": np.ones((2, 9))}, "ib-hdr", [3], algorithms=["ring"])),
    "a machine": lambda: partial(calibrated.save, profile(*made(2, [(2, 2)], ("ring",)))),
}


@cache
def saving(name):
    """What saves it to a file."""
    return PICTURES[name]()


@pytest.mark.parametrize("suffix", crossing.FORMATS)
def test_the_same_picture_again(suffix, tmp_path):
    files = [tmp_path / f"{again}{suffix}" for again in "ab"]
    for file in files:
        saving("costs")(file)
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_drawn(name, tmp_path):
    """All are written alike."""
    saving(name)(tmp_path / "x.svg")
    assert (tmp_path / "x.svg").stat().st_size > 5000


@pytest.mark.parametrize("name", ["costs", "link load"])
def test_what_cannot_be_drawn(name, tmp_path, monkeypatch):
    """A name of no picture, a place that is none, no matplotlib: one sentence each."""
    save = saving(name)
    with pytest.raises(InputError, match=r"the name of a picture ends in \.svg, \.png, \.pdf"):
        save(tmp_path / "x.jpg")
    with pytest.raises(InputError, match="cannot be written: No such file"):
        save(tmp_path / "no" / "x.svg")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtra, match=r"pip install \"sparring\[plots\]\""):
        save(tmp_path / "x.svg")
