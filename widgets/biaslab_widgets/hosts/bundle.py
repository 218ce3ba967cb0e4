"""Where the built front end lies: a module of each component, and the app's font."""

from __future__ import annotations

from pathlib import Path

from biaslab_widgets.core.fields import Component

STATIC = Path(__file__).resolve().parents[1] / "static"


def bundle(component: Component) -> Path:
    """The built front-end module of a component.

    Raises
    ------
    FileNotFoundError
        When it was not built; says how.
    """
    return _built(STATIC / f"{component.module}.js")


def font() -> Path:
    """The font of the served app; its licence lies in the same folder.

    Raises
    ------
    FileNotFoundError
        When it was not built; says how.
    """
    return _built(STATIC / "fonts" / "inter.woff2")


def _built(path: Path) -> Path:
    if not path.exists():
        raise FileNotFoundError(
            f"{path.name} is not built. In a source checkout run `make js`; an installed package "
            "without it is broken: install it again."
        )
    return path
