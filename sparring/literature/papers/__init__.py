"""Published statements: every module here is one source.

The first line of its docstring is what is cited; ``statements`` lists what the source says, each a
``Row``, a ``Theorem``, a ``Shown`` or an ``Unjudged`` of :mod:`sparring.literature.statements`.
"""
