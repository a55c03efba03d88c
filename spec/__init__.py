"""The pages: one module an algorithm, formulas and nothing else.  ``core`` says what a page is."""

if not __name__.startswith("sparring."):
    raise ImportError("import sparring.spec, not spec: the folder at the top is a room of the package sparring")
