"""The Jupyter host: an anywidget around a controller."""

from __future__ import annotations

import difflib
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, TypeVar

import anywidget
import traitlets

from biaslab.errors import QueryError
from biaslab_widgets.core.controller import Controller
from biaslab_widgets.core.fields import Component
from biaslab_widgets.core.subject_bench import SubjectController
from biaslab_widgets.hosts.bundle import bundle
from biaslab_widgets.hosts.interrupts import abort_jobs_on_interrupt
from biaslab_widgets.hosts.traits import traits_of

B = TypeVar("B", bound="Bench")
PATIENCE_S = 2.0
"""A cell that shows a bench waits so long for its subject, so that its picture is there too."""


class Bench(anywidget.AnyWidget):
    """Base of benches in notebooks: hands changed inputs to a controller and shows its outputs."""

    component: ClassVar[Component]
    controller: Controller

    def __init__(self, **traits: Any) -> None:
        self._receiving = threading.RLock()
        self._together: frozenset[str] = frozenset()
        super().__init__(**traits)
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

    def _no(self, name: str, what: str) -> str:
        """That there is no such attribute or option, the nearest names, and all inputs."""
        inputs = [field.name for field in self.component.inputs]
        near = difflib.get_close_matches(name, inputs, n=3)
        hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
        return (
            f"{type(self).__name__} has no {what} {name!r}.{hint} Its inputs are: "
            f"{', '.join(inputs)}."
        )

    def _begin(self, controller: Controller, values: dict[str, Any]) -> None:
        """Show a controller's state, then the values that were given, and start answering.

        Raises
        ------
        TypeError
            When a value is for no field of the component; names those there are.
        """
        inputs = [field.name for field in self.component.inputs]
        if unknown := sorted(values.keys() - set(inputs)):
            raise TypeError(self._no(unknown[0], "option"))
        self.controller = controller
        abort_jobs_on_interrupt()
        self._show(controller.snapshot())
        self.observe(self._changed, names=inputs)
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
        if moved := {name: value for name, value in values.items() if value != known[name]}:
            self.controller.change(moved)

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


class ProbeBench(Bench):
    """Base of benches that ask a probe: what the screen shows is a result."""

    controller: SubjectController[Any, Any]

    @property
    def result(self) -> Any:
        """The result of what is on the screen.

        Raises
        ------
        QueryError
            When the screen shows none; the message says why.
        """
        return self.controller.result

    def static_picture(self) -> str | None:
        """SVG of the result; None while there is none, or the subject takes long to open."""
        if not self.controller.subject_opens_within(PATIENCE_S):
            return None
        try:
            return str(self.controller.result.to_svg())
        except QueryError:
            return None


def bench_type(component: Component, base: type[B]) -> type[B]:
    """A subclass with the component's traits and front-end module, to subclass."""
    members = {
        "__module__": __name__,
        "__doc__": f"Traits of {component.name}.",
        "component": component,
        "_esm": bundle(component),
        **traits_of(component),
    }
    made: type[B] = traitlets.MetaHasTraits.__call__(
        type(base), f"{component.name}Traits", (base,), members
    )
    return made
