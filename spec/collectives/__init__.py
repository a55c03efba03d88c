"""Pages of the collectives that MPI libraries are built from: rank 0 is the root, and there is no implementation of ours."""
