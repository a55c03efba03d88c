"""Plays a GOAL schedule on SimGrid, which knows nothing of sparring's formulas, and prints how long it takes.

    sudo apt install python3-simgrid
    sparring export ring --ranks 8 --format goal --size 1048576
    /usr/bin/python3 examples/simgrid/replay.py schedules/ring-8.goal network.json

Debian's SimGrid belongs to Debian's own Python; this file needs nothing else.  ``network.json`` says
what a message and a byte take, and which links a message crosses:
``{"alpha": 5e-6, "beta": 3.2e-10, "routes": {"0 1": ["0->1"], "1 0": ["1->0"]}}``.

Each message takes ``alpha`` whatever its way, and shares every link of it with all that are there
at that time.  Sends are eager: what requires one goes on once it has begun.
"""

import json
import re
import sys
from pathlib import Path

from simgrid import Actor, Comm, Engine, LinkInRoute, Mailbox, NetZone, this_actor

OPERATION = re.compile(r"(\w+): (?:(send|recv) (\d+)b (?:to|from) (\d+)(?: tag (\d+))?|(calc) (\d+))")
REQUIRES = re.compile(r"(\w+) requires (\w+)")
NANOSECOND = 1e-9  # what GOAL counts calculations in
FAST = 1e18  # bytes a second of what only delays
EXACT = ("network/model:CM02", "network/TCP-gamma:0", "network/crosstraffic:0", "surf/precision:1e-12")
"""Latency and shared bandwidth alone, without SimGrid's corrections for TCP."""


class Rank:
    """The operations of a rank, each with those that it requires."""

    def __init__(self) -> None:
        self.operations: dict[str, tuple[str, int, int, str]] = {}
        self.requires: dict[str, set[str]] = {}


def read(path: str) -> list[Rank]:
    """The ranks of a GOAL file, in order."""
    ranks: list[Rank] = []
    with Path(path).open(encoding="utf-8") as lines:
        for line in map(str.strip, lines):
            if line.startswith("rank "):
                ranks.append(Rank())
            elif found := OPERATION.fullmatch(line):
                label, kind, size, peer, tag, calc, nanoseconds = found.groups()
                ranks[-1].operations[label] = kind or calc, int(size or nanoseconds), int(peer or 0), tag or "0"
                ranks[-1].requires[label] = set()
            elif found := REQUIRES.fullmatch(line):
                ranks[-1].requires[found[1]].add(found[2])
            elif line not in ("", "}") and not line.startswith("num_ranks "):
                raise SystemExit(f"{path}: this player does not know {line!r}")
    return ranks


def play(rank: Rank, me: int, done: list[float]) -> None:
    """All operations of a rank, each as soon as what it requires is done."""
    waiting = {label: set(needs) for label, needs in rank.requires.items()}
    sent, receiving = [], {}
    while waiting or receiving:
        ready = [label for label, needs in waiting.items() if not needs]
        if not ready and not receiving:
            raise SystemExit(f"rank {me}: {', '.join(waiting)} wait for each other")
        for label in ready:
            kind, size, peer, tag = rank.operations[label]
            del waiting[label]
            if kind == "recv":
                receiving[label] = Mailbox.by_name(f"{peer} {me} {tag}").get_async()[0]
                continue
            if kind == "send":
                sent.append(Mailbox.by_name(f"{me} {peer} {tag}").put_async("", size))
            elif size:
                this_actor.sleep_for(size * NANOSECOND)
            release(waiting, label)
        if not ready:
            label = [*receiving][Comm.wait_any([*receiving.values()])]
            del receiving[label]
            release(waiting, label)
    Comm.wait_all(sent)
    done[me] = Engine.clock


def release(waiting: dict[str, set[str]], label: str) -> None:
    """Nothing waits for that any more."""
    for needs in waiting.values():
        needs.discard(label)


def build(ranks: int, network: dict) -> None:
    """Hosts, links and routes."""
    zone = NetZone.create_full_zone("all")
    hosts = [zone.create_host(str(r), 1e9) for r in range(ranks)]
    names = {name for way in network["routes"].values() for name in way}
    links = {name: zone.create_link(name, 1 / network["beta"]).set_latency(0).seal() for name in sorted(names)}
    for pair, way in network["routes"].items():
        src, dst = map(int, pair.split())
        delay = zone.create_link(f"delay {pair}", FAST).set_latency(network["alpha"])
        crossed = [LinkInRoute(link) for link in (delay.seal(), *(links[name] for name in way))]
        zone.add_route(hosts[src].netpoint, hosts[dst].netpoint, None, None, crossed, False)
    zone.seal()


def main() -> None:
    """Read, play, print."""
    schedule, network = sys.argv[1:]
    engine = Engine([sys.argv[0], *(f"--cfg={setting}" for setting in EXACT), "--log=root.thresh:error"])
    ranks = read(schedule)
    build(len(ranks), json.loads(Path(network).read_text(encoding="utf-8")))
    done = [0.0] * len(ranks)
    for r, rank in enumerate(ranks):
        Actor.create(str(r), engine.host_by_name(str(r)), play, rank, r, done)
    engine.run()
    print(json.dumps({"seconds": max(done)}))


if __name__ == "__main__":
    main()
