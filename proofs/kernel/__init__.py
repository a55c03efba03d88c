"""Makes theorems, and writes down what they rest on: read ``kernel`` first.

``certificates`` and ``instances`` are files that others can check, ``rechecking`` and ``recompiling`` check them.
"""
