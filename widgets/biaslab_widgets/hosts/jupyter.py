"""The Jupyter host: an anywidget around a controller."""

from __future__ import annotations

import asyncio
import hashlib
import json
import signal
import threading
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Final, get_origin, is_typeddict

import anywidget
import traitlets

from biaslab.errors import BiaslabError
from biaslab.jobs.job import abort_all
from biaslab.records.result import Result
from biaslab.threads.background import start_thread
from biaslab_widgets.core.bench.controller import Controller
from biaslab_widgets.core.bench.widget import (
    INTERNAL,
    W,
    Widget,
    about,
    documented,
    options_of,
    signature_of,
)
from biaslab_widgets.core.state.bench_state import NO_PROGRESS, run_progress
from biaslab_widgets.core.state.fields import Component, Field, TooLargeError
from biaslab_widgets.hosts.bundle import bundle
from biaslab_widgets.hosts.last_picture import Bundle, LastPicture

_SCALARS: dict[Any, type[traitlets.TraitType[Any, Any]]] = {
    str: traitlets.Unicode,
    int: traitlets.Int,
    float: traitlets.Float,
    bool: traitlets.Bool,
}


def trait_of(field: Field) -> traitlets.TraitType[Any, Any]:
    """The synced traitlet of a field."""
    if field.choices:
        trait: traitlets.TraitType[Any, Any] = traitlets.Enum(field.choices, field.initial())
    elif is_typeddict(field.type):
        trait = traitlets.Dict(field.initial())
    elif get_origin(field.type) is list:
        trait = traitlets.List(field.initial())
    elif (allowed := field.range) is not None:
        kind = _SCALARS[field.type]
        trait = kind(field.initial(), min=allowed.low, max=allowed.high)
    else:
        trait = _SCALARS[field.type](field.initial())
    if field.output and is_typeddict(field.type):
        trait.tag(to_json=_as_text)
    trait.help = about(field)
    return trait.tag(sync=True, doc=field.doc)


def _as_text(value: Any, _widget: Any) -> dict[str, str]:
    """A record as it travels: as JSON text, which the front end unpacks.

    ipywidgets looks through every number of a nested value for buffers, which takes longer than
    making and reading the text.
    """
    return {"json": json.dumps(value, allow_nan=False, separators=(",", ":"))}


def traits_of(component: Component) -> dict[str, traitlets.TraitType[Any, Any]]:
    """The synced traitlets of a component, by name."""
    return {field.name: trait_of(field) for field in component.fields}


_watched: list[Any] = []


def abort_jobs_on_interrupt() -> None:
    """Let an interrupt of this kernel abort its jobs; outside a kernel nothing happens.

    Python raises ``KeyboardInterrupt`` in the main thread only, and a kernel that runs no cell
    ignores interrupts altogether. But a bench computes in other threads, mostly while none runs.
    """
    try:
        from IPython.core.getipython import get_ipython
    except ImportError:
        return
    shell: Any = get_ipython()
    kernel = getattr(shell, "kernel", None)
    if kernel is None or kernel in _watched:
        return
    _watched.append(kernel)
    shell.events.register("post_run_cell", _look_at_cell)
    # The kernel puts this handler back once the message is handled that makes the bench.
    if getattr(kernel, "saved_sigint_handler", None) == signal.SIG_IGN:
        loop = kernel.io_loop.asyncio_loop
        # Any other way would wait for the next message to wake the loop.
        kernel.saved_sigint_handler = lambda *_: loop.call_soon_threadsafe(_abort)


def _look_at_cell(result: Any) -> None:
    """Abort after a cell that was interrupted; one that awaits has no result then."""
    error = None if result is None else result.error_in_exec
    if result is None or isinstance(error, KeyboardInterrupt | asyncio.CancelledError):
        _abort()


def _abort() -> None:
    # Apart from the kernel's own thread: a job's end may wait for an answer that is being made.
    start_thread("biaslab-interrupt", abort_all)


BENCH: Final = "application/vnd.biaslab.bench+json"
"""MIME type of what the page needs to know of a bench; only biaslab's own extension reads it."""
KERNEL: Final = uuid.uuid4().hex
"""Tells this kernel from the one before a restart."""

LONGEST_CODE: Final = 20_000
"""Characters; longer code is left out of the notebook."""
OF_ALL_WIDGETS: Final = frozenset(
    {
        "add_class",
        "close",
        "hold_trait_notifications",
        "layout",
        "observe",
        "remove_class",
        "trait_names",
        "traits",
        "unobserve",
        "unobserve_all",
    }
)
"""What a person does with any widget; ipywidgets has five times as much that nobody types."""
OF_HOSTS: Final = frozenset(
    {
        "chosen",
        "component",
        "controller",
        "in_notebook",
        "on_page",
        "setup_picture",
        "show_first_run",
        "sources_of",
    }
)


class Bench(anywidget.AnyWidget):
    """What a notebook brings: hands changed inputs to a controller and shows its outputs."""

    if TYPE_CHECKING:  # of the bench
        _no: Callable[[str, str], str]
        _check_options: Callable[[Mapping[str, Any]], None]
        static_picture: Callable[[], str | None]
        setup_picture: Callable[[], str]
        chosen: Callable[[], str]

    component: ClassVar[Component]
    in_notebook = True
    controller: Controller[Any]
    _shown_as = traitlets.Unicode().tag(sync=True)
    _place = traitlets.Unicode().tag(sync=True)

    def __init__(self) -> None:
        self._receiving = threading.RLock()
        self._together: frozenset[str] = frozenset()
        self._made_of = ""
        self._shows_run = False
        super().__init__()
        self._shown_as = uuid.uuid4().hex
        self._last_picture = LastPicture(self._new_bundle, self._shown_as, self._keeps_its_view)
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

        Raises `TypeError` when a value is for no field of the component; names those there are.
        """
        self._check_options(values)
        self.controller = controller
        abort_jobs_on_interrupt()
        first = {f.name: controller.state[f.name] for f in self.component.inputs}
        self._made_of = _digest([first, values])
        self._show(vars(controller.snapshot()))
        self.observe(self._changed, names=[field.name for field in self.component.inputs])
        with self._as_one_change(values), self.hold_trait_notifications():
            for name, value in values.items():
                setattr(self, name, value)
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
        with self._as_one_change(inputs), self.hold_trait_notifications():
            for name, value in inputs.items():
                setattr(self, name, value)
        return result is not None and self.controller.take_stored(result)

    def close(self) -> None:
        """Take it off the screen and cancel its jobs."""
        # It is called of what was not made whole, too.
        if (controller := getattr(self, "controller", None)) is not None:
            controller.close()
            self._last_picture.forget()
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
            for name, value in self._with_progress(outputs).items():
                setattr(self, name, value)
        self._last_picture.changed()

    def _with_progress(self, outputs: dict[str, Any]) -> dict[str, Any]:
        """Outputs with the progress of the run that the screen shows."""
        if "answer" not in outputs:
            return outputs
        now = run_progress(outputs["answer"])
        was, self._shows_run = self._shows_run, now is not None
        if now is not None:
            return {**outputs, "progress": now}
        return {"progress": NO_PROGRESS, **outputs} if was else outputs

    def _changed(self, change: dict[str, Any]) -> None:
        # The first notification of several takes them all, so that an observer of any of them
        # finds `result` up to date.
        known = self.controller.snapshot()
        values = {name: getattr(self, name) for name in {change["name"], *self._together}}
        if moved := {n: value for n, value in values.items() if value != getattr(known, n)}:
            try:
                self.controller.change(moved)
            except TooLargeError as error:
                self.controller.refuse(moved, error)
                raise
        self._last_picture.changed()

    @staticmethod
    def _made(widget: type[W]) -> type[W]:
        """The class of another bench in this host."""
        return notebook_class(widget)  # type: ignore[arg-type]  # a class is hashable

    def __dir__(self) -> list[str]:
        """What a person may want to type: no name that belongs to the page or to the hosts."""
        own = {
            name
            for one in type(self).__mro__
            if issubclass(one, Widget) and not issubclass(one, Bench)
            for name in vars(one)
        }
        private = {name for name in super().__dir__() if name.startswith("_")}
        return sorted({*self._fields_for_people(), *own, *OF_ALL_WIDGETS, *private} - OF_HOSTS)

    def trait_names(self, **metadata: Any) -> list[str]:
        """Names of the inputs, and of what a person may observe besides."""
        shown = {*self._fields_for_people(), "layout"}
        return [name for name in super().trait_names(**metadata) if name in shown]

    def _fields_for_people(self) -> set[str]:
        options = {field.name for field in options_of(self.component)}
        return options | ({"answer", "progress"} & self.component.by_name.keys())

    def __repr__(self) -> str:
        about = self._in_words()
        return f"<{type(self).__name__}{about and f': {about}'}>"

    def _in_words(self) -> str:
        """What it shows: the word that is looked at, and the subjects."""
        return ", ".join(filter(None, [getattr(self, "word", ""), self.chosen()]))

    def _ipython_display_(self) -> None:
        """Show it in the output of a cell, under an id by which the output can be updated."""
        self._last_picture.show(self._repr_mimebundle_())

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """The widget's view, a picture that needs no kernel, and the settings behind it."""
        data, metadata = super()._repr_mimebundle_(**options) or ({}, {})
        picture = self.static_picture()
        data["image/svg+xml"] = picture or self.setup_picture()
        data[BENCH] = self._about() | self._last_result(shown=picture is not None)
        return data, metadata

    def _new_bundle(self) -> Bundle | None:
        """The output as it is now; None while a run goes on, whose end changes it."""
        return None if self.controller.jobs.busy else self._repr_mimebundle_()

    def _keeps_its_view(self) -> bool:
        """Whether an update of the output leaves the view alone, or nobody looks at it."""
        return self._place in ("", "lab")

    def _about(self) -> dict[str, Any]:
        """What the page needs to know of a bench whose kernel is gone."""
        settings = {f.name: getattr(self, f.name) for f in self.component.inputs}
        for name in INTERNAL:
            del settings[name]
        return {
            "id": self._shown_as,
            "model_id": self.model_id,
            "bench": type(self).__name__,
            "kernel": KERNEL,
            "made_of": self._made_of,
            "about": self._in_words(),
            "settings": settings,
        }

    def _last_result(self, *, shown: bool) -> dict[str, str]:
        """When the result was computed, and Python that makes it again; empty without one."""
        none = {"time": "", "code": ""}
        # Asking for a result that is not shown would wait for the subject.
        if not shown or not hasattr(type(self), "result"):
            return none
        try:
            result: Result = self.result
            code = result.code()
        except BiaslabError:
            return none
        return {"time": result.provenance.time, "code": code if len(code) <= LONGEST_CODE else ""}


def _digest(made_of: Any) -> str:
    """What a bench began with, in short: the same cell in a new kernel makes the same."""
    text = json.dumps(made_of, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@cache
def notebook_class(widget: type[W]) -> type[W]:
    """The class of a bench in notebooks, with the component's traits and front-end module."""
    members = {
        "__module__": "biaslab_widgets",
        "__doc__": documented(widget, widget.component),
        "__signature__": signature_of(widget.__init__, widget.component),
        "_esm": bundle(widget.component),
        **traits_of(widget.component),
    }
    made: type[W] = traitlets.MetaHasTraits.__call__(
        type(Bench), widget.__name__, (widget, Bench), members
    )
    return made
