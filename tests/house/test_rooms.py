"""Lint says which folder is too full, which module is loose, and when the map is stale."""

from __future__ import annotations

from pathlib import Path

import pytest

import rooms

READS = ("tools/rooms.py",)


def test_full_folders_loose_modules_and_a_stale_map_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "biaslab"
    package.mkdir()
    for number in range(rooms.MOST_FILES + 1):
        (package / f"loose_{number}.py").touch()
    contributing = tmp_path / "CONTRIBUTING.md"
    contributing.write_text("<!-- rooms -->\nof yesterday\n<!-- /rooms -->\n", encoding="utf-8")
    monkeypatch.setattr(rooms, "ROOT", tmp_path)
    monkeypatch.setattr(rooms, "MAP", contributing)
    monkeypatch.setattr(rooms, "PACKAGES", {"biaslab": package})
    monkeypatch.setattr(rooms, "layers", lambda _: ["biaslab"])
    stale, full, first, *_ = rooms.faults()
    assert "python tools/rooms.py" in stale
    assert full == "biaslab: 26 files. Make a room in it, or chapters of cards."
    assert first == "biaslab/loose_0.py stands outside the rooms. Put it into one."
