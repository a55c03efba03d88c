"""``python -m sparring``: the command line, of the Python that is asked."""

from sparring.cli import main

if __name__ == "__main__":
    main()
