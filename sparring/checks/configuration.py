"""The options of ``sparring check`` that a user's pyproject.toml sets, in its table ``[tool.sparring]``."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from sparring.checks.properties import LEVELS
from sparring.errors import InputError, did_you_mean
from sparring.ranges import parse

FILE = "pyproject.toml"
PLACES = ("simulated", "mpi", "both", "torch", "ddp")
FLOORS = ("proved", "tested")


class Rule(NamedTuple):
    """A rule that a value must satisfy, and the words for it."""

    holds: Callable[[Any], bool]
    words: str


def one_of(options: tuple[str, ...]) -> Rule:
    """Make the rule that a value is one of these texts."""
    return Rule(lambda x: x in options, " or ".join(f'"{option}"' for option in options))


def integer_rule(least: int | None = None) -> Rule:
    """Make the rule that a value is an integer, at least ``least``; true and false are none."""
    words = "an integer" if least is None else f"an integer, at least {least}"
    return Rule(lambda x: type(x) is int and (least is None or x >= least), words)


SECONDS = Rule(lambda x: type(x) in (int, float) and 0 < x < math.inf, "a number of seconds, more than 0")
TEXT = Rule(lambda x: isinstance(x, str), "a text")
SWITCH = Rule(lambda x: isinstance(x, bool), "true or false")
TEXTS = Rule(lambda x: isinstance(x, list) and all(isinstance(one, str) for one in x), "a list of texts")
REASONS = Rule(
    lambda x: isinstance(x, dict) and all(isinstance(one, str) and one for one in x.values()),
    "a table of reasons, a text a property",
)
SPANS = Rule(
    lambda x: isinstance(x, dict) and all(isinstance(one, str) or type(one) is int for one in x.values()),
    "a table of spans, a number or a text each",
)
KEYS: Mapping[str, Rule] = {
    "algorithm": TEXT, "ranks": TEXT, "on": one_of(PLACES), "level": one_of(LEVELS), "sparse": SWITCH,
    "topology": TEXT, "bad-input": SWITCH, "max-examples": integer_rule(1), "dtype": TEXTS, "seed": integer_rule(),
    "timeout": SECONDS, "budget": SECONDS, "against": TEXT, "contract": TEXT, "draw": SPANS,
    "xfail": REASONS, "only": TEXTS, "selector": TEXT,
    "junit": TEXT, "html": TEXT, "fail-under": one_of(FLOORS), "params": Rule(lambda x: isinstance(x, dict), "a table"),
}  # fmt: skip
"""The rules of all keys, which are the options' names."""


def load(folder: Path) -> dict[str, Any]:
    """Return the options of the nearest pyproject.toml in ``folder`` or above, by the command's argument names.

    Raises InputError for a file that is no TOML, a key that is unknown, or a value that breaks its rule.
    """
    file = next((file for at in (folder, *folder.parents) if (file := at / FILE).is_file()), None)
    if file is None:
        return {}
    try:
        whole_file = tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{file} is no TOML: {error}") from None
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror}") from None
    tool = whole_file.get("tool", {})
    table = tool.get("sparring", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        raise InputError(f"{file}: tool.sparring = {table!r}: it must be a table, [tool.sparring]")
    return {argument(key): command_value(file, key, value) for key, value in table.items()}


def argument(key: str) -> str:
    """Return the name of the command's argument for a key."""
    return "dtypes" if key == "dtype" else key.replace("-", "_")


def command_value(file: Path, key: str, value: Any) -> Any:
    """Convert a value to what the command takes; raises InputError."""
    if key not in KEYS:
        hint = did_you_mean(key, KEYS)
        raise InputError(f"{file}: [tool.sparring] has no key {key!r}; {hint}there are {', '.join(KEYS)}")
    if not KEYS[key].holds(value):
        raise InputError(f"{file}: [tool.sparring] {key} = {value!r}: it must be {KEYS[key].words}")
    if key == "ranks":
        return ranks(file, value)
    return list(value.items()) if isinstance(value, dict) else value


def floor(value: str | None) -> str | None:
    """Check the value of ``fail_under``, and return it; raises InputError."""
    if value is not None and value not in FLOORS:
        raise InputError(f"fail_under={value!r}: it must be {KEYS['fail-under'].words}")
    return value


def ranks(file: Path, text: str) -> tuple[int, ...]:
    """Read the numbers of ranks; raises InputError."""
    try:
        return parse(text)
    except InputError as error:
        raise InputError(f"{file}: [tool.sparring] ranks: {error}") from None
