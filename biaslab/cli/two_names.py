"""Parse two names in one option, such as ``--groups male,female``."""

from __future__ import annotations


def two_names(
    option: str, text: str, what: str = "groups", such_as: str = "male,female"
) -> tuple[str, str]:
    """Split the text of an option into its two names.

    Parameters
    ----------
    option, text : str
        The option and its value.
    what, such_as : str
        What the names stand for, and an example, for the message.

    Raises
    ------
    QueryError
        If the text does not hold exactly two names.
    """
    from biaslab.errors import QueryError

    names = [name.strip() for name in text.split(",")]
    if len(names) != 2:
        raise QueryError(f"{option} {text!r}: give two {what}, as in {option} {such_as}.")
    return names[0], names[1]
