"""Wrong allreduces in C, by name: the documentation's example, and what is planted in it."""

from __future__ import annotations

from pathlib import Path

from tests.sparring.checks.defect import Defect, swapped

TWIN = (Path(__file__).parents[3] / "examples/c_allreduce/allreduce.c").read_text(encoding="utf-8")
ADDS = "y[to + i] = t < p - 1 ? y[to + i] + incoming[i] : incoming[i];"
EXCHANGE = """\
        MPI_Sendrecv(y + from, sent, MPI_DOUBLE, (rank + 1) % p, 0, incoming, count, MPI_DOUBLE, (rank - 1 + p) % p, 0,
                     comm, MPI_STATUS_IGNORE);"""
SENDS_FIRST = """\
        MPI_Ssend(y + from, sent, MPI_DOUBLE, (rank + 1) % p, 0, comm);
        MPI_Recv(incoming, count, MPI_DOUBLE, (rank - 1 + p) % p, 0, comm, MPI_STATUS_IGNORE);"""
NEVER_WAITS = """\
        MPI_Request coming;
        MPI_Irecv(incoming, count, MPI_DOUBLE, (rank - 1 + p) % p, 0, comm, &coming);
        MPI_Send(y + from, sent, MPI_DOUBLE, (rank + 1) % p, 0, comm);
        MPI_Request_free(&coming);"""
FREED = "    free(incoming);\n"
SUM = "y[to + i] + incoming[i]"
SUMS = {"result", "dtypes"}
ALSO = {"edge sizes", "agreement", "special values", "long vectors"}


def last(lines: str) -> dict[str, str]:
    """What is done to the vector in the end."""
    return {FREED: f"    {lines}\n{FREED}"}


DEFECTS = {
    "remainder belongs to no chunk": swapped("#ifdef PLANTED", "#if 1", SUMS, ALSO),
    "adds in float": swapped(ADDS, ADDS.replace(SUM, f"(float)({SUM})"), SUMS, ALSO),
    "maximum instead of sum": swapped(
        ADDS, "y[to + i] = y[to + i] > incoming[i] ? y[to + i] : incoming[i];", SUMS, ALSO,
    ),
    "overwrites instead of adding": swapped(ADDS, "y[to + i] = incoming[i];", SUMS, ALSO),
    "synchronous sends in a cycle": swapped(EXCHANGE, SENDS_FIRST, {"deadlock"}, {*SUMS, *ALSO}),
    "receive never waited for": swapped(EXCHANGE, NEVER_WAITS, {"result"}, {*SUMS, *ALSO, "reproducibility"}),
    "last rank adds one": Defect(
        last("if (rank && rank == p - 1 && n)\n        y[0] += 1;"), {"result", "agreement"}, {*SUMS, *ALSO},
    ),
    "NaN lost": Defect(
        last("for (int i = 0; i < n; i++)\n        y[i] = y[i] == y[i] ? y[i] : 0;"), {"special values"},
    ),
    "tail lost beyond 65,535": Defect(
        last("for (int i = 65535; i < n; i++)\n        y[i] = 0;"), {"long vectors"},
        options={"dtypes": "float64", "max_examples": 100},
    ),
    "exits with an error": swapped("    return 0;", "    return rank > 0;", {"result"}, {*SUMS, *ALSO, "deadlock"}),
}  # fmt: skip
"""By name, the wrong programs."""
