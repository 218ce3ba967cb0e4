"""An environment in which a server reads and writes nothing of the person who runs the tests."""

from __future__ import annotations

from pathlib import Path

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


def isolated(folder: Path) -> dict[str, str]:
    """Environment variables that point every place for personal files into ``folder``."""
    places = {name: folder / leaf for name, leaf in _FOLDERS.items()}
    for place in places.values():
        place.mkdir(parents=True, exist_ok=True)
    return {
        **{name: str(place) for name, place in places.items()},
        "HF_HUB_OFFLINE": "1",
        "NO_PROXY": "127.0.0.1,localhost",
    }
