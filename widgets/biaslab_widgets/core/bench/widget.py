"""A bench as Python sees it, from which each host makes a class with the same signature."""

from __future__ import annotations

import difflib
import inspect
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from textwrap import wrap
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Literal,
    Self,
    TypeVar,
    get_origin,
    is_typeddict,
)

import biaslab as bl
from biaslab.errors import ArgumentError, BiaslabError, QueryError
from biaslab.jobs.job import Job
from biaslab.records.kinds import brief_of
from biaslab.records.result import Result
from biaslab.reports.chart import Chart
from biaslab.reports.palette import INK, INK_2, INK_3
from biaslab.reports.svg import document, paint, text
from biaslab.store import Store, StoredRun
from biaslab_widgets.core.bench.controller import Controller
from biaslab_widgets.core.bench.first_runs import bundled_run
from biaslab_widgets.core.bench.model_tests import TestRun
from biaslab_widgets.core.bench.subject_bench import SubjectController
from biaslab_widgets.core.bench.three_steps import ThreeStepsController
from biaslab_widgets.core.state.fields import LARGEST, Component, Field
from biaslab_widgets.core.state.inputs import stored_inputs
from biaslab_widgets.core.subjects.opening import Opening
from biaslab_widgets.core.subjects.sources import SharedSources, Source, sources_of_run

V = TypeVar("V")
INTERNAL = ("generation", "command")
"""Inputs that belong to the front end."""


def given_spec(spec: bl.specs.Spec | str, *needs: str) -> bl.specs.Spec:
    """A spec, or the one of a name, that has at least one kind of list that a bench needs.

    Raises `ArgumentError` when it is no spec, or has none of them; says what to pass.
    """
    chosen = bl.specs.get(spec) if isinstance(spec, str) else spec
    if not isinstance(chosen, bl.specs.Spec):
        raise ArgumentError(
            f"spec is a {type(spec).__name__}. Pass a Spec or the name of one, such as "
            "'gender-pairs'."
        )
    if not any(getattr(chosen, need) for need in needs):
        kinds = " nor ".join(need.replace("_", " ") for need in needs)
        raise ArgumentError(
            f"The spec {chosen.name!r} has neither {kinds}, which this bench needs. "
            "bl.specs.names() lists the specs of the catalogue."
        )
    return chosen


def options_of(component: Component) -> list[Field]:
    """The inputs that a person can give as options."""
    return [field for field in component.inputs if field.name not in INTERNAL]


def signature_of(init: Any, component: Component) -> inspect.Signature:
    """The signature of a constructor in which each option has its name, type and default."""
    own = list(inspect.signature(init).parameters.values())[1:]
    named = [p for p in own if p.kind is not inspect.Parameter.VAR_KEYWORD]
    taken = {p.name for p in named}
    options = [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=field.initial(),
            annotation=kind(field),
        )
        for field in options_of(component)
        if field.name not in taken
    ]
    return inspect.Signature([*named, *options])


def documented(of: type, component: Component) -> str:
    """A class's docstring with every option: what it means, and what it can be."""
    taken = inspect.signature(of.__init__).parameters  # type: ignore[misc]  # of the class itself
    lines = ["Other Parameters", "----------------"]
    for field in options_of(component):
        if field.name in taken:
            continue
        lines += [f"{field.name} : {kind(field)}, default {field.default!r}", f"    {about(field)}"]
    head, examples, tail = inspect.cleandoc(of.__doc__ or "").partition("\nExamples\n")
    return f"{head.rstrip()}\n\n" + "\n".join(lines) + f"\n{examples}{tail}"


def kind(field: Field) -> str:
    """The type of a field in words."""
    if field.choices:
        return "{" + ", ".join(repr(choice) for choice in field.choices) + "}"
    if is_typeddict(field.type):
        return "dict"
    if get_origin(field.type) is list:
        return "list"
    return str(field.type.__name__)


def about(field: Field) -> str:
    """What a field means, with its bounds."""
    if field.range is None or get_origin(field.type) is list or field.range.high == LARGEST:
        return field.doc
    return f"{field.doc} From {field.range.low:g} to {field.range.high:,g}."


def lists_of(given: Any) -> tuple[Any, Any]:
    """Words and groups of what a bench over words is given: a spec, groups by name, or words.

    None stands for what the given one does not have.
    """
    if given is None:
        return None, None
    if isinstance(given, str | bl.specs.Spec):
        spec = given_spec(given, "items", "groups", "cue_pairs")
        return (spec if spec.items else None, spec if spec.groups or spec.cue_pairs else None)
    return (None, given) if isinstance(given, Mapping) else (given, None)


WIDTH = 640
_EDGE, _LINE = 16, 17
_LETTERS = {"strong": 75, "plain": 92}
"""Characters in a line."""
Role = Literal["strong", "plain"]


def setup_picture(title: str, lines: Iterable[tuple[str, Role]], note: str = "") -> str:
    """SVG text with a title, lines below it, and a grey note at the end.

    - `lines`, iterable of (str, {"strong", "plain"}): wrapped where they are long.
    """
    y = 30.0
    body = [text(_EDGE, y, title, INK, size=15, weight="600")]
    y += 8
    for words, role in lines:
        y += 4 * (role == "strong")
        for part in wrap(words, _LETTERS[role]) or [""]:
            y += _LINE
            weight = "600" if role == "strong" else "normal"
            body.append(text(_EDGE, y, part, INK if role == "strong" else INK_2, weight=weight))
    for part in wrap(note, _LETTERS["plain"]):
        y += _LINE + 2
        body.append(text(_EDGE, y, part, INK_3, size=11))
    return document(title, "\n".join(body), WIDTH, round(y + 20))


def lists_picture(lists: Sequence[tuple[str, Sequence[str]]]) -> str:
    """SVG text of word lists: each name with the number of its terms, and all terms below it."""
    lines: list[tuple[str, Role]] = []
    for name, terms in lists:
        lines.append((f"{name or 'Terms'} ({len(terms):,})", "strong"))
        lines.append((", ".join(terms), "plain"))
    return setup_picture("Word lists", lines, "" if lines else "There are no lists yet.")


PATIENCE_S = 2.0
"""A cell that shows a bench waits so long for its subject, so that its picture is there too."""
W = TypeVar("W", bound="Widget")
T = TypeVar("T", bound=TestRun)
R = TypeVar("R", bound=Result)
_RUN_AGAIN = (
    "The settings are those of the run. Run it again: answers that are kept are not asked a"
    " second time."
)


class Widget:
    """Base of benches: what they are made of, and what can be asked of them in Python.

    Attributes
    ----------
    component : Component
        Its fields; inputs can be read and set as attributes.
    in_notebook : bool
        Whether a notebook shows it, and not a page that is served to others.
    """

    component: ClassVar[Component]
    in_notebook: ClassVar[bool]
    controller: Controller[Any]

    if TYPE_CHECKING:  # what a host brings

        def __init__(self) -> None: ...
        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...
        def _begin(self, controller: Controller[Any], values: dict[str, Any]) -> None: ...
        def _show(self, outputs: dict[str, Any]) -> None: ...
        def reopen(self, inputs: Mapping[str, Any], result: Result | None) -> bool:  # noqa: D102
            ...
        @staticmethod
        def _made(widget: type[W]) -> type[W]: ...

    @classmethod
    def on_page(cls, shared: SharedSources) -> Self:
        """The bench of one visit to the app.

        Parameters
        ----------
        shared : SharedSources
            What all visits share.
        """
        raise NotImplementedError

    @classmethod
    def sources_of(cls, given: Any) -> Mapping[str, Source[Any]]:
        """Return the sources of subjects that this bench takes, by name.

        Raises
        ------
        WrongSubjectError
            When it cannot ask a subject of that kind.
        """
        raise NotImplementedError

    @classmethod
    def of_run(cls, run: str, subject: Any = None) -> Self:
        """Make the bench of a saved run, as it was.

        A result that was saved outside a bench opens in the bench that asks the same.

        Parameters
        ----------
        run : str
            Id of the run, as `biaslab.Store.runs` lists it.
        subject : subject, str or Path, optional
            The subject that it asked, under the name that it had. By default a bundled one, or the
            one that the run's recorded call loads.

        Raises
        ------
        RunNotFoundError
            If there is no such run.
        ArgumentError
            If it belongs to a bench of another kind, or its subject cannot be loaded again.
        QueryError
            If the bench does not show results of its kind.

        Warns
        -----
        UserWarning
            For each setting or subject that is not as it was.

        Examples
        --------
        >>> PsychometricBench.of_run("1qndfamvm2")  # doctest: +SKIP
        """
        store = Store()
        result, stored = store.open(run), store.run(run)
        if stored.bench != cls.component.module:
            raise ArgumentError(
                f"Run {run} belongs to the bench {stored.bench}, not to this one."
                f" biaslab.Store().open({run!r}) gives its result."
            )
        bench = cls._of_stored(stored, result, subject)
        bench.controller.offer(result.provenance.subject)
        settings = stored.inputs or bench.controller.inputs_for(result)
        inputs, notices = stored_inputs(cls.component, settings, bench.controller.offered)
        is_shown = bench.reopen(inputs, result)
        if not is_shown and bench.controller.runs_long:
            notices += (_RUN_AGAIN,)
        for notice in notices:
            warnings.warn(notice, stacklevel=2)
        return bench

    @classmethod
    def _of_stored(cls, run: StoredRun, result: Result, subject: Any) -> Self:
        """Make a bench that offers the subject of a run."""
        return cls(sources_of_run(run, result, cls.sources_of, subject))  # type: ignore[call-arg]

    @classmethod
    def of_first_run(cls) -> Self:
        """Make the bench with the run that comes with biaslab, with which the app opens it.

        Raises
        ------
        QueryError
            If none comes with it: it computes at once.

        Examples
        --------
        >>> PosteriorBench.of_first_run()  # doctest: +SKIP
        """
        bench = cls()
        if not bench.show_first_run():
            raise QueryError(f"No run comes with {cls.__name__}, which computes at once.")
        return bench

    def show_first_run(self) -> str:
        """Show the run that comes with biaslab; return its finding in a few words.

        Returns
        -------
        str
            Empty where there is none, or where the bench does not offer what it asked.
        """
        bundled = bundled_run(self.component.module)
        if bundled is None:
            return ""
        inputs, notices = stored_inputs(self.component, bundled[0], self.controller.offered)
        return "" if notices or not self.reopen(inputs, bundled[1]) else brief_of(bundled[1])

    def save(self, label: str = "", *, tags: Iterable[str] = ()) -> str:
        """Save the result on the screen with all settings, as the button does.

        Parameters
        ----------
        label : str
            Your own note.
        tags : iterable of str
            Tags, by which `biaslab.Store.runs` finds it.

        Returns
        -------
        str
            Id of the run, which `of_run` reopens. A bench that asks several models saves a run for
            each; the id is that of the first.

        Raises
        ------
        QueryError
            When the screen shows no result; the message says what to do.
        """
        runs = [self.controller.save_run(one, label, tuple(tags)) for one in self._to_save()]
        return runs[0]

    def _to_save(self) -> Iterable[Result]:
        result: Result = self.result
        return [result]

    def add_subject(self, subject: Any) -> str:
        """Offer another subject in this bench, which need not be open yet.

        Parameters
        ----------
        subject : subject, str or Path
            What the bench takes as its first argument: an open subject, the name of a bundled one
            or of your own, or a path. Services may be functions.

        Returns
        -------
        str
            Its name in the bench's list; numbered where there is one of that name. Choose it with
            ``bench.subject = name`` (``bench.models``, ``bench.service``).

        Raises
        ------
        WrongSubjectError
            When the bench cannot ask a subject of that kind; says what it needs.

        Examples
        --------
        >>> bench.subject = bench.add_subject("my-glove.txt")  # doctest: +SKIP
        """
        opening: Opening[Any] = self.controller.opening  # type: ignore[attr-defined]
        (source,) = self.sources_of([subject]).values()
        name, number = source.name, 2
        while source.name in opening.sources:
            source.name, number = f"{name} ({number})", number + 1
        with self.controller.computing:
            opening.add(source)
        self.controller.emit({"subjects": opening.options})
        self.controller.answer_again()
        return source.name

    def static_picture(self) -> str | None:
        """SVG text of the result, for places without a kernel; None while there is none."""
        try:
            return str(self.result.to_svg())
        except BiaslabError:
            return None

    def setup_picture(self) -> str:
        """SVG text of what the bench is set up with, for where there is no result to show."""
        state = self.controller.snapshot()
        answer: dict[str, Any] = getattr(state, "answer", {})
        lines: list[tuple[str, Role]] = []
        if chosen := self.chosen():
            lines.append((chosen, "strong"))
        steps = answer.get("steps", [])
        lines += [(f"{step['title']}: {step['note'] or 'open'}", "plain") for step in steps]
        notice = answer.get("message")
        if notice is not None:
            lines += [(notice["title"], "strong"), (notice["text"], "plain")]
        question = inspect.cleandoc(type(self).__doc__ or "").partition("\n")[0]
        return setup_picture(question, lines, "Nothing has been computed yet.")

    def chosen(self) -> str:
        """Names of the subjects that are probed, separated by commas."""
        state = self.controller.snapshot()
        models = getattr(state, "models", None) or [
            getattr(state, "subject", "") or getattr(state, "service", "")
        ]
        return ", ".join(name for name in models if name)

    def _no(self, name: str, what: str) -> str:
        """That there is no such attribute or option, the nearest names, and all inputs."""
        inputs = [field.name for field in options_of(self.component)]
        near = difflib.get_close_matches(name, inputs, n=3)
        hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
        return (
            f"{type(self).__name__} has no {what} {name!r}.{hint} Its inputs are: "
            f"{', '.join(inputs)}."
        )

    def _check_options(self, options: Mapping[str, Any]) -> None:
        """Refuse what is for no input.

        Raises `TypeError`, which names the inputs that there are.
        """
        inputs = {field.name for field in self.component.inputs}
        if unknown := sorted(options.keys() - inputs):
            raise TypeError(self._no(unknown[0], "option"))


class ProbeWidget(Widget, Generic[R]):
    """Base of benches that ask a probe: what the screen shows is a result."""

    controller: SubjectController[Any, Any, Any, Any]

    @property
    def result(self) -> R:
        """The result of what is on the screen.

        Raises
        ------
        QueryError
            When the screen shows none, or while a run goes on; the message says what to do.
        """
        result: R = self.controller.result
        return result

    def static_picture(self) -> str | None:
        """SVG of the result; None while there is none, or the subject takes long to open."""
        controller = self.controller
        if not controller.opening.open_within([controller.snapshot().subject], PATIENCE_S):
            return None
        return super().static_picture()


class ThreeStepsWidget(Widget, Generic[T, R]):
    """Base of benches that make their material first, and then test several models on it."""

    controller: ThreeStepsController[Any, T, R, Any]
    side_by_side: Callable[[Sequence[Any]], Chart]
    """Draws the results of several models."""

    def test(self) -> Job[T]:
        """Test every chosen model on the material, as the button does; returns at once.

        Raises
        ------
        QueryError
            When there is no model or nothing to test, or a test goes on already.
        """
        return self.controller.test()

    def run(self) -> Job[T]:
        """Test every chosen model, as `test`: in all benches `run` begins what takes long."""
        return self.test()

    @property
    def results(self) -> dict[str, R]:
        """Each model's result of what is on the screen, by name.

        Raises
        ------
        QueryError
            While a test goes on, or when there was none; the message says what to do.
        """
        return self.controller.results

    def _to_save(self) -> Iterable[Result]:
        return self.results.values()

    @property
    def result(self) -> R:
        """The first model's result.

        Raises
        ------
        QueryError
            As `results`.
        """
        return self.controller.result

    def figure(self) -> Any:
        """Bokeh figure of the first model's result."""
        return self.result.figure()

    def static_picture(self) -> str | None:
        """SVG of all models' results, side by side; None while there are none."""
        try:
            return paint(self.side_by_side(list(self.results.values())))
        except BiaslabError:
            return None
