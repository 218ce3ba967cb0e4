"""JupyterLab as `biaslab lab` runs it, for the browser tests."""

from typing import Any

from biaslab.cli.lab import SETTINGS

c: Any = get_config()  # type: ignore[name-defined]  # noqa: F821  (Jupyter defines it)

for _name, _value in SETTINGS.items():
    _application, _, _trait = _name.partition(".")
    c[_application][_trait] = _value
