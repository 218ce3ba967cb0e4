"""Build hook: a wheel never leaves without a fresh front end.

``BIASLAB_SKIP_JS=1`` skips the build, for tools that need no front end; making a wheel or a source
archive still fails when the bundle is missing or stale.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


def _front_end() -> ModuleType:
    # A build backend is not started from the project's folder, so this is not a plain import.
    path = Path(__file__).resolve().parent / "tools" / "front_end.py"
    spec = importlib.util.spec_from_file_location("front_end", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class FrontEndHook(BuildHookInterface[Any]):
    """Runs the front-end build before hatchling collects files."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        front_end = _front_end()
        if (
            front_end.skipped()
            or front_end.problem() is None
            or front_end.system_node() is not None
        ):
            return []
        return [front_end.NODE_PACKAGE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        front_end = _front_end()
        if not front_end.skipped():
            front_end.build()
        elif version == "editable":
            return
        front_end.require_fresh()
