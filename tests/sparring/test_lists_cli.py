"""A page of lists on the command line: proved, checked and verified."""

from __future__ import annotations

import json

from click.testing import CliRunner

from sparring.cli import cli


def test_check():
    """Our own, message by message: every property is judged."""
    args = ["check", "sparring.impl.ring_allgather:allreduce", "--algorithm", "ring_allgather", "--level", "steps"]
    done = CliRunner().invoke(cli, [*args, "--ranks", "1-3", "--max-examples", "20", "--json"])

    envelope = json.loads(done.stdout)
    assert (done.exit_code, envelope["check"]["sparse"], envelope["not_covered"]) == (0, True, [])
    assert all(result["verdict"].startswith("tested") for result in envelope["results"])


def test_verify():
    """Nothing is refuted; of what nothing is said, the reason is."""
    done = CliRunner().invoke(cli, ["verify", "ring_allgather", "--ranks", "1-3", "--json"])

    matrix = json.loads(done.stdout)["algorithms"]["ring_allgather"]
    assert done.exit_code == 0
    assert {p for p, verdict in matrix.items() if verdict == "not covered"} == {"mpi"}
    assert {p for p, verdict in matrix.items() if verdict == "proved for every p"} == {
        "result", "agreement", "economy", "deadlock", "contention", "peers",
    }  # fmt: skip
    assert all(matrix[p].startswith("tested") for p in ("terms", "hygiene", "dtypes", "gradients"))


def test_show():
    """The picture is the page's own."""
    done = CliRunner().invoke(cli, ["show", "ring_allgather", "--ranks", "3", "--json"])

    steps = json.loads(done.stdout)["steps"]
    assert [[m["chunk"] for m in step] for step in steps] == [[0, 1, 2], [2, 0, 1]]
