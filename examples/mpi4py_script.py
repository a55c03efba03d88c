"""A script that runs at its top level under mpiexec, and what it takes to have it judged: three lines.

sparring check -- mpiexec -n {p} python examples/mpi4py_script.py {input} {output}
"""

import sys

import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
given, written = sys.argv[1:]
x = np.load(f"{given}/rank{comm.rank}.npz")["x"]

y = np.empty_like(x)
comm.Iallreduce(x, y).Wait()

np.savez(f"{written}/rank{comm.rank}.npz", x=y)
