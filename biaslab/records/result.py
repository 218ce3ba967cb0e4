"""The base of all results: a frozen record that explains, exports, stores and reopens itself."""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, Protocol, Self, overload

from biaslab.arguments import check_names
from biaslab.errors import NoFigureError, NoRawFrameError, ResultFormatError
from biaslab.files.atomic import check_ending, write_atomically, written
from biaslab.files.csv_text import frame_text
from biaslab.records.calls.code import source_of, source_without_call
from biaslab.records.encoding import decode_fields, encode_fields
from biaslab.records.kinds import imported, part_of
from biaslab.records.provenance import Provenance
from biaslab.records.record import FrozenDict, Record
from biaslab.records.wording import Span, sentences

if TYPE_CHECKING:
    import pandas as pd

_CHARTS: Final = {".svg": "to_svg()", ".pdf": "to_pdf()", ".png": "to_png()"}


class Worded:
    """A record with words of its own."""

    def summary(self) -> str:
        """Return the finding in plain words; the first line can be used alone."""
        summary = part_of(self, "summary")
        if summary is None:
            raise NotImplementedError(
                f"Nothing words a {type(self).__name__}: define summary() in it, or list it in "
                "biaslab.probes.entries."
            )
        return str(summary(self))


@dataclass(frozen=True)
class Interval(Record):
    """An interval and what it is an interval of.

    Attributes
    ----------
    low, high : float
        Ends, in the unit of the estimate; NaN where they cannot be told.
    level : float
        Coverage it aims at, in (0, 1), such as 0.95.
    kind : str
        What varies: ``"corpus"``, ``"Monte Carlo"``, ``"posterior"`` ... Kinds are never merged.

    Raises
    ------
    ValueError
        If low > high, or the level is not in (0, 1).
    """

    low: float
    high: float
    level: float
    kind: str

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.low > self.high:
            raise ValueError(
                f"The low end of an interval must not exceed its high end: got {self.low} to"
                f" {self.high}."
            )
        if not 0 < self.level < 1:
            raise ValueError(f"The level lies between 0 and 1, such as 0.95: got {self.level}.")

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


@dataclass(frozen=True)
class Dropped(Record):
    """A term that was left out, and why.

    Attributes
    ----------
    term : str
        The term, as it was given.
    role : str
        Where it stood: ``"item"``, ``"cue"``, a list's name ...
    reason : str
        Why, in plain words.
    suggestions : tuple of str
        Terms that the subject knows and that may have been meant.
    """

    term: str
    role: str
    reason: str
    suggestions: tuple[str, ...] = ()


class RunStore(Protocol):
    """Where a result can be saved: a `biaslab.Store`."""

    def save(self, result: Result, label: str = "", *, tags: Iterable[str] = ()) -> str:
        """Store a run; returns its id."""


@dataclass(frozen=True, kw_only=True)
class Result(Record, Worded, ABC):
    """Base of all results.

    A kind of result is a frozen, keyword-only dataclass with a `schema` and the method `to_frame`.
    Its fields may hold numbers, text, None, enums, numpy arrays, tuples, mappings and frozen
    dataclasses (also other results); it then freezes, compares, exports, stores and reopens itself
    without another line. Its words and its chart are listed in `biaslab.probes.entries`,
    or it defines `summary` itself. A subclass that defines ``__post_init__`` calls
    ``super().__post_init__()`` in it.

    Attributes
    ----------
    schema : str
        Kind and version of the stored form, such as ``"two-afc/1"``. Raise the version when
        fields change so that the old form needs translating, and translate it in `upgrade`.
    provenance : Provenance
        Where it comes from.
    dropped : tuple of Dropped
        What was left out, and why.
    """

    schema: ClassVar[str]
    provenance: Provenance
    dropped: tuple[Dropped, ...] = ()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "__repr__" not in cls.__dict__:  # else the dataclass decorator writes out every array
            cls.__repr__ = Result.__repr__  # type: ignore[method-assign]
        if "schema" in cls.__dict__:
            _register(cls)

    def summary(self) -> str:
        """The finding in plain words, and what is to be known of the subject's vectors."""
        return "\n".join([super().summary(), *self.provenance.loaded.get("notes", ())])

    @abstractmethod
    def to_frame(self) -> pd.DataFrame:
        """The estimates as a tidy table: one row per estimate, with columns for its intervals."""

    def raw_frame(self) -> pd.DataFrame:
        """The observations behind the estimates as a tidy table: one row per observation.

        Raises
        ------
        NoRawFrameError
            If this kind of result keeps none.
        """
        raise NoRawFrameError(f"A {type(self).__name__} keeps no raw observations: use to_frame().")

    def verdict(self) -> tuple[str, ...]:
        """The finding in plain words: one text per sentence."""
        return sentences(self.verdict_spans())

    def verdict_spans(self) -> tuple[Span, ...]:
        """The same words as pieces of text with the roles that a screen shows them in."""
        verdict = part_of(self, "verdict")
        return ((self.headline, "plain"),) if verdict is None else tuple(verdict(self))

    def caveat(self) -> str:
        """What limits the finding, in one line; empty where there is nothing to say."""
        caveat = part_of(self, "caveat")
        return "" if caveat is None else str(caveat(self))

    @property
    def headline(self) -> str:
        """One line for a list of runs, by default the first of the summary."""
        headline = part_of(self, "headline")
        return self.summary().partition("\n")[0] if headline is None else str(headline(self))

    def figure(self, *, title: bool = True, panel: int | None = None, **chosen: Any) -> Any:
        """The chart of the result as a Bokeh figure.

        Parameters
        ----------
        title, panel, **chosen
            As of `to_svg`.

        Returns
        -------
        bokeh.model.Model
            A figure or a layout of several, for `bokeh.io.show`.

        Raises
        ------
        NoFigureError
            If this kind of result has none.
        """
        return self._draw("bokeh", chosen, headed=title, panel=panel)

    @overload
    def to_svg(self, path: None = None, **shown: Any) -> str: ...
    @overload
    def to_svg(self, path: str | os.PathLike[str], **shown: Any) -> None: ...
    def to_svg(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        title: bool = True,
        panel: int | None = None,
        width: str | None = None,
        **chosen: Any,
    ) -> str | None:
        """The chart of the result as SVG text, or written to `path` (whole or not at all).

        Parameters
        ----------
        path : path, optional
            Ends in ``.svg``.
        title : bool
            Whether the verdict and its limits stand above the chart; not in a figure whose caption
            says them.
        panel : int, optional
            The only panel to draw, from 0; by default all.
        width : str, optional
            Width on paper, such as ``"85 mm"`` or ``"3.35 in"``: panels become narrower, and
            letters keep 8 to 9 points where there is room.
        **chosen
            What is drawn, where the kind of result has a choice: ``item`` and ``adjust`` of
            `biaslab.two_afc`, ``contrast`` and ``adjust`` of `biaslab.occupations`.

        Raises
        ------
        NoFigureError
            If this kind of result has none.
        ArgumentError
            If the name ends otherwise, there is no such panel, or the width has no unit.
        WriteError
            If the file cannot be written.
        """
        check_ending(path, _CHARTS)
        drawn = self._draw("svg", chosen, headed=title, panel=panel, width=width)
        return written(drawn, path)

    def to_pdf(self, path: str | os.PathLike[str], **shown: Any) -> None:
        """Write the chart of the result as PDF, with letters that can be searched.

        Parameters
        ----------
        path : path
            Ends in ``.pdf``.
        **shown
            ``title``, ``panel``, ``width`` and others as of `to_svg`.

        Raises
        ------
        MissingExtraError
            If typst is not installed: ``pip install 'biaslab[print]'``.
        NoFigureError, ArgumentError, WriteError
            As of `to_svg`.
        """
        check_ending(path, {".pdf": "to_pdf()", **_CHARTS})
        write_atomically(path, imported("biaslab.reports.printing:pdf")(self.to_svg(**shown)))

    def to_png(self, path: str | os.PathLike[str], *, dpi: float = 300, **shown: Any) -> None:
        """Write the chart of the result as PNG.

        Parameters
        ----------
        path : path
            Ends in ``.png``.
        dpi : float
            Pixels per inch, 36 to 1,200.
        **shown
            ``title``, ``panel``, ``width`` and others as of `to_svg`.

        Raises
        ------
        MissingExtraError
            If typst is not installed: ``pip install 'biaslab[print]'``.
        NoFigureError, ArgumentError, WriteError
            As of `to_svg`.
        """
        check_ending(path, {".png": "to_png()", **_CHARTS})
        write_atomically(path, imported("biaslab.reports.printing:png")(self.to_svg(**shown), dpi))

    @overload
    def report(self, path: None = None) -> str: ...
    @overload
    def report(self, path: str | os.PathLike[str]) -> None: ...
    def report(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """The finding, limits, chart, table, dropped terms and provenance as one HTML document.

        It needs no other file and no network.

        Parameters
        ----------
        path : path, optional
            Of a file that it is written to (whole or not at all).

        Raises
        ------
        WriteError
            If the file cannot be written.
        """
        check_ending(path, {".html": "report()"})
        return written(imported("biaslab.reports.report:report_of_one")(self), path)

    def code(self) -> str:
        """Python source that makes the same result when it is run.

        What is not stored with a result, such as a function or vectors in memory, stands on a line
        marked ``FILL IN``, with a comment that says why. Keys of services are never in it.
        """
        if self.provenance.call is None:
            return source_without_call(self.provenance.probe, self.provenance.subject)
        return source_of(self.provenance.call)

    def _draw(
        self, painter: Literal["bokeh", "svg"], chosen: Mapping[str, Any], **shown: Any
    ) -> Any:
        chart = part_of(self, "chart")
        if chart is None:
            raise NoFigureError(
                f"A {type(self).__name__} has no chart: use to_frame() or summary()."
            )
        check_names({"result": self, **chosen}, chart, "to_svg")
        return imported(f"biaslab.reports.{painter}:paint")(chart(self, **chosen), **shown)

    def save(
        self, store: RunStore | None = None, label: str = "", *, tags: Iterable[str] = ()
    ) -> str:
        """Save this run and return its id.

        Parameters
        ----------
        store : biaslab.Store, optional
            By default the person's own.
        label : str
            The person's own note.
        tags : iterable of str
            Tags, by which `biaslab.Store.runs` finds it.

        Raises
        ------
        ArgumentError
            If a tag is empty, longer than 100 characters or contains a comma or a line break.
        StoreError
            If the store cannot be used.
        """
        where: RunStore = imported("biaslab.store:Store")() if store is None else store
        return where.save(self, label, tags=tags)

    @overload
    def to_csv(self, path: None = None) -> str: ...
    @overload
    def to_csv(self, path: str | os.PathLike[str]) -> None: ...
    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """`to_frame` as CSV text, or written to `path` (whole or not at all).

        A text that a spreadsheet program would run as a formula has an apostrophe in front.

        Raises
        ------
        WriteError
            If the file cannot be written.
        """
        return written(frame_text(self.to_frame()), path)

    @overload
    def to_json(self, path: None = None) -> str: ...
    @overload
    def to_json(self, path: str | os.PathLike[str]) -> None: ...
    def to_json(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """The whole result as strict JSON text, or written to `path` (whole or not at all).

        Raises
        ------
        WriteError
            If the file cannot be written.
        """
        return written(json.dumps(self.to_dict(), allow_nan=False), path)

    def to_eee(self) -> list[dict[str, Any]]:
        """The estimates in the schema of Every Eval Ever: one record for each model.

        Each has its value, standard error and interval, where the result has them, and their
        method.
        """
        return list(imported("biaslab.reports.exchange:every_eval_ever")(self))

    def to_dict(self) -> dict[str, Any]:
        """The whole result as what JSON can hold; `biaslab.records.encoding` describes the form."""
        return {"schema": self.schema, **encode_fields(self)}

    @classmethod
    def from_json(cls, source: str | bytes | os.PathLike[str]) -> Self:
        """The result that `to_json` wrote: from its text, or from a file if given a ``Path``.

        Raises
        ------
        ResultFormatError
            If it is not JSON, of an unknown kind, of a newer version, or damaged.
        """
        text = Path(source).read_bytes() if isinstance(source, os.PathLike) else source
        try:
            data = json.loads(text, parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:  # also undecodable bytes
            raise ResultFormatError(
                f"This is not a result in JSON ({error}). If it is a file, it may be cut off or "
                "edited: export it again."
            ) from error
        return cls.from_dict(data)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The result that `to_dict` made, of the kind that its schema names.

        Raises
        ------
        ResultFormatError
            If it is of an unknown kind, of a newer version, or damaged.
        """
        schema = data.get("schema") if isinstance(data, dict | FrozenDict) else None
        if not isinstance(schema, str):
            raise ResultFormatError(
                "This is not a result of biaslab: it has no schema. Pass what to_json() returned."
            )
        kind, _, number = schema.partition("/")
        result_type = _KINDS.get(kind) or kinds().get(kind)
        if result_type is None:
            raise ResultFormatError(
                f"No result of kind {kind!r} is known. Update biaslab (pip install -U biaslab), or"
                " import the package that defines it, and try again."
            )
        known_version = int(result_type.schema.partition("/")[2])
        if not number.isdecimal() or int(number) > known_version:
            raise ResultFormatError(
                f"This {kind!r} result has format version {number or '(none)'}; this biaslab "
                f"reads up to {known_version}. Update biaslab (pip install -U biaslab)."
            )
        if not issubclass(result_type, cls):
            raise ResultFormatError(
                f"This is a {result_type.__name__}, not a {cls.__name__}: use Result.from_json."
            )
        content = {key: value for key, value in data.items() if key != "schema"}
        try:
            if int(number) < known_version:
                content = result_type.upgrade(content, int(number))
            result: Self = decode_fields(result_type, content)
        except (ResultFormatError, ValueError, TypeError, KeyError) as error:
            raise ResultFormatError(
                f"This {kind!r} result is damaged or was edited: {error}. Export it again, or run "
                "the probe again."
            ) from error
        return result

    @classmethod
    def upgrade(cls, content: dict[str, Any], version: int) -> dict[str, Any]:  # noqa: ARG003
        """The fields as `to_dict` writes them today, from those of an older `version`.

        A subclass that raises its version overrides this where a default does not do.
        """
        return content

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {_shortened(self.headline)}{_dropped_note(self)}>"

    def _repr_html_(self) -> str:
        return str(imported("biaslab.reports.previews:card")(self))


_KINDS: dict[str, type[Result]] = {}


def _register(cls: type[Result]) -> None:
    kind, _, version = cls.schema.partition("/")
    if not kind or not version.isdecimal() or int(version) < 1:
        raise TypeError(f"{cls.__name__}.schema is {cls.schema!r}: write it like 'two-afc/1'.")
    other = _KINDS.get(kind)
    identity = (cls.__module__, cls.__qualname__)
    # The same class again is a module that was reloaded: the newer one counts.
    if other is not None and (other.__module__, other.__qualname__) != identity:
        raise TypeError(
            f"{cls.__name__} and {other.__name__} both have the schema {kind!r}. Rename one."
        )
    _KINDS[kind] = cls


def kinds() -> dict[str, type[Result]]:
    """Return all kinds of results by their name in a schema; imports the probes.

    Kinds register when their probe is imported, and a run may be reopened before that.
    """
    for module in pkgutil.iter_modules(importlib.import_module("biaslab.probes").__path__):
        importlib.import_module(f"biaslab.probes.{module.name}")
    return _KINDS


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _shortened(text: str, length: int = 100) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"


def _dropped_note(result: Result) -> str:
    return f" ({len(result.dropped)} dropped)" if result.dropped else ""
