"""The app inside JupyterLab: how jupyter-server-proxy starts it and reaches it.

An entry point names `server`, so that installation is enough: JupyterLab's launcher has a tile, and
the app stands at ``biaslab/`` below the Jupyter server, also under JupyterHub. Whoever may use the
Jupyter server may use the app.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

ICON = Path(__file__).parent / "icon.svg"
STARTS_WITHIN_S = 120


def server() -> dict[str, Any]:
    """Return what jupyter-server-proxy needs to know of the app."""
    return {
        "command": [sys.executable, "-m", "biaslab.cli", "serve", "--port", "{port}", "--no-open"],
        "timeout": STARTS_WITHIN_S,
        # The page is Jupyter's, which has let the person in; the app refuses pages of others.
        "request_headers_override": {
            "Origin": "http://127.0.0.1:{port}",
            "Host": "127.0.0.1:{port}",
        },
        "new_browser_tab": False,
        "launcher_entry": {"title": "biaslab", "icon_path": str(ICON), "category": "Notebook"},
    }
