"""The programs for mpiexec are no tests: collecting them would start MPI in this process."""

collect_ignore = ["mpi_calls.py", "mpi_collectives.py", "mpi_programs.py", "random_programs.py", "wild_programs.py"]
