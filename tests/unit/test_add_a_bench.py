"""The bench of docs/add-a-bench.md runs as the page shows it."""

from __future__ import annotations

import importlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import biaslab as bl
import biaslab_widgets.benches
from biaslab_widgets.benches import BenchEntry
from biaslab_widgets.core.state.fields import typescript
from harness.emitted import Emitted, observers

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import front_end  # noqa: E402  (tools/ is no package)

PAGE = (ROOT / "docs" / "add-a-bench.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```\n", PAGE, flags=re.DOTALL))
PACKAGE = "biaslab_widgets.benches.projection"


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of our front end and the page's files, each where it belongs."""
    copy = tmp_path_factory.mktemp("with-projection")
    for path, content in FILES.items():
        (copy / path).parent.mkdir(parents=True, exist_ok=True)
        (copy / path).write_text(content, encoding="utf-8")
    rooms = biaslab_widgets.benches.__path__
    rooms.append(str(copy / "widgets" / "biaslab_widgets" / "benches"))
    front_end.install_packages()
    component = importlib.import_module(f"{PACKAGE}.fields").COMPONENT
    js = copy / "js"
    shutil.copytree(front_end.JS / "src", js / "src", dirs_exist_ok=True)
    (js / "src" / "generated" / "projection.ts").write_text(typescript(component))
    for name in ("build.mjs", "font.mjs", "tsconfig.json", "package.json"):
        shutil.copy(front_end.JS / name, js / name)
    (js / "node_modules").symlink_to((front_end.JS / "node_modules").resolve())
    yield copy
    rooms.pop()
    for name in [name for name in sys.modules if name.startswith(PACKAGE)]:
        del sys.modules[name]


@pytest.fixture(scope="module")
def entry(copy: Path) -> Iterator[BenchEntry]:
    """The page's line of the registry, with the page's bench built."""
    built = copy / "widgets" / "biaslab_widgets" / "static"
    built.mkdir()
    _run(copy, "build.mjs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("biaslab_widgets.hosts.bundle.STATIC", built)
        yield BenchEntry("projection", "Projection", "ProjectionBench")


def _run(copy: Path, *command: str) -> None:
    """Run a program of the front end in the copy."""
    done = subprocess.run(["node", *command], cwd=copy / "js", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.validate
def test_its_front_end_has_the_right_types(copy: Path) -> None:
    _run(copy, "node_modules/typescript/bin/tsc", "--noEmit")


def test_a_bench_is_a_folder_in_each_language() -> None:
    assert {path.rpartition("/")[0] for path in FILES} == {
        "widgets/biaslab_widgets/benches/projection",
        "js/src/benches/projection",
    }


def test_its_controller_answers_what_the_probe_says(entry: BenchEntry) -> None:
    controllers = importlib.import_module(f"{PACKAGE}.bench")
    sources = importlib.import_module("biaslab_widgets.core.subjects.sources").sources
    emitted = Emitted()
    subject = observers()
    asked = {"words": ["nurse", "teacher"], "cues": ["she", "he"]}
    controller = controllers.ProjectionController(sources(subject), emitted)
    controller.change({"subject": subject.name, **asked, "generation": 1})
    rows: list[dict[str, Any]] = emitted.answer(1)["picture"]["rows"]
    result = bl.association.projection(
        subject, words=["nurse", "teacher"], defining=[["she", "he"]]
    )
    assert [row["word"] for row in rows] == ["nurse", "teacher"]
    assert [row["value"] for row in rows] == pytest.approx(result.values.mean(axis=0))
    controller.change({"order": "value"})
    controller.change({"words": [], "generation": 2})
    assert emitted.answer(2)["message"]["title"] == "Type at least one word"
    controller.close()


def test_it_opens_in_a_notebook_and_in_the_app(entry: BenchEntry) -> None:
    bench = entry.notebook_class(observers(), words=["nurse"], order="value")
    assert bench.words == ["nurse"]
    bench.order = "given"
    assert bench.controller.result.words == ("nurse",)
    bench.close()
    shared = importlib.import_module("biaslab_widgets.app.library.shared").Shared.of(observers())
    page = entry.panel_class.on_page(shared)
    assert page.order == "given"
    assert entry.frame.question(page.controller.snapshot()).startswith("Where do words lie")
    page.controller.close()
