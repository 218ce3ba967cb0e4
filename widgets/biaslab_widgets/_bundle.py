"""Where the built front-end modules lie."""

from __future__ import annotations

from pathlib import Path

from biaslab_widgets._fields import Component

STATIC = Path(__file__).resolve().parent / "static"


def bundle(component: Component) -> Path:
    """The built front-end module of a component.

    Raises
    ------
    FileNotFoundError
        When it was not built; says how.
    """
    path = STATIC / f"{component.module}.js"
    if not path.exists():
        raise FileNotFoundError(
            f"{path.name} is not built. In a source checkout run `make js`; an installed package "
            "without it is broken: install it again."
        )
    return path
