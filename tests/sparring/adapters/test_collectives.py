"""torch's own collectives, by their names.  The faults planted in them stand in the catalogue of wrong targets."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from sparring.adapters import collectives
from sparring.adapters.gloo import Functions
from sparring.checks.checking import check
from sparring.checks.properties import PROPERTIES
from sparring.checks.question import Question
from sparring.cli import cli
from sparring.errors import InputError

TARGETS = Path(__file__).with_name("torch_collectives.py")
HERE = importlib.util.find_spec("torch") is not None
pytestmark = [pytest.mark.torch, pytest.mark.skipif(not HERE, reason='no torch here: pip install "sparring[torch]"')]
ELSEWHERE = {"steps", "volume", "contention", "hygiene", "communicators", "other arrays", "many ranks", "bad input"}
"""What is judged on simulated ranks, by messages or only if asked for."""
EACH = {
    "all_reduce": False,
    "coalesced_all_reduce": True,
    "all_reduce_coalesced": False,
    "all_gather": True,
    "coalesced_all_gather_into_tensor": False,
    "reduce_scatter+all_gather": False,
    "reduce_scatter_tensor+all_gather_into_tensor": True,
    "coalesced_reduce_scatter_single+coalesced_all_gather_single": True,
    "all_to_all+all_gather": True,
    "all_to_all_single+all_gather_into_tensor": False,
    "reduce+broadcast": True,
}
"""Targets, and whether each is called asynchronously."""


@pytest.fixture(scope="module")
def group():
    """Three ranks that stay: torch takes long to import."""
    made = Functions(Question("", ranks=[3]))
    yield made
    made.stop()


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """Reproducers go to an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def verdicts(report):
    return {r.property: str(r.verdict).split(" ")[0] for r in report.results}


@pytest.mark.parametrize("name", EACH)
def test_each_is_an_allreduce(folder, group, name):
    """Each of torch's collectives on gloo, alone or composed, leaves the sum on every rank and its input as it was."""
    how = {"on": "torch", "group": group, "ranks": [1, 2, 3], "max_examples": 8, "async_op": EACH[name]}
    report = check(f"torch:{name}", **how)
    found = verdicts(report)
    assert report.verdict == "holds"
    assert {prop for prop, word in found.items() if word == "tested"} == PROPERTIES.keys() - ELSEWHERE


def test_each_collective_is_tried():
    """None of the names is left out above, but for those that are another name of the same function."""
    tried = {part for name in EACH for part in name.split("+")}
    known = {**collectives.SUMS, **collectives.SCATTERS, **collectives.GATHERS, **collectives.ROOTED}
    assert {known[part] for part in tried} == {*known.values()}


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("coalesced_on_a_device", "Backend gloo does not implement startCoalescing"),
        ("coalesced_of_two_dtypes", "allreduce_coalesced: tensors must all have the same type"),
        ("gathers_unequal_pieces", "allgather: invalid tensor size at index 1 (expected (1), got (0))"),
        ("exchanges_unequal_pieces", "alltoall: invalid tensor size at index 1 (expected (1), got (0))"),
    ],
)
def test_what_gloo_refuses(folder, group, name, why):
    """What gloo does not carry out raises on every rank, and the report says what gloo says."""
    asked = {"ranks": [2], "examples": [([np.ones(1)] * 2, "result")], "only": ["result"]}
    (result,) = check(f"{TARGETS}:{name}", on="torch", group=group, **asked).results
    assert str(result.verdict) == "refuted"
    assert why in result.detail


def test_a_collective_is_found_by_its_name(folder, group):
    """A report says it, and the example is played by the collective of that name."""
    report = check("torch:all_reduce", on="torch", group=group, ranks=[2], max_examples=2, only=["result"])
    assert report.extra["check"]["target"] == "torch:all_reduce"
    ys = group.run("torch:all_gather", [np.arange(3.0), np.ones(3)])
    assert all(np.array_equal(y, [1, 2, 3]) for y in ys)


@pytest.mark.parametrize(
    ("target", "how", "why"),
    [
        ("all_reduced", {}, "did you mean 'all_reduce'"),
        ("reduce_scatter_tensor", {}, r"one of reduce_scatter, .*, with \+ and one of all_gather, "),
        ("all_reduce", {"on": "simulated"}, "run on torch alone; right: on='torch'"),
        ("all_reduce", {"on": "mpi"}, "this torch is built without MPI; right: on='torch', its backend gloo"),
        ("all_reduce", {"async_ops": True}, "takes async_op alone, not 'async_ops'"),
        ("all_reduce", {"async_op": "no"}, "async_op='no': it must be true or false"),
    ],
)
def test_bad_names(target, how, why):
    """What torch has not, or what leaves no sum, is refused in a sentence that says what there is."""
    with pytest.raises(InputError, match=why):
        check(f"torch:{target}", **{"on": "torch", **how})


def test_a_torch_with_mpi(monkeypatch):
    """Its backend mpi is refused too: nothing starts its ranks."""
    monkeypatch.setattr("torch.distributed.is_mpi_available", lambda: True)
    with pytest.raises(InputError, match="torch's backend mpi is not tried; right: on='torch'"):
        check("torch:all_reduce", on="mpi")


def test_the_command(folder):
    """The names work on the command line."""
    asked = ["check", "torch:all_reduce", "--on", "torch", "--ranks", "2", "--max-examples", "3", "--only", "result"]
    told = CliRunner().invoke(cli, [*asked, "-P", "async_op=true"])
    assert (told.exit_code, "holds: 1 tested" in told.output) == (0, True)
