"""The pages: one module an algorithm, formulas or one rank's text between exchanges.

``core`` says what a page is and runs it, ``exchanges`` has the pages of exchanges, ``selectors`` those of selectors,
``collectives`` those of broadcasts and reductions; ``codecs`` and ``library`` are what texts make use of, ``training``
are rules around an allreduce.
"""

if not __name__.startswith("sparring."):
    raise ImportError("import sparring.spec, not spec: the folder at the top is a room of the package sparring")
