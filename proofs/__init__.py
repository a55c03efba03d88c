"""The proofs: a kernel that makes theorems, a simulated MPI, and what single pages need beyond their formulas."""

if not __name__.startswith("sparring."):
    raise ImportError("import sparring.proofs, not proofs: the folder at the top is a room of the package sparring")
