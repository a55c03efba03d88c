"""What a person is told of a calibration, and what is drawn: of a machine that is known."""

from __future__ import annotations

import re
from typing import Any

import pytest

from sparring.calibration.profile import profile
from sparring.cli import calibrate
from sparring.costs.links.machines import Machine
from sparring.errors import InputError
from sparring.present import calibrated
from tests.sparring.calibration.known_times import made


@pytest.fixture(scope="module")
def crowded():
    """Six ranks on four cores, one algorithm of which has no cost for six."""
    return profile(*made(6, [(6, 4)], ("ring", "recursive_multiplying")))


def text(machine, capsys):
    calibrate.print_machine(machine, machine.measured)
    return re.sub(" +", " ", capsys.readouterr().out)


def test_everything_is_told(known, capsys):
    told = text(known, capsys)
    assert told.startswith("4 ranks of MPICH 5.0.2 on 2 hosts with 4 cores: 20 rounds in 1.5 s\n")
    assert re.search(r"alpha (4\.9|5|5\.0)\d? us a message .* us \.\. .* us 4 \.\. 4194304 bytes", told)
    assert re.search(r"beta 0\.(19|2)\d* ns a byte", told) and re.search(r"gamma 0\.(49|5)\d* ns an addition", told)
    assert re.search(r"merge (19|20)(\.\d)? ns", told) and re.search(r"ring_topk \S+ \S+ [+-]\d+%", told)
    assert "messages of 20 held-out sizes: predicted within" in told
    assert re.search(r"the median error is [+-]\d% to rank r \+ 1, [+-]\d% to rank r \+ 2\n", told)
    assert "…" not in told  # nothing is cut off in 80 columns
    assert "warning" not in told and "one host" not in told


def test_too_many_ranks_are_warned_of(crowded, capsys):
    told = text(crowded, capsys)
    assert "warning: more ranks than cores" in told
    assert "not predicted: recursive_multiplying: this cost holds where p = radix^m" in told


def test_one_host_is_no_network(capsys):
    assert "no network" in text(profile(*made(2, [(2, 2)], ("ring",))), capsys)


def panels(machine) -> Any:
    """The axes; matplotlib's types know not what stands in them."""
    return calibrated.figure(machine).axes


def test_everything_is_drawn(known):
    """Each time has a mark, in the panel of its kind; what was held out is hollow."""
    timed = known.measured.timed
    first, second, third, fourth = panels(known)
    for axes, what in ((first, "exchange"), (second, "add")):
        full, hollow = (container.lines[0] for container in axes.containers)
        assert hollow.get_markerfacecolor() == "white" != full.get_markerfacecolor()
        for marks, fitted in ((full, True), (hollow, False)):
            assert [*marks.get_ydata()] == [t.median for t in timed if t.what == what and t.fitted == fitted]
    errors = [y for line in third.lines[:-1] for y in line.get_ydata()]
    assert sorted(errors) == sorted(100 * t.error for t in timed if t.what in ("exchange", "add"))
    names = [text.get_text() for text in fourth.get_legend().get_texts()]
    assert names == ["ring", "ring_allgather", "ring_sparse", "ring_topk", "as predicted"]
    ring = next(t for t in timed if t.algorithm == "ring")
    assert (fourth.lines[0].get_xdata()[0], fourth.lines[0].get_ydata()[0]) == (ring.median, ring.predicted)


def test_an_algorithm_that_was_not_predicted_is_left_out(crowded):
    names = [text.get_text() for text in panels(crowded)[3].get_legend().get_texts()]
    assert names == ["ring", "as predicted"]


def test_what_cannot_be_drawn():
    with pytest.raises(InputError, match="machine 'eth-25g' was not measured"):
        calibrated.figure(Machine.preset("eth-25g"))
