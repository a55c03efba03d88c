"""Running other people's code on real MPI, from a driver that never starts MPI itself."""
