"""What ranks do together: the collectives of a group and the messages between two ranks, each with the calls in it.

A collective is known by its group and its number, ``collective_seq_id``, which each rank counts for itself.  A message
is known by its group, its two ranks, and how many others went the same way before.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from sparring.flight_recorder.dumps import Dump, Entry
from sparring.flight_recorder.telling import cut, line_told, printable

DEFAULT, UNNAMED = "default_pg", "undefined"
"""How torch describes the group of all ranks, and one that nobody described."""
TOGETHER = re.compile(r"all_?reduce|all_?gather|reduce_scatter|barrier", re.IGNORECASE)
"""The collectives that end on no rank before all have come; in an alltoall, two may have nothing for each other."""
MESSAGE = re.compile(r"(send|recv) (\d{1,9})(?:->|<-)(\d{1,9})", re.ASCII)


@dataclass(frozen=True)
class Group:
    """A process group; ``certain``: the dumps say which ranks it has, else those are its members that used it."""

    name: str
    desc: str
    members: frozenset[int]
    certain: bool
    before: int = 0
    """How many groups of that name its ranks had before: each counts its calls from the beginning."""

    def __str__(self) -> str:
        said = ([self.desc] if self.desc != UNNAMED else []) + ["made anew"] * (self.before > 0)
        return cut(printable(f"group {self.name}" + (f" ({', '.join(said)})" if said else "")))


class Call(NamedTuple):
    """What a rank called: one entry, or several that are one collective together.

    ``at``: the place among the calls of its rank.
    """

    rank: int
    at: int
    entries: tuple[Entry, ...]

    @property
    def kind(self) -> str:
        return printable(" and ".join(dict.fromkeys(kind_of(entry) for entry in self.entries)))

    @property
    def done(self) -> bool:
        return all(entry.retired or entry.state == "completed" for entry in self.entries)

    @property
    def line(self) -> str:
        """The source line that called; empty where the dump has none."""
        return line_told(self.entries[0].frames)


@dataclass(eq=False)
class Meeting:
    """A collective, or a message from ``src`` to ``dst``: who must come, and who came with which call."""

    group: Group
    number: int
    members: frozenset[int]
    src: int = -1
    dst: int = -1
    calls: dict[int, Call] = field(default_factory=dict)
    unknown: frozenset[int] = frozenset()
    """The members of which the dumps do not tell whether they came."""

    @property
    def is_message(self) -> bool:
        return self.src >= 0

    @property
    def ended(self) -> bool:
        return all(call.done for call in self.calls.values())

    @property
    def went_together(self) -> bool:
        """Whether it ended on a rank, and could not have without all others."""
        ended = any(entry.state == "completed" for call in self.calls.values() for entry in call.entries)
        return ended and all(TOGETHER.search(call.kind) for call in self.calls.values())

    @property
    def missing(self) -> list[int]:
        """The members that did not come, or left no dump."""
        return sorted(self.members - self.calls.keys() - self.unknown)

    def __str__(self) -> str:
        if self.is_message:
            return f"message {self.number} from rank {self.src} to rank {self.dst} in {self.group}"
        kinds = {call.kind for call in self.calls.values()}
        return f"{kinds.pop() if len(kinds) == 1 else 'call'} {self.number} of {self.group}"


class Job(NamedTuple):
    """All that the dumps tell: how many ranks there are, what each left, and what they do together."""

    ranks: int
    dumps: Mapping[int, Dump]
    meetings: list[Meeting]
    lost: list[str]
    """What the dumps do not tell, each with the reason."""

    @property
    def unlisted(self) -> bool:
        """Whether the recorder lists no sends and receives, as gloo's."""
        dumps = [dump for dump in self.dumps.values() if not dump.lists_messages]
        return any(entry.profiling_name.startswith("gloo:") for dump in dumps for entry in dump.entries)

    def now(self, rank: int) -> str:
        """Return the source line at which the rank wrote its dump; empty where the dump does not tell."""
        return line_told(self.dumps[rank].now) if rank in self.dumps else ""

    @property
    def silent(self) -> list[int]:
        """The ranks that left no dump."""
        return [r for r in range(self.ranks) if r not in self.dumps]

    def calls(self) -> dict[int, list[tuple[Meeting, Call]]]:
        """Return what each rank called, in its order."""
        found: dict[int, list[tuple[Meeting, Call]]] = {rank: [] for rank in self.dumps}
        for one in self.meetings:
            for rank, call in one.calls.items():
                found[rank].append((one, call))
        return {rank: sorted(own, key=lambda pair: pair[1].at) for rank, own in found.items()}


def kind_of(entry: Entry) -> str:
    """Return what is called, without the backend: ``all_reduce`` of ``gloo:all_reduce``."""
    return entry.profiling_name.rpartition(":")[2]


def assemble(dumps: Mapping[int, Dump], ranks: int | None = None) -> Job:
    """Put the calls of all ranks together; ``ranks``: how many the job had, if that is known."""
    told = [rank for dump in dumps.values() for members in dump.pg_config.values() for rank in members.known]
    world = max([ranks or 0, *(rank + 1 for rank in (*dumps, *told))])
    groups = find_groups(dumps, world)
    meetings: dict[tuple[Group, bool, int, int, int], Meeting] = {}
    lost: dict[str, None] = {}
    for rank, dump in dumps.items():
        for key, call in calls_of(rank, dump, groups, lost):
            group, is_message, number, src, dst = key
            members = frozenset({src, dst}) if is_message else group.members
            meetings.setdefault(key, Meeting(group, number, members, src, dst)).calls[rank] = call
    whole, cut = set_apart(list(meetings.values()), dumps)
    return Job(world, dumps, whole, [*lost, *cut, *dated(whole, dumps)])


def find_groups(dumps: Mapping[int, Dump], world: int) -> Mapping[tuple[int, str, str], Group]:
    """Return the groups, by rank, name and description.

    Two groups may have one name if their members differ, which ``pg_config`` tells.  Where it does not, the default
    group has all ranks, and any other those that used it.
    """
    used: dict[tuple[str, str, frozenset[int]], set[int]] = defaultdict(set)
    for rank, dump in dumps.items():
        for name, desc in {entry.process_group for entry in dump.entries}:
            used[name, desc, known(dump, name, rank)].add(rank)
    groups = {}
    for (name, desc, told), users in used.items():
        members = told or (frozenset(range(world)) if desc == DEFAULT else frozenset(users))
        groups.update({(rank, name, desc): Group(name, desc, members, bool(told)) for rank in users})
    return groups


def known(dump: Dump, name: str, rank: int) -> frozenset[int]:
    """Return the members of a group as the dump has them; none where it has none, or not its own rank."""
    told = dump.pg_config[name].known if name in dump.pg_config else frozenset()
    return told if rank in told else frozenset()


Key = tuple[Group, bool, int, int, int]


def calls_of(
    rank: int, dump: Dump, groups: Mapping[tuple[int, str, str], Group], lost: dict[str, None]
) -> Iterator[tuple[Key, Call]]:
    """Yield the rank's calls, each with the key of its meeting."""
    steps: dict[tuple[Group, bool, int], int] = {}
    together: dict[Key, list[tuple[int, Entry]]] = defaultdict(list)
    sent: dict[tuple[Group, int, int], int] = defaultdict(int)
    for i, (group, entry) in enumerate(lives(rank, dump, groups)):
        at = steps.setdefault((group, entry.is_p2p, entry.p2p_seq_id if entry.is_p2p else entry.collective_seq_id), i)
        if not entry.is_p2p:
            together[group, False, entry.collective_seq_id, -1, -1].append((at, entry))
        elif ends := ends_of(entry, group):
            sent[group, *ends] += 1
            together[group, True, sent[group, *ends], *ends].append((at, entry))
        elif kind_of(entry) != "coalesced":
            lost.setdefault(f"messages: which ranks {kind_of(entry)[:40]!r} of {group} joins, the dumps do not tell")
    for key, found in together.items():
        yield key, Call(rank, found[0][0], tuple(entry for _, entry in found))


def lives(rank: int, dump: Dump, groups: Mapping[tuple[int, str, str], Group]) -> Iterator[tuple[Group, Entry]]:
    """Yield the rank's entries with their groups: where a group's counter falls, it was destroyed and made anew."""
    last: dict[Group, tuple[int, int]] = {}
    for entry in dump.entries:
        group = groups[rank, *entry.process_group]
        before, number = last.get(group, (0, 0))
        if not entry.is_p2p:
            before += entry.collective_seq_id < number
            last[group] = before, entry.collective_seq_id
        yield replace(group, before=before), entry


def ends_of(entry: Entry, group: Group) -> tuple[int, int] | None:
    """Return from which rank of the job to which a message goes; None where that cannot be known.

    Names such as ``nccl:send 0->1`` and ``nccl:recv 1<-0`` count ranks within the group.
    """
    match, members = MESSAGE.fullmatch(kind_of(entry)), sorted(group.members)
    if not match or not group.certain or max(int(match[2]), int(match[3])) >= len(members):
        return None
    own, peer = members[int(match[2])], members[int(match[3])]
    return (own, peer) if match[1] == "send" else (peer, own)


def set_apart(meetings: Iterable[Meeting], dumps: Mapping[int, Dump]) -> tuple[list[Meeting], list[str]]:
    """Leave out the meetings whose calls a full buffer may have lost; return the others, and what was left out.

    One that did not end stays, with the ranks of which nothing is known: a buffer loses the first calls, and not the
    one in which a job hangs.
    """
    full = {rank for rank, dump in dumps.items() if dump.overwritten}
    firsts: dict[tuple[Group, int], int] = {}
    meetings = list(meetings)
    for one in meetings:
        for rank in one.calls if not one.is_message else ():
            firsts[one.group, rank] = min(one.number, firsts.get((one.group, rank), one.number))
    cut: dict[str, None] = {}
    whole: list[Meeting] = []
    for one in meetings:
        lost = one.members & full
        if not one.is_message:
            absent = lost - one.calls.keys()
            lost = frozenset(r for r in absent if one.number < firsts.get((one.group, r), one.number + 1))
        if lost:
            cut["messages" if one.is_message else "calls"] = None
        whole += unended(one, lost) if lost else [one]
    return whole, [f"{what}: {OVERWRITTEN}" for what in sorted(cut)]


OVERWRITTEN = "the first were overwritten in the recorder's buffer"


def unended(one: Meeting, lost: frozenset[int]) -> Iterator[Meeting]:
    """Yield what is left of a meeting of which ranks have lost calls: the calls in which ranks still are.

    Messages are counted from the first that a buffer still has, so the two ends of one may be of different messages.
    """
    if not one.is_message and not one.ended:
        yield replace(one, unknown=lost)
    elif one.is_message:
        still = ((rank, call) for rank, call in one.calls.items() if not call.done)
        yield from (replace(one, calls={rank: call}, unknown=one.members - {rank}) for rank, call in still)


def dated(meetings: Sequence[Meeting], dumps: Mapping[int, Dump]) -> Iterator[str]:
    """Mark as unknown what ranks did after they wrote their dumps, where other dumps tell that they went on.

    Yield what is so left open.
    """
    latest: dict[tuple[Group, int], int] = {}
    for one in meetings:
        for rank in one.calls if not one.is_message else ():
            latest[one.group, rank] = max(one.number, latest.get((one.group, rank), one.number))
    older: dict[int, Meeting] = {}
    for one in sorted(meetings, key=lambda one: one.number):
        for rank in one.missing if one.went_together else ():
            if rank in dumps and one.number > latest.get((one.group, rank), -1):
                older.setdefault(rank, one)
    for one in meetings:
        one.unknown |= older.keys() & one.members - one.calls.keys()
    for rank, one in older.items():
        yield f"arrival: the dump of rank {rank} was written before {one}, to which it came: others have ended it"
