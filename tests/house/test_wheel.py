"""What a release holds: three typed packages, the built front end, the extensions of Jupyter."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import front_end

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
VERSION = PROJECT["version"]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with wheel and source archive of this checkout, made without the network."""
    folder = tmp_path_factory.mktemp("release")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def contents(release: Path) -> list[str]:
    """Names in the wheel."""
    with zipfile.ZipFile(release / f"biaslab-{VERSION}-py3-none-any.whl") as wheel:
        return wheel.namelist()


def test_the_archive_holds_the_built_front_end_so_that_installing_it_needs_no_node(
    release: Path,
) -> None:
    with tarfile.open(release / f"biaslab-{VERSION}.tar.gz") as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    built = [*front_end.STATIC.rglob("*.*"), front_end.LAB]
    assert {file.relative_to(ROOT).as_posix() for file in built} <= names


@pytest.mark.parametrize(
    "name",
    [
        "biaslab/__init__.py",
        "biaslab/__init__.pyi",
        "biaslab/probes/__init__.pyi",
        "biaslab/py.typed",
        "biaslab_train/__init__.py",
        "biaslab_train/clerk/clerk_plant.toml",
        "biaslab_train/py.typed",
        "biaslab_widgets/__init__.py",
        "biaslab_widgets/py.typed",
        "biaslab_widgets/static/psychometric.js",
        "biaslab_widgets/static/fonts/inter.woff2",
        "biaslab_widgets/static/fonts/inter-LICENSE.txt",
        f"biaslab-{VERSION}.data/data/etc/jupyter/jupyter_server_config.d/biaslab.json",
        f"biaslab-{VERSION}.data/data/share/jupyter/labextensions/biaslab/package.json",
        f"biaslab-{VERSION}.data/data/share/jupyter/labextensions/biaslab/static/remoteEntry.js",
        f"biaslab-{VERSION}.data/data/share/jupyter/labextensions/biaslab/lessons.json",
        f"biaslab-{VERSION}.data/data/share/jupyter/labextensions/biaslab/lessons/lesson-0.ipynb",
        f"biaslab-{VERSION}.dist-info/entry_points.txt",
        "biaslab_widgets/app/icon.svg",
        f"biaslab-{VERSION}.dist-info/licenses/LICENSE",
    ],
)
def test_the_wheel_holds(contents: list[str], name: str) -> None:
    assert name in contents


def test_the_wheel_holds_nothing_but_the_three_packages(contents: list[str]) -> None:
    tops = {name.split("/")[0] for name in contents}
    assert tops == {
        "biaslab", "biaslab_train", "biaslab_widgets",
        f"biaslab-{VERSION}.data", f"biaslab-{VERSION}.dist-info",
    }  # fmt: skip


def test_the_wheel_holds_every_lesson_that_the_tour_copies_and_no_solution(
    contents: list[str],
) -> None:
    listing = ROOT / "widgets" / "jupyter_labextension" / "lessons.json"
    lessons = {Path(name).name for name in contents if "/lessons/" in name}
    # `biaslab lab` copies the index too.
    assert lessons == set(json.loads(listing.read_text())["names"])
    assert not [name for name in lessons if "solution" in name]


def test_citation_extension_and_changelog_name_the_version_of_the_project() -> None:
    extension = ROOT / "widgets" / "jupyter_labextension" / "package.json"
    assert json.loads(extension.read_text(encoding="utf-8"))["version"] == VERSION
    assert f"\nversion: {VERSION}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    sections = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert sections[0] == VERSION


def test_the_readme_says_what_each_extra_brings() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = text.partition("| extra |")[2].partition("\n\n")[0]
    named = re.findall(r"`(\w+)`", " ".join(re.findall(r"^\|(.*?)\|", table, re.MULTILINE)))
    assert set(named) == set(PROJECT["optional-dependencies"]) - {"test", "dev", "docs", "bench"}
