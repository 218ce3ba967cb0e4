"""The Panel host: a component around a controller, over the same front-end module."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, is_typeddict

import panel as pn
import param
from panel.custom import AnyWidgetComponent

from biaslab.background import start_thread
from biaslab.results import Result
from biaslab_widgets.core.controller import Controller
from biaslab_widgets.core.fields import Component
from biaslab_widgets.core.widget import W
from biaslab_widgets.hosts.bundle import bundle
from biaslab_widgets.hosts.params import params_of

ENDS_A_WAIT = ("answer", "reply")
"""Outputs that tell a page that nothing more is to come."""


class Bench(AnyWidgetComponent):
    """What the served app brings: a Panel component over the same front-end module."""

    # Panel gathers changes for 50 ms before it handles them, which a drag would feel; the front
    # end already has only one message in flight.
    _debounce: ClassVar[int] = 0

    if TYPE_CHECKING:  # of the bench
        _no: Callable[[str, str], str]
        _check_options: Callable[[Mapping[str, Any]], None]

    component: ClassVar[Component]
    in_notebook: ClassVar[bool] = False
    module_hash: ClassVar[str]
    controller: Controller[Any]

    def __init__(self) -> None:
        super().__init__(sizing_mode="stretch_width")

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name.startswith("_") or name == "controller" or hasattr(type(self), name)):
            raise AttributeError(self._no(name, "attribute"))
        super().__setattr__(name, value)

    @staticmethod
    def _made(widget: type[W]) -> type[W]:
        """The class of another bench in this host."""
        return panel_class(widget)  # type: ignore[arg-type]  # a class is hashable

    def _get_properties(self, doc: Any) -> dict[str, Any]:
        """Properties of the model, which say that the front-end module is built already.

        Panel would compile it in the browser as TypeScript, and what is plain JavaScript once it is
        short, such as ``f(a<b,c>(d))``, can be read as a call with type arguments.
        """
        properties: dict[str, Any] = super()._get_properties(doc)
        return properties | {"bundle": self.module_hash}

    def _begin(self, controller: Controller[Any], values: dict[str, Any]) -> None:
        """Show a controller's state, then the values that were given, and start answering.

        Raises
        ------
        TypeError
            When a value is for no field of the component; names those there are.
        """
        self._check_options(values)
        self.controller = controller
        self._document = pn.state.curdoc
        if self._document is not None:
            self._document.on_session_destroyed(self._left)
        try:
            self._loop: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
        except RuntimeError:  # made in a script, outside any session
            self._loop = None
        self.param.update(**vars(controller.snapshot()))
        names = [field.name for field in self.component.inputs]
        self.param.watch(self._changed, names)
        self.param.update(**values)
        controller.change({})

    def reopen(self, inputs: Mapping[str, Any], result: Result | None) -> bool:
        """Set the inputs of a stored run; return whether its result is shown as it is stored.

        Parameters
        ----------
        inputs : mapping
            Those of `stored_inputs`.
        result : Result or None
            The stored one; None where it cannot be read.
        """
        self.param.update(**inputs)
        return result is not None and self.controller.take_stored(result)

    def _left(self, session_context: Any) -> None:
        """Let the jobs of a person who has left end."""
        del session_context
        # Apart from the server's own thread: a job's end may wait for an answer that is being made.
        start_thread("biaslab-leaving", self.controller.close)

    def _changed(self, *events: param.parameterized.Event) -> None:
        known = self.controller.snapshot()
        changed = {e.name: e.new for e in events if getattr(known, e.name) != e.new}
        if changed:
            self.controller.change(changed)

    def _process_param_change(self, params: dict[str, Any]) -> dict[str, Any]:
        """Params as they travel: Python's records as JSON text, which the front end unpacks.

        Bokeh looks through every number of a nested value for models, four times on each change,
        which takes longer than making and reading the text.
        """
        properties: dict[str, Any] = super()._process_param_change(params)
        for field in self.component.fields:
            if field.output and is_typeddict(field.type) and field.name in properties:
                value = properties[field.name]
                text = json.dumps(value, allow_nan=False, separators=(",", ":"))
                properties[field.name] = {"json": text}
        return properties

    def _process_property_change(self, msg: dict[str, Any]) -> dict[str, Any]:
        """Changes of the model, without outputs: they go one way.

        Of two quick answers Panel can take the second for a change that the browser made, and would
        pack its text as a record once more.
        """
        inputs = {k: v for k, v in msg.items() if not self._is_output(k)}
        taken: dict[str, Any] = super()._process_property_change(inputs)
        return taken

    def _is_output(self, name: str) -> bool:
        field = self.component.by_name.get(name)
        return field is not None and field.output

    def _show(self, outputs: dict[str, Any]) -> None:
        """Put outputs into the params, in the document's own turn when there is a session."""
        if self._document is None or self._loop is None:
            self.param.update(**outputs)
        elif not self._loop.is_closed():
            # Not straight from this thread: what is added to a document while another thread holds
            # its events back can be lost.
            self._loop.call_soon_threadsafe(self._show_in_turn, outputs)

    def _show_in_turn(self, outputs: dict[str, Any]) -> None:
        if self._document.session_context is not None:  # else the person has left
            self._document.add_next_tick_callback(lambda: self._send(outputs))

    def _send(self, outputs: dict[str, Any]) -> None:
        # An input that was changed since, such as by a person, would be set back.
        known = self.controller.snapshot()
        outputs = {
            name: value
            for name, value in outputs.items()
            if self._is_output(name) or getattr(known, name) == value
        }
        # Events that are held back go out by Bokeh's own locked way. Panel's shorter way can leave
        # the second of two quick messages lying until a third comes.
        self._document.hold("combine")
        try:
            # Each output is a message of its own: what ends a wait comes after all else.
            self.param.update(**{k: v for k, v in outputs.items() if k not in ENDS_A_WAIT})
            for name in ENDS_A_WAIT:
                if name in outputs:
                    self.param.update(**{name: outputs[name]})
        finally:
            self._document.unhold()


@cache
def panel_class(widget: type[W]) -> type[W]:
    """The class of a bench in the app, with the component's params and front-end module."""
    built = bundle(widget.component)
    members = {
        "__module__": widget.__module__,
        "__doc__": widget.__doc__,
        "_esm": built,
        "module_hash": hashlib.sha256(built.read_bytes()).hexdigest(),
        **params_of(widget.component),
    }
    metaclass: Any = type(Bench)
    made: type[W] = metaclass(f"{widget.__name__}Panel", (widget, Bench), members)
    return made
