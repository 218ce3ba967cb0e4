"""Two names in one option, such as ``--groups male,female``."""

from __future__ import annotations


def two_names(option: str, text: str) -> tuple[str, str]:
    """The two names.

    Raises
    ------
    QueryError
        If there are not two.
    """
    from biaslab.errors import QueryError

    names = [name.strip() for name in text.split(",")]
    if len(names) != 2:
        raise QueryError(f"{option} {text!r}: give two groups, as in {option} male,female.")
    return names[0], names[1]
