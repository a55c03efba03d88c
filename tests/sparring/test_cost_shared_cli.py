"""``sparring cost --nodes`` and ``--topology``, as they are typed."""

from __future__ import annotations

import json

import pytest

from tests.sparring.calling import command, refused

run = command("cost")


def test_in_nodes():
    code, out, _ = run(
        "recursive_doubling", "--nodes", "8", "--machine", "eth-25g", "--inside", "ib-hdr", "--at", "p=64,n=1000"
    )

    assert code == 0
    lines = [line.split("    (")[0].strip() for line in out.splitlines()]
    assert lines[1:6] == [
        "in nodes of 8 ranks, where p = 2^m, 8 < p",
        "inside    3",
        "outside   log2(p/8)",
        "sharing   8",
        "carried   8*n*width*log2(p/8)",
    ]
    # 3 (2.7 us + 4000 B / 25 GB/s) + 3 (9.6 us + 8 * 4000 B / 3.125 GB/s)
    assert "at this point: inside 3, outside 3, sharing 8, carried 96000, time 6.81e-05 s" in lines
    assert any(line.startswith("sharing: proved for every p") for line in lines)


def test_a_topology_as_json():
    _, out, _ = run(
        "recursive_doubling", "ring_sparse", "--topology", "ring", "--at", "p=8,n=8000,k=80", "--format", "json"
    )

    told = json.loads(out)
    doubling, sparse = told["costs"]
    assert (doubling["place"], doubling["given"]) == ("on ring", "p = 2^m")
    assert doubling["forms"]["carried"]["exact"] == "n*width*(p - 1)"
    assert told["at"]["recursive_doubling"] == {"steps": 3, "sharing": 4, "carried": 8000 * 4 * 7}
    assert [*told["at"]["ring_sparse"]] == ["identical", "independent", "disjoint"]
    assert sparse["forms"]["steps"]["exact"] == "2*(p - 1)"


def test_markdown_says_where():
    _, out, _ = run("recursive_doubling", "--topology", "torus", "--format", "markdown")

    assert "| Where p = 4^m |" in out
    assert "| recursive_doubling on torus where p = 4^m | sharing | `2` |" in out


def test_latex_has_its_letters_and_conditions():
    _, out, _ = run("recursive_doubling", "--nodes", "node", "--format", "latex-table")

    assert r"\caption{What messages that share links take in nodes of $g$ ranks, at most.}" in out
    assert r"\log_2 {(p / g)}" in out
    assert r"where $p = 2^m$ and $g = 2^{h}$ and $g < p$" in out
    assert "% recursive_doubling: sharing: proved for every p" in out


def test_what_has_no_form_is_undecided():
    code, out, _ = run("recursive_multiplying", "--topology", "ring")

    assert code == 3
    assert "undecided: how many messages share the fullest link of ring is no product of powers" in out


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (["--nodes", "8", "--topology", "ring"], "nodes=8 and topology=ring: links are those of nodes or"),
        (["--nodes", "x"], "nodes=x: how many ranks a node has, at least 1, or node, which leaves it a letter"),
        (["--nodes", "0"], "nodes=0: how many ranks"),
        (["--topology", "rong"], "did you mean 'ring'?"),
        (["--nodes", "8", "--format", "c"], "--format c is for costs without shared links; leave out --nodes"),
        (["--topology", "ring", "--versus", "ring"], "--versus is for costs without shared links; leave out --t"),
        (["--nodes", "8", "--at", "p=4,n=8"], "holds where 8 < p, p | n, not for p=4, node=8, n=8"),
    ],
)
def test_what_is_wrong_is_said(args, told):
    assert told in refused("cost", "ring", *args)
