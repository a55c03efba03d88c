"""The programs are no tests: collecting them would start MPI in this process."""

collect_ignore = ["mpi4py_suite.py", "master_worker.py"]
