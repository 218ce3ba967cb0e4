"""Declarations of commands: a command is a function, its help text and its options."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""Collection of subparsers to which a command adds its own."""

Handler = Callable[[argparse.Namespace], None]
"""Function that runs a command; it raises an error to make the command fail."""


class ExitStatus(Exception):  # it is no error
    """Ends a command that has printed its outcome with an exit status of its own.

    Parameters
    ----------
    status : int
    """

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


_PATHS = ("FILE", "FOLDER", "PATH")


class Declared(Protocol):
    """One option of a command, or several that stand together."""

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Add it to the parser of its command."""


class Option:
    """An option, or a positional argument.

    Parameters
    ----------
    name : str
        With dashes for an option, such as ``--level``.
    about : str
        Help text. A default is appended to it, unless the text names the default itself.
    default : object, optional
        Value of an option that is left out. A number's type is that of the option.
    **settings
        Further settings of `argparse.ArgumentParser.add_argument`. A value whose metavar is
        ``FILE``, ``FOLDER`` or ``PATH`` is a path.
    """

    def __init__(self, name: str, about: str, default: Any = None, **settings: Any) -> None:
        is_number = type(default) in (int, float)
        if (is_number or (default and isinstance(default, str))) and "(default" not in about:
            about += " (default: %(default)s)"
        if is_number:
            settings.setdefault("type", type(default))
        elif settings.get("metavar") in _PATHS:
            settings.setdefault("type", Path)
        if default is not None:
            settings["default"] = default
        self.name = name
        self.settings = {"help": about, **settings}

    def add(self, parser: argparse._ActionsContainer) -> None:
        """Add the option to a parser, or to a group of its options."""
        parser.add_argument(self.name, **self.settings)


def flag(name: str, about: str) -> Option:
    """Declare an option without a value."""
    return Option(name, about, action="store_true")


class Group:
    """Options under a heading of their own in the help text."""

    def __init__(self, title: str, *options: Option) -> None:
        self.title, self.options = title, options

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Add the options to the parser of their command."""
        group = parser.add_argument_group(self.title)
        for option in self.options:
            option.add(group)


class ExactlyOne:
    """Options of which one has to be given."""

    def __init__(self, *options: Option) -> None:
        self.options = options

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Add the options to the parser of their command."""
        group = parser.add_mutually_exclusive_group(required=True)
        for option in self.options:
            option.add(group)


@dataclass(frozen=True)
class Command:
    """A command, or one of its subcommands.

    Attributes
    ----------
    name, about : str
        What a person types, and the line of the command above that lists it.
    options : tuple of Declared
        In the order of the help text.
    run : Handler
    description : str or None
        First paragraph of the help text.
    """

    name: str
    about: str
    options: tuple[Declared, ...]
    run: Handler
    description: str | None = None

    def add(self, commands: Commands) -> None:
        """Add the command to those of its parent."""
        parser = commands.add_parser(self.name, help=self.about, description=self.description)
        for option in self.options:
            option.add(parser)
        parser.set_defaults(handler=self.run)


def command(
    name: str, about: str, *options: Declared, description: str | None = None
) -> Callable[[Handler], Command]:
    """Declare the decorated function as a command; see `Command`."""
    return lambda run: Command(name, about, options, run, description)


def given(options: argparse.Namespace, *names: str) -> dict[str, Any]:
    """Take the values of some options, as keyword arguments of the same names."""
    return {name: getattr(options, name) for name in names}
