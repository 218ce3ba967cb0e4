"""``bl.rerun``: make a result again, and say whether its numbers are the same."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from biaslab.arguments import instance
from biaslab.errors import CallError
from biaslab.records.calls import Call, carry_out
from biaslab.records.calls.call import named
from biaslab.records.calls.making import first_call
from biaslab.records.differences import (
    Differences,
    field_differences,
    listed_rows,
    table_differences,
)
from biaslab.records.provenance import Provenance
from biaslab.records.result import Result
from biaslab.stats.reproducibility import SINGLE
from biaslab.store import Store

if TYPE_CHECKING:
    import pandas as pd

_ROUNDING: Final = {"stereotype_score": 1e-5}
"""Of probes that agree to fewer digits on another processor: see docs/guide/reproducibility.md."""


@dataclass(frozen=True, eq=False)
class Rerun:
    """A result made again, beside the one before.

    Attributes
    ----------
    before, result : Result
        The stored result, and the new one.
    table : Differences
        Between the numbers of both tables (``to_frame``).
    values : Differences
        Between all values that both results hold.
    rounding : float
        Share of the largest number of a list below which a difference is rounding.
    """

    before: Result
    result: Result
    table: Differences
    values: Differences
    rounding: float

    @property
    def is_equal(self) -> bool:
        """Whether all numbers and words are the same; numbers to rounding."""
        return self.table.differing == self.values.differing == 0

    @cached_property
    def differences(self) -> pd.DataFrame:
        """What differs: columns where, before and after; first the estimates of the table."""
        import pandas as pd

        rows = [(d.where, d.before, d.after) for d in listed_rows(self.table, self.values)]
        return pd.DataFrame(rows, columns=["where", "before", "after"], dtype=object)

    @property
    def changes(self) -> tuple[str, ...]:
        """What else has changed since: subject, word lists, settings, versions, processor."""
        old, new = self.before.provenance, self.result.provenance
        unknown = f"{old.subject} has no content hash, so whether it has changed is unknown."
        is_unknown = old.subject_hash is None and not self.is_equal
        return (*((unknown,) if is_unknown else ()), *_changes(old, new))

    def summary(self) -> str:
        """The finding in plain words: the same numbers or not, and what has changed since."""
        return "\n".join([self._finding(), *self.changes])

    def _finding(self) -> str:
        count = self.table.numbers or self.values.numbers
        if self.is_equal:
            rounded = max(self.table.rounded, self.values.rounded)
            if not rounded:
                return f"The same {count:,} numbers came out."
            return (
                f"The same {count:,} numbers came out, to rounding: none differs by more than"
                f" {self.rounding:g} of the largest number in its list."
            )
        if self.table.differing:
            return f"{_some(self.table, 'numbers')}."
        return (
            f"The {count:,} numbers of the table are the same, but"
            f" {_some(self.values, 'values behind them')}."
        )

    def __repr__(self) -> str:
        return f"<Rerun of {type(self.result).__name__}: {self._finding()}>"


def rerun(
    run: Result | str | os.PathLike[str],
    *,
    subject: Any = None,
    store: Store | None = None,
    stored_answers: bool = False,
) -> Rerun:
    """Make a result again by its recorded call, and compare all numbers.

    The subject is loaded as before, and its content hash is compared with the stored one. Only
    functions of biaslab are called; rerun a result from somebody else as you would open their
    files, for it names the files and services to use.

    Parameters
    ----------
    run : Result, str or path
        A result, the id of a stored run, or the path of a JSON file that ``to_json`` wrote.
    subject : object, optional
        The subject, for a call whose own cannot be loaded: a Python function, vectors in memory,
        a pickled file, or a service with a key.
    store : Store, optional
        Where the id is looked up; by default the person's own store.
    stored_answers : bool
        Whether answers of models and services in the store are used. By default they are asked
        again, which a service may charge for.

    Returns
    -------
    Rerun

    Raises
    ------
    CallError
        If the result records no call, or something in the call is not stored: says what.
    RunNotFoundError
        If the store has no such run.
    BiaslabError
        Of the call itself, such as a subject that is no longer there.

    Examples
    --------
    >>> import biaslab as bl
    >>> result = bl.association.weat_simulation(draws=100)
    >>> bl.rerun(result).is_equal
    True
    """
    before = _opened(run, store)
    call = before.provenance.call
    if call is None:
        raise CallError(
            "This result does not record how it was made: it is part of another result, which does,"
            " or an older version of biaslab made it. Run the probe again yourself."
        )
    result = carry_out(call, **_changed_arguments(call, subject, stored_answers))
    rounding = _ROUNDING.get(before.provenance.probe, SINGLE)
    return Rerun(
        before,
        result,
        table_differences(before, result, rounding),
        field_differences(before, result, rounding),
        rounding,
    )


def _opened(run: Result | str | os.PathLike[str], store: Store | None) -> Result:
    if isinstance(run, str):
        return (store or Store()).open(run)
    if isinstance(run, os.PathLike):
        return Result.from_json(Path(run))
    remedy = "Pass a result, the id of a stored run, or a Path."
    opened: Result = instance(run, (Result,), "run", remedy)
    return opened


def _changed_arguments(call: Call, subject: Any, stored_answers: bool) -> dict[str, Any]:
    first = first_call(call)
    function = named(first.function)
    parameters = inspect.signature(function).parameters
    changed: dict[str, Any] = {}
    if subject is not None:
        changed[next(iter(parameters))] = subject
    takes_keep = "keep" in (*parameters, *getattr(function, "former_options", ()))
    if takes_keep and not stored_answers:
        changed["keep"] = False
    return changed


def _some(compared: Differences, what: str) -> str:
    many = f"{compared.differing:,} of {compared.numbers:,} {what}"
    verb = "differs" if compared.differing == 1 else "differ"
    return f"{many} {verb}" + (f", by at most {compared.largest:.2g}" if compared.largest else "")


def _changes(old: Provenance, new: Provenance) -> Iterator[str]:
    ways = [origin.loaded.get("identity", "values") for origin in (old, new)]
    if old.subject_hash != new.subject_hash and ways[0] != ways[1]:
        yield (
            f"{old.subject} was identified by the {ways[0]} of its weights, and is now by their"
            f" {ways[1]}: whether its content is the same is unknown."
        )
    elif old.subject_hash != new.subject_hash:
        yield (
            f"The subject has changed since: {old.subject} had the content hash"
            f" {_short(old.subject_hash)}, and has {_short(new.subject_hash)} now."
        )
    if old.spec_hash != new.spec_hash:
        yield "The word lists have changed since."
    names = dict.fromkeys([*old.parameters, *new.parameters])
    changed = [n for n in names if old.parameters.get(n) != new.parameters.get(n)]
    if changed:
        yield f"Settings that came out otherwise: {', '.join(changed)}."
    if dict(old.versions) != dict(new.versions):
        # Packages that were loaded only once, such as torch, decide nothing here.
        both = [n for n in old.versions if old.versions[n] != new.versions.get(n, old.versions[n])]
        if both:
            shown = (f"{n} {old.versions[n]} before, {new.versions[n]} now" for n in both)
            yield f"Other versions: {'; '.join(shown)}."
    if old.device != new.device:
        yield f"Another device: {old.device} before, {new.device} now."
    if old.cpu and _machine(old.cpu) != _machine(new.cpu):
        yield f"Another processor: {old.cpu} before, {new.cpu} now."


def _machine(cpu: str) -> list[str]:
    """Return the parts that do not depend on which packages are loaded."""
    return cpu.split("; ")[:1]


def _short(hash_: str | None) -> str:
    return "none" if hash_ is None else hash_[:12]
