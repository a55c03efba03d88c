"""The judges of execution plans against an interpreter that follows them by chance."""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring import InputError
from sparring.proofs.schedules import mscclpp
from tests.proofs.schedules import plans
from tests.proofs.schedules.following import Following
from tests.proofs.schedules.programs import judge

GOOD = {
    "put": plans.plan(plans.gathered(3), sizes=(1, 3, 0)),
    "port": plans.plan(plans.gathered(2, "port"), wire="port"),
    "barrier": plans.plan(plans.barred(2), inplace=False),
    "read": plans.plan(plans.reduced(3), "allreduce", (3, 3, 0)),
    "packets": plans.plan(plans.packed(2), "allreduce", (2, 2, 4)),
    "switch": plans.plan(plans.switched(2), "allreduce", (2, 2, 0)),
}
RUNS = 8


def followed(data, seed):
    """Some runs: whether each ended, and with the right results."""
    for again in range(RUNS):
        run = Following(data, random.Random(f"{seed} {again}"))
        ended = run.run()
        yield ended, ended and run.right()


@pytest.mark.parametrize("name", GOOD)
def test_right_plans_are_right_whatever_comes_first(name):
    """Every run ends, and each rank has its result by then."""
    assert set(followed(GOOD[name], name)) == {(True, True)}


def changed(data, chance):
    """A plan with one fault, or with what may be one."""
    whole = json.loads(data)
    ops = [b["ops"] for gpu in whole["gpus"] for b in gpu["threadblocks"] if b["ops"]]
    own = chance.choice(ops)
    at = chance.randrange(len(own))
    how = chance.choice(["drop", "twice", "swap", "index", "relax"])
    parts = [part for o in own for part in (*o.get("src_buff", ()), *o.get("dst_buff", ()))]
    signals = [o for o in own if o["name"] in ("signal", "wait") and o["channel_type"] == "memory"]
    if how == "twice":
        own.insert(at, json.loads(json.dumps(own[at])))
    elif how == "swap" and at:
        own[at - 1], own[at] = own[at], own[at - 1]
    elif how == "index" and parts:
        chance.choice(parts)["index"] ^= 1
    elif how == "relax" and signals:
        one = chance.choice(signals)
        one["name"] = "rlx" + one["name"]
    else:
        del own[at]
    return json.dumps(whole).encode()


@pytest.mark.parametrize("name", GOOD)
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_what_is_said_of_a_changed_plan_is_so(name, seed):
    """What holds, no run shows wrong; what does not end, no run ends."""
    data = changed(GOOD[name], random.Random(seed))
    try:
        one = judge(mscclpp.read(data))
    except InputError:
        return
    runs = list(followed(data, seed))
    if not one.ends:
        assert not any(ended for ended, _ in runs)
    else:
        assert all(ended for ended, _ in runs)
        if one.wrong == [] and one.races == []:
            assert all(right for _, right in runs)


def test_faults_are_of_all_kinds():
    """Some change nothing, some hang, and some show in a run: what is said of them is not said of nothing."""
    seen = Counter()
    for seed in range(60):
        runs = set(followed(changed(GOOD["barrier"], random.Random(seed)), seed))
        seen["right" if runs == {(True, True)} else "hangs" if runs == {(False, False)} else "wrong"] += 1
    assert min(seen.values()) >= 5 and len(seen) == 3
