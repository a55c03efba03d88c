"""The recorder of C programs: what it writes is a trace, with the digests that Python computes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sparring.adapters import recorder, vectorfiles
from sparring.checks.checking import check
from sparring.checks.ranks import launch
from sparring.errors import InputError, MissingExtra
from sparring.trace import files
from sparring.trace.events import digest

ROOT = Path(__file__).parents[3]
MPICC = Path(sys.executable).with_name("mpicc")
C = pytest.mark.skipif(
    launch.find() is None or not MPICC.exists(), reason='no mpicc beside this Python: pip install "mpich"'
)
LENGTHS = (0, 1, 127, 128, 129, 255, 256, 257, 1000)
PROGRAM = """\
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, lengths[] = {%(lengths)s}, code = 0;
    char bytes[1000];
    double x[6] = {0, 1, 2, 3, 4, 5}, y[6];
    MPI_Comm twin;
    MPI_Request requests[2];
    MPI_Datatype column;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 1000; i++)
        bytes[i] = (char)(7 * i);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &twin); /* ranks the other way round */
    for (int i = 0; i < %(number)d; i++)
        if (rank == 0)
            MPI_Send(bytes, lengths[i], MPI_CHAR, 1, i, MPI_COMM_WORLD);
        else
            MPI_Recv(bytes, 1000, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_vector(3, 1, 2, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    if (rank == 0) {
        MPI_Isend(x, 1, column, 0, 5, twin, requests); /* to the world's rank 1 */
        MPI_Wait(requests, MPI_STATUS_IGNORE);
    } else {
        MPI_Irecv(y, 3, MPI_DOUBLE, 1, 5, twin, requests);
        MPI_Wait(requests, MPI_STATUS_IGNORE);
        code = y[0] != 0 || y[1] != 2 || y[2] != 4;
    }
    MPI_Send(x, 1, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Iallreduce(x, y, 6, MPI_DOUBLE, MPI_SUM, twin, requests);
    MPI_Wait(requests, MPI_STATUS_IGNORE);
    MPI_Type_free(&column);
    MPI_Comm_free(&twin);
    MPI_Finalize();
    return code || y[5] != 10;
}
"""

AGAIN = """\
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, one, code = 0;
    double x[6] = {0, 1, 2, 3, 4, 5}, y[3];
    MPI_Comm twin;
    MPI_Request both[2], last, none;
    MPI_Datatype column;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Type_vector(3, 1, 2, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Recv_init(y, 3, MPI_DOUBLE, 1 - rank, 5, twin, both);
    MPI_Ssend_init(x, 1, column, 1 - rank, 5, twin, both + 1);
    MPI_Type_free(&column);
    MPI_Send_init(x, 6, MPI_DOUBLE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &none);
    for (int i = 0; i < 3; i++) {
        MPI_Startall(2, both);
        MPI_Start(&none);
        MPI_Wait(&none, MPI_STATUS_IGNORE);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        code |= y[0] != i || y[2] != 4 + i;
        for (int j = 0; j < 6; j++)
            x[j] += 1;
    }
    MPI_Comm_free(&twin);
    MPI_Request_free(both);
    MPI_Request_free(both + 1);
    MPI_Request_free(&none);
    MPI_Send_init(&rank, 1, MPI_INT, 1 - rank, 6, MPI_COMM_WORLD, &last);
    MPI_Start(&last);
    MPI_Recv(&one, 1, MPI_INT, 1 - rank, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&last, MPI_STATUS_IGNORE);
    MPI_Request_free(&last);
    MPI_Finalize();
    return code || one != 1 - rank;
}
"""
AGAIN_RECEIVED = [("Startall", 5, 24)] * 3 + [("Recv", 6, 4)]
PARTS = """\
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank;
    char byte = 0;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank)
        MPI_Precv_init(&byte, 1, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    else
        MPI_Psend_init(&byte, 1, 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Finalize();
    return 0;
}
"""


@pytest.fixture
def recorded(tmp_path, monkeypatch):
    """Runs a C program under the recorder on so many ranks; returns the launcher's answer and the folder."""

    def run(source, *words, ranks=2):
        program, folder = tmp_path / "program", tmp_path / "trace"
        folder.mkdir(exist_ok=True)
        subprocess.run([MPICC, "-Wall", "-Werror", "-o", program, source], check=True, timeout=60)
        for name, value in recorder.environment(recorder.built(tmp_path), folder).items():
            monkeypatch.setenv(name, value)
        return launch.run([str(program), *words], ranks, timeout=60), folder

    return run


def written(tmp_path):
    source = tmp_path / "program.c"
    source.write_text(PROGRAM % {"lengths": ", ".join(map(str, LENGTHS)), "number": len(LENGTHS)})
    return source


@C
@pytest.mark.mpi
def test_what_is_written(recorded, tmp_path):
    """Sends have Python's digests at every length around a block's; peers are the world's; types count as bytes."""
    done, folder = recorded(written(tmp_path))
    assert done.returncode == 0, done.stdout
    trace = files.read(folder)
    sent = [e for e in trace.events if e.op == "send"]
    data = (7 * np.arange(1000)).astype(np.uint8).tobytes()
    assert [(e.call, e.peer, e.tag, e.context) for e in sent] == [("Send", 1, i, 0) for i in range(9)] + [
        ("Isend", 1, 5, 1)
    ]
    assert [e.digest for e in sent[:-1]] == [digest(data[:length]) for length in LENGTHS]
    assert (sent[-1].dtype, sent[-1].nbytes, sent[-1].digest) == ("uint8", 24, digest(np.arange(0.0, 6, 2).tobytes()))
    received = [e for e in trace.events if e.op == "receive"]
    assert {(e.rank, e.peer, e.tag, e.nbytes) for e in received} == {(1, -1, -1, 1000), (1, 0, 5, 24)}
    met = [(e.rank, e.call, e.context, e.nbytes) for e in trace.events if e.op == "collective"]
    assert met == [(0, "Iallreduce", 1, 48), (1, "Iallreduce", 1, 48)]
    assert all(e.where.startswith("program+0x") for e in trace.events)


@C
@pytest.mark.mpi
def test_persistent_requests_are_noted_whenever_they_are_started(recorded, tmp_path):
    """With what they hold then, though their type is freed."""
    source = tmp_path / "again.c"
    source.write_text(AGAIN)
    done, folder = recorded(source)
    assert done.returncode == 0, done.stdout
    trace = files.read(folder)
    sent = [(e.rank, e.call, e.peer, e.tag, e.context, e.dtype, e.nbytes, e.digest) for e in trace.sends()]
    for r in range(2):
        columns = [digest(np.array([i, 2 + i, 4 + i], float).tobytes()) for i in range(3)]
        assert [s for s in sent if s[0] == r] == [
            *((r, "Startall", 1 - r, 5, 1, "uint8", 24, column) for column in columns),
            (r, "Start", 1 - r, 6, 0, "int32", 4, digest(np.int32(r).tobytes())),
        ]
    received = [(e.rank, e.call, e.peer, e.tag, e.nbytes) for e in trace.events if e.op == "receive"]
    assert received == [*((r, call, 1 - r, tag, size) for r in range(2) for call, tag, size in AGAIN_RECEIVED)]


@C
@pytest.mark.mpi
def test_other_persistent_requests_are_refused(recorded, tmp_path):
    """What no log could follow ends the program with a sentence."""
    source = tmp_path / "parts.c"
    source.write_text(PARTS)
    done, _ = recorded(source)
    assert done.returncode != 0
    assert "sparring: MPI_Start of a collective or of parts of a message cannot be recorded" in done.stdout


@C
@pytest.mark.mpi
def test_a_folder_is_judged(recorded, tmp_path):
    """A run of the C example is the ring's on its vectors, and neither on other vectors nor another algorithm's."""
    given, folder = tmp_path / "input", tmp_path / "trace"
    given.mkdir()
    folder.mkdir()
    for r in range(3):
        vectorfiles.write(given, r, 3, np.arange(5.0) + r)
        shutil.copy(given / f"rank{r}.bin", folder)
    with pytest.raises(InputError, match="there is no such file"):
        check(str(folder), "ring")
    done, _ = recorded(ROOT / "examples/c_allreduce/allreduce.c", str(given), str(given), ranks=3)
    assert done.returncode == 0, done.stdout
    assert {str(r.verdict) for r in check(str(folder), "ring").results} == {"tested (1 example)"}
    assert "sends 1 entry to rank 1" in check(str(folder), "recursive_doubling").results[0].detail
    vectorfiles.write(folder, 0, 3, np.arange(5.0) + 9)
    assert "step 0, chunk 0: rank 0 sends 1 other entry" in check(str(folder), "ring").results[0].detail
    assert check(str(folder)).extra["check"]["nearest"]["text"].startswith("ring, message by message")
    (folder / "rank0.bin").unlink()
    (folder / "rank0.npz").unlink()
    with pytest.raises(InputError, match="every rank must have its vector in one of them"):
        check(str(folder), "ring")


@C
@pytest.mark.mpi
@pytest.mark.parametrize("planted", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_steps_of_a_command(tmp_path, monkeypatch, planted):
    """At level steps the C example sends what the ring does; the planted one has other chunks."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sparring.checks.engine.SHRINKING", 1.0)
    flags = ["-DPLANTED"] * planted
    source = ROOT / "examples/c_allreduce/allreduce.c"
    subprocess.run([MPICC, *flags, "-o", "allreduce", source], check=True, timeout=60)
    target = ["mpiexec", "-n", "{p}", "./allreduce", "{input}", "{output}"]
    only = ["steps", "volume"]
    report = check(target, "ring", level="steps", ranks=[2, 3], dtypes=["float64"], max_examples=5, only=only)
    assert [str(r.verdict) for r in report.results] == (["refuted"] * 2 if planted else ["tested (4 examples)"] * 2)


def test_without_a_compiler(tmp_path, monkeypatch):
    """Where there is no mpicc the sentence says how to install one; one that fails is quoted."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(MissingExtra, match=r'pip install "sparring\[mpich\]"'):
        recorder.built(tmp_path)
    (tmp_path / "mpicc").write_text("#!/bin/sh\necho planted >&2\nexit 3\n")
    (tmp_path / "mpicc").chmod(0o755)
    with pytest.raises(InputError, match="ended with exit code 3: planted"):
        recorder.built(tmp_path)
