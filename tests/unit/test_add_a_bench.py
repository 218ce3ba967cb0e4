"""The bench of docs/add-a-bench.md joins a copy of the house as the page says, and runs there."""

from __future__ import annotations

import filecmp
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import front_end  # noqa: E402  (tools/ is no package)

PAGE = (ROOT / "docs" / "add-a-bench.md").read_text(encoding="utf-8")
BLOCK = r" -->\n```\w+\n(.*?)```\n"
FILES = dict(re.findall(r"<!-- file: (\S+)" + BLOCK, PAGE, flags=re.DOTALL))
EDITS = re.findall(r'<!-- edit: (\S+), before "(.*?)"' + BLOCK, PAGE, flags=re.DOTALL)
MOST_EDITED = 5
OURS = ("biaslab", "widgets/biaslab_widgets", "tools", "js/src")
LEFT_OUT = shutil.ignore_patterns("bundled", "static")
WRITTEN = (
    "js/src/generated",
    "biaslab_widgets/__init__.pyi",
    "first_runs/",
    "static/",
    "__pycache__",
)
"""Parts of the paths of files that tools write."""
EVERY_ENTRY = (
    "tests/harness/added_bench.py",
    "tests/unit/test_reports.py",
    "tests/unit/test_app_pages.py::PagesTest::test_home_asks_the_question_of_each_bench",
)
"""Tests of this bench, and some that go over all entries."""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the house with the page's files and edits, and what tools make of them."""
    house = tmp_path_factory.mktemp("house")
    for folder in OURS:
        shutil.copytree(ROOT / folder, house / folder, ignore=LEFT_OUT)
    (house / "biaslab" / "bundled").symlink_to(ROOT / "biaslab" / "bundled")
    for path, content in FILES.items():
        assert not (house / path).exists()
        (house / path).parent.mkdir(parents=True, exist_ok=True)
        (house / path).write_text(content, encoding="utf-8")
    for path, place, lines in EDITS:
        before, after = (house / path).read_text(encoding="utf-8").split(f"\n{place}")
        (house / path).write_text(f"{before}\n{lines}{place}{after}", encoding="utf-8")
    front_end.install_packages()
    for name in ("build.mjs", "font.mjs", "tsconfig.json", "package.json"):
        shutil.copy(front_end.JS / name, house / "js" / name)
    (house / "js" / "node_modules").symlink_to((front_end.JS / "node_modules").resolve())
    run(house, sys.executable, "tools/contract.py")
    run(house, sys.executable, "tools/first_runs.py", "nearness")
    run(house, "node", "build.mjs")
    return house


def run(house: Path, *command: str) -> None:
    """Run a program with the copy's packages, or in the copy's front end."""
    paths = map(str, (house, house / "widgets", ROOT / "tests"))
    variables = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    folder = house / "js" if command[0] == "node" else house
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_page_lists_every_file() -> None:
    listed = re.findall(r"^\| `([\w./-]+)` \|", PAGE, flags=re.MULTILINE)
    assert listed == [*FILES, *(path for path, _, _ in EDITS)]


def test_few_files_outside_its_rooms_are_edited(house: Path) -> None:
    files = [path for folder in OURS for path in (house / folder).rglob("*") if path.is_file()]
    names = {str(path.relative_to(house)) for path in files}
    by_hand = {name for name in names if not any(part in name for part in WRITTEN)}
    before = {name for name in by_hand if (ROOT / name).exists()}
    edited = {name for name in before if not filecmp.cmp(ROOT / name, house / name, shallow=False)}
    assert by_hand - before == set(FILES)
    assert edited == {path for path, _, _ in EDITS}
    assert len(edited) <= MOST_EDITED


def test_it_is_a_bench_like_all_others(house: Path) -> None:
    options = ("-q", "-n0", "-p", "no:cacheprovider", "-c", str(ROOT / "pyproject.toml"))
    tests = [str(ROOT / path) for path in EVERY_ENTRY]
    run(house, sys.executable, "-m", "pytest", *options, *tests)


@pytest.mark.validate
def test_its_front_end_has_the_right_types(house: Path) -> None:
    run(house, "node", "node_modules/typescript/bin/tsc", "--noEmit")
