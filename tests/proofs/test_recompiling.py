"""Instances in Coq judged again: what was written holds, and nothing that was changed since does."""

import shutil
import subprocess
import time
from hashlib import sha256
from pathlib import Path

import pytest

import sparring
from sparring.errors import InputError
from sparring.proofs.coq.check import HERE, REQUIRED
from sparring.proofs.kernel import certificates, instances, manifest, rechecking, recompiling
from sparring.proofs.kernel.recompiling import Bench
from sparring.proofs.logic.verdicts import NOT_COVERED, PROVED, REFUTED, UNDECIDED
from sparring.proofs.proving import proving
from sparring.proofs.reading.annotations import subject
from tests.proofs.test_coq import COQC, needs_coq
from tests.proofs.test_rechecking import manifest as written

PAGE = sparring.page("ring_allgather")
SCHEDULE, RESULT, MACHINE = "coq/ring_allgather_schedule.v", "coq/ring_allgather_result.v", "coq/machine.v"


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """The theorem about the result, written down."""
    folder = tmp_path_factory.mktemp("exported")
    attempts = [next(a for a in proving.prove(PAGE) if a.name == "result")]
    entries = [entry for a in attempts for entry in certificates.export(a, PAGE, folder)]
    certificates.conclude(entries, instances.export(subject(PAGE), attempts, folder), folder)
    return folder


@pytest.fixture
def folder(exported, tmp_path):
    """A copy, to be changed."""
    return shutil.copytree(exported, tmp_path / "copy")


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    """Where texts are compiled, each once, for all tests."""
    return tmp_path_factory.mktemp("room"), {}


def judged(folder, room):
    """The verdict and the detail of the one theorem that has an instance."""
    found = manifest.manifest(folder)
    bench = Bench(found.generic, folder, room[0])
    bench.known = room[1]
    return bench.judge(found.instances[0])


def rewritten(folder, name, old, new):
    """A file that says something else, its digest made to fit, as who forges a certificate would do."""
    text = (folder / name).read_text()
    assert old in text
    (folder / name).write_text(text.replace(old, new, 1))
    digest = sha256((folder / name).read_bytes()).hexdigest()
    with written(folder) as data:
        for files in (data["coq"]["generic"], data["coq"]["certificates"][0]["files"]):
            if name in files:
                files[name] = digest


@pytest.fixture
def full(room, prepared):
    """The same with all that instances need."""
    prepared(bench := Bench({}, room[0], room[0]))
    room[1].update(bench.known)
    return room


@needs_coq
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_what_was_written_holds(folder, full):
    """From the files alone."""
    verdict, detail = judged(folder, full)

    assert (verdict, detail.partition(": ")[2]) == (PROVED, "Closed under the global context")


@pytest.mark.parametrize("name", [SCHEDULE, RESULT, MACHINE, "coq/wrap.v"])
def test_a_changed_or_missing_file_is_seen(folder, name, room):
    """Whatever was changed in it; no Coq is needed for that."""
    (folder / name).write_text((folder / name).read_text() + "\n")
    assert judged(folder, room) == (REFUTED, f"{name} is not the file that was written: its digest is another")
    (folder / name).unlink()
    assert judged(folder, room) == (REFUTED, f"there is no file {folder / name}")


@pytest.mark.parametrize(
    ("name", "old", "new", "verdict", "said"),
    [
        (RESULT, "Qed.", "Admitted.", REFUTED, "Admitted leaves something unproved"),
        (RESULT, "Theorem page_is", "Axiom no : False.\nTheorem page_is", REFUTED, "Axiom leaves something unproved"),
        (MACHINE, "Theorem", "Axiom no : False.\nTheorem", REFUTED, "Axiom leaves something unproved"),
        (MACHINE, "then op", "then id op", UNDECIDED, "not as this version of sparring writes it"),
        (RESULT, "Proof.", "Proof. Fail idtac.", UNDECIDED, "not as this version of sparring writes it"),
        (RESULT, "  intro. constructor.", '  Redirect "out" Print nat. intro. constructor.', UNDECIDED, "not as this"),
        (SCHEDULE, "goal q r c p := ", "goal q r c p := ltac:(exact true) && ", UNDECIDED, "not as this version"),
    ],
)
def test_a_forged_file_proves_nothing(folder, name, old, new, verdict, said, room):
    """Though its digest fits: what this version would not write is not run."""
    rewritten(folder, name, old, new)
    found, detail = judged(folder, room)

    assert found == verdict and detail.startswith(name) and said in detail


@pytest.mark.slow
@needs_coq
@pytest.mark.timeout(600)
def test_a_forged_formula_is_not_covered(folder, full):
    """Coq does not prove it, and says which obligation is in the way."""
    rewritten(folder, SCHEDULE, "steps p := (p - (1))", "steps p := (p - (2))")

    assert judged(folder, full)[0] == NOT_COVERED
    assert judged(folder, full)[1].startswith("not covered by Coq: steps >= 0: ")


def test_without_coq_it_is_said(folder, room, monkeypatch):
    """Never left out, and never wrong; what was changed is seen all the same."""
    monkeypatch.setattr(recompiling.shutil, "which", lambda name: None)
    why = "not covered by Coq: coqc is not installed: apt-get install coq (8.16 or later) brings it"
    assert judged(folder, room) == (NOT_COVERED, why)

    (folder / RESULT).write_text("")
    assert judged(folder, room)[0] == REFUTED


def test_a_page_that_cannot_be_written_down_is_told(tmp_path):
    """In the manifest, from which it is told again."""
    page = sparring.page("recursive_doubling")
    whole = subject(page.__class__(**{**{f: getattr(page, f) for f in page.__slots__}, "encoding": "wrap"}))
    theorem = next(a for a in proving.prove(PAGE) if a.name == "result")
    (entry,) = instances.export(whole, [theorem], tmp_path)

    assert entry["files"] == {}
    verdict, detail = Bench({}, tmp_path, tmp_path).judge(entry)
    assert verdict == NOT_COVERED
    why = "recursive_doubling: instances of Coq for formulas read as wrap know no bit_length"
    assert detail == f"not covered by Coq: {why}"


def test_a_proof_that_takes_too_long_is_killed_with_all_that_it_started(tmp_path):
    """And is not covered."""
    script = tmp_path / "coqc"
    script.write_text("#!/bin/sh\nsleep 100 &\necho $! > pid\nwait\n")
    script.chmod(0o755)
    bench = Bench({}, tmp_path, tmp_path)
    bench.coqc, bench.seconds = str(script), 1

    assert bench.fault("page", "text") == "page.v takes more than 1 s"
    pid = int((tmp_path / "pid").read_text())
    deadline = time.monotonic() + 10
    while Path(f"/proc/{pid}").exists() and time.monotonic() < deadline:
        time.sleep(0.05)  # until who adopted it has seen its end
    assert not Path(f"/proc/{pid}").exists()


@needs_coq
def test_an_assumption_is_seen_by_the_file_that_is_made_here(tmp_path):
    """Whatever the files that were written say of themselves."""
    bench = Bench({}, tmp_path, tmp_path)
    fault = bench.fault("a_judged", "Axiom no : False.\nTheorem judged : False. Proof no.\nPrint Assumptions judged.\n")

    assert fault.startswith("a_judged rests on Axioms: no : False")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"files": {"coq/../x.v": "0" * 64}}, "coq certificate 0: files is"),
        ({"files": {SCHEDULE: "0"}}, "coq certificate 0: files is"),
        ({"files": {RESULT: "0" * 64}}, f"coq certificate 0: files are {RESULT}: they must be {SCHEDULE}, {RESULT}"),
        (
            {"expected": "yes"},
            "coq certificate 0: expected is 'yes': it must be one of Closed under the global context",
        ),
        ({"theorem": "peers"}, "coq certificate 0: theorem is 'peers': it must be one of result, agreement"),
        ({"more": 1}, "coq certificate 0: the field 'more' is unknown"),
    ],
)
def test_a_strange_manifest_is_bad_input(folder, fields, sentence):
    """One sentence, and no file outside is looked at."""
    with written(folder) as data:
        data["coq"]["certificates"][0].update(fields)
    with pytest.raises(InputError) as caught:
        manifest.manifest(folder)
    assert sentence in str(caught.value)


@needs_coq
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_files_stand_alone(folder, compiled):
    """In the order of the list, without anything of sparring's, each is accepted and rests on nothing.

    Those that all instances need are the files of ``proofs/coq``, which are compiled already.
    """
    coq, ours = folder / "coq", {row.file for row in compiled[1] if row.fault is None}
    before: set[str] = set()
    for name in (coq / "_CoqProject").read_text().splitlines()[1:]:
        text = (coq / name).read_text()
        assert {*" ".join(REQUIRED.findall(text)).split()} <= before
        before.add(Path(name).stem)
        if name in ours:
            assert text == (HERE / name).read_text()
            shutil.copy((compiled[0] / name).with_suffix(".vo"), coq)
            continue
        done = subprocess.run([str(COQC), "-q", name], cwd=coq, text=True, capture_output=True, check=True)
        assert {*done.stdout.splitlines()} == {"Closed under the global context"}


def test_in_coq_too_the_sentence_is_ours(folder, monkeypatch):
    """Of the page at hand, with its formulas; of other formulas, or another page, only what Coq was asked."""
    monkeypatch.setattr(Bench, "proved", lambda self, *_: (PROVED, "as Coq says"))

    def told(**fields):
        with written(folder) as data:
            data["coq"]["certificates"][0].update(fields)
        *_, found = rechecking.recheck(folder)
        return found.verdict, found.statement

    assert told()[0] == PROVED and told()[1].endswith("exactly once (allgather).")
    assert told(statement="Every rank has the exact sum.") == told()
    rewritten(folder, SCHEDULE, "steps p := (p - (1))", "steps p := (p - (2))")
    assert told() == (UNDECIDED, "result of formulas that were not compared with a page.")
