"""Measure how high each bench is as the app opens it, for the frame that keeps its place.

The benches are shown in their recorded states, in a real browser and the app's own typeface; the
heights go to widgets/biaslab_widgets/app/frame_heights.json.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import chromium  # noqa: E402  (beside this file)
from biaslab_widgets.app.assets import HEIGHTS  # noqa: E402
from biaslab_widgets.benches import BENCHES  # noqa: E402
from harness.stage import Stage  # noqa: E402
from harness.watched_page import launch  # noqa: E402


def main() -> int:
    """Write the heights."""
    executable = chromium.find()
    if executable is None:
        print("No Chromium found. `make browser` installs one.", file=sys.stderr)
        return 1
    with (
        sync_playwright() as playwright,
        launch(playwright, executable) as browser,
        Stage(browser) as stage,
    ):
        heights = {entry.name: stage.opened_heights(entry.name) for entry in BENCHES}
    lines = [f"  {json.dumps(name)}: {both}" for name, both in heights.items()]
    HEIGHTS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{HEIGHTS.relative_to(ROOT)}: {len(heights)} benches")
    return 0


if __name__ == "__main__":
    sys.exit(main())
