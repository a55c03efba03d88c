"""An independent check of time: SimGrid plays our exported schedules, and knows none of our formulas."""

from __future__ import annotations

import json
import subprocess
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

import sparring
from sparring.costs.links.levels import Network, counted
from sparring.costs.links.machines import Machine
from sparring.proofs.contention import networks
from sparring.proofs.contention.traffic import Routed, Traffic
from sparring.schedules.checking import export
from tests.sweeps import sweep

PYTHON = Path("/usr/bin/python3")  # Debian's own, for which its SimGrid is
PLAYER = Path(__file__).parents[2] / "examples/simgrid/replay.py"
ALPHA, BETA = Fraction(5, 10**6), Fraction(32, 10**11)
SIZE = 1 << 18  # bytes of the vector, which all p divide
ALGORITHMS = ("ring", "recursive_doubling", "rabenseifner")


@pytest.fixture(scope="module")
def simgrid():
    """Where it is not, there is nothing to ask."""
    asked = [str(PYTHON), "-c", "import simgrid"]
    if not PYTHON.exists() or subprocess.run(asked, capture_output=True, timeout=60, check=False).returncode:
        pytest.skip("there is no SimGrid here: apt install python3-simgrid")


needs_simgrid = pytest.mark.usefixtures("simgrid")


def played(routed, goal, tmp_path):
    """What SimGrid says of a schedule on a topology."""
    traffic, topology = routed.traffic, routed.topology
    routes = {
        f"{src} {dst}": [networks.edge(link) for link in topology.route(src, dst, traffic.p)]
        for src, dst in routed.pairs.tolist()
    }
    network = tmp_path / "network.json"
    network.write_text(json.dumps({"alpha": float(ALPHA), "beta": float(BETA), "routes": routes}))
    done = subprocess.run(
        [str(PYTHON), str(PLAYER), str(goal), str(network)], capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])["seconds"]


def case(name, p, topology, tmp_path):
    """The page, its messages on the topology, and its exported schedule."""
    page = sparring.page(name)
    (goal,) = export(name, p, "goal", tmp_path / "schedule", size=SIZE)
    return page, Routed(Traffic.of(page, p), networks.find(topology)), goal


@needs_simgrid
@pytest.mark.parametrize(
    ("name", "p"), sweep([*product(ALGORITHMS, (4, 8))], few=[("ring", 4), ("recursive_doubling", 4)])
)
@pytest.mark.parametrize("topology", ["crossbar", "ring", "torus:k=2", "fat_tree"])
def test_time_is_that_of_the_formula(name, topology, p, tmp_path):
    """Equal where no two messages of a step share a link; else so much longer as the fullest link of each step is."""
    page, routed, goal = case(name, p, topology, tmp_path)
    flat = float(sparring.cost(name).at(p=p, n=SIZE // 4, alpha=ALPHA, beta=BETA).time)

    seconds = played(routed, goal, tmp_path)

    shared = counted(page, Network(routed.topology, Machine(ALPHA, BETA)), p=p, n=SIZE // 4)
    assert seconds == pytest.approx(float(shared.time), rel=0.01)
    if shared.sharing == 1:
        assert seconds == pytest.approx(flat, rel=0.01)
    else:
        assert seconds > 1.2 * flat


@needs_simgrid
def test_another_schedule_takes_another_time(tmp_path):
    """The check can fail: a ring that sends its first message twice is seen."""
    _, routed, goal = case("ring", 4, "crossbar", tmp_path)
    honest = played(routed, goal, tmp_path)
    text = goal.read_text()
    first = f"l0: send {SIZE // 4}b"
    assert text.count(first) == 4
    goal.write_text(text.replace(first, f"l0: send {SIZE // 2}b"))

    assert played(routed, goal, tmp_path) > 1.1 * honest


@needs_simgrid
def test_a_schedule_that_is_none(tmp_path):
    goal, network = tmp_path / "x.goal", tmp_path / "n.json"
    goal.write_text("num_ranks 1\nrank 0 {\nl0: fly 3b to 0\n}\n")
    network.write_text('{"alpha": 0, "beta": 1, "routes": {}}')

    done = subprocess.run(
        [str(PYTHON), str(PLAYER), str(goal), str(network)], capture_output=True, text=True, timeout=100, check=False
    )

    assert done.returncode == 1
    assert "this player does not know 'l0: fly 3b to 0'" in done.stderr
