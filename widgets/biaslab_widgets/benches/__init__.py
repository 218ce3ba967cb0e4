"""The registry of benches, made from the entries of `biaslab.probes.entries`.

A bench has one name everywhere: that of its folder here and in ``js/src/benches``, of its built
module in ``static``, and of its address in the app. Its folder holds

- ``fields.py`` with ``COMPONENT``, the component with the record of its state;
- ``bench.py`` with the question, and ``view.py`` with what the screen shows;
- ``widget.py`` with the bench as Python sees it, from which each host makes its class, and with
  ``FRAME``, which the app's page shows until the bench has come.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, cast

from biaslab.probes.entries import ENTRIES
from biaslab.records.kinds import Entry

if TYPE_CHECKING:
    from biaslab_widgets.core.bench.widget import Widget
    from biaslab_widgets.core.frame import Frame
    from biaslab_widgets.core.state.fields import Component


@dataclass(frozen=True, kw_only=True)
class BenchEntry(Entry):
    """A bench in the registry; its parts are imported when they are first needed."""

    @property
    def component(self) -> Component:
        """Its component: the record of its state, and its module."""
        return cast("Component", self._part("fields", "COMPONENT"))

    @property
    def frame(self) -> Frame:
        """What the app's page shows until the bench has come."""
        return cast("Frame", self._part("widget", "FRAME"))

    @property
    def widget(self) -> type[Widget]:
        """The bench as Python sees it, without a host."""
        return cast("type[Widget]", self._part("widget", self.notebook_name))

    @property
    def notebook_class(self) -> type[Any]:
        """Its class in notebooks."""
        return cast("type[Any]", _host("jupyter").notebook_class(self.widget))

    @property
    def panel_class(self) -> type[Any]:
        """Its class in the served app, a Panel component."""
        return cast("type[Any]", _host("panel").panel_class(self.widget))

    def _part(self, module: str, attribute: str) -> object:
        return getattr(import_module(f"{__name__}.{self.name}.{module}"), attribute)


def _host(name: str) -> Any:
    """A host, which brings libraries that the other host does without."""
    return import_module(f"biaslab_widgets.hosts.{name}")


BENCHES: Final = (
    *(BenchEntry(**vars(entry)) for entry in ENTRIES if entry.name),
    # A tool: it asks no model.
    BenchEntry(name="word_lists", notebook_name="WordListEditor", terms=("WEAT",)),
)
