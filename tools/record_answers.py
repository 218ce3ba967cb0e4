"""Record what the benches' controllers answer, for the front end's tests and dev pages.

``python tools/record_answers.py [bench ...]`` drives the real controllers through the scenarios in
tests/harness/scenarios and writes a file for each bench into js/dev/recorded.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from harness import recording  # noqa: E402


def main(names: list[str]) -> int:
    """Record the named benches; all of them where none is named."""
    with tempfile.TemporaryDirectory() as home:
        os.environ["BIASLAB_HOME"] = home
        for name in names or recording.NAMES:
            path = recording.path_of(name)
            path.parent.mkdir(exist_ok=True)
            path.write_text(recording.text_of(recording.record(name)), encoding="utf-8")
            print(f"{path.relative_to(ROOT)}: {path.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
