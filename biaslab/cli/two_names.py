"""Two names in one option, such as ``--groups male,female``."""

from __future__ import annotations


def two_names(
    option: str, text: str, what: str = "groups", such_as: str = "male,female"
) -> tuple[str, str]:
    """The two names.

    Parameters
    ----------
    option, text : str
        What was typed.
    what, such_as : str
        For the message.

    Raises
    ------
    QueryError
        If there are not two.
    """
    from biaslab.errors import QueryError

    names = [name.strip() for name in text.split(",")]
    if len(names) != 2:
        raise QueryError(f"{option} {text!r}: give two {what}, as in {option} {such_as}.")
    return names[0], names[1]
