"""Bundling of the embeddings: whole ensembles of a bounded size only."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from biaslab.subjects.embedding.ensemble import write_manifest, write_replicate, write_vocabulary

READS = ("biaslab", "tools", "train")


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = importlib.import_module("bundle_wiki_bootstraps")
    monkeypatch.setattr(module, "TARGET", tmp_path / "bundled")
    return module


@pytest.fixture
def trained(tmp_path: Path) -> Path:
    folder = tmp_path / "trained"
    folder.mkdir()
    write_vocabulary(folder, ["she", "he"])
    for index in range(2):
        write_replicate(folder, index, np.eye(2, 4, dtype=np.float32))
    write_manifest(folder, {"replicates": 2, "method": "ppmi-svd"})
    return folder


def test_a_trained_ensemble_is_copied_as_it_is(tool: ModuleType, trained: Path) -> None:
    tool.take(trained)
    names = {path.name for path in tool.TARGET.iterdir()}
    assert names == {path.name for path in trained.iterdir()}
    for name in names:
        assert (tool.TARGET / name).read_bytes() == (trained / name).read_bytes()


def test_an_unfinished_ensemble_is_refused(tool: ModuleType, trained: Path) -> None:
    (trained / "replicate-01.safetensors").unlink()
    with pytest.raises(SystemExit, match="1 of 2 replicates"):
        tool.take(trained)
    assert not tool.TARGET.exists()


def test_an_ensemble_that_is_too_large_is_refused(
    tool: ModuleType, trained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool, "MOST_BYTES", 100)
    with pytest.raises(SystemExit, match="more than"):
        tool.take(trained)
    assert not tool.TARGET.exists()
