"""The two hosts of a bench behind one face, so that one test runs in both.

A bench's own module has three classes: ``Host(BenchHost)`` with what is alike in either host,
``NotebookHost(NotebookBench, Host)`` and ``AppHost(AppBench, Host)`` with what differs; its story
opens them by `harness.story.hosts`.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from playwright.sync_api import Browser, Page, expect

from biaslab.records.result import Result
from harness.bench_page import BenchPage
from harness.jupyter_lab import JupyterLab
from harness.served_app import ServedApp
from harness.server import wait_until
from harness.watched_page import STILL, WatchedPage

R = TypeVar("R", bound=Result)
V = TypeVar("V", bound=BenchPage)
NOTEBOOK = "benches.ipynb"


class BenchHost(ABC, Generic[V, R]):
    """A page that shows a bench.

    Parameters
    ----------
    watched : WatchedPage
        The page.
    """

    name: ClassVar[str]
    viewport: ClassVar[Any] = {"width": 1400, "height": 1000}
    permissions: ClassVar[list[str]] = []
    """What the page may do without asking the person, such as to read the clipboard."""
    few: ClassVar[dict[str, Any]] = {}
    """Inputs of a bench that is soon done."""
    at_first: ClassVar[str] = "ready"
    """The state of a fresh bench."""
    bench_page: type[V]
    """The bench as a person sees it."""
    result_type: type[R]

    def __init__(self, watched: WatchedPage) -> None:
        self.watched = watched
        self.page.set_viewport_size(self.viewport)
        watched.context.grant_permissions(self.permissions)

    @property
    def page(self) -> Page:
        """The page."""
        return self.watched.page

    def begin(self) -> None:
        """Begin a test with a clean slate: what goes wrong fails this test alone."""
        self.watched.begin()

    @abstractmethod
    def end(self, *, failed: bool) -> None:
        """End a test, and leave the page."""

    def show(self, **inputs: Any) -> V:
        """A fresh bench with these inputs, answered."""
        view = self.fresh().settle(self.at_first)
        self.set(view, **{**self.few, **inputs})
        return view.answered()

    @abstractmethod
    def fresh(self) -> V:
        """A fresh bench."""

    @abstractmethod
    def result(self) -> R:
        """Python's result of what is on the screen."""

    def input(self, name: str) -> Any:
        """An input as the host's state holds it."""
        return self.inputs([name])[name]

    def holds(self, name: str, value: Any) -> None:
        """Wait until the host's state holds a value.

        An input that changes the view alone is shown at once and arrives a moment later.
        """
        wait_until(lambda: bool(self.input(name) == value), f"{name} == {value!r}")

    def set(self, view: V, **inputs: Any) -> None:
        """Set inputs from outside, and wait for the answer, whatever it is."""
        view.wait_for_generation(self.set_inputs(inputs))

    @abstractmethod
    def inputs(self, names: Iterable[str]) -> dict[str, Any]:
        """Inputs by name, as the host's state holds them."""

    @abstractmethod
    def set_inputs(self, inputs: dict[str, Any]) -> int:
        """Set inputs from outside, and a new generation, which is returned."""

    @abstractmethod
    def beside(self, view: V, run: str) -> AbstractContextManager[V]:
        """A saved run, reopened in a second bench beside the one that is there."""

    @abstractmethod
    def home(self) -> Path:
        """The folder where the host keeps specs and runs."""


class NotebookBench(BenchHost[V, R]):
    """JupyterLab with one notebook, whose one cell is written anew for each bench.

    Benches of several tests share the kernel: it imports libraries once.

    Parameters
    ----------
    browser : Browser
    lab : JupyterLab
    """

    name = "jupyterlab"
    setup: ClassVar[str]
    """Code that the kernel runs first, after ``import biaslab as bl``."""
    made: ClassVar[str]
    """Code of a fresh bench."""
    variable: ClassVar[str] = "bench"
    """What the kernel calls the bench."""

    def __init__(self, browser: Browser, lab: JupyterLab) -> None:
        super().__init__(lab.shared_page(browser))
        self.lab = lab
        if not lab.shows(self.page, NOTEBOOK):
            lab.open(self.page, lab.write_notebook(NOTEBOOK, [""]))
        self.run(f"import biaslab as bl\nimport ipywidgets as widgets\n{self.setup}")

    def begin(self) -> None:
        self.lab.begin(self.watched)

    def end(self, *, failed: bool) -> None:
        if failed:
            self.lab.drop_shared_page()
            self.lab.shut_down_kernels()
        else:
            self.run("widgets.Widget.close_all()")
            self.watched.end()

    def run(self, source: str) -> str:
        """Run code in the kernel and return what it printed."""
        return self.lab.run_cell(self.page, source)

    def value(self, expression: str) -> Any:
        """The value of an expression in the kernel, by way of JSON."""
        return json.loads(self.run(f"import json; print(json.dumps({expression}))"))

    def wait_for(self, expression: str, value: Any) -> None:
        """Wait until an expression in the kernel has a value."""
        wait_until(lambda: bool(self.value(expression) == value), f"{expression} == {value!r}")

    def fresh(self) -> V:
        """Make a bench and show it, with room for another one below it."""
        source = f"{self.variable} = {self.made}\nbelow = widgets.VBox()\n"
        self.page.evaluate(
            """source => {
                const { content } = window.jupyterapp.shell.currentWidget;
                content.activeCellIndex = 0;
                content.model.cells.get(0).sharedModel.setSource(source);
                content.scrollToItem(0);
            }""",
            f"{source}display({self.variable}, below)",
        )
        self.lab.run_all(self.page)
        return self.bench_page.on(self.page)

    @contextmanager
    def beside(self, view: V, run: str) -> Iterator[V]:
        self.run(f"below.children = [type({self.variable}).of_run({run!r})]")
        yield type(view).on(self.page, 1)
        self.run("below.children[0].close(); below.children = []")

    def inputs(self, names: Iterable[str]) -> dict[str, Any]:
        found: dict[str, Any] = self.value(
            f"{{name: getattr({self.variable}, name) for name in {tuple(names)!r}}}"
        )
        return found

    def set_inputs(self, inputs: dict[str, Any]) -> int:
        self.run(
            f"with {self.variable}.hold_trait_notifications():\n"
            f"    for name, value in {inputs!r}.items():\n"
            f"        setattr({self.variable}, name, value)\n"
            f"{self.variable}.generation += 1"
        )
        return int(self.value(f"{self.variable}.generation"))

    def result(self) -> R:
        # It may be megabytes of draws: too much to print.
        file = self.home() / f"{self.variable}-result.json"
        text = f"{self.variable}.result.to_json()"
        self.run(f"_ = __import__('pathlib').Path({str(file)!r}).write_text({text})")
        result = Result.from_json(file)
        assert isinstance(result, self.result_type)
        return result

    def home(self) -> Path:
        return Path(self.value("__import__('os').environ['BIASLAB_HOME']"))


class AppBench(BenchHost[V, R]):
    """A page of the served app; its result is what it exports.

    Parameters
    ----------
    browser : Browser
    served : ServedApp
    """

    name = "app"
    path: ClassVar[str]
    """Of the page, after the app's address: ``/occupations``, or ``/word-lists?subject=small``."""
    own_input: ClassVar[str]
    """An input that this bench has and none other on the page."""

    def __init__(self, browser: Browser, served: ServedApp) -> None:
        super().__init__(WatchedPage(browser, **STILL))
        self.served = served

    def end(self, *, failed: bool) -> None:
        del failed
        self.watched.close()

    def fresh(self) -> V:
        self.page.goto(f"{self.served.url}{self.path}")
        return self.bench_page.on(self.page)

    def result(self) -> R:
        return self.bench_page.on(self.page).exported_result(self.result_type)

    @contextmanager
    def beside(self, view: V, run: str) -> Iterator[V]:
        page = self.watched.context.new_page()
        page.goto(f"{self.served.url}{self.path.partition('?')[0]}?run={run}")
        expect(page.get_by_role("note")).to_contain_text("Opened from run")
        yield type(view).on(page)
        page.close()

    def inputs(self, names: Iterable[str]) -> dict[str, Any]:
        found: dict[str, Any] = self.page.evaluate(
            f"""names => {{
                const {{ attributes }} = ({self._state})();
                return Object.fromEntries(names.map(name => [name, attributes[name]]));
            }}""",
            list(names),
        )
        return found

    def set_inputs(self, inputs: dict[str, Any]) -> int:
        generation: int = self.page.evaluate(
            f"""inputs => {{
                const data = ({self._state})();
                data.setv({{ ...inputs, generation: data.attributes.generation + 1 }});
                return data.attributes.generation;
            }}""",
            inputs,
        )
        return generation

    def home(self) -> Path:
        return self.served.log.parent / "home" / "biaslab"

    @property
    def _state(self) -> str:
        """JavaScript that finds the model with the bench's state."""
        return f"""() => {{
            for (const model of Bokeh.documents[0]._all_models.values())
                if (model.data?.attributes && {self.own_input!r} in model.data.attributes)
                    return model.data;
        }}"""
