"""What is wrong with a call, in few words, however long what was given is: a model has to read them."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from pydantic import ValidationError

_MOST_PROBLEMS = 10
_MOST_ENTRIES = 20
_LONGEST = 200


def list_problems(error: ValidationError) -> list[dict[str, str]]:
    """Which argument has which problem."""
    return [
        {
            "argument": ".".join(str(part) for part in problem["loc"]),
            "problem": problem["msg"].removeprefix("Value error, "),
        }
        for problem in error.errors(include_url=False, include_input=False)
    ]


def describe_problems(error: ValidationError) -> str:
    """The first problems, and how many more there are."""
    problems = list_problems(error)
    told = [
        f"{shorten(problem['argument'])}: {problem['problem']}".removeprefix(": ").rstrip(".")
        for problem in problems[:_MOST_PROBLEMS]
    ]
    more = len(problems) - len(told)
    return "; ".join(told) + (f"; and {more} more" if more else "")


def shorten(value: Any) -> Any:
    """Details of an error, each no longer than it has to be."""
    if isinstance(value, str):
        return value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…"
    if isinstance(value, Mapping):
        return {key: shorten(each) for key, each in cast("Mapping[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [shorten(each) for each in cast("Sequence[Any]", value)[:_MOST_ENTRIES]]
    return value
