"""An environment in which a server reads and writes nothing of the person who runs the tests."""

from __future__ import annotations

from pathlib import Path

TOKEN = "the-token-of-a-server-of-the-tests"
"""Of the address that a server prints."""
SECRET = "the secret of a server of the tests"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
"""Head of a request by which whoever has the token gets in."""
_FOLDERS = {
    "BIASLAB_HOME": "biaslab",
    "IPYTHONDIR": "ipython",
    "JUPYTER_CONFIG_DIR": "jupyter-config",
    "JUPYTER_DATA_DIR": "jupyter-data",
    "JUPYTER_RUNTIME_DIR": "jupyter-runtime",
    "JUPYTERLAB_SETTINGS_DIR": "lab-settings",
    "JUPYTERLAB_WORKSPACES_DIR": "lab-workspaces",
    "XDG_CACHE_HOME": "cache",
    "XDG_CONFIG_HOME": "config",
    "XDG_DATA_HOME": "data",
}


def owners_cookie() -> str:
    """A cookie of a browser that came to a server of the tests with its token."""
    from biaslab_widgets.app.people import People

    return People(secret=SECRET).new_cookie()


def isolated(folder: Path) -> dict[str, str]:
    """Environment variables that point every place for personal files into ``folder``."""
    places = {name: folder / leaf for name, leaf in _FOLDERS.items()}
    for place in places.values():
        place.mkdir(parents=True, exist_ok=True)
    return {
        **{name: str(place) for name, place in places.items()},
        "BIASLAB_TOKEN": TOKEN,
        "BIASLAB_COOKIE_SECRET": SECRET,
        "HF_HUB_OFFLINE": "1",
        "NO_PROXY": "127.0.0.1,localhost",
    }
