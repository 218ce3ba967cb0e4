"""``biaslab users``: who may sign in to a served app."""

from __future__ import annotations

import argparse
import getpass
import sys
from pathlib import Path

from biaslab.cli.commands import Family, Option, command
from biaslab.cli.output import JSON, Column, Row, print_json, print_table
from biaslab.errors import BiaslabError

_FILE = Option("--file", "the file of users", Path("users.json"), metavar="FILE")
_ROLES = ("visitor", "teacher", "owner")


@command(
    "list",
    "list who may sign in, and as what",
    _FILE,
    JSON,
    examples=("biaslab users list --file class.json",),
)
def list_users(options: argparse.Namespace) -> None:
    """Print names and roles."""
    from biaslab.people.users import read_users

    rows: list[Row] = [
        {"name": name, "role": str(user.role)} for name, user in read_users(options.file).items()
    ]
    if options.json:
        print_json(rows)
    else:
        print_table(rows, (Column("name"), Column("role")))


@command(
    "add",
    "add a person, or give one a new password or role",
    Option("name", "name under which the person signs in"),
    Option("--role", "what the person may do", "visitor", choices=_ROLES),
    _FILE,
    examples=("biaslab users add anna --role teacher", "biaslab users add ben --file class.json"),
    description="Add a person, or give one a new password or role. The password is asked for, or"
    " read from the first line of the standard input; the file keeps it hashed.",
)
def add_user(options: argparse.Namespace) -> None:
    """Write a person into the file."""
    from biaslab.people.access import Role
    from biaslab.people.users import set_user

    set_user(options.file, options.name, _password(), Role(options.role))
    print(f"{options.name} may sign in as {options.role}.")


@command(
    "remove",
    "let a person sign in no longer; their runs stay",
    Option("name", "name of the person"),
    _FILE,
    examples=("biaslab users remove ben",),
)
def remove_user(options: argparse.Namespace) -> None:
    """Take a person out of the file."""
    from biaslab.people.users import remove_user as remove

    remove(options.file, options.name)
    print(f"{options.name} may sign in no longer.")


USERS = Family(
    "users",
    "choose who may sign in to a served app",
    (list_users, add_user, remove_user),
    default="list",
)


def _password() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\n")
    first = getpass.getpass("Password: ")
    if getpass.getpass("The same again: ") != first:
        raise BiaslabError("The two passwords differ. Nothing was changed.")
    return first
