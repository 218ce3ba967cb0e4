"""The Panel host: a component around a controller, over the same front-end module."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache, partial
from typing import TYPE_CHECKING, Any, ClassVar, get_origin, is_typeddict

import panel as pn
import param
from panel.custom import AnyWidgetComponent
from param.parameterized import batch_call_watchers

from biaslab.records.result import Result
from biaslab.threads.background import start_thread
from biaslab_widgets.core.bench.controller import Controller
from biaslab_widgets.core.bench.widget import W
from biaslab_widgets.core.state.fields import Component, Field, TooLargeError
from biaslab_widgets.core.state.inputs import fits
from biaslab_widgets.core.state.records import message
from biaslab_widgets.hosts.bundle import bundle
from biaslab_widgets.hosts.page_link import OUTPUTS, SEEN, Outbox, PageLink, outbox_of, receive

_SCALARS: dict[Any, type[param.Parameter]] = {
    str: param.String,
    int: param.Integer,
    float: param.Number,
    bool: param.Boolean,
}


def param_of(field: Field) -> param.Parameter:
    """The param of a field."""
    if field.choices:
        return param.Selector(default=field.initial(), objects=list(field.choices), doc=field.doc)
    if is_typeddict(field.type):
        return param.Dict(default=field.initial(), doc=field.doc)
    if get_origin(field.type) is list:
        return param.List(default=field.initial(), doc=field.doc)
    if field.range is not None:
        bounds = (field.range.low, field.range.high)
        return _SCALARS[field.type](default=field.initial(), bounds=bounds, doc=field.doc)
    return _SCALARS[field.type](default=field.initial(), doc=field.doc)


def params_of(component: Component) -> dict[str, param.Parameter]:
    """The params of a component, by name."""
    return {field.name: param_of(field) for field in component.fields}


logger = logging.getLogger("biaslab")


class Bench(AnyWidgetComponent):
    """What the served app brings: a Panel component over the same front-end module.

    Panel makes the page's model and its layout. What a bench is about, its fields, goes past Panel
    in both directions: see `page_link`.
    """

    outputs = param.String("", doc="The newest message of outputs, as JSON text.")
    outputs_seen = param.List([0, 0], doc="The last message that the page has, and a count.")

    if TYPE_CHECKING:  # of the bench
        _no: Callable[[str, str], str]
        _check_options: Callable[[Mapping[str, Any]], None]

    component: ClassVar[Component]
    in_notebook: ClassVar[bool] = False
    module_hash: ClassVar[str]
    controller: Controller[Any]

    def __init__(self) -> None:
        self._document: Any = None
        self._outbox: Outbox | None = None
        self._came: dict[str, Any] = {}
        self._waits = False
        self.when_left: Callable[[], object] = self._end_jobs
        super().__init__(sizing_mode="stretch_width")

    def __setattr__(self, name: str, value: Any) -> None:
        own = ("controller", "when_left")
        if not (name.startswith("_") or name in own or hasattr(type(self), name)):
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

    def _process_param_change(self, params: dict[str, Any]) -> dict[str, Any]:
        """Params as the model holds them: of outputs the link takes care."""
        inputs = {name: value for name, value in params.items() if not self._is_output(name)}
        properties: dict[str, Any] = super()._process_param_change(inputs)
        return properties

    def _begin(self, controller: Controller[Any], values: dict[str, Any]) -> None:
        """Show a controller's state, then the values that were given, and start answering.

        Raises `TypeError` when a value is for no field of the component; names those there are.
        """
        self._check_options(values)
        self.controller = controller
        self._document = pn.state.curdoc
        if self._document is not None:
            self._document.on_session_destroyed(lambda _context: self.when_left())
            with suppress(RuntimeError):  # made in a script, outside any session
                self._outbox = outbox_of(asyncio.get_running_loop())
        self.param.update(**vars(controller.snapshot()))
        outputs = [field.name for field in self.component.fields if field.output]
        self._link = PageLink(outputs, partial(getattr, self))
        names = [field.name for field in self.component.inputs]
        self.param.watch(self._changed, names)
        self.param.update(**values)
        controller.change({})

    def reopen(self, inputs: Mapping[str, Any], result: Result | None) -> bool:
        """Set the inputs of a stored run; return whether its result is shown as it is stored.

        - `inputs`: those of `stored_inputs`.
        - `result`: the stored one; None where it cannot be read.
        """
        self.param.update(**inputs)
        return result is not None and self.controller.take_stored(result)

    def adopt(self, controller: Controller[Any]) -> None:
        """Go on with the controller of a page that was left, in place of the own one."""
        self.controller.close()
        self.controller = controller
        controller.show_to(self._show)
        self._show_state()
        controller.answer_again()

    @property
    def waits(self) -> bool:
        """Whether it shows that a run is coming, and no answer."""
        return self._waits

    def wait_for_run(self) -> None:
        """Say that a run is coming, until one is adopted or `show_own` is called."""
        notice = message("Your run is coming", "It goes on from the page that you have left.")
        answer = {**self.controller.state["answer"], "state": "loading", "message": notice}
        self._set({"answer": {**answer, "picture": None}})
        self._waits = True

    def show_own(self) -> None:
        """Show the own answer: no run has come."""
        if self._waits:
            self._show_state()

    def _show_state(self) -> None:
        self._waits = False
        state = vars(self.controller.snapshot())
        self._set(state)
        self._link.show(state)

    def _end_jobs(self) -> None:
        """Let the jobs of a person who has left end."""
        # Apart from the server's own thread: a job's end may wait for an answer that is being made.
        start_thread("biaslab-leaving", self.controller.close)

    def _changed(self, *events: param.parameterized.Event) -> None:
        known = self.controller.snapshot()
        changed = {e.name: e.new for e in events if getattr(known, e.name) != e.new}
        if changed:
            self._change(changed)

    def _change(self, changed: dict[str, Any]) -> None:
        try:
            self.controller.change(changed)
            if self._link.lacks(changed):
                self._show(changed)
        except TooLargeError as error:
            # Raised, it would be logged with the whole message that brought it.
            self.controller.refuse(changed, error)
            rest = {name: value for name, value in changed.items() if name != "command"}
            if rest != changed:  # inputs that came with a command wait for their answer
                self._change(rest)

    # What Panel itself keeps alike in its model and in the params: not the fields.

    def _link_params(self) -> None:
        past = {*self.component.by_name, OUTPUTS, SEEN}
        names = [name for name in self._synced_params if name not in past]
        self._internal_callbacks.append(self.param.watch(self._param_change, names))

    @property
    def _linked_properties(self) -> tuple[str, ...]:
        return ()

    def _get_model(self, doc: Any, root: Any = None, *places: Any, **more: Any) -> Any:
        model = super()._get_model(doc, root, *places, **more)
        self._link.join((root or model).id, model.data)
        receive(doc, model.data.id, self)
        for name in (*(field.name for field in self.component.inputs), SEEN):
            model.data.on_change(name, self._model_changed)
        return model

    def _cleanup(self, root: Any = None) -> None:
        if root is not None:
            self._link.leave(root.id)
        super()._cleanup(root)

    def _model_changed(self, name: str, _old: Any, new: Any) -> None:
        """Take an input that came Bokeh's own way; those of one message come together."""
        self._came[name] = new
        if len(self._came) == 1:
            self._soon(self._take_all)

    def _take_all(self) -> None:
        came, self._came = self._came, {}
        self.take_inputs(came)

    def take_inputs(self, values: Mapping[str, Any], model: str = "") -> None:
        """Take what the page has changed, in the server's thread.

        - `model`: id of the page's model, where the values did not come through it.
        """
        sent = {name: value for name, value in values.items() if self._is_input(name)}
        inputs = {name: value for name, value in sent.items() if self._can_hold(name, value)}
        wrong = set(sent) - set(inputs)
        try:
            self._link.note(model, inputs)
            self._set(inputs)
            if SEEN in values:
                self._link.seen(int(values[SEEN][0]))
        except (ValueError, TypeError, LookupError, OverflowError):
            wrong = set(sent)
        if wrong:
            self._link.note(model, {name: getattr(self, name) for name in wrong})
            # Without the value, which may be a key or somebody's text.
            logger.warning("A page sent a value that %s does not take.", self.component.name)

    def _can_hold(self, name: str, value: Any) -> bool:
        """Whether a value that a page has sent is of the input's kind; one may be too large."""
        field = self.component.by_name[name]
        if not fits(value, field.type):
            return False
        try:
            field.check(value)
        except TooLargeError:
            return True  # the person is told
        except ValueError:
            return False
        return True

    def _is_input(self, name: str) -> bool:
        field = self.component.by_name.get(name)
        return field is not None and not field.output

    def _show(self, outputs: dict[str, Any]) -> None:
        """Put outputs into the params, in the server's thread when there is a session."""
        self._soon(partial(self._send, outputs))

    def _soon(self, call: Callable[[], object]) -> None:
        if self._outbox is None:
            call()
        else:
            self._outbox.post(call)

    def _send(self, outputs: dict[str, Any]) -> None:
        if self._document is not None and self._document.session_context is None:
            return  # the person has left
        if self._waits:
            return  # the whole state is shown once that is over
        # An input that was changed since, such as by a person, would be set back.
        known = self.controller.snapshot()
        outputs = {
            name: value
            for name, value in outputs.items()
            if self._is_output(name) or getattr(known, name) == value
        }
        self._set(outputs)
        self._link.show(outputs)

    def _set(self, values: Mapping[str, Any]) -> None:
        """Set params together; Param's own way reads all the others first, for a millisecond."""
        with batch_call_watchers(self):
            for name, value in values.items():
                setattr(self, name, value)

    def _is_output(self, name: str) -> bool:
        field = self.component.by_name.get(name)
        return field is not None and field.output


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
