"""Numbers that prose tells of this package are those of the code; whoever writes a new one says where it is from.

What stands between cog's marks, in snippets, and in what ``docs/_ext`` writes is made anew and compared elsewhere.
"""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import pairwise
from math import comb, perm
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest
import sympy
from sympy.parsing.sympy_parser import implicit_multiplication, parse_expr, standard_transformations

import sparring
from sparring import api
from sparring.adapters import batches, vectorfiles
from sparring.adapters.executable import Executable
from sparring.adapters.gloo import Functions
from sparring.analysis.compression import sizes
from sparring.calibration import fitting, quantities
from sparring.checks import checking, engine, places
from sparring.checks.examples import contract_draws, hard
from sparring.checks.judges import contract_calls
from sparring.checks.question import Question
from sparring.checks.ranks import group, scenes
from sparring.cli.calibrate import command as calibrate
from sparring.cli.cost import command as cost
from sparring.costs.links import cuts, levels
from sparring.libraries import choice_audit, choices
from sparring.literature import implication
from sparring.mutation import small_models
from sparring.present import linkload
from sparring.present.explorer import routes
from sparring.proofs.contention import networks, overlaps
from sparring.proofs.contention.traffic import Routed, Traffic
from sparring.proofs.logic import bits
from sparring.proofs.proving import timing
from sparring.refinement import differential, looks, sums
from sparring.schedules import program, races, rccl
from sparring.schedules.formats import files
from sparring.spec import ring_sparse
from sparring.spec.codecs import bit_planes
from sparring.spec.codecs.group_quantiser import Grouped
from sparring.trace import compare, rules
from sparring.trace import files as traces
from sparring.verification import every_input, samples
from sparring.verification.plans import FIRST_LOOK, WHOLE_LOOK
from tests.sparring.vectors.test_vector_files import SIZE

ROOT = Path(__file__).parents[2]
MEASURED = "docs/howto/mpi-runtimes.md"  # of MPI's own: how it was measured stands there, and tests/house/test_steps.py
PAGES = ["README.md", *(str(file.relative_to(ROOT)) for file in sorted(ROOT.glob("docs/**/*.md")))]
PAGES.remove(MEASURED)
VECTORS = ROOT / "examples/vectors"
BITMAP = 1 - 1 / (8 * 4)  # of a chunk: with so many entries of 4 bytes a bitmap and they are as long as all of it


def turns():
    """The first lengths at which Open MPI turns to a ring, back, and to a ring again, on three ranks."""
    kept = json.loads((ROOT / "docs/choices/openmpi.json").read_text(encoding="utf-8"))["choices"]
    row = [one for one in kept if one["ranks"] == 3]
    return [one["size"] for before, one in pairwise(row) if before["page"] != one["page"]][:3]


def default(command, name):
    """The default of a command's option."""
    options: list[Any] = command.params
    return next(option.default for option in options if option.name == name)


def sized(count):
    """As prose says it."""
    return f"{count / 10**6:.0f} million" if count >= 10**6 else str(count)


def weak_orders(n):
    """In how many orders ``n`` things can be, of which some may be equal."""
    return 1 if n == 0 else sum(comb(n, first) * weak_orders(n - first) for first in range(1, n + 1))


def met(p):
    """How many pairs of messages of recursive doubling can meet on the crossbar, with eager sends."""
    traffic = Traffic.of(sparring.page("recursive_doubling"), p)
    return overlaps.total(Routed(traffic, networks.find("crossbar")), "eager")


def level(topology, p):
    """How recursive doubling goes there."""
    return sparring.contention("recursive_doubling", topology, p).freedom.level


def named(algorithm):
    """The parameters with which the training of compressed allreduces has it."""
    found = json.loads((ROOT / "benchmarks/results/training/compressed.json").read_text(encoding="utf-8"))
    texts = (row["algorithm"].split(":") for row in found["rows"])
    return next(dict(part.split("=") for part in parts) for name, *parts in texts if name == algorithm)


@cache
def told():
    """By document, what it says with the code's numbers."""
    ring, replay = sparring.cost("ring"), run_path(str(ROOT / "examples/vectors/replay.py"))
    trained = json.loads((ROOT / "benchmarks/results/training/digits.json").read_text(encoding="utf-8"))
    ours = json.loads((VECTORS / "ring.json").read_bytes())
    usual = [f"{n:,}" for n in hard.LENGTHS[: int(Question("").max_examples * engine.SHARE[hard.LONG])]]
    return {
        "README.md": [f"numbers are read as {bits.WIDTH}-bit vectors, and none overflows"],
        "docs/reference/verdicts.md": [
            f"numbers are read as {bits.WIDTH}-bit vectors, and it is proved that none overflows",
            f"the relation also holds at up to {implication.POINTS} points",
            f"only two of them beyond {samples.SOME} ranks",
            f"the mean of {sums.CALLS} calls must be close",
            f"Up to {differential.FEW} ranks all are also called",
            f"| {looks.LONG:,} entries; for sparse vectors, {looks.ENTRIES} of {looks.ENTRIES * looks.APART:,}, so",
        ],
        "docs/howto/advise.md": [f"for at most {levels.RANKS} ranks", f"for more than {cuts.RANKS} ranks single ones"],
        "docs/howto/calibrate.md": [
            f"`--seconds`, {default(calibrate, 'seconds'):g} unless",
            f"Intervals hold {fitting.LEVEL} % of what",
            f"| {min(quantities.EXCHANGED)} B to {max(quantities.EXCHANGED) >> 20} MiB |",
            f"| {min(quantities.ADDED)} to {sized(max(quantities.ADDED))} entries |",
            f"| {min(quantities.WORKED)} to {sized(max(quantities.WORKED))} entries |",
            f"| {min(quantities.REDUCED)} to {sized(max(quantities.REDUCED))} entries |",
        ],
        "docs/howto/check_an_implementation.md": [
            f"the sum is wrong, on {min(hard.LONG_RANKS)} to {max(hard.LONG_RANKS)} ranks, for",
            f"{', '.join(usual[:-1])} or {usual[-1]} entries, or with `--max-examples",
            f"on {', '.join(map(str, hard.SCENE_RANKS[:-1]))} and {hard.SCENE_RANKS[-1]} ranks in turn",
            f"every second time with {hard.LONG_CALLS:,} entries",
            f"*long vectors* have {min(hard.LENGTHS)} to {hard.LONGEST_OF_PAGES:,} entries",
            f"of some entries, of fewer than p, and of {hard.LONG_SPECIAL:,} |",
            f"for seven more lengths, up to {hard.LENGTHS[len(usual) + 6]:,} |",
            f"on {min(hard.RANKS)} to {sorted(hard.RANKS)[-2]} or {max(hard.RANKS)} simulated ranks",
            f"on {min(hard.RANKS)} to {sorted(hard.RANKS)[-2]} and {max(hard.RANKS)} ranks, and",
            f"or takes longer than {group.LOADING:g} seconds",
            f"take {checking.TIMEOUT:g} seconds, or {places.FIRST * checking.TIMEOUT:g} if it is a rank's first one",
            f"or {places.SLACK} times as long as the slowest so far, up to {places.LONGEST:g}.",
            f"After {places.Simulated.patience:g} seconds everything reads",
        ],
        "docs/howto/check_a_reducer.md": [
            f"the mean of {scenes.OFTEN:,} results for the same vectors",
            f"more than {contract_calls.SURE:g} standard errors off",
            f"where the mean of {scenes.OFTEN:,} results is about normal",
            f"| {contract_draws.CALLS[0]} to {contract_draws.CALLS[1]}, or {contract_draws.MANY} |",
            f"0 to 2p + 3, {contract_draws.LONGER[0]} or {contract_draws.LONGER[1]:,} |",
            f"entries up to 10^{contract_draws.FAR} times larger",
            f"about {contract_draws.SOME} numbers are drawn",
        ],
        "docs/howto/compare.md": [f"{levels.RANKS} ranks, `sparring advise` counts"],
        "docs/reference/explorer.md": [f"for up to {routes.WHOLE} ranks"],
        "docs/howto/compressed.md": [
            f"as codes of 1 to {bit_planes.WIDTHS[0]} bits",
            *(
                f"| {bits}, {g} | {float(sizes.per_entry(Grouped(bits, g, 0), 4)):g} | {bits + 32 / g:g} |"
                for bits, g in ((8, 128), (4, 128), (4, 32))
            ),
        ],
        "docs/howto/gradient-codes.md": [f"codes of 1 to {bit_planes.WIDTHS[0]} bits"],
        "docs/howto/papers.md": [f"at most {default(cost, 'within').replace('%', ' %')} more (`--within`)"],
        "docs/howto/schedule-files.md": [
            f"({rccl.STEPS} steps a block, {rccl.BLOCKS} blocks, {rccl.COUNT - 1} chunks a step)",
            f"the first {races.LISTED} places that end wrong",
            f"the first {races.LISTED} pairs of steps",
            f"Files of more than {files.SIZE >> 20} MiB, {program.STEPS:,} steps, {program.RANKS:,} ranks",
            f"or {sized(program.CELLS)} chunks moved",
            f"Files for up to {program.RANKS:,} ranks",
            f"which holds {program.RANKS * ring.at(p=program.RANKS, n=0).messages:,} messages",
        ],
        "docs/howto/selection.md": [
            f"takes {min(every_input.RANKS)} to {max(every_input.RANKS)} ranks, up to {every_input.SIZE} entries,",
            f"of which up to {every_input.KEEP} are kept",
            f"of 4 entries has {comb(4, 2)} answers, `np.argsort(size)[:2]` has {perm(4, 2)},",
            f"tells all {weak_orders(4)} orders apart",
        ],
        "docs/howto/selection-of-libraries.md": [
            f"vectors have {choice_audit.SIZES[0]} to 2^{choice_audit.SIZES[-1].bit_length() - 1} entries of float64",
            f"for all times together, {choice_audit.BUDGET:g} seconds unless",
            f"costs over {float(100 * choices.WITHIN):g} % more than the cheapest",
            f"was over {float(100 * choices.WITHIN):g} % so often that chance alone",
            f"shows that once in {1 / choices.DOUBT} lengths: in 7 rounds of 7, in 10 of 11",
            "sends {} entries as a ring does and {} by recursive doubling again; from {} on".format(*turns()),
        ],
        "docs/howto/sparse-ring.md": [
            f"a header of {ring_sparse.HEADER} bytes, and the",
            f"the header of {ring_sparse.HEADER} bytes and rounding",
            f"more than {ring_sparse.BLOCK:,} and".replace(",", " "),
            f"falls back to 1 at {100 * BITMAP:.1f} percent",
            f"of {BITMAP * 32:.0f}/32 for any",
        ],
        "docs/howto/torch.md": [f"waits longer than {Functions.patience:g} seconds"],
        "docs/reference/challenge.md": [
            f"on 1 to {max(FIRST_LOOK.terms)} ranks, with `--full` on up to {max(WHOLE_LOOK.terms)} (*terms*)"
        ],
        "docs/reference/contention.md": [
            f"decided for each p up to {timing.TIMED}, on every topology",
            f"/ 2 pairs of messages can meet where p is a power of two: {met(8)} at p = 8",
            f"p = 14 is in *{level('fat_tree', 14)}* only, p = 10 is *{level('fat_tree', 10)}*:",
            f"p = 10 is *{level('torus:k=2', 10)}* |",
            f"2 to {linkload.MOST} ranks and at most {linkload.MESSAGES} messages",
        ],
        "docs/reference/file-targets.md": [
            f"within {Executable.patience:g} seconds, or {places.SLACK} times as long as the slowest example so far",
            f"{Executable.examples} examples are drawn instead of {checking.EXAMPLES}",
            f"or {Executable.patience:g} seconds go by without",
            f"A launch has up to {batches.MOST} examples",
            f"A launch that takes longer than {batches.LONG:g} seconds",
            f"A result has at most {vectorfiles.SIZE >> 30} GiB",
        ],
        "docs/reference/mutants.md": [f"with up to {small_models.RANKS} ranks"],
        "docs/reference/test-vectors.md": [
            f"each at most {SIZE / 10**6} MB,",
            f"{ours['test_count']} of {ours['test_count']} tests hold",
            f"A message has {ring_sparse.HEADER} bytes of header",
            f"at most {replay['SIZE'] >> 20} MiB, {replay['RANKS']} ranks and {replay['RANKS']} chunks",
        ],
        "docs/reference/trace.md": [
            f"more than {compare.NOTES} bytes and {compare.NOTE} for each rank is no note",
            f"At most {traces.BYTES >> 20} MiB a file, {traces.LINE} bytes a line,",
            f"{traces.EVENTS:,} events a trace, {rules.RANKS} ranks",
            f"1 to {rules.RANKS}",
        ],
        "docs/training.md": [
            f"the largest {100 * trained['settings']['density']:g} % of the entries",
            f"(howto/compressed.md) with {sparring.page('flash').params['b1']} bits",
            "keeps {k} rows of {columns} entries".format(**named("arc_top_k")),
            f"but {trained['settings']['steps']} steps are too few",
        ],
    }


GIVEN = {
    "docs/benchmarks.md": ["×2 takes half as long, ×0.5 twice as long"],  # how a table is read
    "docs/howto/advise.md": ["1 % or 10 %", "less than 15 % off"],  # tests/sparring/advising/test_advice.py asserts it
    "docs/howto/check_an_implementation.md": ["index of 4 or 8 bytes"],  # what targets may send
    "docs/howto/public_reducers.md": [  # tests/sparring/adapters/test_public.py asserts the verdicts
        "These are 40 examples each on real ranks", "On 4 ranks and more", "by 20 examples",
        "On 2 ranks, where", "normal numbers on 4 ranks",
        "and more than 4 ranks",
    ],
    "docs/howto/compare.md": [
        "of 4 and 8 ranks", "within 1 %",  # tests/examples/test_simgrid.py asserts it
        "takes 2.3 times as long as its formula says",  # tests/sparring/costs/test_levels.py reads it here
    ],
    "docs/howto/compressed.md": [
        "with 8 bits, about an eighth", "| 2, 3, 5, 6, 7 bits |", "planes of 4, 2 and 1 bits", "for 2 and 3 bits",
        "1, 2 or 4 bytes for", "low` and step of 16 bits", "a `low` of 16 bits",  # tests/spec/test_spec_groups.py
        "for 2 to 8 ranks",  # tests/sparring/analysis/compression/test_errors.py
    ],
    "docs/howto/sparse-ring.md": [  # what is drawn
        "values of 4 bytes", "for 8, 32 and 256 ranks", "on 8 ranks; the", "mean over 8 ranks",
    ],
    "docs/howto/torch.md": ["on 1 to 3 ranks", "into 255 steps"],  # tests/sparring/adapters/test_hooks.py
    "docs/reference/challenge.md": ["to 10 entries and up to 16 ranks", "up to 16 ranks, 10 entries"],  # CIVL's
    "docs/reference/contention.md": ["the last round sends p / 2 messages"],  # a formula
    "docs/reference/test-vectors.md": [  # the format, which examples/vectors/ reads
        "8 digits for 32 bits", "indices, of 4 bytes", "said to be of 64 bits", "parts of 8 bits", "in 1 byte, where",
        "made in 64 bits", "in 64 bits the root", "divided in 64 bits",
    ],
    "docs/reference/trace.md": ["with 8 bytes, unkeyed"],  # the format
}  # fmt: skip
"""Numbers that no code of ours makes: what was chosen, what others say, and where else they are compared."""
UNITS = (
    "answers|bits|bytes?|cells|chunks?|claims?|entries|examples|ranks?|lines|messages?|obligations|orders|pairs|percent|"
    "programs?|proofs|steps?|tests?|theorems?|times|words?|seconds?|minutes?|[mµn]?s|[kMG]i?B|%"
)
NUMBER = re.compile(rf"\d[\d,.]*(?: million)?\s*(?:{UNITS})(?!\w)|×\s?\d")
MADE = re.compile(r"<!-- \[\[\[cog.*?\[\[\[end\]\]\] -->|^([ ]*)```(?!\{image).*?^\1```", re.DOTALL | re.MULTILINE)


def typed(text):
    """Numbers with a unit that stand in prose, each with where it begins and ends in the text, blanks single."""
    return [(m[0], m.span()) for m in NUMBER.finditer(prose(text))]


def prose(text):
    """What was written by hand: without what is made, without formulas and names in backticks, its blanks single."""
    return re.sub(r"`[^`]*`", lambda m: "`" * len(m[0]), " ".join(MADE.sub("", text).split()))


def unknown(text, known):
    """The numbers in a text that are in no sentence that is known."""
    whole = " ".join(MADE.sub("", text).split())
    spans = [m.span() for sentence in known for m in re.finditer(re.escape(sentence), whole)]
    return [found for found, (a, b) in typed(text) if not any(c <= a and b <= d for c, d in spans)]


def test_numbers_are_the_code_s():
    """Each sentence stands in its document, with the numbers that the code has now."""
    texts = {page: " ".join((ROOT / page).read_text(encoding="utf-8").split()) for page in told()}
    assert [(page, text) for page, said in told().items() for text in said if text not in texts[page]] == []


@pytest.mark.parametrize("page", PAGES)
def test_every_number_is_known(page):
    """One with a unit that is typed by hand is compared above, or is said to be no number of ours."""
    text = (ROOT / page).read_text(encoding="utf-8")
    assert unknown(text, [*told().get(page, []), *GIVEN.get(page, [])]) == []


def test_a_new_number_is_seen():
    """In prose and tables; not in what is made, not without a unit."""
    made = "<!-- [[[cog\nx\n]]] -->\n| 3 words |\n<!-- [[[end]]] -->\n```text\n4 words\n```\n`5 words` in step 6 of 7\n"
    assert unknown(made, []) == []
    assert unknown(f"{made}| 8,000 words | ×9 | 10 ms | 11\n% |", ["8,000 words"]) == ["×9", "10 ms", "11 %"]
    assert unknown("12 words and 12 words", ["and 12 words"]) == ["12 words"]


SAID = re.compile(
    r"``([\dpk ()+*/-]+)``\s+(words|messages)(?! in each step)(\s+where\s+``p``\s+is\s+a\s+power\s+of\s+two)?"
)
POINTS = [(2, 4), (4, 8), (5, 20)]  # p and k, which p divides


def formulas(page):
    """What a page's prose says of its cost, as functions of ``p`` and ``k``; and at which of the points."""
    letters = sympy.symbols("p k")
    for text, quantity, powers in SAID.findall(page.doc):
        points = [(p, k) for p, k in POINTS if not (powers and p & (p - 1))]
        yield quantity, sympy.lambdify(letters, parse_expr(text, dict(zip("pk", letters)), READ)), points


READ = (*standard_transformations, implicit_multiplication)


def test_a_page_s_prose_tells_its_cost():
    """Formulas for words and messages are those that are derived."""
    pages = [sparring.page(name) for name in api.regular()]
    said = [(page, *one) for page in pages for one in formulas(page)]
    assert len(said) >= 2
    for page, quantity, formula, points in said:
        for p, k in points:
            derived = sparring.cost(page).at(p=p, n=100 * k, k=k)
            assert formula(p, k) == getattr(derived, quantity), page.name
