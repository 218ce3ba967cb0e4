"""Links between the pages of the project lead somewhere, in the repository as on the site."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = (
    "biaslab",
    "widgets",
    "train",
    "js/src",
    "tests",
    "tools",
    "benchmarks",
    "lessons",
    "notebooks",
    ".ci",
)
SOURCE_SUFFIXES = {".py", ".ts", ".tsx", ".toml", ".md", ".ipynb", ".sh", ""}
LINK = re.compile(r"\]\(([^)\s]+)\)")
NAMED_PAGE = re.compile(r"\bdocs/[\w/-]+\.md\b")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
CODE_BLOCK = re.compile(r"^( *)```.*?^\1```", re.MULTILINE | re.DOTALL)


def _pages() -> list[Path]:
    folders = (ROOT / "docs", ROOT / "biaslab" / "bundled", ROOT / ".github")
    nested = [page for folder in folders for page in folder.rglob("*.md")]
    return sorted([*ROOT.glob("*.md"), *nested])


def _prose(page: Path) -> str:
    """The text of a page without its code blocks."""
    return CODE_BLOCK.sub("", page.read_text(encoding="utf-8"))


def _anchors(page: Path) -> set[str]:
    """The fragments that GitHub and MyST give to a page's headings."""
    titles = (
        re.sub(r"\[([^]]+)\]\([^)]*\)", r"\1", title) for title in HEADING.findall(_prose(page))
    )
    return {re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", _pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_no_link_of_a_page_is_dead(page: Path) -> None:
    targets = [target for target in LINK.findall(_prose(page)) if "://" not in target]
    dead = []
    for target in targets:
        path, _, fragment = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        if not linked.exists() or (fragment and fragment not in _anchors(linked)):
            dead.append(target)
    assert not dead


def test_pages_named_in_sources_exist() -> None:
    files = [
        file
        for folder in SOURCES
        for file in (ROOT / folder).rglob("*")
        if file.is_file() and file.suffix in SOURCE_SUFFIXES and "node_modules" not in file.parts
    ]
    files += [ROOT / "Makefile", ROOT / "pyproject.toml", *_pages()]
    dead = {
        (str(file.relative_to(ROOT)), page)
        for file in files
        for page in NAMED_PAGE.findall(file.read_text(encoding="utf-8", errors="replace"))
        if not (ROOT / page).exists()
    }
    assert not dead
