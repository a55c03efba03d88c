"""Functions in Python and in C have the values of the formulas that they are made of."""

import random
import shutil
import subprocess
from fractions import Fraction
from functools import cache
from inspect import signature

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import sparring
from sparring import api
from sparring.costs.formulas.symbols import Log2, exact
from sparring.costs.union_cost import octets, u
from sparring.present.costs import code
from sparring.spec.library.support_models import independent

PARAMS = {"ring_topk": {"k": 12}, "recursive_multiplying": {"radix": 3}}
COMPILER = shutil.which("cc")


@cache  # and not when tests are collected, which every worker does
def costs():
    """Of all pages that have closed forms."""
    return [sparring.cost(name, **({} if name == "ring_topk" else PARAMS.get(name, {}))) for name in api.regular()]


@cache
def forms():
    """Those that can be computed as they are."""
    return [form for form in code.functions(costs()) if not form[2].has(sympy.Sum, sympy.Min, u, octets)]


@pytest.fixture(scope="module")
def module():
    """The Python module, executed."""
    space = {}
    exec(compile(code.python(costs()), "costs.py", "exec"), space)  # our own code, as a user would import it
    return space


def powers(formula, p):
    """``p``, or below it a power of two, where the formula is for these."""
    return 1 << p.bit_length() - 1 if formula.has(Log2) else p


LENGTHS = st.integers(0, 10**12)
FORM = st.deferred(lambda: st.sampled_from(forms()))


@settings(deadline=None)
@given(FORM, st.integers(1, 600), LENGTHS, LENGTHS, st.fractions(0, 1), st.sampled_from((2, 3, 8)))
def test_python_is_exact(module, form, p, n, k, seconds, width):
    """At any point where the formula has a value: exact logarithms need a power, shares of entries some entry."""
    page, name, formula = form
    n = max(n, 1) if sparring.page(page).data == "sparse" else n
    base = PARAMS.get(page, {}).get("radix")
    at = {
        "p": base**3 if base else powers(formula, p),
        "n": n,
        "k": k,
        "alpha": seconds,
        "beta": seconds / 3,
        "gamma": seconds / 7,
    }
    at = {**at, "width": width, "radix": base, "r": p - 1}
    given_ = {letter: at[letter] for letter in code.letters(formula)}
    value = module[f"{page}_{name}"](**given_)
    assert isinstance(value, int | Fraction) and value == exact(formula, {x: Fraction(y) for x, y in given_.items()})


def test_python_of_what_is_always_0_and_of_a_maximum():
    """A gather adds nothing; the most words that one rank sends are half of the chunks, or what is left."""
    cost, space = sparring.cost("sparring.spec.collectives.binomial_gather"), {}
    exec(compile(code.python([cost]), "gather.py", "exec"), space)
    for p in range(1, 34):
        assert space["binomial_gather_added"]() == 0
        assert space["binomial_gather_words"](5 * p, p) == cost.at(p=p, n=5 * p).words


@pytest.mark.parametrize("name", ["ring_sparse", "two_shot_sparse"])
def test_python_takes_unions_as_a_function(module, name):
    cost, found = sparring.cost(name, support="independent"), {}
    at = {"p": 6, "n": 6000, "k": 77, "width": 4, "u": lambda s: independent(s, 6000, 77)}
    for form in ("bytes", "pairs"):
        function = module[f"{name}_{form}"]
        found[form] = function(**{letter: at[letter] for letter in signature(function).parameters})
    wanted = cost.at(p=6, n=6000, k=77)
    assert found == {"bytes": wanted.nbytes, "pairs": wanted.pairs}


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
def test_c_has_the_same_values(tmp_path):
    """Compiled without a warning; doubles are exact on whole numbers of that size."""
    draw = random.Random(1)
    calls, wanted = [], []
    for page, name, formula in [*forms(), *forms()]:
        base = PARAMS.get(page, {}).get("radix")
        at = {
            "p": base**4 if base else powers(formula, draw.randrange(1, 600)),
            "n": draw.randrange(10**9),
            "k": draw.randrange(10**6),
        }
        at = {**at, "alpha": 3, "beta": 2, "gamma": 5, "width": 4, "r": 0, "radix": base}
        given_ = {letter: at[letter] for letter in code.letters(formula)}
        calls.append(f"{page}_{name}({', '.join(map(str, given_.values()))})")
        wanted.append(exact(formula, {x: Fraction(y) for x, y in given_.items()}))
    calls.append("ring_sparse_bytes(6000, 6, 4, u)")
    wanted.append(sparring.cost("ring_sparse", support="independent").at(p=6, n=6000, k=77).nbytes)
    prints = "".join(f'    printf("%.17g\\n", {call});\n' for call in calls)
    union = "static double u(double s) { return 6000 * (1 - pow(1 - 77 / 6000., s)); }\n"
    source = tmp_path / "costs.c"
    source.write_text(f"#include <stdio.h>\n{code.c(costs())}\n{union}int main(void) {{\n{prints}    return 0;\n}}\n")
    program = tmp_path / "costs"
    flags = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-O1")
    subprocess.run([str(COMPILER), *flags, source, "-o", program, "-lm"], check=True, timeout=120)
    printed = subprocess.run([program], check=True, timeout=60, capture_output=True, text=True).stdout.split()
    assert len(printed) == len(wanted) > 40
    for call, value, right in zip(calls, map(float, printed), wanted):
        assert value == pytest.approx(float(right), rel=1e-12), call


def test_a_planted_fault_is_seen(module, monkeypatch):
    """A printer that rounds up where the formula rounds down gives another value."""
    (ring,) = (cost for cost in costs() if cost.page.name == "ring")
    monkeypatch.setattr(code.Python, "_print_floor", lambda self, x: f"ceil({self._print(x.args[0])})")
    space = {}
    exec(compile(code.python([ring]), "costs.py", "exec"), space)
    assert module["ring_words"](7, 3) == ring.at(n=7, p=3).words != space["ring_words"](7, 3)


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("rabenseifner", ", where 2^floor(log2 p) | n"),
        ("recursive_doubling_allgather", ", where p = 2^m"),
        ("hierarchical", ", at most, where 2 divides p"),
        ("ring", ""),
    ],
)
def test_a_function_says_where_its_formula_holds(name, where):
    """Also that it is a bound; the twin holds always."""
    cost = sparring.cost(name)
    assert f'"""V_max, the most words that one rank sends{where}."""' in code.python([cost])
    assert f"/* V_max, the most words that one rank sends{where} */" in code.c([cost])


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
@pytest.mark.parametrize("m", [2, 49, 98])
def test_c_rounds_no_quotient_before_it_is_rounded(tmp_path, m):
    """A 49th is no double: 49 of them are less than 1, whose floor is 0, and 98 ranks of 49 are two nodes."""
    cost = sparring.cost("hierarchical", m=m)
    points = [(p, n) for p in (2 * m, 3 * m, 49 * m) for n in (m, 7 * m, 49 * m, 98 * m, 1000 * m - 1)]
    prints = "".join(f'    printf("%.17g\\n", hierarchical_words({n}, {p}));\n' for p, n in points)
    source, program = tmp_path / "costs.c", tmp_path / "costs"
    source.write_text(f"#include <stdio.h>\n{code.c([cost])}\nint main(void) {{\n{prints}    return 0;\n}}\n")
    subprocess.run([str(COMPILER), "-std=c99", "-O1", source, "-o", program, "-lm"], check=True, timeout=120)
    found = subprocess.run([program], capture_output=True, text=True, check=True, timeout=60).stdout.split()
    assert [Fraction(x) for x in found] == [cost.at(p=p, n=n).words for p, n in points]
