"""What the tests know of moshpit."""

from tests.algorithms import Fault, Known, Same

PARAMS = {"m": 3, "chance": 3, "dead": ((1, 0, 1), (2, 1, 0))}
KNOWN = Known(
    alike=("a rank's vector is left out", "zip(others, weights[1:])", "zip(others[1:], weights[1:])"),
    faults=[
        Fault(
            "parts are cut elsewhere",
            "whole = sum(wanted)\n",
            (
                "whole, many = sum(wanted), len(wanted)\n"
                "    return [i * n // many - (i - 1) * n // many for i in range(1, many + 1)]\n"
            ),
            module="core.averaging_groups",
            ranks=5,
            params=PARAMS,
        ),
        Fault(
            "who dies sends all before",
            "return int(min(left, many))",
            "return many",
            module="core.averaging_groups",
            params=PARAMS,
        ),
    ],
    aimed=[
        Fault("a rank that dies", "alive[[*ends]] = False", "pass", module="core.averaging_groups"),
        Fault("weights", "total /= sum(weights)", "total /= len(weights)"),
    ],
    refused=[
        ({"m": 1}, "m = 1: it must be a whole number, 2 or more, below 2^63"),
        ({"chance": -1}, "chance = -1: it must be a whole number, 0 or more, below 2^63"),
        ({"weights": (1, -1)}, "weights: -1 must be a whole number, 0 or more, below 2^63"),
        ({"dead": ((0, 0),)}, "dead: [0, 0] must be a rank, a round from 0, and a number of messages, or -1"),
        ({"dead": ((0, 0, 1), (0, 1, 1))}, "dead: a rank dies once at most"),
        ({"failing": ((0, 0, -1),)}, "failing: [0, 0, -1] must be a rank, a round from 0, and a number of messages"),
        ({"failing": ((0, 1, 2), (1, 0, 0), (0, 1, 1))}, "failing: a rank fails once a round at most"),
    ],
    different=[
        ({"m": 3}, "rank 2 has float64, 5 entries, m=3"),
        ({"failing": ((1, 0, 0),)}, "all ranks need one dtype, length and parameters"),
    ],
    theorems=["result", "partition", "deadlock", "contention", "volume", "peers", "conservation", "claim: sides"],
    wrong_texts=[
        ("e = t % d", "e = 0", "result", "nobody else meets it"),
        ("e = t % d", "e = (d - 1 - t) % d", "result", "each of m meets it"),
        ("    x, index = yield", "    _, index = yield", "conservation", "the next round begins with the mean"),
        ("averaging(x,", "averaging(x + x,", "conservation", "a round averages what it begins"),
        ("moved(cell, e, index, params.m)", "cell", "result", "who looked after a part takes that cell"),
        ("params.rounds or d,", "params.rounds or d + r,", "result", "own "),
        ("params.m), t, params)", "params.m), t - 1, params)", "conservation", "a round asks for who"),
        ("1), m) + 1", "1), m) + 2", "claim: sides", "with one less there is not"),
    ],
    same_texts=[Same("e = t % d", "e = (t + 0) % d", slow=True)],
    costed_with=[{}, {"m": 3}, {"m": 4, "rounds": 2}],
    other_ways={"dead": [[0, 0, 1]]},
    reader="averages.py",
    reader_defects={
        "ranks in their order": ('(drawn(parameters["chance"], t, key, i), i)', "i"),
        "ranks stay in their cells": ("cells[r] = key + chunk[r] * base", "pass"),
        "weights forgotten": ("self.at.mul(w, v)", "v"),
        "divided by copies": ("sum(weights))", "len(weights))"),
        "of equal quotients the last": ("(sizes[i] + 1), -i)", "(sizes[i] + 1), i)"),
        "parts alike": ("time * b - 1 if b", "1 if b"),
        "nobody dies before groups are formed": ("if dying.get(r) != -1", "if True"),
        "whoever dies is heard": ("sent = [to[:room] for to, room in zip(due, self.room)]", "sent = due"),
        "a mean of one copy is divided": ("if len(who) < 2:", "if len(who) < 1:"),
        "whoever fails is gone": ("[r not in dying for r in ranks]", "[r not in {**failing, **dying} for r in ranks]"),
        "whoever fails hears of all": ("k in had and self.hears(k)", "bool(had) and self.hears(k)"),
        "an auxiliary takes means": ("and self.weights[i]]\n", "]\n"),
    },
)
