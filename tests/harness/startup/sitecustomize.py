"""Follows what this process executes: Python runs it first wherever it is on the path."""

import os
import sys
from pathlib import Path

if "BIASLAB_EXECUTED" in os.environ:
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    from harness import executed

    sys.path.pop(0)
    executed.follow(os.environ["BIASLAB_EXECUTED"])
