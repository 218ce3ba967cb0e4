"""Where the built front end lies: modules of components, and files of the app."""

from __future__ import annotations

from pathlib import Path

from biaslab_widgets.core.state.fields import Component

STATIC = Path(__file__).resolve().parents[1] / "static"


def bundle(component: Component) -> Path:
    """The built front-end module of a component.

    Raises `FileNotFoundError` when it was not built; says how.
    """
    return built(STATIC / f"{component.module}.js")


def built(path: Path) -> Path:
    """Return the path of a built file.

    Raises `FileNotFoundError` when it was not built; says how.
    """
    if not path.exists():
        raise FileNotFoundError(
            f"{path.name} is not built. In a source checkout run `make js`; an installed package "
            "without it is broken: install it again."
        )
    return path
