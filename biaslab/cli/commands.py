"""Declarations of commands: a command is a function, its help text and its options."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias


class HelpFormatter(argparse.HelpFormatter):
    """Formatter that leaves indented lines of descriptions and epilogs as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines = [
            indent + line if line.startswith("  ") else textwrap.fill(line, width)
            for line in text.splitlines()
        ]
        return "\n".join(lines)


def as_sentence(text: str) -> str:
    """Return the text with a capital letter and a full stop."""
    return f"{text[:1].upper()}{text[1:]}."


def examples_text(examples: Iterable[str]) -> str:
    """Return command lines under a heading."""
    lines = [f"  {one}" for one in examples]
    return "\n".join(["Examples:" if len(lines) > 1 else "Example:", *lines])


Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
"""Collection of subparsers to which a command adds its own."""

Handler = Callable[[argparse.Namespace], None]
"""Function that runs a command; it raises an error to make the command fail."""


class ExitStatus(Exception):  # it is no error
    """Ends a command that has printed its outcome with an exit status of its own."""

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

    - `name`: with dashes for an option, such as ``--level``.
    - `about`: help text. A default is appended to it, unless the text names the default itself.
    - `default`: value of an option that is left out. A number's type is that of the option.
    - `**settings`: further settings of `argparse.ArgumentParser.add_argument`. A value whose
      metavar is ``FILE``, ``FOLDER`` or ``PATH`` is a path. ``former`` is a name that still works.
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
        self.name, self.former = name, settings.pop("former", "")
        self.settings = {"help": about, **settings}

    def add(self, parser: argparse._ActionsContainer) -> None:
        """Add the option to a parser, or to a group of its options; ``keywords`` names all."""
        action = parser.add_argument(self.name, **self.settings)
        if action.option_strings:
            keywords = parser.get_default("keywords") or ()
            parser.set_defaults(keywords=(*keywords, action.dest))
        if self.former:
            hidden = {"dest": action.dest, "help": argparse.SUPPRESS, "default": argparse.SUPPRESS}
            parser.add_argument(self.former, **{**self.settings, **hidden})


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
    """A command, or one of a family.

    - `name`, `about`: what a person types, and the line of the command above that lists it.
    - `options`: in the order of the help text.
    - `examples`: command lines that the help text ends with.
    - `description`: first paragraph of the help text; the line ``about`` by default.
    """

    name: str
    about: str
    options: tuple[Declared, ...]
    run: Handler
    examples: tuple[str, ...]
    description: str = ""

    def add(self, commands: Commands) -> None:
        """Add the command to those of its parent."""
        parser = commands.add_parser(
            self.name,
            help=self.about,
            description=self.description or as_sentence(self.about),
            epilog=examples_text(self.examples),
            formatter_class=HelpFormatter,
        )
        for option in self.options:
            option.add(parser)
        parser.set_defaults(handler=self.run)


@dataclass(frozen=True)
class Family:
    """Commands below a common name, such as ``biaslab runs list`` and ``biaslab runs show``.

    - `name`, `about`: as of `Command`.
    - `commands`: looked at when the family is typed.
    - `metavar`: what the help text calls one of them.
    - `default`: the command that runs where none is named; empty if one has to be named.
    - `aliases`: other names of the family.
    """

    name: str
    about: str
    commands: Iterable[Command]
    metavar: str = "ACTION"
    default: str = ""
    aliases: tuple[str, ...] = ()

    def is_typed(self, arguments: Sequence[str]) -> bool:
        """Return whether a command line is one of this family."""
        return bool(arguments) and arguments[0] in (self.name, *self.aliases)

    def add_name(self, commands: Commands) -> None:
        """Add the line that lists the family, without its commands."""
        commands.add_parser(self.name, aliases=self.aliases, help=self.about)

    def add(self, commands: Commands) -> None:
        """Add the family to the commands of its parent."""
        description = as_sentence(self.about)
        if self.default:
            description += f" Without {self.metavar}: {self.default}."
        parser = commands.add_parser(
            self.name,
            aliases=self.aliases,
            help=self.about,
            description=description,
            epilog=examples_text([one.examples[0] for one in self.commands]),
            formatter_class=HelpFormatter,
        )
        children = parser.add_subparsers(required=True, metavar=self.metavar)
        for one in self.commands:
            one.add(children)

    def completed(self, arguments: Sequence[str]) -> list[str]:
        """Return a command line of this family with the default command named."""
        rest = list(arguments[1:])
        named = {"-h", "--help", *(one.name for one in self.commands)}
        if self.default and (not rest or rest[0] not in named):
            rest.insert(0, self.default)
        return [arguments[0], *rest]


def command(
    name: str, about: str, *options: Declared, examples: Sequence[str], description: str = ""
) -> Callable[[Handler], Command]:
    """Declare the decorated function as a command; see `Command`."""
    return lambda run: Command(name, about, options, run, tuple(examples), description)


def given(options: argparse.Namespace, *names: str) -> dict[str, Any]:
    """Take the values of some options, as keyword arguments of the same names."""
    return {name: getattr(options, name) for name in names}
