"""Sources of modules with something planted."""

import inspect


def changed(module, **lines):
    """The module's source with some lines in other words."""
    source = inspect.getsource(module)
    for old, new in lines.values():
        assert source.count(old) == 1
        source = source.replace(old, new)
    return source
