"""The Coq files hold, and they need each of their hypotheses."""

import re
import shutil
from pathlib import Path

import pytest

from sparring.proofs.coq.check import HERE, Checked, check_file

pytestmark = pytest.mark.timeout(500)  # all files are compiled, whatever else the machine does
COQC = shutil.which("coqc")
needs_coq = pytest.mark.skipif(COQC is None, reason="coqc is not installed (apt-get install coq)")

FILES = sorted(HERE.glob("*.v"))


@pytest.fixture(scope="session")
def few(once):
    """A folder in which only the files are compiled that the theorem about schedules needs, in seconds."""
    names = ("sums", "machine", "schedule")
    folder, rows = once("few", lambda folder: [check_file(str(COQC), folder, HERE / f"{name}.v") for name in names])
    return folder, [Checked(*row) for row in rows]


@pytest.fixture
def place(request):
    """All files compiled for a slow test, and the few for another."""
    return request.getfixturevalue("compiled" if request.node.get_closest_marker("slow") else "few")


def rather(names, quick):
    """All but the quick ones are slow."""
    return [pytest.param(name, marks=[] if name in quick else pytest.mark.slow) for name in names]


def original(name: str) -> str:
    """The text of that file of ``proofs/coq``."""
    return (HERE / f"{name}.v").read_text(encoding="utf-8")


def replaced(text: str, old: str, new: str) -> str:
    """``text`` with its one ``old`` replaced, so that no mutant is an accidental copy."""
    assert text.count(old) == 1, f"{text.count(old)} times in the file: {old!r}"
    return text.replace(old, new)


def without(text: str, hypothesis: str) -> str:
    """``text`` in which that field of a record, or that section hypothesis, says only ``True``."""
    pattern = rf"(?m)(^  {hypothesis} :|^Hypothesis {hypothesis} :)[^;}}]*?(;\n|\n\}}\.|\.\n)"
    mutant, times = re.subn(pattern, r"\1 True\2", text)
    assert times == 1, f"{times} hypotheses are called {hypothesis}"
    return mutant


def stops_in(room, folder: Path, changed: str, text: str, user: str) -> str:
    """In the proof of which lemma of the file ``user`` coqc stops when the file ``changed`` has that text."""
    copy = shutil.copytree(room[0], folder / "room")
    mutant = folder / f"{changed}.v"
    mutant.write_text(text, encoding="utf-8")
    row = check_file(str(COQC), copy, mutant)
    if user != changed:
        assert row.fault is None, row.fault
        row, text = check_file(str(COQC), copy, HERE / f"{user}.v"), original(user)
    return proof_at_fault(row, text)


def proof_at_fault(row: Checked, text: str) -> str:
    """The name of the lemma in whose proof, not in whose statement, the fault lies."""
    assert row.fault is not None, "the mutant compiles"
    assert "Syntax error" not in row.fault
    where = re.match(rf'File "\./{row.file}", line (\d+)', row.fault)
    assert where, row.fault
    before = "\n".join(text.splitlines()[: int(where[1])])
    name = re.findall(r"^(?:Lemma|Theorem) (\w+)", before, re.MULTILINE)[-1]
    assert before.rindex("Proof.") > before.rindex(f" {name}"), f"stopped in the statement: {row.fault}"
    return str(name)


@needs_coq
@pytest.mark.slow
def test_the_files_hold(compiled):
    """Every file compiles, without an assumption, after those that it requires."""
    names = [row.file for row in compiled[1]]
    assert sorted(names) == [file.name for file in FILES]
    assert names.index("machine.v") < names.index("schedule.v") < names.index("exchange.v")
    assert [(row.file, row.fault) for row in compiled[1]] == [(name, None) for name in names]


@needs_coq
def test_few_files_hold(few):
    """Those of the theorem about schedules, in the order in which they require one another."""
    assert [(row.file, row.fault) for row in few[1]] == [(f"{n}.v", None) for n in ("sums", "machine", "schedule")]


@needs_coq
@pytest.mark.slow
def test_the_readme_names_the_theorems(compiled):
    """README.md speaks of every theorem about pages and programs, under its own name."""
    said = set(re.findall(r"`(\w+)`", (HERE / "README.md").read_text(encoding="utf-8")))
    helpers = {"sums.v", "machine.v", "program.v"}
    assert {name for row in compiled[1] if row.file not in helpers for name in row.theorems} <= said


# By the file that makes hypotheses, the file that needs them and the lemma whose proof stops without: these.
USED = {
    "sums sums sum_op": "op_assoc op_comm op_zero",
    "machine schedule exactly_once": "steps_nonneg",
    "machine machine val_step": "src_in_range dst_of_src src_of_dst",
    "schedule schedule invariant": "base live_from_live step disjoint",
    "schedule schedule exactly_once": "conclusion",
    "terms terms same_invariant": "same_base same_step",
    "terms terms same_terms": "same_conclusion",
    "several several_schedule several_exactly_once": "steps_nonneg",
    "several several arrives": "src_in_range dst_of_src src_of_dst",
    "several_schedule several_schedule invariant": "base live_from_live live_each",
    "several_schedule several_schedule step_adds": "step disjoint brought_once",
    "several_schedule several_schedule several_exactly_once": "conclusion",
    "several_terms several_terms parts_sorted": "not_to_itself one_from_a_rank",
    "several_terms several_terms val_overwrites": "overwritten_once",
    "several_terms several_terms same_invariant": "same_base same_step",
    "several_terms several_terms parts_same": "same_both_ways has_counterpart same_order",
    "several_terms several_terms several_same_terms": "same_conclusion",
    "kahn kahn move_same": "undisturbed",
    "pages pages copies_val": "schedule_matched silent",
    "pages pages sends_complete": "dst_in_range",
    "feedback feedback sent_or_kept": "monoid",
    "feedback feedback one_call": "lossless",
    "points points sum_listed": "monoid",
    "points_sound points_sound meaning_nothing": "monoid scale_zero",
    "points_sound points_sound total_scale": "scale_adds",
    "points_sound points_sound read_is_sound": "owner_is_a_rank",
    "points_sound points_sound whole_denotes": "same_arguments",
    "points_sound points_sound value_of_number": "so_far",
    "points_results points_results value_is": "monoid scale_adds scale_zero owner_is_a_rank same_arguments "
    "inputs_denote can_be_read has_run",
    "sequences sequences arrived_on": "is_over",
    "sequences sequences moves_on": "is_blind",
}
NEEDED = [
    (maker, one, user, lemma)
    for (maker, user, lemma), hypotheses in ((key.split(), value.split()) for key, value in USED.items())
    for one in hypotheses
]


IDLE = {"-".join(need[:2]): need for need in NEEDED}


@needs_coq
@pytest.mark.parametrize("need", rather(IDLE, ["sums-op_assoc", "machine-dst_of_src", "schedule-step"]))
def test_no_hypothesis_is_idle(need, place, tmp_path):
    """Without any one hypothesis the proofs no longer go through, and they stop where it is used."""
    maker, hypothesis, user, lemma = IDLE[need]
    mutant = without(original(maker), hypothesis)
    assert stops_in(place, tmp_path, maker, mutant, user) == lemma


def test_every_hypothesis_is_tried():
    """The list above holds every field of every record of hypotheses and every section hypothesis about a page."""
    record = re.compile(r"^Record .*? : Prop := \{(.*?)^\}\.", re.MULTILINE | re.DOTALL)
    field = re.compile(r"^  (\w+) :", re.MULTILINE)
    asked = {
        (name, hypothesis)
        for name in ("sums", "machine", "schedule", "terms", "several", "several_schedule", "several_terms")
        for body in record.findall(original(name))
        for hypothesis in field.findall(body)
    }
    files = ("kahn", "matching", "mpi", "buffers", "pages", "feedback", "sequences")
    for name in (*files, "points", "points_sound", "points_results"):
        asked |= {(name, h) for h in re.findall(r"^Hypothesis (\w+)", original(name), re.MULTILINE)}
    assert asked == {need[:2] for need in NEEDED}


# The file, what it says, what it says in the mutant, and the lemma whose proof stops, with its file if that is another.
WEAKENED = {
    "the receiver adds its own copy again": ("machine", "op (val F p op initial t s c) own", "op own own", "val_step"),
    "the step forgets what the receiver had": (
        "schedule", "then holds F q r c t p || holds F q s c t p", "then holds F q s c t p", "invariant"),
    "disjoint only where it overwrites": ("schedule", "sends F s c t p -> adds F t p ->",
                                          "sends F s c t p -> ~ adds F t p ->", "invariant"),
    "live although its sender was not": ("schedule", "then live F s c t p && (negb", "then (negb", "invariant"),
    "wanted although not live": ("schedule", "live F r c (steps F p) p /\\ holds F q r c (steps F p) p =",
                                 "holds F q r c (steps F p) p =", "exactly_once"),
    "one pair of an addition is enough": ("terms", "(same r s c t /\\ same r' s' c t \\/", "(same r s c t \\/",
                                          "same_invariant"),
    "the idle other is not like the sender": (
        "terms", "s_got /\\ same r s' c t \\/", "s_got /\\ same r s c t \\/", "same_invariant"),
    "a permission that others take away": ("kahn", "meanwhile r a b -> P a r -> P b r.",
                                           "meanwhile r a b -> P a r -> P b r \\/ P a r.", "move_same"),
    "messages that overtake": (
        "mpi",
        "sent h d ++ if rank_eq q d then [{| number := length h; label := t; content := v |}] else []",
        "(if rank_eq q d then [{| number := length h; label := t; content := v |}] else []) ++ sent h d",
        "sent_on",
    ),
    "a wait that does not wait": ("mpi", "option_map Received (arrived a s r i)",
                                  "Some match arrived a s r i with Some m => Received m | None => Sent end",
                                  "brings_kept"),
    "a probe that sees the newest message": (
        "mpi", "(take ok (left_over (sent (posted a s) r) (wished before s)))",
        "(take ok (rev (left_over (sent (posted a s) r) (wished before s))))", "brings_kept"),
    "a meeting that counts who is there": (
        "mpi",
        "option_map Met (gathered a c (length (given before c)) needs)",
        "Some (Met match gathered a c (length (given before c)) needs with Some l => l | None => [] end)",
        "brings_kept",
    ),
    "buffers for who has sent more": ("buffers", "wished (posted a d) r))) <= room r d",
                                      "wished (posted a d) r))) >= room r d", "bounded_kept"),
    "a message that leaves before its step": (
        "pages", "if active r t then Then (send r t v) (third r t i v rest) else third r t i v rest.",
        "if active r t then Then (send r t (x r)) (third r t i v rest) else third r t i v rest.", "sends_posted"),
    "a rank that waits for who is silent": (
        "pages", "Definition listens (r : Z) (t : nat) : bool := active (from r t) t.",
        "Definition listens (r : Z) (t : nat) : bool := true.", "same_step"),
    "a message that comes to everybody": ("several", "(dst_j F s t p j =? r) && sends_j F s c t p j",
                                          "sends_j F s c t p j", "arrives"),
    "counterparts in any order": ("several_terms", "counterpart F p q s c t < counterpart F p v s c t;",
                                  "counterpart F p q s c t <> counterpart F p v s c t;", "parts_same"),
    "counterparts one way only": ("several_terms", "same r s c (t + 1) -> same s r c (t + 1);",
                                  "same r s c (t + 1) -> same r s c (t + 1);", "parts_same"),
    "an entry that is sent and kept": ("feedback", "if takes t r i then zero else op (kept t r i) (x t r i)",
                                       "op (kept t r i) (x t r i)", "sent_or_kept"),
    "a rank's own condition on a sum": ("points",
                                        "nothing (each c) && match place c with Partial => sums | _ => true end.",
                                        "nothing (each c).", "points_sound.steers_cases"),
    "a condition that is one rank's summand": (
        "points", "nothing (each c) && match place c with Partial => sums | _ => true end.",
        "match place c with Partial => sums | _ => true end.", "points_sound.steers_cases"),
    "what only the owner has, used by each rank": (
        "points", "  | Shard, Shard => Some Shard\n  | _, _ => None",
        "  | Shard, Shard => Some Shard\n  | _, _ => Some Partial", "points_sound.lowest_of_shard"),
    "an allgather of each rank's own": ("points", "| Allgather, Shard => Some", "| Allgather, _ => Some",
                                        "points_sound.read_is_sound"),
    "a sum that is added again": (
        "points",
        "if nothing (each a) then Some {| place := Replicate; each := rest a; rest := Nothing |} else None",
        "Some {| place := Replicate; each := rest a; rest := Nothing |}",
        "points_sound.read_is_sound",
    ),
    "an allreduce that brings one rank's own": (
        "points", "forall r, rank r -> exists v, added f v /\\ y r i = Some v",
        "forall r, rank r -> exists v, v = f r /\\ y r i = Some v", "points_sound.read_is_sound"),
    "a sum in which a rank may be left out": (
        "points", "Permutation (leaves a) (ranks p)", "incl (leaves a) (ranks p)", "any_order"),
    "one letter for all who see a part": ("points", "let s := match k with Shard => owner i | _ => r end in",
                                          "let s := r in", "points_sound.whole_denotes"),
    "a result that is more than a sum over ranks": (
        "points_results", "  alike (rest a) Nothing -> alike (each b) Nothing -> alike (each c) Nothing ->",
        "  True -> alike (each b) Nothing -> alike (each c) Nothing ->", "conservation"),
    "a message that is left behind": ("matching", "left_over sent wished = [] /\\ length sent = length wished.",
                                      "True /\\ length sent = length wished.", "spent_takes"),
    "a member that met less often": ("sequences", "-> length (given (h r) c) = length (given (h q) c)).",
                                     "-> length (given (h r) c) <= length (given (h q) c)).", "gathered_on"),
    "a post that is not counted": ("sequences", "Post o (still l (S (until_now l)) k)",
                                   "Post o (still l (until_now l) k)", "moves_on"),
    "any operation": ("terms", "  (forall u v, op u v = op v u) ->\n  forall r s c,", "  True ->\n  forall r s c,",
                      "same_bits"),
}  # fmt: skip


@needs_coq
@pytest.mark.parametrize("weakening", rather(WEAKENED, ["the step forgets what the receiver had"]))
def test_a_weaker_rule_proves_nothing(weakening, place, tmp_path):
    """A rule that asks for less is not accepted; it stops in a proof, not in a statement."""
    name, old, new, where = WEAKENED[weakening]
    user, _, lemma = where.rpartition(".")
    assert stops_in(place, tmp_path, name, replaced(original(name), old, new), user or name) == lemma


@needs_coq
def test_a_stronger_rule_still_holds(few, tmp_path):
    """A rule that asks for more is accepted: mutants are refused for what they lack."""
    base = "  base : forall"
    text = replaced(original("schedule"), base, f"  at_least_one_rank : 1 <= p;\n{base}")
    copy = shutil.copytree(few[0], tmp_path / "room")
    (tmp_path / "schedule.v").write_text(text, encoding="utf-8")
    assert check_file(str(COQC), copy, tmp_path / "schedule.v").fault is None
