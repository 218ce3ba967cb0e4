"""Values of options that hold several things: names, or the lines of a file."""

from __future__ import annotations

from pathlib import Path


def names(text: str) -> list[str] | None:
    """Split a text such as ``male,female``; None for an empty text."""
    return [name.strip() for name in text.split(",")] if text else None


def nonempty_names(text: str) -> list[str]:
    """Split a text such as ``es,eo``, leaving out empty names."""
    return [name.strip() for name in text.split(",") if name.strip()]


def two_names(
    option: str, text: str | None, what: str = "groups", such_as: str = "male,female"
) -> tuple[str, str] | None:
    """Split the text of an option into its two names.

    Parameters
    ----------
    option : str
    text : str or None
        Value of the option; None if it was left out.
    what, such_as : str
        What the names stand for, and an example, for the message.

    Raises
    ------
    QueryError
        If the text does not hold exactly two names.
    """
    from biaslab.errors import QueryError

    if text is None:
        return None
    one, *others = (name.strip() for name in text.split(","))
    if len(others) != 1:
        raise QueryError(f"{option} {text!r}: give two {what}, as in {option} {such_as}.")
    return one, others[0]


def lines(path: Path) -> list[str]:
    """Read the lines of a file, without empty ones.

    Raises
    ------
    QueryError
        If it cannot be read as UTF-8 text.
    """
    from biaslab.errors import QueryError
    from biaslab.given_files import read_given

    try:
        text = read_given(path).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise QueryError(f"{path} cannot be read as UTF-8 text: {why}.") from error
    return [line.strip() for line in text.splitlines() if line.strip()]
