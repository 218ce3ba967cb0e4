"""The Jupyter host: an anywidget around a controller."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

import anywidget
import traitlets

from biaslab_widgets.core.controller import Controller
from biaslab_widgets.core.fields import Component
from biaslab_widgets.core.widget import W
from biaslab_widgets.hosts.bundle import bundle
from biaslab_widgets.hosts.interrupts import abort_jobs_on_interrupt
from biaslab_widgets.hosts.traits import traits_of


class Bench(anywidget.AnyWidget):
    """What a notebook brings: hands changed inputs to a controller and shows its outputs."""

    if TYPE_CHECKING:  # of the bench
        _no: Callable[[str, str], str]
        _check_options: Callable[[Mapping[str, Any]], None]
        static_picture: Callable[[], str | None]

    component: ClassVar[Component]
    in_notebook = True
    controller: Controller[Any]

    def __init__(self) -> None:
        self._receiving = threading.RLock()
        self._together: frozenset[str] = frozenset()
        super().__init__()
        # Side by side in a box, benches share the width.
        self.layout.flex = "1 1 0"
        self.layout.min_width = "0"

    def __setattr__(self, name: str, value: Any) -> None:
        # A kernel may take messages in a thread of its own, and while it takes one, traitlets
        # withholds the notifications of all threads: a change in Python waits for its end.
        if name in self.component.by_name:
            with self._receiving:
                super().__setattr__(name, value)
        elif name.startswith("_") or name == "controller" or hasattr(type(self), name):
            super().__setattr__(name, value)
        else:  # traitlets would keep it, and nothing would read it
            raise AttributeError(self._no(name, "attribute"))

    def _begin(self, controller: Controller[Any], values: dict[str, Any]) -> None:
        """Show a controller's state, then the values that were given, and start answering.

        Raises
        ------
        TypeError
            When a value is for no field of the component; names those there are.
        """
        self._check_options(values)
        self.controller = controller
        abort_jobs_on_interrupt()
        self._show(vars(controller.snapshot()))
        self.observe(self._changed, names=[field.name for field in self.component.inputs])
        with self._as_one_change(values), self.hold_trait_notifications():
            for name, value in values.items():
                setattr(self, name, value)
        controller.change({})

    def close(self) -> None:
        """Take it off the screen and cancel its jobs."""
        # It is called of what was not made whole, too.
        if (controller := getattr(self, "controller", None)) is not None:
            controller.close()
        super().close()

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take a message of the front end; all its fields become one change."""
        with self._as_one_change(sync_data):
            super().set_state(sync_data)

    @contextmanager
    def _as_one_change(self, names: Iterable[str]) -> Iterator[None]:
        """Hand fields that are set together to the controller together."""
        with self._receiving:
            self._together = frozenset(names) & self.component.by_name.keys()
            try:
                yield
            finally:
                self._together = frozenset()

    def _show(self, outputs: dict[str, Any]) -> None:
        """Put outputs into the traits, from whichever thread they come."""
        with self._receiving:
            for name, value in outputs.items():
                setattr(self, name, value)

    def _changed(self, change: dict[str, Any]) -> None:
        # The first notification of several takes them all, so that an observer of any of them
        # finds `result` up to date.
        known = self.controller.snapshot()
        values = {name: getattr(self, name) for name in {change["name"], *self._together}}
        if moved := {n: value for n, value in values.items() if value != getattr(known, n)}:
            self.controller.change(moved)

    @staticmethod
    def _made(widget: type[W]) -> type[W]:
        """The class of another bench in this host."""
        return notebook_class(widget)  # type: ignore[arg-type]  # a class is hashable

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """The widget's view, and beside it a picture that needs no kernel."""
        made = super()._repr_mimebundle_(**options)
        if made is None:
            return None
        data, metadata = made
        if (svg := self.static_picture()) is not None:
            data["image/svg+xml"] = svg
        return data, metadata


@cache
def notebook_class(widget: type[W]) -> type[W]:
    """The class of a bench in notebooks, with the component's traits and front-end module."""
    members = {
        "__module__": "biaslab_widgets",
        "__doc__": widget.__doc__,
        "_esm": bundle(widget.component),
        **traits_of(widget.component),
    }
    made: type[W] = traitlets.MetaHasTraits.__call__(
        type(Bench), widget.__name__, (widget, Bench), members
    )
    return made
