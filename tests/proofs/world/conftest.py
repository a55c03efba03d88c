"""The programs for mpiexec are no tests: collecting them would start MPI in this process."""

collect_ignore = ["mpi_calls.py", "mpi_collectives.py", "mpi_programs.py", "on_real_ranks.py", "random_programs.py"]
collect_ignore += ["wild_programs.py"]
