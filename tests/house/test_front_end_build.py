"""A wheel never leaves with a missing or stale front end."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

import front_end

READS = ("hatch_build.py", "tools")

ROOT = Path(__file__).resolve().parents[2]


def _hatch_build() -> ModuleType:
    """The build hook, which stands in the project's folder and in no package."""
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def project(tmp_path: Path) -> tuple[Path, Path]:
    """A front end of one source file and a fresh bundle: its sources and its static folder."""
    js, static = tmp_path / "js", tmp_path / "static"
    (js / "src").mkdir(parents=True)
    (js / "src" / "bench.ts").write_text("export default {}\n")
    (js / "package.json").write_text("{}\n")
    (static / "fonts").mkdir(parents=True)
    (static / "app").mkdir()
    for name in ("shell.js", "shell.css"):
        (static / "app" / name).write_text("")
    (static / "fonts" / "inter.woff2").write_bytes(b"wOF2")
    (static / "bench.js").write_text("export default {}\n")
    (static / front_end.STAMP.name).write_text(front_end.sources_hash(js) + "\n")
    return js, static


def test_a_fresh_bundle_is_accepted(project: tuple[Path, Path]) -> None:
    front_end.require_fresh(*project)


@pytest.mark.parametrize("changed", ["src/bench.ts", "package.json", "src/lib/new.ts", "build.mjs"])
def test_a_changed_or_new_source_makes_the_bundle_stale(
    project: tuple[Path, Path], changed: str
) -> None:
    path = project[0] / changed
    path.parent.mkdir(exist_ok=True)
    path.write_text("// changed\n")
    with pytest.raises(front_end.FrontEndError, match=r"older than its sources.*make js"):
        front_end.require_fresh(*project)


def test_a_touched_source_leaves_the_bundle_fresh(project: tuple[Path, Path]) -> None:
    (project[0] / "src" / "bench.ts").touch()
    front_end.require_fresh(*project)


def test_a_renamed_source_makes_the_bundle_stale(project: tuple[Path, Path]) -> None:
    source = project[0] / "src" / "bench.ts"
    source.rename(source.with_name("other.ts"))
    assert front_end.problem(*project) is not None


def test_tests_and_installed_packages_are_no_sources(project: tuple[Path, Path]) -> None:
    for folder in ("tests", "node_modules/pkg"):
        (project[0] / folder).mkdir(parents=True)
        (project[0] / folder / "index.ts").write_text("// not bundled\n")
    front_end.require_fresh(*project)


@pytest.mark.parametrize("lost", ["bench.js", "fonts/inter.woff2", front_end.STAMP.name])
def test_a_lost_bundle_font_or_stamp_is_an_error(project: tuple[Path, Path], lost: str) -> None:
    (project[1] / lost).unlink()
    with pytest.raises(front_end.FrontEndError, match="make js"):
        front_end.require_fresh(*project)


@pytest.mark.parametrize("version", ["standard", "editable"])
def test_the_skip_variable_lets_an_editable_install_through_and_never_a_wheel(
    project: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    hook_module = _hatch_build()
    (project[1] / "bench.js").unlink()
    monkeypatch.setattr(front_end, "require_fresh", lambda r=front_end.require_fresh: r(*project))
    monkeypatch.setattr(hook_module, "_front_end", lambda: front_end)
    monkeypatch.setenv("BIASLAB_SKIP_JS", "1")
    hook = object.__new__(hook_module.FrontEndHook)
    if version == "editable":
        hook.initialize(version, {})
    else:
        with pytest.raises(front_end.FrontEndError, match="missing"):
            hook.initialize(version, {})
