"""The conda recipe says what pyproject.toml says: version, dependencies, commands."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml
from packaging.requirements import Requirement
from packaging.version import Version

READS = ("conda", "pyproject.toml")

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = SETTINGS["project"]
RECIPE: dict[str, Any] = yaml.safe_load((ROOT / "conda" / "recipe.yaml").read_text("utf-8"))
IN_CONDA = {
    "msgpack": "msgpack-python", "torch": "pytorch", "vaderSentiment": "vadersentiment",
}  # fmt: skip
FOR_CONTRIBUTORS = {"test", "dev", "docs", "bench", "all"}
PIP_ONLY = {"print"}
"""What conda calls typst is the program, and not its Python package."""


def in_conda(requirements: Iterable[str]) -> dict[str, str]:
    """The version that each requirement asks for, by conda's name; the lowest of several."""
    read = [Requirement(text) for text in requirements]
    lowest = sorted(read, key=lambda one: min(Version(part.version) for part in one.specifier))
    return {
        IN_CONDA.get(one.name, one.name): ",".join(sorted(map(str, one.specifier), reverse=True))
        for one in reversed(lowest)
    }


def in_recipe(lines: Iterable[str]) -> dict[str, str]:
    return {name: version for name, _, version in (line.partition(" ") for line in lines)}


def test_version_summary_licence_and_commands_are_those_of_the_project() -> None:
    assert RECIPE["context"]["version"] == PROJECT["version"]
    about = RECIPE["about"]
    assert (about["summary"], about["license"]) == (PROJECT["description"], PROJECT["license"])
    commands = [f"{name} = {target}" for name, target in PROJECT["scripts"].items()]
    assert RECIPE["build"]["python"]["entry_points"] == commands


def test_it_needs_what_the_project_needs() -> None:
    python = {"python": PROJECT["requires-python"]}
    run = in_recipe(RECIPE["requirements"]["run"])
    assert run == python | in_conda(PROJECT["dependencies"])
    backend = in_conda(SETTINGS["build-system"]["requires"])
    assert backend.items() <= in_recipe(RECIPE["requirements"]["host"]).items()


def test_extras_bound_the_packages_that_they_bring() -> None:
    extras = PROJECT["optional-dependencies"]
    brought = [
        one for name in extras if name not in FOR_CONTRIBUTORS | PIP_ONLY for one in extras[name]
    ]
    assert in_recipe(RECIPE["requirements"]["run_constraints"]) == in_conda(brought)
