"""Published formulas of costs, a module for each algorithm.

``claim`` says what a claim is and finds them, ``notation`` what papers call the letters.
"""
