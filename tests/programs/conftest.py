"""The programs are no tests: collecting them would start MPI in this process."""

collect_ignore = ["mpi4py_suite.py", "halo_exchange.py", "master_worker.py", "pipelined_broadcast.py"]
