"""``sparring cost --phase`` and ``--plot``, as a user types them."""

from __future__ import annotations

import json

import pytest

from tests.sparring.calling import command, refused

pytestmark = pytest.mark.usefixtures("counted_on_few")
call, show = command("cost"), command("show")
THREE = ("ring", "ring_allgather", "ring_sparse", "--phase", "rho,p")


def test_rows_are_told_line_by_line(snapshot):
    """The model beside what was measured, and the band."""
    code, text, _ = call(*THREE, "--input", "digits:step30", "--to", "1,4")
    assert (code, text) == (0, snapshot)


def test_json_has_every_point(tmp_path):
    """And the picture is written as well."""
    file = tmp_path / "phases.svg"
    args = ("--at", "n=4000", "--machine", "eth-25g", "--to", ",4", "--within", "0", "--format", "json", "--plot", file)
    code, text, _ = call(*THREE, *args)
    told = json.loads(text)
    diagram = told["phases"]["independent supports"]
    assert code == 0 and told["results"][0]["verdict"] == "tested (183 examples)" and told["bands"] == {}
    assert diagram["quantity"] == "time" and diagram["up"] == [2, 3, 4] and len(diagram["along"]) == 61
    assert all(
        close == [name] for row, names in zip(diagram["close"], diagram["cheapest"]) for close, name in zip(row, names)
    )
    assert file.read_text(encoding="utf-8").startswith("<?xml")


def test_who_is_not_compared_is_told(tmp_path):
    """PAT's formulas hold where ``p | n``, the ring's everywhere."""
    said = "pat at 21 of 122 points, where its formulas do not hold: it may cost least there"
    for other, gaps in (("pat", [said]), ("two_shot", [])):
        grid = "--phase", "n,p", "--machine", "eth-25g", "--from", "1024,3", "--to", "1048576,4"
        code, text, _ = call("ring", other, *grid, "--format", "json")
        assert (code, json.loads(text)["not_covered"]) == (0, gaps)
    line = "--over", "n", "--machine", "eth-25g", "--at", "p=3", "--to", "9000", "--plot", tmp_path / "x.svg"
    assert "not compared: pat at " in call("ring", "pat", *line)[2]


def test_nodes_and_their_size_are_letters(snapshot):
    """Of a composition as well, which is told how large they are."""
    options = ("--machine", "eth-25g", "--inside", "nvlink", "--at", "n=10000", "--to", "5,4")
    code, text, _ = call("ring", "hierarchical", "rabenseifner", "--phase", "nodes,node", *options)
    assert (code, text) == (0, snapshot)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("ring", "--phase", "rho,x"), "--phase rho,x: right are two of rho, n, p"),
        (("ring", "--phase", "n,p", "--nodes", "8"), "--phase has nodes as letters, such as --phase nodes,node"),
        (("ring", "--phase", "nodes,p"), "--phase nodes,p: right are two of nodes, node, n, rho"),
        (("ring", "--phase", "nodes,node", "--at", "n=9"), "need a value for alpha"),
        (("ring", "--phase", "nodes,node", "--input", "digits"), "--input digits: vectors are for --phase without"),
        ((*THREE, "--versus", "ring"), "--versus and --phase exclude each other"),
        ((*THREE, "--at", "n=9", "--to", "1"), "--from and --to have as many values"),
        ((*THREE, "--at", "n=9", "--within", "x"), "--within x: no number"),
        ((*THREE, "--at", "n=9", "--plot", "x.jpg"), "the name of a picture ends in"),
        ((*THREE, "--input", "digits", "--to", "1,9"), "holds vectors for 8 ranks; 9 are asked for"),
        ((*THREE, "--input", "digits", "--at", "n=9"), "n=9: the vectors have 9610 entries; leave n out"),
        (("ring", "--input", "digits"), "--input goes with --phase"),
        (("ring", "--within", "3%"), "--within goes with --phase"),
        (("ring", "--from", "2"), "--from goes with --versus, --phase or --plot"),
        (("ring", "--over", "p"), "--over goes with --versus or --plot"),
        (("ring", "--inside", "nvlink", "--nodes", "2"), "--inside goes with --machine and --nodes"),
        (("ring", "--plot", "x.svg"), "need a value for p: p=VALUE"),
    ],
)
def test_bad_input_is_one_sentence(args, said):
    assert said in refused("cost", *args)


def test_a_plain_cost_is_drawn(tmp_path):
    """Beside what is printed otherwise; where the cheapest changes stands on standard error."""
    file = tmp_path / "costs.png"
    code, text, error = call("ring_sparse", "recursive_doubling", "--over", "rho", "--at", "p=8,n=1000", "--plot", file)
    assert code == 0 and "Sparse ring allreduce" in text and file.read_bytes().startswith(b"\x89PNG")
    assert error.splitlines() == []
    code, _, error = call("ring_sparse", "--over", "rho", "--at", "p=8,n=1000", "--plot", tmp_path / "no" / "x.svg")
    assert code == 2 and "cannot be written" in error


def test_where_the_cheapest_changes_is_told(tmp_path):
    point = ("--over", "n", "--machine", "eth-25g", "--at", "p=8,k=100", "--format", "csv")
    code, text, error = call("recursive_doubling", "ring_sparse", *point, "--plot", tmp_path / "a.svg")
    assert code == 0 and text.startswith("algorithm,")
    assert error.splitlines()[-1].startswith("from n = ") and "ring_sparse costs least" in error
