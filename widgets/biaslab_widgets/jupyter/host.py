"""The Jupyter host: an anywidget around a controller."""

from __future__ import annotations

import threading
from typing import Any, ClassVar

import anywidget
import traitlets

from biaslab_widgets._bundle import bundle
from biaslab_widgets._fields import Component
from biaslab_widgets.controllers.base import Controller
from biaslab_widgets.jupyter.traits import traits_of


class Bench(anywidget.AnyWidget):
    """Base of benches in notebooks: hands changed inputs to a controller and shows its outputs."""

    component: ClassVar[Component]
    controller: Controller

    def __init__(self, **traits: Any) -> None:
        self._gathered: dict[str, Any] | None = None
        self._receiving = threading.RLock()
        super().__init__(**traits)

    def _begin(self, controller: Controller, values: dict[str, Any]) -> None:
        """Show a controller's state, then the values that were given, and start answering.

        Raises
        ------
        TypeError
            When a value is for no field of the component; names those there are.
        """
        inputs = [field.name for field in self.component.inputs]
        if unknown := sorted(values.keys() - set(inputs)):
            raise TypeError(
                f"{type(self).__name__} has no option {unknown[0]!r}. It has: {', '.join(inputs)}."
            )
        self.controller = controller
        self._show(controller.snapshot())
        self.observe(self._changed, names=inputs)
        for name, value in values.items():
            setattr(self, name, value)
        controller.change({})

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take a message of the front end; all its fields become one change."""
        with self._receiving:
            self._gathered = {}
            try:
                super().set_state(sync_data)
            finally:
                gathered, self._gathered = self._gathered, None
            if gathered:
                self.controller.change(gathered)

    def _show(self, outputs: dict[str, Any]) -> None:
        """Put outputs into the traits, from whichever thread they come."""
        with self._receiving:
            for name, value in outputs.items():
                setattr(self, name, value)

    def _changed(self, change: dict[str, Any]) -> None:
        name, value = change["name"], change["new"]
        if self._gathered is not None:
            self._gathered[name] = value
        elif self.controller.snapshot()[name] != value:
            self.controller.change({name: value})

    def static_picture(self) -> str | None:
        """SVG text of what is shown, for places without a kernel; None when nothing is."""
        return None

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """The widget's view, and beside it a picture that needs no kernel."""
        made = super()._repr_mimebundle_(**options)
        if made is None:
            return None
        data, metadata = made
        if (svg := self.static_picture()) is not None:
            data["image/svg+xml"] = svg
        return data, metadata


def bench_type(component: Component) -> type[Bench]:
    """A class with the component's traits and front-end module, to subclass."""
    members = {
        "__module__": __name__,
        "__doc__": f"Traits of {component.name}.",
        "component": component,
        "_esm": bundle(component),
        **traits_of(component),
    }
    made: type[Bench] = traitlets.MetaHasTraits.__call__(
        type(Bench), f"{component.name}Traits", (Bench,), members
    )
    return made
