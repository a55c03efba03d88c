"""``mpi4py`` as a target sees it in the simulated world: communicators, requests, datatypes, reductions.

``mpi`` puts the packages together; ``comm`` has what a communicator can do, by name of the modules beside it.
"""
