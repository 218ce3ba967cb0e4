"""Where what a person keeps is: runs, files and specs of their own."""

from __future__ import annotations

import os
from pathlib import Path


def home_folder() -> Path:
    """``$BIASLAB_HOME``, else the system's place for a person's data; it need not exist."""
    chosen = os.environ.get("BIASLAB_HOME")
    if chosen:
        return Path(chosen).expanduser()
    import platformdirs

    return Path(platformdirs.user_data_dir("biaslab", appauthor=False))
