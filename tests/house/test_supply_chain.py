"""What is installed and released is known: versions by hash, and what else a wheel holds."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import sbom

READS = ("constraints.txt", "js/package-lock.json", "js/package.json", "locks", "tools")

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "locks").glob("*.txt"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def locked(name: str) -> dict[str, str]:
    """Versions by name, of what has a hash and of nothing else."""
    text = (ROOT / "locks" / f"{name}.txt").read_text(encoding="utf-8")
    pin = r"^(\S+)==(\S+)(?: \\\n    --hash=sha256:[0-9a-f]{64})+\n"
    assert re.sub(pin, "", text, flags=re.MULTILINE) == ""
    return dict(re.findall(pin, text, re.MULTILINE))


def test_the_lock_is_of_the_pinned_versions() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert locked("everything") == dict(line.split("==") for line in lines if "==" in line)


def test_what_the_package_alone_brings_is_locked() -> None:
    everything, base, build = map(locked, ("everything", "base", "build"))
    assert {Requirement(text).name for text in PROJECT["dependencies"]} <= set(base)
    assert {"build", "hatchling"} <= set(build)
    assert base.items() | build.items() <= everything.items()
    assert "torch" not in base


@pytest.fixture(scope="module")
def bill() -> sbom.Part:
    itself = {"bom-ref": "root", "name": "biaslab", "version": PROJECT["version"]}
    numpy = {"bom-ref": "numpy==2", "name": "numpy", "version": "2"}
    return sbom.complete(
        {
            "metadata": {"component": itself},
            "components": [numpy],
            "dependencies": [{"ref": "numpy==2"}, {"ref": "root", "dependsOn": ["numpy==2"]}],
        }
    )


def test_the_bill_lists_what_is_inside_with_its_licence(bill: sbom.Part) -> None:
    numpy, *inside = bill["components"]
    kinds = [part["type"] for part in inside]
    assert kinds.count("data") == 49
    assert kinds.count("machine-learning-model") == 6
    licences = {part["name"]: part["licenses"] for part in inside}
    assert len(licences) == len(inside)
    assert licences["preact"] == [{"license": {"id": "MIT"}}]
    (clip,) = licences["portrait-clip"]
    assert clip["license"]["name"].startswith("BSD-3-Clause, as biaslab. Source:")
    (_, own) = bill["dependencies"]
    assert own["dependsOn"] == [part["bom-ref"] for part in (numpy, *inside)]


def test_no_other_npm_package_gets_into_the_front_end() -> None:
    used = {"inter-ui"}  # the font, by js/font.mjs
    for file in (ROOT / "js" / "src").rglob("*.ts*"):
        text = file.read_text(encoding="utf-8")
        names = re.findall(
            r"""(?:\bfrom|^import|\bimport\() ?"([^."\n][^"\n]*)\"""", text, re.MULTILINE
        )
        used |= {name.split("/")[0] for name in names}
    assert used == set(sbom.FRONT_END)
