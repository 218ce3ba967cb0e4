"""The app inside JupyterLab: how jupyter-server-proxy starts it and reaches it.

An entry point names `server`, so that installation is enough: JupyterLab's launcher has a tile, and
the app stands at ``biaslab/`` below the Jupyter server, also under JupyterHub. Whoever may use the
Jupyter server may use the app, and nobody else: it listens on a socket in a folder of this account.
Windows has no such socket for it; there the proxy brings the token.
"""

from __future__ import annotations

import os
import secrets
import sys
from pathlib import Path
from typing import Any

ICON = Path(__file__).parent / "icon.svg"
STARTS_WITHIN_S = 120


def server() -> dict[str, Any]:
    """Return what jupyter-server-proxy needs to know of the app."""
    serve = [sys.executable, "-m", "biaslab.cli", "serve", "--no-open"]
    place: dict[str, Any] = {
        "command": [*serve, "--unix-socket", "{unix_socket}"],
        "unix_socket": True,  # in a folder that is made for it
    }
    here, credential = "localhost", {}
    if os.name == "nt":
        token = secrets.token_urlsafe(24)
        place = {"command": [*serve, "--port", "{port}"], "environment": {"BIASLAB_TOKEN": token}}
        here, credential = "127.0.0.1:{port}", {"Authorization": f"Bearer {token}"}
    return {
        **place,
        "timeout": STARTS_WITHIN_S,
        # The page is Jupyter's, which has let the person in; the app refuses pages of others.
        "request_headers_override": {"Origin": f"http://{here}", "Host": here, **credential},
        "new_browser_tab": False,
        "launcher_entry": {"title": "biaslab", "icon_path": str(ICON), "category": "Notebook"},
    }
