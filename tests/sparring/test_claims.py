"""``sparring claims``: every published claim has an id, its verdict, and all that is known of it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import sparring
from sparring import claims
from sparring.costs.published.claim import Claim, published
from sparring.literature.papers import sources
from sparring.literature.statements import Unjudged, no_page
from sparring.proofs.logic.verdicts import REFUTED
from tests.sparring.calling import command, envelope_of, refused

call = command("claims")


NO_PAGE = no_page("")
PUBLISHED = Path(__file__).parents[2] / "docs/published/claims.json"
PAGES = [sparring.page(name) for name in sparring.pages()]


def test_every_claim_has_an_id_of_its_own():
    ids = [one.id for one in claims.stated(PAGES)]
    assert len({*ids}) == len(ids) == sum(len(published(page)) for page in PAGES) > 10


@pytest.mark.slow
def test_all_claims_hold_or_differ_as_expected():
    """And the documentation has them as they are: ``docs/published/keep.py``."""
    code, text, _ = call("--json")
    assert code == 0
    assert json.loads(text)["claims"] == json.loads(PUBLISHED.read_text(encoding="utf-8"))


def test_one_claim_in_full(snapshot):
    code, text, _ = call("recursive_doubling/bandwidth-for-every-p")
    assert (code, text) == (0, snapshot)


def test_the_claims_of_an_algorithm_as_one_object():
    told = envelope_of("claims", "ring/")
    assert [one["id"] for one in told["claims"]] == ["ring/bandwidth", "ring/latency", "ring/reduction"]
    assert told["claims"][0] == {
        "id": "ring/bandwidth",
        "algorithm": "ring",
        "statement": "words = 2*n*(p - 1)/p",
        "given": "p | n",
        "source": "Patarasuk and Yuan 2009",
        "tag": "",
        "quantity": "words",
        "derived": "2*n - floor(2*n/p)",
        "judged": "equal",
        "verdict": "proved for every p",
        "detail": "the same formula where p | n",
        "difference": "",
    }


@pytest.mark.parametrize("name", ["topka2a/beats-topkallgather-in-time", "ok-topk/topka-latency"])
def test_one_statement_of_the_literature_in_full(name, snapshot):
    code, text, _ = call(name)
    assert (code, text) == (0, snapshot)


@pytest.mark.slow
def test_all_of_a_source_as_one_object():
    told = envelope_of("claims", "ok-topk/")
    assert {one["id"].split("/")[0] for one in told["claims"]} == {"ok-topk"}
    assert told["verdict"] == "holds"
    assert any(one.startswith("ok-topk/lower-bound: a bound on all algorithms") for one in told["not_covered"])
    assert all(one["source"].startswith("Li and Hoefler") and {*one["tag"]} <= {*"VSMD"} for one in told["claims"])


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("ring/bandwith", "no claim 'ring/bandwith'; did you mean 'ring/bandwidth'? 'sparring claims' shows all"),
        ("rign/", "no algorithm 'rign'; did you mean 'ring'?"),
    ],
)
def test_an_unknown_id_is_one_sentence(name, said):
    assert said in refused("claims", name)


@pytest.mark.parametrize(("words", "verdict"), [("true", "equal"), ("false", "different"), ("too high", "different")])
def test_a_planted_claim_is_judged(words, verdict):
    """A false one is refuted with the difference; its correct twin is equal."""
    formula = {
        "true": lambda n, p, k: 2 * n * (p - 1) / p,
        "false": lambda n, p, k: n * (p - 1) / p,
        "too high": lambda n, p, k: 3 * n * (p - 1) / p,
    }[words]
    page = sparring.page("ring")
    module = type("Planted", (), {**vars(page.module), "claims": [Claim("planted", "words", formula, "p | n", "us")]})
    (found,) = claims.replayed([replace(page, module=module)], ["ring/planted"])
    assert found.judged.verdict == verdict
    assert bool(found.judged.difference) == (verdict == "different") == (found.judged.checked == REFUTED)


def naming(algorithm):
    """The pages whose prose names this algorithm."""
    return [page.name for page in PAGES if algorithm.partition(" of ")[0] in page.doc]


def test_what_is_said_to_have_no_page_has_none():
    """A statement is left unjudged for want of a page only while no page names the algorithm."""
    missing = [one.because for source in sources() for one in source.statements if isinstance(one, Unjudged)]
    lacking = [because.removeprefix(NO_PAGE) for because in missing if because.startswith(NO_PAGE)]

    assert naming("SSAR_Split_allgather") == ["two_shot_sparse"]
    assert lacking and [name for name in lacking if naming(name)] == []
