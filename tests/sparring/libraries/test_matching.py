"""Pages are found by what each pair of ranks sends; a fault in a page or in what was counted is told."""

import inspect

import pytest

from sparring.libraries import matching
from sparring.libraries.audit import compared, spelled, where
from sparring.libraries.counting import Amount, Sent
from sparring.libraries.matching import Played, Stage, difference, explained
from sparring.libraries.selection import Algorithm
from sparring.proofs.logic import verdicts
from sparring.proofs.logic.verdicts import NOT_COVERED, REFUTED
from sparring.spec.core import pages

FAULTS = {
    "the other way around": [
        ("return (r + 1) % p", "return (r - 1) % p "),
        ("return (r - 1) % p\n", "return (r + 1) % p\n"),
    ],
    "one step less": [("return 2 * (p - 1)", "return 2 * p - 3")],
}
RING = {  # Open MPI 5.0.11, coll_tuned_allreduce_algorithm 4, 1003 float64 on 3 ranks
    (0, 1): Amount(4, 10704),
    (1, 2): Amount(4, 10696),
    (2, 0): Amount(4, 10696),
}
DOUBLING = {  # algorithm 3, 840 float64 on 5 ranks
    (0, 1): Amount(1, 6720), (1, 0): Amount(1, 6720), (1, 2): Amount(1, 6720), (1, 3): Amount(1, 6720),
    (2, 1): Amount(1, 6720), (2, 4): Amount(1, 6720), (3, 1): Amount(1, 6720), (3, 4): Amount(1, 6720),
    (4, 2): Amount(1, 6720), (4, 3): Amount(1, 6720),
}  # fmt: skip


def names(collective, runs):
    return [str(one) for one in explained(collective, runs)]


def test_the_ring_is_found_however_it_cuts_its_chunks():
    assert names("allreduce", {(3, 1003): RING}) == ["ring"]


def test_a_run_of_another_algorithm_has_a_page_of_its_own():
    found = explained("allreduce", {(3, 1003): RING, (5, 840): DOUBLING})
    assert {one.name: set(one.runs) for one in found} == {"ring": {(3, 1003)}, "recursive_doubling": {(5, 840)}}


@pytest.mark.parametrize(("pair", "change"), [((0, 1), (1, 0)), ((1, 2), (0, 8)), ((2, 0), (-1, -8))])
def test_a_message_or_a_byte_more_is_no_page_s(pair, change):
    old = RING[pair]
    assert (
        names("allreduce", {(3, 1003): {**RING, pair: Amount(old.messages + change[0], old.nbytes + change[1])}}) == []
    )


def test_messages_in_segments_are_told_as_such():
    cut = {pair: Amount(3 * one.messages, one.nbytes) for pair, one in RING.items()}
    assert names("allreduce", {(3, 1003): cut}) == ["ring in up to 3 segments"]


def test_halves_of_a_vector_are_cut_in_other_ways_too():
    """Open MPI gives the longer half to the left side, odd ranks; the page to the right one; no page alternates."""
    seen = {(0, 1): Amount(1, 24), (0, 2): Amount(1, 16), (1, 2): Amount(1, 24), (2, 1): Amount(1, 16)}
    assert names("bcast", {(3, 5): seen}) == ["split_binary_bcast"]
    assert names("bcast", {(3, 5): {pair: Amount(1, 40 - one.nbytes) for pair, one in seen.items()}}) == [
        "split_binary_bcast"
    ]
    assert names("bcast", {(3, 5): {**seen, (2, 1): Amount(1, 24)}}) == []


def test_vectors_may_be_halved_again_and_again():
    """As in Open MPI's reduction by halves, of 11 entries; others are cut in no known way."""
    (stage,) = (one for one in matching.known() if one.page.name.endswith("rabenseifner_reduce"))
    for sizes, found in (((1, 1, 1, 2, 1, 2, 1, 2), ["rabenseifner_reduce"]), ((1, 1, 2, 1, 1, 1, 2, 2), [])):
        assert names("reduce", {(8, 11): stage.sent(8, sizes)}) == found


def test_cuts_of_libraries_have_all_entries():
    """In order, and none twice."""
    for cut in matching.WAYS.values():
        for of, n in ((1, 3), (3, 10), (4, 11), (8, 5), (8, 1003)):
            begins = [cut(c, n, of) for c in range(of + 1)]
            assert begins == sorted(begins)
            assert (begins[0], begins[-1]) == (0, n)


def test_empty_messages_may_be_left_out():
    """Open MPI 5.0.11 scatters 5 entries to 4 ranks in twos, sends the last none, and then goes around with all."""
    seen = {
        (0, 1): Amount(4, 40),
        (0, 2): Amount(1, 8),
        (1, 2): Amount(3, 32),
        (2, 3): Amount(3, 40),
        (3, 0): Amount(3, 24),
    }
    assert names("bcast", {(4, 5): seen}) == ["scatter_ring_bcast"]
    for change in (-1, 2):
        wrong = seen | {(2, 3): Amount(3 + change, 40)}
        assert names("bcast", {(4, 5): wrong}) == []


def test_chunks_that_lie_in_no_row_may_be_sent_one_by_one():
    """As Open MPI's Sparbit does, but for the same chunks in one message, or a message more."""
    sends = [(r, (r + far) % 5, many) for r in range(5) for far, many in ((4, 1), (2, 1), (1, 2))]
    for messages, found in ((2, ["sparbit_allgather, chunk by chunk"]), (1, ["sparbit_allgather"]), (3, [])):
        seen = {(r, d): Amount(messages if many == 2 else 1, 40 * many) for r, d, many in sends}
        assert names("allgather", {(5, 5): seen}) == found


def test_chunks_may_be_passed_on_by_who_has_just_got_them():
    """As in Open MPI 5.0.11, bcast 8, on 5 ranks: rank 0 hears rank 4's chunk, tells 2, and both tell the others."""
    counts = {
        (0, 1): (3, 4032), (0, 2): (3, 6720), (0, 4): (2, 6720), (1, 0): (1, 1344), (1, 3): (1, 2688),
        (2, 0): (1, 2688), (2, 3): (3, 4032), (3, 1): (1, 2688), (3, 2): (1, 1344), (4, 0): (1, 1344),
    }  # fmt: skip
    seen = {pair: Amount(*one) for pair, one in counts.items()}
    assert names("bcast", {(5, 840): seen}) == ["scatter_relay_bcast"]
    wrong = seen | {(0, 1): Amount(2, 2688), (2, 1): Amount(1, 1344)}  # rank 2 tells rank 1
    assert names("bcast", {(5, 840): wrong}) == []


def test_a_reduction_and_a_broadcast_are_two_pages():
    seen = {pair: Amount(1, 80) for r in range(1, 8) for pair in [(r, 0), (0, r)]}
    assert names("allreduce", {(8, 10): seen}) == ["linear_reduce + linear_bcast"]


def test_of_pages_that_send_the_same_the_named_one_counts():
    """On 3 ranks a binomial tree is linear, too."""
    seen = {pair: Amount(1, 80) for r in range(1, 3) for pair in [(r, 0), (0, r)]}
    for name, page in (("basic_linear", "linear_reduce + linear_bcast"), ("own choice", "")):
        result, (one,), _ = compared(Algorithm("allreduce", name), {(3, 10): Sent(seen)})
        assert result.verdict == verdicts.tested(1)
        assert one.name == page or not page


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_in_the_page_makes_the_comparison_fail(name, monkeypatch, tmp_path):
    """And the page as it is makes it pass: see the twin in the last lines."""
    text = inspect.getsource(pages.find("ring").module)
    for old, new in FAULTS[name]:
        assert old in text
        text = text.replace(old, new)
    planted = tmp_path / "ring.py"
    planted.write_text(text)
    ours = [Stage(pages.find(str(planted)))]
    runs = {(3, 1003): Sent(RING)}
    algorithm = Algorithm("allreduce", "ring")
    twin, _, _ = compared(algorithm, runs)
    assert twin.verdict == verdicts.tested(1)
    monkeypatch.setattr(matching, "known", lambda: ours)
    result, cover, gap = compared(algorithm, runs)
    assert (result.verdict, cover) == (REFUTED, [])
    assert gap.startswith("p=3 n=1003: nearest is ring: rank ")


def test_without_a_name_what_no_page_sends_is_not_covered():
    seen = {(0, 2): Amount(1, 40), (1, 0): Amount(1, 40), (2, 1): Amount(1, 40)}
    result, _, gap = compared(Algorithm("allreduce", "own choice"), {(3, 5): Sent(seen)})
    assert result.verdict == NOT_COVERED
    assert gap == result.detail
    assert "rank 0 sends rank" in gap


def test_the_first_pair_that_differs_is_told():
    assert difference(RING, RING) == ""
    less = {pair: one for pair, one in RING.items() if pair != (1, 2)}
    told = difference(RING, less)
    assert told == "rank 1 sends rank 2 0 messages of 0 bytes in all, by the page 4 messages of 10696 bytes in all"


def test_blocks_are_as_long_as_the_caller_says():
    """A page's own way to cut a vector does not count where the counts of an MPI call do."""
    gathered = Played((Stage(pages.find("sparring.spec.exchanges.direct_allgather")),)).sent("allgatherv", 3, 10)
    assert gathered == {(r, s): Amount(1, 8 * (10 + r)) for r in range(3) for s in range(3) if r != s}


def test_runs_are_told_by_ranks_and_lengths():
    assert where([(2, 5), (2, 840), (2, 1003)]) == "p = 2"
    assert where([(2, 5), (3, 5), (5, 5), (3, 840)]) == "p = 2-3, 5 at n = 5 and p = 3 at n = 840"
    assert spelled([1, 3, 4, 5, 8]) == "1, 3-5, 8"


def in_order(first, size):
    """Open MPI's in-order binary tree of so many ranks, rank by rank: who sends to whom, its root last."""
    halves = [(first, size // 2), (first + size // 2, (size - 1) // 2)]
    below = [pair for start, many in halves if many for pair in in_order(start, many)]
    return [*below, *((start + many - 1, first + size - 1) for start, many in halves if many)]


def test_ranks_in_the_order_of_a_tree_are_those_of_the_page():
    """However many there are; the sum ends on the first."""
    stage = Stage(pages.find("sparring.spec.collectives.postorder_reduce"))
    for p in range(1, 40):
        assert sorted((src, dst) for src, dst, _ in stage.plan(p)) == sorted(
            [*in_order(0, p), (p - 1, 0)][: p * (p > 1)]
        )
