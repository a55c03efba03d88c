"""Schedule files as a user meets them: the verdicts, the envelope, the export, the command line."""

from __future__ import annotations

import json
import resource
import xml.etree.ElementTree as ET
from pathlib import Path

import msgspec
import pytest

from sparring import InputError, export
from sparring import check_schedule as check
from sparring.proofs.logic.verdicts import Word
from sparring.schedules.checking import PROPERTIES
from sparring.schedules.formats import chakra, msccl
from sparring.schedules.messages import Act
from sparring.schedules.program import Block, Program, Rank, Step
from tests.sparring.calling import called, envelope_of, refused
from tests.sparring.schedules.plans import gathered, plan
from tests.sparring.schedules.programs import changed
from tests.sparring.schedules.programs import file as written
from tests.sparring.schedules.strangers import LAPS, PAIRS, addressed, forest, output, ring, trees

SAMPLES = Path(__file__).with_name("samples")
ASKED = ("collective", "ranks", "implements", "wrong_cells", "deadlock_free_depth", "races", "steps", "seconds")


def words(report):
    """Each property's word."""
    return {r.property: r.verdict.word for r in report.results}


@pytest.mark.parametrize("file", sorted(SAMPLES.glob("*.xml")), ids=lambda f: f.stem)
def test_a_right_file_holds(file):
    """All that is decided is proved, and the rest is named."""
    report = check(file)

    assert (report.verdict, report.extra["ranks"]) == ("holds", 8)
    assert report.extra["deadlock_free_depth"] == (2 if file.stem == "allreduce_ring_8" else 1)
    adds = report.extra["collective"] == "allreduce"
    assert words(report) == {
        **dict.fromkeys(("implements", "races", "deadlock", "hygiene"), Word.PROVED_AT),
        "agreement": Word.PROVED_AT if adds else Word.NOT_COVERED,
        "contention": Word.NOT_COVERED,
        "loader": Word.NOT_COVERED,
    }
    assert [gap.split(":")[0] for gap in report.not_covered] == ["agreement"] * (not adds) + ["contention", "loader"]
    assert [r.property for r in report.results] == list(PROPERTIES)


STRANGERS = {
    "trees.xml": (b'\xef\xbb\xbf<?xml version="1.0" ?>\n<!-- k = 1 -->\n' + forest(trees(4)), "trees of ForestColl"),
    "flows.json": (output(ring(), PAIRS), "flows of TE-CCL"),
    "a.msccl.json": (addressed(3, LAPS[:2]), ""),
    "plan.json": (plan(gathered(2)), "plan of MSCCL++"),
}


@pytest.mark.parametrize("name", STRANGERS)
def test_a_file_is_judged_by_what_it_is(name, tmp_path):
    """Its first element, after a mark, a declaration and a comment, or its keys; RCCL's reader is asked of MSCCL's."""
    file, (data, unread) = tmp_path / name, STRANGERS[name]
    file.write_bytes(data)
    report = check(file, load=True)
    assert (report.extra["collective"], report.extra["implements"]) == ("allgather", True)
    assert {prop for prop, word in words(report).items() if word is Word.PROVED_AT} >= {
        "implements",
        "races",
        "deadlock",
        "hygiene",
    }
    assert words(report)["agreement"] is Word.NOT_COVERED
    if unread:
        assert f"loader: RCCL reads MSCCL's XML, and no {unread}" in report.not_covered
        assert (report.verdict, report.extra["loader"]) == ("holds", [])


def test_the_envelope_has_what_is_asked_for():
    """And is JSON."""
    told = json.loads(check(SAMPLES / "allreduce_ring_8.xml").to_json())
    assert {key: told[key] for key in ASKED if key != "seconds"} == {
        "collective": "allreduce", "ranks": 8, "implements": True, "wrong_cells": [], "deadlock_free_depth": 2,
        "races": [], "steps": 240,
    }  # fmt: skip
    assert told["seconds"] < 60
    assert told["cost"]["volume"] == "7/4" and told["cost"]["messages"] == 28


@pytest.mark.parametrize(("buffer", "verdict"), [("i", "refuted"), ("o", "holds")])
def test_a_file_for_both_ways_is_right_both_ways(buffer, verdict, tmp_path):
    """Out of place, a program that leaves its sums in the input leaves the output empty; in place the two are one."""
    adds = Step("re", ("s", 0), ("i", 0)), Step("nop", count=0)
    if buffer == "o":
        adds = Step("cpy", ("i", 0), ("o", 0)), Step("re", ("s", 0), ("o", 0))
    steps = Step("s", ("i", 0)), Step("r", None, ("s", 0)), *adds
    ranks = tuple(Rank(1, 1, 1, (Block(0, steps, q, q),)) for q in (1, 0))
    file = tmp_path / "both.xml"
    for outofplace in (False, True):
        file.write_bytes(written(Program("mine", "allreduce", True, 1, ranks, outofplace=outofplace)))
        report = check(file)
        assert report.verdict == (verdict if outofplace else "holds")
    told = {"holds": "in place and out of place", "refuted": "o[0] holds nothing"}[verdict]
    assert told in report.results[0].detail and "out of place" in report.results[0].detail


def test_each_planted_bug_refutes_its_own(tmp_path):
    """A sum that lacks one, a race, a deadlock, a lost message, a link that two cross, what RCCL cannot load."""
    whole = msccl.read((SAMPLES / "allreduce_recursive_halving_doubling_8.xml").read_bytes())
    file = tmp_path / "bad.xml"

    def refuted(bad, **options):
        file.write_bytes(written(bad))
        report = check(file, **options)
        return {p for p, word in words(report).items() if word is Word.REFUTED}, report

    found, report = refuted(changed(whole, 0, 0, 1, op="r", src=None))
    assert found == {"implements"}
    assert report.extra["implements"] is False
    assert report.extra["wrong_cells"][0]["missing"]
    found, report = refuted(changed(whole, 0, 0, 0, after=None))
    assert "races" in found and report.extra["races"][0]["steps"]
    assert refuted(changed(whole, 0, 2, 0, after=(0, 3)))[0] == {"implements", "deadlock"}
    assert refuted(changed(whole, 0, 0, 3, op="nop", dst=None, count=0))[0] == {"implements", "hygiene"}
    assert refuted(whole, topology="ring")[0] == {"contention"}
    assert refuted(whole, load=True)[0] == {"loader"}
    assert refuted(whole)[0] == set()


@pytest.mark.parametrize("form", ["xml", "json"])
def test_who_waits_for_a_step_that_tells_nobody_waits_for_ever(tmp_path, form):
    """Runtimes let a step tell others that it has ended where its hasdep is 1; where it does, all is right."""
    whole = msccl.read((SAMPLES / "allgather_recursive_doubling_8.xml").read_bytes())
    (other, at), file = whole.ranks[0].blocks[1].steps[0].after or (-1, -1), tmp_path / f"mine.{form}"
    for tells in (True, False):
        one = changed(whole, 0, other, at, awaited=tells)
        file.write_bytes(written(one) if form == "xml" else msgspec.json.encode(one))
        report = check(file)
        deadlock = next(r for r in report.results if r.property == "deadlock")
        assert report.verdict == ("holds" if tells else "refuted")
        assert deadlock.detail.startswith("ends under" if tells else f"rank 0 block 1 step 0 waits for step {at} of")


def test_a_depth_that_is_asked_for_decides():
    """The fused ring needs room for two messages."""
    file = SAMPLES / "allreduce_ring_8.xml"
    assert words(check(file, depth=1))["deadlock"] is Word.REFUTED
    assert check(file, depth=2).verdict == "holds"
    with pytest.raises(InputError, match="depth = 0; right: the messages that a channel holds, 1 or more"):
        check(file, depth=0)


def test_a_result_with_races_is_only_tested(tmp_path):
    """One order of them gives the right sums: that is an example, no proof."""
    whole = msccl.read((SAMPLES / "allgather_recursive_doubling_8.xml").read_bytes())
    file = tmp_path / "raced.xml"
    seen = set()
    for r, rank in enumerate(whole.ranks):
        for block in rank.blocks:
            for s, step in enumerate(block.steps):
                if step.after:
                    file.write_bytes(written(changed(whole, r, block.id, s, after=None)))
                    found = words(check(file))
                    seen.add((found["races"], found["implements"]))
    assert (Word.REFUTED, Word.TESTED) in seen
    assert (Word.REFUTED, Word.PROVED_AT) not in seen


def test_an_unknown_collective_is_left_open(tmp_path):
    """It is not covered, and not right."""
    file = tmp_path / "odd.xml"
    file.write_text((SAMPLES / "allreduce_ring_8.xml").read_text().replace('coll="allreduce"', 'coll="alltonext"'))
    report = check(file)
    assert words(report)["implements"] is Word.NOT_COVERED
    assert report.extra["implements"] is None
    assert "nothing is known of 'alltonext'" in report.not_covered[0]


@pytest.mark.parametrize("form", ["msccl", "json", "goal", "chakra"])
def test_what_is_exported_is_judged(form, tmp_path):
    """Read back and right; of messages alone only what they tell."""
    files = export("rabenseifner", 5, form, tmp_path / "mine", size=1000)
    report = check(files[0])

    assert report.verdict == "holds"
    assert report.extra["ranks"] == 5
    assert report.extra["implements"] is (True if form in ("msccl", "json") else None)
    if form in ("goal", "chakra"):
        assert words(report)["implements"] is words(report)["races"] is Word.NOT_COVERED
        assert report.extra["cost"]["unit"] == "bytes"
        assert report.extra["messages"] == check(export("rabenseifner", 5, "json", tmp_path / "j")[0]).extra["messages"]


def test_the_sizes_of_messages_are_the_page_s(tmp_path):
    """Summed over the ring: 2 (p - 1) times the vector."""
    report = check(export("ring", 7, "goal", tmp_path / "r", size=1001)[0])
    assert report.extra["cost"]["total"] == str(12 * 1001)


def test_a_lossy_page_is_not_exported(tmp_path):
    """No file could say what it leaves out."""
    with pytest.raises(
        InputError, match="page ring_topk sends the entries that their values select, which no schedule file can say"
    ):
        export("ring_topk", 4, "msccl", tmp_path / "x", k=2)
    with pytest.raises(InputError, match="no format 'nccl'; there are msccl, json, goal and chakra"):
        export("ring", 4, "nccl", tmp_path / "x")
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be written"):
        export("ring", 4, "goal", tmp_path / "file" / "x")
    with pytest.raises(InputError, match="size = 0; right"):
        export("ring", 4, "goal", tmp_path / "x", size=0)


def test_a_file_that_is_none(tmp_path):
    """One sentence, with its name."""
    cases = {
        "none.xml": (None, "no such file"),
        "folder.xml": ("folder", "no regular file"),
        "mine.txt": (b"x", "no schedule file; right: a name that ends in .xml, .json, .goal or .et"),
        "mine.et": (b"x", "no rank in the name; right: NAME.0.et, beside the files of the other ranks"),
        "mine.1.et": (b"x", "no file"),
        "mine.xml": (b"<algo/>", "line 1: ngpus"),
        "scc.json": (b'{"msccl_type": "topology"}', "."),
        "odd.xml": (b'<?xml version="1.0"?><html/>', "<html> at the top; right: <algo> (MSCCL) or <Algo> (ForestColl)"),
        "open.xml": (b"<!-- <html/>", "line 1: no XML ("),
        "long.xml": (b"<!---->" * 10**6 + b"<html/>", "<html> at the top"),
        "tree.xml": (b"<tree/>", "<tree> at the top; right: <algo> (MSCCL) or <Algo> (ForestColl)"),
        "odd.json": (b'{"steps": 3}', 'an object of no format that is known; right: one with "format" (ours), '),
        "list.json": (b"[]", 'right: an object with "format" (ours)'),
        "deep.json": (b'{"x":' + b"[" * 100000, 'right: an object with "format" (ours)'),
    }
    for name, (data, told) in cases.items():
        path = tmp_path / name
        if data == "folder":
            path.mkdir()
        elif data is not None:
            path.write_bytes(data)
        with pytest.raises(InputError) as caught:
            check(path)
        assert str(caught.value).startswith(f"{path}: "), name
        assert told == "line 1: ngpus" or told in str(caught.value), name


def test_a_file_that_is_too_large(tmp_path, monkeypatch):
    """Is not read to its end; nor are a trace's files together."""
    monkeypatch.setattr("sparring.schedules.formats.files.SIZE", 100)
    with pytest.raises(InputError, match="more than 100 bytes; at most so many are read"):
        check(export("ring", 3, "msccl", tmp_path / "r")[0])
    with pytest.raises(InputError, match="larger than 100 bytes together"):
        check(export("ring", 3, "chakra", tmp_path / "r")[0])


def test_the_command_checks_a_file(tmp_path, monkeypatch):
    """A table, the costs, the coverage; exit codes 0, 1, 2; the envelope; and a page, if asked for of a right one."""
    monkeypatch.chdir(tmp_path)
    file = SAMPLES / "allreduce_ring_8.xml"
    code, text, _ = called("check", file)
    assert code == 0
    for told in ("implements  proved for p = 8", "allreduce: 8 ranks, 240 steps, 224 messages", "holds: 5 proved"):
        assert told in text
    code, text, _ = called("check", file, "--depth", 1)
    assert code == 1 and "See: sparring-failures/allreduce_ring_8.xml.html" in text
    assert called("check", file, "--html", "right.html")[0] == 0
    assert "the messages, step by step" in Path("right.html").read_text(encoding="utf-8")
    assert called("check", file, "--load")[0] == 1
    assert called("check", file, "--topology", "ring")[0] == 0
    assert called("check", SAMPLES / "none.xml")[0] == 2
    assert envelope_of("check", file)["deadlock_free_depth"] == 2


def test_options_of_schedules_are_theirs_alone():
    """For a function they are refused, and for a command and a library."""
    assert "--depth is for schedule files" in refused("check", "mine.py:f", "--depth", 2)
    assert "--load is for schedule files" in refused("check", "--load", "--", "./a.out", "{p}", "{input}", "{output}")
    assert "--depth does not go with --library" in refused("check", "--library", "openmpi", "--depth", 2)


OF_NONE = [
    ("--algorithm", "ring"), ("--ranks", "4"), ("--level", "steps"), ("--contract", "mean"), ("--on", "mpi"),
    ("--only", "races"), ("--xfail", "races=why"), ("-P", "k=3"), ("--sparse",),
]  # fmt: skip


@pytest.mark.parametrize("option", OF_NONE)
def test_what_says_nothing_of_a_schedule_file_is_refused(option):
    """By name, since it would be passed over: a file of 8 ranks is none of 4, and its sum no mean."""
    told = refused("check", SAMPLES / "allreduce_ring_8.xml", *option)
    assert f"{option[0]} does not go with a schedule file" in told


def test_a_rank_without_its_trace_is_no_end_of_the_ranks(tmp_path):
    """Of a rank in the middle, which may send nothing; another program's traces may lie beside."""
    for r in range(4):
        acts = (Act("send", 8, 1 - r) if r == 0 else Act("recv", 8, 1 - r),) if r < 2 else ()
        (tmp_path / f"mine.{r}.et").write_bytes(chakra.trace(r, acts))
    (tmp_path / "mine.2.9.et").write_bytes(b"")
    assert check(tmp_path / "mine.0.et").extra["ranks"] == 4
    (tmp_path / "mine.2.et").unlink()
    with pytest.raises(InputError, match=r"no file .*mine.2.et; right: one for each rank, from 0 on"):
        check(tmp_path / "mine.0.et")


def test_floors_and_junit_reach_schedule_files(tmp_path, monkeypatch):
    """What nobody asked for is not weak; what the file leaves open is; and pyproject.toml may ask for both."""
    ring, junit = SAMPLES / "allreduce_ring_8.xml", tmp_path / "found.xml"
    goal, other = tmp_path / "ring.goal", tmp_path / "other.xml"
    export("ring", 3, "goal", tmp_path / "ring")
    other.write_text(ring.read_text().replace('"allreduce"', '"gossip"'))

    for file, code in ((ring, 0), (goal, 0), (other, 1)):
        assert called("check", file, "--fail-under", "proved", "--junit", junit)[0] == code
    cases = ET.parse(junit).getroot().iter("testcase")
    assert {case.get("name"): case[0].tag if len(case) else "" for case in cases} == {
        "implements": "failure", "agreement": "skipped", "races": "", "deadlock": "", "hygiene": "",
        "contention": "skipped", "loader": "skipped",
    }  # fmt: skip
    (tmp_path / "pyproject.toml").write_text('[tool.sparring]\nfail-under = "tested"\njunit = "mine.xml"\n')
    monkeypatch.chdir(tmp_path)
    assert called("check", other)[0] == 1
    assert "gossip" in Path("mine.xml").read_text()


def test_the_command_exports(tmp_path):
    """One file, or one a rank; a page's parameters are its own."""
    common = ("--ranks", 2, "--out", tmp_path)
    code, text, _ = called("export", "recursive_multiplying", "-P", "radix=3", "--format", "msccl", *common)
    assert (code, text) == (0, f"written: {tmp_path / 'recursive_multiplying-2.xml'}\n")
    told = envelope_of("export", "ring", "--format", "chakra", *common)
    assert told["files"] == [str(tmp_path / f"ring-2.{r}.et") for r in (0, 1)]
    assert called("check", tmp_path / "ring-2.1.et")[0] == 0
    assert called("export", "nothing", "--format", "goal", *common)[0] == 2
    assert "needs ALGO and --ranks N" in called("export", "ring", "--format", "goal")[2]


def test_an_export_that_is_interrupted_leaves_nothing(tmp_path):
    """No half of a file, no folder of our own; what was there before stays."""

    def track(ranks, name):
        for r in ranks:
            if r == 3:
                raise KeyboardInterrupt(name)
            yield r

    for form in ("goal", "chakra"):
        [*before] = export("ring", 2, form, tmp_path / "mine")
        kept = {file: file.read_bytes() for file in before}
        with pytest.raises(KeyboardInterrupt, match="ring"):
            export("ring", 5, form, tmp_path / "mine", track=track)
        assert {file: file.read_bytes() for file in tmp_path.iterdir()} == kept
        for file in before:
            file.unlink()


def test_a_disk_that_is_full_is_told(tmp_path):
    """In one sentence; nothing is left."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**12, hard))
    try:
        with pytest.raises(InputError, match=r"mine cannot be written: File too large$"):
            export("ring", 32, "msccl", tmp_path / "mine")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [*tmp_path.iterdir()] == []
