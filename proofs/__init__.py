"""The proofs: what makes theorems of pages.  A module here is what the page of its name needs beyond its formulas.

From below: ``logic`` asks the solvers, ``contention`` knows links, ``reading`` reads a page's text on symbols,
``exchanges`` has theorems of single exchanges, ``statements`` says what is to be proved of a page, ``mutants``
plants faults in it, ``kernel`` makes theorems, and ``proving`` hands it these faults.  ``coq`` has what is
proved once and for all, ``hints`` which facts the solvers needed before.
"""

if not __name__.startswith("sparring."):
    raise ImportError("import sparring.proofs, not proofs: the folder at the top is a room of the package sparring")
